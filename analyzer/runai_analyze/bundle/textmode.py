"""Archives that went through a transfer in text mode (FTP, a mail program), which takes them for text and changes line ends."""

from __future__ import annotations

from typing import BinaryIO

from .streams import Source, packing_of

MENDED = "it went through a transfer in text mode, which put a carriage return before every line feed; they were taken out again"
LOST = "it went through a transfer in text mode, which took out carriage returns; ask for it again"
_LOOKED_AT = 2 << 20
_PIECE = 64 << 10
_ENOUGH = 3  # line feeds in a row behind a carriage return: one in sixteen million files has them by chance


def trace_of_text_mode(file: BinaryIO) -> str:
    """Return ``MENDED`` for a packed file with a carriage return before every line feed, ``LOST`` for a large one without any
    such pair: by chance there is one in 64 KiB. Empty: neither."""
    start = file.read(_LOOKED_AT)
    feeds, pairs = start.count(b"\n"), start.count(b"\r\n")
    if packing_of(start) is None:
        return ""
    if feeds >= _ENOUGH and pairs == feeds:
        return MENDED
    return LOST if len(start) == _LOOKED_AT and not pairs and feeds > _LOOKED_AT >> 9 else ""


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
