"""The files of a zip archive, in the order in which they lie there: by the directory at its end, or, where that is cut off or
broken, by the headers in front of the files.

Our own reader because ``zipfile`` needs the directory, and takes sizes and places on trust.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from .archive import Tell
from .limits import Budget
from .streams import PACKINGS, Deflate, Packer
from .unpack import Unpacker

MAGICS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK\x03\x04")  # one with files, an empty one, the only part of a split one
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
_FAR = _END.size + (1 << 16)  # how far from the end of the archive its last record may begin: the comment lies behind it
_JUNK = 64 << 10  # beside that: what a transfer appended
_ENCRYPTED, _DESCRIBED_BEHIND, _UTF8 = 1, 8, 0x800
_STORED, _DEFLATED = 0, 8
_PACKERS = {12: "bzip2", 93: "zstd", 95: "xz"}
_UNKNOWN = -1
_MOST_UNMEASURED = 100  # damaged files without a size, after which no more are looked for: each costs time
_FULL32, _FULL16 = (1 << 32) - 1, (1 << 16) - 1


@dataclass(frozen=True, slots=True)
class _Row:
    """What is said of a file: where its header lies, and (-1: not said) its sizes and its checksum."""

    name: str
    place: int
    packed: int
    size: int
    checksum: int
    method: int
    flags: int
    kind: int = 0  # the file type of Unix; 0: a plain file, or not said


class _View:
    """A part of the file as a source; what is read of it counts as read of the archive."""

    def __init__(self, file: BinaryIO, start: int, size: int, budget: Budget | None) -> None:
        self._file, self.at, self._end, self._budget = file, start, start + size, budget

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        self._file.seek(self.at)
        data = self._file.read(max(min(size, self._end - self.at), 0))
        self.at += len(data)
        if self._budget:
            self._budget.take(len(data))
        return data


class ZipEntry:
    """One plain file of a zip archive."""

    def __init__(self, row: _Row, stream: Unpacker) -> None:
        self.name, self.size, self.wrong = row.name, row.size, ""
        self._row, self._stream = row, stream
        self._read = self._checksum = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end, where what the archive says of the file is compared with what it holds."""
        data = self._stream.read(size)
        self._read += len(data)
        self._checksum = zlib.crc32(data, self._checksum)
        if len(data) < size:
            self.wrong = self._what_is_wrong()
        return data

    def _what_is_wrong(self) -> str:
        row = self._row
        if self._stream.damage:
            return f"it cannot be unpacked to its end: {self._stream.damage}"
        if self._stream.cut or (row.size != _UNKNOWN and self._read < row.size):
            return "the archive ends in the middle of this member"
        if row.size not in (_UNKNOWN, self._read) or row.checksum not in (_UNKNOWN, self._checksum):
            return "its checksum differs"
        return ""


class Zip:
    """A zip archive in a file that can be read from any place. ``cut``: not all of its files can be known."""

    def __init__(self, file: BinaryIO, budget: Budget, tell: Tell, own: bool) -> None:
        self._file, self._budget, self._tell = file, budget, tell
        self._own = budget if own else None  # the file is the bundle itself: its bytes count as read of it
        self._size = file.seek(0, 2)
        self.cut = False
        self.lost = False  # a file was passed over
        self.encrypted = 0
        self._unmeasured = 0  # files of which the end could not be found

    def entries(self) -> Iterator[ZipEntry]:
        """Yield the plain files that can be read, whatever their names."""
        rows = self._directory()
        end = 0
        for row in rows if rows is not None else self._without_directory():
            if row.name.endswith("/") or stat.S_ISDIR(row.kind):
                continue
            if wrong := self._wrong(row):
                self._tell(row.name, f"the member {wrong}, and was ignored")
                self.lost = self.lost or not row.kind
                continue
            start = self._data(row)
            if start is None or start < end:
                where = "lies over the one before it, as only a trap does" if start else "has no header where it should have one"
                self._tell(row.name, f"the member {where}; it was ignored")
                self.lost = True
                continue
            end = start + max(row.packed, 0)
            yield ZipEntry(row, self._open(row, start))

    def _wrong(self, row: _Row) -> str:
        if row.kind:
            return "is a symbolic link" if stat.S_ISLNK(row.kind) else "is no plain file"
        if row.flags & _ENCRYPTED:
            self.encrypted += 1
            return "is encrypted"
        if row.method not in (_STORED, _DEFLATED, *_PACKERS):
            return f"is packed by method {row.method} of zip, which only few programs know"
        return ""

    def _open(self, row: _Row, start: int) -> Unpacker:
        size = self._size - start if row.packed == _UNKNOWN else row.packed
        view = _View(self._file, start, size, self._own)
        return Unpacker(view, self._budget, _packer(row.method), plain=row.method == _STORED)

    def _data(self, row: _Row) -> int | None:
        """Return where a file's data begin; None when its own header is not where it should be."""
        head = self._at(row.place, _LOCAL.size)
        if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
            return None
        fields = _LOCAL.unpack(head)
        return row.place + _LOCAL.size + int(fields[-2]) + int(fields[-1])

    # --- The directory at the end -------------------------------------------------------------------------------------------

    def _directory(self) -> list[_Row] | None:
        """Return the rows of the directory, by their place; None when there is none that can be read."""
        start = max(self._size - _FAR - _JUNK, 0)
        tail = self._at(start, self._size - start)
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or len(tail) - at < _END.size:
            self._tell("", "the end of the archive is missing, and with it the list of its members; they were looked for")
            self.cut = True
            return None
        place = start + at
        count, size, offset, comment = (int(one) for one in _END.unpack_from(tail, at)[4:])
        if self._size > place + _END.size + comment:
            self._tell("", "something that is no part of the archive follows it; it was not read")
        if count == _FULL16 or _FULL32 in (size, offset):
            place, count, size, offset = self._end64(place) or (place, count, size, offset)
        rows = self._rows(place, size, offset)
        if rows is None or len(rows) & _FULL16 != count & _FULL16:
            self._tell("", "the list of the archive's members cannot be read; they were looked for")
            self.cut = True
            return None
        return sorted(rows, key=lambda row: row.place)

    def _end64(self, place: int) -> tuple[int, int, int, int] | None:
        locator = self._at(place - _LOCATOR.size, _LOCATOR.size)
        if len(locator) < _LOCATOR.size or locator[:4] != b"PK\x06\x07":
            return None
        at = int(_LOCATOR.unpack(locator)[2])
        record = self._at(at, _END64.size)
        if len(record) < _END64.size or record[:4] != b"PK\x06\x06":
            return None
        _, count, size, offset = _END64.unpack(record)[-4:]
        return at, int(count), int(size), int(offset)

    def _rows(self, end: int, size: int, offset: int) -> list[_Row] | None:
        """Return the rows of the directory that ends at a place (or begins at ``offset``, where its size is wrong)."""
        for start in dict.fromkeys((end - size, offset)):
            if not 0 <= start <= end:
                continue
            if start == end:
                return []
            if self._at(start, 4) == b"PK\x01\x02":
                return self._read_rows(start, end, max(end - size - offset, 0) if start == end - size else 0)
        return None

    def _read_rows(self, at: int, end: int, shift: int) -> list[_Row] | None:
        """``shift``: how many bytes that are no part of the archive stand before it."""
        rows: list[_Row] = []
        while at < end:
            head = self._at(at, _CENTRAL.size)
            if len(head) < _CENTRAL.size or head[:4] != b"PK\x01\x02":
                break  # a signature, or the records of zip64
            self._budget.member()
            fields = _CENTRAL.unpack(head)
            names, extras, comments = (int(one) for one in fields[10:13])
            text = self._at(at + _CENTRAL.size, names + extras)
            if len(text) < names + extras:
                return None
            row = _row(fields, text[:names], text[names:], shift)
            if row is None:
                return None
            rows.append(row)
            at += _CENTRAL.size + names + extras + comments
        return rows

    # --- Without it ---------------------------------------------------------------------------------------------------------

    def _without_directory(self) -> Iterator[_Row]:
        at = 0
        while self._unmeasured < _MOST_UNMEASURED and (at := self._find(at)) >= 0:
            head = self._at(at, _LOCAL.size)
            if len(head) < _LOCAL.size:
                return
            _, _, flags, method, _, _, checksum, packed, size, names, extras = _LOCAL.unpack(head)
            text = self._at(at + _LOCAL.size, names + extras)
            if len(text) < names + extras:
                return
            packed, size, _ = _zip64(text[names:], packed, size, 0)
            self._budget.member()
            start = at + _LOCAL.size + names + extras
            if flags & _DESCRIBED_BEHIND and not packed:
                packed = self._measure(method, start)
                size = checksum = _UNKNOWN
            yield _Row(_name(text[:names], flags), at, packed, size, checksum, method, flags)
            at = start + max(packed, 0)

    def _find(self, at: int) -> int:
        """Return where the next header begins, from a place on; -1 when there is none."""
        while at < self._size:
            data = self._at(at, 1 << 16)
            found = data.find(b"PK\x03\x04")
            if found >= 0:
                return at + found
            if len(data) < 4:
                return -1
            at += len(data) - 3
        return -1

    def _measure(self, method: int, start: int) -> int:
        """Return how many bytes of a file's packed data there are where only they can say so."""
        packer = _packer(method)
        if packer is None:
            following = self._find(start)
            return (following if following >= 0 else self._size) - start
        view = _View(self._file, start, self._size - start, self._own)
        stream = Unpacker(view, self._budget, packer)
        while stream.read(1 << 20):
            pass
        if stream.damage:
            self._unmeasured += 1
            return 0
        return view.at - start - stream.unused

    def _at(self, place: int, size: int) -> bytes:
        if place < 0 or place > self._size:
            return b""
        self._file.seek(place)
        return self._file.read(size)


def _row(fields: tuple[int, ...], name: bytes, extra: bytes, shift: int) -> _Row | None:
    flags, method, checksum = fields[3], fields[4], fields[7]
    packed, size, place = _zip64(extra, fields[8], fields[9], fields[16])
    if _FULL32 in (packed, size, place):
        return None
    made_by_unix = fields[1] >> 8 in (3, 19)  # 19: macOS
    mode = stat.S_IFMT(fields[15] >> 16) if made_by_unix else 0
    return _Row(_name(name, flags), place + shift, packed, size, checksum, method, flags, 0 if stat.S_ISREG(mode) else mode)


def _zip64(extra: bytes, packed: int, size: int, place: int) -> tuple[int, int, int]:
    """Return the sizes and the place, those that do not fit into 32 bits from the extra field."""
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<2H", extra, at)
        if tag == 1:
            values = [int.from_bytes(extra[one : one + 8], "little") for one in range(at + 4, at + 4 + length - 7, 8)]
            size = values.pop(0) if size == _FULL32 and values else size
            packed = values.pop(0) if packed == _FULL32 and values else packed
            place = values.pop(0) if place == _FULL32 and values else place
        at += 4 + length
    return packed, size, place


def _name(name: bytes, flags: int) -> str:
    """Return a name as text. Programs of Windows wrote backslashes, and those of macOS UTF-8 without saying so."""
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        text = name.decode("utf-8", "surrogateescape") if flags & _UTF8 else name.decode("cp437")
    return text.replace("\\", "/")


def _packer(method: int) -> Packer | None:
    if method == _DEFLATED:
        return Deflate(-15)
    return next((one.packer() for one in PACKINGS if one.name == _PACKERS.get(method)), None)
