"""Which of the rules run. The others are never silently gone: each is listed with the reason in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from runai_analyze.model import Missing, RuleInfo, Severity, SiteChange, Status
from runai_analyze.ruleset.blocks import scalars_of, text_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.keys import SEVERITIES
from runai_analyze.ruleset.reading import PackReading, Reading
from runai_analyze.ruleset.rule import NotRun, Rule
from runai_analyze.ruleset.site import Built


def not_run(reading: Reading, strict: bool) -> tuple[tuple[Rule, ...], tuple[NotRun, ...], tuple[SiteChange, ...]]:
    """Return the rules that run, by id, those that do not, and the changes that are replaced rules.

    With ``strict`` those of another engine count as mistaken only.
    """
    labels = {built.draft.id: str(pack.head) for pack in reading.packs for built in pack.built}
    by_id = reading.by_id()
    others = {} if strict else {it.rule.id: it for pack in reading.packs for it in _of_other_engine(pack)}
    rules = {name: built.draft.rule for name, built in by_id.items() if built.draft.rule is not None and name not in others}
    replacing = _replacing(rules, by_id)
    others |= {name: _switched_off(by_id[name], rule) for name, rule in rules.items() if by_id[name].off is not None}
    changes = []
    for name, new in replacing.items():
        if name in rules and name not in others:
            said = f"replaced by {' and '.join(new)}"
            others[name] = NotRun(rules[name], Status.NOT_APPLICABLE, f"R{said[1:]} of {labels[new[0]]}.")
            changes.append(SiteChange(name, rules[name].title, said, labels[new[0]], rules[new[0]].title))
    running = {name: _following(rule, replacing) for name, rule in rules.items() if name not in others}
    _check_loops(running, by_id)
    for name, why in _built_on(running, others).items():
        others[name] = why
    run = tuple(running[name] for name in sorted(running) if name not in others)
    return run, tuple(others[name] for name in sorted(others)), tuple(changes)


def _of_other_engine(pack: PackReading) -> Iterator[NotRun]:
    for built in pack.built:
        if pack.unknown_here(built.draft):
            said = f"The rule has words that this version does not know: {built.draft.source.mistakes[0].message}"
            gap = Missing("Rules for another version of runai-analyze", f"{pack.head} needs runai-analyze {pack.head.engine}")
            yield NotRun(_info(built.draft, pack), Status.UNKNOWN, f"Unknown: {gap.reason}. {said}.", (gap,))


def _info(draft: Draft, pack: PackReading) -> RuleInfo:
    """Return of a rule what this version can read."""
    words = {name: text_of(draft.nodes.get(name)) for name in ("title", "area", "status", "severity", "checklist")}
    severity = Severity[words["severity"].upper()] if words["severity"] in SEVERITIES else Severity.CRITICAL
    title = words["title"] or draft.id
    return RuleInfo(draft.id, title, severity, words["area"], words["status"], words["checklist"], pack=pack.head.name)


def _switched_off(built: Built, rule: Rule) -> NotRun:
    assert built.off is not None
    return NotRun(rule, Status.NOT_APPLICABLE, f"Switched off by {built.off.pack}: {built.off.reason.rstrip('.')}.")


def _replacing(rules: Mapping[str, Rule], by_id: Mapping[str, Built]) -> dict[str, tuple[str, ...]]:
    """Return, for each id that is replaced, the ids of the rules in its place; a rule that is switched off replaces none."""
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(rules):
        if by_id[name].off is None:
            for old in rules[name].replaces:
                found[old] = (*found.get(old, ()), name)
    return found


def _following(rule: Rule, replacing: Mapping[str, Sequence[str]]) -> Rule:
    """Return a rule whose prerequisites are those that stand in the place of replaced ones."""
    before: dict[str, None] = {}
    waiting = list(rule.only_if_passed)
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if name in replacing:
            waiting += replacing[name]
        else:
            before[name] = None
    return rule if tuple(before) == rule.only_if_passed else replace(rule, only_if_passed=tuple(before))


def _check_loops(running: Mapping[str, Rule], by_id: Mapping[str, Built]) -> None:
    """Record where a rule that replaces another one comes to wait for itself."""
    for name, rule in running.items():
        waiting, seen = list(rule.only_if_passed), set[str]()
        while waiting:
            before = waiting.pop()
            if before not in seen and before in running:
                seen.add(before)
                waiting += running[before].only_if_passed
        draft = by_id[name].draft
        nodes = scalars_of(draft.nodes.get("replaces"))
        if name in seen and nodes and not any(mistake.code == "loop" for mistake in draft.source.mistakes):
            draft.source.mistake(nodes[0], "loop", f"what {nodes[0].text} was needed for leads back to {name}")


def _built_on(running: Mapping[str, Rule], others: Mapping[str, NotRun]) -> dict[str, NotRun]:
    """Return the rules that wait for one that only another version can judge: unknown, as their prerequisite is."""
    unknown = {name: it for name, it in others.items() if it.status is Status.UNKNOWN}
    found: dict[str, NotRun] = {}
    grown = True
    while grown:
        grown = False
        for name, rule in running.items():
            first = next((it for it in rule.only_if_passed if it in unknown or it in found), None)
            if first is not None and name not in found:
                cause = unknown.get(first) or found[first]
                said = f"Unknown: it builds on {first}, which could not be judged."
                found[name], grown = NotRun(rule, Status.UNKNOWN, said, cause.missing), True
    return found
