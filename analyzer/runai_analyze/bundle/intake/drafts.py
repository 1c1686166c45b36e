"""Objects of which bundles hold texts for people alone: several texts tell of one object, and better files may come later.

So they are put together here, and become objects of the bundle when everything was read, where no file held the object itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .describe import describe, is_description
from .described import NOT_SHOWN, Described
from .tables import is_table, tables

if TYPE_CHECKING:
    from .intake import Intake

TABLE, DESCRIPTION = 1, 2  # of two texts about an object the one with the higher rank is believed first
_MOST = 200_000
_LONGEST = 64 << 20  # characters of one text
_Key = tuple[str, str, str]


@dataclass
class Draft:
    """An object put together so far, and where the best text about it stands."""

    body: dict[str, Any]
    member: str
    line: int
    rank: int


@dataclass
class Drafts:
    """Keeps drafts by kind, namespace and name."""

    _drafts: dict[_Key, Draft] = field(default_factory=dict)

    def add(self, found: Described, member: str, rank: int) -> None:
        """Add what a text tells of an object; ``rank`` is ``TABLE`` or ``DESCRIPTION``."""
        body = found.body
        if body is None:
            return
        metadata = body["metadata"]
        key = (body["kind"], metadata.get("namespace", ""), metadata["name"])
        old = self._drafts.get(key)
        new = Draft(body, member, found.line, rank)
        if old is None:
            if len(self._drafts) < _MOST:
                self._drafts[key] = new
            return
        better, other = (new, old) if rank > old.rank else (old, new)
        fill(better.body, other.body)
        self._drafts[key] = better

    def names(self, kind: str, namespace: str = "", rank: int = 0) -> set[str]:
        """Return the names of the drafts of a kind, in a namespace, that a text of at least this rank tells of."""
        keys = ((key, draft) for key, draft in self._drafts.items() if key[:2] == (kind, namespace))
        return {key[2] for key, draft in keys if draft.rank >= rank}

    def all(self) -> Iterator[Draft]:
        """Yield the drafts in the order in which they came."""
        yield from self._drafts.values()


def fill(body: dict[str, Any], other: dict[str, Any]) -> None:
    """Put what another text shows into the places of an object that say ``NOT_SHOWN``, or are not there."""
    for key, value in other.items():
        own = body.get(key, NOT_SHOWN)
        if own == NOT_SHOWN:
            body[key] = value
        elif isinstance(own, dict) and isinstance(value, dict):
            fill(own, value)


def take_text(text: str, member: str, whole: bool, namespace: str, intake: Intake) -> bool:
    """Take the nodes and pods of a text into the intake's drafts; False where it is neither a description nor a table.

    ``whole``: false where the text was cut off; the last object in it is then left out.
    """
    others: Sequence[str] = ()
    if is_description(text):
        rank, found = DESCRIPTION, list(describe(text[:_LONGEST]))
    elif is_table(text):
        read = tables(text[:_LONGEST], namespace)
        rank, found, others = TABLE, list(read.found), read.others
    else:
        return False
    if len(text) > _LONGEST:
        intake.problems.add(member, f"only the first {_LONGEST >> 20} MiB were read")
    if not whole or len(text) > _LONGEST:
        found = _without_last(found)
    for one in found:
        if one.body is not None:
            intake.drafts.add(one, member, rank)
    _tell(found, others, member, intake)
    return True


def _without_last(found: list[Described]) -> list[Described]:
    """Return what stands before the last node or pod, which was cut off, and its events."""
    last = next((place for place in range(len(found) - 1, -1, -1) if found[place].kind != "Event"), 0)
    return found[:last]


def _tell(found: Sequence[Described], others: Sequence[str], member: str, intake: Intake) -> None:
    """Note what could not be read, the same once."""
    lost = [one for one in found if one.problem]
    counts = Counter((one.kind, one.problem) for one in lost)
    for (kind, problem), count in counts.items():
        line = next(one.line for one in lost if (one.kind, one.problem) == (kind, problem))
        words = f"line {line}: {problem}" + (f" ({count} times)" if count > 1 else "")
        if kind:
            intake.unreadable(member, words, kind)
        else:
            intake.problems.add(member, words, "what it tells was not looked at")
    for titles in others:
        intake.problems.add(member, f"of tables only those of nodes and pods are read, not of {titles}", "it was not looked at")
