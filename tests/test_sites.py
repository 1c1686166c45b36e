"""A site's pack from the command line to the exit code: what it switches off, accepts, lets run out, replaces and packs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from runai_analyze import cli
from runai_analyze.authoring.pack import build_pack
from runai_analyze.errors import Exit
from runai_analyze.ruleset import default_pack
from runai_analyze.ruleset.archive import ENDING

from tests.ruleset.packs import RULE, write_files
from tests.ruleset.sites import ACME

HEALTHY = Path(__file__).parents[1] / "samples" / "healthy.tgz"
# A rule that fails on every node of the sample, and is as bad as can be.
FAILING = RULE.replace("RAI-TST-001", "ACM-TST-001").replace("high", "critical").replace("at_least: 8", "at_least: 9000")
ALL_NODES = "suppressions:\n  - {rule: ACM-TST-001, match: {kind: Node}, reason: Small on purpose, by: Jane Doe, until: UNTIL}\n"


def site(folder: Path, **files: str) -> Path:
    write_files(folder, **{"pack": ACME, "nodes__ACM-TST-001": FAILING, **files})
    return folder


def run(folder: Path, *packs: Path, options: tuple[str, ...] = ()) -> tuple[int, dict[str, Any], str]:
    """Run the program on the healthy sample with packs; return exit code, report and what it printed."""
    rules = [word for pack in packs for word in ("--rules", str(pack))]
    result = CliRunner().invoke(cli.main, [str(HEALTHY), "-o", str(folder / "out"), "--format", "json", *rules, *options])
    file = folder / "out" / "report.json"
    return result.exit_code, json.loads(file.read_bytes()) if file.exists() else {}, result.stderr


def status(report: dict[str, Any], rule: str = "ACM-TST-001") -> str:
    return str(next(it["status"] for it in report["outcomes"] if it["rule"] == rule))


def test_the_failing_rule_counts(tmp_path: Path) -> None:
    code, report, _ = run(tmp_path, site(tmp_path / "acme"))
    assert (code, status(report), report["can_run"]) == (Exit.FINDINGS, "fail", "no")


@pytest.mark.parametrize(
    ("until", "code", "answer"), [("2026-12-31", Exit.CLEAN, "accepted"), ("2026-01-31", Exit.FINDINGS, "fail")]
)
def test_what_is_accepted_does_not_count_until_it_runs_out(tmp_path: Path, until: str, code: Exit, answer: str) -> None:
    pack = site(tmp_path / "acme", suppressions=ALL_NODES.replace("UNTIL", until))
    ended, report, printed = run(tmp_path, pack)
    assert (ended, status(report), report["acceptances"][0]["state"] == "counts") == (code, answer, answer == "accepted")
    assert ("accepted" in printed, f"ran out on {until}" in printed) == (True, answer == "fail")


def test_a_rule_that_is_switched_off_is_still_listed(tmp_path: Path) -> None:
    later = tmp_path / "plant"
    later.mkdir()
    (later / "pack.yaml").write_text(ACME.replace("acme", "plant"))
    (later / "site.yaml").write_text("changes: [{rule: ACM-TST-001, enabled: false, reason: Not here}]\n")
    code, report, _ = run(tmp_path, site(tmp_path / "acme"), later)
    assert (code, status(report)) == (Exit.CLEAN, "not_applicable")
    assert [(it["rule"], it["what"], it["pack"]) for it in report["changes"]] == [("ACM-TST-001", "switched off", "plant 1.2")]


def test_a_packed_pack_gives_the_same_report_as_the_folder(tmp_path: Path) -> None:
    folder = site(tmp_path / "acme", suppressions=ALL_NODES.replace("UNTIL", "2026-12-31"))
    file = tmp_path / f"acme{ENDING}"
    file.write_bytes(build_pack(folder).data)
    one, other = run(tmp_path / "1", folder), run(tmp_path / "2", file)
    assert one[:2] == other[:2]
    assert [(it["name"], it["version"], len(it["digest"])) for it in other[1]["packs"]][1] == ("acme", "1.2", 64)


def test_the_shipped_rules_are_brought_up_to_date_by_a_file(tmp_path: Path) -> None:
    update = tmp_path / f"runai{ENDING}"
    update.write_bytes(build_pack(default_pack()).data)
    code, report, _ = run(tmp_path, update)
    (pack,) = report["packs"]
    assert (code, pack["name"], pack["note"]) == (Exit.CLEAN, "runai", "")
    assert pack["replaces"] == f"runai {pack['version']}"


def test_a_damaged_file_is_refused_before_the_bundle_is_read(tmp_path: Path) -> None:
    file = tmp_path / f"acme{ENDING}"
    file.write_bytes(build_pack(site(tmp_path / "acme")).data.replace(b"at_least: 9000", b"at_least: 1000"))
    code, report, printed = run(tmp_path, file)
    assert (code, report) == (Exit.RULES, {})
    assert "acme.rules.zip:1:1: damaged-pack this is no whole pack of rules: " in printed
    assert "Traceback" not in printed


def test_a_pack_for_a_newer_program_is_run_as_far_as_it_is_known(tmp_path: Path) -> None:
    newer = FAILING.replace("ACM-TST-001", "ACM-TST-002").replace("at_least: 9000", "resembles: 9000")
    pack = site(tmp_path / "acme", pack=ACME.replace(">=0.1", ">=99"), **{"nodes__ACM-TST-002": newer})
    code, report, printed = run(tmp_path, pack, options=("--fail-on", "never"))
    assert (code, status(report), status(report, "ACM-TST-002")) == (Exit.CLEAN, "fail", "unknown")
    assert "1 of its 2 rules was not run" in printed
    assert run(tmp_path, pack, options=("--fail-on", "never", "--strict"))[0] == Exit.INCOMPLETE
