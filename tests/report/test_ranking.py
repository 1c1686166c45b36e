"""Which outcome is read first, and what folds behind what."""

from runai_analyze.model import Outcome, Severity, Status
from runai_analyze.report.ranking import first_findings, folded, worst_first

from .sample import finding, outcome, outcomes, rule


def failing(id: str, severity: Severity) -> Outcome:
    of = rule(id, severity)
    return outcome(of, Status.FAIL, findings=(finding(of, f"{id} failed"),))


def waiting(id: str, cause: str) -> Outcome:
    return outcome(rule(id), Status.BLOCKED, blocked_by=cause)


def test_worst_first() -> None:
    given = [
        outcome(rule("P"), Status.PASS),
        failing("L", Severity.LOW),
        outcome(rule("U"), Status.UNKNOWN),
        failing("C", Severity.CRITICAL),
    ]
    assert [it.rule.id for it in worst_first(given)] == ["C", "L", "U", "P"]


def test_a_chain_of_causes_folds_behind_its_first() -> None:
    given = [failing("A", Severity.HIGH), waiting("B", "A"), waiting("C", "B"), waiting("D", "A")]
    assert {cause: [it.rule.id for it in effects] for cause, effects in folded(given).items()} == {"A": ["B", "C", "D"]}


def test_a_circle_of_causes_ends() -> None:
    assert sum(len(effects) for effects in folded([waiting("A", "B"), waiting("B", "A")]).values()) == 2


def test_first_are_the_worst_and_then_those_with_most_behind_them() -> None:
    given = [
        failing("A", Severity.HIGH),
        failing("B", Severity.HIGH),
        failing("C", Severity.CRITICAL),
        failing("D", Severity.MEDIUM),
    ]
    assert [it.rule for it in first_findings([*given, waiting("E", "B")])] == ["C", "B", "A"]


def test_what_only_some_need_comes_after_what_all_need() -> None:
    optional = rule("A", Severity.HIGH, checklist="mpi")
    given = [outcome(optional, Status.FAIL, findings=(finding(optional, "x"),)), waiting("E", "A"), failing("B", Severity.HIGH)]
    assert [it.rule for it in first_findings(given, frozenset({"mpi"}))] == ["B", "A"]


def test_notes_are_never_first() -> None:
    assert first_findings([failing("A", Severity.LOW), failing("B", Severity.INFO)]) == ()


def test_every_outcome_of_the_sample_stays() -> None:
    assert sorted(it.rule.id for it in worst_first(outcomes())) == sorted(it.rule.id for it in outcomes())
