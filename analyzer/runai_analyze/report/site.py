"""What the site itself decided, in words: accepted findings, entries that ran out or are on nothing, old tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ..model import AcceptanceUse, Accepted, Outcome, PackInfo, Report, RuleTable, Severity, SiteChange, Status
from .ranking import folded
from .text import brief, count, count_words, cut, first_of, listing, sentence

_LOWERED = "severity critical →"
OLD_DAYS = 183  # half a year: the vendor has put out at least one release since, which the table cannot know


@dataclass(frozen=True)
class AcceptedRow:
    """A finding that the site lives with, the outcome that it is of, and what was not judged because of it."""

    outcome: Outcome
    accepted: Accepted
    behind: tuple[Outcome, ...]


@dataclass(frozen=True)
class TableRow:
    """A table of the rules; ``older`` says in words how much older than the bundle it is, empty where it is not."""

    table: RuleTable
    older: str


@dataclass(frozen=True)
class SiteView:
    """What the templates show of all that. ``spent``: the entries that do not count any more, or are on nothing."""

    accepted: tuple[AcceptedRow, ...]
    spent: tuple[AcceptanceUse, ...]
    tables: tuple[TableRow, ...]

    @property
    def there(self) -> bool:
        """Whether there is anything to say of acceptances."""
        return bool(self.accepted or self.spent)


def site_view(report: Report) -> SiteView:
    """Return what the site decided, worst findings first."""
    behind = folded(report.outcomes)
    rows = [AcceptedRow(it, one, _behind(it, behind)) for it in report.outcomes for one in it.accepted]
    rows.sort(key=lambda row: (-row.accepted.finding.severity, row.outcome.rule.id, str(row.accepted.finding.subject)))
    spent = tuple(it for it in report.acceptances if it.state != "counts")
    tables = tuple(TableRow(table, older_words(table, report.bundle.captured)) for table in report.tables)
    return SiteView(tuple(rows), spent, tables)


def _behind(outcome: Outcome, behind: Mapping[str, tuple[Outcome, ...]]) -> tuple[Outcome, ...]:
    """Return what waits for a rule of which every finding is accepted; what waits for one that still fails stands there."""
    return behind.get(outcome.rule.id, ()) if outcome.status is Status.ACCEPTED else ()


def accepted_blockers(outcomes: Iterable[Outcome]) -> tuple[Accepted, ...]:
    """Return the findings that would stop Run:ai and that the site accepts all the same."""
    return tuple(it for outcome in outcomes for it in outcome.accepted if it.finding.severity is Severity.CRITICAL)


def older_words(table: RuleTable, captured: datetime | None) -> str:
    """Return how much older than the bundle a table is, in words; empty where it is not, or a date is lacking."""
    days = _days_older(table, captured)
    return f"{count(days, 'day')} older than the bundle" if days > 0 else ""


def _days_older(table: RuleTable, captured: datetime | None) -> int:
    try:
        return (captured.date() - date.fromisoformat(table.updated)).days if captured else 0
    except ValueError:
        return 0


def site_notes(
    outcomes: Sequence[Outcome],
    packs: Iterable[PackInfo],
    changes: Iterable[SiteChange],
    tables: Iterable[RuleTable],
    acceptances: Sequence[AcceptanceUse],
    captured: datetime | None,
) -> tuple[str, ...]:
    """Return what the reader must know at the top: what is accepted though it stops Run:ai, what ran out, what was not run."""
    said = []
    blockers = accepted_blockers(outcomes)
    if blockers:
        first = min(blockers, key=lambda it: (it.entry.until, it.finding.fingerprint))
        what = sentence(count_words(len(blockers), "blocker"))
        verb = "is" if len(blockers) == 1 else "are"
        said.append(f"{what} {verb} accepted and not counted: {cut(first.finding.message, 160)} (until {first.entry.until}).")
    lapsed = [it for it in acceptances if it.findings and it.state not in ("counts", "unused")]
    if lapsed:
        what = count_words(len(lapsed), "acceptance does", "acceptances do")
        said.append(f"{sentence(what)} not count any more: {cut(lapsed[0].entry.on, 80)} {lapsed[0].words}.")
    said += _milder(outcomes, changes)
    said += [f"Pack {pack}: {brief(pack.note, 300)}{'' if pack.note.endswith('?') else '.'}" for pack in packs if pack.note]
    old = [table for table in tables if _days_older(table, captured) > OLD_DAYS]
    if old:
        names = first_of([f"{table.name} (of {table.updated})" for table in old], 3)
        tables_are = "A table of the rules is" if len(old) == 1 else "Tables of the rules are"
        said.append(f"{tables_are} more than half a year older than the bundle, and may not know newer releases: {names}.")
    return tuple(said)


def _milder(outcomes: Iterable[Outcome], changes: Iterable[SiteChange]) -> list[str]:
    """Return that the site switched off, or calls less than critical, what could have shown a blocker."""
    critical = {it.rule.id for it in outcomes if it.rule.severity is Severity.CRITICAL and it.status is Status.NOT_APPLICABLE}
    found = [it for it in changes if (it.what == "switched off" and it.rule in critical) or it.what.startswith(_LOWERED)]
    rules = sorted({it.rule for it in found})
    if not rules:
        return []
    what = count_words(len(rules), "check that could show a blocker is", "checks that could show a blocker are")
    packs = listing(sorted({it.pack for it in found}))
    return [f"{sentence(what)} switched off or milder here, by {packs}: {cut(first_of(rules, 3), 160)}."]
