"""runai-collect.pyz: the same bytes from any Python, and it runs on all of them."""

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "collector" / "build_pyz.py"
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"


def pythons() -> list[str]:
    """Every Python 3 from 3.6 on that this machine has beside the one that runs the tests."""
    found = [str(path) for path in sorted(PYENV.glob("3.*/bin/python3")) if int(path.parts[-3].split(".")[1]) >= 6]
    return [sys.executable, *found]


@pytest.mark.parametrize("python", pythons())
def test_the_same_bytes_and_it_runs(python: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(BUILD), str(tmp_path / "mine.pyz")], check=True)
    subprocess.run([python, str(BUILD), str(tmp_path / "theirs.pyz")], check=True)
    digests = {hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("mine.pyz", "theirs.pyz")}
    assert len(digests) == 1
    done = subprocess.run(
        [python, "-I", "-S", str(tmp_path / "theirs.pyz"), "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python3 {tmp_path / 'theirs.pyz'} [options]\n")


OLD = sorted(PYENV.glob("2.*/bin/python2"))


@pytest.mark.skipif(not OLD, reason="no Python 2 on this machine")
def test_a_python_that_is_too_old_is_told_in_a_line(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(BUILD), str(tmp_path / "c.pyz")], check=True)
    done = subprocess.run([str(OLD[0]), str(tmp_path / "c.pyz")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "runai-collect: Python 3.6 or later is needed, and this is 2.7\n"


def test_it_is_small_and_starts_as_a_program(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(BUILD), str(tmp_path / "c.pyz")], check=True)
    data = (tmp_path / "c.pyz").read_bytes()
    assert data.startswith(b"#!/usr/bin/env python3\n")
    assert len(data) <= 250_000
    assert os.access(tmp_path / "c.pyz", os.X_OK)


MAIN_THREAD = {"cli", "gather", "printed", "planned", "connect", "kubectl"}  # what these import late, no other thread does


def late_imports(path: Path) -> set[str]:
    """Return the modules of the collector that a module imports inside of functions."""
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    found = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom) and node.level]
    return {name for node in found for name in ([node.module] if node.module else [alias.name for alias in node.names])}


def test_what_threads_import_late_is_imported_before_they_start() -> None:
    """Up to Python 3.9, of a module in a zip that one thread imports another may see a half: "cannot import name"."""
    package = ROOT / "collector" / "runai_collect"
    late = {name for path in package.glob("*.py") if path.stem not in MAIN_THREAD for name in late_imports(path)}
    assert {"items", "one_by_one"} <= late
    assert late <= late_imports(package / "cli.py")
