"""Kubernetes quantities ("500m", "16Gi", "1e3", "12E") as exact numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

# Suffixes, the cap of those with an "i" at 2^63-1 and the rounding away from zero to nano are those of
# k8s.io/apimachinery/pkg/api/resource, v0.35.4.
_SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", start=1)},
}
_LARGEST = Fraction(2**63 - 1)
_NANO = 10**9
_LONGEST_TEXT = 256
_SHOWN = 64  # characters of a text that is refused
_LARGEST_EXPONENT = 99  # beyond whatever a cluster has; keeps 10**exponent small whatever the text says
_QUANTITY = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+)|([a-zA-Z]*))", re.ASCII)


def parse_quantity(value: object) -> Fraction:
    """Return a quantity, or a plain number of JSON, as an exact number in its base unit (bytes, cores, pieces).

    Like the API machinery, rounds away from zero to 1e-9, and caps at 2^63-1 what has a suffix with an "i"; "12E" goes beyond.
    Raises ValueError for anything else; unlike there, also for a text without a digit ("Gi" is 0 to the API machinery, and to a
    reader a mistake) and for an exponent above 99.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"not a quantity: {type(value).__name__}")
    return _parse(value if isinstance(value, str) else repr(value))


@lru_cache(maxsize=4096)  # a cluster's objects hold few different quantities, many times
def _parse(text: str) -> Fraction:
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if match is None:
        raise ValueError(f"not a quantity: {text[:_SHOWN]}")
    sign, digits, exponent, suffix = match.groups()
    number = Fraction(digits) * (_power_of_ten(exponent, text) if exponent else _scale(suffix, text))
    number = _round_up_to_nano(min(number, _LARGEST) if suffix and suffix[-1] == "i" else number)
    return -number if sign == "-" else number


def _power_of_ten(exponent: str, text: str) -> Fraction:
    power = max(-_LARGEST_EXPONENT, int(exponent))  # whatever is smaller still is rounded to the same
    if power > _LARGEST_EXPONENT:
        raise ValueError(f"not a quantity: {text[:_SHOWN]} has an exponent above {_LARGEST_EXPONENT}")
    return Fraction(10) ** power


def _scale(suffix: str, text: str) -> Fraction:
    try:
        return _SUFFIXES[suffix]
    except KeyError:
        raise ValueError(f"not a quantity: {text[:_SHOWN]} has the unknown suffix {suffix}") from None


def _round_up_to_nano(number: Fraction) -> Fraction:
    scaled = number * _NANO
    return Fraction(-((-scaled.numerator) // scaled.denominator), _NANO)
