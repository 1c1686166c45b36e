"""The examples of rules, run: which came out otherwise than written, what was found there, and what proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..engine.examples import MakeFacts, differences, outcome_of, prerequisites_of
from ..model import Outcome
from ..ruleset.needs import kinds_of
from ..ruleset.rule import Example, Pack, Rule
from .trial import Wish, try_rule
from .unused import unused

_MOST_OBJECTS = 3
_MOST_EVIDENCE = 3


class Proof(NamedTuple):
    """One example of a rule. ``lines``: how it came out otherwise, as a small diff; ``unused``: what of it proves nothing."""

    rule: Rule
    example: Example
    lines: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the example came out as written and needs all that it says."""
        return not self.lines and not self.unused


def prove(pack: Pack, make_facts: MakeFacts, rules: Sequence[Rule]) -> Iterator[Proof]:
    """Yield every example of the rules. What proves nothing is looked for where all examples of a rule come out as written."""
    for rule in rules:
        lines = {id(example): tuple(_lines(rule, example, pack, make_facts)) for example in rule.examples}
        idle: dict[int, list[str]] = {}
        for one in unused(rule, pack, make_facts) if not any(lines.values()) else ():
            idle.setdefault(id(one.example), []).append(one.words)
        for example in rule.examples:
            yield Proof(rule, example, lines[id(example)], tuple(idle.get(id(example), ())))


def _lines(rule: Rule, example: Example, pack: Pack, make_facts: MakeFacts) -> Iterator[str]:
    outcome = outcome_of(rule, example, pack, make_facts)
    said = tuple(differences(example, outcome))
    yield from said
    if said and outcome.findings:
        yield from _evidence(outcome)
    elif said:
        yield from _objects(rule, example, pack, make_facts)


def _evidence(outcome: Outcome) -> Iterator[str]:
    """Yield object, path, what was found there and what is wanted, of the findings that came out."""
    for finding in outcome.findings[:_MOST_OBJECTS]:
        for row in finding.evidence[:_MOST_EVIDENCE]:
            path = f" {row.path}:" if row.path else ":"
            wanted = f", wanted {row.wanted}" if row.wanted else ""
            yield f"  {row.subject}{path} found {row.found or 'nothing'}{wanted}"


def _objects(rule: Rule, example: Example, pack: Pack, make_facts: MakeFacts) -> Iterator[str]:
    """Yield what became of the objects of an example, and what the conditions found that decided, or all where none did."""
    kinds = kinds_of((*prerequisites_of(rule, pack), rule))
    trial = try_rule(rule, pack, make_facts(example, kinds), Wish(rows=_MOST_OBJECTS))
    for row in trial.rows:
        yield f"  {row.object}: {row.state}"
        for number, (column, cell) in enumerate(zip(trial.columns, row.cells, strict=True), start=1):
            if number in row.stopped or not row.stopped:
                wanted = f", wanted {cell.wanted}" if cell.wanted else ""
                yield f"    {column.words}: found {cell.found or 'nothing'}{wanted}{f' ({cell.why})' if cell.why else ''}"
