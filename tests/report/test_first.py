"""What to mend first, and how the customer is told."""

from typing import Any

from runai_analyze.model import Outcome, Severity, Status
from runai_analyze.report.first import first_findings, to_do_first
from runai_analyze.report.ranking import worst_first

from .sample import finding, outcome, rule, sample


def failing(id: str, severity: Severity, area: str, **more: Any) -> Outcome:
    of = rule(id, severity, area, **more)
    return outcome(of, Status.FAIL, findings=(finding(of, f"{id} failed"),))


def first(*outcomes: Outcome) -> list[str]:
    return [it.rule for it in first_findings(worst_first(outcomes))]


def test_all_blockers_come_before_everything() -> None:
    blockers = [failing(f"C{i}", Severity.CRITICAL, "gpu") for i in range(4)]
    assert first(failing("H", Severity.HIGH, "network"), *blockers) == ["C0", "C1", "C2", "C3", "H"]


def test_one_bad_area_does_not_hide_the_others() -> None:
    certificates = [failing(f"T{i}", Severity.HIGH, "certificates") for i in range(6)]
    given = [*certificates, failing("G", Severity.HIGH, "gpu"), failing("N", Severity.HIGH, "network")]
    assert first(*given) == ["T0", "T1", "T2", "N", "G"]


def test_what_is_less_severe_waits() -> None:
    given = [failing("A", Severity.MEDIUM, "network"), failing("B", Severity.HIGH, "gpu"), failing("C", Severity.HIGH, "gpu")]
    assert first(*given) == ["B", "C", "A"]


def test_notes_are_never_first() -> None:
    assert first(failing("A", Severity.LOW, "gpu"), failing("B", Severity.INFO, "gpu")) == []


def test_first_stand_in_the_order_of_the_list_of_findings() -> None:
    report = sample()
    places = [next(i for i, it in enumerate(report.outcomes) if it.rule.id == finding.rule) for finding in report.first]
    assert places == sorted(places)


def test_the_customer_is_told_what_is_wrong_and_how_it_is_mended() -> None:
    bad = failing("A", Severity.HIGH, "gpu", fix="set `x` to 1.\n\nThe rest is long.")
    assert to_do_first(first_findings([bad]), [bad]) == ("A failed. Set x to 1.",)
    bare = failing("B", Severity.HIGH, "gpu")
    assert to_do_first(first_findings([bare]), [bare]) == ("B failed.",)
