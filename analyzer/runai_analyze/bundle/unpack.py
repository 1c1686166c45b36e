"""A packed file as a stream of bytes: several members one after the other, cut and damaged files, nothing larger than the limits.

Not ``tarfile``'s own modes: they end silently after the first gzip member of several, and report a cut file as an empty one.
"""

from __future__ import annotations

from .limits import Budget
from .streams import DamagedDataError, Packer, Packing, Source, packing_of

_PLAIN = 256 << 10  # read at once of what is not packed
_START = 512
_LONGEST_MAGIC = 10
_SKIPPED = 1 << 20


class Unpacker:
    """Reads packed data, or data that are not packed, from their start. How it ended stands in ``cut``, ``damage``, ``trailing``.

    ``packer``: unpacks them as one member of this kind, whatever they begin with. ``plain``: nothing is unpacked.
    """

    def __init__(self, source: Source, budget: Budget, packer: Packer | None = None, plain: bool = False) -> None:
        self.cut = False  # the source ends in the middle of the packed data
        self.damage = ""  # what the library said
        self.trailing = False  # something that is not packed so follows
        self.position = 0  # bytes handed out
        self._source, self._budget = source, budget
        self._buffer = bytearray()
        self._pending = source.read(_START)
        self.packing: Packing | None = None if packer or plain else packing_of(self._pending)
        self._packer = packer or (self.packing.packer() if self.packing else None)
        self._appetite = self.packing.appetite if self.packing else _PLAIN
        self._done = False

    @property
    def unused(self) -> int:
        """How many bytes were read of the source and not needed."""
        return len(self._pending)

    def read(self, size: int) -> bytes:
        """Return the next bytes: fewer than asked for only at the end."""
        while len(self._buffer) < size and not self._done:
            self._fill()
        with memoryview(self._buffer) as view:
            data = bytes(view[:size])
        del self._buffer[:size]
        self.position += len(data)
        return data

    def unread(self, data: bytes) -> None:
        """Take back what was read last."""
        self._buffer[:0] = data
        self.position -= len(data)

    def skip(self, size: int) -> bool:
        """Pass over bytes; tell whether they were all there."""
        while size > 0:
            passed = len(self.read(min(size, _SKIPPED)))
            if not passed:
                return False
            size -= passed
        return True

    def _fill(self) -> None:
        if not self._pending:
            self._pending = self._source.read(self._appetite)
        if self._packer is None:
            self._done = not self._pending
            self._buffer += self._pending
            self._pending = b""
        elif self._packer.eof:
            self._next_member()
        else:
            self._unpack(self._packer)

    def _unpack(self, packer: Packer) -> None:
        ended = not self._pending
        try:
            data, self._pending = packer.feed(self._pending)
        except DamagedDataError as error:
            self._keep(error.saved)
            self.damage, self._done = str(error), True
            return
        self._keep(data)
        if ended and not data and not packer.eof:
            self.cut = self._done = True

    def _next_member(self) -> None:
        """Start the next member; zeros are padding, anything else is not ours."""
        if self.packing is None:
            self._done = True
            return
        self._pending = self._pending.lstrip(b"\0")
        if len(self._pending) < _LONGEST_MAGIC:
            more = self._source.read(self._appetite)
            self._pending += more
            if not self._pending:
                self._done = True
            elif more:
                return  # look at it again: it may be padding too
        if self._pending and self.packing.begins(self._pending):
            self._budget.member()  # each costs time, however little it holds
            self._packer = self.packing.packer()
        elif self._pending:
            self.trailing = self._done = True

    def _keep(self, data: bytes) -> None:
        self._buffer += data
        self._budget.make(len(data))
