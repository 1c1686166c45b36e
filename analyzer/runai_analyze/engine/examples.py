"""Runs the examples of rules: the proof that a rule says what its author meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from runai_analyze.engine.evaluate import evaluate
from runai_analyze.model import Facts, Outcome, Status
from runai_analyze.ruleset.packs import kinds_of
from runai_analyze.ruleset.rule import Example, Pack, Rule

MakeFacts = Callable[[Example, frozenset[tuple[str, str | None]]], Facts]


@dataclass(frozen=True)
class Difference:
    """An example that came out otherwise than its author wrote: the lines of a small diff."""

    rule: Rule
    example: Example
    lines: tuple[str, ...]


def run_examples(
    pack: Pack, make_facts: MakeFacts, rules: Sequence[Rule] | None = None
) -> Iterator[tuple[Rule, Example, Difference | None]]:
    """Yield every example of the rules (all of the pack when not given), with the difference where there is one.

    A rule is tried alone; the rules of ``only_if_passed`` run with it only for an example that must come out ``blocked``.
    """
    for rule in pack.rules if rules is None else rules:
        for example in rule.examples:
            yield rule, example, _run(rule, example, pack, make_facts)


def _run(rule: Rule, example: Example, pack: Pack, make_facts: MakeFacts) -> Difference | None:
    lines = tuple(differences(example, outcome_of(rule, example, pack, make_facts)))
    return Difference(rule, example, lines) if lines else None


def outcome_of(rule: Rule, example: Example, pack: Pack, make_facts: MakeFacts) -> Outcome:
    """Return what a rule answers on an example of its own or of another."""
    rules = (*prerequisites_of(rule, pack), rule) if example.result == "blocked" else (rule,)
    alone = replace(pack, rules=rules, kinds=kinds_of(rules))
    outcomes = evaluate(alone, make_facts(example, alone.kinds))
    return next(outcome for outcome in outcomes if outcome.rule.id == rule.id)


def prerequisites_of(rule: Rule, pack: Pack) -> tuple[Rule, ...]:
    """Return the rules of the pack that a rule builds on, and those that they build on."""
    by_id = {other.id: other for other in pack.rules}
    wanted: dict[str, Rule] = {}
    waiting = list(rule.only_if_passed)
    while waiting:
        name = waiting.pop()
        if name not in wanted and name in by_id and name != rule.id:
            wanted[name] = by_id[name]
            waiting += by_id[name].only_if_passed
    return tuple(wanted[name] for name in sorted(wanted))


def differences(example: Example, outcome: Outcome) -> Iterator[str]:
    """Yield how an outcome differs from what the example says, as the lines of a small diff; nothing where it does not."""
    if outcome.status.value != example.result:
        yield f"- result: {example.result}"
        yield f"+ result: {outcome.status.value}"
        yield f"  {outcome.message}"
        yield from (f"  missing: {missing.what}: {missing.reason}" for missing in outcome.missing[:3])
        return
    wanted, findings = example.message_contains, outcome.findings
    said = [outcome.message, *(finding.message for finding in findings)]
    if wanted and not any(wanted in message for message in said):
        yield f"- message with: {wanted}"
        yield from (f"+ message: {message}" for message in (said[1:] if outcome.status is Status.FAIL else said)[:3])
    elif len(findings) > 1 and not ("more)" in wanted and wanted in outcome.message):
        unexpected = [message for message in said[1:] if not wanted or wanted not in message] or said[2:]
        yield from (f"+ unexpected finding: {message}" for message in unexpected[:3])
        yield f'  if all are meant, say how many: message_contains: "… (and {len(findings) - 1:,} more)"'
