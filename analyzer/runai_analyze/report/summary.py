"""The few lines that the terminal gets: the verdict, what to mend first, what could not be seen."""

from __future__ import annotations

from ..model import Report, Status
from .first import headline
from .ranking import RANKS, failed, not_checked
from .text import brief, count, cut
from .unseen import Unseen, could_not_see

_SHOWN = 3


def summary_lines(report: Report) -> list[str]:
    """Return the lines, without colour; whatever a bundle may have put into them is visible text."""
    lines = [f"Note: {brief(note, 400)}" for note in report.notes]
    lines += [brief(report.verdict, 600), _counts(report)]
    by_id = {outcome.rule.id: outcome for outcome in report.outcomes}
    for number, finding in enumerate(report.first[:_SHOWN], 1):
        outcome = by_id[finding.rule]
        lines.append(f"  {number}. {brief(headline(outcome), 160)} ({cut(outcome.rule.id, 60)}, {outcome.severity.word})")
    lines += _unseen(report)
    return lines


def _counts(report: Report) -> str:
    parts = [count(len(failed(report.outcomes, rank)), rank) for rank in RANKS]
    parts.append(f"{len(not_checked(report.outcomes)):,} not checked")
    parts.append(f"{report.counts.get(Status.PASS, 0):,} passed")
    accepted = sum(len(outcome.accepted) for outcome in report.outcomes)
    parts += [f"{accepted:,} accepted"] if accepted else []
    return f"{report.cluster_name}: {', '.join(parts)}"


def _unseen(report: Report) -> list[str]:
    unseen = not_checked(report.outcomes)
    found = could_not_see(unseen, {it.rule.id: "" for it in unseen}, report.checklist)
    lines = [f"  ? Not seen: {brief(it.what, 90)}: {it.why} ({_rules(it)})" for it in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"  ? and {count(len(found) - _SHOWN, 'more thing')} that could not be seen")
    if report.request.commands:
        lines.append(f"The report holds a message that asks the customer for what is missing ({_commands(report)}).")
    return lines


def _rules(it: Unseen) -> str:
    return brief(it.rule, 60) if it.rules == 1 else count(it.rules, "check")


def _commands(report: Report) -> str:
    return f"{count(len(report.request.commands), 'command')}, read-only"
