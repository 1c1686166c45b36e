"""runai-rules pack as a person runs it."""

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_collect.planfile import read_plan_file

from tests.ruleset.packs import RULE, write_pack
from tests.ruleset.sites import ACME

COLLECT = "collect:\n  configmaps: [acme-system/settings-*]\n  logs: [{namespace: acme-*, pod: api-*}]\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["pack", *map(str, arguments)])


def test_build_writes_a_file_and_says_its_checksum(tmp_path: Path) -> None:
    folder, file = write_pack(tmp_path / "p"), tmp_path / "tests-1.0.rules.zip"
    result = run("build", folder, "-o", tmp_path)
    assert result.exit_code == 0
    assert result.output == (
        f"{file}: 1 rule, 4 files, {file.stat().st_size:,} bytes\nSHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}\n"
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_build_takes_no_pack_with_mistakes(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p", RULE.replace("severity: high", "severity: hihg"))
    result = run("build", folder, "-o", tmp_path)
    assert (result.exit_code, list(tmp_path.glob("*.zip"))) == (4, [])
    assert "wrong-word" in result.stderr


def test_build_takes_no_pack_whose_examples_fail(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p", RULE.replace('cpu: "16"', 'cpu: "6"'))
    result = run("build", folder, "-o", tmp_path)
    assert (result.exit_code, list(tmp_path.glob("*.zip"))) == (4, [])
    assert f"not built: 1 example failed; runai-rules test {folder} shows how" in result.stderr


def test_build_wants_a_folder_and_the_ending_by_which_it_is_known(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p")
    assert run("build", folder, "-o", tmp_path / "x.tgz").exit_code == 2
    run("build", folder, "-o", tmp_path / "x.zip")
    again = run("build", tmp_path / "x.zip")
    assert (again.exit_code, "is a file already" in again.stderr) == (2, True)


@pytest.mark.parametrize("command", ["lint", "test", "list"])
def test_other_commands_take_the_file_like_the_folder(tmp_path: Path, command: str) -> None:
    folder = write_pack(tmp_path / "p")
    file = tmp_path / "x.zip"
    run("build", folder, "-o", file)
    one, other = (CliRunner().invoke(main, [command, str(path)]) for path in (folder, file))
    assert (one.exit_code, one.output.replace(str(folder), "PACK")) == (other.exit_code, other.output.replace(str(file), "PACK"))
    assert "1 rule in" in one.output + one.stderr


def test_show_says_what_there_is_to_know(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p", pack=ACME.replace("[first]", "[first, second]") + COLLECT)
    (folder / "site.yaml").write_text("changes: [{rule: RAI-NOD-009, severity: low, reason: Ours are old.}]\n")
    (folder / "suppressions.yaml").write_text(
        "suppressions: [{rule: RAI-NOD-009, match: {name: x}, reason: a, by: b, until: 2027-01-01}]\n"
    )
    file = tmp_path / "x.zip"
    run("build", folder, "-o", file)
    result = run("show", file)
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert result.exit_code == 0
    for line in (
        "acme 1.2",
        f"file {file}, {file.stat().st_size:,} bytes",
        f"SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}",
        "tables racks of 2026-12-01",
        "accepts 1 entry in suppressions.yaml",
        "collect configmaps: acme-system/settings-*",
        "collect logs: acme-*/api-*",
        "rules 1",
        "RAI-TST-001 high Nodes are small",
        "RAI-NOD-009: severity high → low (Ours are old.)",
        "second",
    ):
        assert line in lines
    assert any(line.startswith("engine runai-analyze >=0.1; this is ") and line.endswith("it fits") for line in lines)


def test_show_lists_the_rules_that_this_version_does_not_run(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p", RULE.replace("at_least: 8", "resembles: 8"), pack=ACME.replace(">=0.1", ">=99"))
    output = run("show", folder).output
    assert "it does not fit; what this one does not know is listed and not run" in output
    assert "RAI-TST-001     high     Nodes are small: not run. Unknown: acme 1.2 needs runai-analyze >=99." in output


def test_show_of_a_damaged_file_says_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(b"PK\x03\x04 nothing")
    result = run("show", file)
    assert result.exit_code == 4
    assert "damaged-pack this is no whole pack of rules" in result.stderr


def test_plan_writes_what_the_collector_reads(tmp_path: Path) -> None:
    folder, file = write_pack(tmp_path / "p", pack=ACME + COLLECT), tmp_path / "plan.json"
    assert run("plan", folder, "-o", file).exit_code == 0
    extra = read_plan_file(str(file))
    assert (extra.configmaps, extra.logs) == (("acme-system/settings-*",), ("acme-*/api-*",))
    assert json.loads(run("plan", folder).stdout) == json.loads(file.read_text())


def test_plan_of_a_pack_that_asks_for_nothing_says_so(tmp_path: Path) -> None:
    result = run("plan", write_pack(tmp_path / "p"))
    assert (result.exit_code, result.stdout) == (0, "{}\n")
    assert "no pack.yaml has collect, so the collector's own plan is enough" in result.stderr


def test_without_a_pack_at_hand_one_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [run(command).exit_code for command in ("build", "show", "plan")] == [2, 2, 2]
    assert f"{tmp_path} has no pack.yaml" in run("show", tmp_path).stderr
