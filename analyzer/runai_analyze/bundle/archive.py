"""The members of a tar archive as a stream: nothing is extracted, no name becomes a path, what is no plain file is passed over.

The headers are decoded by ``tarfile.TarInfo``; the walk is our own because ``tarfile`` reads extended headers of any size into
memory and cannot go on reading what a cut archive still holds.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import BundleError
from .limits import Limits, Problems
from .unpack import Unpacker

_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADER = 64 << 10  # of one extended header: a path and a size
_MOST_HEADERS = 9  # of one member: its own, and the extended ones before it
_MAX_NAME = 1000
_PAX_KEYS = (b"path", b"size")  # all that counts for a plain file; the others are passed over
_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a character device",
    tarfile.BLKTYPE: "a block device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}


@dataclass
class Member:
    """One plain file of the archive. ``read`` it before asking for the next one, or it is passed over."""

    name: str
    size: int
    _stream: Unpacker
    _left: int
    whole: bool = True  # false after reading a member that the archive's end cut off

    def read(self) -> bytes:
        """Return the content, or what is left of it."""
        data = self._stream.read(self._left)
        self.whole = len(data) == self._left
        self._left -= len(data)
        return data

    def pass_over(self) -> bool:
        """Go to the end of the member with its padding; tell whether the archive reaches so far."""
        return self._stream.skip(self._left + -self.size % _BLOCK)


class Damaged(Exception):  # noqa: N818 - ends the walk, and is told as a problem
    """The archive cannot be read further."""


class Archive:
    """A tar archive, packed with gzip or not; each ``walk`` reads it from the start."""

    def __init__(self, path: Path, limits: Limits, problems: Problems) -> None:
        self.path, self.limits, self.problems = path, limits, problems
        self.cut = False  # known after a walk: the archive ends before its end mark

    def walk(self) -> Iterator[Member]:
        """Yield the plain files with acceptable names, each name once."""
        try:
            with self.path.open("rb") as file:
                stream = Unpacker(file, self.limits)
                yield from self._members(stream)
                self._ending(stream)
        except OSError as error:
            raise BundleError(f"{self.path.name} cannot be read: {error.strerror or error}") from error

    def _members(self, stream: Unpacker) -> Iterator[Member]:
        seen: set[str] = set()
        count = 0
        try:
            while (info := _next_header(stream)) is not None:
                count += 1
                if count > self.limits.members:
                    raise BundleError(f"the archive has more than {self.limits.members} members and is not read further")
                member = Member(info.name, info.size, stream, info.size)
                if self._acceptable(info, seen):
                    seen.add(info.name)
                    yield member
                if not member.pass_over():
                    raise Damaged("it ends in the middle of a member")
        except Damaged as error:
            self.cut = True
            self.problems.add(
                "", f"the archive cannot be read beyond byte {stream.position} of its content: {stream.damage or error}"
            )

    def _ending(self, stream: Unpacker) -> None:
        """Look at what follows the archive's end mark, so that damage of the last bytes is not missed."""
        while stream.read(1 << 20):
            pass
        self.cut = self.cut or stream.cut
        if stream.cut:
            self.problems.add("", "the end of the archive is missing, and with it the checksum over all of it")
        elif stream.damage and not self.cut:
            self.problems.add("", f"the archive's checksum does not hold: {stream.damage}")
        if stream.trailing:
            self.problems.add("", "something that is no part of the archive follows it; it was not read")

    def _acceptable(self, info: tarfile.TarInfo, seen: set[str]) -> bool:
        if info.isdir():
            return False
        if not info.isreg() or info.type == tarfile.GNUTYPE_SPARSE:
            self.problems.add(info.name, f"the member is {_KINDS.get(info.type, 'of an unknown type')}, and was ignored")
        elif wrong := _wrong_name(info.name):
            self.problems.add(info.name, f"the member's name {wrong}; it was ignored")
        elif info.name in seen:
            self.problems.add(info.name, "the archive holds two members of this name; the first one was read")
        elif info.size > self.limits.member:
            self.problems.add(info.name, f"the member is larger than {self.limits.member >> 20} MiB, and was ignored")
        else:
            return True
        return False


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


def _next_header(stream: Unpacker) -> tarfile.TarInfo | None:
    """Return the next file's header with what extended headers say of it; None at the end mark. Raises ``Damaged``."""
    extended: dict[str, str] = {}
    for _ in range(_MOST_HEADERS):
        block = stream.read(_BLOCK)
        if len(block) < _BLOCK:
            raise Damaged("its end mark is missing")
        if not any(block):
            return None
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise Damaged(f"no member starts where one should ({error})") from error
        if info.size < 0:
            raise Damaged("a member has a negative size")
        if info.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
            extended |= _pax_fields(_extended_data(stream, info))
        elif info.type == tarfile.GNUTYPE_LONGNAME:
            extended["path"] = _extended_data(stream, info).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
        elif info.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK):
            _extended_data(stream, info)
        else:
            return _with_fields(stream, info, block, extended)
    raise Damaged(f"a member has more than {_MOST_HEADERS - 1} extended headers")


def _extended_data(stream: Unpacker, info: tarfile.TarInfo) -> bytes:
    if info.size > _MAX_HEADER:
        raise Damaged(f"an extended header is larger than {_MAX_HEADER >> 10} KiB")
    data = stream.read(info.size)
    if len(data) < info.size or not stream.skip(-info.size % _BLOCK):
        raise Damaged("it ends in an extended header")
    return data


def _pax_fields(data: bytes) -> dict[str, str]:
    """Return the fields of a pax header: records ``LENGTH KEY=VALUE\\n``, LENGTH counting the whole record."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(data):
        length_text, space, _ = data[at : at + 8].partition(b" ")
        length = int(length_text) if space and length_text.isdigit() else 0
        if not len(length_text) + 2 <= length <= len(data) - at:
            raise Damaged("an extended header cannot be read")
        key, _, value = data[at + len(length_text) + 1 : at + length - 1].partition(b"=")
        if key in _PAX_KEYS or key.startswith(b"GNU.sparse."):
            fields[key.decode("ascii", "replace")] = value.decode("utf-8", "surrogateescape")
        at += length
    return fields


def _with_fields(stream: Unpacker, info: tarfile.TarInfo, block: bytes, extended: dict[str, str]) -> tarfile.TarInfo:
    info.name = extended.get("path", info.name).removeprefix("./")
    if "size" in extended:
        size = extended["size"]
        if not (size.isascii() and size.isdigit() and len(size) < 16):
            raise Damaged("an extended header names no size")
        info.size = int(size)
    if any(key.startswith("GNU.sparse.") for key in extended):
        info.type = tarfile.GNUTYPE_SPARSE
    more = info.type == tarfile.GNUTYPE_SPARSE and block[482:483] == b"\1"  # the old GNU format goes on in further blocks
    while more:
        following = stream.read(_BLOCK)
        if len(following) < _BLOCK:
            raise Damaged("it ends in a sparse file's header")
        more = following[504:505] == b"\1"
    if not info.isreg() and info.type != tarfile.GNUTYPE_SPARSE:
        info.size = 0  # links and devices have no content, whatever their header says
    return info
