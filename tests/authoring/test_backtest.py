"""What changed between two versions of a pack."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from runai_analyze.authoring.backtest import Backtest, BundleChange, FindingChange, OutcomeChange, RuleChange, backtest
from runai_analyze.ruleset import Pack, read_packs

from tests.bundle.builder import Builder, node
from tests.ruleset.packs import RULE, TABLE, write_pack

SMALL = "a has 4"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    nodes = [node(name, capacity={"cpu": cpu}) for name, cpu in (("a", "4"), ("b", "16"), ("c", "6"))]
    return Builder().list("Node", "v1", *nodes).write(tmp_path / "site.tgz")


def packed(folder: Path, *rules: str, **files: str) -> Pack:
    """Return a pack of rules, each named by its id."""
    write_pack(folder, "", **files)
    (folder / "nodes").mkdir(exist_ok=True)
    for text in rules:
        (folder / "nodes" / f"{text.split()[1]}.yaml").write_text(text)
    pack, mistakes = read_packs([folder])
    assert not mistakes, mistakes
    return pack


def compared(tmp_path: Path, old: str | Iterable[str], new: str | Iterable[str], *bundles: Path) -> Backtest:
    olds, news = ([one] if isinstance(one, str) else list(one) for one in (old, new))
    return backtest(packed(tmp_path / "old", *olds), packed(tmp_path / "new", *news), bundles)


def changes(result: Backtest) -> tuple[OutcomeChange, ...]:
    (bundle,) = result.bundles
    return bundle.changes


def test_the_same_pack_answers_the_same(tmp_path: Path, bundle: Path) -> None:
    result = compared(tmp_path, RULE, RULE, bundle)
    assert (result.differs, result.rules, result.bundles) == (False, (), (BundleChange("site.tgz"),))


def test_only_the_day_and_the_revision_is_no_change(tmp_path: Path, bundle: Path) -> None:
    assert not compared(tmp_path, RULE, RULE.replace("revision: 1", "revision: 2"), bundle).differs


def test_findings_that_come_and_go(tmp_path: Path, bundle: Path) -> None:
    more = compared(tmp_path, RULE.replace("at_least: 8", "at_least: 5"), RULE, bundle)
    (change,) = changes(more)
    assert [(one.sign, one.subject, one.severity, one.message) for one in change.findings] == [("+", "Node c", "high", "c has 6")]
    assert more.rules[0] == RuleChange("changed", "RAI-TST-001", "Nodes are small", "expect")
    (change,) = changes(compared(tmp_path, RULE, RULE.replace("at_least: 8", "at_least: 5"), bundle))
    assert [(one.sign, one.subject) for one in change.findings] == [("-", "Node c")]


def test_an_outcome_that_changes(tmp_path: Path, bundle: Path) -> None:
    (change,) = changes(compared(tmp_path, RULE, RULE.replace("at_least: 8", "at_least: 1"), bundle))
    assert (change.rule, change.before, change.after) == ("RAI-TST-001", "fail", "pass")
    assert [finding.sign for finding in change.findings] == ["-", "-"]


def test_severity_and_message(tmp_path: Path, bundle: Path) -> None:
    new = RULE.replace("severity: high", "severity: low").replace("has {{ found }}", "has only {{ found }}")
    (change,) = changes(compared(tmp_path, RULE, new, bundle))
    assert (change.before, change.after) == ("fail", "fail")
    found = [one for one in change.findings if one.subject == "Node a"]
    fingerprint = found[0].fingerprint
    assert found == [FindingChange("~", fingerprint, "Node a", "low", "a has only 4", "high", "a has 4")]


def test_new_removed_and_replaced_rules(tmp_path: Path, bundle: Path) -> None:
    other = RULE.replace("RAI-TST-001", "RAI-TST-002")
    heir = RULE.replace("RAI-TST-001", "RAI-TST-004").replace("owner: tests", "owner: tests\nreplaces: RAI-TST-002")
    heir = heir.replace("at_least: 8", "at_least: 5")
    added = RULE.replace("RAI-TST-001", "RAI-TST-003")
    result = compared(tmp_path, [RULE, other], [added, heir], bundle)
    assert result.rules == (
        RuleChange("removed", "RAI-TST-001", "Nodes are small"),
        RuleChange("replaced", "RAI-TST-002", "Nodes are small", "by RAI-TST-004"),
        RuleChange("new", "RAI-TST-003", "Nodes are small"),
    )
    outcomes = {change.rule: (change.before, change.after, [one.sign for one in change.findings]) for change in changes(result)}
    assert outcomes == {
        "RAI-TST-001": ("fail", "", ["-", "-"]),
        "RAI-TST-002 → RAI-TST-004": ("fail", "fail", ["-"]),  # by subject: Node a is the same finding, Node c went
        "RAI-TST-003": ("", "fail", ["+", "+"]),
    }


def test_a_rule_that_replaces_another_without_other_answers_is_no_change_there(tmp_path: Path, bundle: Path) -> None:
    heir = RULE.replace("RAI-TST-001", "RAI-TST-004").replace("owner: tests", "owner: tests\nreplaces: RAI-TST-001")
    result = compared(tmp_path, RULE, heir, bundle)
    assert [change.kind for change in result.rules] == ["replaced"]
    assert changes(result) == ()


def test_rows_of_tables(tmp_path: Path, bundle: Path) -> None:
    newer = TABLE.replace("value: 10, confidence: documented", "value: 12, confidence: documented") + '  "2.26": {}\n'
    result = backtest(packed(tmp_path / "old", RULE), packed(tmp_path / "new", RULE, tables__racks=newer), [bundle])
    assert result.rules == (RuleChange("table", "racks", "rows 2.25, 2.26"),)
    assert result.differs


def test_what_became_unknown_is_seen(tmp_path: Path) -> None:
    forbidden = Builder().list("Node", "v1", status="forbidden", message="no").write(tmp_path / "b.tgz")
    (change,) = changes(compared(tmp_path, [], [RULE], forbidden))
    assert (change.before, change.after) == ("", "unknown")


def test_a_bundle_that_cannot_be_read_is_a_line_and_the_rest_goes_on(tmp_path: Path, bundle: Path) -> None:
    broken = tmp_path / "broken.tgz"
    broken.write_text("no bundle")
    result = compared(tmp_path, RULE, RULE.replace("at_least: 8", "at_least: 1"), broken, tmp_path / "gone.tgz", bundle)
    assert [bool(one.error) for one in result.bundles] == [True, True, False]
    assert "cannot be read" in result.bundles[1].error
    assert len(result.bundles[2].changes) == 1
    assert result.unread
