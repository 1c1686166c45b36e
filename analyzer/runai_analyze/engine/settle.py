"""The outcomes as a site sees them: what it accepts is set apart, and rules that were loaded and not run are listed beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from runai_analyze.engine.evaluate import rule_info
from runai_analyze.engine.selection import matcher
from runai_analyze.engine.values import cut
from runai_analyze.model import Acceptance, AcceptanceUse, Accepted, Finding, Missing, ObjectRef, Outcome, RuleInfo, Status
from runai_analyze.ruleset.rule import NotRun, Pack
from runai_analyze.ruleset.suppressions import LONGEST_DAYS

State = str  # of an entry on its own, before it is known what it is on; see ``AcceptanceUse``
_COUNTS = "counts"


def settle(
    outcomes: Sequence[Outcome], pack: Pack, captured: datetime | None
) -> tuple[tuple[Outcome, ...], tuple[AcceptanceUse, ...]]:
    """Return all outcomes in the order of the rule ids, and what became of each entry of suppressions.yaml.

    An entry counts through the last second (UTC) of its last day, held against ``captured``, the capture time of the bundle.
    """
    states = {entry: _state(entry, captured) for entry in pack.acceptances}
    settled = [_settled(outcome, states) for outcome in outcomes]
    settled += [_not_run(it, pack) for it in pack.not_run]
    settled.sort(key=lambda outcome: outcome.rule.id)
    uses = tuple(_use(entry, state, settled, captured) for entry, state in states.items())
    return tuple(settled), uses


def _not_run(it: NotRun, pack: Pack) -> Outcome:
    info = it.rule if isinstance(it.rule, RuleInfo) else rule_info(it.rule, pack)
    return Outcome(info, it.status, it.message, missing=it.missing)


def _state(entry: Acceptance, captured: datetime | None) -> State:
    if captured is None:
        return "undated"
    until = date.fromisoformat(entry.until)
    if captured.date() > until:
        return "expired"
    too_long = not entry.since and (until - captured.date()).days > LONGEST_DAYS
    return "too long" if too_long else _COUNTS


# --- one outcome ------------------------------------------------------------------------------------------------------------


def _settled(outcome: Outcome, states: Mapping[Acceptance, State]) -> Outcome:
    if not outcome.findings or not states:
        return outcome
    of_rule = [it for it in states if it.rule in ("", outcome.rule.id)]
    accepted, lapsed, rest = [], [], []
    for finding in outcome.findings:
        entries = sorted((it for it in of_rule if _is_on(it, finding)), key=lambda it: (states[it] != _COUNTS, it.place))
        if entries and states[entries[0]] == _COUNTS:
            accepted.append(Accepted(finding, entries[0]))
            continue
        rest.append(finding)
        lapsed += [Accepted(finding, entry) for entry in entries[:1]]
    with_all = replace(outcome, accepted=tuple(accepted), lapsed=tuple(lapsed))
    return _without(with_all, tuple(rest)) if accepted else with_all


def _is_on(entry: Acceptance, finding: Finding) -> bool:
    if entry.rule and entry.rule != finding.rule:
        return False
    if entry.fingerprint:
        return entry.fingerprint == finding.fingerprint
    subject: ObjectRef = finding.subject
    return (
        entry.kind in ("", subject.kind)
        and (not entry.namespace or bool(matcher((entry.namespace,))(subject.namespace)))
        and (not entry.name or bool(matcher((entry.name,))(subject.name)))
    )


def _without(outcome: Outcome, rest: tuple[Finding, ...]) -> Outcome:
    """Return an outcome of which some findings are accepted: it fails with the rest; without one it is accepted, or unknown."""
    said = _accepted_words(outcome.accepted)
    if rest:
        more = len(rest) - 1 + outcome.more
        note = f" (and {more:,} more)" if more else ""
        return replace(outcome, findings=rest, message=f"{rest[0].message}{note}. {said}")
    gaps = outcome.missing
    if outcome.more:
        what = f"{outcome.more:,} more findings of {outcome.rule.id}"
        gaps = (Missing(what, "only the first of them are listed, and all that are listed are accepted"), *gaps)
    if gaps:
        message = f"{said} Unknown for the rest: {gaps[0].what}: {gaps[0].reason}."
        return replace(outcome, status=Status.UNKNOWN, findings=(), missing=gaps, message=message)
    return replace(outcome, status=Status.ACCEPTED, findings=(), message=said)


def _accepted_words(accepted: Sequence[Accepted]) -> str:
    """Return what is accepted, until when, by whom and why; the entry that ends first stands for all."""
    first = min((it.entry for it in accepted), key=lambda entry: (entry.until, entry.place))
    others = len({it.entry for it in accepted}) - 1
    what = "Accepted" if len(accepted) == 1 else f"{len(accepted):,} findings accepted"
    more = f" (and {others:,} more {'reason' if others == 1 else 'reasons'})" if others else ""
    return f"{what} until {first.until} by {cut(first.by)}: {cut(first.reason.strip()).rstrip('.')}{more}."


# --- one entry --------------------------------------------------------------------------------------------------------------


def _use(entry: Acceptance, state: State, outcomes: Sequence[Outcome], captured: datetime | None) -> AcceptanceUse:
    open_still = sum(_is_on(entry, finding) for outcome in outcomes for finding in outcome.findings)
    accepted = sum(_is_on(entry, it.finding) for outcome in outcomes for it in outcome.accepted)
    if state == _COUNTS:
        if not accepted:
            return AcceptanceUse(entry, "unused", 0, _unused_words(entry, outcomes))
        return AcceptanceUse(entry, "counts", accepted, f"accepts {_many(accepted)}")
    if open_still:
        then = f"its {_many(open_still)} {'counts' if open_still == 1 else 'count'}"
    else:
        then = "another entry accepts what it is on" if accepted else "nothing that it is on was found"
    if state == "expired":
        return AcceptanceUse(entry, "expired", open_still, f"ran out on {entry.until}: {then}{' again' if open_still else ''}")
    if state == "undated":
        return AcceptanceUse(entry, "undated", open_still, f"the bundle does not say when it was taken: {then}")
    assert captured is not None
    year = f"is for more than a year after this bundle was taken ({captured.date()}) and does not say since when"
    return AcceptanceUse(entry, "too long", open_still, f"{year}: {then}")


def _unused_words(entry: Acceptance, outcomes: Sequence[Outcome]) -> str:
    """Return why an entry is on nothing: the customer may have mended it, or it could not be seen."""
    if not entry.rule:
        return "is on nothing that was found"
    outcome = next((it for it in outcomes if it.rule.id == entry.rule), None)
    if outcome is None:
        return f"is on nothing: no pack has the rule {entry.rule}"
    words = {
        Status.PASS: "passed: the entry can go",
        Status.NOT_APPLICABLE: "does not apply here",
        Status.UNKNOWN: "could not be judged: keep the entry",
        Status.BLOCKED: "waits for another rule: keep the entry",
        Status.ERROR: "broke: keep the entry",
    }
    return f"is on nothing that was found: {entry.rule} {words.get(outcome.status, 'has findings, on other objects')}"


def _many(findings: int) -> str:
    return f"{findings:,} finding{'' if findings == 1 else 's'}"
