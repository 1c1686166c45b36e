"""Bundles as others may have changed or made them: what can be read is, within bounds, and what is wrong is said."""

import gzip
import json
import tarfile
import time
from pathlib import Path

import pytest
from runai_collect import reader
from runai_collect.reader import BundleError, Reader, clean, read_json, read_rows
from runai_collect.writer import BundleWriter

from tests.bundle.builder import packed, tar_of

LONG = "logs/" + "n" * 63 + "/" + "p" * 150 + "/container.log"
MEMBERS = [("bundle.json", b"{}"), (LONG, b"line\n" * 3000), ("empty.txt", b""), ("a/b.jsonl", b"x" * 512)]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1234)
    for name, data in MEMBERS:
        writer.add(name, data, "step")
    writer.finish("2026-01-01T00:00:00Z", "complete")
    return tmp_path / "b.tgz"


def read(path: Path) -> tuple[list[tuple[str, bytes]], str]:
    one = Reader(str(path))
    found = [(member.name, member.data) for member in one.members()]
    return found, one.damage


def made(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_what_the_collector_writes_comes_back(bundle: Path) -> None:
    one = Reader(str(bundle))
    found = list(one.members())
    assert [(member.name, member.data) for member in found[:-1]] == MEMBERS
    assert (found[-1].name, found[-1].moment, one.top, one.damage) == ("manifest.json", 1234, "top", "")


def test_a_cut_file_yields_what_stands_before_the_cut(tmp_path: Path) -> None:
    """Half of the file, at any byte: no exception, no part of a member, and always a word about it."""
    content = [("top/bundle.json", b"{}")] + [(f"top/logs/{n}.log", bytes(str(n), "ascii") * 900) for n in range(20)]
    whole = packed(content)
    seen = set()
    for length in range(60, len(whole), 7):
        try:
            found, damage = read(made(tmp_path / "cut.tgz", whole[:length]))
        except BundleError as error:        # nothing of it can be read
            found, damage = [], str(error)
        assert "it was cut" in damage
        assert found == [(name[4:], data) for name, data in content[: len(found)]]
        seen.add(len(found))
    assert {1, 10, 20} <= seen


def test_damage_in_the_middle_is_said(bundle: Path) -> None:
    content = bytearray(gzip.compress(b"".join(bytes([n % 251]) * 7 for n in range(4000)) * 3))
    whole = packed([("top/bundle.json", b"{}"), ("top/x", bytes(content)), ("top/y", b"y")])
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    found, damage = read(made(bundle, bytes(changed)))
    assert damage
    assert ("x", bytes(content)) not in found or ("y", b"y") in found


def test_a_wrong_checksum_over_everything_is_said(bundle: Path) -> None:
    content = bytearray(bundle.read_bytes())
    content[-8] ^= 1
    found, damage = read(made(bundle, bytes(content)))
    assert len(found) == 5
    assert "it is damaged" in damage


@pytest.mark.parametrize("more", [b"more", gzip.compress(b"more"), b"\x1f\x8b"])
def test_what_follows_the_end_is_said(bundle: Path, more: bytes) -> None:
    found, damage = read(made(bundle, bundle.read_bytes() + more))
    assert len(found) == 5
    assert damage


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "cut"),
        (b"hello", "no gzip file"),
        (tar_of([("top/bundle.json", b"{}")]), "no gzip file"),
        (gzip.compress(b"hello" * 500), "no member begins"),
        (packed([("etc/passwd", b"root")]), "its first member is not bundle.json in a folder"),
        (packed([("bundle.json", b"{}")]), "its first member is not bundle.json in a folder"),
    ],
)
def test_another_file_is_no_bundle(tmp_path: Path, content: bytes, word: str) -> None:
    with pytest.raises(BundleError, match=word) as raised:
        read(made(tmp_path / "x.tgz", content))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"none\.tgz cannot be read: No such file"):
        read(tmp_path / "none.tgz")
    with pytest.raises(BundleError, match="cannot be read"):
        read(tmp_path)


def special(kind: bytes) -> bytes:
    info = tarfile.TarInfo("top/evil")
    info.type, info.linkname = kind, "/etc/passwd"
    return info.tobuf()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.XGLTYPE])
def test_links_and_their_like_end_the_reading(tmp_path: Path, kind: bytes) -> None:
    found, damage = read(made(tmp_path / "x.tgz", gzip.compress(tar_of([("top/bundle.json", b"{}")])[:1024] + special(kind))))
    assert found == [("bundle.json", b"{}")]
    assert damage == "it holds what no bundle does, and was not read further: top/evil"


def test_a_member_outside_of_the_folder_ends_the_reading(tmp_path: Path) -> None:
    found, damage = read(made(tmp_path / "x.tgz", packed([("top/bundle.json", b"{}"), ("../../x", b"x")])))
    assert found == [("bundle.json", b"{}")]
    assert damage.endswith("../../x")


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE])
def test_a_claimed_size_costs_no_memory(tmp_path: Path, kind: bytes) -> None:
    """A header may claim gigabytes: nothing is read of them."""
    info = tarfile.TarInfo("top/large")
    info.type, info.size = kind, 1 << 40
    content = gzip.compress(tar_of([("top/bundle.json", b"{}")])[:1024] + info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    _, damage = read(made(tmp_path / "x.tgz", content))
    assert damage


def test_a_negative_size_is_damage(tmp_path: Path) -> None:
    header = bytearray(tarfile.TarInfo("top/x").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 12      # -1 in base 256
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:]))
    _, damage = read(made(tmp_path / "x.tgz", gzip.compress(tar_of([("top/bundle.json", b"{}")])[:1024] + bytes(header))))
    assert "claims a size" in damage


def test_a_bomb_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "RATIO_FROM", 1 << 20)
    bomb = packed([("top/bundle.json", b"{}")] + [(f"top/{n}", bytes(1 << 20)) for n in range(20)])
    found, damage = read(made(tmp_path / "x.tgz", bomb))
    assert len(found) < 8
    assert damage == "it unpacks to more than any bundle does, and was not read further"


def test_the_members_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MEMBERS", 3)
    found, damage = read(made(tmp_path / "x.tgz", packed([("top/bundle.json", b"{}")] + [(f"top/{n}", b"") for n in range(9)])))
    assert len(found) == 3
    assert damage == "it has more than 3 members, and was not read further"


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"[" * 100_000, b'{"a":' * 100_000, b"\xff", b'{"a":[' + b"[]," * 3_000_000 + b"1]}"]
)
def test_odd_json_is_an_empty_object(data: bytes) -> None:
    assert read_json(data) == {}


def test_a_long_number_takes_no_time() -> None:
    begin = time.process_time()
    assert set(read_json(b'{"a":' + b"1" * 8_000_000 + b',"b":1}')) == {"a", "b"}
    assert time.process_time() - begin < 5


def test_each_line_is_a_row() -> None:
    assert list(read_rows(b'{"a":1}\nx\n{"b":2}')) == [{"a": 1}, {}, {"b": 2}]


def test_nothing_that_is_shown_moves_a_cursor() -> None:
    hostile = "a\x1b[2J\r\n\x07\u202e\ud800\x9bä"
    assert clean(hostile) == "a\\x1b[2J\\r\\n\\x07\\u202e\\ud800\\x9bä"
    assert len(clean("x" * 10_000)) == 2000


@pytest.mark.parametrize(("bound", "read_of_it"), [("NAMES", 3), ("ROWS", 7)])
def test_what_all_files_hold_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, read_of_it: int) -> None:
    monkeypatch.setattr(reader, bound, 30)
    content = [("top/bundle.json", b"{}")] + [(f"top/{n}.jsonl", b'{"a":[0]}\n' * 5) for n in range(20)]
    found, damage = read(made(tmp_path / "x.tgz", packed(content)))
    assert len(found) == read_of_it
    assert damage == f"{read_of_it - 1}.jsonl is more than any bundle holds, and was not read further"


def test_the_values_of_one_file_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "ROW_VALUES", 9)
    rows = [("top/a.jsonl", b"{}\n" * 9), ("top/b.txt", b"{}\n" * 10), ("top/c.jsonl", b"{}\n" * 10)]
    found, damage = read(made(tmp_path / "x.tgz", packed([("top/bundle.json", b"{}"), *rows])))
    assert ([name for name, _ in found], damage[:7]) == (["bundle.json", "a.jsonl", "b.txt"], "c.jsonl")


def test_json_of_real_size_is_read() -> None:
    document = {"members": [{"path": str(n), "bytes": n, "sha256": "0" * 64, "step": "s"} for n in range(50_000)]}
    assert read_json(json.dumps(document).encode()) == document
