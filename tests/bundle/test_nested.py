"""Archives in archives, to a depth; files that are only packed; what is told of files that cannot be read."""

import gzip
import os
from pathlib import Path

import pytest
from runai_analyze.bundle.limits import Limits
from runai_analyze.errors import BundleError

from .builder import packed, tar_of
from .containers import PACKERS, read_bytes, told, zip_of


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip", "a.yaml", "a"])
def test_what_an_archive_is_packed_with_is_seen_whatever_its_name(tmp_path: Path, packing: str, name: str) -> None:
    assert read_bytes(tmp_path, PACKERS[packing](tar_of([("b/x", b"1" * 900)])), name)[0] == {"b/x": b"1" * 900}


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = packed([("config/id", b"7"), ("config/pod/x.json", b"{}")])
    node = zip_of([("n1/logs/kubelet.log", b"ok")])
    data = zip_of([("b/nodes/n1.zip", node), ("b/insights.tar.gz", inner), ("b/x.log.gz", gzip.compress(b"line"))])
    found, members = read_bytes(tmp_path, data)
    assert found == {
        "b/nodes/n1.zip/n1/logs/kubelet.log": b"ok",
        "b/insights.tar.gz/config/id": b"7",
        "b/insights.tar.gz/config/pod/x.json": b"{}",
        "b/x.log": b"line",
    }
    assert (told(members), members.cut, members.lost) == ([], False, "")


def test_only_so_deep(tmp_path: Path) -> None:
    data = tar_of([("deepest", b"1")])
    for name in ("c.tar", "b.tgz", "a.tgz"):
        data = packed([(name, data), ("beside", b"2")])
    found, members = read_bytes(tmp_path, data)
    assert found == {"a.tgz/b.tgz/beside": b"2", "a.tgz/beside": b"2", "beside": b"2"}
    assert told(members) == ["a.tgz/b.tgz/c.tar: archives are opened 3 deep, and it lies deeper; it was not read"]
    assert members.lost


def test_gzip_five_times_over(tmp_path: Path) -> None:
    data = packed([("b/x", b"1")])
    twice = gzip.compress(data)
    assert read_bytes(tmp_path, twice)[0] == {"b/x": b"1"}  # as servers do that pack what is packed
    found, members = read_bytes(tmp_path, gzip.compress(gzip.compress(gzip.compress(twice))))
    assert found == {}
    assert "archives are opened 3 deep" in told(members)[0]


def test_all_members_of_a_packed_log_are_read(tmp_path: Path) -> None:
    blocks = [b"block %d\n" % number * 100 for number in range(300)]
    data = packed([("b/nvidia-bug-report_n1.log.gz", b"".join(map(gzip.compress, blocks)))])
    assert read_bytes(tmp_path, data)[0] == {"b/nvidia-bug-report_n1.log": b"".join(blocks)}


def test_a_packed_file_alone(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, gzip.compress(b"apiVersion: v1\n"), "nodes.yaml.gz")
    assert (found, members.archive) == ({"nodes.yaml": b"apiVersion: v1\n"}, True)


def test_a_file_alone(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, b"apiVersion: v1\n", "nodes.yaml")
    assert (found, members.archive) == ({"nodes.yaml": b"apiVersion: v1\n"}, False)


def test_a_packed_file_beside_one_of_its_name_keeps_its_own(tmp_path: Path) -> None:
    data = packed([("b/x.log", b"new"), ("b/x.log.gz", gzip.compress(b"old"))])
    assert read_bytes(tmp_path, data)[0] == {"b/x.log": b"new", "b/x.log.gz": b"old"}


def test_an_inner_archive_that_is_cut(tmp_path: Path) -> None:
    inner = packed([("x", b"1"), ("y", os.urandom(3000))])
    found, members = read_bytes(tmp_path, packed([("b/in.tgz", inner[:1500]), ("b/z", b"3")]))
    assert (found["b/in.tgz/x"], found["b/z"]) == (b"1", b"3")
    assert members.cut
    assert told(members)[0].startswith("b/in.tgz: the archive cannot be read beyond byte")


def test_an_inner_log_that_is_cut_is_told_to_its_reader_alone(tmp_path: Path) -> None:
    inner = gzip.compress(os.urandom(3000))[:2000]
    (tmp_path / "a").write_bytes(packed([("b/x.log.gz", inner), ("b/z", b"3")]))
    from runai_analyze.bundle.limits import Problems
    from runai_analyze.bundle.members import members_of

    members = members_of(tmp_path / "a", Limits(), Problems(9))
    wholes = {member.name: (len(member.read()) > 0, member.whole) for member in members.walk()}
    assert wholes == {"b/x.log": (True, False), "b/z": (True, True)}
    assert not members.cut


def test_something_packed_that_is_broken_at_once(tmp_path: Path) -> None:
    data = packed([("b/x.gz", b"\x1f\x8b\x08" + b"\xff" * 50), ("b/z", b"3")])
    found, members = read_bytes(tmp_path, data)
    assert found == {"b/z": b"3"}
    assert told(members)[0].startswith("b/x.gz: it cannot be unpacked: ")
    assert members.lost


def test_a_hostile_name_inside_is_judged_whole(tmp_path: Path) -> None:
    data = packed([("b/in.tgz", packed([("../../x", b"1"), ("/etc/x", b"2"), ("y", b"3")]))])
    found, members = read_bytes(tmp_path, data)
    assert found == {"b/in.tgz/y": b"3"}
    assert len(told(members)) == 2


def test_limits_hold_over_all_layers(tmp_path: Path) -> None:
    inner = gzip.compress(b"\0" * (8 << 20))  # 8 KB
    trap = packed([(f"b/{number}.gz", inner) for number in range(40)])
    with pytest.raises(BundleError, match=r"^a\.bin unpacks to more than 300 times its size, .* \(at b/\d+\)$"):
        read_bytes(tmp_path, trap, limits=Limits(ratio_from=16 << 20))
    many = packed([(f"b/{number}.tgz", packed([(str(one), b"") for one in range(30)])) for number in range(30)])
    with pytest.raises(BundleError, match="more than 500 members"):
        read_bytes(tmp_path, many, limits=Limits(members=500))


def test_a_packed_file_larger_than_the_bound_is_read_to_it(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, gzip.compress(os.urandom(3 << 20)), "x.log.gz", Limits(member=1 << 20))
    assert len(found["x.log"]) == 1 << 20
    assert told(members) == ["x.log: the member is larger than 1 MiB; only so much of it was read"]


def test_time_is_bounded_where_there_is_a_clock(tmp_path: Path) -> None:
    ticks = iter(range(0, 100_000, 50))
    with pytest.raises(BundleError, match=r"^a\.bin takes more than 1 minutes to read, and was given up \(at b/x\)$"):
        read_bytes(tmp_path, packed([("b/x", os.urandom(2 << 20))]), limits=Limits(seconds=60, clock=lambda: next(ticks)))
