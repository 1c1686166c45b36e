"""What changed between two versions of a pack: in its rules, and in what they answer on bundles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from runai_analyze.bundle import open_bundle
from runai_analyze.engine import evaluate, settle
from runai_analyze.errors import BundleError
from runai_analyze.facts import build_facts
from runai_analyze.model import Finding, Outcome, PackInfo
from runai_analyze.ruleset.needs import needs_of
from runai_analyze.ruleset.rule import Pack, Rule
from runai_analyze.ruleset.signatures import Finder

_NOT_COMPARED = ("file", "revision", "changed")


@dataclass(frozen=True)
class RuleChange:
    """A rule that differs between the versions, or a table. ``kind``: new, removed, replaced, changed or table.

    ``detail``: by which rule it is replaced, or which parts, or rows of the table, differ.
    """

    kind: str
    rule: str
    title: str
    detail: str = ""


@dataclass(frozen=True)
class FindingChange:
    """A finding that came (``+``), went (``-``) or reads otherwise (``~``): of it severity and message, before and after."""

    sign: str
    fingerprint: str
    subject: str
    severity: str
    message: str
    severity_before: str = ""
    message_before: str = ""


@dataclass(frozen=True)
class OutcomeChange:
    """What one rule answers otherwise on one bundle; ``before`` or ``after`` is empty where the rule is not in that version."""

    rule: str
    title: str
    before: str
    after: str
    message_before: str
    message_after: str
    findings: tuple[FindingChange, ...] = ()


@dataclass(frozen=True)
class BundleChange:
    """What changed on one bundle; ``error`` says why it could not be read."""

    bundle: str
    changes: tuple[OutcomeChange, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Backtest:
    """All that differs."""

    old: tuple[PackInfo, ...]
    new: tuple[PackInfo, ...]
    rules: tuple[RuleChange, ...]
    bundles: tuple[BundleChange, ...]

    @property
    def differs(self) -> bool:
        """Whether anything does."""
        return bool(self.rules) or any(bundle.changes for bundle in self.bundles)

    @property
    def unread(self) -> bool:
        """Whether a bundle could not be read."""
        return any(bundle.error for bundle in self.bundles)


def backtest(old: Pack, new: Pack, bundles: Iterable[Path]) -> Backtest:
    """Return what changed from ``old`` to ``new``, in the order of the bundles given; one that cannot be read is said so."""
    successors = successors_of(old, new)
    return Backtest(
        old.info,
        new.info,
        tuple(_rule_changes(old, new, successors)),
        tuple(_bundle_change(old, new, successors, bundle) for bundle in bundles),
    )


# --- Rules ------------------------------------------------------------------------------------------------------------------


def successors_of(old: Pack, new: Pack) -> Mapping[str, str]:
    """Return, for each rule of the old version that a rule of the new one replaces, the id of that one."""
    before, after = {rule.id for rule in old.rules}, {rule.id for rule in new.rules}
    return {name: rule.id for rule in new.rules for name in rule.replaces if name in before and name not in after}


def _rule_changes(old: Pack, new: Pack, successors: Mapping[str, str]) -> Iterator[RuleChange]:
    before, after = {rule.id: rule for rule in old.rules}, {rule.id: rule for rule in new.rules}
    for name in sorted(before.keys() | after.keys()):
        if name in successors:
            yield RuleChange("replaced", name, before[name].title, f"by {successors[name]}")
        elif name not in after:
            yield RuleChange("removed", name, before[name].title)
        elif name not in before:
            if name not in successors.values():
                yield RuleChange("new", name, after[name].title)
        elif parts := _different_parts(before[name], after[name]):
            yield RuleChange("changed", name, after[name].title, ", ".join(parts))
    yield from _table_changes(old, new)


def _table_changes(old: Pack, new: Pack) -> Iterator[RuleChange]:
    for name in sorted(old.tables.keys() | new.tables.keys()):
        before, after = old.tables.get(name), new.tables.get(name)
        old_rows, new_rows = before.rows if before else {}, after.rows if after else {}
        rows = [row for row in sorted(old_rows.keys() | new_rows.keys()) if old_rows.get(row) != new_rows.get(row)]
        if rows:
            yield RuleChange("table", name, f"rows {', '.join(rows)}")


def _different_parts(one: Rule, other: Rule) -> list[str]:
    names = [field.name for field in fields(Rule) if field.name not in _NOT_COMPARED]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


# --- Bundles ----------------------------------------------------------------------------------------------------------------


def _bundle_change(old: Pack, new: Pack, successors: Mapping[str, str], bundle: Path) -> BundleChange:
    try:
        before, after = _outcomes(old, bundle), _outcomes(new, bundle)
    except BundleError as error:
        return BundleChange(bundle.name, error=error.words)
    return BundleChange(bundle.name, tuple(_outcome_changes(before, after, successors)))


def _outcomes(pack: Pack, bundle: Path) -> dict[str, Outcome]:
    source = open_bundle(bundle)
    facts = build_facts(source, kinds=pack.kinds, needs=needs_of(pack.rules), signatures=Finder(pack.signatures))
    outcomes, _ = settle(evaluate(pack, facts), pack, facts.bundle_time)
    return {outcome.rule.id: outcome for outcome in outcomes}


def _outcome_changes(
    before: Mapping[str, Outcome], after: Mapping[str, Outcome], successors: Mapping[str, str]
) -> Iterator[OutcomeChange]:
    heirs = set(successors.values())
    for name in sorted(before.keys() | (after.keys() - heirs)):
        was, now = before.get(name), after.get(successors.get(name, name))
        change = _outcome_change(was, now)
        if change is not None:
            yield change


def _outcome_change(was: Outcome | None, now: Outcome | None) -> OutcomeChange | None:
    findings = tuple(_finding_changes(was.findings if was else (), now.findings if now else ()))
    same = was is not None and now is not None and (was.status, was.message) == (now.status, now.message)
    if same and not findings:
        return None
    last = now or was
    assert last is not None
    return OutcomeChange(
        f"{was.rule.id} → {now.rule.id}" if was and now and was.rule.id != now.rule.id else last.rule.id,
        last.rule.title,
        was.status.value if was else "",
        now.status.value if now else "",
        was.message if was else "",
        now.message if now else "",
        findings,
    )


def _finding_changes(before: Sequence[Finding], after: Sequence[Finding]) -> Iterator[FindingChange]:
    """Yield findings that came, went or changed; those of a rule and the one that replaces it go by their subject."""
    moved = {finding.rule for finding in before} != {finding.rule for finding in after} and bool(before) and bool(after)
    old = {_identity(finding, moved): finding for finding in before}
    new = {_identity(finding, moved): finding for finding in after}
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was is None and now is not None:
            yield FindingChange("+", now.fingerprint, str(now.subject), now.severity.word, now.message)
        elif now is None and was is not None:
            yield FindingChange("-", was.fingerprint, str(was.subject), was.severity.word, was.message)
        elif was and now and (was.severity, was.message) != (now.severity, now.message):
            texts = (now.severity.word, now.message, was.severity.word, was.message)
            yield FindingChange("~", now.fingerprint, str(now.subject), *texts)


def _identity(finding: Finding, moved: bool) -> str:
    return str(finding.subject) if moved else finding.fingerprint
