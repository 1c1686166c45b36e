"""A rule as the engine reads it: checked, with every word of its file in a typed place. Frozen, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from runai_analyze.model import Acceptance, Command, Missing, PackInfo, RuleInfo, RuleTable, Severity, SiteChange, Status
from runai_analyze.objects.paths import Path

Text = str | tuple[str, ...]


# --- Arguments of tests -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal_:  # noqa: N801 - typing.Literal is used beside it
    """A value written in the rule: text as written, or a list of it."""

    value: Text


@dataclass(frozen=True)
class ClusterValue:
    """``{{ cluster.X }}``: a fact about the cluster."""

    path: Path


@dataclass(frozen=True)
class ParamValue:
    """``{{ params.X }}``: a value of the rule that a site may change."""

    name: str
    value: Text


@dataclass(frozen=True)
class TableCell:
    """``{table, row, column}``: a cell of a table of the pack; ``row`` is itself an argument."""

    table: str
    row: Literal_ | ClusterValue | ParamValue
    column: str


Argument = Literal_ | ClusterValue | ParamValue | TableCell


# --- Conditions -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """One test with its argument. ``tolerance`` is a share, 0.06 for ``6%``."""

    name: str
    argument: Argument
    ignore_case: bool = False
    tolerance: float = 0.0
    because: str = ""
    wanted: str = ""  # in words, where the test itself reads badly
    score: int = 85  # percent; of similar_to alone

    __test__ = False  # not a test class of pytest


@dataclass(frozen=True)
class Condition:
    """A test on a field of the object. ``keys``: the field is a map, and each of these keys is tested."""

    path: Path
    test: Test
    when_absent: Literal["pass", "fail", "unknown", ""] = ""
    keys: Argument | None = None
    ask: str = ""  # the question to a person when the field is not set


@dataclass(frozen=True)
class Group:
    """Conditions under ``any_of``, ``all_of`` or ``none_of``."""

    mode: Literal["any_of", "all_of", "none_of"]
    members: tuple[Condition | Group, ...]
    because: str = ""


Conditions = tuple[Condition | Group, ...]


# --- The blocks of a rule ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Names:
    """A list in a scope: any of them, or with ``negated`` none of them."""

    names: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True)
class Scope:
    """Where the rule applies; None and empty: everywhere."""

    runai: str = ""
    kubernetes: str = ""
    distribution: Names | None = None
    feature: Names | None = None
    needs_namespace: Names | None = None
    needs_crd: Names | None = None


@dataclass(frozen=True)
class Selection:
    """Which objects the rule looks at. ``group`` None: the built-in kind of that name, whatever version serves it."""

    mode: Literal["for_each", "report_each", "count"]
    kind: str
    group: str | None
    namespaces: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    where: Conditions = ()
    if_none: Literal["fail", "not_applicable", ""] = ""
    none_message: Template | None = None


@dataclass(frozen=True)
class Variable:
    """``{{ … }}`` in a message: where the value comes from, and the filter that is laid on it.

    ``forms``: of a number, what to say of one and of several; ``#`` stands for the number.
    """

    source: Literal["path", "cluster", "params", "found", "wanted", "failed_keys", "count"]
    path: Path | None = None
    name: str = ""
    filter: Literal["", "join", "count", "ago"] = ""
    forms: tuple[str, str] | None = None


@dataclass(frozen=True)
class Template:
    """A message: literal text and variables in turn."""

    text: str
    parts: tuple[str | Variable, ...]


@dataclass(frozen=True)
class Case:
    """Another wording for the findings that meet ``when``; the first case that is met wins."""

    when: Conditions
    message: Template
    severity: Severity | None = None
    fix: str = ""
    kb: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """Objects and the result that the rule must give on them; ``line`` is where it stands in the file."""

    name: str
    given: tuple[Mapping[str, Any], ...]
    result: str
    cluster: Mapping[str, Any] = field(default_factory=dict)
    not_collected: tuple[str, ...] = ()
    bundle_time: datetime | None = None
    message_contains: str = ""
    line: int = 0


@dataclass(frozen=True)
class Rule:
    """One rule of a pack. ``file`` and ``lines`` say where it stands: the line of each of its top-level keys."""

    id: str
    title: str
    severity: Severity
    area: str
    status: str
    revision: int
    changed: str
    owner: str
    select: Selection
    message: Template
    fix: str
    examples: tuple[Example, ...]
    expect: Conditions = ()
    expect_count: Test | None = None
    scope: Scope = Scope()
    only_if_passed: tuple[str, ...] = ()
    checklist: str = ""
    replaces: tuple[str, ...] = ()
    pass_message: Template | None = None
    impact: str = ""
    show: tuple[tuple[str, Template], ...] = ()
    cases: tuple[Case, ...] = ()
    group_by: tuple[Path, ...] = ()
    commands: tuple[Command, ...] = ()  # with placeholders where command_templates have {{ … }}
    command_templates: tuple[Template, ...] = ()  # of what each of the commands runs
    docs: tuple[str, ...] = ()
    kb: tuple[str, ...] = ()
    internal_note: str = ""
    params: Mapping[str, Text] = field(default_factory=dict)
    pack: str = ""
    file: str = ""


# --- The rest of a pack -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A value of a table with its confidence: documented, third_party, derived, uncertain or unknown (``value`` None)."""

    value: Text | None
    confidence: str
    source: str = ""


@dataclass(frozen=True)
class Table:
    """A table of the pack: the type of each column, and the rows by key."""

    name: str
    key: str
    updated: str
    columns: Mapping[str, str]
    rows: Mapping[str, Mapping[str, Cell]]


@dataclass(frozen=True)
class ChecklistEntry:
    """A line of the vendor's prerequisites. ``ask``: the question to the customer that no object answers."""

    id: str
    title: str
    optional: bool = False
    feature: str = ""
    ask: str = ""


@dataclass(frozen=True)
class ChecklistSection:
    """A section of the vendor's prerequisites with its lines, in the order of the page."""

    section: str
    lines: tuple[ChecklistEntry, ...]


@dataclass(frozen=True)
class Doc:
    """A short extract of the documentation that ships with the pack."""

    name: str
    title: str
    text: str
    source: str


@dataclass(frozen=True)
class NotRun:
    """A rule that is loaded and not run: switched off, replaced, or made for a newer version of the program; why, in words.

    ``rule`` is what the report says about it where this version cannot read the rule itself.
    """

    rule: Rule | RuleInfo
    status: Literal[Status.NOT_APPLICABLE, Status.UNKNOWN]
    message: str
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True)
class Signature:
    """A known message in logs: ``pattern``, or ``similar_to`` with the words in ``contains`` and the ``score`` in percent."""

    id: str
    title: str
    component: str
    pattern: str
    similar_to: tuple[str, ...]
    contains: str
    score: int
    source: str
    kb: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pack:
    """All packs that were loaded, as one. ``kinds``: the (kind, group) that the rules look at; group None: the built-in kind.

    ``rules`` are those that run; the others are ``not_run``.
    """

    rules: tuple[Rule, ...]
    tables: Mapping[str, Table]
    checklist: tuple[ChecklistSection, ...]
    docs: Mapping[str, Doc]
    kinds: frozenset[tuple[str, str | None]]
    info: tuple[PackInfo, ...]
    not_run: tuple[NotRun, ...] = ()
    used_tables: tuple[RuleTable, ...] = ()
    changes: tuple[SiteChange, ...] = ()
    acceptances: tuple[Acceptance, ...] = ()
    signatures: tuple[Signature, ...] = ()
