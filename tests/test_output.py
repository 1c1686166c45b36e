"""What a report may overwrite."""

import os
from pathlib import Path

import pytest
from runai_analyze.errors import UserError
from runai_analyze.output import OutputFolder


def test_a_former_report_is_replaced(tmp_path: Path) -> None:
    OutputFolder(tmp_path).write("report.html", b"first")
    again = OutputFolder(tmp_path)
    again.check(["report.html"])
    assert again.write("report.html", b"second").read_bytes() == b"second"


def test_a_strangers_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(UserError, match=r"report\.html exists and was not written by runai-analyze"):
        OutputFolder(tmp_path).check(["report.html"])


def test_a_report_that_was_edited_is_not(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path)
    folder.write("report.html", b"first").write_bytes(b"first, with my notes")
    with pytest.raises(UserError, match="changed since"):
        folder.check(["report.html"])


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").symlink_to(victim)
    with pytest.raises(UserError):
        OutputFolder(tmp_path / "out").check(["report.html"])
    assert victim.read_text() == "precious"


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UserError, match="cannot make the folder"):
        OutputFolder(tmp_path / "out").check(["report.html"])


def test_a_broken_ledger_means_that_nothing_is_ours(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path)
    folder.write("report.html", b"first")
    (tmp_path / ".runai-analyze.json").write_text("{")
    with pytest.raises(UserError):
        folder.check(["report.html"])


def test_checking_makes_no_folder(tmp_path: Path) -> None:
    OutputFolder(tmp_path / "a" / "b").check(["report.html"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ledger", ["[" * 5000, '["report.html"]', "[1"])
def test_an_odd_ledger_means_that_nothing_is_ours(tmp_path: Path, ledger: str) -> None:
    OutputFolder(tmp_path).write("report.html", b"first")
    (tmp_path / ".runai-analyze.json").write_text(ledger)
    with pytest.raises(UserError, match="was not written by runai-analyze"):
        OutputFolder(tmp_path).check(["report.html"])


def test_a_pipe_in_the_place_of_the_ledger_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".runai-analyze.json")
    OutputFolder(tmp_path).check(["report.html"])


def test_a_folder_that_takes_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot (write|make)"):
        OutputFolder(Path("/proc/runai")).write("report.html", b"x")
