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
        self._matches: list[Evidence] = []
        self._near: list[Evidence] = []

    def note(self, item: Item, answer: Answer, where: Branch) -> None:
        """Count one object, and keep why it matched or did not while there is room."""
        self.sure += answer is True
        self._not += answer is False
        kept = self._matches if answer else self._near
        if answer is None or len(kept) >= MOST_EVIDENCE - 1:
            return
        rows = where.prove(item.body, answer).rows
        if rows:
            kept.append(evidence_row(item, rows[0]))
        else:
            kept.append(Evidence(item.ref, "", "matches", ""))

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
        return [number, *self._shown()]

    def more(self) -> int:
        """Return how many objects the evidence leaves out."""
        total = self.sure if self._shown() is self._matches else self._not
        return total - len(self._shown())

    def _shown(self) -> list[Evidence]:
        too_many = self._operator is not None and self._operator(self.sure + 1) is False and self._operator(0) is True
        return self._matches if too_many else self._near
