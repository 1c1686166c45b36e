"""Conditions held against each other: what can never be met together, and what says the same.

Only what can be told from the rule alone: values written in it, on a path that leads to one value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.ruleset.patterns import PatternError, compile_pattern
from runai_analyze.ruleset.rule import Condition, Group, Literal_, Test

Essence = tuple[object, ...]
_YES = ("true", "yes")


def essence(item: Condition | Group) -> Essence:
    """Return what a condition asks, without the words about it: two that ask the same have the same."""
    if isinstance(item, Group):
        return (item.mode, *sorted(map(repr, map(essence, item.members))))
    test = item.test
    asked = (test.name, test.argument, test.ignore_case, test.tolerance, test.score)
    return (item.path.text, *asked, item.when_absent, item.keys)


def exclude(one: Condition | Group, other: Condition | Group) -> bool:
    """Return whether the two can never be met by the same object."""
    if isinstance(one, Group):
        return _group_excludes(one, other)
    if isinstance(other, Group):
        return _group_excludes(other, one)
    if one.path.text != other.path.text or one.path.fans_out or one.keys or other.keys:
        return False
    if one.when_absent == other.when_absent == "pass":
        return False  # an object without the field meets both
    return _absent_against(one, other) or _absent_against(other, one) or _values_exclude(one.test, other.test)


def _group_excludes(group: Group, other: Condition | Group) -> bool:
    if group.mode == "any_of":
        return all(exclude(member, other) for member in group.members)
    if group.mode == "all_of":
        return any(exclude(member, other) for member in group.members)
    return any(essence(member) == essence(other) for member in group.members)


def _absent_against(one: Condition, other: Condition) -> bool:
    """Return whether the first wants the field not to be set, and the other wants something of its value."""
    if one.test.name != "exists" or _is_yes(one.test):
        return False
    if other.test.name == "exists":
        return _is_yes(other.test)
    return other.when_absent not in ("pass", "unknown")


def _is_yes(test: Test) -> bool:
    return isinstance(test.argument, Literal_) and str(test.argument.value).lower() in _YES


def _values_exclude(one: Test, other: Test) -> bool:
    if not isinstance(one.argument, Literal_) or not isinstance(other.argument, Literal_):
        return False
    for test, against in ((one, other), (other, one)):
        allowed = _allowed(test)
        if allowed and not (test.ignore_case or against.ignore_case):
            return all(meets(value, against) is False for value in allowed)
    return _bounds_exclude(one, other) or _starts_exclude(one, other)


def _allowed(test: Test) -> tuple[str, ...]:
    """Return the only values that a test lets through; empty when there are others."""
    value = test.argument.value if isinstance(test.argument, Literal_) else ()
    if test.name == "one_of":
        return value if isinstance(value, tuple) else ()
    return (value,) if test.name == "equals" and isinstance(value, str) else ()


def meets(value: str, test: Test) -> bool | None:
    """Return whether a value can meet a test that has a value written in the rule; None where that cannot be told.

    ``8`` in a rule may be a text or a number in the bundle: as a text it differs from ``8.0``, as a number it does not.
    """
    argument = test.argument.value if isinstance(test.argument, Literal_) else None
    options = argument if isinstance(argument, tuple) else ()
    if test.name == "one_of":
        return any(_same(value, option) for option in options)
    if test.name == "not_one_of":
        return value not in options
    if not isinstance(argument, str):
        return None
    compare = _COMPARE.get(test.name)
    return None if compare is None or test.tolerance else compare(value, argument)


def _same(one: str, other: str) -> bool:
    return one == other or (_number(one) is not None and _number(one) == _number(other))


def _number(text: str) -> Fraction | None:
    try:
        return parse_quantity(text)
    except ValueError:
        return None


def _bound(test: Callable[[Fraction, Fraction], bool]) -> Callable[[str, str], bool | None]:
    def compare(value: str, argument: str) -> bool | None:
        found, wanted = _number(value), _number(argument)
        return None if found is None or wanted is None else test(found, wanted)

    return compare


def _textual(compare: Callable[[str, str], bool | None]) -> Callable[[str, str], bool | None]:
    """Return a comparison of texts that tells nothing of what may be a number, which is written in many ways."""
    return lambda value, argument: None if _number(value) is not None else compare(value, argument)


def _matches(value: str, argument: str) -> bool | None:
    try:
        return compile_pattern(argument).search(value) is not None
    except PatternError:
        return None


_COMPARE: dict[str, Callable[[str, str], bool | None]] = {
    "equals": _same,
    "not_equals": lambda value, argument: value != argument,
    "starts_with": _textual(str.startswith),
    "ends_with": _textual(str.endswith),
    "matches": _textual(_matches),
    "at_least": _bound(lambda found, wanted: found >= wanted),
    "at_most": _bound(lambda found, wanted: found <= wanted),
    "more_than": _bound(lambda found, wanted: found > wanted),
    "less_than": _bound(lambda found, wanted: found < wanted),
}
_FROM, _TO = ("at_least", "more_than"), ("at_most", "less_than")


def _bounds_exclude(one: Test, other: Test) -> bool:
    low, high = (one, other) if one.name in _FROM else (other, one)
    if low.name not in _FROM or high.name not in _TO or low.tolerance or high.tolerance:
        return False
    assert isinstance(low.argument, Literal_), "seen before"
    assert isinstance(high.argument, Literal_), "seen before"
    least, most = _number(str(low.argument.value)), _number(str(high.argument.value))
    if least is None or most is None:
        return False
    return least > most or (least == most and "than" in low.name + high.name)


def _starts_exclude(one: Test, other: Test) -> bool:
    if not one.name == other.name == "starts_with" or one.ignore_case or other.ignore_case:
        return False
    left, right = getattr(one.argument, "value", ""), getattr(other.argument, "value", "")
    return isinstance(left, str) and isinstance(right, str) and not left.startswith(right) and not right.startswith(left)
