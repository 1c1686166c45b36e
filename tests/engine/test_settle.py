"""Accepted findings: set apart while their entry lasts, counted again when it ran out, and never in the way of the rest."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from runai_analyze.engine.settle import settle
from runai_analyze.model import (
    Acceptance,
    AcceptanceUse,
    Evidence,
    Finding,
    Missing,
    ObjectRef,
    Outcome,
    PackInfo,
    RuleInfo,
    Severity,
    Status,
)
from runai_analyze.ruleset.rule import NotRun, Pack

RULE = RuleInfo("R-A-001", "Nodes are small", Severity.HIGH, "nodes", "stable")
CAPTURED = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
ENTRY = Acceptance("acme 1.2", "suppressions.yaml:2", "Waits for parts.", "Jane Doe", "2026-12-31", "2026-11-30")
ON_RULE = replace(ENTRY, rule="R-A-001", kind="Node")


def finding(name: str, severity: Severity = Severity.HIGH, namespace: str = "") -> Finding:
    subject = ObjectRef("Node", name, namespace)
    return Finding("R-A-001", severity, f"{name} is small", subject, (Evidence(subject, "a", "1", "2"),), f"{name:0>16}")


def failed(*findings: Finding, **more: object) -> Outcome:
    return replace(Outcome(RULE, Status.FAIL, findings[0].message, len(findings), findings), **more)  # type: ignore[arg-type]


def settled(
    outcome: Outcome, *entries: Acceptance, captured: datetime | None = CAPTURED, not_run: Sequence[NotRun] = ()
) -> tuple[Outcome, tuple[AcceptanceUse, ...]]:
    info = (PackInfo("acme", "1.2", "", 0),)
    pack = Pack((), {}, (), {}, frozenset(), info, not_run=tuple(not_run), acceptances=entries)
    outcomes, uses = settle([outcome], pack, captured)
    return next(it for it in outcomes if it.rule.id == outcome.rule.id), uses


def test_a_rule_whose_findings_are_all_accepted_is_accepted() -> None:
    outcome, uses = settled(failed(finding("a")), ON_RULE)
    assert (outcome.status, outcome.findings) == (Status.ACCEPTED, ())
    assert outcome.message == "Accepted until 2026-12-31 by Jane Doe: Waits for parts."
    assert [(it.finding.fingerprint, it.entry) for it in outcome.accepted] == [(f"{'a':0>16}", ON_RULE)]
    assert uses == (AcceptanceUse(ON_RULE, "counts", 1, "accepts 1 finding"),)


def test_the_rest_fails_with_its_own_severity() -> None:
    outcome, _ = settled(failed(finding("a", Severity.CRITICAL), finding("b", Severity.LOW)), replace(ON_RULE, name="a"))
    assert (outcome.status, outcome.severity, [it.subject.name for it in outcome.findings]) == (Status.FAIL, Severity.LOW, ["b"])
    assert outcome.message == "b is small. Accepted until 2026-12-31 by Jane Doe: Waits for parts."
    assert [it.finding.subject.name for it in outcome.accepted] == ["a"]


def test_what_could_not_be_seen_is_not_accepted_along() -> None:
    gap = Missing("nodes of team-b", "refused", "kubectl get nodes")
    outcome, _ = settled(failed(finding("a"), missing=(gap,)), ON_RULE)
    assert (outcome.status, outcome.missing, outcome.findings) == (Status.UNKNOWN, (gap,), ())
    assert outcome.message.endswith("Unknown for the rest: nodes of team-b: refused.")


def test_findings_that_are_not_listed_are_not_accepted_along() -> None:
    outcome, _ = settled(failed(finding("a"), more=7), ON_RULE)
    assert (outcome.status, outcome.missing[0].what) == (Status.UNKNOWN, "7 more findings of R-A-001")


@pytest.mark.parametrize(
    ("entry", "accepted"),
    [
        (replace(ENTRY, fingerprint=f"{'gpu-1':0>16}"), True),
        (replace(ENTRY, fingerprint=f"{'gpu-1':0>16}", rule="R-A-002"), False),
        (replace(ENTRY, fingerprint=f"{'gpu-2':0>16}"), False),
        (replace(ENTRY, rule="R-A-001", name="gpu-*"), True),
        (replace(ENTRY, rule="R-A-001", name="gpu"), False),
        (replace(ENTRY, rule="R-A-001", name="*", kind="Pod"), False),
        (replace(ENTRY, rule="R-A-001", namespace="team-?"), True),
        (replace(ENTRY, rule="R-A-001", namespace="team"), False),
        (replace(ENTRY, rule="R-A-002", name="*"), False),
    ],
)
def test_which_findings_an_entry_is_on(entry: Acceptance, accepted: bool) -> None:
    outcome, uses = settled(failed(finding("gpu-1", namespace="team-a")), entry)
    assert (outcome.status is Status.ACCEPTED, uses[0].findings == 1) == (accepted, accepted)


@pytest.mark.parametrize(
    ("until", "status"), [("2026-12-01", Status.ACCEPTED), ("2026-11-30", Status.FAIL), ("2026-12-02", Status.ACCEPTED)]
)
def test_the_last_day_is_held_against_the_capture_time(until: str, status: Status) -> None:
    assert settled(failed(finding("a")), replace(ON_RULE, until=until))[0].status is status


def test_an_entry_that_ran_out_is_told_and_its_finding_counts() -> None:
    outcome, uses = settled(failed(finding("a")), replace(ON_RULE, until="2026-11-30"))
    assert (outcome.status, outcome.accepted, [it.entry.until for it in outcome.lapsed]) == (Status.FAIL, (), ["2026-11-30"])
    assert (uses[0].state, uses[0].findings, uses[0].words) == (
        "expired",
        1,
        "ran out on 2026-11-30: its 1 finding counts again",
    )


def test_without_a_capture_time_nothing_is_accepted() -> None:
    outcome, uses = settled(failed(finding("a")), ON_RULE, captured=None)
    assert outcome.status is Status.FAIL
    assert (uses[0].state, uses[0].words) == ("undated", "the bundle does not say when it was taken: its 1 finding counts")


def test_an_entry_for_more_than_a_year_counts_only_when_it_says_since_when() -> None:
    long = replace(ON_RULE, until="2027-12-20", since="")
    outcome, uses = settled(failed(finding("a")), long)
    assert (outcome.status, uses[0].state) == (Status.FAIL, "too long")
    assert settled(failed(finding("a")), replace(long, since="2026-12-20"))[0].status is Status.ACCEPTED
    assert settled(failed(finding("a")), replace(long, until="2027-12-02"))[0].status is Status.ACCEPTED


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.PASS, "is on nothing that was found: R-A-001 passed: the entry can go"),
        (Status.UNKNOWN, "is on nothing that was found: R-A-001 could not be judged: keep the entry"),
        (Status.NOT_APPLICABLE, "is on nothing that was found: R-A-001 does not apply here"),
    ],
)
def test_an_entry_on_nothing_is_told_with_what_became_of_its_rule(status: Status, words: str) -> None:
    _, uses = settled(Outcome(RULE, status, ""), ON_RULE)
    assert (uses[0].state, uses[0].words) == ("unused", words)


def test_an_entry_on_a_rule_that_no_pack_has_says_so() -> None:
    _, uses = settled(failed(finding("a")), replace(ON_RULE, rule="R-A-009"))
    assert uses[0].words == "is on nothing: no pack has the rule R-A-009"


def test_of_two_entries_that_which_counts_is_taken() -> None:
    over = replace(ON_RULE, until="2026-11-30", name="a")
    outcome, uses = settled(failed(finding("a")), over, ON_RULE)
    assert (outcome.accepted[0].entry, [(use.state, use.findings) for use in uses]) == (ON_RULE, [("expired", 0), ("counts", 1)])
    assert uses[0].words == "ran out on 2026-11-30: another entry accepts what it is on"


def test_several_findings_are_counted_and_the_entry_that_ends_first_is_named() -> None:
    entries = (replace(ON_RULE, name="a"), replace(ON_RULE, name="b", until="2026-12-24", reason="New switch", by="Al"))
    outcome, _ = settled(failed(finding("a"), finding("b")), *entries)
    assert outcome.message == "2 findings accepted until 2026-12-24 by Al: New switch (and 1 more reason)."


def test_rules_that_are_not_run_stand_beside_the_others() -> None:
    gap = Missing("Rules for another version", "acme 2 needs it")
    lost = NotRun(replace(RULE, id="R-A-000"), Status.UNKNOWN, "Unknown: newer.", (gap,))
    pack = Pack((), {}, (), {}, frozenset(), (), not_run=(lost,))
    outcomes, _ = settle([Outcome(RULE, Status.PASS, "")], pack, CAPTURED)
    assert [(it.rule.id, it.status, it.missing) for it in outcomes] == [
        ("R-A-000", Status.UNKNOWN, (gap,)),
        ("R-A-001", Status.PASS, ()),
    ]


def test_a_reason_of_any_length_makes_a_message_that_can_be_read() -> None:
    outcome, _ = settled(failed(finding("a")), replace(ON_RULE, reason="x" * 100_000))
    assert len(outcome.message) < 1000
