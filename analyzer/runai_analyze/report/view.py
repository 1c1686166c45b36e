"""What the page shows of a Report: findings as blocks with evidence rows, the matrix as bands, lists cut to the page's length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model import ChecklistLine, Fact, Finding, Missing, Outcome, ReleaseFit, Report, Severity, Status, Step, Table
from . import ranking
from .bands import Matrix, matrix
from .checklist import questions
from .first import headline
from .gpus import GpuView, gpu_view
from .grid import Grid, grid
from .lead import lead, matrix_words
from .making import Share, account, by_status, step_counts, troubled_first
from .page_one import component_words
from .request import all_questions
from .room import fitting
from .site import SiteView, accepted_blockers, site_view
from .text import brief, count, count_words, cut, sentence, slug, version_range
from .unseen import Unseen, could_not_see

ANSWER_WORDS = {
    "pass": "Met",
    "fail": "Not met",
    "unknown": "Unknown",
    "ask": "Ask",
    "accepted": "Accepted",
    "not_applicable": "Not in use",
}
TABLE_NOUNS = {
    "nodes": ("node", "nodes"),
    "namespaces": ("namespace", "namespaces"),
    "workloads": ("workload", "workloads"),
    "images": ("image", "images"),
    "crds": ("kind of custom resources", "kinds of custom resources"),
    "storage_classes": ("storage class", "storage classes"),
    "ingress_classes": ("ingress class", "ingress classes"),
    "certificates": ("certificate", "certificates"),
    "configmaps": ("ConfigMap", "ConfigMaps"),
    "secrets": ("Secret", "Secrets"),
    "helm": ("Helm release", "Helm releases"),
}
HTML_ONLY = ("images", "crds", "configmaps", "secrets")  # tables that the paper only counts
RANK_WORDS = {"blocker": "Blocker", "risk": "Risk", "note": "Note"}


@dataclass(frozen=True)
class Limits:
    """How many rows each kind of list may show; what is left out is counted."""

    evidence: int
    gpus: int
    table: int
    steps: int
    releases: int
    unseen: int  # on page one
    message: int  # characters of one text on page one


SCREEN = Limits(evidence=400, gpus=1000, table=1000, steps=1000, releases=60, unseen=8, message=400)
PAPER = Limits(evidence=20, gpus=40, table=30, steps=0, releases=12, unseen=3, message=150)


VERDICT, LEAD = 220, 240  # characters on page one of the paper
HEADS = 20  # more findings of one rule than this stand as rows only, where one row says it all


@dataclass(frozen=True)
class Row:
    """One line of evidence. ``head`` opens a new finding of the same rule and says what it is."""

    head: str
    subject: str
    path: str
    found: str
    wanted: str
    because: str
    where: str
    fingerprint: str = ""  # on the first row of each finding, where there are several


@dataclass(frozen=True)
class FindingView:
    """One failed rule: all its findings as one block."""

    anchor: str
    outcome: Outcome
    rank: ranking.Rank
    title: str
    fingerprint: str
    rows: tuple[Row, ...]
    more: int
    fixes: tuple[str, ...]
    kb: tuple[str, ...]
    behind: tuple[Outcome, ...]
    show: tuple[tuple[str, str], ...]
    docs: tuple[
        tuple[str, str, str, str], ...
    ]  # title, extract, source; the anchor of the finding that prints the extract, if earlier


@dataclass(frozen=True)
class First:
    """One of the findings to mend first, as page one says it."""

    anchor: str
    title: str
    text: str
    rank: ranking.Rank
    behind: tuple[Outcome, ...]


@dataclass(frozen=True)
class View:
    """Everything that the templates ask for beside the Report itself."""

    report: Report
    paper: bool
    limits: Limits
    title: str
    lead: str
    tally: Mapping[str, int]
    first: tuple[First, ...]
    facts: tuple[tuple[Fact, str], ...]
    wanted: Mapping[str, str]
    findings: tuple[FindingView, ...]
    unseen: tuple[Outcome, ...]
    could_not_see: tuple[Unseen, ...]
    asked: int  # questions in the message to the customer
    questions: tuple[ChecklistLine, ...]
    answers: Mapping[str, int]
    matrix: Matrix | None
    grid: Grid
    gpus: GpuView | None
    tables: tuple[tuple[Table, int], ...]
    matrix_words: str
    anchors: Mapping[str, str]
    linked: frozenset[str]
    account: tuple[Share, ...]
    by_status: tuple[tuple[str, tuple[Outcome, ...]], ...]
    step_counts: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    site: SiteView


def build_view(report: Report, paper: bool) -> View:
    """Return the view of a report for the screen or for paper."""
    limits = PAPER if paper else SCREEN
    anchors = _anchors(report.outcomes)
    behind = ranking.folded(report.outcomes)
    printed: dict[tuple[str, str, str], str] = {}
    findings = tuple(_finding(outcome, anchors, behind, limits, printed) for outcome in ranking.failed(report.outcomes))
    answers = {word: sum(line.answer == word for line in report.checklist) for word in ANSWER_WORDS}
    tally = _tally(report.outcomes)
    unseen = ranking.not_checked(report.outcomes)
    wanted = _wanted(report.releases)
    return View(
        report=report,
        paper=paper,
        limits=limits,
        title=_title(report, tally),
        lead=lead(report),
        tally=tally,
        first=_firsts(report, findings, limits, paper),
        facts=tuple((fact, _mark(fact, wanted)) for fact in _said_once(report.facts)),
        wanted=wanted,
        findings=findings,
        unseen=unseen,
        could_not_see=could_not_see(unseen, anchors, report.checklist),
        asked=len(all_questions(report.outcomes, report.checklist)),
        questions=questions(report.checklist),
        answers=answers,
        matrix=matrix(report.releases),
        grid=grid(report.releases, limits.releases),
        gpus=gpu_view(report.gpus, limits.gpus),
        tables=tuple(_table(table, limits.table, paper) for table in report.inventory),
        matrix_words=matrix_words(report.releases),
        anchors=anchors,
        linked=frozenset([it.anchor for it in findings] + [anchors[it.rule.id] for it in unseen[: limits.table]]),
        account=account(report.outcomes),
        by_status=by_status(report.outcomes),
        step_counts=step_counts(report.bundle.steps),
        steps=troubled_first(report.bundle.steps)[: limits.steps],
        site=site_view(report),
    )


def _anchors(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return an anchor for each rule; ids that differ only in signs still get different ones."""
    taken: dict[str, str] = {}
    for outcome in outcomes:
        name = f"rule-{slug(outcome.rule.id)}"
        while name in taken.values():
            name += "-x"
        taken[outcome.rule.id] = name
    return taken


def _tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {
        "blocker": len(ranking.failed(outcomes, "blocker")),
        "risk": len(ranking.failed(outcomes, "risk")),
        "high": sum(it.severity is Severity.HIGH for it in ranking.failed(outcomes, "risk")),
        "note": len(ranking.failed(outcomes, "note")),
        "unknown": len(ranking.not_checked(outcomes)),
        "pass": sum(outcome.status is Status.PASS for outcome in outcomes),
        "accepted": sum(len(outcome.accepted) for outcome in outcomes),
        "accepted_blocker": len(accepted_blockers(outcomes)),
    }


def _title(report: Report, tally: Mapping[str, int]) -> str:
    parts = [count(tally["blocker"], "blocker"), count(tally["risk"], "risk"), f"{tally['unknown']:,} not checked"]
    return f"{report.cluster_name}: {', '.join(parts)}"


def _finding(
    outcome: Outcome,
    anchors: Mapping[str, str],
    behind: Mapping[str, tuple[Outcome, ...]],
    limits: Limits,
    printed: dict[tuple[str, str, str], str],
) -> FindingView:
    rows = _rows(outcome.findings)
    single = outcome.findings[0] if len(outcome.findings) == 1 else None
    rule = outcome.rule  # a case of it may have a fix and knowledge base numbers of its own; the other findings have the rule's
    fixes = tuple(dict.fromkeys(finding.fix or rule.fix for finding in outcome.findings)) or (rule.fix,)
    numbers = tuple(dict.fromkeys(kb for finding in outcome.findings for kb in finding.kb or rule.kb)) or rule.kb
    return FindingView(
        anchor=anchors[outcome.rule.id],
        outcome=outcome,
        rank=ranking.rank(outcome.severity),
        title=brief(headline(outcome), 400),
        fingerprint=single.fingerprint if single else "",
        rows=rows[: limits.evidence],
        more=max(0, len(rows) - limits.evidence),
        fixes=tuple(cut(fix, 1000) for fix in fixes[:6] if fix),
        kb=numbers,
        behind=behind.get(outcome.rule.id, ()),
        show=single.show if single else (),
        docs=tuple((*doc, _printed_at(doc, anchors[outcome.rule.id], printed)) for doc in outcome.rule.docs),
    )


def _printed_at(doc: tuple[str, str, str], here: str, printed: dict[tuple[str, str, str], str]) -> str:
    """Return where an extract was printed already; empty where it is printed now. A page is long enough without repeats."""
    first = printed.setdefault(doc, here)
    return "" if first == here else first


def _rows(findings: Sequence[Finding]) -> tuple[Row, ...]:
    rows = []
    for finding in sorted(findings, key=lambda it: -it.severity):
        head = _head(finding) if len(findings) > 1 and (len(findings) <= HEADS or len(finding.evidence) != 1) else ""
        fingerprint = finding.fingerprint if len(findings) > 1 else ""
        for evidence in finding.evidence:
            ref = evidence.subject
            rows.append(
                Row(
                    head,
                    cut(str(ref), 160),
                    cut(evidence.path, 160),
                    cut(evidence.found),
                    cut(evidence.wanted),
                    cut(evidence.because),
                    cut(ref.place, 160),
                    fingerprint,
                )
            )
            head = fingerprint = ""
        if head:
            ref = finding.subject
            rows.append(Row(head, cut(str(ref), 160), "", "", "", "", cut(ref.place, 160), fingerprint))
    return tuple(rows)


def _head(finding: Finding) -> str:
    shown = "; ".join(f"{title}: {value}" for title, value in finding.show)
    return brief(f"{finding.message} ({shown})" if shown else finding.message, 400)


def _firsts(report: Report, findings: Sequence[FindingView], limits: Limits, paper: bool) -> tuple[First, ...]:
    shown = tuple(_first(finding, findings, limits) for finding in report.first)
    if not paper:
        return shown
    sizes = [(it.title, it.text, bool(it.behind)) for it in shown]
    return shown[: fitting(sizes, brief(report.verdict, VERDICT), brief(lead(report), LEAD), min(len(report.notes), 2))]


def _first(finding: Finding, findings: Sequence[FindingView], limits: Limits) -> First:
    view = next(it for it in findings if it.outcome.rule.id == finding.rule)
    text = view.outcome.rule.impact or (view.fixes[0] if view.fixes else "")
    return First(view.anchor, brief(view.title, limits.message), brief(text, limits.message), view.rank, view.behind)


def _said_once(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts with a reason that several unknown ones share written out at the first of them only."""
    said: set[str] = set()
    shown = []
    for fact in facts:
        shown.append(fact if fact.value or fact.note not in said else Fact(fact.label, "", "for the same reason"))
        said |= {fact.note} if not fact.value else set()
    return tuple(shown)


def _mark(fact: Fact, wanted: Mapping[str, str]) -> str:
    """Return the mark beside a fact: unknown without a value, risk where the release at hand does not take it."""
    if not fact.value:
        return "unknown"
    return "risk" if fact.label in wanted else ""


def _wanted(releases: Sequence[ReleaseFit]) -> dict[str, str]:
    """Return what the release at hand wants of the components that it does not take as they are, by their label."""
    parts = [part for release in releases if release.current for part in release.parts]
    words = component_words(component for component, _, _, _ in parts)
    return {words[component]: version_range(wanted) for component, _, wanted, answer in parts if answer == "no"}


def _table(table: Table, rows: int, paper: bool) -> tuple[Table, int]:
    """Return a table cut to its rows, and how many are left out."""
    rows = 0 if paper and table.name in HTML_ONLY else rows
    shown = Table(table.name, table.title, table.columns, table.rows[:rows], table.total, table.note)
    return shown, table.total - len(shown.rows)


def is_harmless(risk: str) -> bool:
    """Return whether the words about a command's risk say that it only reads."""
    return risk.strip().lower().startswith(("read only", "read-only", "none"))


def option_words(value: str) -> str:
    """Return an option of the collector as people say it."""
    return {"True": "yes", "False": "no", "[]": "all", "None": "none"}.get(value, cut(value, 160))


def missing_words(missing: Missing) -> str:
    """Return what was missing and why, as one phrase."""
    return brief(f"{missing.what}: {missing.reason}" if missing.reason else missing.what, 400)


def behind_words(behind: Sequence[Outcome]) -> str:
    """Return how much hangs on a cause: ``two more checks wait for this``."""
    return sentence(f"{count_words(len(behind), 'more check')} {'waits' if len(behind) == 1 else 'wait'} for this")


def checklist_words(lines: Sequence[ChecklistLine]) -> str:
    """Return the checklist's answer in words: what everybody needs with every line counted, then what is optional."""
    needed, optional = ([line for line in lines if line.optional is kind] for kind in (False, True))
    said = [_counted(needed, "line that every cluster needs", "lines that every cluster needs")] if needed else []
    return " ".join([*said, *([_counted(optional, "optional line")] if optional else [])])


def _counted(lines: Sequence[ChecklistLine], noun: str, plural: str = "") -> str:
    words = {"fail": "not", "unknown": "unknown", "ask": "to be asked", "accepted": "accepted", "not_applicable": "not in use"}
    numbers = {answer: sum(line.answer == answer for line in lines) for answer in ("pass", *words)}
    verb = "is" if numbers["pass"] == 1 else "are"
    said = [f"{numbers['pass']:,} of {count(len(lines), noun, plural)} {verb} met"]
    said += [f"{numbers[it]:,} {'is' if numbers[it] == 1 else 'are'} {word}" for it, word in words.items() if numbers[it]]
    return f"{', '.join(said)}."


def table_words(table: Table) -> str:
    """Return how many rows a table has, with their noun."""
    return count(table.total, *TABLE_NOUNS.get(table.name, (table.title, table.title)))


def group_by(items: Sequence[Any], attribute: str) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the items in runs of the same attribute, in the order of first appearance."""
    groups: dict[str, list[Any]] = {}
    for item in items:
        groups.setdefault(getattr(item, attribute), []).append(item)
    return tuple((name, tuple(members)) for name, members in groups.items())
