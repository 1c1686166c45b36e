"""The one pass: every object goes by once, and every rule of its kind looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from graphlib import TopologicalSorter

from runai_analyze.engine.environment import Environment
from runai_analyze.engine.lanes import Lanes
from runai_analyze.engine.missing import MOST_MISSING
from runai_analyze.engine.run import RuleRun
from runai_analyze.engine.scope import NEEDED_KINDS, Presence
from runai_analyze.model import Facts, Missing, Outcome, RuleInfo, Status
from runai_analyze.ruleset.packs import kinds_of
from runai_analyze.ruleset.rule import Pack, Rule


def evaluate(pack: Pack, facts: Facts) -> tuple[Outcome, ...]:
    """Return one outcome a rule, in the order of the rule ids. A rule that breaks is an outcome too and stops no other."""
    environment = Environment(facts.cluster, pack.tables, facts.bundle_time)
    presence = Presence(facts)
    runs = {rule.id: RuleRun(rule, rule_info(rule, pack), environment) for rule in pack.rules}
    lanes = Lanes(runs.values(), environment, dict.fromkeys(NEEDED_KINDS, presence.note))
    looks = {}
    for item in facts.items(kinds_of(pack.rules)):
        what = item.kind, item.group
        if what not in looks:
            looks[what] = lanes.of(*what)
        for look in looks[what]:
            look(item)
    lanes.close()
    outcomes: dict[str, Outcome] = {}
    for name in _prerequisites_first(pack.rules):
        outcomes[name] = _after_prerequisites(runs[name], runs[name].outcome(facts, presence), outcomes)
    return tuple(outcomes[name] for name in sorted(outcomes))


def rule_info(rule: Rule, pack: Pack) -> RuleInfo:
    """Return what the report says about a rule."""
    docs = tuple((doc.title, doc.text, doc.source) for doc in (pack.docs[name] for name in rule.docs if name in pack.docs))
    return RuleInfo(
        id=rule.id,
        title=rule.title,
        severity=rule.severity,
        area=rule.area,
        status=rule.status,
        checklist=rule.checklist,
        impact=rule.impact,
        fix=rule.fix,
        commands=rule.commands,
        docs=docs,
        kb=rule.kb,
        internal_note=rule.internal_note,
        pack=rule.pack,
    )


def _prerequisites_first(rules: tuple[Rule, ...]) -> list[str]:
    known = {rule.id for rule in rules}
    graph = {rule.id: [name for name in sorted(rule.only_if_passed) if name in known] for rule in rules}
    return list(TopologicalSorter(graph).static_order())


def _after_prerequisites(run: RuleRun, outcome: Outcome, outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return the outcome in the light of the rules before it: one that failed blocks, an unknown one makes unknown."""
    if outcome.status in (Status.NOT_APPLICABLE, Status.ERROR) and (run.error or run.applies.answer is False):
        return outcome
    before = [outcomes[name] for name in run.rule.only_if_passed if name in outcomes]
    for first in before:
        if first.status in (Status.FAIL, Status.BLOCKED):
            cause = first.blocked_by or first.rule.id
            message = f"Not judged: {first.rule.title} ({first.rule.id}) comes first."
            return replace(outcome, status=Status.BLOCKED, message=message, findings=(), missing=(), blocked_by=cause)
    for first in before:
        if first.status in (Status.UNKNOWN, Status.ERROR):
            reason = f"{first.rule.id} ({first.rule.title}) is {first.status.value}"
            missing = (Missing(f"the answer of {first.rule.id}", reason), *first.missing)[:MOST_MISSING]
            message = f"Unknown: {reason}, and this rule builds on it."
            return replace(outcome, status=Status.UNKNOWN, message=message, findings=(), missing=missing)
    return outcome
