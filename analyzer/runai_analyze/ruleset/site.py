"""site.yaml: what a pack changes in rules of earlier packs. Whether a rule is on, its severity and its params; never its logic.

It is a file of its own, so that a pack without one is seen to change nothing, and pack.yaml can be read by any version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runai_analyze.model import SiteChange
from runai_analyze.ruleset.blocks import is_null, is_true, items_of, read_block, text_of, texts_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.format import BLOCKS
from runai_analyze.ruleset.mistakes import Mistake, did_you_mean, listing
from runai_analyze.ruleset.nodes import Fields, Items, Node, Source
from runai_analyze.ruleset.rule import Rule, Text

SITE_FILE = "site.yaml"
_MAY_CHANGE = tuple(key.name for key in BLOCKS["change"])
_LOGIC = frozenset(key.name for key in BLOCKS["rule"]) - frozenset(_MAY_CHANGE)

Overrides = Mapping[tuple[str, ...], Node]  # ("severity",) or ("params", NAME) → what stands in its place


@dataclass
class Built:
    """A rule while packs are read: its draft, the number of its pack, and how it is built anew with other values."""

    draft: Draft
    pack: int
    rebuild: Callable[[Overrides], Draft]
    overrides: dict[tuple[str, ...], Node] = field(default_factory=dict)
    off: SiteChange | None = None  # the change that switched it off


@dataclass(frozen=True)
class Change:
    """An entry of site.yaml that is right by itself."""

    source: Source
    node: Node
    pack: int
    label: str
    rule: Node
    enabled: bool | None  # None: it does not say
    values: Overrides
    reason: str


def read_site(source: Source, root: Node | None, pack: int, label: str) -> tuple[Change, ...]:
    """Return the changes of a site.yaml that are right; what is wrong with the others stands in the source."""
    if root is None:
        return ()
    changes: list[Change] = []
    seen: dict[str, int] = {}
    for node in items_of(read_block(source, root, "site").get("changes")):
        change = _change(source, node, pack, label)
        if change is None:
            continue
        name = text_of(change.rule)
        if name in seen:
            said = f"{name} is changed in line {seen[name]} already: write one entry a rule"
            source.mistake(change.rule, "duplicate-entry", said)
        seen.setdefault(name, node.line)
        changes.append(change)
    return tuple(changes)


def _change(source: Source, node: Node, pack: int, label: str) -> Change | None:
    before = len(source.mistakes)
    values = read_block(source, _without_logic(source, node), "change")
    if len(source.mistakes) > before:
        return None
    params = values.get("params")
    fields = params.fields if isinstance(params, Fields) else {}
    overrides: dict[tuple[str, ...], Node] = {("params", name): value for name, value in fields.items()}
    for name, value in fields.items():
        if isinstance(value, Fields) or is_null(value):
            source.mistake(value, "wrong-type", f"param {name} must be text or a list of texts")
    if "severity" in values:
        overrides["severity",] = values["severity"]
    enabled = is_true(values["enabled"]) if "enabled" in values else None
    if not overrides and enabled is None:
        source.mistake(node, "useless", "this changes nothing: it needs enabled, severity or params")
    if len(source.mistakes) > before:
        return None
    return Change(source, node, pack, label, values["rule"], enabled, overrides, text_of(values["reason"]).strip())


def _without_logic(source: Source, node: Node) -> Node:
    """Return an entry without the keys of a rule that no site may change; each of them is a mistake with the way out."""
    if not isinstance(node, Fields):
        return node
    name = text_of(node.fields.get("rule")) or "the rule"
    for word, key in node.keys.items():
        if word in _LOGIC:
            said = f"a site changes enabled, severity and params of a rule, never {word}"
            source.mistake(key, "logic", f"{said}: write a rule with an id of its own that says replaces: {name}")
    kept = {word: value for word, value in node.fields.items() if word not in _LOGIC}
    return Fields(kept, {word: node.keys[word] for word in kept}, node.line, node.column)


# --- applied, when all packs are read ---------------------------------------------------------------------------------------


def apply_changes(changes: Sequence[Change], rules: Mapping[str, Built]) -> tuple[list[SiteChange], list[tuple[int, Mistake]]]:
    """Make the changes, in their order; return what was changed, and what could not be: with the number of the pack it stands in.

    Those concern rules and params that are no more; a value that a rule cannot take is a mistake in the source of the change.
    """
    made: list[SiteChange] = []
    gone: list[tuple[int, Mistake]] = []
    for change in changes:
        built = rules.get(text_of(change.rule))
        missing = _not_there(change, built, rules)
        gone += [(change.pack, mistake) for mistake in missing]
        if built is None or built.pack >= change.pack:
            if built is not None:
                said = f"{text_of(change.rule)} is a rule of this pack or of a later one: change the rule itself"
                change.source.mistake(change.rule, "own-rule", said)
            continue
        if built.draft.rule is not None:
            made += _made(change, built, built.draft.rule)
    return made, gone


def _not_there(change: Change, built: Built | None, rules: Mapping[str, Built]) -> Iterator[Mistake]:
    name = text_of(change.rule)
    if built is None:
        yield change.source.made(change.rule, "unknown-rule", f'"{name}" is no rule{did_you_mean(name, rules)}')
    elif built.draft.rule is not None:
        params = built.draft.rule.params
        for key, node in change.values.items():
            if key[0] == "params" and key[1] not in params:
                there = f"; it has {listing(params)}" if params else "; it has none"
                said = f'{name} has no param "{key[1]}"{did_you_mean(key[1], params) or there}'
                yield change.source.made(node, "unknown-param", said)


def _made(change: Change, built: Built, rule: Rule) -> Iterator[SiteChange]:
    for key, node in change.values.items():
        if key[0] == "severity":
            yield from _override(change, built, key, node, f"severity {rule.severity.word} → {text_of(node)}")
        elif key[1] in rule.params:
            old = rule.params[key[1]]
            if isinstance(node, Items) == isinstance(old, tuple):
                new: Text = texts_of(node) if isinstance(node, Items) else text_of(node)
                yield from _override(change, built, key, node, f"{key[1]}: {_said(old)} → {_said(new)}")
            else:
                form = "a list" if isinstance(old, tuple) else "one value"
                change.source.mistake(node, "wrong-type", f"{key[1]} of {rule.id} is {form}: {_said(old)}")
    if change.enabled is not None and change.enabled == (built.off is not None):
        switched = SiteChange(rule.id, rule.title, f"switched {'on' if change.enabled else 'off'}", change.label, change.reason)
        built.off = None if change.enabled else switched
        yield switched


def _override(change: Change, built: Built, key: tuple[str, ...], node: Node, what: str) -> Iterator[SiteChange]:
    draft = built.rebuild({**built.overrides, key: node})
    if draft.rule is None:
        said = draft.source.mistakes[0].message if draft.source.mistakes else "it no longer makes a rule"
        change.source.mistake(node, "bad-param", f"{built.draft.id} cannot take this: {said}")
        return
    built.draft, built.overrides[key] = draft, node
    yield SiteChange(draft.id, draft.rule.title, what, change.label, change.reason)


def _said(value: Text) -> str:
    return listing(value) if isinstance(value, tuple) else value
