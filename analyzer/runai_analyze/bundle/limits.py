"""How much of a bundle is read before it is called unsafe, and the list of problems that must not grow without end either."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from ..errors import BundleError
from ..model import Problem


@dataclass(frozen=True)
class Limits:
    """Bounds of one bundle, in bytes where nothing else is said. A cluster with 150,000 pods unpacks to 1.2 GB."""

    total: int = 32 << 30  # unpacked
    member: int = 256 << 20  # the collector reads no answer beyond this
    members: int = 1_000_000
    depth: int = 3  # an archive in an archive in an archive
    ratio: int = 300  # unpacked to packed; pods pack 10 to 30 times
    ratio_from: int = 256 << 20  # a small archive may pack as well as it likes
    text: int = 16 << 20  # kept of one text member
    problems: int = 200
    bad_lines: int = 100  # of one member, before the rest of it is passed over
    lines_told: int = 10_000  # bad lines of the bundle that are told apart
    seconds: int = 3600  # for one look at all files, where a clock is given
    clock: Callable[[], float] | None = None  # in seconds; the command line has one, nothing below it looks at the time


_COUNTED = 100_000  # problems beyond those that are listed
_AGAIN = "ask the customer to collect again"


class Budget:
    """What one look at a bundle has read and unpacked so far, over all layers. Each method raises BundleError at its limit.

    ``name``: of what is read, for messages. ``at``: the member that is read just now.
    """

    def __init__(self, limits: Limits, name: str = "the archive") -> None:
        self.at = ""
        self._limits, self._name = limits, printable(name)
        self._taken = self._made = self._members = 0
        self._start = limits.clock() if limits.clock else 0.0

    def take(self, size: int) -> None:
        """Count bytes of the file itself, as it lies there."""
        self._taken += size
        self._check_total(self._taken)
        if self._limits.clock and self._limits.clock() - self._start > self._limits.seconds:
            self._refuse(
                f"takes more than {self._limits.seconds // 60} minutes to read, and was given up",
                f"unpack it and give the folder with what matters; {_AGAIN} if its size is not plausible",
            )

    def make(self, size: int) -> None:
        """Count bytes that were unpacked."""
        self._made += size
        self._check_total(self._made)
        if self._made > self._limits.ratio_from and self._made > self._limits.ratio * self._taken:
            self._refuse(f"unpacks to more than {self._limits.ratio} times its size, as only a trap does; it is not read", _AGAIN)

    def member(self) -> None:
        """Count a member of an archive, or a file of a folder."""
        self._members += 1
        if self._members > self._limits.members:
            self._refuse(
                f"has more than {self._limits.members} members and is not read further",
                "unpack it and give the folder with what matters",
            )

    def _check_total(self, size: int) -> None:
        if size > self._limits.total:
            self._refuse(
                f"unpacks to more than {self._limits.total >> 20} MiB and is not read further",
                f"a bundle of this size is not plausible; {_AGAIN}",
            )

    def _refuse(self, what: str, hint: str) -> NoReturn:
        where = f" (at {printable(self.at)})" if self.at else ""
        raise BundleError(f"{self._name} {what}{where}", hint)


@dataclass
class Problems:
    """Problems in the order in which they were met, each once; those beyond the limit are counted."""

    most: int
    _found: dict[Problem, None] = field(default_factory=dict)
    _beyond: set[int] = field(default_factory=set)  # hashes of those that are only counted

    def add(self, member: str, message: str, effect: str = "") -> None:
        """Note a problem. Member names and messages may hold anything: what cannot be printed is escaped, what is long is cut."""
        problem = Problem(printable(member), printable(message, 400), effect)
        if problem in self._found:
            return
        if len(self._found) < self.most:
            self._found[problem] = None
        elif len(self._beyond) < _COUNTED:
            self._beyond.add(hash(problem))

    def drop(self, message: str) -> None:
        """Forget the problems with this message: a format knows that it is none."""
        self._found = {one: None for one in self._found if one.message != message}

    def all(self) -> tuple[Problem, ...]:
        """Return the problems, and at the end one line for those that are not listed."""
        count = f"{len(self._beyond)} more problems" if len(self._beyond) < _COUNTED else f"{_COUNTED} more problems or more"
        more = (Problem("", f"{count} are not listed"),) if self._beyond else ()
        return (*self._found, *more)


def printable(text: str, most: int = 200) -> str:
    """Return text in which every character can be printed, at most so long."""
    cut = text if len(text) <= most else text[:most] + "…"
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in cut)
