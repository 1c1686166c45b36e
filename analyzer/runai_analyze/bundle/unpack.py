"""A gzip file as a stream of bytes: several members one after the other, cut and damaged files, nothing larger than the limits.

Not ``tarfile``'s own gzip modes: they end silently after the first member of several, and report a cut file as an empty one.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

from ..errors import BundleError
from .limits import Limits

_PACKED = 256 << 10  # read at once
_UNPACKED = 1 << 20  # made at once
_SALVAGED = 64 << 20  # made at most of one piece that holds damage
GZIP_MAGIC = b"\x1f\x8b"


class Unpacker:
    """Reads a gzip file, or one that is not packed, from its start. How it ended stands in ``cut``, ``damage``, ``trailing``."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self.cut = False  # the file ends in the middle of the packed data
        self.damage = ""  # what zlib said
        self.trailing = False  # something that is no gzip follows
        self.position = 0  # bytes handed out
        self._file, self._limits = file, limits
        self._buffer = bytearray()
        self._made = self._taken = 0
        self._pending = file.read(_PACKED)
        self._taken = len(self._pending)
        self._packer = zlib.decompressobj(31) if self._pending.startswith(GZIP_MAGIC) else None
        self._done = False

    def read(self, size: int) -> bytes:
        """Return the next bytes: fewer than asked for only at the end."""
        while len(self._buffer) < size and not self._done:
            self._fill()
        with memoryview(self._buffer) as view:
            data = bytes(view[:size])
        del self._buffer[:size]
        self.position += len(data)
        return data

    def skip(self, size: int) -> bool:
        """Pass over bytes; tell whether they were all there."""
        while size > 0:
            passed = len(self.read(min(size, _UNPACKED)))
            if not passed:
                return False
            size -= passed
        return True

    def _fill(self) -> None:
        if not self._pending:
            self._pending = self._file.read(_PACKED)
            self._taken += len(self._pending)
        if self._packer is None:
            self._done = not self._pending
            self._keep(self._pending)
            self._pending = b""
        elif self._packer.eof:
            self._next_member()
        elif not self._pending:
            self._keep(self._packer.flush(_UNPACKED))
            self.cut = self._done = True
        else:
            self._unpack()

    def _unpack(self) -> None:
        assert self._packer is not None
        before = self._packer.copy()
        try:
            data = self._packer.decompress(self._pending, _UNPACKED)
        except zlib.error as error:
            self._keep(_salvage(before, self._pending))
            self.damage, self._done = str(error), True
            return
        self._pending = self._packer.unconsumed_tail or self._packer.unused_data
        self._keep(data)

    def _next_member(self) -> None:
        """Start the next gzip member; zeros are padding, anything else is not ours."""
        self._pending = self._pending.lstrip(b"\0")
        if not self._pending:
            more = self._file.read(_PACKED)
            self._taken += len(more)
            self._pending, self._done = more, not more
        elif self._pending.startswith(GZIP_MAGIC) or (len(self._pending) == 1 and self._pending == GZIP_MAGIC[:1]):
            self._packer = zlib.decompressobj(31)
        else:
            self.trailing = self._done = True

    def _keep(self, data: bytes) -> None:
        self._buffer += data
        self._made += len(data)
        if self._made > self._limits.total:
            raise BundleError(
                f"the archive unpacks to more than {self._limits.total >> 20} MiB and is not read further",
                "a bundle of this size is not plausible; ask the customer to collect again",
            )
        if self._made > self._limits.ratio_from and self._made > self._limits.ratio * self._taken:
            raise BundleError(
                f"the archive unpacks to more than {self._limits.ratio} times its size, as only a trap does; it is not read",
                "ask the customer to collect again",
            )


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
