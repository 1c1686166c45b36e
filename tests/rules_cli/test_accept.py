"""runai-rules accept as a person runs it: with the fingerprint of the report to a report in which the finding is accepted."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.cli import main as analyze
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.ruleset.sites import ACME

BROKEN = Path(__file__).parents[2] / "samples" / "broken-site.tgz"
SOON = str(datetime.now(UTC).date() + timedelta(days=90))
WORDS = ("--reason", "Waits for parts.", "--by", "Jane Doe", "--until", SOON)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "pack.yaml").write_text(ACME)
    return tmp_path / "acme"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["accept", *map(str, arguments)])


def report(folder: Path, site: Path) -> dict[str, object]:
    arguments = [BROKEN, "--rules", site, "-o", folder, "--format", "json,html"]
    CliRunner().invoke(analyze, [str(argument) for argument in arguments])
    document: dict[str, object] = json.loads((folder / "report.json").read_bytes())
    return document


def outcome_of(document: dict[str, object], rule: str) -> dict[str, object]:
    outcomes = document["outcomes"]
    assert isinstance(outcomes, list)
    found: dict[str, object] = next(it for it in outcomes if it["rule"] == rule)
    return found


def test_from_the_report_to_the_accepted_finding(tmp_path: Path, site: Path) -> None:
    before = outcome_of(report(tmp_path / "before", site), "RAI-NOD-009")
    html = (tmp_path / "before" / "report.html").read_text()
    finding = before["findings"][0]  # type: ignore[index]
    fingerprint = finding["fingerprint"]
    assert (before["status"], fingerprint in re.findall(r"<code>([0-9a-f]{16})</code>", html)) == ("fail", True)

    result = run(fingerprint, tmp_path / "before" / "report.json", "--pack", site, *WORDS)
    assert (result.exit_code, result.output) == (0, f"{site}/suppressions.yaml: accepts RAI-NOD-009, Node cp-2 until {SOON}\n")

    after = outcome_of(report(tmp_path / "after", site), "RAI-NOD-009")
    assert (after["status"], after["findings"]) == ("accepted", [])
    accepted = after["accepted"][0]  # type: ignore[index]
    assert (accepted["fingerprint"], accepted["message"]) == (fingerprint, finding["message"])
    assert {key: accepted["accepted"][key] for key in ("reason", "by", "until", "pack")} == {
        "reason": "Waits for parts.",
        "by": "Jane Doe",
        "until": SOON,
        "pack": "acme 1.2",
    }
    page = (tmp_path / "after" / "report.html").read_text()
    assert 'id="accepted"' in page
    assert "Waits for parts." in page


def test_a_bundle_is_looked_through_as_well(site: Path) -> None:
    result = run("0" * 16, BROKEN, "--pack", site, *WORDS)
    assert (result.exit_code, (site / "suppressions.yaml").exists()) == (2, False)
    assert "broken-site.tgz has no finding with the fingerprint 0000000000000000" in result.stderr


def test_without_a_report_the_fingerprint_alone_is_written(site: Path) -> None:
    assert run("0123456789ABCDEF", "--pack", site, *WORDS).exit_code == 0
    text = (site / "suppressions.yaml").read_text()
    assert text.startswith('suppressions:\n  - fingerprint: "0123456789abcdef"\n    reason: "Waits for parts."\n')
    assert CliRunner().invoke(main, ["lint", str(site)]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("012", *WORDS), "'012' is no fingerprint"),
        (("0" * 16, *WORDS[:-1], "2020-01-01"), "--until 2020-01-01 is over"),
        (("0" * 16, *WORDS[:-1], "2999-01-01"), "--until 2999-01-01 is more than a year away"),
        (("0" * 16, *WORDS[:-1], "next week"), '"next week" is no day; write it as 2027-03-31'),
        (("0" * 16, "--reason", " ", *WORDS[2:]), "--reason is empty"),
        (("0" * 16, *WORDS[2:]), "Missing option '--reason'"),
        (("0" * 16, *WORDS[:2], *WORDS[4:]), "Missing option '--by'"),
    ],
)
def test_usage(site: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments, "--pack", site)
    assert (result.exit_code, (site / "suppressions.yaml").exists()) == (2, False)
    assert words in result.stderr


def test_the_shipped_rules_are_no_site(site: Path) -> None:
    result = run("0" * 16, "--pack", default_pack(), *WORDS)
    assert result.exit_code == 2
    assert "these rules ship with the program; name the pack of the site with --pack DIR" in result.stderr


def test_a_file_with_mistakes_is_left_as_it_is(site: Path) -> None:
    file = site / "suppressions.yaml"
    file.write_text("suppressions:\n  - finger: x\n")
    result = run("0" * 16, "--pack", site, *WORDS)
    assert (result.exit_code, file.read_text()) == (2, "suppressions:\n  - finger: x\n")
    assert "suppressions.yaml:2:5 is wrong already" in result.stderr
