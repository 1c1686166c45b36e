"""Which Run:ai releases a cluster could take, by the support matrix of the pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from runai_analyze.engine.values import display
from runai_analyze.model import ReleaseFit, Unknown
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.rule import Cell, Table

MATRIX = "support-matrix"
_FORBIDDEN = "_forbidden"  # ends the name of a column that lists the versions that must not be there
_Answer = Literal["yes", "no", "unknown"]
_WORST: tuple[_Answer, ...] = ("no", "unknown", "yes")
_Part = tuple[str, str, str, str]


def fit_releases(tables: Mapping[str, Table], cluster: Mapping[str, Any]) -> tuple[ReleaseFit, ...]:
    """Return, for every release of the support matrix, newest first, whether the versions of the cluster are inside its ranges.

    A component that is not installed does not count; on OpenShift its own version counts and not that of Kubernetes.
    """
    matrix = tables.get(MATRIX)
    if matrix is None:
        return ()
    runai = cluster.get("runai")
    current = runai.get("release") if isinstance(runai, Mapping) else None
    releases = sorted(matrix.rows, key=lambda release: parse_version(release), reverse=True)
    return tuple(_fit(release, matrix, cluster, current == release) for release in releases)


def _fit(release: str, matrix: Table, cluster: Mapping[str, Any], current: bool) -> ReleaseFit:
    parts = tuple(_parts(matrix.rows[release], matrix, cluster))
    answers = {part[3] for part in parts}
    fits: _Answer = next((answer for answer in _WORST if answer in answers), "unknown")
    return ReleaseFit(release, fits, parts, current)


def _parts(row: Mapping[str, Cell], matrix: Table, cluster: Mapping[str, Any]) -> Iterator[_Part]:
    for column, kind in matrix.columns.items():
        component = column.removesuffix(_FORBIDDEN)
        forbidden = component != column
        cell = row.get(column)
        if kind != "range" or (forbidden and (cell is None or cell.value is None)):
            continue
        found = _version_of(component, cluster)
        if found is not None:
            yield _part(component, found, cell, forbidden)


def _version_of(component: str, cluster: Mapping[str, Any]) -> object:
    """Return the version of a component: text, ``Unknown``, or None when it is not there or does not count."""
    openshift = _field(cluster, "openshift", "version")
    if component == "kubernetes" and openshift is not None and _field(cluster, "distribution", "name") == "openshift":
        return None
    if component == "openshift":
        return openshift if _field(cluster, "distribution", "name") == "openshift" else None
    if _field(cluster, component, "installed") is False:
        return None
    return _field(cluster, component, "version")


def _field(cluster: Mapping[str, Any], component: str, name: str) -> object:
    part = cluster.get(component)
    return part.get(name) if isinstance(part, Mapping) else part if isinstance(part, Unknown) else None


def _part(component: str, found: object, cell: Cell | None, forbidden: bool) -> _Part:
    name = component.replace("_", " ")
    if cell is None or cell.value is None:
        return name, "" if isinstance(found, Unknown) else display(found), "not stated", "unknown"
    weak = "" if cell.confidence == "documented" else f" ({cell.confidence.replace('_', ' ')})"
    wanted = f"{'not ' if forbidden else ''}{display(cell.value)}{weak}"
    if isinstance(found, Unknown):
        return name, "", wanted, "unknown"
    try:
        inside = parse_range(str(cell.value)).contains(parse_version(found))
    except ValueError:
        return name, display(found), wanted, "unknown"
    if inside is None or cell.confidence == "uncertain":
        return name, display(found), wanted, "unknown"
    return name, display(found), wanted, "yes" if inside != forbidden else "no"
