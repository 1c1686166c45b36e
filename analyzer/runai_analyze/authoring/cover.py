"""Mutation coverage of rules: which conditions the examples pin, and which could be changed without any example noticing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..engine.examples import MakeFacts, differences, outcome_of
from ..model import Facts, Status
from ..ruleset.rule import Example, Pack, Rule
from .kept import KeptFacts
from .mutants import WORD_OUT, Mutant, mutants
from .places import Address, Place, places


class Unnoticed(NamedTuple):
    """A change of a condition that no example noticed, with its place in the file and the example that would notice it."""

    place: Place
    words: str
    change: str
    hint: str


@dataclass(frozen=True)
class Coverage:
    """What the examples of one rule pin. ``wrong``: the names of examples that come out otherwise before anything is changed."""

    rule: Rule
    conditions: int
    pinned: int
    unnoticed: tuple[Unnoticed, ...]
    wrong: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every condition is pinned, by examples that hold."""
        return self.pinned == self.conditions and not self.wrong


def cover(pack: Pack, make_facts: MakeFacts, rules: Sequence[Rule]) -> Iterator[Coverage]:
    """Yield the coverage of each rule. A change is noticed when an example no longer comes out as it says: result, number of
    findings, or message_contains."""
    for rule in rules:
        yield _cover(rule, pack, make_facts)


def _cover(rule: Rule, pack: Pack, make_facts: MakeFacts) -> Coverage:
    known: dict[int, Facts] = {}

    def facts_of(example: Example, kinds: frozenset[tuple[str, str | None]]) -> Facts:
        if id(example) not in known:
            known[id(example)] = KeptFacts(make_facts(example, kinds))
        return known[id(example)]

    changed = tuple(mutants(rule, {other.id: other for other in pack.rules}))
    wrong = tuple(one.name for one in rule.examples if _notices(one, rule, pack, facts_of))
    if wrong:
        return Coverage(rule, len({mutant.part for mutant in changed}), 0, (), wrong)
    parts: dict[Address, list[Mutant]] = {}
    for mutant in changed:
        parts.setdefault(mutant.part, [])
        if not any(_notices(example, mutant.rule, pack, facts_of) for example in rule.examples):
            parts[mutant.part].append(mutant)
    place = places(rule) if any(parts.values()) else None
    unnoticed = [
        Unnoticed(place(mutant.at), mutant.words, mutant.change, mutant.hint)
        for left in parts.values()
        for mutant in _telling(left)
        if place is not None
    ]
    return Coverage(rule, len(parts), sum(not left for left in parts.values()), tuple(unnoticed))


def _notices(example: Example, rule: Rule, pack: Pack, facts_of: MakeFacts) -> bool:
    """Return whether an example comes out otherwise than it says; that a changed rule breaks would prove nothing."""
    outcome = outcome_of(rule, example, pack, facts_of)
    return outcome.status is not Status.ERROR and next(differences(example, outcome), None) is not None


def _telling(left: Sequence[Mutant]) -> Iterator[Mutant]:
    """Yield what is worth saying: each example that is wanted once, and the words of a list together."""
    wanted: dict[str, Mutant] = {}
    words = [mutant for mutant in left if mutant.change.endswith(WORD_OUT)]
    for mutant in left:
        if len(words) < 2 or mutant not in words:
            wanted.setdefault(mutant.hint, mutant)
        elif mutant is words[0]:
            said = ", ".join(one.change.removesuffix(WORD_OUT) for one in words)
            wanted[mutant.hint] = mutant._replace(change=f"{said}{WORD_OUT}, each by itself")
    yield from wanted.values()
