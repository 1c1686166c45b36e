"""Changed copies of a rule, each with one small thing wrong: an example that is a proof must notice every one of them.

What is changed, one at a time:

- a condition (in where, expect, when, and in the groups inside): as if it were always met, as if it were never met, and negated;
- a list of words (one_of, not_one_of, contains, similar_to, keys, name, namespace, applies_to; not in ``when``): each word is
  taken out; the score of similar_to is 100 and 50;
- a bound (at_least, at_most, more_than, less_than, min_length): the border itself goes to the other side (without tolerance),
  and the bound lies half or twice as far; tolerance is left out; after and before: half and twice the span;
- a range of versions written in the rule: each bound, and each part between ``||``, is left out; each border changes sides;
- ignore_case, when_absent and if_none are left out;
- name and namespace, each line of applies_to, each rule of only_if_passed and each path of group_by is left out.

Left out are changes that cannot be noticed by their nature: ``when_absent: fail`` where absent is false anyhow, ``if_none:
not_applicable`` of for_each, whose default it is, half of 0 or of one object, the border of ``min_length: 1`` (it says "not
empty"), the only bound of a range (the condition as always met says the same), and a rule of only_if_passed that another one of
them builds on itself, wherever it applies. Figures in tables are not changed: a table has tests of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..ruleset.rule import (
    Argument,
    ClusterValue,
    Condition,
    Conditions,
    Group,
    Literal_,
    Names,
    ParamValue,
    Rule,
    Scope,
    Selection,
    Test,
)
from .borders import other_ranges, other_spans
from .places import Address

WORD_OUT = " taken out"  # how every change of a word in a list is said to end
_ALWAYS, _NEVER = Group("all_of", ()), Group("any_of", ())
_BORDERS = {"at_least": "more_than", "more_than": "at_least", "at_most": "less_than", "less_than": "at_most"}
_LOWER = ("at_least", "more_than")
_LISTS = ("one_of", "not_one_of", "contains", "similar_to")
_MOST_WORDS = 100  # of one list: each is a run of all examples
_STRICTEST, _LAXEST = 100, 50  # scores of similar_to
_SCOPE_WORDS = {"runai": "Run:ai", "kubernetes": "Kubernetes"}


class Mutant(NamedTuple):
    """A rule with one thing changed. ``part``: the condition it belongs to; ``at``: where exactly; ``change``: what was done to
    it; ``hint``: which example would notice."""

    part: Address
    at: Address
    words: str
    change: str
    hint: str
    rule: Rule


class Change(NamedTuple):
    """A part that was changed: the key it is about, what was done, the example that would notice, and what stands there now."""

    key: Address
    change: str
    hint: str
    new: Condition | Group


def mutants(rule: Rule, others: Mapping[str, Rule]) -> Iterator[Mutant]:
    """Yield the changed copies of a rule, in the order of its file ``others``: the rules of the pack by id."""
    yield from _scope(rule)
    for number, name in enumerate(rule.only_if_passed):
        rest = rule.only_if_passed[:number] + rule.only_if_passed[number + 1 :]
        if any(_builds_on(other, name, others) for other in rest):
            continue
        hint = f"an example where {name} fails as well, with result: blocked"
        at: Address = ("only_if_passed", number)
        yield Mutant(at, at, f"only_if_passed {name}", "left out", hint, replace(rule, only_if_passed=rest))
    yield from _selection(rule)
    if rule.expect:
        yield from _conditions(rule.expect, ("expect",), "expect", lambda new: replace(rule, expect=new))
    if rule.expect_count:
        yield from _expect_count(rule, rule.expect_count)
    yield from _group_by(rule)
    for number, case in enumerate(rule.cases):

        def put(new: Conditions, number: int = number) -> Rule:
            changed = replace(rule.cases[number], when=new)
            return replace(rule, cases=(*rule.cases[:number], changed, *rule.cases[number + 1 :]))

        yield from _conditions(case.when, ("cases", number, "when"), "when", put)


def _group_by(rule: Rule) -> Iterator[Mutant]:
    for number, path in enumerate(rule.group_by):
        alone = len(rule.group_by) == 1
        at: Address = ("group_by",) if alone else ("group_by", number)
        told = "with the same, which are one finding" if alone else "that differ in it alone, which are two findings"
        hint = f"an example with two objects {told}: {path.text}"
        rest = rule.group_by[:number] + rule.group_by[number + 1 :]
        yield Mutant(at, at, f"group_by {path.text}", "left out", hint, replace(rule, group_by=rest))


def _builds_on(name: str, first: str, others: Mapping[str, Rule]) -> bool:
    """Return whether a rule, in whatever cluster, is blocked when another one fails."""
    rule = others.get(name)
    if rule is None or rule.scope != Scope():
        return False
    return first in rule.only_if_passed or any(_builds_on(other, first, others) for other in rule.only_if_passed)


def in_words(condition: Condition) -> str:
    """Return a condition as its author wrote it: ``spec.unschedulable not_equals true``."""
    return f"{condition.path.text} {test_in_words(condition.test)}"


def test_in_words(test: Test) -> str:
    """Return a test as its author wrote it."""
    return f"{test.name} {argument_in_words(test.argument)}"


def argument_in_words(argument: Argument) -> str:
    """Return an argument as its author wrote it, lists cut after a few words."""
    if isinstance(argument, Literal_):
        return argument.value if isinstance(argument.value, str) else _listing(argument.value)
    if isinstance(argument, ClusterValue):
        return f"{{{{ cluster.{argument.path.text} }}}}"
    if isinstance(argument, ParamValue):
        return f"{{{{ params.{argument.name} }}}}"
    return f"table {argument.table}, column {argument.column}"


def _listing(words: tuple[str, ...], most: int = 4) -> str:
    more = f", and {len(words) - most} more" if len(words) > most else ""
    return f"[{', '.join(words[:most])}{more}]"


# --- Where the rule applies, and where it looks -----------------------------------------------------------------------------


def _scope(rule: Rule) -> Iterator[Mutant]:
    for name in ("runai", "kubernetes", "distribution", "feature", "needs_namespace", "needs_crd"):
        value = getattr(rule.scope, name)
        if not value:
            continue
        at: Address = ("applies_to", name)

        def put(new: str | Names | None, name: str = name) -> Rule:
            changed: dict[str, Any] = {name: new}
            return replace(rule, scope=replace(rule.scope, **changed))

        if isinstance(value, Names):
            yield from _scope_names(value, at, put)
            continue
        words = f"applies_to {name} {value}"
        hint = f"an example with another {_SCOPE_WORDS[name]} and objects that would fail, with result: not_applicable"
        yield Mutant(at, at, words, "left out", hint, put(""))
        for change, hint, text in other_ranges(value):
            yield Mutant(at, at, words, change, f"an example with {hint}", put(text))


def _scope_names(names: Names, at: Address, put: Callable[[Names | None], Rule]) -> Iterator[Mutant]:
    name = str(at[-1])
    words = f"applies_to {name} {'not ' if names.negated else ''}{_listing(names.names)}"
    outside = f"an example out of this scope ({_outside(name, names)}) whose objects would fail, with result: not_applicable"
    yield Mutant(at, at, words, "left out", outside, put(None))
    for number, word, rest in _without_one(names.names):
        alone = f"an example with {word} alone of these"
        place: Address = (*at, "not", number) if names.negated else (*at, number)
        yield Mutant(at, place, words, f"{word}{WORD_OUT}", alone, put(replace(names, names=rest)))


def _outside(name: str, names: Names) -> str:
    if name.startswith("needs_"):
        return f"{'with' if names.negated else 'without'} {names.names[0]}"
    return f"{name} {names.names[0]}" if names.negated else f"another {name}"


def _selection(rule: Rule) -> Iterator[Mutant]:
    select = rule.select

    def put(new: Selection) -> Rule:
        return replace(rule, select=new)

    yield from _globs(select, "namespace", select.namespaces, lambda new: put(replace(select, namespaces=new)))
    yield from _globs(select, "name", select.names, lambda new: put(replace(select, names=new)))
    if select.if_none == "fail" or (select.if_none and select.mode != "for_each"):
        at: Address = (select.mode, "if_none")
        hint = "an example in which nothing matches"
        yield Mutant(at, at, f"if_none {select.if_none}", "left out", hint, put(replace(select, if_none="")))
    if select.where:
        yield from _conditions(select.where, (select.mode, "where"), "where", lambda new: put(replace(select, where=new)))


def _globs(select: Selection, key: str, words: tuple[str, ...], put: Callable[[tuple[str, ...]], Rule]) -> Iterator[Mutant]:
    if not words:
        return
    at: Address = (select.mode, key)
    said = f"{key} {_listing(words)}"
    counted = "that would count" if select.mode == "count" else "that would be a finding"
    hint = f"an example with a {select.kind} of another {key} {counted}, and must not be one"
    yield Mutant(at, at, said, "left out", hint, put(()))
    for number, word, rest in _without_one(words):
        hint = f"an example in which the {select.kind} with {key} {word} decides"
        yield Mutant(at, (*at, number), said, f"{word}{WORD_OUT}", hint, put(rest))


# --- Conditions -------------------------------------------------------------------------------------------------------------


def _conditions(conditions: Conditions, at: Address, block: str, put: Callable[[Conditions], Rule]) -> Iterator[Mutant]:
    for number, condition in enumerate(conditions):

        def here(new: Condition | Group, number: int = number) -> Rule:
            return put((*conditions[:number], new, *conditions[number + 1 :]))

        place = (*at, number)
        if isinstance(condition, Group):
            group = condition

            def inside(new: Conditions, group: Group = group, here: Callable[[Group], Rule] = here) -> Rule:
                return here(replace(group, members=new))

            yield from _conditions(group.members, (*place, group.mode), block, inside)
            continue
        for key, change, hint, new in _changes(condition, block):
            yield Mutant(place, (*place, *key), in_words(condition), change, hint, here(new))


def _changes(condition: Condition, block: str) -> Iterator[Change]:
    met, unmet = _examples(condition, block)
    negated = Group("none_of", (condition,))
    # Beside what decides stand the condition and its opposite, so that a message still names the value that was found: otherwise
    # every message_contains would notice.
    yield Change((), "taken as always met", unmet, Group("any_of", (condition, negated, _ALWAYS)))
    yield Change((), "taken as never met", met, Group("all_of", (condition, negated, _NEVER)))
    yield Change((), "negated", met, negated)
    absent = f"an example where everything else holds and {condition.path.text} is not set"
    if condition.when_absent not in ("", "fail"):
        yield Change(("when_absent",), "when_absent left out", absent, replace(condition, when_absent="", ask=""))
    if isinstance(condition.keys, Literal_) and isinstance(condition.keys.value, tuple):
        for number, word, rest in _without_one(condition.keys.value):
            hint = f"an example where the key {word} alone is wrong, or a message that names all the keys"
            yield Change(("keys", number), f"key {word}{WORD_OUT}", hint, replace(condition, keys=Literal_(rest)))
    for key, change, hint, test in _test_changes(condition.test, condition.path.text):
        if block == "when" and len(key) > 1:
            continue  # several findings of one example may be worded by several cases, and message_contains is one text
        yield Change(key, change, hint, replace(condition, test=test))


def _examples(condition: Condition, block: str) -> tuple[str, str]:
    """Return which examples notice a condition that is taken as never, and as always met."""
    said = in_words(condition)
    if block == "where":
        return (
            f"an example that depends on an object for which {said} holds",
            f"an example where everything else holds but not {said}, and the object would otherwise be a finding",
        )
    if block == "when":
        return (
            f"a finding for which {said} holds, with message_contains of this case",
            f"a finding for which {said} does not hold and everything else does, with message_contains of its own words",
        )
    return (
        f"an example where it depends on this alone that {said} holds",
        f"an example where everything else holds but not {said}",
    )


class _TestChange(NamedTuple):
    key: Address
    change: str
    hint: str
    test: Test


def _test_changes(test: Test, path: str) -> Iterator[_TestChange]:
    """Yield a test with its argument or an option changed."""
    yield from _words_taken_out(test, path)
    yield from _bounds(test, path)
    literal = test.argument.value if isinstance(test.argument, Literal_ | ParamValue) else ""
    if test.ignore_case:
        hint = f"an example where {path} is right but for upper and lower case"
        yield _TestChange(("ignore_case",), "ignore_case left out", hint, replace(test, ignore_case=False))
    yield from _scores(test, path)
    if not isinstance(literal, str):
        return
    others = other_ranges(literal) if test.name == "version" else other_spans(literal) if test.name in ("after", "before") else ()
    for change, hint, text in others:
        said = f"an example where {path} is {hint}"
        yield _TestChange((test.name,), change, said, replace(test, argument=Literal_(text)))


def _scores(test: Test, path: str) -> Iterator[_TestChange]:
    """Yield similar_to with the strictest and the laxest score."""
    said = argument_in_words(test.argument)
    for score, hint in (
        (_STRICTEST, f"an example where {path} says the same as {said} in other words"),
        (_LAXEST, f"an example where {path} shares half of its words with {said}, and does not mean it"),
    ):
        if test.name == "similar_to" and test.score != score:
            yield _TestChange(("score",), f"score {score} in place of {test.score}", hint, replace(test, score=score))


def _words_taken_out(test: Test, path: str) -> Iterator[_TestChange]:
    argument = test.argument
    if test.name not in _LISTS or not isinstance(argument, Literal_) or isinstance(argument.value, str):
        return
    for number, word, rest in _without_one(argument.value):
        hint = f"an example where it depends on {word} (one example may hold an object for each of them)"
        yield _TestChange((test.name, number), f"{word}{WORD_OUT}", hint, replace(test, argument=Literal_(rest)))


def _bounds(test: Test, path: str) -> Iterator[_TestChange]:
    key: Address = (test.name,)
    said = argument_in_words(test.argument)
    number = _number(test.argument)
    if test.name == "min_length" and number is not None:
        for other in (number + 1, number - 1) if number > 1 else ():  # min_length: 1 says "not empty", which has no border
            hint = f"an example where {path} has exactly {min(number, other)}"
            yield _TestChange(key, f"{other} in place of {number}", hint, replace(test, argument=Literal_(str(other))))
    if test.name not in _BORDERS:
        return
    if test.tolerance:
        hint = f"an example where {path} misses {said} by less than the tolerance"
        yield _TestChange(("tolerance",), "tolerance left out", hint, replace(test, tolerance=0.0))
    else:
        hint = f"an example where {path} is exactly {said}"
        yield _TestChange(key, f"{_BORDERS[test.name]} in its place", hint, replace(test, name=_BORDERS[test.name]))
    if number == 0 or (number == 1 and test.name == "at_least"):
        return
    lower = test.name in _LOWER
    near = f"half of {said}" if lower else f"twice {said}"
    hint = f"an example where {path} misses {said} by a little: it is {'above' if lower else 'below'} {near}"
    loose = replace(test, name="at_least" if lower else "at_most", tolerance=0.5 if lower else 1.0)
    yield _TestChange(key, f"the bound at {near}", hint, loose)


def _number(argument: Argument) -> int | None:
    """Return a whole number written in the rule; None for everything else."""
    value = argument.value if isinstance(argument, Literal_ | ParamValue) else ""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19 else None


def _without_one(words: tuple[str, ...]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield each word of a list of several with its number and the rest; of a very long list the first ones."""
    for number, word in enumerate(words[:_MOST_WORDS] if len(words) > 1 else ()):
        yield number, word, words[:number] + words[number + 1 :]


def _expect_count(rule: Rule, test: Test) -> Iterator[Mutant]:
    at: Address = ("expect_count",)
    words = f"expect_count {test_in_words(test)}"
    said = test_in_words(test)
    for change, hint, other in (
        ("taken as always met", f"an example where the number is not {said}", Test("at_least", Literal_("0"))),
        ("taken as never met", f"an example where the number is {said}", Test("less_than", Literal_("0"))),
    ):
        yield Mutant(at, at, words, change, hint, replace(rule, expect_count=other))
    for key, change, hint, other in _test_changes(test, "the number"):
        yield Mutant(at, (*at, *key), words, change, hint, replace(rule, expect_count=other))
