"""What we could not see, folded by what is missing."""

from runai_analyze.model import Missing, Outcome, Severity, Status
from runai_analyze.report.unseen import could_not_see

from .sample import outcome, rule


def lacking(id: str, what: str, severity: Severity = Severity.HIGH) -> Outcome:
    missing = (Missing(what, "the account may not read it"),) if what else ()
    return outcome(rule(id, severity), Status.UNKNOWN, missing=missing)


def seen(*unseen: Outcome) -> list[tuple[str, int]]:
    return [(it.what, it.rules) for it in could_not_see(unseen, {it.rule.id: it.rule.id for it in unseen})]


def test_rules_that_lack_the_same_are_one_line() -> None:
    assert seen(lacking("A", "Node"), lacking("B", "Pod"), lacking("C", "Pod")) == [("Pod", 2), ("Node", 1)]


def test_what_a_severe_rule_lacks_comes_first() -> None:
    assert seen(lacking("A", "Pod"), lacking("B", "Pod"), lacking("C", "Node", Severity.CRITICAL)) == [("Node", 1), ("Pod", 2)]


def test_a_rule_that_waits_for_another_lacks_what_that_one_lacks() -> None:
    assert seen(lacking("A", "Node"), lacking("B", "the answer of A"), lacking("C", "the answer of B")) == [("Node", 3)]


def test_rules_that_wait_for_each_other_end() -> None:
    assert sum(number for _, number in seen(lacking("A", "the answer of B"), lacking("B", "the answer of A"))) == 2


def test_a_rule_that_broke_stands_for_itself() -> None:
    assert seen(lacking("A", "")) == [("A gave no answer", 1)]


def test_names_of_objects_keep_their_letters() -> None:
    assert seen(lacking("A", "runai/tls"), lacking("B", "the Run:ai release")) == [("The Run:ai release", 1), ("runai/tls", 1)]
