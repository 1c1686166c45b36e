"""What a person gives: a folder, one file, standard input; and what a transfer in text mode did to it."""

import gzip
import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from runai_analyze.bundle import NativeBundle, open_bundle
from runai_analyze.bundle.limits import Limits
from runai_analyze.bundle.members import given_stdin
from runai_analyze.errors import BundleError

from .builder import TOP, Builder, node, packed, tar_of
from .containers import PACKERS, read, read_bytes, told, zip_of


def bundle() -> Builder:
    return Builder().list("Node", "v1", node("gpu-1"))


def names(source: object) -> list[str]:
    assert isinstance(source, NativeBundle)
    assert source.info.problems == ()
    return [record.body["metadata"]["name"] for record in source.records(None) if record.area == "object"]


def test_the_files_of_a_folder_are_sorted_and_archives_in_it_opened(tmp_path: Path) -> None:
    (tmp_path / "b" / "sub").mkdir(parents=True)
    (tmp_path / "b" / "sub" / "x").write_bytes(b"1")
    (tmp_path / "b" / "a.tgz").write_bytes(packed([("y", b"2")]))
    (tmp_path / "b" / "z.log.gz").write_bytes(gzip.compress(b"3"))
    found, members = read(tmp_path / "b")
    assert list(found.items()) == [("a.tgz/y", b"2"), ("z.log", b"3"), ("sub/x", b"1")]
    assert told(members) == []


@pytest.mark.parametrize("packing", PACKERS)
def test_the_same_files_whatever_they_stand_in(tmp_path: Path, packing: str) -> None:
    files = [("b/x.yaml", b"kind: Node\n" * 500), ("b/empty", b""), ("b/sub/y.log", os.urandom(70_000))]
    for name, data in files:
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_bytes(data)
    for given in (PACKERS[packing](tar_of(files)), tar_of(files), zip_of(files), PACKERS[packing](zip_of(files))):
        assert read_bytes(tmp_path, given)[0] == dict(files)
    assert read(tmp_path / "folder")[0] == dict(files)


def test_links_pipes_and_what_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "up").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")
    found, members = read(tmp_path)
    assert found == {"x": b"1"}
    assert told(members) == [
        "link: the member is a symbolic link, and was ignored",
        "pipe: it is no plain file, and was ignored",
        "up: the member is a symbolic link, and was ignored",
    ]


def test_odd_names_in_a_folder_are_no_names(tmp_path: Path) -> None:
    for name in ("a\nb", "c\x1bd", "good"):
        (tmp_path / name).write_bytes(b"1")
    found, members = read(tmp_path)
    assert (list(found), bool(members.lost)) == (["good"], True)


@pytest.mark.parametrize("packing", PACKERS)
def test_our_own_bundle_packed_otherwise(tmp_path: Path, packing: str) -> None:
    tar = tar_of([(f"{TOP}/{name}", data) for name, data in bundle().all_members()])
    (tmp_path / "b").write_bytes(PACKERS[packing](tar))
    assert names(open_bundle(tmp_path / "b")) == ["gpu-1"]


def test_our_own_bundle_unpacked_and_zipped(tmp_path: Path) -> None:
    members = [(f"{TOP}/{name}", data) for name, data in bundle().all_members()]
    (tmp_path / "b.zip").write_bytes(zip_of(members))
    for name, data in members:
        (tmp_path / "f" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "f" / name).write_bytes(data)
    for path in (tmp_path / "b.zip", tmp_path / "f", tmp_path / "f" / TOP):
        assert names(open_bundle(path)) == ["gpu-1"]


def test_our_own_bundle_in_a_zip_of_a_mail_program(tmp_path: Path) -> None:
    path = bundle().write(tmp_path / "b.tgz")
    (tmp_path / "mail.zip").write_bytes(zip_of([("b.tgz", path.read_bytes())]))
    assert names(open_bundle(tmp_path / "mail.zip")) == ["gpu-1"]


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bundle().write(tmp_path / "b.tgz").read_bytes()
    for given in (data, zip_of([("b.tgz", data)])):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
        source = open_bundle("-")
        assert names(source) == ["gpu-1"]
        assert (source.info.file_name, source.info.size) == ("standard input", len(given))


def test_standard_input_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * (3 << 20))))
    with pytest.raises(BundleError, match="more than 1 MiB"):
        given_stdin(Limits(total=1 << 20))


def test_a_transfer_in_text_mode_is_mended(tmp_path: Path) -> None:
    data = packed([("b/x", os.urandom(300_000))])
    whole = read_bytes(tmp_path, data)[0]
    found, members = read_bytes(tmp_path, data.replace(b"\n", b"\r\n"))
    assert found == whole
    assert told(members) == [
        "it went through a transfer in text mode, which put a carriage return before every line feed; they were taken out again"
    ]


def test_a_transfer_that_lost_carriage_returns_is_named(tmp_path: Path) -> None:
    data = packed([("b/x", os.urandom(3 << 20))])
    _, members = read_bytes(tmp_path, data.replace(b"\r\n", b"\n"))
    assert "it went through a transfer in text mode, which took out carriage returns; ask for it again" in told(members)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\x1f\xef\xbf\xbd\x08", "took for text and broke for good"),
        (b"\xff\xfe\x1f\x00\x8b\x00", "PowerShell"),
        (b"H4sIAAAAAAAA", "in base64"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"Rar!\x1a\x07\x01", "RAR"),
        (b"-----BEGIN PGP MESSAGE-----", "encrypted with PGP"),
        (b"%PDF-1.7", "a PDF"),
    ],
)
def test_what_can_be_no_bundle_is_named_with_what_to_do(tmp_path: Path, start: bytes, words: str) -> None:
    (tmp_path / "f.tgz").write_bytes(start)
    with pytest.raises(BundleError, match=words) as error:
        open_bundle(tmp_path / "f.tgz")
    assert error.value.hint


def test_an_encrypted_zip_is_refused_with_what_to_do(tmp_path: Path) -> None:
    data = bytearray(zip_of([("nodes.yaml", b"kind: List")]))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(magic) + place] |= 1
    (tmp_path / "f.zip").write_bytes(data)
    with pytest.raises(BundleError, match=r"^f\.zip cannot be read: its only file is encrypted$") as error:
        open_bundle(tmp_path / "f.zip")
    assert error.value.hint == "unpack it with its password, and give the folder"
