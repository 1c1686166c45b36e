"""The walk over an archive's members: hostile ones are reported and passed, cut archives are read as far as they go."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from runai_analyze.bundle.limits import Limits, Problems
from runai_analyze.bundle.members import Members, members_of
from runai_analyze.errors import BundleError

from .builder import packed, tar_of


def walk(path: Path, data: bytes, limits: Limits | None = None) -> tuple[dict[str, bytes], Members]:
    file = path / "a.tgz"
    file.write_bytes(data)
    limits = limits or Limits()
    archive = members_of(file, limits, Problems(limits.problems))
    return {member.name: member.read() for member in archive.walk()}, archive


def special(**fields: object) -> bytes:
    """An archive with one odd member between two good ones."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("b/first", None, "b/last"):
            info = tarfile.TarInfo(name or "b/odd")
            if name is None:
                for key, value in fields.items():
                    setattr(info, key, value)
                archive.addfile(info)
            else:
                info.size = 2
                archive.addfile(info, io.BytesIO(b"ok"))
    return buffer.getvalue()


def test_members_are_read_in_order_with_long_names(tmp_path: Path) -> None:
    long = "b/" + "n" * 250 + "/" + "m" * 200
    found, archive = walk(tmp_path, packed([("b/one", b"1" * 700), (long, b"2"), ("b/empty", b"")]))
    assert found == {"b/one": b"1" * 700, long: b"2", "b/empty": b""}
    assert (archive.cut, archive.problems.all()) == (False, ())


def test_gnu_long_names_are_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("b/" + "x" * 300))
    assert list(walk(tmp_path, buffer.getvalue())[0]) == ["b/" + "x" * 300]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a character device"),
        (tarfile.BLKTYPE, "a block device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (b"V", "of an unknown type"),
    ],
)
def test_what_is_no_file_is_reported_and_ignored(tmp_path: Path, kind: bytes, words: str) -> None:
    found, archive = walk(tmp_path, special(type=kind, linkname="/etc/passwd"))
    assert found == {"b/first": b"ok", "b/last": b"ok"}
    assert [(problem.member, words in problem.message) for problem in archive.problems.all()] == [("b/odd", True)]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/etc/cron.d/x", "is absolute"),
        ("C:/x", "is absolute"),
        ("b/../../x", "leads out of its folder"),
        ("b\\..\\x", "holds characters"),
        ("b/\x1b[2Jx", "holds characters"),
        ("b/\u202excod", "holds characters"),
        ("b//x", "is no plain path"),
        ("b/./x", "is no plain path"),
        ("b/" + "y" * 1200, "is no plain path"),
    ],
)
def test_names_that_are_no_plain_paths_are_ignored(tmp_path: Path, name: str, words: str) -> None:
    found, archive = walk(tmp_path, special(name=name))
    assert sorted(found) == ["b/first", "b/last"]
    (problem,) = archive.problems.all()
    assert words in problem.message
    assert problem.member.isprintable()


def test_names_that_are_not_utf8_are_ignored(tmp_path: Path) -> None:
    data = special(name="b/ZZ").replace(b"b/ZZ", b"b/\xff\xfe")
    header = bytearray(data)
    at = header.index(b"b/\xff\xfe")
    header[at + 148 : at + 156] = b"        "
    header[at + 148 : at + 156] = b"%06o\0 " % sum(header[at : at + 512])
    found, archive = walk(tmp_path, bytes(header))
    assert sorted(found) == ["b/first", "b/last"]
    assert archive.problems.all()[0].member == "b/\\udcff\\udcfe"


def test_of_two_members_with_one_name_the_first_counts(tmp_path: Path) -> None:
    found, archive = walk(tmp_path, packed([("b/x", b"first"), ("b/x", b"second")]))
    assert found == {"b/x": b"first"}
    assert "two members of this name" in archive.problems.all()[0].message


def test_a_member_beyond_the_limit_is_passed(tmp_path: Path) -> None:
    found, archive = walk(tmp_path, packed([("b/x", b"0" * (3 << 20)), ("b/y", b"1")]), Limits(member=1 << 20))
    assert found == {"b/y": b"1"}
    assert archive.problems.all()[0].message == "the member is larger than 1 MiB, and was ignored"


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="more than 3 members"):
        walk(tmp_path, packed([(f"b/{number}", b"") for number in range(4)]), Limits(members=3))


def test_a_cut_archive_gives_its_whole_members_and_the_start_of_the_last(tmp_path: Path) -> None:
    data = tar_of([("b/one", b"1" * 600), ("b/two", b"2" * 2000)])
    found, archive = walk(tmp_path, gzip.compress(data[: 512 + 1024 + 512 + 700]))
    assert found == {"b/one": b"1" * 600, "b/two": b"2" * 700}
    assert archive.cut
    assert "ends in the middle of a member" in archive.problems.all()[0].message


def test_a_broken_header_ends_the_walk(tmp_path: Path) -> None:
    data = bytearray(tar_of([("b/one", b"1"), ("b/two", b"2")]))
    data[1024 : 1024 + 100] = b"\xff" * 100
    found, archive = walk(tmp_path, bytes(data))
    assert found == {"b/one": b"1"}
    assert archive.cut
    assert "no member starts where one should" in archive.problems.all()[0].message


def test_a_negative_size_ends_the_walk(tmp_path: Path) -> None:
    data = bytearray(tar_of([("b/one", b"1")]))
    data[124:136] = b"\xff" * 12
    data[148:156] = b"        "
    data[148:156] = b"%06o\0 " % sum(data[:512])
    assert "negative size" in walk(tmp_path, bytes(data))[1].problems.all()[0].message


def test_an_extended_header_of_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    found, archive = walk(tmp_path, info.tobuf() + b"\0" * 4096)
    assert found == {}
    assert "larger than 64 KiB" in archive.problems.all()[0].message


def test_problems_do_not_grow_without_end(tmp_path: Path) -> None:
    data = packed([(f"/{number}", b"") for number in range(50)])
    _, archive = walk(tmp_path, data, Limits(problems=10))
    assert len(archive.problems.all()) == 11
    assert archive.problems.all()[-1].message == "11 more problems are not listed"


def test_what_is_wrong_with_many_members_is_told_of_the_first(tmp_path: Path) -> None:
    _, archive = walk(tmp_path, packed([(f"/{number}", b"") for number in range(50)]))
    *told, last = archive.problems.all()
    assert [problem.member for problem in told] == [f"/{number}" for number in range(20)]
    assert last.message == "of 30 more members the same is to be told: the member's name is absolute; it was ignored"


def pax(data: bytes) -> bytes:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, len(data)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512)


def test_of_extended_headers_only_what_counts_is_kept(tmp_path: Path) -> None:
    data = pax(b"18 path=b/renamed\n" + b"".join(b"13 k%07d=\n" % number for number in range(3000)))
    found, archive = walk(tmp_path, gzip.compress(data + tar_of([("b/x", b"1")])))
    assert (found, archive.problems.all()) == ({"b/renamed": b"1"}, ())


@pytest.mark.parametrize("data", [b"0 a=b\n", b"x a=b\n", b"99 a=b\n", b"123456789 a=b\n", b"6"])
def test_extended_headers_that_are_none_end_the_walk(tmp_path: Path, data: bytes) -> None:
    found, archive = walk(tmp_path, gzip.compress(pax(data) + tar_of([("b/x", b"1")])))
    assert (found, archive.cut) == ({}, True)


def test_a_member_has_only_so_many_extended_headers(tmp_path: Path) -> None:
    for count, found in ((8, {"b/x": b"1"}), (9, {})):
        assert walk(tmp_path, gzip.compress(pax(b"7 a=bc\n") * count + tar_of([("b/x", b"1")])))[0] == found
