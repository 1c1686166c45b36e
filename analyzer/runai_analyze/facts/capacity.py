"""What a node keeps back for the system: its capacity against what pods may have.

Allocatable is the capacity without kube-reserved, system-reserved and the hard eviction threshold (Kubernetes documentation,
"Reserve Compute Resources for System Daemons"); of memory, huge pages that were set aside are taken off too ("Manage HugePages").
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..model import Unknown
from ..objects.quantities import parse_quantity
from .reading import dig, mapping, name_of, unknown

RESOURCES = {"cpu": "cpu", "memory": "memory", "ephemeral_storage": "ephemeral-storage"}  # as facts call them: as nodes do
_HUGE_PAGES = "hugepages-"
_Amount = Fraction | Unknown | None  # None: the node does not say
Shown = int | float | Unknown | None


def capacity(body: Mapping[str, Any]) -> dict[str, Shown]:
    """Return what the machine has: cores and bytes."""
    return {name: _shown(_amount(body, "capacity", key)) for name, key in RESOURCES.items()}


def allocatable(body: Mapping[str, Any]) -> dict[str, Shown]:
    """Return what pods may have of it: cores and bytes."""
    return {name: _shown(_amount(body, "allocatable", key)) for name, key in RESOURCES.items()}


def huge_pages(body: Mapping[str, Any]) -> Shown:
    """Return the bytes that are set aside as huge pages of all sizes; None where the node names none."""
    return _shown(_huge_pages(body))


def reserved(body: Mapping[str, Any]) -> dict[str, Shown]:
    """Return what is kept back, in cores and bytes; nothing where the node says that pods may have more than there is."""
    return {name: _shown(_reserved(body, key)) for name, key in RESOURCES.items()}


def reserved_share(body: Mapping[str, Any]) -> dict[str, Shown]:
    """Return the percentage of the capacity that is kept back, to two places."""
    return {name: _share(_reserved(body, key), _amount(body, "capacity", key)) for name, key in RESOURCES.items()}


def _amount(body: Mapping[str, Any], place: str, key: str) -> _Amount:
    value = mapping(dig(body, "status", place)).get(key)
    if value is None:
        return None
    try:
        return parse_quantity(value)
    except ValueError as error:
        return unknown(f"{place} of node {name_of(body)}", f"{key}: {str(error)[:100]}")


def _huge_pages(body: Mapping[str, Any]) -> _Amount:
    keys = [str(key) for key in mapping(dig(body, "status", "capacity")) if str(key).startswith(_HUGE_PAGES)]
    amounts = [_amount(body, "capacity", key) for key in keys]
    unclear = next((amount for amount in amounts if isinstance(amount, Unknown)), None)
    known = [amount for amount in amounts if isinstance(amount, Fraction)]
    return unclear or (sum(known, Fraction(0)) if known else None)


def _reserved(body: Mapping[str, Any], key: str) -> _Amount:
    has, may = _amount(body, "capacity", key), _amount(body, "allocatable", key)
    pages = _huge_pages(body) if key == "memory" else None
    for one in (has, may, pages):
        if isinstance(one, Unknown):
            return one
    if not isinstance(has, Fraction) or not isinstance(may, Fraction):
        return None
    return max(has - may - (pages if isinstance(pages, Fraction) else 0), Fraction(0))


def _share(kept: _Amount, has: _Amount) -> Shown:
    if isinstance(kept, Fraction) and isinstance(has, Fraction):
        return round(float(kept / has * 100), 2) if has else None
    return kept if isinstance(kept, Unknown) else None


def _shown(amount: _Amount) -> Shown:
    if not isinstance(amount, Fraction):
        return amount
    return int(amount) if amount.denominator == 1 else float(amount)
