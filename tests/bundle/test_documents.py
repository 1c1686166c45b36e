"""JSON and YAML that somebody else wrote: bounded."""

import time

import pytest
from runai_analyze.bundle.documents import read_document, read_json


def test_json_and_yaml_are_read() -> None:
    assert read_document('{"a": [1, 2]}') == {"a": [1, 2]}
    assert read_document("a:\n  b: true\n") == {"a": {"b": True}}


@pytest.mark.parametrize(
    "text", ["a: *x", "a: &x [1]\nb: [*x, *x]", "!!python/object:os.system {}", "just words", "a: [", "\x00", "- a\n- b"]
)
def test_what_is_no_plain_mapping_is_none(text: str) -> None:
    assert read_document(text) is None


def test_json_of_a_hundred_levels_is_read_and_deeper_is_not() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert read_json(nested(100))
    with pytest.raises(ValueError, match="100 levels"):
        read_json(nested(102))
    with pytest.raises(ValueError):
        read_json(b"[" * 100_000 + b"]" * 100_000)


@pytest.mark.parametrize("data", [b"{", b'{"a": NaN}', b'{"a": 1e999}', b'"\xff"', b"", b'{"a":1} {"b":2}'])
def test_broken_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        read_json(data)


def test_yaml_is_read_only_where_it_is_short_and_only_once() -> None:
    short, long = ("a:\n" + "".join(f"  k{number}: [1, 2]\n" for number in range(count)) for count in (3_000, 6_000))
    started = time.process_time()
    assert [len(read_document(short)["a"]) for _ in range(20)] == [3_000] * 20
    assert read_document(long) is None
    assert time.process_time() - started < 10  # once takes one second or two
