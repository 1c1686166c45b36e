"""Text from a bundle, made harmless to look at."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from runai_analyze.plain import visible
from runai_analyze.report.text import (
    breaks,
    brief,
    count,
    count_words,
    cut,
    first_of,
    listing,
    moment,
    naturally,
    size,
    slug,
    version_range,
)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [("\u202e", "‹U+202E›"), ("\x1b[31m", "‹U+001B›[31m"), ("\x00", "‹U+0000›"), ("\u200b", "‹U+200B›"), ("\ud800", "‹U+D800›")],
)
def test_hidden_characters_are_written_out(hidden: str, shown: str) -> None:
    assert visible(f"a{hidden}b") == f"a{shown}b"


@pytest.mark.parametrize("text", ["plain", "你好", "مرحبا", "a\tb\nc", "é — “x”", "🚀"])
def test_other_text_stays(text: str) -> None:
    assert visible(text) == text


def test_cut_says_how_long_it_was() -> None:
    assert cut("x" * 1200, 10) == "xxxxxxxxxx… (1,200 characters)"
    assert cut("two\n  lines", 20) == "two lines"


def test_numbers_take_their_nouns() -> None:
    assert (count(1, "node"), count(1200, "node"), count(2, "entry", "entries")) == ("1 node", "1,200 nodes", "2 entries")
    assert (count_words(3, "thing"), count_words(1, "thing"), count_words(40, "thing")) == (
        "three things",
        "one thing",
        "40 things",
    )


def test_lists_read_like_a_sentence() -> None:
    assert (listing([]), listing(["a"]), listing(["a", "b", "c"]), listing(["a", "b"], "or")) == ("", "a", "a, b and c", "a or b")


def test_the_others_are_counted() -> None:
    assert (first_of(["a", "b", "c", "d"], 2), first_of(["a", "b"], 2)) == ("a, b and 2 more", "a and b")


def test_moments_are_in_utc_and_english() -> None:
    east = timezone(timedelta(hours=9))
    assert moment(datetime(2027, 3, 1, 3, 5, tzinfo=east)) == "28 Feb 2027, 18:05 UTC"
    assert moment(datetime(2026, 11, 30, 9, 41, tzinfo=UTC)) == "30 Nov 2026, 09:41 UTC"
    assert moment(None) == "at an unknown time"


def test_sizes() -> None:
    assert [size(999), size(4_210_345), size(12_000_000_000)] == ["999 B", "4.2 MB", "12.0 GB"]


def test_slugs_are_safe_in_an_attribute() -> None:
    assert slug('RAI-K8S-001"><script>') == "rai-k8s-001-script"
    assert slug("你好") == "x"


def test_numbers_in_names_sort_as_numbers() -> None:
    assert sorted(["gpu-10", "gpu-2", "gpu-1"], key=naturally) == ["gpu-1", "gpu-2", "gpu-10"]


def test_names_of_any_shape_can_be_sorted() -> None:
    names = ["", "9" * 5000, "²", "1", "a1", "\x00"]
    assert len(sorted(names, key=naturally)) == len(names)


def test_breaks_are_put_in_after_escaping() -> None:
    assert breaks("a/<b>/c.json") == "a/<wbr>&lt;b&gt;/<wbr>c.<wbr>json"
    assert breaks("a/b", mark="|") == "a/|b"


def test_ranges_are_written_as_people_write_them() -> None:
    assert version_range("1.33 - 1.35 || 1.37") == "1.33–1.35 or 1.37"


def test_brief_text_keeps_to_its_room() -> None:
    assert brief("one two three", 8) == "one two…"
    assert brief("one\ntwo", 8) == "one two"
