"""runai-rules schema as a person runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.authoring.schema import FILES
from runai_analyze.rules_cli import main
from runai_analyze.rules_cli.schema import _FILES

from tests.ruleset.packs import write_pack


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["schema", *map(str, arguments)])


def test_the_schema_is_printed_with_the_words_of_the_pack(tmp_path: Path) -> None:
    printed = json.loads(run(write_pack(tmp_path)).stdout)
    assert printed["$schema"] == "http://json-schema.org/draft-07/schema#"
    ids = printed["definitions"]["rule"]["properties"]["only_if_passed"]["defaultSnippets"]
    assert "RAI-TST-001" in {snippet["label"] for snippet in ids}


@pytest.mark.parametrize("file", FILES)
def test_each_kind_of_file_has_one(tmp_path: Path, file: str) -> None:
    assert json.loads(run(write_pack(tmp_path), "--for", file).stdout)["title"] == f"runai-analyze: {file}"


def test_it_can_be_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rule.schema.json"
    result = run(write_pack(tmp_path / "pack"), "-o", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {path}\n")
    assert json.loads(path.read_text())["title"] == "runai-analyze: rule"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    result = run(write_pack(tmp_path), "-o", tmp_path / "nowhere" / "a.json")
    assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)


def test_the_words_of_the_option_are_those_of_the_schema() -> None:
    assert FILES == _FILES
