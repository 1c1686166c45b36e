"""Which outcome is read first, and what folds behind what."""

from runai_analyze.model import Outcome, Severity, Status
from runai_analyze.report.ranking import folded, worst_first

from .sample import finding, outcome, outcomes, ref, rule


def failing(id: str, severity: Severity, area: str = "platform") -> Outcome:
    of = rule(id, severity, area)
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


def test_of_equals_the_cause_of_most_comes_first() -> None:
    given = [failing("A", Severity.HIGH), failing("B", Severity.HIGH), waiting("E", "B")]
    assert [it.rule.id for it in worst_first(given)] == ["B", "A", "E"]


def test_what_only_some_need_comes_after_what_all_need() -> None:
    optional = rule("A", Severity.HIGH, checklist="mpi")
    given = [outcome(optional, Status.FAIL, findings=(finding(optional, "x"),)), waiting("E", "A"), failing("B", Severity.HIGH)]
    assert [it.rule.id for it in worst_first(given, frozenset({"mpi"}))] == ["B", "A", "E"]


def test_what_is_broken_comes_before_a_version_outside_the_matrix() -> None:
    old = rule("A", Severity.HIGH, "certificates", checklist="gpu-operator-version")
    given = [outcome(old, Status.FAIL, findings=(finding(old, "x"),)), failing("B", Severity.HIGH, "monitoring")]
    assert [it.rule.id for it in worst_first(given)] == ["B", "A"]


def test_what_users_notice_comes_before_what_watches() -> None:
    areas = {"A": "monitoring", "B": "gpu", "C": "certificates", "D": "of-a-site"}
    given = [failing(id, Severity.HIGH, area) for id, area in areas.items()]
    assert [it.rule.id for it in worst_first(given)] == ["C", "B", "A", "D"]
    of = rule("A", Severity.HIGH, "gpu")
    exporter = outcome(of, Status.FAIL, findings=(finding(of, "x", subject=ref("DaemonSet", "nvidia-dcgm-exporter")),))
    assert [it.rule.id for it in worst_first([exporter, failing("B", Severity.HIGH, "gpu")])] == ["B", "A"]


def test_every_outcome_of_the_sample_stays() -> None:
    assert sorted(it.rule.id for it in worst_first(outcomes())) == sorted(it.rule.id for it in outcomes())
