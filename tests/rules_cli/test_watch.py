"""runai-rules watch as a program of its own: what it says after each save, files that come and go, and how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules_cli.test_cover import pack
from tests.rules_cli.test_try import NODES
from tests.ruleset.packs import RULE

END = "waiting for the next save, Ctrl-C ends"


class Watching:
    """A running ``runai-rules watch`` and its file."""

    def __init__(self, file: Path, subject: Path) -> None:
        self.file = file
        code = "from runai_analyze.rules_cli import main; main()"
        command = [sys.executable, "-c", code, "watch", str(file), str(subject)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def next(self) -> str:
        """Return what is printed up to the next wait."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.rstrip().endswith(END):
                break
        return "".join(lines)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    subject = tmp_path / "nodes.yaml"
    subject.write_text(NODES)
    (tmp_path / "pack").mkdir()
    one = Watching(pack(tmp_path / "pack", RULE) / "nodes" / "RAI-TST-001.yaml", subject)
    yield one
    one.process.kill()
    one.process.wait()


def test_a_save_is_linted_tested_and_tried(watching: Watching) -> None:
    first = watching.next()
    assert "lint: no mistakes" in first
    assert "test: 3 examples ok" in first
    assert "fails    w1    false* 4" in first
    watching.file.write_text(RULE.replace("at_least: 8", "at_least: 32"))
    second = watching.next()
    assert f"{watching.file}:17: RAI-TST-001: large\n    - result: pass\n    + result: fail\n" in second
    assert "test: 1 of 3 examples failed" in second
    assert "fails    w2    false* 16" in second
    watching.file.write_text(RULE.replace("severity: high", "severity: bad"))
    assert f"{watching.file}:3:11: wrong-word" in watching.next()
    watching.file.write_text(RULE)
    assert "test: 3 examples ok" in watching.next()


def test_an_editor_that_writes_beside_and_renames_is_no_vanished_file(watching: Watching) -> None:
    watching.next()
    beside = watching.file.with_suffix(".tmp")
    for number in range(3):
        beside.write_text(f"{RULE}# {number}\n")
        watching.file.unlink()
        os.rename(beside, watching.file)
        assert "test: 3 examples ok" in watching.next()


def test_a_file_that_stays_away_is_waited_for(watching: Watching) -> None:
    watching.next()
    watching.file.unlink()
    assert "is neither a folder nor a rule file" in watching.next()
    watching.file.write_text(RULE)
    assert "test: 3 examples ok" in watching.next()


def test_a_table_of_the_pack_counts_too(watching: Watching) -> None:
    watching.next()
    (watching.file.parent.parent / "pack.yaml").write_text("name: tests\nversion: 2.0\nengine: '>=0.1'\nchangelog: [second]\n")
    assert "test: 3 examples ok" in watching.next()


def test_ctrl_c_ends_it(watching: Watching) -> None:
    watching.next()
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(10) == 130
    assert watching.process.stdout is not None
    assert "Traceback" not in watching.process.stdout.read()


def test_the_screen_is_not_wiped_where_there_is_none(watching: Watching) -> None:
    assert "\x1b" not in watching.next()


def test_what_is_no_bundle_ends_it(tmp_path: Path) -> None:
    odd = tmp_path / "odd.tgz"
    odd.write_bytes(b"no bundle")
    (tmp_path / "pack").mkdir()
    one = Watching(pack(tmp_path / "pack", RULE) / "nodes" / "RAI-TST-001.yaml", odd)
    output = one.process.communicate(timeout=60)[0]
    assert (one.process.returncode, "runai-rules: " in output) == (3, True)
