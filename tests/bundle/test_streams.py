"""gzip, xz, bzip2 and zstd as streams: several members, cut at any byte, damaged, followed by something else, traps."""

import io
import os
import random

import pytest
import zstandard
from runai_analyze.bundle.limits import Budget, Limits
from runai_analyze.bundle.streams import Prefixed, packing_of
from runai_analyze.bundle.unpack import Unpacker
from runai_analyze.errors import BundleError

from .containers import PACKERS

each = pytest.mark.parametrize("packing", PACKERS)


def unpack(data: bytes, limits: Limits | None = None) -> tuple[bytes, Unpacker]:
    budget = Budget(limits or Limits())
    budget.take(len(data))
    stream = Unpacker(io.BytesIO(data), budget)
    parts = []
    while part := stream.read(10_000):
        parts.append(part)
    return b"".join(parts), stream


def state(stream: Unpacker) -> tuple[bool, bool, bool]:
    return stream.cut, bool(stream.damage), stream.trailing


@each
def test_what_it_is_packed_with_is_seen_from_its_start(packing: str) -> None:
    found = packing_of(PACKERS[packing](b"x")[:512])
    assert found
    assert found.name == packing
    assert packing_of(b"BZh9 is how this text begins") is None


@each
def test_several_members_with_padding(packing: str) -> None:
    pack, whole = PACKERS[packing], os.urandom(300_000)
    content, stream = unpack(pack(whole) + pack(b"") + b"\0" * 1000 + pack(b"three" * 50_000) + b"\0" * 4)
    assert content == whole + b"three" * 50_000
    assert state(stream) == (False, False, False)


@each
def test_cut_at_any_byte_it_gives_what_stands_before(packing: str) -> None:
    whole = random.Random(1).randbytes(700) + b"text " * 300
    data, most = PACKERS[packing](whole), 0
    for end in range(12, len(data)):
        content, stream = unpack(data[:end])
        assert whole.startswith(content)
        assert len(content) >= most
        assert state(stream) == (True, False, False), end
        most = len(content)
    assert most > 0 or packing in ("xz", "bzip2", "zstd")  # these pack in blocks, of which only whole ones come out


@each
def test_flipped_bits_are_damage(packing: str) -> None:
    data = PACKERS[packing](random.Random(2).randbytes(50_000))
    for seed in range(20):
        broken = bytearray(data)
        broken[random.Random(seed).randrange(30, len(data))] ^= 1 << seed % 8
        _, stream = unpack(bytes(broken))
        assert stream.damage or stream.cut or stream.trailing


@pytest.mark.parametrize(("packing", "least"), [("gzip", 190_000), ("xz", 190_000)])
def test_what_stands_before_a_flipped_bit_is_read(packing: str, least: int) -> None:
    whole = random.Random(3).randbytes(400_000)
    data = bytearray(PACKERS[packing](whole.hex().encode()))  # half of it can be packed away
    data[len(data) // 4] ^= 1
    content, stream = unpack(bytes(data))
    assert stream.damage
    assert len(content) > least
    assert content[:least] == whole.hex().encode()[:least]


@each
def test_what_follows_is_told(packing: str) -> None:
    content, stream = unpack(PACKERS[packing](b"one") + b"<html>an error of a proxy</html>")
    assert content == b"one"
    assert state(stream) == (False, False, True)


@each
def test_a_trap_is_refused_before_it_fills_the_memory(packing: str) -> None:
    trap = PACKERS[packing](b"\0" * (64 << 20))
    with pytest.raises(BundleError, match="more than 20 times its size, as only a trap does"):
        unpack(trap, Limits(ratio=20, ratio_from=1 << 20))
    with pytest.raises(BundleError, match="unpacks to more than 1 MiB"):
        unpack(trap, Limits(total=1 << 20))


def test_a_window_larger_than_the_bound_is_damage() -> None:
    packer = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(window_log=28)).compressobj()
    _, stream = unpack(packer.compress(b"x") + packer.flush())
    assert "memory" in stream.damage


def test_skippable_frames_of_zstd_are_passed_over() -> None:
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    content, stream = unpack(skippable + zstandard.compress(b"one") + skippable + zstandard.compress(b"two"))
    assert content == b"onetwo"
    assert state(stream) == (False, False, False)


def test_a_source_whose_start_was_read() -> None:
    source = Prefixed(b"abc", io.BytesIO(b"defg"))
    assert [source.read(2), source.read(3), source.read(9), source.read(1)] == [b"ab", b"cde", b"fg", b""]
