"""Building a program once: where it is kept, one build at a time, and how far it is."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Say = Callable[[str], None]

TOLD_SECONDS = 20


class MissingBinariesError(Exception):
    """The cluster cannot be started; the message is one line and says what to do."""


def cache_folder(environ: Mapping[str, str], part: str = "cluster") -> Path:
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME", "/")) / ".cache"
    return Path(base) / "runai-support-bundle" / part


def build_once(path: Path, build: Callable[[Path], None], say: Say) -> Path:
    """`path`; where it is not there yet, `build(place)` makes it at a place beside it. One build at a time."""
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent / "lock", say):
        if not path.is_file():  # another process may have built it meanwhile
            start, place = time.monotonic(), path.with_name(f"{path.name}.{os.getpid()}")
            try:
                build(place)
                place.rename(path)
            finally:
                place.unlink(missing_ok=True)
            say(f"{path.name}: built in {time.monotonic() - start:.0f} s: {path}")
    return path


def find_go(wanted: str, environ: Mapping[str, str]) -> str:
    """The program of Go. Raises MissingBinariesError, which names what it is wanted for."""
    go = shutil.which("go", path=environ.get("PATH", ""))
    if go is None:
        raise MissingBinariesError(f"no {wanted}: install Go (https://go.dev/dl)")
    return go


def download_module(go: str, module: str, wanted: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """What Go says of a module (PATH@VERSION) that it has downloaded: its `Dir`, its `GoMod`. Raises MissingBinariesError."""
    command = [go, "mod", "download", "-json", module]
    done = subprocess.run(command, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingBinariesError(f"no {wanted}: {module} is not to be had: {done.stderr.strip()[-300:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def linker_flags(release: str, build_date: str, modules: str = "k8s.io") -> str:
    """Without these a server calls itself v0.0.0-master+$Format:%H$, which kubectl cannot parse (seen with 1.36)."""
    major, minor, _ = release.removeprefix("v").split(".")
    values = {"gitVersion": release, "gitMajor": major, "gitMinor": minor, "gitCommit": "built-as-a-module",
              "gitTreeState": "clean", "buildDate": build_date}  # fmt: skip
    packages = (f"{modules}/component-base/version", f"{modules}/client-go/pkg/version")
    return "-s -w " + " ".join(f"-X {package}.{key}={value}" for package in packages for key, value in values.items())


def run_build(command: Sequence[str], folder: Path, name: str, say: Say, environ: Mapping[str, str]) -> None:
    """Runs a build in `folder` and says from time to time how far it is. Raises MissingBinariesError with its last lines."""
    build = subprocess.Popen(command, cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    try:
        last_words = _follow(build, name, say)
    except BaseException:
        build.kill()
        raise
    if build.wait() != 0:
        raise MissingBinariesError(f"no test cluster: building {name} failed: {' / '.join(last_words)}")


def _follow(build: "subprocess.Popen[str]", name: str, say: Say) -> list[str]:
    """Each line of `go build -v` is a package. Comes back with the last lines."""
    last_words: list[str] = []
    told = start = time.monotonic()
    assert build.stderr is not None
    for packages, line in enumerate(build.stderr, 1):
        last_words = [*last_words[-4:], line.strip()]
        if time.monotonic() - told > TOLD_SECONDS:
            told = time.monotonic()
            say(f"{name}: {packages} packages, {told - start:.0f} s")
    return last_words


@contextmanager
def _locked(path: Path, say: Say) -> Iterator[None]:
    """The lock goes with its process, so a killed build leaves none behind."""
    import fcntl  # not on Windows, where there is no test cluster either

    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{path.parent.name}: another process builds it, waiting")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
