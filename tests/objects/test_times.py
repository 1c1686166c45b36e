"""Times, spans and moments."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from runai_analyze.objects.times import Moment, age_in_words, is_time, parse_duration, parse_moment, parse_time, span_in_words

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-12-01T12:00:00Z", NOON),
        ("2026-12-01t12:00:00z", NOON),
        ("2026-12-01T14:00:00+02:00", NOON),
        ("2026-12-01T12:00:00.123456789Z", NOON.replace(microsecond=123456)),
        ("2026-12-01", datetime(2026, 12, 1, tzinfo=UTC)),
    ],
)
def test_time(text: str, time: datetime) -> None:
    assert parse_time(text) == time
    assert parse_time(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text", ["", "now", "2026-13-01", "2026-12-01T25:00:00Z", "2026-12-01T12:00:00", "0001-01-01T00:00:00+14:00", 5, None]
)
def test_refuses_times(text: object) -> None:
    with pytest.raises(ValueError):
        parse_time(text)


@pytest.mark.parametrize(("text", "days"), [("30d", 30), ("1w", 7), ("48h", 2), ("1d24h", 2), ("1440m", 1), ("86400s", 1)])
def test_duration(text: str, days: int) -> None:
    assert parse_duration(text) == timedelta(days=days)


@pytest.mark.parametrize("text", ["", "30", "d", "30 d", "1y", "-1d", "1.5.5h", "999999999w", "1d" * 200])
def test_refuses_durations(text: str) -> None:
    with pytest.raises(ValueError):
        parse_duration(text)


def test_moments_hang_on_the_capture_time() -> None:
    assert parse_moment("bundle_time + 30d").at(NOON) == NOON + timedelta(days=30)
    assert parse_moment("bundle_time - 1h").at(NOON) == NOON - timedelta(hours=1)
    assert parse_moment("bundle_time").at(NOON) == NOON
    assert parse_moment("bundle_time + 30d").at(None) is None
    assert parse_moment("2026-12-01T12:00:00Z") == Moment(NOON)
    with pytest.raises(ValueError):
        parse_moment("bundle_time + soon")


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(days=25, hours=3), "25 days ago"),
        (timedelta(hours=47), "47 hours ago"),
        (timedelta(minutes=90), "90 minutes ago"),
        (timedelta(seconds=1), "1 second ago"),
        (timedelta(days=-14), "in 14 days"),
    ],
)
def test_age(span: timedelta, words: str) -> None:
    assert age_in_words(span) == words


@pytest.mark.parametrize(
    ("text", "words"), [("1d", "1 day"), ("30d", "30 days"), ("36h", "36 hours"), ("90m", "90 minutes"), ("1s", "1 second")]
)
def test_span_in_words(text: str, words: str) -> None:
    assert span_in_words(parse_duration(text)) == span_in_words(-parse_duration(text)) == words


@pytest.mark.parametrize(
    ("text", "known", "words"),
    [
        ("bundle_time", False, "the time when the bundle was made"),
        ("bundle_time + 30d", False, "30 days after the bundle was made"),
        ("2026-12-01T08:30:00Z", True, "2026-12-01 08:30 UTC"),
    ],
)
def test_moment_in_words(text: str, known: bool, words: str) -> None:
    bundle_time = parse_time("2026-12-01") if known else None
    assert parse_moment(text).in_words(bundle_time) == words


def rows(name: str) -> list[tuple[str, object]]:
    """Return the rows of a table that Go filled."""
    return [(text, value) for text, value in yaml.load((Path(__file__).parent / name).read_bytes(), yaml.CSafeLoader)]


# Go takes an hour of one digit, and an offset of a whole day that no place has.
ONLY_GO = ("2026-12-01T1:00:00Z", "2026-12-01T12:00:00+24:00")


@pytest.mark.parametrize(("text", "value"), rows("times.yaml"))
def test_times_agree_with_go(text: str, value: tuple[int, int] | None) -> None:
    if value is None or text in ONLY_GO:
        with pytest.raises(ValueError):
            parse_time(text)
        return
    since = parse_time(text) - datetime(1970, 1, 1, tzinfo=UTC)
    assert (since.days * 86400 + since.seconds, since.microseconds) == (value[0], value[1] // 1000)


# What Go does not take and rules write, and what is longer than Go's 292 years.
OURS = {"1d": 1, "15d": 15, "2w": 14, "3000000h": 125_000}


@pytest.mark.parametrize(("text", "value"), rows("durations.yaml"))
def test_durations_agree_with_go(text: str, value: int | None) -> None:
    if text in OURS:
        assert parse_duration(text) == timedelta(days=OURS[text])
    elif value is None and not text.endswith("7s"):
        with pytest.raises(ValueError):
            parse_duration(text)
    elif value is not None:
        assert parse_duration(text) == timedelta(microseconds=value // 1000)


def test_there_are_enough_of_both() -> None:
    found = [(len(table), sum(value is not None for _, value in table)) for table in (rows("times.yaml"), rows("durations.yaml"))]
    assert found == [(58, 28), (77, 43)]


@pytest.mark.parametrize(
    ("moment", "time"),
    [
        ("bundle_time + 1.5h", "2026-12-01T13:30:00Z"),
        ("bundle_time - 90m", "2026-12-01T10:30:00Z"),
        ("bundle_time+30d", "2026-12-31T12:00:00Z"),
        ("bundle_time - 1w", "2026-11-24T12:00:00Z"),
        ("bundle_time + 0", "2026-12-01T12:00:00Z"),
    ],
)
def test_arithmetic_on_the_capture_time(moment: str, time: str) -> None:
    assert parse_moment(moment).at(NOON) == parse_time(time)


@pytest.mark.parametrize(("value", "answer"), [("2026-11-30T10:00:00Z", True), ("2026-11-30", True), ("soon", False), (7, False)])
def test_what_is_a_time(value: object, answer: bool) -> None:
    assert is_time(value) is answer
