"""Runs the programs as a user has them: the collector from the wheel or the .pyz, the analyzer as installed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.acceptance.bundles import Bundle

ROOT = Path(__file__).parent.parent.parent
OLDEST_WANTED = (3, 6)
COLLECT_SECONDS = 300
ANALYZE_SECONDS = 300


@dataclass(frozen=True)
class Run:
    """How a program ended and all that it said."""

    code: int
    stdout: bytes
    stderr: bytes

    def __str__(self) -> str:
        said = (self.stdout + self.stderr).decode(errors="replace")
        return f"exit code {self.code}\n{said[-6000:]}"


@dataclass(frozen=True)
class Collected:
    """One run of the collector; `bundle` is there where the program wrote one."""

    run: Run
    path: Path

    @cached_property
    def bundle(self) -> Bundle:
        assert self.path.exists(), f"no bundle: {self.run}"
        return Bundle(self.path)


@dataclass(frozen=True)
class Analyzed:
    """One run of the analyzer and the folder that it wrote to."""

    run: Run
    folder: Path

    @cached_property
    def report(self) -> dict[str, Any]:
        path = self.folder / "report.json"
        assert path.exists(), f"no report: {self.run}"
        report: dict[str, Any] = json.loads(path.read_bytes())
        return report

    def read(self, name: str) -> bytes:
        path = self.folder / name
        assert path.exists(), f"no {name}: {self.run}"
        return path.read_bytes()


def collect(program: Sequence[str], path: Path, environment: Mapping[str, str], *arguments: str) -> Collected:
    """Runs the collector, `program` being its command, as somebody whose screen is a file."""
    command = [*program, "-o", str(path), *arguments]
    return Collected(run(command, environment, path.parent, COLLECT_SECONDS), path)


def analyze(bundle: Path, folder: Path, *arguments: str, before: Sequence[str] = (), **environment: str) -> Analyzed:
    """Runs the installed runai-analyze; `before` is a command that starts it."""
    command = [*before, str(Path(sys.executable).with_name("runai-analyze")), str(bundle), "-o", str(folder), *arguments]
    surroundings = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder.parent), "LC_ALL": "C.UTF-8", **environment}
    return Analyzed(run(command, surroundings, folder.parent, ANALYZE_SECONDS), folder)


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float) -> Run:
    done = subprocess.run(
        command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
    )
    return Run(done.returncode, done.stdout, done.stderr)


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (path,) = folder.glob("*.whl")
    return path


def install_alone(wheel: Path, folder: Path) -> Path:
    """The collector's command in a new environment that holds the wheel and nothing else, not one dependency."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", str(wheel)], check=True)
    return folder / "bin" / "runai-collect"


def build_pyz(path: Path, python: str = sys.executable) -> Path:
    subprocess.run([python, str(ROOT / "collector" / "build_pyz.py"), str(path)], check=True)
    return path


def pythons() -> dict[tuple[int, int], str]:
    """Every Python from 3.6 on that runs here, by version: on the PATH, of pyenv, and the tests' own."""
    found: dict[tuple[int, int], str] = {}
    for path in [sys.executable, *_candidates()]:
        version = _version(path)
        if version >= OLDEST_WANTED:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def _candidates() -> list[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder and "shims" not in folder]
    folders += [*sorted(pyenv.glob("*/bin")), Path("/usr/bin"), Path("/usr/local/bin")]
    names = re.compile(r"python3(\.\d+)?")
    return [str(path) for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()) if names.fullmatch(path.name)]


def _version(python: str) -> tuple[int, int]:
    """(0, 0) for what does not run."""
    program = "import sys; print(sys.version_info[0], sys.version_info[1])"
    try:
        answer = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    major, minor = answer.split()
    return int(major), int(minor)
