"""Points in time and spans of time as Kubernetes and rules write them; nothing here reads a clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"  # Python reads 24:00:00 from 3.13 on; nobody else does
_RFC3339 = re.compile(rf"(\d{{4}}-\d{{2}}-\d{{2}})[Tt ]({_CLOCK})(?:\.(\d{{1,30}}))?([Zz]|[+-]\d{{2}}:\d{{2}})", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MICRO = Fraction(1, 10**6)
_UNITS = {
    **{name: Fraction(seconds) for name, seconds in (("w", 7 * 86400), ("d", 86400), ("h", 3600), ("m", 60), ("s", 1))},
    "ms": Fraction(1, 1000),
    **dict.fromkeys(("us", "µs", "μs"), _MICRO),  # both signs that there are for micro
    "ns": Fraction(1, 10**9),
}
_SPAN = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(ms|us|µs|μs|ns|[wdhms])")
_LONGEST_TEXT = 256
_MOMENT = re.compile(r"bundle_time(?:\s*([+-])\s*(\S+))?")


def is_time(value: object) -> bool:
    """Tell whether a value is an RFC 3339 time."""
    try:
        parse_time(value)
    except ValueError:
        return False
    return True


def parse_time(text: object) -> datetime:
    """Return an RFC 3339 time in UTC, cut to microseconds; a bare date is its midnight. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError(f"not a time: {type(text).__name__}")
    if _DATE.fullmatch(text):
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(f"not a time: {text[:64]}")
    date, clock, fraction, zone = match.groups()
    micro = (fraction or "0")[:6].ljust(6, "0")
    offset = "+00:00" if zone in "Zz" else zone
    try:
        return datetime.fromisoformat(f"{date}T{clock}.{micro}{offset}").astimezone(UTC)
    except OverflowError:
        raise ValueError(f"not a time: {text[:64]}") from None


def parse_duration(text: str) -> timedelta:
    """Return a span as Go writes it (``2h30m``, ``1.5h``, ``300ms``), in days or weeks too (``30d``), cut to microseconds.

    Raises ValueError, also for a negative one.
    """
    spans = _SPAN.findall(text) if len(text) <= _LONGEST_TEXT else []
    if text != "0" and (not spans or "".join(number + unit for number, unit in spans) != text):
        raise ValueError(f"not a duration: {text[:64]} (write it like 30d, 12h, 2h30m)")
    try:
        return timedelta(microseconds=int(sum(Fraction(number) * _UNITS[unit] for number, unit in spans) / _MICRO))
    except OverflowError:
        raise ValueError(f"not a duration: {text[:64]} is too long") from None


@dataclass(frozen=True)
class Moment:
    """A point in time in a rule: fixed, or an offset from the capture time of the bundle (``fixed`` is None)."""

    fixed: datetime | None
    offset: timedelta = timedelta(0)

    def at(self, bundle_time: datetime | None) -> datetime | None:
        """Return the point in time; None when it hangs on a capture time that the bundle does not say, or leaves the calendar."""
        if self.fixed is not None:
            return self.fixed
        try:
            return None if bundle_time is None else bundle_time + self.offset
        except OverflowError:
            return None

    def in_words(self, bundle_time: datetime | None) -> str:
        """Return the point in time for people: ``2026-12-31 (30 days after the bundle was made)``."""
        when = self.at(bundle_time)
        if self.fixed is not None:
            return f"{self.fixed:%Y-%m-%d %H:%M} UTC" if self.fixed.hour or self.fixed.minute else f"{self.fixed:%Y-%m-%d}"
        said = "the bundle was made"
        if self.offset:
            said = f"{span_in_words(self.offset)} {'after' if self.offset > timedelta(0) else 'before'} {said}"
        else:
            said = f"when {said}" if when else f"the time when {said}"
        clock = " %H:%M UTC" if self.offset % timedelta(days=1) else ""  # an hour matters where the span has hours
        return f"{when:%Y-%m-%d{clock}} ({said})" if when else said


def span_in_words(span: timedelta) -> str:
    """Return a span exactly, without its sign, in the largest unit that divides it: ``30 days``, ``90 minutes``."""
    seconds = int(abs(span.total_seconds()))
    size, name = next(unit for unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")) if seconds % unit[0] == 0)
    return f"{seconds // size} {name}{'' if seconds == size else 's'}"


def parse_moment(text: str) -> Moment:
    """Return what ``bundle_time``, ``bundle_time + 30d``, ``bundle_time - 1h`` or an RFC 3339 time means. Raises ValueError."""
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        return Moment(parse_time(text.strip()))
    span = parse_duration(match[2]) if match[2] else timedelta(0)
    return Moment(None, -span if match[1] == "-" else span)


def age_in_words(span: timedelta) -> str:
    """Return a span roughly, in the largest unit that shows at least 2: ``3 hours``, ``in 14 days`` when negative."""
    seconds = int(abs(span.total_seconds()))
    count, unit = seconds, "second"
    for size, name in ((60, "minute"), (3600, "hour"), (86400, "day")):
        if seconds >= 2 * size:
            count, unit = seconds // size, name
    words = f"{count} {unit}{'' if count == 1 else 's'}"
    return f"in {words}" if span < timedelta(0) else f"{words} ago"
