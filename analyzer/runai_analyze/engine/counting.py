"""Counting: how many objects match for sure, how many might, and which nearly did."""

from __future__ import annotations

from fractions import Fraction

from runai_analyze.engine.conditions import Branch
from runai_analyze.engine.environment import Environment, resolve
from runai_analyze.engine.findings import MOST_EVIDENCE, evidence_row
from runai_analyze.engine.logic import Answer
from runai_analyze.engine.operators import Operator, bare_operator, in_words
from runai_analyze.engine.values import display
from runai_analyze.model import Evidence, Item, Missing, ObjectRef, Severity
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.ruleset.rule import Rule

_FAR = 10**15  # more objects than any cluster has; stands for "no end"
_MOST_KEPT = 1000  # objects among which the nearest are looked for
_MOST_ROWS = 5  # of one object
_Kept = list[Evidence]  # the conditions that an object met, or did not


class Counting:
    """The number of a count rule. ``sure`` matched; what is unknown or was not collected may match too."""

    def __init__(self, rule: Rule, environment: Environment) -> None:
        assert rule.expect_count is not None
        self._test = rule.expect_count
        argument = resolve(self._test.argument, environment)
        self._missing = argument.missing
        self._operator: Operator | None = None
        if self._missing is None:
            try:
                self._operator = bare_operator(self._test, argument.value, environment.bundle_time)
            except ValueError as error:
                self._missing = Missing("the argument of expect_count", str(error))
        self._values = argument.value if isinstance(argument.value, list | tuple) else (argument.value,)
        text = "an unknown number" if self._missing else display(argument.value)
        self.wanted = in_words(self._test, text, argument.note)
        self.cap: Severity = argument.cap
        self.sure = 0
        self._not = 0
        self._matches: list[_Kept] = []
        self._near: list[_Kept] = []

    def note(self, item: Item, answer: Answer, where: Branch) -> None:
        """Count one object, and keep why it matched or did not while there is room."""
        self.sure += answer is True
        self._not += answer is False
        kept = self._matches if answer else self._near
        if answer is not None and len(kept) < _MOST_KEPT:
            rows = where.prove(item.body, answer).rows[:_MOST_ROWS]
            kept.append([evidence_row(item, row) for row in rows] or [Evidence(item.ref, "", "matches", "")])

    def answer(self, open_ended: bool, unsure: int) -> tuple[Answer, tuple[Missing, ...]]:
        """Return whether the number is as wanted, whatever the unknown objects are; else unknown."""
        if self._operator is None:
            assert self._missing is not None
            return None, (self._missing,)
        most = _FAR if open_ended else self.sure + unsure
        tries = {self.sure, most} | {number for number in self._turning_points() if self.sure <= number <= most}
        answers = {self._operator(number) for number in tries}
        return (answers.pop(), ()) if len(answers) == 1 else (None, ())

    def _turning_points(self) -> set[int]:
        """The whole numbers at which the answer can change: the wanted ones and their neighbours."""
        points: set[int] = set()
        for value in self._values:
            try:
                whole = int(Fraction(parse_quantity(value)))
            except ValueError:
                continue
            points |= {whole - 1, whole, whole + 1, whole + 2}
        return points

    def evidence(self, subject: ObjectRef) -> list[Evidence]:
        """Return the number, then the objects that matched when they are too many, the near misses when they are too few."""
        number = Evidence(subject, "", f"{self.sure:,}", self.wanted, self._test.because)
        return [number, *(row for rows in self._shown() for row in rows)]

    def more(self) -> int:
        """Return how many objects the evidence leaves out."""
        return (self.sure if self._too_many() else self._not) - len(self._shown())

    def _shown(self) -> list[_Kept]:
        """Return what was kept of the objects for which there is room: of those that did not match the nearest first."""
        kept = self._matches if self._too_many() else sorted(self._near, key=len)
        shown, room = [], MOST_EVIDENCE - 1
        for rows in kept:
            room -= len(rows)
            if room < 0:
                break
            shown.append(rows)
        return shown

    def _too_many(self) -> bool:
        """Return whether the number would be right if it were smaller, and would not if it were larger."""
        if self._operator is None:
            return False
        right = [number for number in {0, _FAR} | self._turning_points() if number >= 0 and self._operator(number)]
        return any(number < self.sure for number in right) and not any(number > self.sure for number in right)
