"""gzip as a stream: several members, cut and damaged files, traps."""

import gzip
import io
import os

import pytest
from runai_analyze.bundle.limits import Budget, Limits
from runai_analyze.bundle.unpack import Unpacker
from runai_analyze.errors import BundleError


def read_all(data: bytes, limits: Limits | None = None) -> tuple[bytes, Unpacker]:
    budget = Budget(limits or Limits())
    budget.take(len(data))
    stream = Unpacker(io.BytesIO(data), budget)
    parts = []
    while part := stream.read(1000):
        parts.append(part)
    return b"".join(parts), stream


def test_all_members_of_a_multi_member_file_are_read() -> None:
    content, stream = read_all(gzip.compress(b"one" * 1000) + gzip.compress(b"two" * 1000))
    assert content == b"one" * 1000 + b"two" * 1000
    assert (stream.cut, stream.damage, stream.trailing) == (False, "", False)


def test_zeros_between_and_behind_members_are_padding() -> None:
    content, stream = read_all(gzip.compress(b"one") + b"\0" * 512 + gzip.compress(b"two") + b"\0" * 700_000)
    assert content == b"onetwo"
    assert not stream.trailing


def test_a_file_that_is_not_packed_is_read_as_it_is() -> None:
    assert read_all(b"plain" * 200_000)[0] == b"plain" * 200_000


def test_a_cut_file_gives_what_is_there() -> None:
    whole = os.urandom(500_000)
    content, stream = read_all(gzip.compress(whole)[:300_000])
    assert stream.cut
    assert whole.startswith(content)
    assert len(content) > 250_000


def test_a_file_cut_in_its_checksum_is_cut() -> None:
    content, stream = read_all(gzip.compress(b"whole")[:-4])
    assert content == b"whole"
    assert stream.cut


def test_a_flipped_byte_is_damage() -> None:
    data = bytearray(gzip.compress(os.urandom(500_000)))
    data[250_000] ^= 0x10
    assert "error" in read_all(bytes(data))[1].damage.lower()


def test_what_stands_before_the_damage_is_read() -> None:
    whole = os.urandom(100_000)
    data = bytearray(gzip.compress(whole))
    data[-6] ^= 1  # in the checksum behind the data
    content, stream = read_all(bytes(data))
    assert content == whole
    assert "incorrect data check" in stream.damage


def test_what_follows_the_archive_is_told() -> None:
    content, stream = read_all(gzip.compress(b"one") + b"<html>error</html>")
    assert content == b"one"
    assert stream.trailing


def test_more_than_the_limit_is_refused() -> None:
    with pytest.raises(BundleError, match="unpacks to more than 1 MiB"):
        read_all(gzip.compress(os.urandom(1 << 20) + b"x" * 100_000), Limits(total=1 << 20))


def test_a_file_built_to_fill_memory_is_refused() -> None:
    with pytest.raises(BundleError, match="more than 100 times its size"):
        read_all(gzip.compress(b"\0" * (64 << 20)), Limits(ratio=100, ratio_from=1 << 20))
