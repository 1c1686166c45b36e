"""One condition compiled: the question to an object, and the rows of evidence that show its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from runai_analyze.engine.checks import Check, make_check
from runai_analyze.engine.environment import Environment, Resolved, resolve
from runai_analyze.engine.logic import Answer, all_of, any_of
from runai_analyze.engine.operators import NEEDS, in_words, same
from runai_analyze.engine.similar import make_likeness
from runai_analyze.engine.values import display, hides
from runai_analyze.model import Missing, Severity, Unknown
from runai_analyze.objects.paths import ABSENT, NOT_SHOWN, UNSHOWN, Key, Path, compile_path, step_into
from runai_analyze.objects.times import is_time, parse_moment
from runai_analyze.ruleset.rule import Condition, Test

Mode = Literal["any", "all"]  # of several values that [*] leads to: one match is enough, or all must match
Judge = Callable[[Any], Answer]
PARTLY_HIDDEN: Final = "the value, or part of it, was hidden by the collector or could not be found out"
_Values = Callable[[Any], list[object]]
_AnswerOf = Callable[[object, Any], Answer]  # of a value, and the body that it stands in
_ABSENT_ANSWERS: dict[str, Answer] = {"pass": True, "fail": False, "unknown": None, "": False}


@dataclass(frozen=True)
class Row:
    """One value that was looked at. ``key``: the key of ``keys`` that it belongs to."""

    path: str
    value: object
    answer: Answer
    wanted: str
    because: str
    key: str = ""
    missing: Missing | None = None
    note: str = ""  # said behind the value that was found: how similar it is


@dataclass(frozen=True)
class Proof:
    """The rows that make an answer what it is, and the worst severity that the sources of their figures can carry."""

    rows: tuple[Row, ...]
    cap: Severity


@dataclass(frozen=True)
class Leaf:
    """A compiled condition."""

    judge: Judge
    values: Callable[[Any], list[object]]
    rows: Callable[[Any], Iterator[Row]]
    cap: Severity
    name: str = ""  # the last word of the path
    tells: bool = True  # the value says something; of a field that must not be there none does

    def prove(self, body: Any, answer: Answer) -> Proof:
        """Return the values that gave this answer."""
        return Proof(tuple(row for row in self.rows(body) if row.answer is answer), self.cap)


def compile_leaf(condition: Condition, environment: Environment, mode: Mode, negated: bool, because: str) -> Leaf:
    """Return one condition. ``negated``: it stands under none_of; ``because``: of its group, where it has none itself."""
    test = condition.test
    argument = resolve(test.argument, environment)
    keys = resolve(condition.keys, environment) if condition.keys else None
    missing = argument.missing or (keys.missing if keys else None)
    cap = min(argument.cap, keys.cap if keys else Severity.CRITICAL)
    keys = None if missing else keys  # unknown keys: the answer is unknown, whatever the map holds
    reads = _reads(condition.path, keys)
    values = condition.path.values if keys is None else lambda body: [value for _, value, _ in reads(body)]
    answer_of, judge, missing = _asked(condition, argument, environment, missing, values, mode)
    wanted = in_words(test, _argument_text(condition, argument, environment), argument.note, negated)
    note = _likeness_note(test, argument)

    def rows(body: Any) -> Iterator[Row]:
        said = _other_field(condition, wanted, body) if test.name == "equals_field" and not test.wanted else wanted
        for path, value, key in reads(body):
            answer = answer_of(value, body)
            gap = None if answer is not None else missing or _why_unknown(condition, path, value)
            yield Row(path, value, answer, said, test.because or because, key, gap, note(value))

    words = [step.name for step in condition.path.steps if isinstance(step, Key)]
    tells = test.name != "exists" or _is_yes(argument.value)
    return Leaf(judge, values, rows, cap, words[-1] if words else "", tells)


def _reads(path: Path, keys: Resolved | None) -> Callable[[Any], Iterator[tuple[str, object, str]]]:
    """Return a function from a body to (path, value, key) of everything that the condition looks at."""
    if keys is None:
        return lambda body: ((place, value, "") for place, value in path.all(body))
    listed = keys.value if isinstance(keys.value, list | tuple) else (keys.value,)
    names = [str(name) for name in listed]
    return lambda body: (
        (f'{place}["{name}"]', step_into(value, name), name) for place, value in path.all(body) for name in names
    )


def _asked(
    condition: Condition, argument: Resolved, environment: Environment, missing: Missing | None, values: _Values, mode: Mode
) -> tuple[_AnswerOf, Judge, Missing | None]:
    """Return the test on a value, the same on an object, and why neither can ever be answered, if so."""
    test = condition.test
    absent = _ABSENT_ANSWERS[condition.when_absent]
    if test.name == "exists" and not condition.when_absent:
        absent = not _is_yes(argument.value)
    if missing is None and test.name == "equals_field":
        of_field = _field_answer(condition, compile_path(str(argument.value)), absent)
        combine = any_of if mode == "any" else all_of
        return of_field, lambda body: combine(of_field(value, body) for value in values(body)), None
    try:
        check = None if missing else make_check(test, argument.value, environment.bundle_time, absent)
    except ValueError as error:
        check, missing = None, Missing("the argument of " + test.name, str(error))
    if check is None:
        return lambda value, body: None, lambda body: None, missing
    return lambda value, body: check(value), _judge(condition, check, values, mode), None


def _is_yes(value: object) -> bool:
    return str(value).lower() in ("true", "yes")


def _judge(condition: Condition, check: Check, values: _Values, mode: Mode) -> Judge:
    if condition.path.fans_out or condition.keys is not None:
        return _each_value(values, check, decides=mode == "any")
    one = condition.path.one
    return lambda body: check(one(body))


def _each_value(values: _Values, check: Check, decides: bool) -> Judge:
    """Return the answer of all values: the one that ``decides`` wherever it comes, else unknown where there is one."""

    def judge(body: Any) -> Answer:
        result: Answer = not decides
        for value in values(body):
            answer = check(value)
            if answer is decides:
                return decides
            if answer is None:
                result = None
        return result

    return judge


def _field_answer(condition: Condition, other: Path, absent: Answer) -> Callable[[object, Any], Answer]:
    ignore_case = condition.test.ignore_case

    def answer(value: object, body: Any) -> Answer:
        wanted = [found for _, found in other.all(body)]
        if value is ABSENT:
            return absent
        if hides(value) or any(hides(found) for found in wanted):
            return None
        return all_of(found is not ABSENT and same(value, found, ignore_case) for found in wanted)

    return answer


def _likeness_note(test: Test, argument: Resolved) -> Callable[[object], str]:
    """Return a function that says of a value how similar it is: ``91 % similar``; never rounded up to what would be enough."""
    if test.name != "similar_to" or argument.missing:
        return lambda value: ""
    likeness = make_likeness(argument.value)

    def note(value: object) -> str:
        percent = None if value is ABSENT or hides(value) else likeness(value)
        return "" if percent is None else f"{int(percent)} % similar"

    return note


def _other_field(condition: Condition, wanted: str, body: Any) -> str:
    """Return what another field wants, with its value: ``the same as facts.desired (4)``."""
    values = compile_path(str(getattr(condition.test.argument, "value", ""))).values(body)
    return f"{wanted} ({display(values[0] if len(values) == 1 else values)})"


def _why_unknown(condition: Condition, path: str, value: object) -> Missing:
    """Return why a value could not be tested; ``what`` is the path, the object is added by the caller that knows it."""
    if isinstance(value, Unknown):
        missing = value.missing
        return missing if missing.what else replace(missing, what=path)
    if value is ABSENT:
        why = "no object says what counts then" if condition.ask else "the rule cannot tell what that means"
        return Missing(path, f"the field is not set, and {why}", question=condition.ask)
    if hides(value):
        return Missing(path, UNSHOWN if value == NOT_SHOWN else PARTLY_HIDDEN)
    if condition.test.name in ("after", "before") and is_time(value):
        return Missing(path, "the bundle does not say when it was made (in an example: bundle_time), so no age is known")
    needs = NEEDS.get(condition.test.name, "comparable")
    return Missing(path, f"{display(value)} is not {needs}")


def _argument_text(condition: Condition, argument: Resolved, environment: Environment) -> str:
    if argument.missing:
        return "an unknown value"
    if condition.test.name == "similar_to":
        texts = argument.value if isinstance(argument.value, list | tuple) else (argument.value,)
        return " or ".join(f'"{display(text)}"' for text in texts)
    text = display(argument.value)
    if condition.test.name in ("after", "before"):
        try:
            moment = parse_moment(str(argument.value))
        except ValueError:
            return text
        return moment.in_words(environment.bundle_time)
    return text
