"""One rule on the objects of a bundle: what each condition says of each object, and which one decided.

The outcome is the one of the report: the same pass over the bundle makes both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from ..engine import evaluate
from ..engine.conditions import Branch, compile_conditions
from ..engine.environment import Environment
from ..engine.examples import prerequisites_of
from ..engine.leaf import Leaf, Row
from ..engine.logic import Answer
from ..engine.scope import Presence, applies_to_cluster, applies_to_objects, both
from ..engine.selection import Filter
from ..engine.values import cut, display
from ..model import Facts, Item, Missing, ObjectRef, Outcome
from ..ruleset.needs import kinds_of
from ..ruleset.rule import Conditions, Group, Pack, Rule
from .mutants import in_words
from .places import Address, Place, places

MOST_ROWS = 20
_MOST_VALUES = 3
# What became of an object, worst first: the order of the table.
STATES = ("fails", "counts", "unknown", "passes", "left out", "not looked at")


class Wish(NamedTuple):
    """Which objects a person asks for; empty: any. ``rows``: how many at the most."""

    name: str = ""
    namespace: str = ""
    rows: int = MOST_ROWS


class Column(NamedTuple):
    """One condition: the block it stands in (``where``, ``expect``), the groups around it, its words, and its place."""

    block: str
    groups: tuple[str, ...]
    words: str
    place: Place


class Cell(NamedTuple):
    """What one condition says of one object, the value that it found, what is wanted there, and why it cannot tell."""

    answer: Answer
    found: str
    wanted: str = ""
    why: str = ""


class TrialRow(NamedTuple):
    """One object: what became of it, the conditions that decided (numbers of columns, from 1), and what each one says."""

    object: ObjectRef
    state: str
    stopped: tuple[int, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Trial:
    """All that is said about one rule on one bundle. ``applies``: None where that is not known, ``reason`` says why (not).

    ``counts``: how many objects became what; ``rows``: the worst of them; ``before``: the outcomes of ``only_if_passed``.
    """

    rule: Rule
    applies: Answer
    reason: str
    before: tuple[Outcome, ...]
    columns: tuple[Column, ...]
    rows: tuple[TrialRow, ...]
    counts: Mapping[str, int]
    outcome: Outcome


def try_rule(rule: Rule, pack: Pack, facts: Facts, wish: Wish = Wish()) -> Trial:  # noqa: B008 - immutable
    """Return what a rule says of a bundle, object by object."""
    rules = (*prerequisites_of(rule, pack), rule)
    watched = _Watched(facts, rule, pack, wish)
    outcomes = {outcome.rule.id: outcome for outcome in evaluate(replace(pack, rules=rules, kinds=kinds_of(rules)), watched)}
    environment = Environment(facts.cluster, pack.tables, facts.bundle_time)
    applies = both(applies_to_cluster(rule.scope, environment), applies_to_objects(rule.scope, watched.presence))
    reason = applies.reason if applies.answer is False else "; ".join(_said(gap) for gap in applies.missing)
    return Trial(
        rule,
        applies.answer,
        reason,
        tuple(outcomes[name] for name in rule.only_if_passed if name in outcomes),
        watched.table.columns,
        watched.table.rows(),
        watched.table.counts,
        outcomes[rule.id],
    )


def _said(gap: Missing) -> str:
    return f"{gap.what}: {gap.reason}"


class _Watched:
    """``Facts`` that shows every object that goes by to the table as well."""

    def __init__(self, facts: Facts, rule: Rule, pack: Pack, wish: Wish) -> None:
        self._facts = facts
        self.cluster: Mapping[str, Any] = facts.cluster
        self.bundle_time: datetime | None = facts.bundle_time
        self.presence = Presence(facts)
        self.table = _Table(rule, Environment(facts.cluster, pack.tables, facts.bundle_time), wish)

    @property
    def cluster_item(self) -> Item:
        return self._facts.cluster_item

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        for item in self._facts.items(kinds):
            self.presence.note(item)
            self.table.note(item)
            yield item

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        return self._facts.coverage(kind, group, namespaces)


@dataclass
class _Table:
    """The rows so far: of each state the first ones, and how many there are of it."""

    rule: Rule
    environment: Environment
    wish: Wish
    counts: Counter[str] = field(default_factory=Counter)
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        self._filter = Filter(self.rule.select)
        where = compile_conditions(self.rule.select.where, self.environment, "any")
        expect = compile_conditions(self.rule.expect, self.environment, "all")
        self._where, self._expect = where, expect
        self._leaves = (*where.leaves(), *expect.leaves())
        self._kept: dict[str, list[TrialRow]] = {state: [] for state in STATES}
        of = places(self.rule)
        mode = self.rule.select.mode
        parts = (*_columns(self.rule.select.where, (mode, "where"), "where"), *_columns(self.rule.expect, ("expect",), "expect"))
        self.columns = tuple(Column(block, groups, words, of(at)) for block, groups, words, at in parts)

    def note(self, item: Item) -> None:
        """Take in an object, if it is one that was asked for."""
        if item.kind != self.rule.select.kind or item.group not in self._filter.groups or not self._asked(item):
            return
        state, branch, answer = self._judged(item)
        self.counts[state] += 1
        kept = self._kept[state]
        if len(kept) < self.wish.rows:
            decided = tuple(_deciding(branch, item.body, answer)) if branch else ()
            numbers = tuple(number for number, leaf in enumerate(self._leaves, 1) if any(leaf is one for one in decided))
            kept.append(TrialRow(item.ref, state, numbers, tuple(_cell(leaf, item.body) for leaf in self._leaves)))

    def _asked(self, item: Item) -> bool:
        return self.wish.name in ("", item.ref.name) and self.wish.namespace in ("", item.ref.namespace)

    def _judged(self, item: Item) -> tuple[str, Branch | None, Answer]:
        """Return what becomes of an object, and the conditions that make it so with their answer; None: none had to."""
        if not self._filter.takes(item):
            return "not looked at", None, None
        selected = self._where.judge(item.body)
        if selected is not True:
            return "left out" if selected is False else "unknown", self._where, selected
        mode = self.rule.select.mode
        if mode != "for_each":
            return "fails" if mode == "report_each" else "counts", None, True
        answer = self._expect.judge(item.body)
        if answer is True:
            return "passes", None, True
        return "fails" if answer is False else "unknown", self._expect, answer

    def rows(self) -> tuple[TrialRow, ...]:
        """Return the worst rows, by name within one state."""
        ordered = [row for state in STATES for row in sorted(self._kept[state], key=lambda row: str(row.object))]
        return tuple(ordered[: self.wish.rows])


_Part = tuple[str, tuple[str, ...], str, Address]  # a column before its place was looked up


def _columns(conditions: Conditions, at: Address, block: str, groups: tuple[str, ...] = ()) -> Iterator[_Part]:
    for number, condition in enumerate(conditions):
        place = (*at, number)
        if isinstance(condition, Group):
            yield from _columns(condition.members, (*place, condition.mode), block, (*groups, condition.mode))
        else:
            yield block, groups, in_words(condition), place


def _deciding(branch: Branch, body: Any, answer: Answer) -> Iterator[Leaf]:
    """Yield the conditions that make a group answer so."""
    asked = answer if branch.mode != "none_of" or answer is None else not answer
    for member in branch.members:
        if member.judge(body) is not asked:
            continue
        if isinstance(member, Branch):
            yield from _deciding(member, body, asked)
        else:
            yield member


def _cell(leaf: Leaf, body: Any) -> Cell:
    answer = leaf.judge(body)
    rows = [row for row in leaf.rows(body) if row.answer is answer]
    shown = ", ".join(dict.fromkeys(_value(row) for row in rows[:_MOST_VALUES]))
    more = f" and {len(rows) - _MOST_VALUES} more" if len(rows) > _MOST_VALUES else ""
    why = next((row.missing.reason for row in rows if row.missing), "")
    return Cell(answer, cut(f"{shown}{more}"), cut(rows[0].wanted) if rows else "", cut(why))


def _value(row: Row) -> str:
    return f"{row.key}: {display(row.value)}" if row.key else display(row.value)
