"""Texts that say nearly the same, and how much: the score that was reached stands in the evidence."""

from pathlib import Path

import pytest
from runai_analyze.engine.similar import make_likeness

from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, status_of, thing

PULL = 'Failed to pull image "nvcr.io/a/b:1.2": rpc error: code = NotFound'


@pytest.mark.parametrize(("text", "percent"), [(PULL, 100), (PULL.upper(), 100), ("", 0)])
def test_percent(text: str, percent: float) -> None:
    assert make_likeness(PULL)(text) == percent


def test_of_several_texts_the_likest_counts() -> None:
    assert make_likeness(("disk full", "no route to host"))("No route to host") == 100


def test_what_differs_from_one_time_to_the_next_does_not_matter(tmp_path: Path) -> None:
    rule = expect_rule("{field: m, similar_to: dial tcp 10.1.2.3:6443 connection refused after 30s, score: 100}")
    assert status_of(tmp_path, rule, thing(m="dial tcp 192.168.0.9:443 connection refused after 5s")) == "pass"


@pytest.mark.parametrize(("score", "status"), [(50, "pass"), (86, "pass"), (87, "fail")])
def test_the_score_is_the_least_percent(tmp_path: Path, score: int, status: str) -> None:
    # By the definition of token_set_ratio: the common words and a blank, "alpha beta gamma ", are 17 letters; the rest, "delta"
    # and "omega", share 2 in order. 2 * (17 + 2) of 22 + 22 letters are 86.4 %.
    rule = expect_rule(f"{{field: m, similar_to: alpha beta gamma delta, score: {score}}}")
    assert status_of(tmp_path, rule, thing(m="omega gamma beta alpha")) == status


def test_85_percent_when_not_written(tmp_path: Path) -> None:
    assert "(at least 85 %)" in wanted(tmp_path, "similar_to: disk full")


def wanted(folder: Path, test: str) -> str:
    (finding,) = run_rule(folder, expect_rule(f"{{field: m, {test}}}"), SomeFacts([thing(m="something else")])).findings
    return finding.evidence[0].wanted


def test_the_evidence_says_how_similar_and_how_similar_it_should_be(tmp_path: Path) -> None:
    rule = rule_text("report_each: {kind: Gadget.example.com, where: [{field: m, similar_to: the disk is full, score: 60}]}")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(m="The disk is full")])).findings
    (row,) = finding.evidence
    assert (row.found, row.wanted) == (
        "The disk is full (100 % similar)",
        'not similar to "the disk is full" (at least 60 %)',
    )


def test_under_none_of_the_evidence_says_so(tmp_path: Path) -> None:
    rule = expect_rule("{none_of: [{field: m, similar_to: [disk full, no space]}]}")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(m="disk full")])).findings
    assert finding.evidence[0].wanted == 'not similar to "disk full" or "no space" (at least 85 %)'
    assert finding.evidence[0].found == "disk full (100 % similar)"


def test_a_text_out_of_a_table_serves(tmp_path: Path) -> None:
    rule = expect_rule('{field: m, similar_to: {table: racks, row: "2.25", column: flags}}')
    assert status_of(tmp_path, rule, thing(m="a")) == "pass"
    assert status_of(tmp_path, rule, thing(m="zzz")) == "fail"
