"""The order in which a reader meets the outcomes, and which of them fold behind a cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ..model import Outcome, Severity, Status

Rank = Literal["blocker", "risk", "note"]
RANKS: tuple[Rank, ...] = ("blocker", "risk", "note")

# What most users notice first; areas of other packs stand after these.
_AREAS = (
    "certificates",
    "network",
    "kubernetes",
    "security",
    "gpu",
    "nodes",
    "runai",
    "storage",
    "images",
    "training",
    "inference",
    "monitoring",
)
_ORDER = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.BLOCKED, Status.ACCEPTED, Status.PASS, Status.NOT_APPLICABLE)


def rank(severity: Severity) -> Rank:
    """Return what a severity means to a reader: a blocker stops Run:ai, a risk hurts or will hurt, a note can be left."""
    if severity is Severity.CRITICAL:
        return "blocker"
    return "risk" if severity >= Severity.MEDIUM else "note"


def worst_first(outcomes: Iterable[Outcome], optional: frozenset[str] = frozenset()) -> tuple[Outcome, ...]:
    """Return the outcomes as the report lists them: failed before not checked before passed, then the worst first.

    Of equal severity what everybody needs stands before what only some do (``optional``: ids of the checklist's lines that are
    not needed by all), what is broken before a version outside the matrix, then what most users notice, what only watches last,
    then the cause of most others.
    """
    given = tuple(outcomes)
    behind = folded(given)

    def key(it: Outcome) -> tuple[object, ...]:
        place = _AREAS.index(it.rule.area) if it.rule.area in _AREAS else len(_AREAS)
        weight = -len(behind.get(it.rule.id, ()))
        needed = (
            it.rule.checklist in optional,
            it.rule.checklist.endswith("-version"),
            place,
            it.rule.area,
            _only_watches(it),
            weight,
        )
        return (_ORDER.index(it.status), -it.severity, *needed, it.rule.id)

    return tuple(sorted(given, key=key))


def _only_watches(outcome: Outcome) -> bool:
    """Return whether all that failed is an exporter of metrics: nobody's work stops for it."""
    return bool(outcome.findings) and all("exporter" in finding.subject.name for finding in outcome.findings)


def folded(outcomes: Sequence[Outcome]) -> Mapping[str, tuple[Outcome, ...]]:
    """Return, for each failed rule, the blocked outcomes that it is the cause of, directly or through other blocked ones."""
    by_id = {outcome.rule.id: outcome for outcome in outcomes}
    behind: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status is Status.BLOCKED:
            behind.setdefault(root_cause(outcome, by_id), []).append(outcome)
    return {cause: tuple(effects) for cause, effects in behind.items()}


def root_cause(outcome: Outcome, by_id: Mapping[str, Outcome]) -> str:
    """Return the id of the rule at the end of the chain of causes; a chain that runs in a circle ends where it closes."""
    seen: set[str] = set()
    while outcome.status is Status.BLOCKED and outcome.blocked_by in by_id and outcome.blocked_by not in seen:
        seen.add(outcome.blocked_by)
        outcome = by_id[outcome.blocked_by]
    return outcome.blocked_by if outcome.status is Status.BLOCKED and outcome.blocked_by not in by_id else outcome.rule.id


def failed(outcomes: Iterable[Outcome], *ranks: Rank) -> tuple[Outcome, ...]:
    """Return the failed outcomes of the given ranks (none given: of all), in the order of the input."""
    return tuple(it for it in outcomes if it.status is Status.FAIL and (not ranks or rank(it.severity) in ranks))


def not_checked(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes that say neither yes nor no: data was missing, or the rule broke."""
    return tuple(it for it in outcomes if it.status in (Status.UNKNOWN, Status.ERROR))
