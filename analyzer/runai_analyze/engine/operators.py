"""The tests: each made once from its argument, then laid on present values. None: this value cannot be compared that way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any

from runai_analyze.engine.logic import Answer, all_of, any_of, negate
from runai_analyze.engine.similar import LONGEST_LIKENESS, make_likeness
from runai_analyze.engine.values import as_text, hides
from runai_analyze.objects.hosts import covers
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.objects.times import parse_moment, parse_time
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.patterns import LONGEST_TEXT, compile_pattern
from runai_analyze.ruleset.rule import Test

Operator = Callable[[Any], Answer]
_REMEMBERED, _SHORT = 1024, 128  # answers of one condition, and characters of the text


# Tests that ask for the shape of a list or map, or for one element or key: of what is hidden elsewhere in it they need nothing.
SEES_INSIDE = frozenset(("exists", "min_length", "contains"))


def bare_operator(test: Test, wanted: object, bundle_time: datetime | None) -> Operator:
    """Return the test as a function of a value that is there and not hidden.

    Raises ValueError when the argument, which may come out of the bundle, is nothing that the test can use.
    """
    return _MAKERS[test.name](test, wanted, bundle_time)


def same(value: object, wanted: object, ignore_case: bool = False) -> bool:
    """Return whether two values read the same: text by text, a number by its value, lists element by element."""
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(map(same, value, wanted, [ignore_case] * len(wanted)))
        )
    found, expected = as_text(value), as_text(wanted)
    if found == expected or (ignore_case and found.casefold() == expected.casefold()):
        return True
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    number = _as_number(expected)
    return number is not None and number == _as_number(found)


def _as_number(text: str) -> Fraction | None:
    try:
        return Fraction(text) if len(text) < 40 and "/" not in text and "e" not in text.lower() else None  # e: 1e999999999
    except ValueError:
        return None


def _as_list(wanted: object) -> Sequence[object]:
    return wanted if isinstance(wanted, list | tuple) else (wanted,)


# --- Makers: (test, argument, capture time) → operator -------------------------------------------------------------------------


def _equals(test: Test, wanted: object, _: datetime | None) -> Operator:
    return lambda value: same(value, wanted, test.ignore_case)


def _one_of(test: Test, wanted: object, _: datetime | None) -> Operator:
    options = _as_list(wanted)
    return lambda value: any(same(value, option, test.ignore_case) for option in options)


def _negated(maker: Callable[[Test, object, datetime | None], Operator]) -> Callable[[Test, object, datetime | None], Operator]:
    def make(test: Test, wanted: object, bundle_time: datetime | None) -> Operator:
        positive = maker(test, wanted, bundle_time)
        return lambda value: negate(positive(value))

    return make


def _exists(_: Test, wanted: object, __: datetime | None) -> Operator:
    answer = as_text(wanted).lower() in ("true", "yes")
    return lambda value: answer


def _contains(test: Test, wanted: object, _: datetime | None) -> Operator:
    parts = _as_list(wanted)

    def contains(value: object, part: object) -> Answer:
        if isinstance(value, Mapping):
            return any(same(item, part, test.ignore_case) for item in value)
        if isinstance(value, list | tuple):
            return any_of(None if hides(item) else same(item, part, test.ignore_case) for item in value)
        text, needle = as_text(value), as_text(part)
        return needle.casefold() in text.casefold() if test.ignore_case else needle in text

    return lambda value: all_of(contains(value, part) for part in parts)


def _textual(compare: Callable[[str, str], bool]) -> Callable[[Test, object, datetime | None], Operator]:
    def make(test: Test, wanted: object, _: datetime | None) -> Operator:
        needle = as_text(wanted)

        def operator(value: object) -> Answer:
            text = value if value.__class__ is str else _one_text(value)
            if text is None:
                return None
            return compare(text.casefold(), needle.casefold()) if test.ignore_case else compare(text, needle)

        return operator

    return make


def _one_text(value: object) -> str | None:
    """Return the text of a scalar that is none itself; None for a list or map."""
    return None if isinstance(value, list | tuple | Mapping) else as_text(value)


def _remembered(operator: Operator) -> Operator:
    """Return an operator that works out the answer to a short text once: a cluster's objects hold few, many times."""
    once = lru_cache(maxsize=_REMEMBERED)(operator)
    return lambda value: once(value) if value.__class__ is str and len(value) <= _SHORT else operator(value)


def _matches(test: Test, wanted: object, _: datetime | None) -> Operator:
    search = compile_pattern(as_text(wanted), test.ignore_case).search

    def operator(value: object) -> Answer:
        text = value if value.__class__ is str else _one_text(value)
        return None if text is None or len(text) > LONGEST_TEXT else search(text) is not None

    return _remembered(operator)


def _quantity(compare: Callable[[Fraction, Fraction], bool], sign: int) -> Callable[[Test, object, datetime | None], Operator]:
    def make(test: Test, wanted: object, _: datetime | None) -> Operator:
        exact = parse_quantity(wanted)
        bound = exact + sign * abs(exact) * Fraction(str(test.tolerance))

        def operator(value: object) -> Answer:
            try:
                return compare(parse_quantity(value), bound)
            except ValueError:
                return None

        return _remembered(operator)

    return make


def _version(_: Test, wanted: object, __: datetime | None) -> Operator:
    versions = parse_range(as_text(wanted))

    def operator(value: object) -> Answer:
        try:
            return versions.contains(parse_version(value))
        except ValueError:
            return None

    return _remembered(operator)


def _time(later: bool) -> Callable[[Test, object, datetime | None], Operator]:
    def make(_: Test, wanted: object, bundle_time: datetime | None) -> Operator:
        bound = parse_moment(as_text(wanted)).at(bundle_time)

        def operator(value: object) -> Answer:
            try:
                found = parse_time(value)
            except ValueError:
                return None
            return None if bound is None else found > bound if later else found < bound

        return operator

    return make


def _covers_host(_: Test, wanted: object, __: datetime | None) -> Operator:
    hosts = [as_text(host) for host in _as_list(wanted)]

    def operator(value: object) -> Answer:
        names = [as_text(name) for name in _as_list(value)]
        return all_of(any_of(covers(name, host) for name in names) for host in hosts)

    return operator


def _similar_to(test: Test, wanted: object, _: datetime | None) -> Operator:
    likeness = make_likeness(wanted)

    def operator(value: object) -> Answer:
        percent = likeness(value)
        return None if percent is None else percent >= test.score

    return operator


def _min_length(_: Test, wanted: object, __: datetime | None) -> Operator:
    least = int(parse_quantity(wanted))
    return lambda value: len(value) >= least if isinstance(value, str | list | tuple | Mapping) else None


_MAKERS: Mapping[str, Callable[[Test, object, datetime | None], Operator]] = {
    "equals": _equals,
    "not_equals": _negated(_equals),
    "one_of": _one_of,
    "not_one_of": _negated(_one_of),
    "exists": _exists,
    "contains": _contains,
    "starts_with": _textual(str.startswith),
    "ends_with": _textual(str.endswith),
    "matches": _matches,
    "at_least": _quantity(ge, -1),
    "at_most": _quantity(le, +1),
    "more_than": _quantity(gt, 0),
    "less_than": _quantity(lt, 0),
    "version": _version,
    "after": _time(later=True),
    "before": _time(later=False),
    "covers_host": _covers_host,
    "min_length": _min_length,
    "similar_to": _similar_to,
}

_WORDS = {
    "equals": "{}",
    "not_equals": "anything but {}",
    "one_of": "one of {}",
    "not_one_of": "none of {}",
    "contains": "contains {}",
    "starts_with": "starts with {}",
    "ends_with": "ends with {}",
    "matches": "matches {}",
    "at_least": "at least {}",
    "at_most": "at most {}",
    "more_than": "more than {}",
    "less_than": "less than {}",
    "version": "version {}",
    "after": "after {}",
    "before": "before {}",
    "covers_host": "valid for {}",
    "equals_field": "the same as {}",
    "min_length": "at least {} characters, elements or keys",
    "similar_to": "similar to {}",
}
_NEGATED = {
    "equals": "anything but {}",
    "not_equals": "{}",
    "one_of": "none of {}",
    "not_one_of": "one of {}",
    "contains": "without {}",
    "starts_with": "does not start with {}",
    "ends_with": "does not end with {}",
    "matches": "does not match {}",
    "at_least": "less than {}",
    "at_most": "more than {}",
    "more_than": "at most {}",
    "less_than": "at least {}",
    "version": "another version than {}",
    "after": "not after {}",
    "before": "not before {}",
    "covers_host": "not valid for {}",
    "equals_field": "something else than {}",
    "min_length": "fewer than {} characters, elements or keys",
    "similar_to": "not similar to {}",
}
# What a value must be for the test, said when it is not.
NEEDS = {
    **dict.fromkeys(("starts_with", "ends_with"), "text"),
    "matches": f"text of at most {LONGEST_TEXT} characters",
    **dict.fromkeys(("at_least", "at_most", "more_than", "less_than"), "a number or quantity"),
    "version": "a version that is exact enough",
    **dict.fromkeys(("after", "before"), "a time"),
    "min_length": "text, a list or a map",
    "similar_to": f"text of at most {LONGEST_LIKENESS} characters",
}


def in_words(test: Test, argument: str, note: str = "", negated: bool = False) -> str:
    """Return what a test wants, for people: "at least 16Gi (6 % tolerance)", or the rule's own words for it."""
    if test.wanted:
        return test.wanted
    if test.name == "exists" or (test.name == "min_length" and argument == "1"):
        present = (test.name == "min_length" or argument.lower() in ("true", "yes")) != negated
        return "any value" if present else "no value"
    tolerance = f"{test.tolerance * 100:g} % tolerance" if test.tolerance else ""
    least = f"at least {test.score} %" if test.name == "similar_to" else ""
    notes = ", ".join(part for part in (least, tolerance, note) if part)
    words = (_NEGATED if negated else _WORDS)[test.name].replace("{}", argument)
    return f"{words}{f' ({notes})' if notes else ''}"
