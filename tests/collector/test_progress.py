"""That nobody reads what is said costs nothing but the words. Each in a process of its own, as a person runs it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

COLLECTOR = Path(__file__).parent.parent.parent / "collector"
SAYS = (
    "import sys; from runai_collect.progress import Progress, show\n"
    "progress = Progress(False)\n"
    "for number in range(int(sys.argv[1])): progress.say('part %60d' % number)\n"
    "progress.part('ünï'); progress.end()\n"
    "show(sys.stdout, 'fehler ünï 漢 \\ud800\\n')\n"
    "open('done', 'w').close(); sys.exit(7)"
)


def shell(folder: Path, redirect: str, count: int = 3, **environment: str) -> subprocess.CompletedProcess[str]:
    command = f'"$0" -c "$1" {count} {redirect}'
    surroundings = {**os.environ, "PYTHONPATH": str(COLLECTOR), **environment}
    return subprocess.run(
        ["bash", "-c", command, sys.executable, SAYS], cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "redirect", [">&-", "2>&-", ">&- 2>&-", "> >(true)", "2> >(true)", ">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full"]
)
def test_where_nobody_can_read_the_run_goes_on(tmp_path: Path, redirect: str) -> None:
    done = shell(tmp_path, redirect)
    assert (done.returncode, (tmp_path / "done").exists()) == (7, True)
    assert "Exception" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pipe_that_nobody_reads_does_not_hold_the_run_up(tmp_path: Path) -> None:
    surroundings = {**os.environ, "PYTHONPATH": str(COLLECTOR)}
    code = "import os, fcntl\nif hasattr(fcntl, 'F_SETPIPE_SZ'): fcntl.fcntl(2, fcntl.F_SETPIPE_SZ, 4096)\n" + SAYS
    begin = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", code, "90"], cwd=tmp_path, env=surroundings, stderr=subprocess.PIPE)
    assert process.wait(60) == 7
    assert time.monotonic() - begin < 60
    assert (tmp_path / "done").exists()
    assert process.stderr is not None
    process.stderr.close()


ESCAPES = (
    "import sys; from runai_collect.progress import Progress, show\n"
    "progress, name = Progress(False), 'a\\x1b]0;x\\x07\\x9b2Jb\\rc\\u202e'\n"
    "progress._line = len(sys.argv) > 2\n"
    "progress.part(name); progress.step(name); progress.say(name); progress.end(); show(sys.stdout, name)\n"
)


@pytest.mark.parametrize("terminal", [False, True])
def test_a_name_cannot_command_the_terminal(tmp_path: Path, terminal: bool) -> None:
    """On a terminal the line that is overwritten begins and ends with a carriage return of ours, and no other."""
    surroundings = {**os.environ, "PYTHONPATH": str(COLLECTOR), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", ESCAPES, "x", *["line"] * terminal]
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, check=True)
    shown, said = done.stdout.decode(), done.stderr.decode()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown + said)
    assert "a\\x1b]0;x\\x07\\x9b2Jb\rc\\u202e" in shown
    assert "a\\x1b]0;x\\x07\\x9b2Jb c\\u202e\n" in said
    assert "b\rc" not in said


def test_what_the_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    done = shell(tmp_path, "", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (7, "fehler \\xfcn\\xef \\u6f22 \\ud800\n")
