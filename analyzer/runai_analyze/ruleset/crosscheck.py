"""What can be checked only when all rules are read: ids used twice, references, and what a rule cannot mean."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from runai_analyze.ruleset.blocks import items_of, scalars_of, text_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.commands import command_problems
from runai_analyze.ruleset.format import RISKS
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.nodes import Fields, Scalar, shift_to
from runai_analyze.ruleset.proofs import check_proofs
from runai_analyze.ruleset.rule import Rule
from runai_analyze.ruleset.soundness import check_soundness

_KB = re.compile(r"(?:[A-Z][A-Z0-9]*-)?\d{1,9}|https://\S+")


def cross_check(drafts: Sequence[Draft], docs: Collection[str], lines: Collection[str]) -> None:
    """Record, in the source of each rule, what it refers to and does not exist, and what it says and cannot mean."""
    first: dict[str, Draft] = {}
    for draft in drafts:
        if draft.id in first and "id" in draft.nodes:
            draft.source.mistake(draft.nodes["id"], "duplicate-id", f"{draft.id} is the id of {first[draft.id].source.name} too")
        elif draft.id:
            first[draft.id] = draft
    replaced = _replaced(drafts)
    for draft in drafts:
        _check_references(draft, "only_if_passed", first, "unknown-rule", "rule")
        _check_references(draft, "docs", docs, "unknown-doc", "extract under docs/")
        _check_references(draft, "checklist", lines, "unknown-line", "line of checklist.yaml")
        _check_loop(draft, first, "only_if_passed")
        _check_loop(draft, first, "replaces")
        _check_words(draft)
        _check_commands(draft)
        if draft.rule is not None:
            _check_id(draft, draft.rule, replaced)
            check_soundness(draft.source, draft.rule, draft.nodes)
            check_proofs(draft.source, draft.rule, draft.nodes)


def _replaced(drafts: Sequence[Draft]) -> Mapping[tuple[str, str], str]:
    """Return which rule of a pack replaces which of the same pack."""
    return {
        (draft.rule.pack, node.text): draft.id
        for draft in drafts
        if draft.rule is not None
        for node in scalars_of(draft.nodes.get("replaces"))
    }


def _check_id(draft: Draft, rule: Rule, replaced: Mapping[tuple[str, str], str]) -> None:
    new = replaced.get((rule.pack, rule.id))
    if new and rule.status != "deprecated" and new != rule.id:
        said = f"{new} replaces {rule.id}, and an id is never used again: take a new one, or say status: deprecated"
        draft.source.mistake(draft.nodes["id"], "id-used-before", said)


def _check_references(draft: Draft, key: str, known: Collection[str], code: str, what: str) -> None:
    for node in scalars_of(draft.nodes.get(key)):
        if node.text not in known:
            draft.source.mistake(node, code, f'"{node.text}" is no {what}{did_you_mean(node.text, known)}')


def _check_words(draft: Draft) -> None:
    for node in scalars_of(draft.nodes.get("kb")):
        if not _KB.fullmatch(node.text):
            said = f'"{node.text}" is no number of the knowledge base: write 1234, KB-1234, or an https:// address'
            draft.source.mistake(node, "bad-kb", said)
    changed = draft.nodes.get("changed")
    if changed is not None and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text_of(changed)):
        try:
            date.fromisoformat(text_of(changed))
        except ValueError:
            draft.source.mistake(changed, "bad-time", f'changed is "{text_of(changed)}", and there is no such day')


def _check_commands(draft: Draft) -> None:
    fix = draft.nodes.get("fix")
    for command in items_of(fix.fields.get("commands")) if isinstance(fix, Fields) else []:
        run = command.fields.get("run") if isinstance(command, Fields) else None
        if isinstance(command, Fields) and isinstance(run, Scalar):
            risk = text_of(command.fields.get("risk"))
            for code, message, shift in command_problems(run.text, risk) if risk.startswith(RISKS) else ():
                draft.source.mistake(run, code, message, shift_to(run, shift))


def _check_loop(draft: Draft, by_id: Mapping[str, Draft], key: str) -> None:
    node = draft.nodes.get(key)
    if node is not None and draft.id and _reaches(draft.id, draft, by_id, key):
        draft.source.mistake(node, "loop", f"{key} leads back to {draft.id}")


def _reaches(target: str, start: Draft, by_id: Mapping[str, Draft], key: str) -> bool:
    seen: set[str] = set()
    waiting = [node.text for node in scalars_of(start.nodes.get(key))]
    while waiting:
        name = waiting.pop()
        if name == target:
            return True
        if name not in seen and name in by_id:
            seen.add(name)
            waiting += [node.text for node in scalars_of(by_id[name].nodes.get(key))]
    return False
