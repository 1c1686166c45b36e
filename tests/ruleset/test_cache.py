"""Packs kept from run to run: found only when nothing changed, never trusted further than a pack can be, never in the way."""

import hashlib
import os
import pickle
from pathlib import Path

import pytest
from runai_analyze.errors import RuleErrors
from runai_analyze.ruleset import cache, default_pack, load_packs, packs

from tests.ruleset.packs import RULE, write_pack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the packs that are read, as they are."""
    seen: list[str] = []
    real = packs.read_pack
    monkeypatch.setattr(packs, "read_pack", lambda files, *more: seen.append(files.where.name) or real(files, *more))
    return seen


def test_what_was_read_once_is_found_again(folder: Path, reads: list[str]) -> None:
    first, again = (load_packs([default_pack()], cache=folder) for _ in range(2))
    assert first == again == load_packs([default_pack()])
    assert len(reads) == 2  # the first time, and the time without a cache
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("change", ["rule", "table", "engine", "program", "place"])
def test_any_change_is_read_anew(
    tmp_path: Path, folder: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    pack, engine = write_pack(tmp_path / "a"), "0.1.0"
    load_packs([pack], engine, folder)
    if change == "rule":
        (pack / "nodes" / "RAI-TST-001.yaml").write_text(RULE.replace("at_least: 8", "at_least: 4"))
    elif change == "table":
        table = pack / "tables" / "racks.yaml"
        table.write_text(table.read_text().replace("value: 10,", "value: 12,"))
    elif change == "engine":
        engine = "0.1.1"
    elif change == "program":
        monkeypatch.setattr(cache, "_program", lambda: "another one")
    else:
        pack = pack.rename(tmp_path / "b")
    load_packs([pack], engine, folder)
    assert len(reads) == 2


def test_mistakes_are_never_kept(tmp_path: Path, folder: Path) -> None:
    pack = write_pack(tmp_path / "a", RULE.replace("severity: high", "severity: hihg"))
    for _ in range(2):
        with pytest.raises(RuleErrors):
            load_packs([pack], cache=folder)
    assert not folder.exists()


class Evil:
    """What an attacker would write: a pickle that runs a command when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.path),)


def test_a_file_of_somebody_else_runs_nothing(tmp_path: Path, folder: Path) -> None:
    before = load_packs([default_pack()], cache=folder)
    (file,) = folder.iterdir()
    body = pickle.dumps(Evil(tmp_path / "evil"))
    file.write_bytes(hashlib.sha256(body).digest() + body)
    assert load_packs([default_pack()], cache=folder) == before
    assert not (tmp_path / "evil").exists()


def _checked(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"\0" * 100, *map(_checked, (b"N.", b"{}", b"[0]", b"[99, 1]", b"[-1]", b"[21]", b"[[0]]", b"[" * 100_000))],
)
def test_a_damaged_file_is_as_good_as_none(folder: Path, data: bytes) -> None:
    before = load_packs([default_pack()], cache=folder)
    (file,) = folder.iterdir()
    file.write_bytes(data)
    assert load_packs([default_pack()], cache=folder) == before


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="who may write to a folder is told by its mode only on POSIX")
def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, reads: list[str]) -> None:
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    for _ in range(2):
        load_packs([default_pack()], cache=folder)
    assert (list(folder.iterdir()), len(reads)) == ([], 2)


def test_a_folder_that_cannot_be_made_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert load_packs([default_pack()], cache=tmp_path / "file" / "cache").rules


def test_not_more_than_a_few_are_kept(tmp_path: Path, folder: Path) -> None:
    for number in range(25):
        load_packs([write_pack(tmp_path / str(number))], cache=folder)
    assert len(list(folder.iterdir())) == 20
