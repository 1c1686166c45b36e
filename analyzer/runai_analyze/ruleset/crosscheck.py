"""What can be checked only when all rules are read: ids used twice, and references to rules, docs and checklist lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from runai_analyze.ruleset.blocks import scalars_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.mistakes import did_you_mean


def cross_check(drafts: Sequence[Draft], docs: Collection[str], lines: Collection[str]) -> None:
    """Record, in the source of each rule, what it refers to and does not exist."""
    first: dict[str, Draft] = {}
    for draft in drafts:
        if draft.id in first and "id" in draft.nodes:
            draft.source.mistake(draft.nodes["id"], "duplicate-id", f"{draft.id} is the id of {first[draft.id].source.name} too")
        elif draft.id:
            first[draft.id] = draft
    for draft in drafts:
        _check_references(draft, "only_if_passed", first, "unknown-rule", "rule")
        _check_references(draft, "docs", docs, "unknown-doc", "extract under docs/")
        _check_references(draft, "checklist", lines, "unknown-line", "line of checklist.yaml")
        _check_loop(draft, first, "only_if_passed")
        _check_loop(draft, first, "replaces")


def _check_references(draft: Draft, key: str, known: Collection[str], code: str, what: str) -> None:
    for node in scalars_of(draft.nodes.get(key)):
        if node.text not in known:
            draft.source.mistake(node, code, f'"{node.text}" is no {what}{did_you_mean(node.text, known)}')


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
