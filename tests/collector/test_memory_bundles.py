"""Bundles that are small as files and large in memory: inspect and remove end soon, in bounded memory, with a word."""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bundle.builder import packed
from tests.collector.test_collect import COLLECTOR
from tests.collector.test_faults_program import peak_of

MOST_MB, MOST_SECONDS = 170, 30.0
ABOUT = b'{"format":1,"name":"b","cluster":{"name":"c"},"options":{}}'


def kinds() -> Iterator[tuple[str, bytes]]:
    """80 kinds, each in 2000 namespaces of its own."""
    for kind in range(80):
        rows = [f'{{"metadata":{{"namespace":"{kind}-{number}-{"n" * 290}"}}}}\n' for number in range(2000)]
        yield f"resources/k{kind}/0001.jsonl", "".join(rows).encode()


def keys(count: int) -> bytes:
    return json.dumps({f"{number:x}": f"{number:x}" for number in range(count)}, separators=(",", ":")).encode() + b"\n"


# The members, and whether they are read to their end: then the two commands find nothing wrong.
BUNDLES = {
    "five million rows": (lambda: [("redactions/0001.jsonl", b"{}\n" * (5 << 20))], False),
    "as many rows as are read of a file": (lambda: [("redactions/0001.jsonl", b"{}\n" * 390_000), ("x", b"")], True),
    "rows of many values": (lambda: [("resources/a/0001.jsonl", (b'{"a":[' + b"{}," * 650_000 + b"{}]}\n") * 30)], False),
    "one row of as many values as are read": (lambda: [("redactions/0001.jsonl", keys(390_000)), ("x", b"")], True),
    "a large file": (lambda: [("logs/a.log", b"x" * (127 << 20))], False),
    "as large a file as is read": (lambda: [("logs/a.jsonl", b'"' + b"x" * ((32 << 20) - 9) + b'"'), ("x", b"")], True),
    "namespaces without end": (lambda: [*kinds(), ("x", b"")], True),
    "long names": (lambda: [("logs/" + "a" * 900 + f"/{number}", b"") for number in range(20_000)], False),
}


@pytest.fixture(scope="module", params=BUNDLES)
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bool]:
    made, whole = BUNDLES[request.param]
    members = [("bundle.json", ABOUT), *made()]
    listed = [
        {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "step": "x"} for name, data in members
    ]
    manifest = {"format": 1, "finished": "2026-01-01T00:00:00Z", "state": "complete", "steps": [], "members": listed}
    path = tmp_path_factory.mktemp("hostile") / "b.tgz"
    path.write_bytes(packed([(f"b/{name}", data) for name, data in [*members, ("manifest.json", json.dumps(manifest).encode())]]))
    return path, whole


@pytest.mark.parametrize("command", [["inspect"], ["remove"]], ids="".join)
def test_a_hostile_bundle_costs_little(bundle: tuple[Path, bool], tmp_path: Path, command: list[str]) -> None:
    path, whole = bundle
    more = ["x", "-o", str(tmp_path / "new.tgz")] if command == ["remove"] else []
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "runai_collect", *command, str(path), *more],
        cwd=COLLECTOR, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    peak = peak_of(process)
    stdout, stderr = process.communicate(timeout=10)
    assert process.returncode == (0 if whole else 1), stdout[-500:] + stderr
    assert peak < MOST_MB, f"{peak} MB"
    assert time.monotonic() - begin < MOST_SECONDS
    assert whole or "read further" in stdout + stderr
