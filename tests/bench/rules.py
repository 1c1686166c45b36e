"""Read 500 rules: cold, with all that lint checks, and from the cache; the floor of the same run is libyaml alone on the files.

The rules are those that ship with the program, again and again under other ids. Each figure is the seconds of the processor in a
process of its own, imports left out: what was read before would be warm.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from runai_analyze.ruleset import default_pack

COLD, CACHED = 3.0, 0.5  # seconds that may go by for 500 rules
_TITLE = re.compile(r"^title: [\"']?", re.MULTILINE)
_ID = re.compile(r"RAI-([A-Z]+)-(\d{3})")

FLOOR = """
import yaml
def read(folder, cache):
    for path in sorted(folder.rglob("*.yaml")):
        for _ in yaml.parse(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
"""
LINT = """
from runai_analyze.ruleset import lint_packs
def read(folder, cache):
    pack, mistakes = lint_packs([folder])
    assert not [mistake for mistake in mistakes if mistake.level == "error"], mistakes[0]
"""
LOAD = """
from runai_analyze.ruleset import load_packs
def read(folder, cache):
    load_packs([folder])
"""
KEPT = """
from runai_analyze.ruleset import load_packs
def read(folder, cache):
    load_packs([folder], cache=cache)
"""
TIMED = """
import sys, time
from pathlib import Path
folder, cache = map(Path, sys.argv[1:])
start = time.process_time()
read(folder, cache)
print(time.process_time() - start)
"""


def main(arguments: Sequence[str]) -> None:
    """Print seconds of the processor and ratios; exit code 1 where a figure is above what it may be."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench rules")
    parser.add_argument("--rules", type=int, default=500)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        pack, cache = Path(folder) / "pack", Path(folder) / "cache"
        count = make_pack(pack, options.rules)
        taken = measured(pack, cache, options.times)
        print(f"{count} rules, {size(pack) // 1024} KiB of YAML; the middle of {options.times} runs")
    for name, seconds in taken.items():
        print(f"{name:<34} {seconds:6.3f} s  {seconds / taken['libyaml alone']:5.1f} × libyaml")
    if taken["read and linted, cold"] > COLD or taken["read from the cache"] > CACHED:
        sys.exit(f"more than {COLD} s cold or {CACHED} s from the cache")


PARTS = {
    "libyaml alone": FLOOR,
    "read and linted, cold": LINT,
    "read, cold": LOAD,
    "read, and kept in the cache": KEPT,
    "read from the cache": KEPT,
}


def measured(pack: Path, cache: Path, times: int) -> dict[str, float]:
    """Return the seconds of each part."""
    return {name: measure(code, pack, cache, times) for name, code in PARTS.items()}


def make_pack(folder: Path, count: int) -> int:
    """Write a pack of about ``count`` rules with the tables and pages of the shipped one; return how many there are."""
    shipped = default_pack()
    shutil.copytree(shipped, folder)
    rules = [path for path in sorted(shipped.rglob("*.yaml")) if _ID.fullmatch(path.stem)]
    made, turn = len(rules), 0
    while made < count:
        turn += 1
        batch = {path.stem: path for path in rules[: count - made]}
        for path in batch.values():
            place = folder / path.relative_to(shipped).parent / f"{_other(path.stem, turn)}.yaml"
            text = _ID.sub(lambda match: _other(match[0], turn) if match[0] in batch else match[0], path.read_text())  # noqa: B023
            place.write_text(_TITLE.sub(rf"\g<0>{turn} ", text, count=1))
        made += len(batch)
    return made


def _other(name: str, turn: int) -> str:
    return name.replace("RAI-", f"RAI-X{turn}", 1)


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.yaml"))


def measure(code: str, pack: Path, cache: Path, times: int) -> float:
    """Return the middle of the seconds that a piece of code takes, each time in a new process."""
    if code is KEPT and not cache.exists():
        return _once(code, pack, cache)
    return statistics.median(_once(code, pack, cache) for _ in range(times))


def _once(code: str, pack: Path, cache: Path) -> float:
    command = [sys.executable, "-c", code + TIMED, str(pack), str(cache)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
