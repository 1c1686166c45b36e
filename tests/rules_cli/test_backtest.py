"""runai-rules backtest as a person runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.bundle.builder import Builder, node
from tests.ruleset.packs import RULE, write_pack


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["backtest", *map(str, arguments)])


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    nodes = [node(name, capacity={"cpu": cpu}) for name, cpu in (("a", "4"), ("b", "16"))]
    return Builder().list("Node", "v1", *nodes).write(tmp_path / "site.tgz")


@pytest.fixture
def packs(tmp_path: Path) -> tuple[Path, Path]:
    new = RULE.replace("severity: high", "severity: low").replace("title: Nodes are small", "title: Nodes are too small")
    return write_pack(tmp_path / "old", RULE), write_pack(tmp_path / "new", new)


def test_nothing_changed(packs: tuple[Path, Path], bundle: Path) -> None:
    result = run(packs[0], packs[0], bundle)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[2:] == ["site.tgz: no change", "0 of 1 bundle answered otherwise; the rules are the same"]


def test_what_changed_is_shown(packs: tuple[Path, Path], bundle: Path) -> None:
    result = run(*packs, bundle)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("old: runai ")
    assert ", tests 1.0 (1 rule, " in lines[0]
    assert lines[2:5] == ["rules", "  changed   RAI-TST-001  Nodes are too small: title, severity", "site.tgz: 1 answer changed"]
    assert lines[5] == "  RAI-TST-001  fail  Nodes are too small"
    assert lines[6].startswith("    ~ high: a has 4  [")
    assert lines[7:] == ["      low: a has 4", "1 of 1 bundle answered otherwise"]


def test_json(packs: tuple[Path, Path], bundle: Path) -> None:
    result = run(*packs, bundle, "--format", "json")
    assert result.exit_code == 1
    whole = json.loads(result.stdout)
    assert whole["differs"] is True
    assert whole["rules"] == [
        {"kind": "changed", "rule": "RAI-TST-001", "title": "Nodes are too small", "detail": "title, severity"}
    ]
    finding = whole["bundles"][0]["changes"][0]["findings"][0]
    assert (finding["sign"], finding["severity_before"], finding["severity"]) == ("~", "high", "low")


def test_a_bundle_that_cannot_be_read(packs: tuple[Path, Path], bundle: Path, tmp_path: Path) -> None:
    result = run(*packs, tmp_path / "gone.tgz", bundle)
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1] == "1 of 2 bundles answered otherwise, 1 could not be read"
    assert any(line.startswith("gone.tgz: ") and "cannot be read" in line for line in result.stdout.splitlines())


def test_a_pack_with_mistakes(packs: tuple[Path, Path], bundle: Path, tmp_path: Path) -> None:
    wrong = write_pack(tmp_path / "wrong", RULE.replace("severity: high", "severity: bad"))
    result = run(packs[0], wrong, bundle)
    assert result.exit_code == 4
    assert "RAI-TST-001.yaml:3:11: wrong-word" in result.stderr
    assert f"{wrong}: 1 mistake in the rules" in result.stderr


def test_the_shipped_pack_gives_way_to_another_version_of_it(bundle: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    newer.mkdir()
    text = (default_pack() / "pack.yaml").read_text()
    (newer / "pack.yaml").write_text(text)
    result = run(default_pack(), newer, bundle)
    assert result.exit_code == 1
    assert "  removed   RAI-NOD-001  " in result.stdout
    assert "(0 rules, " in result.stdout.splitlines()[1]


def test_a_packed_file_serves_as_its_folder(packs: tuple[Path, Path], bundle: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "new.rules.zip"
    assert CliRunner().invoke(main, ["pack", "build", str(packs[1]), "-o", str(zipped)]).exit_code == 0
    assert run(packs[0], zipped, bundle).stdout.splitlines()[2:] == run(*packs, bundle).stdout.splitlines()[2:]


def test_usage(packs: tuple[Path, Path], tmp_path: Path) -> None:
    assert run(*packs).exit_code == 2
    assert run(tmp_path / "nothing", packs[0], "a.tgz").exit_code == 2
