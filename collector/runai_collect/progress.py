"""What is seen while the collector runs and at its end. That nobody can or does read it never matters."""

import os
import re
import select
import shlex
import sys
from contextlib import suppress
from typing import Optional, TextIO

# What commands a terminal (C0 without tab and line ends, C1), or turns the order of what stands beside it.
_COMMANDS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return a text in which no character commands a terminal: such a one is written as "\\x1b"."""
    return _COMMANDS.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def show(stream: Optional[TextIO], text: str, patience: Optional[float] = None) -> bool:
    """Write a text to stdout or stderr (None when it was closed before). What its encoding lacks is escaped; what a closed pipe,
    a full disk or, with a ``patience`` in seconds, a reader that does not read will not take, is dropped.
    Returns whether it was taken; a reader that went away had what it wanted."""
    if stream is None:
        return False
    try:
        if patience is not None and not _takes(stream, patience):
            return False
        encoding = stream.encoding or "utf-8"
        stream.write(visible(text).encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
        return True
    except (OSError, ValueError, RuntimeError) as error:    # RuntimeError: a signal came while this was at work
        _silence(stream)
        return isinstance(error, BrokenPipeError)


def _takes(stream: TextIO, patience: float) -> bool:
    try:
        return bool(select.select([], [stream.fileno()], [], patience)[1])
    except (OSError, ValueError):
        return True         # no file of the system, or one of Windows, where only sockets can be waited for


def _silence(stream: TextIO) -> None:
    """Let what the stream still holds go nowhere: Python would complain at its end, and change the exit code."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def program() -> str:
    """Return how this program is started, as a person types it."""
    return "python3 " + shlex.quote(sys.argv[0]) if sys.argv[0].endswith(".pyz") else "runai-collect"


class Progress:
    """One line that is overwritten on a terminal, a line for each part of the run elsewhere, nothing when quiet."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._line = sys.stderr is not None and sys.stderr.isatty() and not quiet
        self._shown = 0
        self._part = ""

    def part(self, text: str) -> None:
        """Show that a part of the run begins: "Reading objects"."""
        self._part = text
        if self._line:
            self._overwrite(text)
        elif not self._quiet:
            self.say(text)

    def step(self, name: str) -> None:
        """Show on a terminal that a step of this part has ended."""
        if self._line:
            self._overwrite("%s: %s" % (self._part, name))

    def say(self, text: str) -> None:
        """Show something that must not be missed, on a line of its own."""
        self.end()
        show(sys.stderr, text.replace("\r", " ") + "\n", 0.02)

    def end(self) -> None:
        """Clear the line that is overwritten."""
        if self._shown:
            self._overwrite("")

    def _overwrite(self, text: str) -> None:
        text = visible(" ".join(text.split()))[:79]
        show(sys.stderr, "\r" + text.ljust(self._shown) + ("" if text else "\r"), 0.02)
        self._shown = len(text)
