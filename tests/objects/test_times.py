"""Times, spans and moments."""

from datetime import UTC, datetime, timedelta

import pytest
from runai_analyze.objects.times import Moment, age_in_words, parse_duration, parse_moment, parse_time, span_in_words

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


@pytest.mark.parametrize("text", ["", "30", "d", "30 d", "1y", "-1d", "1.5h", "999999999w"])
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
