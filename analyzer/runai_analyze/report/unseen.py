"""What we could not see: the rules without an answer, folded by the data that they lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model import ChecklistLine, Missing, Outcome
from .text import brief, capital, listing

_FIELD = re.compile(r"[A-Z][A-Za-z]+ (?!in |of )(\S+ )?\S*[A-Za-z][.\[]\S")  # Namespace runai metadata.labels["a"]
_KIND = re.compile(r"[A-Z][A-Za-z]+")
# As coverage says of what another tool's bundle has no place for, or looks for in some namespaces alone.
_NEVER = (" does not hold it", " holds it only of some namespaces")
_MOST_KINDS = 8


@dataclass(frozen=True)
class Unseen:
    """One thing that was not in the bundle, and how many rules had no answer for want of it."""

    anchor: str
    rule: str
    what: str
    why: str
    rules: int


def could_not_see(
    unseen: Sequence[Outcome], anchors: Mapping[str, str], lines: Iterable[ChecklistLine] = ()
) -> tuple[Unseen, ...]:
    """Fold the rules that lack the same data. What a severe rule lacks comes first, and of those what most rules lack.

    A field of an object means nothing to most readers: the line of the checklist, or the rule's title, stands in its place.
    """
    by_id = {outcome.rule.id: outcome for outcome in unseen}
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in unseen:
        groups.setdefault(_lack(outcome, by_id), []).append(outcome)
    groups = _never_held(groups)
    ranked = sorted(groups.items(), key=lambda group: (-max(it.rule.severity for it in group[1]), -len(group[1]), group[0]))
    titles = {id: line.title for line in lines for id in line.rules}
    return tuple(
        Unseen(anchors[rules[0].rule.id], rules[0].rule.id, _words(what, rules[0], titles), why, len(rules))
        for (what, why), rules in ranked
    )


def _never_held(groups: Mapping[tuple[str, str], list[Outcome]]) -> dict[tuple[str, str], list[Outcome]]:
    """Put in one line the kinds that a bundle of that sort never holds: they are many, and their reason is one."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    kinds: dict[str, list[str]] = {}
    for (what, why), outcomes in groups.items():
        if why.endswith(_NEVER) and _KIND.fullmatch(what):
            kinds.setdefault(why, []).append(what)
        else:
            found[what, why] = outcomes
    for why, names in kinds.items():
        shown = [_plural(name) for name in sorted(names)]
        more = [f"{len(shown) - _MOST_KINDS} other kinds"] if len(shown) > _MOST_KINDS + 1 else []
        words = listing([*shown[:_MOST_KINDS], *more] if more else shown)
        them = re.sub(r" (holds?) it\b", r" \1 them", why) if len(names) > 1 else why
        together = (outcome for name in sorted(names) for outcome in groups[name, why])
        found[words, them] = sorted(together, key=lambda outcome: -outcome.rule.severity)
    return found


def _words(what: str, outcome: Outcome, titles: Mapping[str, str]) -> str:
    if _FIELD.match(what):
        return brief(titles.get(outcome.rule.id, outcome.rule.title), 90)
    return _plural(what) if _KIND.fullmatch(what) else capital(what)


def _plural(kind: str) -> str:
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return f"{kind[:-1]}ies"
    if kind.endswith("s") and not kind.endswith(("ss", "us")):  # Endpoints, and words that are plural as they come
        return kind
    return f"{kind}es" if kind.endswith(("s", "x", "ch")) else f"{kind}s"


def _lack(outcome: Outcome, by_id: Mapping[str, Outcome]) -> tuple[str, str]:
    """Return what an outcome lacks and why; a rule that waits for the answer of another lacks what that one lacks."""
    passed: set[str] = set()
    while outcome.missing:
        missing = outcome.missing[0]
        other = _other_rule(missing, by_id)
        if other is None or other.rule.id in passed or not other.missing:
            why = "no object shows it, so the message asks" if missing.question else missing.reason
            return brief(missing.what, 90), brief(why, 110)
        passed.add(other.rule.id)
        outcome = other
    return f"{brief(outcome.rule.id, 60)} gave no answer", brief(outcome.message, 110)


def _other_rule(missing: Missing, by_id: Mapping[str, Outcome]) -> Outcome | None:
    words = missing.what.split()
    return by_id.get(words[-1]) if words and missing.what.startswith("the answer of ") else None
