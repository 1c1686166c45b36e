"""Words for people: text from a bundle made harmless to look at, numbers with their nouns, dates without a locale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup, escape

from ..plain import visible

CUT = 300
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def cut(text: str, limit: int = CUT) -> str:
    """Return the visible text on one line, cut to ``limit`` characters and saying how long it was."""
    flat = " ".join(visible(text).split())
    if len(flat) <= limit:
        return flat
    return f"{flat[:limit].rstrip()}… ({len(flat):,} characters)"


def brief(text: str, limit: int) -> str:
    """Return the visible text on one line and at most ``limit`` characters long, for a place that has no room for more."""
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return the number with its noun: ``1 node``, ``1,200 nodes``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_words(number: int, noun: str, plural: str = "") -> str:
    """Return the number in words up to twelve, with its noun: ``three things``."""
    word = _SMALL[number] if 0 <= number < len(_SMALL) else f"{number:,}"
    return f"{word} {noun if number == 1 else plural or noun + 's'}"


def version_range(text: str) -> str:
    """Return a range of versions as people write it: ``1.33 - 1.35 || 1.37`` becomes ``1.33–1.35 or 1.37``."""
    return text.replace(" - ", "–").replace(" || ", " or ")


def sentence(text: str) -> str:
    """Return the text with a capital at the start, whatever the rest is."""
    return text[:1].upper() + text[1:]


def capital(text: str) -> str:
    """Return the text with a capital at the start where it begins with a plain word; identifiers stay as they are."""
    first, _, rest = text.partition(" ")
    return sentence(text) if rest and re.fullmatch(r"[a-z]+[,:]?", first) else text


def listing(parts: Sequence[str], last: str = "and") -> str:
    """Return the parts as a list in a sentence: ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def first_of(parts: Sequence[str], most: int) -> str:
    """Return the first of the parts as a list in a sentence, with the others counted: ``a, b and 3 more``."""
    more = len(parts) - most
    return listing([*parts[:most], f"{more:,} more"] if more > 0 else parts)


def moment(when: datetime | None) -> str:
    """Return a time as ``30 Nov 2026, 09:41 UTC``; English in every locale."""
    if when is None:
        return "at an unknown time"
    utc = when.astimezone(UTC)
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


def size(octets: int) -> str:
    """Return a size in bytes as people say it: ``4.2 MB``."""
    if octets < 1000:
        return f"{octets} B"
    value = octets / 1000
    for unit in ("kB", "MB"):
        if value < 1000:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def breaks(text: str, mark: str = "<wbr>") -> Markup:
    """Return a path, escaped, with ``mark`` after each of its separators: a place where the line may break."""
    separated = re.sub(r"([/.\[_=:])(?=[^/.\[_=:])|(?<=[a-z])(?=[A-Z])", rf"\g<0>{mark}", str(escape(visible(text))))
    return Markup(separated)  # noqa: S704 - escaped just here


def slug(text: str) -> str:
    """Return an anchor made of plain letters: ``RAI-K8S-001`` becomes ``rai-k8s-001``."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower())[:80].strip("-") or "x"


def naturally(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts ``gpu-2`` before ``gpu-10``."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", text)
    return tuple((0, int(part), "") if part.isascii() and part.isdigit() and len(part) <= 18 else (1, 0, part) for part in parts)
