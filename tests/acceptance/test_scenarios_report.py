"""What the report says: nothing of a healthy cluster, every fault of a broken one, the prerequisites line by line."""

from typing import Any

import pytest
import yaml

from tests.acceptance.alone import Alone
from tests.acceptance.faults import Found, explains, findings, is_about, subjects_of
from tests.acceptance.programs import ROOT, Analyzed
from tests.cluster.scenario_data import Fault, read_faults

pytestmark = pytest.mark.cluster

FAULTS = read_faults()
SHARE_OF_PASSES = 0.9
CHECKLIST = ROOT / "tests" / "cluster" / "scenarios" / "pre-install" / "checklist.yaml"


def test_healthy_has_nothing_above_low(healthy_report: Analyzed) -> None:
    assert [str(found) for found in findings(healthy_report.report) if found.above_low] == []
    assert healthy_report.run.code == 0, healthy_report.run


def test_of_the_rules_that_apply_to_healthy_at_least_nine_of_ten_pass(healthy_report: Analyzed) -> None:
    applicable = [outcome for outcome in healthy_report.report["outcomes"] if outcome["status"] != "not_applicable"]
    others = [
        f"{outcome['rule']}: {outcome['status']}, {outcome['message']}" for outcome in applicable if outcome["status"] != "pass"
    ]
    assert len(applicable) >= 30
    assert len(applicable) - len(others) >= SHARE_OF_PASSES * len(applicable), "\n".join(others)


def test_healthy_says_why_where_a_rule_does_not_pass(healthy_report: Analyzed) -> None:
    others = [outcome for outcome in healthy_report.report["outcomes"] if outcome["status"] not in ("pass", "fail")]
    assert [outcome["rule"] for outcome in others if not outcome["message"]] == []


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.together], ids=lambda fault: fault.id)
def test_broken_site_shows_every_fault(broken_report: Analyzed, fault: Fault) -> None:
    all_findings = findings(broken_report.report)
    explaining = [found for found in all_findings if explains(found, fault)]
    near = [str(found) for found in all_findings if is_about(found, fault)]
    assert explaining, f"{fault.title}\nfindings on the object:\n" + "\n".join(near)


def test_broken_site_shows_nothing_else_above_low(broken_report: Analyzed) -> None:
    planted = [fault for fault in FAULTS if fault.together]
    assert len(planted) >= 20
    others = [
        found
        for found in findings(broken_report.report)
        if found.above_low and not any(is_about(found, fault) for fault in planted)
    ]
    assert [str(found) for found in others] == []


def test_faults_on_one_object_are_told_apart(broken_report: Analyzed) -> None:
    """As many rules speak of an object as faults were planted on it."""
    planted = [fault for fault in FAULTS if fault.together]
    for fault in planted:
        neighbours = [other for other in planted if subjects_of(other) & subjects_of(fault)]
        rules = {found.rule for found in findings(broken_report.report) if any(explains(found, other) for other in neighbours)}
        assert len(rules) >= len(neighbours), f"{[other.id for other in neighbours]}: {sorted(rules)}"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_alone_gives_its_finding_and_no_other(alone: Alone, fault: Fault) -> None:
    before, after = (findings(report) for report in (alone.before(fault), alone.with_fault(fault)))
    known = {found.fingerprint for found in before}
    new = [found for found in after if found.fingerprint not in known]
    assert any(explains(found, fault) for found in new), f"{fault.title}\n{_listed(new)}"
    assert [str(found) for found in new if not is_about(found, fault)] == []
    assert _unanswered(alone.with_fault(fault)) == _unanswered(alone.before(fault))


@pytest.fixture(scope="module")
def checklist(pre_install_report: Analyzed) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in pre_install_report.report["checklist"]["lines"]}


def test_the_checklist_has_the_lines_of_the_page_and_no_other(checklist: dict[str, dict[str, Any]]) -> None:
    assert sorted(checklist) == sorted(line["id"] for line in _expected_lines())


@pytest.mark.parametrize("expected", yaml.safe_load(CHECKLIST.read_text())["lines"], ids=lambda line: line["id"])
def test_the_checklist_of_pre_install_is_right(checklist: dict[str, dict[str, Any]], expected: dict[str, Any]) -> None:
    line = checklist[expected["id"]]
    assert line["answer"] == expected["answer"], f"because: {expected['because']}\nthe report: {line}"


def _expected_lines() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = yaml.safe_load(CHECKLIST.read_text())["lines"]
    return lines


def _unanswered(report: dict[str, Any]) -> list[str]:
    return [outcome["rule"] for outcome in report["outcomes"] if outcome["status"] in ("unknown", "error")]


def _listed(found: list[Found]) -> str:
    return "new findings:\n" + "\n".join(str(one) for one in found)
