"""Expectations of examples that prove nothing: what nothing looks at, so that it could say anything.

- a kind of ``not_collected`` that makes no difference: neither when it alone was collected after all, nor when it alone was not;
- a field of ``cluster`` that no example of the rule looks at: even unknown it changes nothing. One example that needs it is
  enough: the others hold the same surroundings, so that they differ in one thing only;
- a ``bundle_time`` without which every example of the rule comes out the same;
- an object of ``given`` of a kind that the rule does not look at and that changes nothing. Objects of the rule's own kind are not
  asked this: that a bystander makes no difference is what they are there to prove.

The same means: the same outcome to the last word of its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..engine.examples import MakeFacts, outcome_of, prerequisites_of
from ..model import Outcome
from ..ruleset.needs import kinds_of
from ..ruleset.rule import Example, Pack, Rule

Steps = tuple[str, ...]


class Unused(NamedTuple):
    """One expectation that proves nothing, in words, in the first example that has it."""

    example: Example
    words: str


_Answer = Callable[[Example], Outcome]


def unused(rule: Rule, pack: Pack, make_facts: MakeFacts) -> Iterator[Unused]:
    """Yield what the examples of a rule hold in vain."""

    def answer(example: Example) -> Outcome:
        return outcome_of(rule, example, pack, make_facts)

    looked = frozenset(kind for kind, _ in kinds_of((*prerequisites_of(rule, pack), rule)))
    for example in rule.examples:
        yield from _kinds(example, answer)
        yield from _objects(example, answer, looked)
    timed = [example for example in rule.examples if example.bundle_time is not None]
    if timed and all(answer(replace(example, bundle_time=None)) == answer(example) for example in timed):
        yield Unused(timed[0], "bundle_time: no example of the rule looks at it")
    yield from _cluster_fields(rule.examples, answer)


def _kinds(example: Example, answer: _Answer) -> Iterator[Unused]:
    for name in example.not_collected:
        others = tuple(other for other in example.not_collected if other != name)
        without = answer(replace(example, not_collected=others)) == answer(example)
        if without and answer(replace(example, not_collected=(name,))) == answer(replace(example, not_collected=())):
            yield Unused(example, f"not_collected {name}: whether it was makes no difference")


def _objects(example: Example, answer: _Answer, looked: frozenset[str]) -> Iterator[Unused]:
    for number, body in enumerate(example.given):
        rest = (*example.given[:number], *example.given[number + 1 :])
        if body.get("kind") not in looked and answer(replace(example, given=rest)) == answer(example):
            yield Unused(example, f"given {_named(body)}: nothing looks at it")


def _cluster_fields(examples: Sequence[Example], answer: _Answer) -> Iterator[Unused]:
    idle: dict[Steps, Example] = {}
    needed: set[Steps] = set()
    for example in examples:
        for steps in _leaves(example.cluster):
            if steps not in needed and answer(_hiding(example, steps)) == answer(example):
                idle.setdefault(steps, example)
            else:
                needed.add(steps)
    for steps, example in idle.items():
        if steps not in needed:
            yield Unused(example, f"cluster {'.'.join(steps)}: no example of the rule looks at it")


def _hiding(example: Example, steps: Steps) -> Example:
    """Return the example with one field of the cluster unknown."""
    names = (*example.not_collected, f"Cluster.{'.'.join(steps)}")
    return replace(example, cluster=_without(example.cluster, steps), not_collected=names)


def _named(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return f"{body.get('kind')} {name}"


def _leaves(value: Mapping[str, Any], before: Steps = ()) -> Iterator[Steps]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from _leaves(inner, (*before, key))
        else:
            yield (*before, key)


def _without(value: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    first, *more = steps
    if not more:
        return {key: inner for key, inner in value.items() if key != first}
    return {key: _without(inner, tuple(more)) if key == first else inner for key, inner in value.items()}
