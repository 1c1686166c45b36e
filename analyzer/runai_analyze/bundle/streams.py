"""Bytes that are packed with gzip, xz, bzip2 or zstd: what they are packed with is seen from their start, never from a name."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import zstandard

_MADE = 1 << 20  # unpacked at once
_WINDOW = 128 << 20  # what zstd and xz may keep in memory while they unpack: as much as their own programs take by default
_SAVED = 4 << 10  # made of xz and bzip2 at once: with an error they give nothing of the whole piece
_FRAME_PIECE = 1 << 10  # fed to zstd at once
_SALVAGED = 64 << 20  # made at most of one piece that holds damage


class Source(Protocol):
    """Something that hands out bytes, fewer than asked for only at its end."""

    def read(self, size: int) -> bytes:
        """Return the next bytes."""


class DamagedDataError(Exception):
    """Packed data that cannot be unpacked further; ``saved`` is what stood before."""

    def __init__(self, message: str, saved: bytes = b"") -> None:
        super().__init__(message)
        self.saved = saved


class Packer(Protocol):
    """Unpacks one member (a frame, a stream) of packed data."""

    eof: bool

    def feed(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return what was unpacked, a bounded piece, and what is left of the packed bytes. Raises DamagedDataError."""


class Deflate:
    """gzip's members, and the files of a zip archive (``bits`` as for ``zlib.decompressobj``)."""

    def __init__(self, bits: int = 31) -> None:
        self._packer = zlib.decompressobj(bits)
        self.eof = False

    def feed(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return what was unpacked, and what is left."""
        before = self._packer.copy()
        try:
            data = self._packer.decompress(packed, _MADE) if packed else self._packer.flush(_MADE)
        except zlib.error as error:
            raise DamagedDataError(str(error), _salvage(before, packed)) from error
        self.eof = self._packer.eof
        return data, self._packer.unused_data if self.eof else self._packer.unconsumed_tail


def _salvage(packer: zlib._Decompress, packed: bytes) -> bytes:
    """Return what can be unpacked before the damage: with an error zlib gives nothing of the whole piece that it was fed."""
    found = bytearray()
    for number in range(len(packed)):
        try:
            found += packer.decompress(packed[number : number + 1])
        except zlib.error:
            break
        if len(found) > _SALVAGED:
            break
    return bytes(found)


class _Blocks:
    """xz and bzip2, which keep what they have not unpacked yet."""

    def __init__(self, packer: lzma.LZMADecompressor | bz2.BZ2Decompressor) -> None:
        self._packer = packer
        self.eof = False

    def feed(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return what was unpacked, and what is left."""
        hungry = self._packer.needs_input
        if hungry and not packed:
            return b"", b""
        try:
            data = self._packer.decompress(packed if hungry else b"", _SAVED)
        except (lzma.LZMAError, OSError, ValueError) as error:
            raise DamagedDataError(str(error)) from error
        self.eof = self._packer.eof
        left = b"" if hungry else packed
        return data, self._packer.unused_data + left if self.eof else left


class _Frames:
    """zstd. Its pieces must be small, as it takes no bound on what it makes of one: four bytes can stand for 128 KiB."""

    def __init__(self) -> None:
        self._packer = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        self.eof = False

    def feed(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return what was unpacked, and what is left."""
        piece, left = packed[:_FRAME_PIECE], packed[_FRAME_PIECE:]
        if not piece:
            return b"", b""
        try:
            data = self._packer.decompress(piece)
        except zstandard.ZstdError as error:
            raise DamagedDataError(str(error)) from error
        self.eof = self._packer.eof
        return data, self._packer.unused_data + left if self.eof else left


@dataclass(frozen=True)
class Packing:
    """A way to pack: how it is called, how it begins, what unpacks it, and how much it is fed at once."""

    name: str
    magics: tuple[bytes, ...]
    packer: Callable[[], Packer]
    appetite: int = 64 << 10

    def begins(self, data: bytes) -> bool:
        """Tell whether a member of such data begins here; also the first bytes of one that is cut."""
        return data.startswith(self.magics) or (0 < len(data) < 4 and any(one.startswith(data) for one in self.magics))


# Of bzip2 the first block's mark belongs to it (the second form: of an empty file): "BZh9" alone may begin a text.
_BZIP2 = tuple(b"BZh%d%s" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90"))
_SKIPPABLE = tuple(bytes((0x50 + number, 0x2A, 0x4D, 0x18)) for number in range(16))
PACKINGS = (
    Packing("gzip", (b"\x1f\x8b\x08",), Deflate),
    Packing("xz", (b"\xfd7zXZ\x00",), lambda: _Blocks(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_WINDOW))),
    Packing("bzip2", _BZIP2, lambda: _Blocks(bz2.BZ2Decompressor())),
    Packing("zstd", (b"\x28\xb5\x2f\xfd", *_SKIPPABLE), _Frames, _FRAME_PIECE),
)


def packing_of(start: bytes) -> Packing | None:
    """Return how data that begin so are packed; None when they are not."""
    return next((one for one in PACKINGS if start.startswith(one.magics)), None)


class Prefixed:
    """A source whose first bytes were read already."""

    def __init__(self, start: bytes, source: Source) -> None:
        self._start, self._source = start, source

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        if not self._start:
            return self._source.read(size)
        data, self._start = self._start[:size], self._start[size:]
        return data if len(data) == size else data + self._source.read(size - len(data))
