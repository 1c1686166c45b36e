"""The values of options that are numbers, times, sizes and names. Loaded when one of these options is given."""

import re
from argparse import ArgumentTypeError
from typing import Dict, Tuple

from .certificates import can_be

_SIZES: Dict[str, int] = {unit + ending: 1 << bits for unit, bits in (("k", 10), ("m", 20), ("g", 30))
                          for ending in ("", "i", "b", "ib")}


def read_whole(text: str, most: int) -> int:
    """Return a whole number from 1 to ``most``. Raises ArgumentTypeError, as all of these."""
    return _number(text, {"": 1}, "a number from 1 to %d" % most, 1, most)


def read_time(text: str) -> int:
    """Return the seconds of a time such as 90s."""
    return _number(text, {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}, "a time such as 90s, 15m, 6h or 2d")


def read_size(text: str) -> int:
    """Return the bytes of a size such as 200M."""
    return _number(text, _SIZES, "a size such as 200M or 1G, and 64K at least", 1 << 16)


def _number(text: str, units: Dict[str, int], wanted: str, least: int = 1, most: int = 1 << 60) -> int:
    match = re.match(r"([0-9]{1,9})([A-Za-z]*)\Z", text)
    number = int(match.group(1)) * units.get(match.group(2).lower(), 0) if match else 0
    if not least <= number <= most:
        raise ArgumentTypeError("%r is not %s" % (text, wanted))
    return number


def read_namespace(text: str) -> str:
    """Return the name of a namespace."""
    if not re.match(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z", text):
        raise ArgumentTypeError("%r is not the name of a namespace; for several give -n again" % text)
    return text


def read_secret(text: str) -> Tuple[str, str]:
    """Return (namespace, name) of NAMESPACE/NAME."""
    namespace, _, name = text.partition("/")
    if not can_be(name):
        raise ArgumentTypeError("%r is not the NAMESPACE/NAME of a Secret" % text)
    return read_namespace(namespace), name
