"""The files in a file: what it is packed with is taken off, archives in it are opened to a depth, and names are judged.

A file in an archive in an archive is called ``outer.tgz/inner/name``; one that is only packed (``x.log.gz``) loses that ending.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol, cast

from .archive import Tar, Tell, is_tar
from .limits import Budget, Limits, Problems
from .streams import Prefixed, packing_of
from .unpack import Unpacker
from .zipped import MAGICS, Zip

_START = 512  # what a file begins with tells what it is: the header of a tar archive is so long
_IN_MEMORY = 16 << 20  # of a zip archive in an archive; beyond that it lies in a temporary file without a name
_PACKED_ENDING = re.compile(r"(?<=[^/])\.(?:gz|xz|bz2|zst|zstd)\Z", re.IGNORECASE)
_MAX_NAME = 1000
_ALIKE = 20  # members of which the same is told one by one
# What macOS and Windows put beside the files that a person packs.
_OF_THE_DESKTOP = re.compile(r"(?:^|/)(?:__MACOSX/|\._[^/]*\Z|\.DS_Store\Z|Thumbs\.db\Z|desktop\.ini\Z)")


class Entry(Protocol):
    """A file of an archive or a folder, before anybody looked at what it is. ``size`` -1: not known."""

    name: str
    size: int
    wrong: str  # after reading to its end: why it is not whole

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""


class FileEntry:
    """A file that lies open: the bundle itself, or one of a folder."""

    def __init__(self, name: str, size: int, file: BinaryIO, budget: Budget) -> None:
        self.name, self.size, self.file, self.wrong = name, size, file, ""
        self._budget = budget

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        data = self.file.read(size)
        self._budget.take(len(data))
        return data


class _Packed:
    """What comes out of a packed file that is no archive."""

    size = -1

    def __init__(self, name: str, stream: Unpacker, tell: Tell) -> None:
        self.name, self.wrong = name, ""
        self._stream, self._tell = stream, tell

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        data, stream = self._stream.read(size), self._stream
        if len(data) < size:
            if stream.cut:
                self.wrong = "the archive ends in the middle of this member"
            elif stream.damage:
                self.wrong = f"it cannot be unpacked to its end: {stream.damage}"
            elif stream.trailing:
                self._tell(self.name, "something that is no part of the packed file follows it; it was not read")
        return data


@dataclass
class Leaf:
    """A plain file. ``read`` it before asking for the next one, or it is passed over. ``size``: of a packed file, at least."""

    name: str
    size: int
    _start: bytes
    _entry: Entry
    _opener: Opener
    whole: bool = True  # false after reading a file of which the end is lost

    def read(self) -> bytes:
        """Return the content, or what is left of it."""
        most, data, self._start = self._opener.limits.member, self._start, b""
        if len(data) == _START:
            left = (self.size if self._entry.size >= 0 else most) - len(data)
            data += self._entry.read(min(left, most) + 1)
        self.whole = self._opener.judge(self, self._entry.wrong, len(data))
        return data[:most]


class Opener:
    """Opens what one walk meets. ``cut``: an archive ends before its end, or nobody can tell which of its files are as they were
    written. ``lost``: why some file was not read, or not as it was (empty: all were)."""

    def __init__(self, limits: Limits, problems: Problems, name: str) -> None:
        self.limits, self.budget = limits, Budget(limits, name)
        self.cut, self.lost, self.encrypted = False, "", 0
        self.opened = False  # there was something to open
        self._problems = problems
        self._seen: set[str] = set()
        self._alike: dict[str, int] = {}

    def bundle(self, entry: FileEntry) -> Iterator[Leaf]:
        """Yield the files in the file that a person gave; it alone, where it is no archive."""
        yield from self._open(entry, "", 0)
        self._tell_alike()

    def folder(self, entries: Iterator[FileEntry]) -> Iterator[Leaf]:
        """Yield the files of a folder, and those in its archives."""
        for entry in entries:
            self.budget.member()
            yield from self._open(entry, entry.name + "/", 1)
        self._tell_alike()

    def tell(self, name: str, message: str) -> None:
        """Note a problem. Of many members of which the same is to be told only the first are named, and the others counted."""
        count = self._alike[message] = self._alike.get(message, 0) + 1
        if not name or count <= _ALIKE:
            self._problems.add(name, message)

    def lose(self, name: str, message: str) -> None:
        """Note that a file was not read, or not as it was written: of no kind is it then certain that all of it was read."""
        self.tell(name, message)
        self.lost = self.lost or (f"{name}: {message}" if name else message)

    def judge(self, leaf: Leaf, wrong: str, size: int) -> bool:
        """Note what is wrong with a file that was read, and tell whether its end is there."""
        most = self.limits.member
        if size > most:
            self.lose(leaf.name, f"the member is larger than {most >> 20} MiB; only so much of it was read")
        elif wrong.startswith("its checksum"):
            self.lose(leaf.name, "the member is not as it was written: its checksum differs")
        elif wrong and not wrong.startswith("the archive ends"):  # that is told by who reads it
            self.lose(leaf.name, wrong)
        return size <= most and (not wrong or wrong.startswith("its checksum"))

    def _open(self, entry: Entry, prefix: str, depth: int) -> Iterator[Leaf]:
        self.budget.at = entry.name if depth else ""
        start = entry.read(_START)
        packed, zipped = packing_of(start) is not None, start.startswith(MAGICS)
        if not (packed or zipped or is_tar(start)):
            yield from self._file(entry, start)
            return
        self.opened = True
        if depth >= self.limits.depth:
            self.lose(entry.name, f"archives are opened {self.limits.depth} deep, and it lies deeper; it was not read")
        elif packed:
            yield from self._packed(entry, start, prefix, depth)
        elif zipped:
            yield from self._zip(entry, start, prefix, depth)
        else:
            yield from self._tar(Unpacker(Prefixed(start, entry), self.budget, plain=True), prefix, depth)

    def _packed(self, entry: Entry, start: bytes, prefix: str, depth: int) -> Iterator[Leaf]:
        stream = Unpacker(Prefixed(start, entry), self.budget)
        inner = stream.read(_START)
        if is_tar(inner):
            stream.unread(inner)
            yield from self._tar(stream, prefix, depth)
            return
        if not inner and (stream.cut or stream.damage):
            self.cut = self.cut or not depth
            self.lose(entry.name if depth else "", f"it cannot be unpacked: {stream.damage or 'it ends at its beginning'}")
            return
        name = _PACKED_ENDING.sub("", entry.name)
        stream.unread(inner)
        unpacked = _Packed(entry.name if name in self._seen else name, stream, self.tell)
        yield from self._open(unpacked, prefix, depth + 1)
        self.cut = self.cut or (not depth and (stream.cut or bool(stream.damage)))

    def _tar(self, stream: Unpacker, prefix: str, depth: int) -> Iterator[Leaf]:
        tar = Tar(stream, self.budget, self._teller(prefix))
        for entry in tar.entries():
            yield from self._member(entry, prefix, depth)
        self.cut = self.cut or tar.cut

    def _zip(self, entry: Entry, start: bytes, prefix: str, depth: int) -> Iterator[Leaf]:
        if isinstance(entry, FileEntry):
            yield from self._zip_in(entry.file, prefix, depth, own=True)
            return
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spooled:
            spooled.write(start)
            while piece := entry.read(1 << 20):
                spooled.write(piece)
            if entry.wrong:
                self.lose(entry.name, entry.wrong)
            yield from self._zip_in(cast("BinaryIO", spooled), prefix, depth, own=False)

    def _zip_in(self, file: BinaryIO, prefix: str, depth: int, own: bool) -> Iterator[Leaf]:
        found = Zip(file, self.budget, self._teller(prefix), own)
        for entry in found.entries():
            yield from self._member(entry, prefix, depth)
        self.cut, self.encrypted = self.cut or found.cut, self.encrypted + found.encrypted
        if found.lost:
            self.lost = self.lost or "not all files of the zip archive could be read"

    def _member(self, entry: Entry, prefix: str, depth: int) -> Iterator[Leaf]:
        entry.name = prefix + entry.name.removeprefix("./")
        yield from self._open(entry, entry.name + "/", depth + 1)

    def _file(self, entry: Entry, start: bytes) -> Iterator[Leaf]:
        name = entry.name
        if _OF_THE_DESKTOP.search(name):
            return
        if wrong := _wrong_name(name):
            self.lose(name, f"the member's name {wrong}; it was ignored")
        elif name in self._seen:
            self.lose(name, "the archive holds two members of this name; the first one was read")
        elif entry.size > self.limits.member:
            self.lose(name, f"the member is larger than {self.limits.member >> 20} MiB, and was ignored")
        else:
            self._seen.add(name)
            size = len(start) if len(start) < _START else max(entry.size, _START)
            yield Leaf(name, size, start, entry, self)

    def _teller(self, prefix: str) -> Tell:
        return lambda name, message: self.tell(prefix + name if name else prefix.removesuffix("/"), message)

    def _tell_alike(self) -> None:
        for message, count in self._alike.items():
            if count > _ALIKE:
                self._problems.add("", f"of {count - _ALIKE} more members the same is to be told: {message}")


def _wrong_name(name: str) -> str:
    """Return what is wrong with a name; empty when nothing is. Names are only compared, but they are also shown to people."""
    parts = name.split("/")
    if name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return "is absolute"
    if ".." in parts:
        return "leads out of its folder"
    if "\\" in name or not name.isprintable() or any(0xDC80 <= ord(one) <= 0xDCFF for one in name):
        return "holds characters that no bundle has"
    if len(name) > _MAX_NAME or "" in parts or "." in parts:
        return "is no plain path"
    return ""
