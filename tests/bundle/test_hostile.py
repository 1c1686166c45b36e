"""Archives that were built to harm: each is read within bounds, or refused in one line. All are made here.

What some of them hold is told apart by what is read; the rest is that the analyzer ends, soon, and without a fault.
"""

import bz2
import gzip
import io
import lzma
import resource
import struct
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.limits import Limits
from runai_analyze.errors import BundleError

from .builder import packed, tar_of
from .containers import PACKERS, read_bytes, told, zip_of

GOOD = ("b/good.json", b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}')
MEMORY = 700 << 20  # more than the process may grow by, whatever it reads


@pytest.fixture(autouse=True)
def _bounded(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test within its time and memory."""
    seconds = 600 if request.node.get_closest_marker("fuzz") else 30  # most of it goes into making the traps
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.monotonic() - start < seconds
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < MEMORY


def special(*odd: dict[str, object]) -> bytes:
    """An archive with odd members before a good one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for fields in odd:
            info = tarfile.TarInfo("b/odd")
            content = fields.pop("content", b"")
            assert isinstance(content, bytes)
            for key, value in fields.items():
                setattr(info, key, value)
            info.size = len(content) or info.size
            archive.addfile(info, io.BytesIO(content) if content else None)
        info = tarfile.TarInfo(GOOD[0])
        info.size = len(GOOD[1])
        archive.addfile(info, io.BytesIO(GOOD[1]))
    return buffer.getvalue()


LINKS: dict[str, list[dict[str, object]]] = {
    "a folder that is a link": [
        {"name": "b/cluster-resources", "type": tarfile.SYMTYPE, "linkname": "/etc"},
    ],
    "links in a circle": [
        {"name": "b/a", "type": tarfile.SYMTYPE, "linkname": "b"}, {"name": "b/b", "type": tarfile.SYMTYPE, "linkname": "a"},
    ],
    "a hard link to a link": [
        {"name": "b/s", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"name": "b/h", "type": tarfile.LNKTYPE, "linkname": "b/s"},
    ],
    "a file that is a folder too": [{"name": "b/x/y", "content": b"1"}, {"name": "b/x", "type": tarfile.DIRTYPE}],
    "a folder that nobody may enter": [{"name": "b", "type": tarfile.DIRTYPE, "mode": 0}],
    "a program with the rights of its owner": [{"name": "b/su", "mode": 0o4755, "content": b"1"}],
    "twins": [{"name": "b/Nodes.json", "content": b"1"}, {"name": "b/nodes.json", "content": b"2"}],
}


@pytest.mark.parametrize("name", LINKS)
def test_what_is_no_plain_file_harms_nobody(tmp_path: Path, name: str) -> None:
    found, _ = read_bytes(tmp_path, special(*[dict(one) for one in LINKS[name]]))
    assert found[GOOD[0]] == GOOD[1]
    assert "b/h" not in found
    if name == "twins":
        assert (found["b/Nodes.json"], found["b/nodes.json"]) == (b"1", b"2")


NAMES = [
    *("/etc/cron.d/x", "b/../../x", "./../x", "C:\\x", "C:/x", "..\\x", "x" * 5000),
    *("b/\n", "b/\x1b[2J", "b/\u202egnp.x", ".", "..", "b/"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pack", [packed, zip_of])
def test_names_never_become_paths(tmp_path: Path, name: str, pack: Callable[[list[tuple[str, bytes]]], bytes]) -> None:
    (tmp_path / "in").mkdir()
    found, members = read_bytes(tmp_path / "in", pack([(name, b"1"), GOOD]))
    assert found == dict([GOOD])
    assert all(line.isprintable() and len(line) < 400 for line in told(members))
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "a.bin"]


def of_zeros(pack: Callable[[bytes], bytes], blocks: int) -> bytes:
    """A tar archive with one file of zeros, in blocks of 16 MiB, packed member by member."""
    head = tarfile.TarInfo("b/zeros")
    head.size = blocks << 24
    return pack(head.tobuf()) + pack(b"\0" * (1 << 24)) * blocks + pack(b"\0" * 1024)


@pytest.mark.parametrize("packing", PACKERS)
def test_a_bomb_of_a_gigabyte(tmp_path: Path, packing: str) -> None:
    with pytest.raises(BundleError, match="300 times its size, as only a trap does"):
        read_bytes(tmp_path, of_zeros(PACKERS[packing], 64))


def test_a_bomb_in_a_zip(tmp_path: Path) -> None:
    inner = zip_of([("x", b"\0" * (1 << 24))])
    with pytest.raises(BundleError, match="300 times its size"):
        read_bytes(tmp_path, zip_of([(f"{number}.zip", inner) for number in range(40)]))


def test_two_thousand_levels_of_folders(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, packed([("b/" * 2000 + "x", b"1"), GOOD]))
    assert found == dict([GOOD])
    assert "is no plain path" in told(members)[0]


def test_thirty_thousand_empty_files(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(tarfile.TarInfo(f"b/{number}").tobuf() for number in range(30_000)) + b"\0" * 1024)
    assert len(read_bytes(tmp_path, data)[0]) == 30_000
    with pytest.raises(BundleError, match="more than 20000 members"):
        read_bytes(tmp_path, data, limits=Limits(members=20_000))


def test_a_million_empty_members_of_gzip(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="more than 50000 members"):
        read_bytes(tmp_path, gzip.compress(b"") * 1_000_000, limits=Limits(members=50_000))


def test_a_million_headers_of_zip_without_a_directory(tmp_path: Path) -> None:
    header = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 8, 8, 0, 0, 0, 0, 0, 1, 0) + b"x"  # its size stands behind it
    _, members = read_bytes(tmp_path, header * 1_000_000)
    assert members.cut


def test_an_archive_that_holds_itself_many_times(tmp_path: Path) -> None:
    data = packed([("x", b"1")])
    for _ in range(6):
        data = packed([(f"{number}.tgz", data) for number in range(10)])
    found, members = read_bytes(tmp_path, data)
    assert found == {}
    assert len(told(members)) == 21


CONTENT: dict[str, tuple[str, bytes]] = {
    "lists in lists": ("x.json", b"[" * 100_000 + b"]" * 100_000),
    "mappings in mappings": ("x.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "lists in lists of yaml": ("x.yaml", b"- " * 50_000 + b"1"),
    "brackets of yaml": ("x.yaml", b"a: " + b"[" * 100_000),
    "aliases of yaml": (
        "x.yaml",
        b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(9)),
    ),
    "entities of xml": (
        "nvidia-smi.xml",
        b'<?xml version="1.0"?><!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
        + b"]><nvidia_smi_log><driver_version>&j;</driver_version></nvidia_smi_log>",
    ),
    "a number of 5,000 digits": ("x.json", GOOD[1][:-1] + b', "x": ' + b"9" * 5000 + b"}"),
    "one line of 40 MB": ("x.json", GOOD[1][:-1] + b', "x": "' + b"a" * (40 << 20) + b'"}'),
    "tags of python": ("x.yaml", b"!!python/object/apply:os.system ['touch /tmp/pwned']\n"),
    "nothing but line feeds": ("x.yaml", b"\n" * (8 << 20)),
    "nothing but nulls": ("x.yaml", b"\0" * (1 << 20)),
    "a hundred thousand documents": ("x.yaml", b"---\na: 1\n" * 100_000),
}


@pytest.mark.parametrize("name", CONTENT)
def test_files_that_are_built_to_harm_their_parser(tmp_path: Path, name: str) -> None:
    file, data = CONTENT[name]
    (tmp_path / "b.tgz").write_bytes(packed([(f"b/{file}", data), GOOD]))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert "n" in {record.body["metadata"]["name"] for record in bundle.records(None) if record.area == "object"}
    assert not Path("/tmp/pwned").exists()


@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("name", "pack"),
    [("gzip", gzip.compress), ("xz", lzma.compress), ("bzip2", bz2.compress), ("zstd", zstandard.compress)],
)
def test_a_bomb_of_ten_gigabytes(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BundleError, match="300 times its size"):
        read_bytes(tmp_path, of_zeros(pack, 640))


@pytest.mark.fuzz
def test_a_million_files_and_one(tmp_path: Path) -> None:
    with (tmp_path / "b.tgz").open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as packed_file:
        for number in range(1_000_001):
            packed_file.write(tarfile.TarInfo(f"b/{number}").tobuf())
        packed_file.write(b"\0" * 1024)
    with pytest.raises(BundleError, match="more than 1000000 members and is not read further"):
        open_bundle(tmp_path / "b.tgz")


def test_tar_of_no_file_is_a_refusal_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "b.tgz").write_bytes(gzip.compress(tar_of([])))
    with pytest.raises(BundleError, match=r"b\.tgz is no bundle") as error:
        open_bundle(tmp_path / "b.tgz")
    assert "\n" not in error.value.message
