"""Archives that went through a transfer in text mode (FTP, a mail program), which takes them for text and changes line ends."""

from __future__ import annotations

from typing import BinaryIO

from .streams import Source, packing_of

MENDED = "it went through a transfer in text mode, which put a carriage return before every line feed; they were taken out again"
_LOOKED_AT = 1 << 20
_PIECE = 64 << 10
_ENOUGH = 3  # line feeds in a row behind a carriage return: one in sixteen million files has them by chance


def is_text_mode(file: BinaryIO) -> bool:
    """Tell whether a packed file has a carriage return before every line feed, as none has by chance."""
    start = file.read(_LOOKED_AT)
    feeds = start.count(b"\n")
    return packing_of(start) is not None and feeds >= _ENOUGH and start.count(b"\r\n") == feeds


def has_lost_returns(start: bytes) -> bool:
    """Tell whether the first bytes of a packed file (a MiB of them) have line feeds, but none behind a carriage return."""
    return len(start) >= _LOOKED_AT and b"\r\n" not in start and start.count(b"\n") > len(start) >> 9


class Mended:
    """Such a file without the carriage returns that were put into it."""

    def __init__(self, file: Source) -> None:
        self._file = file
        self._ready = bytearray()
        self._held = b""  # a carriage return, of which it is not known yet what follows
        self._ended = False

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer only at the end."""
        while len(self._ready) < size and not self._ended:
            new = self._file.read(_PIECE)
            data = self._held + new
            self._ended = not new
            self._held = b"\r" if new and data.endswith(b"\r") else b""
            self._ready += data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data
