"""What is right and yet worth a look: rules not read for long, pages that no rule names, severities that never come out.

These are remarks: no rule is refused for them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath

from runai_analyze.model import Severity
from runai_analyze.ruleset.blocks import items_of, scalars_of, text_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.commands import only_looks
from runai_analyze.ruleset.fields import custom_kind_meant
from runai_analyze.ruleset.mistakes import Mistake, listing, suggested
from runai_analyze.ruleset.nodes import Fields, Node, Source
from runai_analyze.ruleset.parts import cells_of, flat
from runai_analyze.ruleset.reading import CHECKLIST, Reading
from runai_analyze.ruleset.rule import Rule, Table, TableCell, Test
from runai_analyze.ruleset.schemas import has_schema
from runai_analyze.ruleset.suppressions import review_entries
from runai_analyze.ruleset.vocabulary import kind_name

REVIEW_AFTER = 18  # months without a change after which somebody should read a rule again
_LONGEST_TITLE = 100
_WEAK = frozenset(("third_party", "derived", "uncertain"))
_NEGATIVE = ("not_equals", "not_one_of")
_MAY_LACK = ("metadata.labels", "metadata.annotations")
_LINK = re.compile(r"\]\(([^)#\s]+)")


def review(reading: Reading, today: date | None) -> Iterator[Mistake]:
    """Yield everything in the packs that is worth a look."""
    drafts = reading.drafts()
    sources = [source for pack in reading.packs for source in pack.sources]
    review_rules(drafts, {name: read.table for name, read in reading.tables.items()}, today)
    review_pages([(path.stem, it) for it in sources if (path := PurePosixPath(it.name)).parent.name == "docs"], drafts)
    review_entries([entry for pack in reading.packs for entry in pack.entries], today)
    review_tables([(name, read.source) for name, read in sorted(reading.tables.items())], drafts)
    lines = {line.id for section in reading.checklist for line in section.lines if not line.ask}
    for source in sources:
        if PurePosixPath(source.name).name == CHECKLIST:
            review_checklist(source, lines, drafts)
    for source in (*sources, *(draft.source for draft in drafts)):
        yield from source.remarks


def review_rules(drafts: Sequence[Draft], tables: Mapping[str, Table], today: date | None) -> None:
    """Record, in the source of each rule, what is worth a look. ``today``: the day that reviews are counted from; None: not."""
    ids = {draft.id for draft in drafts}
    replaced = {node.text for draft in drafts for node in scalars_of(draft.nodes.get("replaces"))}
    titles: dict[str, Draft] = {}
    unchecked: set[str] = set()
    for draft in drafts:
        rule = draft.rule
        if rule is None:
            continue
        _review_words(draft, rule, titles, today)
        _review_severity(draft, rule, tables)
        _review_where(draft, rule)
        _review_fix(draft, rule)
        if rule.status == "deprecated" and rule.id not in replaced:
            said = f"the rule is deprecated, and none says replaces: {rule.id}"
            draft.source.mistake(draft.nodes["status"], "no-replacement", said)
        for node in scalars_of(draft.nodes.get("replaces")):
            if node.text not in ids:
                said = f"there is no {node.text} here, which is right when it was taken out of its pack"
                draft.source.mistake(node, "unknown-replaced", said)
        kind = kind_name(rule.select.kind, rule.select.group)
        if "." in kind and kind not in unchecked and not has_schema(kind):
            unchecked.add(kind)
            hint = suggested(custom_kind_meant(kind))
            said = f"the fields of {kind} are not published: paths into it are not checked{hint}"
            draft.source.mistake(_kind_node(draft, rule), "unchecked-kind", said)


def review_pages(pages: Iterable[tuple[str, Source]], drafts: Sequence[Draft]) -> None:
    """Record which extracts no rule names, and links in them that lead nowhere. ``pages``: each by its name."""
    named = {node.text for draft in drafts for node in scalars_of(draft.nodes.get("docs"))}
    known = dict(pages)
    for name, source in known.items():
        if name not in named:
            source.mistake_at(1, 1, "unused-doc", f"no rule has docs: {name}, so nobody ever sees this page")
        for number, line in enumerate(source.lines, start=1):
            for match in _LINK.finditer(line):
                target = match[1].removeprefix("./").removesuffix(".md")
                if "://" not in match[1] and target not in known:
                    source.mistake_at(number, match.start(1) + 1, "dead-link", f"the pack has no page docs/{target}.md")


def review_tables(tables: Iterable[tuple[str, Source]], drafts: Sequence[Draft]) -> None:
    """Record which tables no rule asks. ``tables``: each by its name."""
    asked = {cell.table for draft in drafts if draft.rule for cell in cells_of(draft.rule)}
    broken = any(draft.rule is None for draft in drafts)
    for name, source in tables:
        if name not in asked and not broken:
            source.mistake_at(1, 1, "unused-table", f"no rule asks the table {name}")


def review_checklist(source: Source, lines: Collection[str], drafts: Sequence[Draft]) -> None:
    """Record which lines of the checklist no rule answers. ``lines``: the ids of those that are not asked of the customer."""
    answered = {node.text for draft in drafts for node in scalars_of(draft.nodes.get("checklist"))}
    for number, text in enumerate(source.lines, start=1):
        match = re.search(r"\bid: *([\w-]+)", text)
        if match and match[1] in lines and match[1] not in answered:
            said = f"no rule says checklist: {match[1]}, and nobody is asked: write the rule, or ask"
            source.mistake_at(number, match.start(1) + 1, "unanswered-line", said)


# --- One rule ---------------------------------------------------------------------------------------------------------------


def _review_words(draft: Draft, rule: Rule, titles: dict[str, Draft], today: date | None) -> None:
    title = draft.nodes["title"]
    if len(rule.title) > _LONGEST_TITLE:
        draft.source.mistake(title, "long-title", f"a headline of {len(rule.title)} characters; {_LONGEST_TITLE} fit")
    if rule.title.casefold() in titles:
        other = titles[rule.title.casefold()].id
        draft.source.mistake(title, "duplicate-title", f"{other} has this title too: say what is different")
    titles.setdefault(rule.title.casefold(), draft)
    months = _months_since(rule.changed, today)
    if months >= REVIEW_AFTER and rule.status != "deprecated":
        said = f"nobody has changed this rule for {months} months: read it again, and write today's day here"
        draft.source.mistake(draft.nodes["changed"], "stale", said)


def _months_since(day: str, today: date | None) -> int:
    if today is None:
        return 0
    try:
        changed = date.fromisoformat(day)
    except ValueError:
        return 0
    return (today.year - changed.year) * 12 + today.month - changed.month - (today.day < changed.day)


def _review_severity(draft: Draft, rule: Rule, tables: Mapping[str, Table]) -> None:
    wanted = [condition.test for condition in flat(rule.expect)] + ([rule.expect_count] if rule.expect_count else [])
    if rule.severity <= Severity.LOW or not wanted or not all(_is_weak(test, tables) for test in wanted):
        return
    names = sorted({f"{test.argument.table}.{test.argument.column}" for test in wanted if isinstance(test.argument, TableCell)})
    said = f"findings of this rule are low at most: every value of {listing(names)} is third-party, derived or uncertain"
    draft.source.mistake(draft.nodes["severity"], "capped-severity", said)


def _review_where(draft: Draft, rule: Rule) -> None:
    """Record negative tests on labels and annotations: where these are not set the test is not met, which surprises."""
    block = draft.nodes[rule.select.mode]
    conditions = items_of(block.fields.get("where")) if isinstance(block, Fields) else []
    while conditions:
        node = conditions.pop(0)
        if not isinstance(node, Fields):
            continue
        conditions += [*items_of(node.fields.get("any_of")), *items_of(node.fields.get("all_of"))]
        test = next((name for name in _NEGATIVE if name in node.fields), "")
        named = any(text_of(node.fields.get(key)) for key in ("label", "annotation"))
        if test and "when_absent" not in node.fields and (named or text_of(node.fields.get("field")).startswith(_MAY_LACK)):
            said = f"where it is not set, {test} is not met: write when_absent: pass (that counts as met) or when_absent: fail"
            draft.source.mistake(node.keys[test], "not-set", said)


def _review_fix(draft: Draft, rule: Rule) -> None:
    fix = draft.nodes.get("fix")
    commands = items_of(fix.fields.get("commands")) if isinstance(fix, Fields) else []
    last = rule.commands[-1] if commands and rule.commands else None
    if last and not last.risk.startswith("read only") and not only_looks(last.run):
        said = "the last command changes something: add one that only looks, so that the customer sees whether it helped"
        draft.source.mistake(commands[-1], "unchecked-fix", said)


def _is_weak(test: Test, tables: Mapping[str, Table]) -> bool:
    cell = test.argument
    if not isinstance(cell, TableCell) or cell.table not in tables:
        return False
    rows = tables[cell.table].rows
    row = rows.get(str(getattr(cell.row, "value", "")))
    cells = [found[cell.column] for found in ([row] if row else rows.values()) if cell.column in found]
    stated = {found.confidence for found in cells} - {"unknown"}
    return bool(stated) and stated <= _WEAK


def _kind_node(draft: Draft, rule: Rule) -> Node:
    block = draft.nodes[rule.select.mode]
    return block.fields["kind"] if isinstance(block, Fields) else block
