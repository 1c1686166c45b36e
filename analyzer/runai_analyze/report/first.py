"""What to mend first: all blockers, then the worst of each area, so that one bad area does not hide the others."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Finding, Outcome
from .ranking import failed
from .text import brief, sentence

MOST = 5


def first_findings(ordered: Sequence[Outcome], limit: int = MOST) -> tuple[Finding, ...]:
    """Return the worst finding of each of the rules to mend first, in the order of the list of findings; notes are left out."""
    todo = [it for it in failed(ordered, "blocker", "risk") if it.findings]
    blockers = failed(todo, "blocker")
    areas: dict[str, Outcome] = {}
    for outcome in todo:
        areas.setdefault(outcome.rule.area, outcome)
    worst = max((it.severity for it in todo if it not in blockers), default=None)
    leading = [it for it in areas.values() if it.severity == worst and it not in blockers]
    rest = [it for it in todo if it not in blockers and it not in leading]
    chosen = [*blockers, *leading, *rest][:limit]
    return tuple(max(it.findings, key=lambda finding: finding.severity) for it in todo if it in chosen)


def to_do_first(first: Sequence[Finding], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return each of the findings to mend first in words for the customer: what is wrong, and the first lines of its fix."""
    by_id = {outcome.rule.id: outcome for outcome in outcomes}
    return tuple(_words(finding, by_id[finding.rule]) for finding in first)


def headline(outcome: Outcome) -> str:
    """Return what a failed rule says over all its findings."""
    if len(outcome.findings) == 1:
        return outcome.findings[0].message or outcome.message or outcome.rule.title
    return outcome.message or outcome.rule.title


def _words(finding: Finding, outcome: Outcome) -> str:
    fix = (finding.fix or outcome.rule.fix).strip().split("\n\n")[0]
    said = brief(headline(outcome), 220).rstrip(".")
    return f"{said}. {sentence(brief(fix, 270))}".replace("`", "") if fix else f"{said}.".replace("`", "")
