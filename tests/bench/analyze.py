"""The analyzer on a bundle of a size against the floor of the same run: decompressing the archive and parsing every line of it as
JSON. Nothing that looks at all objects can be faster."""

import argparse
import gzip
import json
import resource
import statistics
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
from runai_analyze.model import Report
from runai_analyze.pipeline import Options, analyze
from runai_analyze.report.html import render_html

from tests.bench.bundles import write_bundle
from tests.bench.generator import SIZES, Planted


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


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median wall time of ``work`` in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def found(report: Report, planted: list[Planted]) -> set[Planted]:
    """Return the planted faults whose object is the subject of a finding."""
    subjects = {
        (finding.subject.kind, finding.subject.namespace, finding.subject.name)
        for outcome in report.outcomes
        for finding in outcome.findings
        if finding.subject
    }
    return {one for one in planted if one[:3] in subjects}


def main(arguments: list[str]) -> None:
    """Write the bundle, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench analyze", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="M")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="a folder in which the bundle stays")
    options = parser.parse_args(arguments)
    size = SIZES[options.size]
    with tempfile.TemporaryDirectory() as folder:
        path = (options.keep or Path(folder)) / f"bench-{options.size}.tgz"
        grown = write_bundle(path, size)
        print(f"{options.size}: {json.dumps(size._asdict())}, {path.stat().st_size / 1e6:.1f} MB, {options.rounds} rounds")
        base = seconds(lambda: floor(path), options.rounds)
        print(f"floor (decompress, parse)  {base:7.2f} s   1.00")
        for name, work in (
            ("analyze", lambda: analyze(path, Options())),
            ("analyze and HTML", lambda: render_html(analyze(path, Options()))),
        ):
            took = seconds(work, options.rounds)
            print(f"{name:26} {took:7.2f} s  {took / base:5.2f}")
        known = found(analyze(path, Options()), grown.planted)
        print(f"planted faults found       {len(known)} of {len(grown.planted)}")
    print(f"peak memory                {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")
