"""The checklist: the worst answer on a line wins, unknown stays unknown, what nobody answers is asked."""

from typing import Any

import pytest
from runai_analyze.model import ChecklistLine, Evidence, Missing, Outcome, Severity, Status, Unknown
from runai_analyze.report.checklist import checklist, questions, telling

from .sample import Line, Section, finding, outcome, ref, rule


def answers(*statuses: Status) -> list[Outcome]:
    return [
        outcome(rule(f"R-{i}", checklist="line"), status, f"message {i}", blocked_by="R-9" if status is Status.BLOCKED else "")
        for i, status in enumerate(statuses)
    ]


def answer(outcomes: list[Outcome], features: Any = (), **line: Any) -> ChecklistLine:
    return checklist([Section("Platform", (Line("line", "Title", **line),))], outcomes, {"features": features})[0]


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        ((Status.PASS, Status.FAIL, Status.UNKNOWN), "fail"),
        ((Status.PASS, Status.UNKNOWN), "unknown"),
        ((Status.PASS, Status.ERROR), "unknown"),
        ((Status.PASS, Status.BLOCKED), "unknown"),
        ((Status.PASS, Status.ACCEPTED), "accepted"),
        ((Status.PASS, Status.NOT_APPLICABLE), "pass"),
        ((Status.NOT_APPLICABLE,), "not_applicable"),
        ((), "ask"),
    ],
)
def test_the_worst_answer_wins(statuses: tuple[Status, ...], wanted: str) -> None:
    assert answer(answers(*statuses)).answer == wanted


def test_only_real_questions_go_to_the_customer() -> None:
    lines = checklist([Section("S", (Line("a", "A"), Line("b", "B", ask="Who?"), Line("c", "C", True, ask="Where?")))], [], {})
    assert [line.note for line in questions(lines)] == ["Who?"]


def test_a_question_is_not_answered_by_a_pass_but_by_a_failure() -> None:
    assert answer(answers(Status.PASS), ask="Who?").answer == "ask"
    assert answer(answers(Status.FAIL), ask="Who?").answer == "fail"
    assert answer([], ask="Who?").note == "Who?"


@pytest.mark.parametrize(
    ("features", "statuses", "wanted"),
    [
        ((), (Status.UNKNOWN,), "not_applicable"),
        ((), (Status.FAIL,), "fail"),
        (("inference",), (Status.PASS,), "pass"),
        (("inference",), (), "ask"),
        ((), (), "not_applicable"),
        (Unknown(Missing("x", "y")), (Status.UNKNOWN,), "unknown"),
    ],
)
def test_a_feature_that_nobody_uses_does_not_apply(features: Any, statuses: tuple[Status, ...], wanted: str) -> None:
    assert answer(answers(*statuses), features, feature="inference", optional=True).answer == wanted


def test_the_deciding_rules_say_what_was_seen() -> None:
    good = outcome(rule("A", checklist="line"), Status.PASS, seen="1.35.2")
    bad = outcome(rule("B", checklist="line"), Status.FAIL, "too old", seen="1.20")
    line = answer([good, bad])
    assert (line.seen, line.note, line.rules) == ("1.20", "too old", ("B", "A"))


def test_values_that_say_nothing_alone_are_left_to_the_message() -> None:
    given = [
        outcome(rule(id, checklist="line"), Status.PASS, f"{id} is fine", seen=seen)
        for id, seen in (("A", "true"), ("B", "25.10.1"), ("C", "{}"))
    ]
    line = answer(given)
    assert (line.seen, line.note) == ("25.10.1", "A is fine; B is fine; C is fine")


def test_a_finding_speaks_where_a_rule_shows_nothing() -> None:
    of = rule("A", Severity.HIGH, checklist="line")
    rows = tuple(Evidence(ref("Node", "gpu-06"), f"[{i}]", found, "b") for i, found in enumerate(("docker", "a", "a")))
    line = answer([outcome(of, Status.FAIL, findings=(finding(of, "x", evidence=rows),))])
    assert line.seen == "Node gpu-06: docker and 2 more"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("4, 10, 3", ""),
        ('"", not set', ""),
        ("false", ""),
        ("an empty list, ImagePullBackOff", "ImagePullBackOff"),
        ("25.10", "25.10"),
        ("haproxy, nginx", "haproxy, nginx"),
        ("{a: b}", ""),
    ],
)
def test_only_what_tells_something_without_its_field_is_seen(value: str, words: str) -> None:
    assert telling(value) == words


def test_several_failures_are_all_said_once() -> None:
    given = [
        outcome(rule(id, checklist="line"), Status.FAIL, message) for id, message in (("A", "old"), ("B", "ill"), ("C", "old"))
    ]
    assert answer(given).note == "old; ill"
