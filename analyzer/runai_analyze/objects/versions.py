"""Version numbers with whatever vendors append to them, and ranges of versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

# The number, then nothing, or a separator and a vendor's suffix ("-eks-3025e55", "+rke2r1", "-gke.1", "-ubi8", "+aba1e8d") or a
# mark of what comes before a release; that of a candidate may follow without one, as in Python: 1.8.0rc2.
_VERSION = re.compile(
    r"[vV]?(?P<numbers>\d{1,18}(?:\.\d{1,18}){0,5})(?P<rest>[-+_~ ].*|(?:alpha|beta|rc)\d{1,4}(?:[-+_~ ].*)?)?",
    re.ASCII | re.DOTALL,
)
# From the earliest to the latest; OpenShift builds nightlies ("-0.nightly-2024-08-01-082745"), and engineering ("-ec.2"), feature
# and release candidates. What it calls "-0.okd-…" or "-202310201027.p0…" is a release.
_STAGES = (("nightly", "ci", "dev", "devel", "snapshot"), ("alpha",), ("beta",), ("pre", "preview"), ("ec",), ("fc",), ("rc",))
_RANKS = {word: rank for rank, words in enumerate(_STAGES) for word in words}
_STAGE = re.compile(
    rf"[-_~]?(?P<zero>0\.)?(?:konflux-)?(?P<word>{'|'.join(_RANKS)})(?![a-z])[-.]?(?P<number>\d{{0,9}})",
    re.ASCII | re.IGNORECASE,
)
_RELEASE = (len(_STAGES), 0)
# A day is no version, and neither is a number that is longer than those that versions begin with: 20241104, the digits of a hash.
_NO_VERSION = re.compile(r"[vV]?(?:\d{4}-\d\d-\d\d|\d{7})", re.ASCII)
_BETWEEN = re.compile(r"(\S+)\s+-\s+(\S+)")
_PART = re.compile(r"(>=|<=|>|<|=)?\s*([^\s,<>=]+)")
_LONGEST_TEXT = 256


@dataclass(frozen=True, order=True)
class Version:
    """The numbers of a version, most significant first, as many as were written: ``v1.33.5-eks-3025e55`` is (1, 33, 5).

    ``stage``: how far it was on the way to its release; of a release, and of a vendor's build of one, the highest.
    """

    numbers: tuple[int, ...]
    stage: tuple[int, int] = _RELEASE

    @property
    def minor(self) -> str:
        """Major and minor, "1.33"; the major alone where no minor was written."""
        return ".".join(str(number) for number in self.numbers[:2])

    def __str__(self) -> str:
        return ".".join(str(number) for number in self.numbers)


def parse_version(text: object) -> Version:
    """Return a version; a leading v and the suffixes of vendors are dropped. A candidate is older than its release.

    Raises ValueError for text that does not start with a version: a hash, ``latest``, a day, nothing.
    """
    if not isinstance(text, str):
        raise ValueError(f"not a version: {type(text).__name__}")
    return _parse(text)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Version:
    match = _VERSION.fullmatch(text.strip()) if len(text) <= _LONGEST_TEXT else None
    rest = (match["rest"] or "") if match else ""
    if match is None or _NO_VERSION.match(text.strip()) or (rest[:1].isalpha() and "." not in match["numbers"]):
        raise ValueError(f"not a version: {text[:_LONGEST_TEXT]}")  # v2beta1 is the version of an API, which is something else
    return Version(tuple(int(number) for number in match["numbers"].split(".")), _stage(rest))


def _stage(rest: str) -> tuple[int, int]:
    match = _STAGE.match(rest)
    if match is None or (match["word"].lower() == "ci" and not match["zero"]):
        return _RELEASE
    return _RANKS[match["word"].lower()], int(match["number"] or 0)


@dataclass(frozen=True)
class VersionRange:
    """A set of versions. Each bound counts at the precision it is written with: 1.35.9 is inside ``1.33 - 1.35``.

    A candidate is older than a bound that is written as fully as it: 1.36.0-rc.1 is not inside ``>=1.36.0``, and inside ``1.36``.
    """

    text: str
    alternatives: tuple[tuple[tuple[str, Version], ...], ...]

    def contains(self, version: Version) -> bool | None:
        """Return whether the version is inside; None when it is written too coarsely to tell (1.35 in ``>=1.35.4``)."""
        answers = {_all(_meets(version, operator, bound) for operator, bound in parts) for parts in self.alternatives}
        if True in answers:
            return True
        return None if None in answers else False

    def __str__(self) -> str:
        return self.text


def parse_range(text: str) -> VersionRange:
    """Return the range that a text describes: ``1.33 - 1.35``, ``>=1.33 <1.36``, ``1.9`` (any 1.9), joined by ``||``.

    Raises ValueError, naming the part that is wrong, also for a range that no version can be in.
    """
    if len(text) > _LONGEST_TEXT:
        raise ValueError("a version range has at most 256 characters")
    return VersionRange(text.strip(), tuple(_alternative(part.strip()) for part in text.split("||")))


def _alternative(text: str) -> tuple[tuple[str, Version], ...]:
    between = _BETWEEN.fullmatch(text)
    if between:
        parts: tuple[tuple[str, Version], ...] = ((">=", parse_version(between[1])), ("<=", parse_version(between[2])))
    else:
        parts = tuple((match[1] or "=", _bound(match[2])) for match in _PART.finditer(text))
        if not parts or _PART.sub("", text).strip(" ,\t\n"):
            raise ValueError(f'not a version range: "{text}"')
    if _is_empty(parts):
        raise ValueError(f'no version can be in "{text}"')
    return parts


def _bound(text: str) -> Version:
    return parse_version(text.removesuffix(".x").removesuffix(".*"))


def _is_empty(parts: tuple[tuple[str, Version], ...]) -> bool:
    """Return whether the bounds exclude each other, tried at the bounds themselves and just beside them."""
    tries = [candidate for _, bound in parts for candidate in _around(bound)]
    return not any(all(_meets(candidate, operator, bound) is True for operator, bound in parts) for candidate in tries)


def _around(bound: Version) -> tuple[Version, ...]:
    padded = (*bound.numbers, *(0,) * (6 - len(bound.numbers)))
    last = len(bound.numbers) - 1
    above = (*padded[:last], padded[last] + 1, *padded[last + 1 :])
    below = (*padded[:last], padded[last] - 1, *(10**9,) * (5 - last)) if padded[last] else (0,) * 6
    return bound, Version(padded), Version(above), Version(below)


_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": lambda found, bound: found >= bound,
    "<=": lambda found, bound: found <= bound,
    ">": lambda found, bound: found > bound,
    "<": lambda found, bound: found < bound,
    "=": lambda found, bound: found == bound,
}


def _meets(version: Version, operator: str, bound: Version) -> bool | None:
    compare = _COMPARE[operator]
    precision = len(bound.numbers)
    found = version.numbers[:precision]
    lacking = precision - len(found)
    if len(version.numbers) == precision:
        return compare((*found, *version.stage), (*bound.numbers, *bound.stage))
    if not lacking:
        return compare(found, bound.numbers)
    lowest, highest = (*found, *(0,) * lacking), (*found, *(10**10,) * lacking)
    low, high = compare(lowest, bound.numbers), compare(highest, bound.numbers)
    if operator == "=":
        return None if lowest <= bound.numbers <= highest else False
    return low if low == high else None


def _all(answers: object) -> bool | None:
    known = set(answers)  # type: ignore[call-overload]
    if False in known:
        return False
    return None if None in known else True
