"""What is seen on stderr while the collector runs."""

import sys


class Progress:
    """One line that is overwritten on a terminal, a line for each part of the run elsewhere, nothing when quiet."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._line = sys.stderr.isatty() and not quiet
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
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Clear the line that is overwritten."""
        if self._shown:
            self._overwrite("")
            sys.stderr.write("\r")

    def _overwrite(self, text: str) -> None:
        text = text[:79]
        sys.stderr.write("\r" + text.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(text)
