"""Rules that are read again and again: what was remembered is what would be read anew, whatever was changed in between."""

from pathlib import Path

import pytest
from runai_analyze.ruleset import default_pack, read_packs
from runai_analyze.ruleset.reading import Remembered

from tests.ruleset.packs import RULE, write_pack

OF_TABLE = RULE.replace("at_least: 8", 'at_least: {table: %s, row: "2.25", column: cpu}')
FIXTURE = "apiVersion: v1\nkind: Node\nmetadata: {name: f}\nstatus: {allocatable: {cpu: '%s'}}\n"


def table_of(folder: Path) -> Path:
    return next((folder / "tables").iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = table_of(write_pack(tmp_path)).stem
    rule = OF_TABLE % table + "  - name: of a file\n    fixture: nodes\n    result: pass\n"
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "nodes.yaml").write_text(FIXTURE % 16)
    (tmp_path / "nodes" / "RAI-TST-001.yaml").write_text(rule)
    (tmp_path / "nodes" / "RAI-TST-002.yaml").write_text(RULE.replace("RAI-TST-001", "RAI-TST-002"))
    return tmp_path


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


CHANGES = {
    "nothing": lambda folder: None,
    "a rule": lambda folder: replaced(folder / "nodes" / "RAI-TST-001.yaml", "title: Nodes", "title: Some nodes"),
    "a mistake": lambda folder: replaced(folder / "nodes" / "RAI-TST-002.yaml", "severity: high", "severity: hihg"),
    "an id used twice": lambda folder: replaced(folder / "nodes" / "RAI-TST-002.yaml", "id: RAI-TST-002", "id: RAI-TST-001"),
    "a figure of a table": lambda folder: replaced(table_of(folder), "value: 10,", "value: 12,"),
    "a row of a table": lambda folder: replaced(table_of(folder), '"2.25":', '"2.26":'),
    "a fixture": lambda folder: (folder / "fixtures" / "nodes.yaml").write_text(FIXTURE % 32),
    "the name of the pack": lambda folder: replaced(folder / "pack.yaml", "name: tests", "name: others"),
    "a rule that is gone": lambda folder: (folder / "nodes" / "RAI-TST-002.yaml").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_remembered_is_what_would_be_read(folder: Path, change: str) -> None:
    remembered = Remembered()
    first = read_packs([folder], remembered=remembered)
    CHANGES[change](folder)
    changed, fresh = read_packs([folder], remembered=remembered), read_packs([folder])
    assert changed == fresh
    assert (changed == first) == (change == "nothing")


def test_mistakes_of_later_checks_do_not_pile_up(folder: Path) -> None:
    CHANGES["an id used twice"](folder)
    remembered = Remembered()
    counts = {len(read_packs([folder], remembered=remembered)[1]) for _ in range(3)}
    assert counts == {len(read_packs([folder])[1])}


def test_the_shipped_rules_are_remembered_as_they_are() -> None:
    remembered = Remembered()
    read_packs([default_pack()], remembered=remembered)
    assert read_packs([default_pack()], remembered=remembered) == read_packs([default_pack()])
