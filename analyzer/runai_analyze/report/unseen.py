"""What we could not see: the rules without an answer, folded by the data that they lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..model import Missing, Outcome
from .text import cut, sentence


@dataclass(frozen=True)
class Unseen:
    """One thing that was not in the bundle, and how many rules had no answer for want of it."""

    anchor: str
    what: str
    why: str
    rules: int


def could_not_see(unseen: Sequence[Outcome], anchors: Mapping[str, str]) -> tuple[Unseen, ...]:
    """Fold the rules that lack the same data. What a severe rule lacks comes first, and of those what most rules lack."""
    by_id = {outcome.rule.id: outcome for outcome in unseen}
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in unseen:
        groups.setdefault(_lack(outcome, by_id), []).append(outcome)
    ranked = sorted(groups.items(), key=lambda group: (-max(it.rule.severity for it in group[1]), -len(group[1]), group[0]))
    return tuple(Unseen(anchors[rules[0].rule.id], what, why, len(rules)) for (what, why), rules in ranked)


def _lack(outcome: Outcome, by_id: Mapping[str, Outcome]) -> tuple[str, str]:
    """Return what an outcome lacks and why; a rule that waits for the answer of another lacks what that one lacks."""
    passed: set[str] = set()
    while outcome.missing:
        missing = outcome.missing[0]
        other = _other_rule(missing, by_id)
        if other is None or other.rule.id in passed or not other.missing:
            return _capital(cut(missing.what, 90)), cut(missing.reason, 110)
        passed.add(other.rule.id)
        outcome = other
    return f"{cut(outcome.rule.id, 60)} gave no answer", cut(outcome.message, 110)


def _other_rule(missing: Missing, by_id: Mapping[str, Outcome]) -> Outcome | None:
    words = missing.what.split()
    return by_id.get(words[-1]) if words and missing.what.startswith("the answer of ") else None


def _capital(what: str) -> str:
    """Begin words with a capital; names of objects stay as they are."""
    return sentence(what) if " " in what else what
