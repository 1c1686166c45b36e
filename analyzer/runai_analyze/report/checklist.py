"""The vendor's prerequisites line by line, each with the worst answer of its rules, or a question to ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from ..model import ChecklistLine, Outcome, Status, Unknown
from .text import brief, count, cut

Answer = Literal["pass", "fail", "unknown", "not_applicable", "ask", "accepted"]

_ANSWERS: Mapping[Status, Answer] = {
    Status.FAIL: "fail",
    Status.ERROR: "unknown",
    Status.UNKNOWN: "unknown",
    Status.BLOCKED: "unknown",
    Status.ACCEPTED: "accepted",
    Status.PASS: "pass",
    Status.NOT_APPLICABLE: "not_applicable",
}
_MUTE = ("", "true", "false", "yes", "no", "an empty list", "not set", "none")
_WORD = re.compile(r"[^\W\d_]|[0-9]\.[0-9]")  # a letter, or a version: mere counts say nothing
NO_RULE = "No rule answers this line."
# Worst first: a line is only met when nothing on it failed and nothing on it is open.
_WORST: tuple[Answer, ...] = ("fail", "unknown", "ask", "accepted", "pass", "not_applicable")


def questions(lines: Iterable[ChecklistLine]) -> tuple[ChecklistLine, ...]:
    """Return the lines whose question goes to the customer; what is optional, or what only lacks a rule, does not."""
    return tuple(line for line in lines if line.answer == "ask" and not line.optional and line.note != NO_RULE)


class Line(Protocol):
    """One line of the pack's checklist."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def optional(self) -> bool: ...
    @property
    def feature(self) -> str: ...
    @property
    def ask(self) -> str: ...


class Section(Protocol):
    """A section of the pack's checklist with its lines."""

    @property
    def section(self) -> str: ...
    @property
    def lines(self) -> Iterable[Line]: ...


def checklist(sections: Iterable[Section], outcomes: Sequence[Outcome], cluster: Mapping[str, Any]) -> tuple[ChecklistLine, ...]:
    """Return every line of the checklist, answered from the outcomes of the rules that name it."""
    on_line: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.rule.checklist:
            on_line.setdefault(outcome.rule.checklist, []).append(outcome)
    return tuple(
        _answered(section.section, line, on_line.get(line.id, []), cluster) for section in sections for line in section.lines
    )


def _answered(section: str, line: Line, outcomes: Sequence[Outcome], cluster: Mapping[str, Any]) -> ChecklistLine:
    answers = {_ANSWERS[outcome.status] for outcome in outcomes}
    unused = _unused(line.feature, cluster)
    if unused and not answers & {"fail", "accepted"}:
        return _line(section, line, "not_applicable", "", outcomes, unused)
    if line.ask or not outcomes:
        answers.add("ask")
    answer = next(it for it in _WORST if it in answers)
    deciding = [outcome for outcome in outcomes if _ANSWERS[outcome.status] == answer]
    return _line(section, line, answer, _seen(deciding or outcomes), outcomes, _note(line, answer, deciding))


def _line(section: str, line: Line, answer: Answer, seen: str, outcomes: Sequence[Outcome], note: str) -> ChecklistLine:
    rules = tuple(outcome.rule.id for outcome in sorted(outcomes, key=lambda it: (_WORST.index(_ANSWERS[it.status]), it.rule.id)))
    return ChecklistLine(section, line.id, line.title, answer, seen, rules, note, line.optional)


def _unused(feature: str, cluster: Mapping[str, Any]) -> str:
    """Return why a line does not apply: its feature is neither installed nor planned. Empty when it may apply."""
    features = cluster.get("features")
    if not feature or features is None or isinstance(features, Unknown):
        return ""
    open_still = any(isinstance(it, Unknown) and it.about in ("", feature) for it in features)
    return "" if feature in features or open_still else f"{feature} is neither installed nor planned"


def _seen(outcomes: Sequence[Outcome]) -> str:
    seen = [telling(outcome.seen) or _found(outcome) for outcome in outcomes]
    return cut("; ".join(dict.fromkeys(cut(text, 120) for text in seen if text)))


def telling(value: str) -> str:
    """Return what of a value tells a reader something without the name of its field; the rule's message says the rest."""
    if value.startswith(("{", "[")):
        return ""
    parts = [part for part in value.split(", ") if part.strip('"').lower() not in _MUTE]
    return ", ".join(parts) if any(_WORD.search(part) for part in parts) else ""


def _found(outcome: Outcome) -> str:
    evidence = [(finding.subject, row) for finding in outcome.findings for row in finding.evidence]
    if not evidence:
        return ""
    subject, row = evidence[0]
    if not telling(row.found):
        return ""
    more = f" and {count(len(evidence) - 1, 'more', 'more')}" if len(evidence) > 1 else ""
    return f"{cut(str(subject), 80)}: {cut(telling(row.found), 80)}{more}"


def _note(line: Line, answer: Answer, deciding: Sequence[Outcome]) -> str:
    if answer == "ask":
        return line.ask or NO_RULE
    texts = [outcome.message for outcome in deciding]
    return brief("; ".join(dict.fromkeys(text for text in texts if text)), 400)
