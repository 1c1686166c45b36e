"""One rule file to a ``Rule``: every block read, every mistake recorded at its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from runai_analyze.model import Command, Severity
from runai_analyze.objects.paths import Path
from runai_analyze.ruleset.blocks import exactly_one, is_null, items_of, misspelt, read_block, text_of, texts_of
from runai_analyze.ruleset.conditions import Surroundings, check_range, read_conditions, read_path, read_test
from runai_analyze.ruleset.examples import NO_FIXTURES, Fixtures, read_examples
from runai_analyze.ruleset.format import BLOCKS, SELECTIONS, TEST_NAMES
from runai_analyze.ruleset.mistakes import did_you_mean, listing, suggested
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, Source
from runai_analyze.ruleset.rule import Case, Conditions, Example, Names, Rule, Scope, Selection, Table, Template, Test, Text
from runai_analyze.ruleset.templates import with_placeholders
from runai_analyze.ruleset.vocabulary import (
    CUSTOM_KINDS,
    DISTRIBUTIONS,
    FEATURES,
    GROUP_OF,
    MADE,
    MADE_FIELDS,
    SHORT_KINDS,
    kind_name,
)
from runai_analyze.ruleset.wording import Wording, read_command, read_show, read_template

_ID = re.compile(r"[A-Z][A-Z0-9]{1,9}-[A-Z][A-Z0-9]{1,9}-\d{3}", re.ASCII)


@dataclass(frozen=True)
class Draft:
    """A rule file that was read: the rule where there were no mistakes, and where its references stand for later checks."""

    source: Source
    id: str
    rule: Rule | None
    nodes: Mapping[str, Node]


def build_rule(
    source: Source, root: Node | None, stem: str, tables: Mapping[str, Table], pack: str, fixtures: Fixtures = NO_FIXTURES
) -> Draft:
    """Return the rule of a file named ``stem``; its mistakes stand in ``source``. ``fixtures``: objects of examples, by name."""
    if root is None:
        if not source.mistakes:
            source.mistake_at(1, 1, "empty", "the file is empty")
        return Draft(source, "", None, {})
    values = read_block(source, root, "rule")
    if not isinstance(root, Fields):
        return Draft(source, "", None, {})
    _check_identity(source, values, stem)
    rule = _Builder(source, root, values, tables, fixtures).build(pack)
    return Draft(source, text_of(values.get("id")), None if source.mistakes else rule, values)


def _check_identity(source: Source, values: Mapping[str, Node], stem: str) -> None:
    node = values.get("id")
    if node is not None:
        name = text_of(node)
        if not _ID.fullmatch(name):
            source.mistake(node, "bad-id", f'"{name}" is no id: <PACK>-<AREA>-<NNN>, such as RAI-GPU-012')
        elif name != stem:
            source.mistake(node, "id-file", f'the id is "{name}" and the file is "{stem}.yaml"; they must be equal')
    changed = values.get("changed")
    if changed is not None and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text_of(changed)):
        source.mistake(changed, "bad-time", f'changed is "{text_of(changed)}", must be a day such as 2026-12-01')


class _Builder:
    """Reads the blocks of one rule; an object because nearly every block may name params and fields of the rule's kind."""

    def __init__(
        self, source: Source, root: Fields, values: Mapping[str, Node], tables: Mapping[str, Table], fixtures: Fixtures
    ) -> None:
        self._source = source
        self._fixtures = fixtures
        self._root = root
        self._values = values
        self._params = self._read_params()
        self._around = Surroundings(source, tables, self._params)
        self._misspelt = misspelt(root, [key.name for key in BLOCKS["rule"]])

    def build(self, pack: str) -> Rule | None:
        values = self._values
        before = len(self._source.mistakes)
        select = self._selection()
        expect = read_conditions(self._around, values.get("expect"))
        expect_count = self._expect_count()
        self._check_selection(select)
        cases_nodes = [read_block(self._source, node, "case") for node in items_of(values.get("cases"))]
        whens = [read_conditions(self._around, case.get("when")) for case in cases_nodes]
        group_by = self._paths("group_by")
        wording = self._wording(select, expect, tuple(whens), group_by)
        wording.all_read = len(self._source.mistakes) == before and not self._misspelt
        message = self._template(values.get("message"), wording)
        pass_message = self._template(values.get("pass_message"), wording.for_pass())
        cases = tuple(self._case(case, when, wording) for case, when in zip(cases_nodes, whens, strict=True))
        show = read_show(self._source, values.get("show"), wording)
        fix, commands, command_templates = self._fix(wording)
        scope = self._scope()
        examples = self._examples(values.get("examples"))
        self._check_params()
        if self._source.mistakes or select is None or message is None:
            return None
        return Rule(
            id=text_of(values["id"]),
            title=text_of(values["title"]),
            severity=Severity[text_of(values["severity"]).upper()],
            area=text_of(values["area"]),
            status=text_of(values["status"]),
            revision=int(text_of(values["revision"])),
            changed=text_of(values["changed"]),
            owner=text_of(values["owner"]),
            select=select,
            message=message,
            fix=fix,
            examples=examples,
            expect=expect,
            expect_count=expect_count,
            scope=scope,
            only_if_passed=texts_of(values.get("only_if_passed")),
            checklist=text_of(values.get("checklist")),
            replaces=texts_of(values.get("replaces")),
            pass_message=pass_message,
            impact=text_of(values.get("impact")).strip(),
            show=show,
            cases=tuple(case for case in cases if case is not None),
            group_by=group_by,
            commands=commands,
            command_templates=command_templates,
            docs=texts_of(values.get("docs")),
            kb=texts_of(values.get("kb")),
            internal_note=text_of(values.get("internal_note")).strip(),
            params=self._params,
            pack=pack,
            file=self._source.name,
        )

    def _examples(self, node: Node | None) -> tuple[Example, ...]:
        return () if "examples" in self._misspelt else read_examples(self._source, self._root, node, self._fixtures)

    # --- selection ----------------------------------------------------------------------------------------------------------

    def _selection(self) -> Selection | None:
        guessed = self._misspelt & set(SELECTIONS)
        mode = None if guessed else exactly_one(self._source, self._root, self._root.fields, SELECTIONS, "a rule")
        present = [name for name in SELECTIONS if name in self._values]
        if not present:
            return None
        values = read_block(self._source, self._values[present[0]], "selection")
        kind, group = self._kind(values.get("kind"))
        self._around.kind = kind_name(kind, group)
        where = read_conditions(self._around, values.get("where"))
        wording = Wording(self._around.kind, (), self._params, self._around)
        none_message = self._template(values.get("none_message"), wording.for_none())
        if_none = text_of(values.get("if_none"))
        if none_message is not None and if_none != "fail":
            self._source.mistake(values["none_message"], "useless", "none_message is said only with if_none: fail")
        if if_none == "fail" and present[0] == "report_each":
            self._source.mistake(values["if_none"], "useless", "report_each finds faults; finding none cannot be one")
        if not kind or mode is None:
            return None
        return Selection(
            mode,  # type: ignore[arg-type]
            kind,
            group,
            texts_of(values.get("namespace")),
            texts_of(values.get("name")),
            where,
            if_none,  # type: ignore[arg-type]
            none_message,
        )

    def _kind(self, node: Node | None) -> tuple[str, str | None]:
        if node is None:
            return "", None
        text = text_of(node)
        kind, dot, group = text.partition(".")
        if dot:
            if not re.fullmatch(r"[A-Z][A-Za-z0-9]*\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?", text):
                self._source.mistake(node, "unknown-kind", f'"{text}" is no kind: Kind, or Kind.group of a custom resource')
            return kind, group
        if kind in MADE_FIELDS:
            return kind, MADE
        if kind not in GROUP_OF:
            meant = _kind_meant(kind) or "; a custom kind is written Kind.group"
            self._source.mistake(node, "unknown-kind", f'"{kind}" is no kind of Kubernetes and none made here{meant}')
        return kind, None

    def _expect_count(self) -> Test | None:
        node = self._values.get("expect_count")
        if node is None:
            return None
        values = read_block(self._source, node, "expect_count")
        name = exactly_one(self._source, node, values, TEST_NAMES, "expect_count")
        return read_test(self._around, values, name) if name else None

    def _check_selection(self, select: Selection | None) -> None:
        if select is None:
            return
        wanted = {"for_each": "expect", "count": "expect_count"}.get(select.mode)
        if wanted and wanted not in self._root.fields and wanted not in self._misspelt:
            self._source.mistake(self._root.keys[select.mode], "missing-key", f"{select.mode} needs {wanted}")
        for name in ("expect", "expect_count"):
            if name in self._root.fields and name != wanted:
                self._source.mistake(self._root.keys[name], "useless", f"{name} means nothing for {select.mode}")
        for name in ("cases", "group_by"):
            if name in self._root.fields and select.mode == "count":
                self._source.mistake(self._root.keys[name], "useless", f"{name} means nothing for count, which finds one number")

    # --- scope, params, fix -------------------------------------------------------------------------------------------------

    def _scope(self) -> Scope:
        node = self._values.get("applies_to")
        if node is None:
            return Scope()
        values = read_block(self._source, node, "applies_to")
        for name in ("runai", "kubernetes"):
            if name in values:
                self._check_range(values[name])
        return Scope(
            text_of(values.get("runai")),
            text_of(values.get("kubernetes")),
            self._names(values.get("distribution"), DISTRIBUTIONS, "distribution"),
            self._names(values.get("feature"), FEATURES, "feature"),
            self._names(values.get("needs_namespace"), None, "namespace"),
            self._names(values.get("needs_crd"), None, "CustomResourceDefinition"),
        )

    def _check_range(self, node: Node) -> None:
        try:
            check_range(text_of(node))
        except ValueError as error:
            self._source.mistake(node, "bad-range", str(error))

    def _names(self, node: Node | None, known: frozenset[str] | None, what: str) -> Names | None:
        if node is None:
            return None
        negated = isinstance(node, Fields)
        listed = read_block(self._source, node, "not").get("not") if negated else node
        for item in listed.items if isinstance(listed, Items) else [listed] if listed else []:
            if known is not None and text_of(item) not in known:
                meant = did_you_mean(text_of(item), known) or f"; there are {listing(sorted(known))}"
                self._source.mistake(item, f"unknown-{what}", f'"{text_of(item)}" is no {what}{meant}')
        return Names(texts_of(listed), negated)

    def _read_params(self) -> dict[str, Text]:
        node = self._values.get("params")
        params: dict[str, Text] = {}
        if not isinstance(node, Fields):
            return params
        for name, value in node.fields.items():
            if isinstance(value, Fields) or is_null(value):
                self._source.mistake(value, "wrong-type", f"param {name} must be text or a list of texts")
            else:
                params[name] = texts_of(value) if isinstance(value, Items) else text_of(value)
        return params

    def _check_params(self) -> None:
        node = self._values.get("params")
        if isinstance(node, Fields):
            for name, key in node.keys.items():
                if name not in self._around.used_params:
                    self._source.mistake(key, "unused-param", f'param "{name}" is not used in the rule')

    def _fix(self, wording: Wording) -> tuple[str, tuple[Command, ...], tuple[Template, ...]]:
        node = self._values.get("fix")
        values = read_block(self._source, node, "fix") if node is not None else {}
        commands = [read_block(self._source, item, "command") for item in items_of(values.get("commands"))]
        read = [
            (command, read_command(self._source, run, wording))
            for command in commands
            if isinstance(run := command.get("run"), Scalar)
        ]
        known = [(command, template) for command, template in read if template is not None]
        text = text_of(values.get("text")).strip()
        return text, tuple(_command(*pair) for pair in known), tuple(template for _, template in known)

    # --- words --------------------------------------------------------------------------------------------------------------

    def _wording(
        self, select: Selection | None, expect: Conditions, whens: tuple[Conditions, ...], group_by: tuple[Path, ...]
    ) -> Wording:
        conditions = (*(select.where if select else ()), *expect, *(condition for when in whens for condition in when))
        wording = Wording(self._around.kind, conditions, self._params, self._around, group_by)
        wording.mode = select.mode if select else "for_each"
        return wording

    def _template(self, node: Node | None, wording: Wording) -> Template | None:
        return read_template(self._source, node, wording) if isinstance(node, Scalar) else None

    def _case(self, values: Mapping[str, Node], when: Conditions, wording: Wording) -> Case | None:
        message = self._template(values.get("message"), wording)
        if message is None or not when:
            return None
        severity = text_of(values.get("severity"))
        worse = Severity[severity.upper()] if severity else None
        return Case(when, message, worse, text_of(values.get("fix")).strip(), texts_of(values.get("kb")))

    def _paths(self, name: str) -> tuple[Path, ...]:
        node = self._values.get(name)
        nodes = node.items if isinstance(node, Items) else [node] if node is not None else []
        paths = (read_path(self._around, item, text_of(item)) for item in nodes)
        return tuple(path for path in paths if path is not None)


def _kind_meant(word: str) -> str:
    """Return the kind that was probably meant: a custom one without its group, or kubectl's short word or plural of one."""
    custom = {name.lower(): full for name, full in CUSTOM_KINDS.items()}
    small = word.lower()
    forms = (small, small.removesuffix("s"), small.removesuffix("es"))
    full = next((custom[form] for form in forms if form in custom), SHORT_KINDS.get(small, ""))
    return suggested(full) or did_you_mean(word, [*GROUP_OF, *MADE_FIELDS])


def _command(values: Mapping[str, Node], template: Template) -> Command:
    return Command(with_placeholders(template), text_of(values.get("risk")), text_of(values.get("run_by")))
