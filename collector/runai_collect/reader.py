"""A bundle read back as a stream: nothing is extracted or trusted, everything is bounded, and damage is told, not raised.

Not ``tarfile``'s own reading: it takes extended headers of any size into memory, and hands out nothing of a cut file."""

import gzip
import io
import json
import re
import tarfile
import zlib
from contextlib import suppress
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from . import layout
from .client import values_of
from .writer import BLOCK, RECORD

# Bounds of what is read, in bytes; the collector's own bundles stay far below. Unpacked to packed is a RATIO from RATIO_FROM on.
TOTAL, MEMBER, HEADER, RATIO, RATIO_FROM = 32 << 30, 32 << 20, 64 << 10, 300, 256 << 20
MEMBERS, NAMES, ROWS = 200000, 16 << 20, 3000000        # of the archive: files, bytes of their names, rows of all lists
VALUES, ROW_VALUES = 1500000, 400000                    # of one JSON document, of the rows of one file: what takes memory
_DECODER = json.JSONDecoder(parse_int=lambda text: int(text[:20]))
_PAX_PATH = re.compile(rb"(\d{1,5}) path=")


class BundleError(Exception):
    """The file cannot be opened, or is no bundle. The text is for the person who named it."""


class DamagedError(Exception):
    """The archive cannot be read further."""


class Member(NamedTuple):
    """One file of the bundle: its name below the top folder, its content, its time (seconds since 1970)."""

    name: str
    data: bytes
    moment: int


class Reader:
    """One walk over the bundle ``path``; after it ``damage`` says what ended it early ("" when nothing did). ``top`` is the name
    of the bundle's folder. Raises BundleError when the file cannot be opened, or does not begin as a bundle."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.top = ""
        self.damage = ""

    def members(self) -> Iterator[Member]:
        """Yield the plain files in their order, up to where the archive ends or breaks."""
        try:
            with open(self.path, "rb") as self._packed, gzip.GzipFile(fileobj=self._packed) as self._unpacked:
                yield from self._walk()
        except DamagedError as error:
            self.damage = str(error)
            if not self.top:
                raise BundleError("%s is no bundle of runai-collect: %s" % (self.path, error))
        except OSError as error:
            raise BundleError("%s cannot be read: %s" % (self.path, error.strerror))

    def _walk(self) -> Iterator[Member]:
        names = rows = 0
        for number in range(MEMBERS):
            info = self._header()
            if info is None:
                # What is left is padding; to read up to its end checks the checksum over everything.
                if self._read(RECORD, False).strip(b"\0") or self._read(1, False):
                    raise DamagedError("something that is no part of it follows its end")
                return
            top, _, name = info.name.partition("/")
            if not number and name != layout.BUNDLE:
                raise DamagedError("its first member is not %s in a folder" % layout.BUNDLE)
            self.top = self.top or top
            if not info.isreg() or top != self.top:
                raise DamagedError("it holds what no bundle does, and was not read further: %s" % info.name)
            data = self._read(info.size)
            self._read(-info.size % BLOCK)
            names, lines = names + len(name), data.count(b"\n") if name.endswith(".jsonl") else 0
            rows += lines
            if names > NAMES or rows > ROWS or (lines and values_of(data) > ROW_VALUES):
                raise DamagedError("%s is more than any bundle holds, and was not read further" % name)
            yield Member(name, data, int(info.mtime))
        raise DamagedError("it has more than %d members, and was not read further" % MEMBERS)

    def _header(self) -> Optional[tarfile.TarInfo]:
        """Return the next header, with the long name that one before it may hold; None at the end mark."""
        name = ""
        while True:
            block = self._read(BLOCK)
            if not block.strip(b"\0"):
                return None
            try:
                info = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
            except tarfile.HeaderError as error:
                raise DamagedError("no member begins where one should (%s)" % error)
            if info.type != tarfile.XHDTYPE or name:
                info.name = (name or info.name)[:1000]
                return info
            data = self._read(min(info.size, HEADER) + -info.size % BLOCK)
            found = _PAX_PATH.search(data)
            name = data[found.end():found.start() + int(found.group(1)) - 1].decode("utf-8", "replace") if found else "?"

    def _read(self, size: int, whole: bool = True) -> bytes:
        """Return so many bytes; fewer only at the end of the file, when they need not be the ``whole``."""
        if not 0 <= size <= MEMBER:
            raise DamagedError("a member claims a size of %d bytes; it was not read further" % size)
        try:
            data = self._unpacked.read(size)
        except EOFError:
            raise DamagedError("it was cut: it ends in the middle")
        except (OSError, zlib.error) as error:
            raise DamagedError("near byte %d it is damaged, or no gzip file (%s)" % (self._packed.tell(), error))
        if whole and len(data) < size:
            raise DamagedError("it was cut: it ends before its end mark")
        if self._unpacked.tell() > max(RATIO_FROM, min(TOTAL, RATIO * self._packed.tell())):
            raise DamagedError("it unpacks to more than any bundle does, and was not read further")
        return data


def read_json(data: bytes) -> Dict[str, Any]:
    """Return a JSON object; an empty one when the bytes are none, or one that only an attacker makes."""
    with suppress(ValueError, RecursionError):
        value = _DECODER.decode(data.decode("utf-8", "replace")) if values_of(data) <= VALUES else {}
        return value if isinstance(value, dict) else {}
    return {}


def read_rows(data: bytes) -> Iterator[Dict[str, Any]]:
    """Yield the object of each line."""
    return (read_json(row) for row in io.BytesIO(data))


def objects(document: Dict[str, Any], key: str) -> List[Dict[str, Any]]:
    """Return the objects of a list in a document; what is none of it is passed over."""
    entries = document.get(key)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def clean(value: object, most: int = 2000) -> str:
    """Return a value as text that no terminal obeys: what cannot be printed is escaped, what is long is cut."""
    return "".join([one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in str(value)[:most]])
