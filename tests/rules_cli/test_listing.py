"""runai-rules list as a person runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import listing, main
from runai_analyze.rules_cli.reading import SEVERITIES
from runai_analyze.ruleset import format as rule_format

from tests.ruleset.packs import RULE, write_pack


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["list", *map(str, arguments)])


def two_rules(folder: Path) -> Path:
    write_pack(folder)
    other = RULE.replace("RAI-TST-001", "RAI-TST-002").replace("severity: high", "severity: low").replace("are small", "are slow")
    (folder / "nodes" / "RAI-TST-002.yaml").write_text(other)
    return folder


def test_filters_say_how_many_of_how_many(tmp_path: Path) -> None:
    result = run(two_rules(tmp_path), "--severity", "low")
    assert result.stdout == "RAI-TST-002     low      nodes  Nodes are slow\n"
    assert result.stderr == f"1 of 2 rules in {tmp_path}\n"


def test_search(tmp_path: Path) -> None:
    assert run(two_rules(tmp_path), "--search", "slw").stdout.startswith("RAI-TST-002 ")


def test_json_has_a_row_a_rule(tmp_path: Path) -> None:
    rows = json.loads(run(two_rules(tmp_path), "--format", "json").stdout)
    assert [row["id"] for row in rows] == ["RAI-TST-001", "RAI-TST-002"]
    assert rows[0] == {
        "id": "RAI-TST-001", "title": "Nodes are small", "severity": "high", "area": "nodes", "status": "stable", "kind": "Node",
        "pack": "tests", "revision": 1, "changed": "2026-12-01", "owner": "tests", "runai": "",
        "file": f"{tmp_path}/nodes/RAI-TST-001.yaml",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--area", "nod"], "'nod' is no area of these rules; there are "),
        (["--runai", "latest"], "'latest' is not a release such as 2.25"),
        (["--severity", "bad"], "'bad' is not one of"),
    ],
)
def test_what_no_rule_can_meet_is_a_usage_error(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = run(write_pack(tmp_path), *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_words_of_the_options_are_those_of_the_format() -> None:
    statuses = next(key.choices for key in rule_format.BLOCKS["rule"] if key.name == "status")
    assert (rule_format.SEVERITIES, statuses) == (SEVERITIES, listing._STATUSES)
