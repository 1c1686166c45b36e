"""How much of a bundle is read before it is called unsafe, and the list of problems that must not grow without end either."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model import Problem


@dataclass(frozen=True)
class Limits:
    """Bounds of one bundle, in bytes where nothing else is said. A cluster with 150,000 pods unpacks to 1.2 GB."""

    total: int = 32 << 30  # unpacked
    member: int = 256 << 20  # the collector reads no answer beyond this
    members: int = 1_000_000
    ratio: int = 300  # unpacked to packed; pods pack 10 to 30 times
    ratio_from: int = 256 << 20  # a small archive may pack as well as it likes
    text: int = 16 << 20  # kept of one text member
    problems: int = 200
    bad_lines: int = 100  # of one member, before the rest of it is passed over
    lines_told: int = 10_000  # bad lines of the bundle that are told apart


@dataclass
class Problems:
    """Problems in the order in which they were met, each once; those beyond the limit are counted."""

    most: int
    _found: dict[Problem, None] = field(default_factory=dict)
    _more: int = 0

    def add(self, member: str, message: str, effect: str = "") -> None:
        """Note a problem. Member names and messages may hold anything: what cannot be printed is escaped, what is long is cut."""
        problem = Problem(printable(member), printable(message, 400), effect)
        if problem in self._found:
            return
        if len(self._found) < self.most:
            self._found[problem] = None
        else:
            self._more += 1

    def all(self) -> tuple[Problem, ...]:
        """Return the problems, and at the end one line for those that are not listed."""
        more = (Problem("", f"{self._more} more problems are not listed"),) if self._more else ()
        return (*self._found, *more)


def printable(text: str, most: int = 200) -> str:
    """Return text in which every character can be printed, at most so long."""
    cut = text if len(text) <= most else text[:most] + "…"
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in cut)
