"""An entry appended to suppressions.yaml: nothing else in the file changes, and no broken file comes out."""

import json
from datetime import date
from pathlib import Path

import pytest
from runai_analyze.authoring.accept import Entry, Found, check_fingerprint, check_until, in_json, in_report, with_entry
from runai_analyze.errors import UserError
from runai_analyze.model import Severity, Status
from runai_analyze.report.json import render_json
from runai_analyze.ruleset.nodes import read_yaml
from runai_analyze.ruleset.suppressions import read_suppressions

from tests.report.sample import finding, outcome, rule, sample

TODAY = date(2026, 12, 1)
ENTRY = Entry("0123456789abcdef", 'Waits for "parts": #1', "Jane Doe", date(2027, 3, 31), TODAY)
NEW = """\
  - fingerprint: "0123456789abcdef"
    reason: "Waits for \\"parts\\": #1"
    by: "Jane Doe"
    until: 2027-03-31
    since: 2026-12-01
"""
OLD = '  - fingerprint: "1111111111111111"\n    reason: a\n    by: b\n    until: 2027-01-01\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"suppressions:\n{NEW}"),
        ("# ours\n", f"# ours\nsuppressions:\n{NEW}"),
        ("suppressions:\n", f"suppressions:\n{NEW}"),
        ("suppressions: []  # none yet\n", f"suppressions:  # none yet\n{NEW}"),
        ("suppressions: null\n", f"suppressions:\n{NEW}"),
        (f"suppressions: # why\n{OLD}  # the end\n", f"suppressions: # why\n{OLD}  # the end\n{NEW}"),
        (f"suppressions:\n{OLD.rstrip()}", f"suppressions:\n{OLD}{NEW}"),
        ("suppressions:\n" + OLD.replace("\n  ", "\n")[2:], "suppressions:\n" + (OLD + NEW).replace("\n  ", "\n")[2:]),
    ],
    ids=["no file", "comments", "no list", "empty list", "null", "comments kept", "no line end", "dashes at the edge"],
)
def test_the_entry_is_appended_and_nothing_else_changes(before: str, after: str) -> None:
    assert with_entry("s.yaml", before, ENTRY) == after


def test_what_was_written_is_what_is_read() -> None:
    source, root = read_yaml("s.yaml", with_entry("s.yaml", f"suppressions:\n{OLD}", ENTRY).encode())
    entries = [it.acceptance for it in read_suppressions(source, root, "acme 1")]
    assert source.mistakes == []
    assert [(it.fingerprint, it.reason, it.by, it.until, it.since) for it in entries][1] == (
        "0123456789abcdef",
        'Waits for "parts": #1',
        "Jane Doe",
        "2027-03-31",
        "2026-12-01",
    )


def test_line_ends_of_windows_stay() -> None:
    text = with_entry("s.yaml", f"suppressions:\n{OLD}".replace("\n", "\r\n"), ENTRY)
    assert text == f"suppressions:\n{OLD}{NEW}".replace("\n", "\r\n")


def test_a_finding_that_is_known_stands_in_a_comment_on_one_line() -> None:
    found = Found("RAI-NOD-009", "Node a", "is not\nready \u202e" + "x" * 300)
    lines = with_entry("s.yaml", "", Entry(*list(vars(ENTRY).values())[:5], found)).split("\n")
    assert lines[1].startswith("  # Node a: is not ready ‹U+202E›xxx")
    assert (len(lines[1]) < 220, lines[3]) == (True, "    rule: RAI-NOD-009")


@pytest.mark.parametrize("text", ["a\nb: c", "x: {y", "\x00\u202e", "- 'a", "日本語", "“quoted” \\ back"])
def test_any_reason_makes_a_file_that_can_be_read(text: str) -> None:
    entry = Entry("0123456789abcdef", text, text, date(2027, 3, 31), TODAY, Found("R-A-001", text, text))
    source, root = read_yaml("s.yaml", with_entry("s.yaml", "", entry).encode())
    assert len(read_suppressions(source, root, "")) == 1
    assert source.mistakes == []


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (f"suppressions:\n{OLD.replace('by', 'bye')}", "s.yaml:4:5 is wrong already: "),
        ("suppressions: [{", "is wrong already: "),
        (f"suppressions:\n{NEW}", "s.yaml:2 accepts 0123456789abcdef already, until 2027-03-31"),
        ("suppressions: [{fingerprint: '1111111111111111', reason: a, by: b, until: 2027-01-01}]\n", "s.yaml is in brackets"),
        ("other: []\n", "is wrong already: "),
    ],
)
def test_a_file_that_cannot_take_it_stays_and_says_why(before: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        with_entry("s.yaml", before, ENTRY)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tomorrow", '--until "tomorrow" is no day; write it as 2027-03-31'),
        ("2027-3-31", '--until "2027-3-31" is no day; write it as 2027-03-31'),
        ("2026-11-30", "--until 2026-11-30 is over"),
        ("2027-12-03", "--until 2027-12-03 is more than a year away"),
    ],
)
def test_a_last_day_that_is_none(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        check_until(text, TODAY)
    assert caught.value.message == words


def test_a_last_day_may_be_today_or_in_a_year() -> None:
    assert [str(check_until(day, TODAY)) for day in ("2026-12-01", "2027-12-01")] == ["2026-12-01", "2027-12-01"]


@pytest.mark.parametrize("text", ["", "0123", "0123456789abcdeg", "0123456789abcdef0"])
def test_a_fingerprint_that_is_none(text: str) -> None:
    with pytest.raises(UserError):
        check_fingerprint(text)


def test_a_finding_is_found_in_a_report_and_in_its_json(tmp_path: Path) -> None:
    of = rule("RAI-NOD-009", Severity.HIGH)
    report = sample(given=[outcome(of, Status.FAIL, findings=(finding(of, "gpu-06 is not ready", fingerprint="0" * 16),))])
    file = tmp_path / "report.json"
    file.write_text(render_json(report))
    wanted = Found("RAI-NOD-009", "Node gpu-06", "gpu-06 is not ready")
    assert in_report(report, "0" * 16) == in_json(file, "0" * 16) == wanted
    for look in (lambda: in_report(report, "1" * 16), lambda: in_json(file, "1" * 16)):
        with pytest.raises(UserError, match="has no finding with the fingerprint 1111111111111111"):
            look()


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"outcomes": [{}]}), "[" * 100_000])
def test_what_is_no_report_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(UserError, match=r"is no report\.json"):
        in_json(file, "0" * 16)
