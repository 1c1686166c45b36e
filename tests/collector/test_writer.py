"""The archive: one gzip member, bounded memory, safe names, checksums, the last scan."""

import gzip
import hashlib
import json
import os
import random
import stat
import subprocess
import sys
import tarfile
import zlib
from pathlib import Path

import pytest
from runai_collect import layout
from runai_collect.writer import BundleWriter, ClosedError, FullError, Step, find_shapes, safe_member


def write(tmp_path: Path, *members: tuple[str, bytes]) -> Path:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    for name, data in members:
        writer.add(name, data, "step")
    writer.finish("2026-01-01T00:00:00Z", "complete")
    return tmp_path / "b.tgz"


def read(path: Path) -> dict[str, bytes]:
    with tarfile.open(path, "r|gz") as archive:
        found: dict[str, bytes] = {}
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            found[member.name] = content.read()
        return found


def test_members_come_back_in_order_and_the_manifest_is_last(tmp_path: Path) -> None:
    members = read(write(tmp_path, ("bundle.json", b"{}"), ("a/b.jsonl", b"x\n" * 700)))
    assert list(members) == ["top/bundle.json", "top/a/b.jsonl", "top/manifest.json"]
    manifest = json.loads(members["top/manifest.json"])
    assert manifest["members"][1] == {
        "path": "a/b.jsonl",
        "bytes": 1400,
        "sha256": hashlib.sha256(b"x\n" * 700).hexdigest(),
        "step": "step",
    }
    assert (manifest["format"], manifest["state"]) == (1, "complete")


def test_it_is_one_gzip_member(tmp_path: Path) -> None:
    """tarfile in its streaming modes returns only the first member of several, without an error."""
    path = write(tmp_path, ("bundle.json", b"{}" * 100000))
    assert subprocess.run(["gzip", "-t", str(path)], check=False).returncode == 0
    stream = zlib.decompressobj(31)
    stream.decompress(path.read_bytes())
    assert stream.eof
    assert stream.unused_data == b""


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    assert stat.S_IMODE(write(tmp_path).stat().st_mode) == 0o600


def test_nothing_bears_the_wanted_name_before_the_end(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.add("a", b"x", "s")
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz.partial"]
    writer.abandon(True)
    assert list(tmp_path.iterdir()) == []


def test_after_the_end_nothing_can_be_added(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.finish("2026-01-01T00:00:00Z", "interrupted")
    with pytest.raises(ClosedError):
        writer.add("late", b"x", "s")


def test_a_link_that_waits_under_the_temporary_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "b.tgz.partial").symlink_to(tmp_path / "victim")
    write(tmp_path)
    assert (tmp_path / "victim").read_text() == "mine"


def test_two_writers_of_one_name_make_two_whole_bundles(tmp_path: Path) -> None:
    writers = [BundleWriter(str(tmp_path / "b.tgz"), "top", 1) for _ in range(2)]
    for number, writer in enumerate(writers):
        writer.add("a", b"%d" % number, "s")
    totals = [writer.finish("2026-01-01T00:00:00Z", "complete") for writer in writers]
    assert [Path(writer.path).name for writer in writers] == ["b.tgz", "b.2.tgz"]
    digests = [hashlib.sha256(Path(writer.path).read_bytes()).hexdigest() for writer in writers]
    assert digests == [total.sha256 for total in totals]
    assert [read(Path(writer.path))["top/a"] for writer in writers] == [b"0", b"1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.2.tgz", "b.tgz"]


@pytest.mark.parametrize(("blocked", "taken", "got"), [(False, "b.tgz", "b.2.tgz"), (True, "b.tgz.blocked", "b.2.tgz.blocked")])
def test_what_appears_under_the_name_meanwhile_is_not_replaced(tmp_path: Path, blocked: bool, taken: str, got: str) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    (tmp_path / taken).write_text("mine")
    (tmp_path / "b.tgz.partial.note").write_text("too")
    writer.finish("2026-01-01T00:00:00Z", "complete", blocked)
    assert (tmp_path / taken).read_text() == "mine"
    assert writer.path == str(tmp_path / got)
    assert "top/manifest.json" in read(tmp_path / got)
    assert stat.S_IMODE((tmp_path / got).stat().st_mode) == 0o600


def test_an_older_unfinished_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "b.tgz.partial").write_text("precious")
    write(tmp_path)
    assert (tmp_path / "b.tgz.partial").read_text() == "precious"


def test_pages_and_rows_become_numbered_members(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    assert writer.add_page("resources/core/v1/pods/", [{"b": 1, "a": "ä"}], "s") == "resources/core/v1/pods/0001.jsonl"
    assert writer.add_page("resources/core/v1/pods/", [], "s") == ""
    assert writer.add_page("resources/core/v1/pods/", [{}], "s") == "resources/core/v1/pods/0002.jsonl"
    for number in range(1001):
        writer.add_row(layout.SECRETS, {"n": number})
    writer.finish("2026-01-01T00:00:00Z", "complete")
    members = read(tmp_path / "b.tgz")
    assert members["top/resources/core/v1/pods/0001.jsonl"] == '{"a":"ä","b":1}\n'.encode()
    assert [len(members[f"top/secrets/{number:04d}.jsonl"].splitlines()) for number in (1, 2)] == [1000, 1]


def test_steps_are_sorted_whatever_order_they_ended_in(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.add_step(Step("list:core/v1/pods", "GET", "cluster", "ok", seconds=0.123456))
    writer.add_step(Step("discovery", "GET", "cluster", "forbidden", 403, "no"))
    writer.finish("2026-01-01T00:00:00Z", "complete")
    steps = json.loads(read(tmp_path / "b.tgz")["top/manifest.json"])["steps"]
    assert [(step["id"], step["status"], step["code"], step["seconds"]) for step in steps] == [
        ("discovery", "forbidden", 403, 0.0),
        ("list:core/v1/pods", "ok", None, 0.123),
    ]


@pytest.mark.parametrize("member", ["logs/ns/../x.log", "logs/ns/a b/\n.log", "logs/ns/" + "n" * 300, "logs/ns/é", "logs//x"])
def test_unsafe_names_are_changed_and_the_true_one_is_kept(tmp_path: Path, member: str) -> None:
    members = read(write(tmp_path, (member, b"x")))
    name = next(iter(members))[4:]
    parts = name.split("/")
    assert all(part and part.strip(".") and part.isascii() and len(part) < 200 for part in parts)
    row = json.loads(members["top/manifest.json"])["members"][0]
    assert (row["path"], row["name"]) == (name, member)


def test_a_name_that_is_no_text_is_changed_too() -> None:
    assert safe_member("logs/ns/\ud800").startswith("logs/ns/_-")


def test_kubernetes_names_stay_as_they_are() -> None:
    assert (
        safe_member("logs/kube-system/coredns-5d78c9869d-x2x4z/coredns.previous.log")
        == "logs/kube-system/coredns-5d78c9869d-x2x4z/coredns.previous.log"
    )


def test_names_of_more_than_a_hundred_characters_come_back(tmp_path: Path) -> None:
    name = "logs/{}/{}/c.log".format("n" * 63, "p" * 150)
    assert "top/" + name in read(write(tmp_path, (name, b"x")))


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (b"-----BEGIN EC PRIVATE KEY-----\n" + b"A" * 64, "private-key"),
        (b"AKIA" + b"Q" * 16, "aws-key"),
        (b"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrOHMifQ." + b"a" * 40, "jwt"),
        (b'"auth":"dXNlcjpwYXNzd29yZA=="', "docker-auth"),
        (b"nvapi-" + b"a" * 40, "ngc-key"),
    ],
)
def test_the_last_scan_finds_shapes(tmp_path: Path, data: bytes, shape: str) -> None:
    assert find_shapes(b"before " + data + b" after") == [shape]
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.add("a", b" " + data + b" ", "s")
    assert [(hit.member, hit.shape) for hit in writer.hits] == [("a", shape)]


def test_the_last_scan_passes_certificates_and_markers() -> None:
    assert (
        find_shapes(b"-----BEGIN CERTIFICATE-----\nMIIB" + "«redacted:private-key» -----BEGIN PRIVATE KEY----- no".encode()) == []
    )


def test_memory_stays_flat(tmp_path: Path) -> None:
    """300 MB go through; measured in a process of its own."""
    code = (
        "import resource, os, sys; sys.path.insert(0, sys.argv[1])\nfrom runai_collect.writer import BundleWriter\n"
        "w = BundleWriter(sys.argv[2], 't', 1)\nw.add('a', os.urandom(1000) * 3000, 's')\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for n in range(100): w.add('m%d' % n, os.urandom(1000) * 3000, 's')\n"
        "w.finish('', 'complete'); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    collector = str(Path(__file__).parent.parent.parent / "collector")
    out = subprocess.run(
        [sys.executable, "-c", code, collector, str(tmp_path / "b.tgz")], capture_output=True, text=True, check=True
    )
    assert int(out.stdout) < 12000  # KiB
    with gzip.open(tmp_path / "b.tgz") as stream:
        assert sum(len(part) for part in iter(lambda: stream.read(1 << 20), b"")) > 300_000_000


def test_the_file_is_never_larger_than_it_may_be_and_the_manifest_is_in_it(tmp_path: Path) -> None:
    """Whatever still fits goes in after something that did not."""
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1, 400_000)
    refused = 0
    for number in range(600):
        try:
            writer.add(f"logs/{number}", os.urandom(3000 if number % 7 else 90_000), "s")
        except FullError:
            refused += 1
    writer.finish("2026-01-01T00:00:00Z", "size-limit")
    assert refused > 400
    assert 360_000 <= (tmp_path / "b.tgz").stat().st_size <= 400_000
    manifest = json.loads(read(tmp_path / "b.tgz")["top/manifest.json"])
    assert {row["bytes"] for row in manifest["members"]} == {3000, 90_000}


def test_rows_that_were_taken_are_written_however_little_room_is_left(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1, 100_000)
    dice, taken = random.Random(1), 0
    while writer.room() >= 0:
        writer.add_row(layout.SECRETS, {"name": f"{dice.getrandbits(200):x}"}, "secrets@a")
        taken += 1
    with pytest.raises(FullError):
        writer.add_row(layout.SECRETS, {"name": "late"}, "secrets@a")
    writer.add_row(layout.REDACTIONS, {"member": "x", "where": "y", "rule": "key"})
    writer.finish("2026-01-01T00:00:00Z", "size-limit")
    members = read(tmp_path / "b.tgz")
    rows = [line for name, data in members.items() if name.startswith("top/secrets/") for line in data.splitlines()]
    assert len(rows) == taken > 300
    assert members["top/redactions/0001.jsonl"] == b'{"member":"x","rule":"key","where":"y"}\n'
    assert (tmp_path / "b.tgz").stat().st_size <= 100_000


def test_a_file_that_was_not_finished_can_be_read_up_to_its_last_member(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    for number in range(3):
        writer.add(f"logs/{number}", b"%d" % number * 2000, "s")
    writer.abandon(False)
    stream = zlib.decompressobj(31)
    data = stream.decompress((tmp_path / "b.tgz.partial").read_bytes())
    assert [data.count(b"%d" % number * 2000) for number in range(3)] == [1, 1, 1]


def test_small_rows_are_in_an_order_that_the_threads_do_not_make(tmp_path: Path) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    for name in ("b", "c", "a"):
        writer.add_row(layout.SECRETS, {"name": name})
    writer.finish("2026-01-01T00:00:00Z", "complete")
    assert read(tmp_path / "b.tgz")["top/secrets/0001.jsonl"] == b'{"name":"a"}\n{"name":"b"}\n{"name":"c"}\n'
