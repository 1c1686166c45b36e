"""The support matrix as a picture: one band of Kubernetes versions for each Run:ai release, and a line where this cluster is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..model import ReleaseFit

_RANGE = re.compile(r"(?P<low>[0-9]+\.[0-9]+)[0-9.]*\s*(?:-|–|to|\.\.)\s*(?P<high>[0-9]+\.[0-9]+)")
_BOUND = re.compile(r"(?P<sign>>=|<=|≥|≤)\s*(?P<version>[0-9]+\.[0-9]+)")
_VERSION = re.compile(r"[vV]?([0-9]+)\.([0-9]+)")


@dataclass(frozen=True)
class Band:
    """One release: where its band begins and ends, in percent of the width; None where the matrix does not say."""

    fit: ReleaseFit
    left: float | None
    width: float | None
    answer: str  # for the component of the axis alone
    wanted: str


@dataclass(frozen=True)
class Matrix:
    """The picture: the axis with a label for each version, the bands from the newest release, and this cluster's place."""

    component: str
    bands: tuple[Band, ...]
    ticks: tuple[tuple[str, float, float], ...]  # label, left edge, middle, in percent
    here: float | None
    here_label: str
    here_at: int  # the place of its label among the ticks; 0 where there is none


def matrix(releases: Sequence[ReleaseFit]) -> Matrix | None:
    """Return the picture over the platform's version, or None when no release says which versions it takes."""
    component = _axis(releases)
    spans = [_span(_part(fit, component)[1]) for fit in releases]
    found = next((_part(fit, component)[0] for fit in releases if _part(fit, component)[0]), "")
    here = _minor(found)
    known = [bound for span in spans if span for bound in span] + ([here] if here else [])
    if not known or not any(spans):
        return None
    axis = _range(min(known), max(known))
    step = 100 / len(axis)
    bands = tuple(_band(fit, _part(fit, component), span, axis, step) for fit, span in zip(releases, spans, strict=True))
    ticks = tuple((f"{major}.{minor}", round(step * i, 3), round(step * (i + 0.5), 3)) for i, (major, minor) in enumerate(axis))
    place = round(step * (axis.index(here) + 0.5), 3) if here in axis else None
    return Matrix(component, bands, ticks, place, f"{here[0]}.{here[1]}" if here else "", axis.index(here) if here in axis else 0)


def _axis(releases: Sequence[ReleaseFit]) -> str:
    names = [component for fit in releases for component, found, _, _ in fit.parts if found]
    return "openshift" if any(name.lower() == "openshift" for name in names) else "kubernetes"


def _part(fit: ReleaseFit, component: str) -> tuple[str, str, str]:
    return next(
        ((found, wanted, answer) for name, found, wanted, answer in fit.parts if name.lower() == component), ("", "", "unknown")
    )


def _span(wanted: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the lowest and the highest version of a range in words; None for a range with an open end."""
    match = _RANGE.search(wanted)
    if match:
        low, high = _minor(match["low"]), _minor(match["high"])
        return (low, high) if low and high and low <= high else None
    bounds = {found["sign"].replace("≥", ">=").replace("≤", "<="): _minor(found["version"]) for found in _BOUND.finditer(wanted)}
    low, high = bounds.get(">="), bounds.get("<=")
    return (low, high) if low and high and low <= high else None


def _minor(text: str) -> tuple[int, int] | None:
    match = _VERSION.search(text)
    return (int(match[1]), int(match[2])) if match and len(match[1]) < 4 and len(match[2]) < 4 else None


def _range(low: tuple[int, int], high: tuple[int, int]) -> list[tuple[int, int]]:
    """Return every minor version from low to high; over a change of the major version only the two ends are known."""
    if low[0] == high[0] and high[1] - low[1] < 60:
        return [(low[0], minor) for minor in range(low[1], high[1] + 1)]
    return [low, high]


def _band(
    fit: ReleaseFit,
    part: tuple[str, str, str],
    span: tuple[tuple[int, int], tuple[int, int]] | None,
    axis: list[tuple[int, int]],
    step: float,
) -> Band:
    if span is None or span[0] not in axis or span[1] not in axis:
        return Band(fit, None, None, part[2], part[1])
    first, last = axis.index(span[0]), axis.index(span[1])
    return Band(fit, round(first * step, 3), round((last - first + 1) * step, 3), part[2], part[1])
