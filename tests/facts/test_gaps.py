"""What a fact is when its kind was not fully collected."""

from .helpers import index_of, is_unknown

POD, NODE = ("Pod", ""), ("Node", "")


def test_what_was_seen_counts_and_else_the_gap_or_nothing() -> None:
    _, gaps = index_of(not_collected=["Pod"])
    assert gaps.unless_seen(True, POD, otherwise=False) is True
    assert is_unknown(gaps.unless_seen(False, NODE, POD, otherwise=False))
    assert gaps.unless_seen(False, NODE, otherwise=False) is False
    assert gaps.unless_seen(None, NODE) is None


def test_the_first_gap_is_told() -> None:
    _, gaps = index_of(not_collected=["Pod"])
    assert gaps.of(NODE) is None
    found = gaps.of(NODE, POD)
    assert found is not None
    assert found.missing.what == "Pod"
