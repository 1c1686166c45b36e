"""Counting: what is unknown or was not collected may match as well."""

from pathlib import Path

import pytest
from runai_analyze.model import Missing, Unknown

from tests.engine.facts import SomeFacts, rule_text, run_rule, status_of, thing

READY = {True: "yes", False: "no", None: Unknown(Missing("", "gone"))}


def rule(expect: str, more: str = "", keys: str = "") -> str:
    return rule_text(
        f"count: {{kind: Gadget.example.com, where: [{{field: spec.ready, equals: yes}}]{keys}}}\nexpect_count: {{{expect}}}",
        message="{{ count }} ready, wanted {{ wanted }}",
        more=more,
    )


@pytest.mark.parametrize(
    ("expect", "nodes", "uncollected", "result"),
    [
        ("at_least: 2", [True, True], [], "pass"),
        ("at_least: 2", [True, False], [], "fail"),
        ("at_least: 2", [True, None], [], "unknown"),
        ("at_least: 2", [True, True, None], [], "pass"),
        ("at_least: 2", [False, None], [], "fail"),
        ("at_least: 2", [True, False], ["Gadget"], "unknown"),
        ("at_least: 2", [True, True], ["Gadget"], "pass"),
        ("at_most: 1", [True], [], "pass"),
        ("at_most: 1", [True, True], [], "fail"),
        ("at_most: 1", [True, None], [], "unknown"),
        ("at_most: 1", [True], ["Gadget"], "unknown"),
        ("at_most: 1", [True, True], ["Gadget"], "fail"),
        ("equals: 1", [True], [], "pass"),
        ("equals: 1", [], [], "fail"),
        ("equals: 1", [None], [], "unknown"),
        ("equals: 1", [True, True, None], [], "fail"),
        ("equals: 1", [None, None, None], [], "unknown"),
        ("not_equals: 1", [True, True], [], "pass"),
        ("not_equals: 1", [None, None], [], "unknown"),
        ("one_of: [1, 3]", [True, True], [], "fail"),
        ("one_of: [1, 3]", [True, True, True], [], "pass"),
        ("more_than: 1", [True], [], "fail"),
        ("less_than: 1", [], [], "pass"),
        ('at_least: "{{ cluster.nodes.system }}"', [True], [], "unknown"),
        ('at_least: {table: racks, row: "2.24", column: cpu}', [True], [], "unknown"),
    ],
)
def test_answers(tmp_path: Path, expect: str, nodes: list[bool | None], uncollected: list[str], result: str) -> None:
    objects = [thing(f"n{number}", spec={"ready": READY[ready]}) for number, ready in enumerate(nodes)]
    assert status_of(tmp_path, rule(expect), *objects, uncollected=uncollected) == result


def test_too_few_shows_the_near_misses(tmp_path: Path) -> None:
    objects = [thing("a", spec={"ready": "yes"}), thing("b", spec={"ready": "no"}), thing("c", spec={})]
    outcome = run_rule(tmp_path, rule("at_least: 2, because: one may fail"), SomeFacts(objects))
    (finding,) = outcome.findings
    assert finding.message == "1 ready, wanted at least 2"
    assert [(row.subject.name, row.path, row.found, row.wanted, row.because) for row in finding.evidence] == [
        ("(all)", "", "1", "at least 2", "one may fail"),
        ("b", "spec.ready", "no", "yes", ""),
        ("c", "spec.ready", "not set", "yes", ""),
    ]
    assert outcome.looked_at == 3


def test_too_many_shows_the_matches(tmp_path: Path) -> None:
    objects = [thing("a", spec={"ready": "yes"}), thing("b", spec={"ready": "yes"}), thing("c", spec={})]
    (finding,) = run_rule(tmp_path, rule("at_most: 1"), SomeFacts(objects)).findings
    assert [row.subject.name for row in finding.evidence] == ["(all)", "a", "b"]


def test_the_nearest_misses_come_first_with_each_condition_that_they_failed(tmp_path: Path) -> None:
    where = "[{field: spec.ready, equals: yes}, {field: spec.cores, at_least: 8, because: it must be large}]"
    text = rule_text(f"count: {{kind: Gadget.example.com, where: {where}}}\nexpect_count: {{at_least: 3}}")
    objects = [
        thing("far", spec={"ready": "no"}),
        thing("near", spec={"ready": "yes", "cores": 4}),
        thing("it", spec={"ready": "yes", "cores": 8}),
    ]
    (finding,) = run_rule(tmp_path, text, SomeFacts(objects)).findings
    assert [(row.subject.name, row.path, row.found, row.wanted, row.because) for row in finding.evidence[1:]] == [
        ("near", "spec.cores", "4", "at least 8", "it must be large"),
        ("far", "spec.ready", "no", "yes", ""),
        ("far", "spec.cores", "not set", "at least 8", "it must be large"),
    ]


@pytest.mark.parametrize(
    ("expect", "shown"),
    [
        ("at_most: 1", "matches"),
        ("equals: 1", "matches"),
        ("less_than: 2", "matches"),
        ("equals: 3", "misses"),
        ("at_least: 3", "misses"),
        ("one_of: [1, 4]", "misses"),
        ("one_of: [0, 1]", "matches"),
        ("not_one_of: [2]", "misses"),
    ],
)
def test_what_is_shown_is_what_is_wrong(tmp_path: Path, expect: str, shown: str) -> None:
    objects = [thing("a", spec={"ready": "yes"}), thing("b", spec={"ready": "yes"}), thing("c", spec={"ready": "no"})]
    (finding,) = run_rule(tmp_path, rule(expect), SomeFacts(objects)).findings
    assert [row.subject.name for row in finding.evidence[1:]] == (["a", "b"] if shown == "matches" else ["c"])


def test_the_evidence_is_bounded(tmp_path: Path) -> None:
    objects = [thing(f"n{number}", spec={"ready": "no"}) for number in range(120)]
    (finding,) = run_rule(tmp_path, rule("at_least: 1"), SomeFacts(objects)).findings
    assert len(finding.evidence) == 50
    assert finding.evidence[-1].found == "and 72 more"


def test_the_figure_of_a_weak_source_caps_the_severity(tmp_path: Path) -> None:
    weak = 'at_least: {table: racks, row: "2.25", column: memory}'
    (finding,) = run_rule(tmp_path, rule(weak), SomeFacts([])).findings
    assert (finding.severity.word, finding.evidence[0].wanted) == ("low", "at least 20Gi (racks 2.25, derived)")


def test_pass_message_and_seen(tmp_path: Path) -> None:
    outcome = run_rule(
        tmp_path, rule("at_least: 1", 'pass_message: "{{ count }} nodes are ready"\n'), SomeFacts([thing(spec={"ready": "yes"})])
    )
    assert (outcome.message, outcome.seen) == ("1 nodes are ready", "1 Gadget")


def test_if_none_of_a_count(tmp_path: Path) -> None:
    assert (
        status_of(tmp_path, rule("at_least: 1", keys=", if_none: not_applicable"), thing(spec={"ready": "no"}))
        == "not_applicable"
    )
    assert status_of(tmp_path, rule("at_least: 1", keys=", if_none: not_applicable"), uncollected=["Gadget"]) == "unknown"
