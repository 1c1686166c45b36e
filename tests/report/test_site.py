"""What the report says of accepted findings, entries that ran out, changed rules, packs and old tables."""

from dataclasses import replace

import pytest
from runai_analyze.model import (
    Acceptance,
    AcceptanceUse,
    Accepted,
    Outcome,
    PackInfo,
    Report,
    RuleTable,
    Severity,
    SiteChange,
    Status,
)
from runai_analyze.report.html import page, render_html
from runai_analyze.report.site import older_words, site_notes, site_view
from runai_analyze.report.summary import summary_lines

from .sample import SCRIPT, bundle, finding, outcome, rule, sample
from .test_html import Page

OF = rule("RAI-NOD-009", Severity.CRITICAL, "nodes")
ENTRY = Acceptance("acme 1.2", "suppressions.yaml:2", "Waits for parts.", "Jane Doe", "2027-03-31", rule="RAI-NOD-009", name="*")
USE = AcceptanceUse(ENTRY, "counts", 1, "accepts 1 finding")
CAPTURED = bundle().captured


def accepted(name: str = "cp-2 is not ready", severity: Severity = Severity.CRITICAL) -> Outcome:
    found = finding(OF, name, severity=severity, fingerprint="06c580ab92e86803")
    return outcome(OF, Status.ACCEPTED, "Accepted until 2027-03-31.", accepted=(Accepted(found, ENTRY),))


def report(*given: Outcome, acceptances: tuple[AcceptanceUse, ...] = (USE,), **more: object) -> Report:
    return replace(sample(given=given or (accepted(),)), acceptances=acceptances, **more)  # type: ignore[arg-type]


def text_of(whole: Report) -> str:
    return Page(render_html(whole)).text


def test_an_accepted_finding_stands_with_reason_owner_day_and_fingerprint() -> None:
    said = text_of(report())
    part = said[said.index("1 finding is accepted. It is still there, and is not counted above.") :]
    for words in ("cp-2 is not ready", "2027-03-31", "Jane Doe", "Waits for parts.", "acme 1.2, suppressions.yaml:2"):
        assert words in part
    assert "RAI-NOD-009" in part
    assert "06c580ab92e86803" in part


def test_the_paper_has_it_too() -> None:
    said = Page(page(report(), paper=True, style="", script="", policy="")).text
    assert "1 finding is accepted" in said


def test_without_acceptances_there_is_no_such_section() -> None:
    assert 'id="accepted"' not in render_html(replace(sample(given=[outcome(OF, Status.PASS)]), acceptances=()))


@pytest.mark.parametrize(
    ("state", "words"), [("expired", "ran out on 2026-11-01: its 1 finding counts again"), ("unused", "is on nothing: no pack")]
)
def test_entries_that_accept_nothing_are_listed(state: str, words: str) -> None:
    use = AcceptanceUse(ENTRY, state, int(state == "expired"), words)  # type: ignore[arg-type]
    said = text_of(report(outcome(OF, Status.PASS), acceptances=(use,)))
    part = said[said.index("Entries that accept nothing here") :]
    assert words[1:] in part
    assert "RAI-NOD-009 *" in part


def test_a_finding_whose_acceptance_ran_out_says_so_where_it_stands() -> None:
    found = finding(OF, "cp-2 is not ready")
    of = outcome(OF, Status.FAIL, findings=(found,), lapsed=(Accepted(found, ENTRY),))
    said = text_of(report(of))
    assert "Jane Doe of acme 1.2 accepted this until 2027-03-31 (Waits for parts.). That does not count here any more." in said


def test_several_findings_of_a_rule_have_their_fingerprints() -> None:
    findings = tuple(finding(OF, f"message {i}", fingerprint=f"{i:0>16}") for i in (1, 2))
    said = text_of(report(outcome(OF, Status.FAIL, findings=findings)))
    assert "fingerprint 0000000000000001" in said
    assert "fingerprint 0000000000000002" in said


def test_an_accepted_blocker_is_neither_counted_nor_hidden() -> None:
    whole = report(acceptances=())
    assert whole.can_run != "no"
    assert "beside one accepted blocker" in whole.verdict
    note = "One blocker is accepted and not counted: cp-2 is not ready (until 2027-03-31)."
    assert note in whole.notes
    assert any(line.endswith(", 1 accepted") for line in summary_lines(whole))


def test_what_is_no_blocker_needs_no_note() -> None:
    assert report(accepted(severity=Severity.HIGH)).notes == sample(given=[outcome(OF, Status.PASS)]).notes


def test_packs_that_could_not_be_used_whole_are_told_at_the_top() -> None:
    pack = PackInfo("acme", "1.2", "ab", 3, "made for runai-analyze >=99, which this is not: 1 of its 3 rules was not run")
    (note,) = site_notes((), (pack,), (), (), (), CAPTURED)
    assert note == f"Pack acme 1.2: {pack.note}."


@pytest.mark.parametrize(
    ("updated", "words", "told"),
    [
        ("2026-11-30", "", False),
        ("2026-12-24", "", False),
        ("2026-11-29", "1 day older than the bundle", False),
        ("2026-05-31", "183 days older than the bundle", False),
        ("2026-05-30", "184 days older than the bundle", True),
        ("soon", "", False),
    ],
)
def test_a_table_that_is_older_than_the_bundle_says_so(updated: str, words: str, told: bool) -> None:
    table = RuleTable("sizes", updated, "runai 1")
    assert older_words(table, CAPTURED) == words
    assert bool(site_notes((), (), (), (table,), (), CAPTURED)) is told
    assert (older_words(table, None), site_notes((), (), (), (table,), (), None)) == ("", ())


def test_changes_and_tables_stand_under_how_it_was_made() -> None:
    changes = (SiteChange("RAI-NOD-006", "Container runtime", "severity high → low", "acme 1.2", "It leaves in January."),)
    tables = (RuleTable("sizes", "2026-05-31", "acme 1.2", "runai 2026.12.1"),)
    said = text_of(report(changes=changes, tables=tables))
    assert "RAI-NOD-006 Container runtime severity high → low It leaves in January. acme 1.2" in said
    assert "sizes of 2026-05-31, 183 days older than the bundle acme 1.2 in place of runai 2026.12.1" in said


def test_words_of_a_pack_are_escaped() -> None:
    entry = replace(ENTRY, reason=SCRIPT, by=SCRIPT, pack=SCRIPT, place=SCRIPT)
    of = outcome(OF, Status.ACCEPTED, SCRIPT, accepted=(Accepted(finding(OF, SCRIPT), entry),))
    uses = (AcceptanceUse(entry, "expired", 1, SCRIPT),)
    changes = (SiteChange(SCRIPT, SCRIPT, SCRIPT, SCRIPT, SCRIPT),)
    packs = (PackInfo(SCRIPT, SCRIPT, SCRIPT, 1, SCRIPT),)
    tables = (RuleTable(SCRIPT, SCRIPT, SCRIPT, SCRIPT),)
    markup = render_html(report(of, acceptances=uses, changes=changes, packs=packs, tables=tables))
    assert SCRIPT not in markup
    assert Page(markup).mistakes == []


def test_the_worst_stands_first() -> None:
    low = replace(rule("RAI-AAA-001"), severity=Severity.LOW)
    other = outcome(low, Status.ACCEPTED, accepted=(Accepted(finding(low, "small"), ENTRY),))
    rows = site_view(report(other, accepted())).accepted
    assert [row.accepted.finding.message for row in rows] == ["cp-2 is not ready", "small"]


def test_what_was_not_judged_because_of_it_is_counted() -> None:
    waiting = outcome(rule("RAI-RUN-001"), Status.BLOCKED, blocked_by="RAI-NOD-009")
    whole = report(accepted(), waiting)
    assert [len(row.behind) for row in site_view(whole).accepted] == [1]
    assert "One more check waits for this" in text_of(whole)


def test_on_paper_what_is_accepted_comes_before_what_was_not_run() -> None:
    pack = PackInfo("acme", "1.2", "ab", 3, "made for another one")
    assert [note[:11] for note in site_notes((accepted(),), (pack,), (), (), (), CAPTURED)] == ["One blocker", "Pack acme 1"]


@pytest.mark.parametrize(
    ("what", "severity", "told"),
    [
        ("switched off", Severity.CRITICAL, True),
        ("switched off", Severity.HIGH, False),
        ("severity critical → low", Severity.LOW, True),
        ("severity high → low", Severity.LOW, False),
        ("severity low → critical", Severity.CRITICAL, False),
    ],
)
def test_a_site_that_looks_away_from_blockers_is_told_at_the_top(what: str, severity: Severity, told: bool) -> None:
    status = Status.NOT_APPLICABLE if what == "switched off" else Status.PASS
    changes = (SiteChange("RAI-NOD-009", "Ready", what, "acme 1.2", "No."),)
    notes = site_notes((outcome(rule("RAI-NOD-009", severity), status),), (), changes, (), (), CAPTURED)
    words = "One check that could show a blocker is switched off or milder here, by acme 1.2: RAI-NOD-009."
    assert notes == ((words,) if told else ())
