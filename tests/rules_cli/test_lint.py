"""runai-rules lint as a person runs it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.errors import Exit
from runai_analyze.rules_cli import main
from runai_analyze.ruleset.codes import CODES

from tests.ruleset.packs import PACK, RULE

WRONG = RULE.replace("severity: high", "severity: hihg").replace("at_least: 8", "at_least: 8GB")
DEPRECATED = RULE.replace("status: stable", "status: deprecated")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["lint", *map(str, arguments)])


def pack(folder: Path, rule: str = RULE) -> Path:
    """Write a pack of one rule, in which lint finds nothing."""
    (folder / "nodes").mkdir(parents=True, exist_ok=True)
    (folder / "pack.yaml").write_text(PACK)
    (folder / "nodes" / "RAI-TST-001.yaml").write_text(rule)
    return folder


def test_a_right_pack(tmp_path: Path) -> None:
    result = run(pack(tmp_path))
    assert (result.exit_code, result.output) == (Exit.CLEAN, f"1 rule in {tmp_path}: no mistakes\n")


def test_all_mistakes_at_once_with_line_caret_and_what_was_meant(tmp_path: Path) -> None:
    result = run(pack(tmp_path, WRONG))
    file = f"{tmp_path}/nodes/RAI-TST-001.yaml"
    assert result.exit_code == Exit.RULES
    assert result.output == (
        f'{file}:3:11: wrong-word severity is "hihg", must be one of critical, high, medium, low, info; did you mean "high"?\n'
        "    severity: hihg\n              ^\n"
        f"{file}:13:15: bad-quantity not a quantity: 8GB has the unknown suffix GB; write it like 8, 500m or 16Gi\n"
        "        at_least: 8GB\n                  ^\n"
        f"2 mistakes in 1 file of {tmp_path}; mend these first, more may show then\n"
    )


def test_a_folder_without_a_pack_file_is_shown_the_smallest_one(tmp_path: Path) -> None:
    (pack(tmp_path) / "pack.yaml").unlink()
    result = run(tmp_path)
    assert result.output.startswith(f"{tmp_path}:1:1: no-pack a folder of rules needs a pack.yaml; the smallest one is\n")
    (tmp_path / "pack.yaml").write_text("\n".join(line[4:] for line in result.output.split("\n")[1:5]))
    assert run(tmp_path).exit_code == Exit.CLEAN


def test_a_warning_stops_nothing_unless_it_is_asked_for(tmp_path: Path) -> None:
    folder = pack(tmp_path, DEPRECATED)
    plain, strict = run(folder), run(folder, "--strict")
    assert (plain.exit_code, strict.exit_code) == (Exit.CLEAN, Exit.RULES)
    assert plain.output == strict.output
    assert f"{folder}/nodes/RAI-TST-001.yaml:5:9: warning: no-replacement the rule is deprecated" in plain.output
    assert plain.output.endswith(f"1 rule in {folder}: no mistakes, 1 warning\n")


def test_a_note_stops_nothing_at_all(tmp_path: Path) -> None:
    folder = pack(tmp_path, RULE.replace("owner: tests", "owner: tests\nreplaces: [RAI-TST-000]"))
    result = run(folder, "--strict")
    assert (result.exit_code, result.output.split("\n")[-2]) == (Exit.CLEAN, f"1 rule in {folder}: no mistakes, 1 note")


def test_years_are_counted_from_today_or_another_day(tmp_path: Path) -> None:
    old = (datetime.now(UTC) - timedelta(days=600)).date()
    folder = pack(tmp_path, RULE.replace("2026-12-01", str(old)))
    assert "7:10: warning: stale nobody has changed this rule for 19 months" in run(folder).output
    assert "stale" not in run(folder, "--today", str(old)).output
    assert run(folder, "--today", "soon").exit_code == Exit.USAGE


def test_forms_for_programs(tmp_path: Path) -> None:
    folder = pack(tmp_path, WRONG)
    rows = json.loads(run(folder, "--format", "json").stdout)
    assert [(row["code"], row["line"], row["column"]) for row in rows] == [("wrong-word", 3, 11), ("bad-quantity", 13, 15)]
    (sarif,) = json.loads(run(folder, "--format", "sarif").stdout)["runs"]
    assert [result["ruleId"] for result in sarif["results"]] == ["wrong-word", "bad-quantity"]
    first, _, last = run(folder, "--format", "github").stdout.strip().split("\n")
    assert first.startswith("::error file=")
    assert last == f"2 mistakes in 1 file of {folder}; mend these first, more may show then"
    assert {run(folder, "--format", form).exit_code for form in ("json", "sarif", "github")} == {Exit.RULES}


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_forms_for_programs_of_a_right_pack(tmp_path: Path, form: str) -> None:
    result = run(pack(tmp_path), "--format", form)
    assert result.exit_code == Exit.CLEAN
    assert ("error" in result.stdout.split("results")[-1]) is False


def test_the_page_of_all_codes() -> None:
    result = run("--codes")
    assert result.exit_code == Exit.CLEAN
    lines = result.stdout.split("\n")
    assert [line.split()[0] for line in lines[:-1:2]] == [code.name for code in CODES]
    assert result.stderr == f"{len(CODES)} kinds of mistake\n"
    assert [row["name"] for row in json.loads(run("--codes", "--format", "json").stdout)] == [code.name for code in CODES]


def test_the_shipped_rules_have_no_mistake_and_no_warning() -> None:
    result = run("--strict", "--today", "2026-12-01")
    assert result.exit_code == Exit.CLEAN, result.output


def test_the_one_pack_in_this_folder_is_taken_and_of_several_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pack(tmp_path / "acme")
    assert run().output == "1 rule in acme: no mistakes\n"
    pack(tmp_path / "other")
    several = run()
    assert (several.exit_code, "there are several packs here: say which, acme or other" in several.stderr) == (2, True)


def test_mistakes_that_only_a_whole_rule_shows_come_with_no_announcement(tmp_path: Path) -> None:
    unsound = RULE.replace("at_least: 8\n", "at_least: 8\n  - field: status.allocatable.cpu\n    at_least: 8\n")
    assert run(pack(tmp_path, unsound)).output.splitlines()[-1].endswith(f"in 1 file of {tmp_path}")
