"""The order in which a reader meets the outcomes, and which of them fold behind a cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ..model import Finding, Outcome, Severity, Status

Rank = Literal["blocker", "risk", "note"]
RANKS: tuple[Rank, ...] = ("blocker", "risk", "note")

_ORDER = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.BLOCKED, Status.ACCEPTED, Status.PASS, Status.NOT_APPLICABLE)


def rank(severity: Severity) -> Rank:
    """Return what a severity means to a reader: a blocker stops Run:ai, a risk hurts or will hurt, a note can be left."""
    if severity is Severity.CRITICAL:
        return "blocker"
    return "risk" if severity >= Severity.MEDIUM else "note"


def worst_first(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes as the report lists them: failed before not checked before passed, then severity, area and id."""
    return tuple(sorted(outcomes, key=lambda it: (_ORDER.index(it.status), -it.severity, it.rule.area, it.rule.id)))


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


def first_findings(outcomes: Sequence[Outcome], optional: frozenset[str] = frozenset(), limit: int = 3) -> tuple[Finding, ...]:
    """Return the worst finding of each of the rules to mend first; notes are left out.

    Severity decides, then whether the rule's line of the checklist is needed by everybody (``optional``: ids of those that are
    not), then how much hangs on it.
    """
    behind = folded(outcomes)
    todo = sorted(
        failed(outcomes, "blocker", "risk"),
        key=lambda it: (-it.severity, it.rule.checklist in optional, -len(behind.get(it.rule.id, ())), it.rule.area, it.rule.id),
    )
    return tuple(max(it.findings, key=lambda finding: finding.severity) for it in todo if it.findings)[:limit]
