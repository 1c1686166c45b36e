"""zip archives: as programs write them, cut, damaged, and built to deceive."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from .containers import read_bytes, told, zip_of

FILES = [("b/one.yaml", b"kind: Pod\n" * 300), ("b/two.json", b'{"kind": "Node"}'), ("b/empty", b"")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_files_are_read_in_the_order_in_which_they_lie_there(tmp_path: Path, method: int) -> None:
    found, members = read_bytes(tmp_path, zip_of(FILES, method))
    assert list(found.items()) == FILES
    assert (told(members), members.cut, members.lost) == ([], False, "")


def test_an_archive_that_was_written_as_a_stream(tmp_path: Path) -> None:
    class Stream(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += data
            return len(data)

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:  # sizes stand behind the files
        for name, data in FILES:
            archive.writestr(name, data)
    assert read_bytes(tmp_path, bytes(stream.data))[0] == dict(FILES)
    cut = bytes(stream.data[: stream.data.rfind(b"PK\x01\x02") - 40])
    found, members = read_bytes(tmp_path, cut)
    assert found["b/one.yaml"] == FILES[0][1]
    assert members.cut


def test_zip64(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("b/x", "w", force_zip64=True) as file:
        file.write(b"large")
    assert read_bytes(tmp_path, buffer.getvalue())[0] == {"b/x": b"large"}


def test_more_files_than_sixteen_bits_count(tmp_path: Path) -> None:
    data = zip_of([(f"b/{number}", b"") for number in range(70_000)], zipfile.ZIP_STORED)
    assert len(read_bytes(tmp_path, data)[0]) == 70_000


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_cut_at_any_byte_it_gives_what_stands_before(tmp_path: Path, method: int) -> None:
    data, most = zip_of(FILES, method), 0
    for end in range(30, len(data)):
        found, members = read_bytes(tmp_path, data[:end])
        if members.archive:
            assert all(dict(FILES)[name].startswith(content) for name, content in found.items())
            assert members.cut
            whole = sum(content == dict(FILES)[name] for name, content in found.items())
            assert whole >= most or whole == 3
            most = max(most, whole)
    assert most == 3


def test_what_stands_before_and_behind_is_no_part_of_it(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, zip_of(FILES) + b"\r\n--boundary--\r\n")
    assert found == dict(FILES)
    assert told(members) == ["something that is no part of the archive follows it; it was not read"]


def test_a_file_that_was_changed(tmp_path: Path) -> None:
    data = zip_of([("b/x", b"all is well"), ("b/y", b"2")], zipfile.ZIP_STORED)
    found, members = read_bytes(tmp_path, data.replace(b"all is well", b"all is hell"))
    assert found == {"b/x": b"all is hell", "b/y": b"2"}
    assert told(members) == ["b/x: the member is not as it was written: its checksum differs"]
    assert members.lost


def test_a_flipped_bit_in_packed_data(tmp_path: Path) -> None:
    data = bytearray(zip_of([("b/x", bytes(range(256)) * 50), ("b/y", b"2")]))
    data[60] ^= 0xFF
    found, members = read_bytes(tmp_path, bytes(data))
    assert found["b/y"] == b"2"
    assert "b/x" in told(members)[0]
    assert members.lost


def test_a_directory_that_lies_is_not_believed(tmp_path: Path) -> None:
    data = bytearray(zip_of(FILES))
    at = data.rfind(b"PK\x01\x02")
    data[at : at + 2] = b"XX"
    found, members = read_bytes(tmp_path, bytes(data))
    assert found == dict(FILES)
    assert told(members) == ["the list of the archive's members cannot be read; they were looked for"]
    assert members.cut


def overlapping(count: int) -> bytes:
    """An archive of which all rows of the directory stand for one file."""
    data = zip_of([("x", b"\0" * 100_000)])
    at, end = data.rfind(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    rows = b"".join(data[at:end].replace(b"x", bytes([97 + number])) for number in range(count))
    return data[:at] + rows + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(rows), at, 0)


def test_files_that_lie_over_each_other_are_ignored(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, overlapping(3))
    assert list(found) == ["a"]
    assert told(members) == [
        f"{name}: the member lies over the one before it, as only a trap does; it was ignored" for name in ("b", "c")
    ]


def flagged(data: bytes, flags: int) -> bytes:
    """The archive with flags set in all headers."""
    changed = bytearray(data)
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(magic)
        while at >= 0:
            changed[at + place] |= flags
            at = changed.find(magic, at + 1)
    return bytes(changed)


def test_encrypted_files_are_ignored_and_told(tmp_path: Path) -> None:
    found, members = read_bytes(tmp_path, flagged(zip_of(FILES), 1))
    assert (found, members.encrypted) == ({}, 3)
    assert told(members)[0] == "b/one.yaml: the member is encrypted, and was ignored"


def test_a_link_is_no_file(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("b/link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("b/x", b"1")
    found, members = read_bytes(tmp_path, buffer.getvalue())
    assert found == {"b/x": b"1"}
    assert told(members) == ["b/link: the member is a symbolic link, and was ignored"]


def test_a_method_that_few_programs_know_is_told(tmp_path: Path) -> None:
    data = bytearray(zip_of([("b/x", b"1" * 50)]))
    for magic, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.find(magic) + place] = 9
    assert told(read_bytes(tmp_path, bytes(data))[1]) == [
        "b/x: the member is packed by method 9 of zip, which only few programs know, and was ignored"
    ]


def test_what_macos_puts_beside_the_files_is_passed_over(tmp_path: Path) -> None:
    data = zip_of([("b/x", b"1"), ("__MACOSX/b/._x", b"2"), ("b/.DS_Store", b"3"), ("b/._y", b"4")])
    found, members = read_bytes(tmp_path, data)
    assert (found, told(members)) == ({"b/x": b"1"}, [])


def test_backslashes_of_windows_part_folders(tmp_path: Path) -> None:
    data = zip_of([("b/aXone", b"1")]).replace(b"b/aXone", b"b\\a\\one")
    assert read_bytes(tmp_path, data)[0] == {"b/a/one": b"1"}


@pytest.mark.parametrize("name", ["../x", "..\\x", "C:\\x", "/etc/x", "b/\x1b[2Jx", "b/" + "y" * 5000, "b/\u202ex", "b/a\nb"])
def test_names_that_are_no_plain_paths(tmp_path: Path, name: str) -> None:
    found, members = read_bytes(tmp_path, zip_of([(name, b"1"), ("b/x", b"2")]))
    assert found == {"b/x": b"2"}
    assert "the member's name" in told(members)[0]
    assert members.lost
