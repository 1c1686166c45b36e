"""Conditions compiled to closures: one question per object, and afterwards, for the few that need it, why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from runai_analyze.engine.environment import Environment, Resolved, resolve
from runai_analyze.engine.logic import Answer, all_of, any_of, negate
from runai_analyze.engine.operators import NEEDS, Operator, in_words, make_operator, same
from runai_analyze.engine.similar import make_likeness
from runai_analyze.engine.values import display, hides
from runai_analyze.model import Missing, Severity, Unknown
from runai_analyze.objects.paths import ABSENT, Key, Path, compile_path, step_into
from runai_analyze.objects.times import parse_moment
from runai_analyze.ruleset.rule import Condition, Conditions, Group, Test

Mode = Literal["any", "all"]  # of several values that [*] leads to: one match is enough, or all must match
Judge = Callable[[Any], Answer]
PARTLY_HIDDEN: Final = "the value, or part of it, was hidden by the collector or could not be found out"
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


@dataclass(frozen=True)
class Branch:
    """A compiled group, also the list of conditions at the top."""

    mode: Literal["any_of", "all_of", "none_of"]
    members: tuple[Leaf | Branch, ...]
    judge: Judge

    def prove(self, body: Any, answer: Answer) -> Proof:
        """Return what made the group answer so, and how much weight its sources can carry.

        One member that decides alone carries its own weight; when all of them decide together, the weakest source counts.
        """
        if answer is None:
            asked, alone = None, False
        elif self.mode == "none_of":
            asked, alone = not answer, not answer
        else:
            asked, alone = answer, answer == (self.mode == "any_of")
        proofs = [member.prove(body, asked) for member in self.members if member.judge(body) is asked]
        caps = [proof.cap for proof in proofs] or [Severity.CRITICAL]
        return Proof(tuple(row for proof in proofs for row in proof.rows), max(caps) if alone else min(caps))

    def leaves(self) -> Iterator[Leaf]:
        """Yield the conditions in the order written."""
        for member in self.members:
            if isinstance(member, Branch):
                yield from member.leaves()
            else:
                yield member


def compile_conditions(conditions: Conditions, environment: Environment, mode: Mode) -> Branch:
    """Return conditions that must all be met as one question about the body of an object."""
    return _branch(Group("all_of", conditions), environment, mode, negated=False, because="")


def _branch(group: Group, environment: Environment, mode: Mode, negated: bool, because: str) -> Branch:
    turned = negated != (group.mode == "none_of")
    # Under none_of a single element that meets the test is one too many, also where all must meet the others.
    leaf_mode: Mode = "all" if mode == "all" and not turned else "any"
    reason = group.because or because
    members = tuple(
        _branch(member, environment, mode, turned, reason)
        if isinstance(member, Group)
        else _leaf(member, environment, leaf_mode, turned, reason)
        for member in group.members
    )
    return Branch(group.mode, members, _group_judge(group.mode, [member.judge for member in members]))


def _group_judge(mode: str, judges: Sequence[Judge]) -> Judge:
    if mode == "all_of":
        if len(judges) == 1:
            return judges[0]
        return lambda body: all_of(judge(body) for judge in judges)
    if mode == "any_of":
        return lambda body: any_of(judge(body) for judge in judges)
    return lambda body: negate(any_of(judge(body) for judge in judges))


# --- One condition ----------------------------------------------------------------------------------------------------------


def _leaf(condition: Condition, environment: Environment, mode: Mode, negated: bool, because: str) -> Leaf:
    test = condition.test
    argument = resolve(test.argument, environment)
    keys = resolve(condition.keys, environment) if condition.keys else None
    missing = argument.missing or (keys.missing if keys else None)
    cap = min(argument.cap, keys.cap if keys else Severity.CRITICAL)
    keys = None if missing else keys  # unknown keys: the answer is unknown, whatever the map holds
    if missing is None:
        answer_of, missing = _answer_of(condition, argument, environment)
    else:
        answer_of = _always_unknown
    wanted = in_words(test, _argument_text(condition, argument, environment), argument.note, negated)
    note = _likeness_note(test, argument)
    reads = _reads(condition.path, keys)

    def rows(body: Any) -> Iterator[Row]:
        said = _other_field(condition, wanted, body) if test.name == "equals_field" and not test.wanted else wanted
        for path, value, key in reads(body):
            answer = answer_of(value, body)
            gap = None if answer is not None else missing or _why_unknown(condition, path, value)
            yield Row(path, value, answer, said, test.because or because, key, gap, note(value))

    values = condition.path.values if keys is None else lambda body: [value for _, value, _ in reads(body)]
    words = [step.name for step in condition.path.steps if isinstance(step, Key)]
    tells = test.name != "exists" or str(argument.value).lower() in ("true", "yes")
    return Leaf(_leaf_judge(condition, answer_of, values, mode, keys), values, rows, cap, words[-1] if words else "", tells)


def _leaf_judge(
    condition: Condition,
    answer_of: Callable[[object, Any], Answer],
    values: Callable[[Any], list[object]],
    mode: Mode,
    keys: Resolved | None,
) -> Judge:
    if not condition.path.fans_out and keys is None:
        one = condition.path.one
        return lambda body: answer_of(one(body), body)
    combine = any_of if mode == "any" else all_of
    return lambda body: combine(answer_of(value, body) for value in values(body))


def _reads(path: Path, keys: Resolved | None) -> Callable[[Any], Iterator[tuple[str, object, str]]]:
    """Return a function from a body to (path, value, key) of everything that the condition looks at."""
    if keys is None:
        return lambda body: ((place, value, "") for place, value in path.all(body))
    listed = keys.value if isinstance(keys.value, list | tuple) else (keys.value,)
    names = [str(name) for name in listed]
    return lambda body: (
        (f'{place}["{name}"]', step_into(value, name), name) for place, value in path.all(body) for name in names
    )


def _answer_of(
    condition: Condition, argument: Resolved, environment: Environment
) -> tuple[Callable[[object, Any], Answer], Missing | None]:
    """Return the test on (value, body), and why it can never be answered when its argument is of no use."""
    test = condition.test
    absent = _ABSENT_ANSWERS[condition.when_absent]
    if test.name == "exists" and not condition.when_absent:
        absent = str(argument.value).lower() in ("false", "no")
    if test.name == "equals_field":
        return _field_answer(condition, compile_path(str(argument.value)), absent), None
    try:
        operator = make_operator(test, argument.value, environment.bundle_time)
    except ValueError as error:
        return _always_unknown, Missing("the argument of " + test.name, str(error))
    return _value_answer(operator, absent), None


def _value_answer(operator: Operator, absent: Answer) -> Callable[[object, Any], Answer]:
    def answer(value: object, _: Any) -> Answer:
        if value is ABSENT:
            return absent
        return None if isinstance(value, Unknown) else operator(value)

    return answer


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


def _always_unknown(_: object, __: Any) -> Answer:
    return None


def _why_unknown(condition: Condition, path: str, value: object) -> Missing:
    """Return why a value could not be tested; ``what`` is the path, the object is added by the caller that knows it."""
    if isinstance(value, Unknown):
        missing = value.missing
        return missing if missing.what else replace(missing, what=path)
    if value is ABSENT:
        why = "no object says what counts then" if condition.ask else "the rule cannot tell what that means"
        return Missing(path, f"the field is not set, and {why}", question=condition.ask)
    if hides(value):
        return Missing(path, PARTLY_HIDDEN)
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
