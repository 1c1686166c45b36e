"""Measure the analyzer on a synthetic bundle against the floor of the same run, and print ratios.
"redact" as the first argument measures the redactor instead.

The floor is decompressing the same archive and parsing every line of it as JSON; nothing that looks at all objects can be faster.
"""

import argparse
import gzip
import resource
import statistics
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from . import redact
from .synthetic import write_bundle


def floor(path: Path) -> int:
    """Decompress and parse everything; returns the number of JSON lines."""
    lines = 0
    with gzip.open(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if member.name.endswith(".jsonl"):
                content = archive.extractfile(member)
                assert content is not None
                for line in content.read().splitlines():
                    orjson.loads(line)
                    lines += 1
    return lines


def analyze(path: Path) -> int:
    """Run everything up to the report, without rendering; returns the number of outcomes."""
    from runai_analyze.pipeline import Options, analyze

    return len(analyze(path, Options()).outcomes)


def html(path: Path) -> int:
    """The same, and the HTML; returns its size."""
    from runai_analyze.pipeline import Options, analyze
    from runai_analyze.report.html import render_html

    return len(render_html(analyze(path, Options())))


def seconds(work: Callable[[Path], int], path: Path, rounds: int) -> float:
    """Return the median wall time of ``work`` in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work(path)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Write the bundle, measure, print."""
    if sys.argv[1:2] == ["redact"]:
        redact.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--pods", type=int, default=15000)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = write_bundle(Path(folder) / "bundle.tgz", pods=options.pods, nodes=options.nodes)
        print(f"{options.nodes} nodes, {options.pods} pods, {path.stat().st_size / 1e6:.1f} MB, {options.rounds} rounds")
        base = seconds(floor, path, options.rounds)
        print(f"floor (decompress, parse)  {base:7.2f} s   1.00")
        for name, work in (("analyze", analyze), ("analyze and HTML", html)):
            took = seconds(work, path, options.rounds)
            print(f"{name:26} {took:7.2f} s  {took / base:5.2f}")
        print(f"peak memory                {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")


if __name__ == "__main__":
    main()
