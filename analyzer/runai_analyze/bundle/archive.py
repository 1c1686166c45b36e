"""The members of a tar archive as a stream: nothing is extracted, no name becomes a path, what is no plain file is passed over.

The headers are decoded by ``tarfile.TarInfo``; the walk is our own because ``tarfile`` reads extended headers of any size into
memory and cannot go on reading what a cut archive still holds.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .limits import Budget
from .unpack import Unpacker

_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADER = 64 << 10  # of one extended header: a path and a size
_MOST_HEADERS = 9  # of one member: its own, and the extended ones before it
_PAX_KEYS = (b"path", b"size")  # all that counts for a plain file; the others are passed over
_OCTAL = re.compile(rb"[ \0]*([0-7]{1,7})")
_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a character device",
    tarfile.BLKTYPE: "a block device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}

Tell = Callable[[str, str], None]  # a member's name (empty: the archive itself), and what is wrong with it


@dataclass
class Entry:
    """One plain file of a tar archive. ``read`` it before asking for the next one, or it is passed over."""

    name: str
    size: int
    _stream: Unpacker
    _left: int
    wrong: str = ""  # after reading to its end: why it is not whole

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        data = self._stream.read(min(size, self._left))
        if len(data) < min(size, self._left):
            self.wrong = "the archive ends in the middle of this member"
        self._left -= len(data)
        return data

    def pass_over(self) -> bool:
        """Go to the end of the member with its padding; tell whether the archive reaches so far."""
        return self._stream.skip(self._left + -self.size % _BLOCK)


class Damaged(Exception):  # noqa: N818 - is told as a problem
    """The archive cannot be read further. ``nameless``: what was to be said of the member that follows is lost."""

    def __init__(self, message: str, nameless: bool = False) -> None:
        super().__init__(message)
        self.nameless = nameless


def is_tar(start: bytes) -> bool:
    """Tell whether a tar archive begins with these bytes (at least 512): by its mark, or by the checksum of its first header."""
    if len(start) < _BLOCK or not any(start[:_BLOCK]):
        return False
    return start[257:262] == b"ustar" or _is_header(start[:_BLOCK])


def _is_header(block: bytes) -> bool:
    try:
        _header(block)
    except tarfile.HeaderError:
        return False
    return True


def _header(block: bytes) -> tarfile.TarInfo:
    """Return what a header says. Owners, times and devices that some programs wrote askew count for nothing here."""
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        checksum = _OCTAL.match(block[148:156])
        if not checksum or int(checksum[1], 8) != 256 + sum(block[:148]) + sum(block[156:]):
            raise
        plain = bytearray(block)
        plain[100:124], plain[136:148], plain[329:345] = b"0000000\0" * 3, b"00000000000\0", b"0000000\0" * 2
        plain[148:156] = b"%06o\0 " % (256 + sum(plain[:148]) + sum(plain[156:]))
        return tarfile.TarInfo.frombuf(bytes(plain), "utf-8", "surrogateescape")


class Tar:
    """A tar archive, whatever it is packed with. How it ended stands in ``cut``: whether it ends before its end mark."""

    def __init__(self, stream: Unpacker, budget: Budget, tell: Tell) -> None:
        self._stream, self._budget, self._tell = stream, budget, tell
        self.cut = False
        self._nameless = False

    def entries(self) -> Iterator[Entry]:
        """Yield the plain files, whatever their names. Behind damage it goes on where the next member starts."""
        while (info := self._next()) is not None:
            self._budget.member()
            entry = Entry(info.name, info.size, self._stream, info.size)
            if self._nameless:
                self._nameless = False
                self._tell(info.name, "what the archive said of the member is lost, and it was ignored")
            elif self._is_file(info):
                yield entry
            if not entry.pass_over():
                self._broken("it ends in the middle of a member")
                break
        self._ending()

    def _next(self) -> tarfile.TarInfo | None:
        while True:
            try:
                return _next_header(self._stream)
            except Damaged as error:
                self._broken(str(error))
                self._nameless = error.nameless
                if not self._find_member():
                    return None

    def _broken(self, why: str) -> None:
        if not self.cut:
            why = self._stream.damage or why
            self._tell("", f"the archive cannot be read beyond byte {self._stream.position} of its content: {why}")
        self.cut = True

    def _find_member(self) -> bool:
        """Go to the next block that is the header of a member; tell whether there is one."""
        while len(block := self._stream.read(_BLOCK)) == _BLOCK:
            if block[257:262] == b"ustar" and _is_header(block):
                self._stream.unread(block)
                self._tell("", "behind the damage the archive was read on from the next member that could be found")
                return True
        return False

    def _is_file(self, info: tarfile.TarInfo) -> bool:
        if info.isdir():
            return False
        if not info.isreg() or info.type == tarfile.GNUTYPE_SPARSE:
            self._tell(info.name, f"the member is {_KINDS.get(info.type, 'of an unknown type')}, and was ignored")
            return False
        return True

    def _ending(self) -> None:
        """Look at what follows the archive's end mark, so that damage of the last bytes is not missed."""
        stream, more = self._stream, False
        while rest := stream.read(1 << 20):
            more = more or rest.count(0) < len(rest)
        broken = self.cut
        self.cut = self.cut or stream.cut
        if stream.cut:
            self._tell("", "the end of the archive is missing, and with it the checksum over all of it")
        elif stream.damage and not broken:
            self.cut = True  # which of the members is not as it was written, nobody can tell
            self._tell("", f"the archive's checksum does not hold: {stream.damage}")
        if stream.trailing or (more and not broken):
            self._tell("", "something that is no part of the archive follows it; it was not read")


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
            info = _header(block)
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
    raise Damaged(f"a member has more than {_MOST_HEADERS - 1} extended headers", nameless=True)


def _extended_data(stream: Unpacker, info: tarfile.TarInfo) -> bytes:
    if info.size > _MAX_HEADER:
        raise Damaged(f"an extended header is larger than {_MAX_HEADER >> 10} KiB", nameless=True)
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
            raise Damaged("an extended header cannot be read", nameless=True)
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
