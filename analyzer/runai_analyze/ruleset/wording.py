"""Messages and evidence columns of a rule: every ``{{ … }}`` must be something that is known when the message is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from runai_analyze.facts.kinds import ALWAYS
from runai_analyze.objects.paths import Path, compile_path
from runai_analyze.ruleset.conditions import Surroundings, unknown_field
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.nodes import Fields, Node, Scalar, Source, shift_to
from runai_analyze.ruleset.parts import flat, other_field
from runai_analyze.ruleset.rule import Conditions, Template, Text, Variable
from runai_analyze.ruleset.templates import TemplateError, parse_command, parse_template, variables
from runai_analyze.ruleset.vocabulary import MADE_FIELDS

_PLURAL = re.compile(r"[A-Za-z]\((?:s|es)\)")  # node(s)
_SAY_BOTH = "write both: {{ count | # node waits | # nodes wait }}, where # is the number"
# What every object has, whether a condition looks at it or not.
_ALWAYS = frozenset(
    (
        "kind",
        "apiVersion",
        "metadata.name",
        "metadata.namespace",
        "metadata.creationTimestamp",
        "name",
        "node",
        "index",
        "key",
        "subject",
    )
)


@dataclass
class Wording:
    """What a message of the rule may name. ``mode`` is the selection; ``object_known``: there is one object to speak of."""

    kind: str
    conditions: Conditions
    params: Mapping[str, Text]
    around: Surroundings
    group_by: tuple[Path, ...] = ()
    mode: str = "for_each"
    object_known: bool = True
    passed: bool = False
    all_read: bool = True  # no condition was left out because of a mistake: what none looks at is a mistake of its own

    def for_pass(self) -> Wording:
        """The same for pass_message, said of all objects at once: paths are those of the first of them."""
        return replace(self, passed=True)

    def for_none(self) -> Wording:
        """The same for none_message, said when there is no object."""
        return replace(self, object_known=False)

    def problem(self, variable: Variable) -> str:
        """Return why the variable means nothing here; empty when it does."""
        if variable.source == "params":
            self.around.used_params.add(variable.name)
            meant = did_you_mean(variable.name, self.params)
            return "" if variable.name in self.params else f'the rule has no param "{variable.name}"{meant}'
        if variable.source == "cluster" and variable.path is not None:
            return unknown_field("Cluster", variable.path)
        if variable.source == "count":
            return self._count_problem()
        if not self.object_known or (self.mode == "count" and variable.source != "wanted" and variable.source != "found"):
            return f'"{variable.name}" is a field of an object, and here there is none to speak of'
        if variable.source == "failed_keys":
            return (
                ""
                if not self.all_read or any(condition.keys for condition in flat(self.conditions))
                else "no condition has keys"
            )
        if variable.source in ("found", "wanted"):
            return f"{variable.source} belongs to a finding" if self.passed else ""
        return self._path_problem(variable)

    def meant(self, template: Template) -> Template:
        """Take ``count`` for the field of an object that has one, where the rule itself counts no objects."""
        counts = self.mode == "count" or self.group_by or self.passed or not self.object_known
        if counts or "count" not in MADE_FIELDS.get(self.kind, ()):
            return template
        own, path = template.parts, compile_path("count")
        parts = (replace(one, source="path", path=path) if _is_count(one) else one for one in own)
        return replace(template, parts=tuple(parts))

    def _count_problem(self) -> str:
        if self.object_known and (self.mode == "count" or self.group_by or self.passed):
            return ""
        return "count is known in rules with count or group_by, and in pass_message"

    def _path_problem(self, variable: Variable) -> str:
        assert variable.path is not None
        problem = unknown_field(self.kind, variable.path)
        touched = {condition.path.text for condition in flat(self.conditions)}
        touched |= {path.text for path in self.group_by} | {other_field(condition.test) for condition in flat(self.conditions)}
        text = variable.path.text
        always = _ALWAYS | ALWAYS.get(self.kind, frozenset())
        known = text in always or any(text == path or text.startswith((f"{path}.", f"{path}[")) for path in touched)
        if problem or known or not self.all_read:
            return problem
        return f'no condition looks at "{text}"{did_you_mean(text, touched | always)}'


def read_template(source: Source, node: Scalar, wording: Wording, free_paths: bool = False) -> Template | None:
    """Return a message; records every ``{{ … }}`` that means nothing. ``free_paths``: any field of the kind is fine."""
    try:
        template = wording.meant(parse_template(node.text))
    except TemplateError as error:
        source.mistake(node, "bad-template", str(error), shift_to(node, error.shift))
        return None
    plural = _PLURAL.search(node.text)
    if plural:
        source.mistake(node, "plural", _SAY_BOTH, shift_to(node, plural.start()))
    for variable in variables(template):
        if free_paths and variable.source == "path" and variable.path is not None:
            problem = unknown_field(wording.kind, variable.path)
        else:
            problem = wording.problem(variable)
        if problem:
            place = node.text.find(variable.name)
            source.mistake(node, "unknown-variable", f"{{{{ {variable.name} }}}}: {problem}", shift_to(node, place))
    return template


def read_command(source: Source, node: Scalar, wording: Wording) -> Template | None:
    """Return what a command runs; records every ``{{ … }}`` that cannot stand in one."""
    try:
        template = parse_command(node.text)
    except TemplateError as error:
        source.mistake(node, "bad-template", str(error), shift_to(node, error.shift))
        return None
    for variable in variables(template):
        problem = _command_problem(variable, wording)
        if problem:
            shift = shift_to(node, node.text.find(variable.name))
            source.mistake(node, "unknown-variable", f"{{{{ {variable.name} }}}}: {problem}", shift)
    return template


def _command_problem(variable: Variable, wording: Wording) -> str:
    if variable.source in ("found", "wanted", "count") or variable.filter or variable.forms:
        return "a command can name fields, failed_keys, cluster.X and params.X, without a filter"
    if variable.source == "path" and variable.path is not None and wording.mode != "count":
        return unknown_field(wording.kind, variable.path)
    return wording.problem(variable)


def read_show(source: Source, node: Node | None, wording: Wording) -> tuple[tuple[str, Template], ...]:
    """Return the evidence columns: a title, and a path or a text with ``{{ … }}``."""
    return tuple(_show_columns(source, node, wording)) if isinstance(node, Fields) else ()


def _show_columns(source: Source, node: Fields, wording: Wording) -> Iterator[tuple[str, Template]]:
    for title, value in node.fields.items():
        if not isinstance(value, Scalar) or not value.text:
            source.mistake(value, "wrong-type", f"show: {title} must be a path or a text with {{{{ … }}}}")
            continue
        text = value if "{{" in value.text else replace(value, text=f"{{{{ {value.text} }}}}")
        template = read_template(source, text, wording, free_paths=True)
        if template is not None:
            yield title, template


def _is_count(part: str | Variable) -> TypeGuard[Variable]:
    return isinstance(part, Variable) and part.source == "count"
