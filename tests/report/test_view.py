"""What the page shows of a report."""

import pytest
from runai_analyze.model import Missing, Status, Unknown
from runai_analyze.report.making import account
from runai_analyze.report.view import build_view, is_harmless, option_words

from .sample import CLUSTER, finding, outcome, outcomes, rule, sample


def test_a_reason_that_several_facts_share_is_written_once() -> None:
    gap = Unknown(Missing("nodes", "nodes may not be listed"))
    view = build_view(sample(cluster={**CLUSTER, "nodes": gap, "gpus": gap}), paper=False)
    notes = {fact.label: fact.note for fact, _ in view.facts}
    assert (notes["Nodes"], notes["GPUs"]) == ("nodes may not be listed", "for the same reason")


def test_facts_outside_the_matrix_are_marked_and_say_what_is_wanted() -> None:
    view = build_view(sample(), paper=False)
    assert {mark for _, mark in view.facts} == {"", "unknown"}
    fits = tuple(
        type(fit)(fit.release, "no", (("kubernetes", "1.36", "1.33 - 1.35", "no"),), fit.current) for fit in sample().releases
    )
    marked = build_view(sample(fits=fits), paper=False)
    assert [fact.label for fact, mark in marked.facts if mark == "risk"] == ["Kubernetes"]
    assert marked.wanted == {"Kubernetes": "1.33–1.35"}


def test_an_extract_is_printed_once() -> None:
    doc = (("Title", "Text.", "Source"),)
    rules = [rule("A", docs=doc), rule("B", docs=doc)]
    view = build_view(sample(given=[outcome(it, Status.FAIL, findings=(finding(it, "x"),)) for it in rules]), paper=False)
    assert [it.docs[0][3] for it in view.findings] == ["", "rule-a"]


def test_many_findings_of_a_rule_stand_as_rows_without_heads() -> None:
    of = rule("A")
    many = tuple(finding(of, f"message {i}") for i in range(21))
    few, all_of_them = (
        build_view(sample(given=[outcome(of, Status.FAIL, findings=some)]), paper=False).findings[0] for some in (many[:20], many)
    )
    assert [row.head for row in few.rows][:2] == ["message 0", "message 1"]
    assert {row.head for row in all_of_them.rows} == {""}


def test_the_bar_of_outcomes_is_full() -> None:
    shares = account(outcomes())
    assert sum(number for _, number, _, _ in shares) == len(outcomes())
    assert sum(width for _, _, _, width in shares) == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize(("risk", "harmless"), [("read only", True), ("Read-only (names)", True), ("changes the cluster", False)])
def test_commands_that_change_something_are_told_apart(risk: str, harmless: bool) -> None:
    assert is_harmless(risk) is harmless


def test_options_of_the_collector_are_said_in_words() -> None:
    assert [option_words(value) for value in ("True", "False", "[]", "900.0")] == ["yes", "no", "all", "900.0"]


def test_a_case_has_its_own_fix_and_knowledge_base_and_the_other_findings_have_the_rules() -> None:
    of = rule("A", fix="Mend it.", kb=("KB-1", "KB-2"))
    both = (finding(of, "x", fix="Patch it.", kb=("KB-7", "KB-2")), finding(of, "y"))
    shown, alone = (
        build_view(sample(given=[outcome(of, Status.FAIL, findings=some)]), paper=False).findings[0] for some in (both, both[:1])
    )
    assert (shown.fixes, shown.kb) == (("Patch it.", "Mend it."), ("KB-7", "KB-2", "KB-1"))
    assert (alone.fixes, alone.kb) == (("Patch it.",), ("KB-7", "KB-2"))
