"""The wheel holds every tracked file of the packages, the rules and the templates, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOMES = {
    "collector/runai_collect/": "runai_collect/",
    "analyzer/runai_analyze/": "runai_analyze/",
    "rules/": "runai_analyze/_data/rules/",
    "templates/": "runai_analyze/_data/templates/",
}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built as a user's pip would."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (path,) = folder.glob("*.whl")
    return path


def tracked() -> set[str]:
    """Return the wheel's expected names, from the files that git tracks."""
    names = subprocess.run(["git", "ls-files", *HOMES], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {home + name.removeprefix(folder) for name in names for folder, home in HOMES.items() if name.startswith(folder)}


def test_wheel_holds_what_is_tracked(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == tracked()


def test_wheel_carries_the_licences_and_the_three_commands(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    info = {name.split(".dist-info/")[1]: name for name in archive.namelist() if ".dist-info/" in name}
    assert {"licenses/LICENSE", "licenses/NOTICE"} <= set(info)
    entries = archive.read(info["entry_points.txt"]).decode()
    commands = [line.split(" ")[0] for line in entries.splitlines() if "=" in line]
    assert commands == ["runai-analyze", "runai-collect", "runai-rules"]
