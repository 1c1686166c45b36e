"""suppressions.yaml: what an entry needs, how long it may last, and every mistake at its place."""

from datetime import date
from pathlib import Path

import pytest
from runai_analyze.model import Acceptance
from runai_analyze.ruleset import lint_packs

from tests.ruleset.sites import printed, site_pack, write_site

ENTRY = """\
suppressions:
  - rule: RAI-TST-001
    match: {kind: Node, name: "gpu-*"}
    reason: Waits for parts.
    by: Jane Doe
    until: 2027-03-31
    since: 2026-12-01
"""


def test_an_entry_is_read(tmp_path: Path) -> None:
    (entry,) = site_pack(tmp_path, suppressions=ENTRY).acceptances
    assert entry == Acceptance(
        pack="acme 1.2",
        place="suppressions.yaml:2",
        reason="Waits for parts.",
        by="Jane Doe",
        until="2027-03-31",
        since="2026-12-01",
        rule="RAI-TST-001",
        kind="Node",
        name="gpu-*",
    )
    assert entry.on == "RAI-TST-001 Node gpu-*"


def test_an_entry_by_fingerprint_needs_no_rule(tmp_path: Path) -> None:
    by_match = 'rule: RAI-TST-001\n    match: {kind: Node, name: "gpu-*"}'
    text = ENTRY.replace(by_match, "fingerprint: 0123456789abcdef")
    (entry,) = site_pack(tmp_path, suppressions=text).acceptances
    assert (entry.rule, entry.on) == ("", "fingerprint 0123456789abcdef")


def test_the_entry_of_a_later_pack_stands_in_for_one_on_the_same(tmp_path: Path) -> None:
    from runai_analyze.ruleset import load_packs

    from tests.ruleset.sites import ACME, write_site

    folders = write_site(tmp_path, suppressions=ENTRY)
    last = tmp_path / "last"
    last.mkdir()
    (last / "pack.yaml").write_text(ACME.replace("acme", "plant"))
    (last / "suppressions.yaml").write_text(ENTRY.replace("2027-03-31", "2027-01-31"))
    assert [(it.pack, it.until) for it in load_packs([*folders, last]).acceptances] == [("plant 1.2", "2027-01-31")]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("    by: Jane Doe\n", "", "2:5: missing-key a suppression needs by (who accepted it)"),
        ("    until: 2027-03-31\n", "", "2:5: missing-key a suppression needs until (the last day on which it is accepted, "),
        ("  - rule: RAI-TST-001\n    match", "  - match", "2:12: missing-key match needs rule: which rule's findings"),
        ('{kind: Node, name: "gpu-*"}', "{}", '3:12: missing-key match needs kind, namespace or name; name: "*" is all of them'),
        ("    match", "    fingerprint: 0123456789abcdef\n    match", "2:5: exactly-one an entry needs exactly one of match, "),
        (
            'match: {kind: Node, name: "gpu-*"}',
            "fingerprint: 0123",
            '3:18: bad-fingerprint "0123" is no fingerprint: 16 letters and digits, printed in the report with the finding',
        ),
        ("2027-03-31", "31.3.2027", '6:12: bad-time "31.3.2027" is no day; write it as 2027-03-31'),
        ("2027-03-31", "2027-02-30", '6:12: bad-time "2027-02-30" is no day; write it as 2027-03-31'),
        ("2027-03-31", "2026-11-30", "6:12: bad-time until (2026-11-30) is before since (2026-12-01)"),
        (
            "2027-03-31",
            "2027-12-03",
            "6:12: too-long until is more than a year after since (2026-12-01): look at it again within a year, "
            "and write a new entry then",
        ),
        ("RAI-TST-001", "RAI-TST-002", '2:11: unknown-rule "RAI-TST-002" is no rule; did you mean "RAI-TST-001"?'),
        ("reason", "reson", '4:5: unknown-key "reson" is no key of a suppression; did you mean "reason"?'),
        ("name: ", "nmae: ", '3:25: unknown-key "nmae" is no key of match; did you mean "name"?'),
    ],
)
def test_mistakes(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in ENTRY
    said = printed(tmp_path, suppressions=ENTRY.replace(right, wrong, 1))
    assert any(line.startswith(f"suppressions.yaml:{message}") for line in said), said


def test_a_year_is_as_long_as_a_leap_year(tmp_path: Path) -> None:
    assert site_pack(tmp_path, suppressions=ENTRY.replace("2027-03-31", "2027-12-02")).acceptances


def test_two_entries_on_the_same_are_a_mistake(tmp_path: Path) -> None:
    (said,) = printed(tmp_path, suppressions=ENTRY + ENTRY.split("\n", 1)[1])
    told = "duplicate-entry RAI-TST-001 Node gpu-* is accepted in line 2 already: change that entry, or take it out"
    assert said.split("\n")[0] == f"suppressions.yaml:8:5: {told}"


@pytest.mark.parametrize(("day", "over"), [(date(2027, 3, 31), False), (date(2027, 4, 1), True), (None, False)])
def test_lint_remarks_that_an_entry_is_over(tmp_path: Path, day: date | None, over: bool) -> None:
    _, found = lint_packs(write_site(tmp_path, suppressions=ENTRY), day)
    said = [str(mistake).split("\n")[0].replace(f"{tmp_path}/acme/", "") for mistake in found if mistake.code == "spent-entry"]
    words = "RAI-TST-001 Node gpu-* is accepted no more since 2027-03-31: renew the entry, or take it out"
    assert said == ([f"suppressions.yaml:6:12: warning: spent-entry {words}"] if over else [])
