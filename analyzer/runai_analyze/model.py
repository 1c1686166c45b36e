"""The words of the program: what a bundle supplies, what a rule answers, what a report says. Frozen, standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, IntEnum
from typing import Any, Literal, Protocol

# --- What a bundle supplies -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ObjectRef:
    """Names one thing in the cluster and where the bundle holds it (``line`` is 1-based; 0: lines mean nothing there)."""

    kind: str
    name: str
    namespace: str = ""
    member: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


REMOVE = "remove"  # in ``taken_out``: with "runai-collect remove", from the finished bundle


@dataclass(frozen=True)
class Missing:
    """Data that a rule needed and the bundle does not hold: what, why, and the read-only command that would supply it.

    ``question`` is what to ask a person where no command can: the field is not set, and no object says what that means here.
    ``taken_out``: how the customer left it out on purpose, as it is typed (``--no-exec``, ``remove``); such data is never asked
    for by a command.
    """

    what: str
    reason: str
    command: str = ""
    question: str = ""
    taken_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unknown:
    """Stands in a fact's place when it could not be computed; every test on it is unknown.

    ``about``: in a list of names, the one that may or may not belong there; empty: any may.
    """

    missing: Missing
    about: str = ""


@dataclass(frozen=True)
class Item:
    """One object on its way through the rules: a Kubernetes object or a made one (``Cluster``, ``GpuNode``, ``Certificate`` …).

    ``body`` is the object as kubectl shows it; ``body["facts"]`` holds what the facts layer added. ``origins`` maps a path prefix
    of a made object to the real object that the value came from, so that evidence names what a person can look up.
    """

    kind: str
    group: str
    body: Mapping[str, Any]
    ref: ObjectRef
    origins: Mapping[str, ObjectRef] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Something in the bundle that could not be read: the member, what happened, and what it means for the report."""

    member: str
    message: str
    effect: str = ""


@dataclass(frozen=True)
class Step:
    """One entry of the collector's manifest: what was asked and how it ended (``layout.STATUSES``)."""

    id: str
    request: str
    scope: str
    status: str
    message: str = ""
    code: int = 0
    objects: int = 0
    size: int = 0
    seconds: float = 0.0
    kind: str = ""
    group: str = ""
    namespace: str = ""
    taken_out: tuple[str, ...] = ()  # as in ``Missing``


@dataclass(frozen=True)
class BundleInfo:
    """The bundle as a whole. ``state``: ``complete``, ``interrupted``, ``deadline``, ``size-limit`` or ``cut`` (no manifest)."""

    file_name: str
    size: int
    sha256: str
    format: int
    collector: str
    captured: datetime | None  # None: the bundle does not say; ages are then unknown
    state: str
    problems: tuple[Problem, ...] = ()
    steps: tuple[Step, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    clock_skew_seconds: float | None = None  # None: the bundle does not say
    removed: tuple[str, ...] = ()  # members that the customer took out of the finished bundle


class Facts(Protocol):
    """What the rules may ask of a bundle; made by the facts layer, for a bundle or for the objects of a rule's example."""

    @property
    def cluster(self) -> Mapping[str, Any]:
        """The body of the one ``Cluster`` object; a value that could not be found out is ``Unknown``."""

    @property
    def cluster_item(self) -> Item:
        """The ``Cluster`` object itself, with the origins of its fields."""

    @property
    def bundle_time(self) -> datetime | None:
        """Capture time in UTC; all ages come from it."""

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        """Stream every object, real or made, of ``(kind, group)`` (group None: any), each once, enriched with its facts."""

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""


# --- What a rule answers ----------------------------------------------------------------------------------------------------


class Severity(IntEnum):
    """How bad a finding is; larger is worse, so that severities compare and ``max`` works."""

    INFO = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4
    CRITICAL = 5

    @property
    def word(self) -> str:
        """The word in rules and on the command line."""
        return self.name.lower()


class Status(Enum):
    """The outcome of one rule on one bundle."""

    FAIL = "fail"
    ERROR = "error"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"
    ACCEPTED = "accepted"
    PASS = "pass"  # noqa: S105 - an outcome, not a password
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True)
class Evidence:
    """Why a finding is one: the object, the path, what was found there and what was wanted. Values are display text, cut."""

    subject: ObjectRef
    path: str
    found: str
    wanted: str
    because: str = ""


@dataclass(frozen=True)
class Command:
    """One command of a fix, with its risk in words and who runs it (``customer`` or ``support``)."""

    run: str
    risk: str
    run_by: str


MOST_COMMANDS = 10  # that differ in their names only; the one with a placeholder says the rest


def merge_commands(general: Sequence[Command], particular: Iterable[Command]) -> tuple[Command, ...]:
    """Return commands with names put in, in the order of the rule's own; where there are too many, the rule's own after them."""
    alike: dict[tuple[str, str], dict[Command, None]] = {(command.risk, command.run_by): {} for command in general}
    for command in particular:
        alike[command.risk, command.run_by].setdefault(command)
    merged: list[Command] = []
    for kind, commands in alike.items():
        most = MOST_COMMANDS * sum((command.risk, command.run_by) == kind for command in general)
        merged += list(commands)[:most]
        if len(commands) > most:
            merged += [command for command in general if (command.risk, command.run_by) == kind and command not in merged]
    return tuple(merged)


@dataclass(frozen=True)
class Finding:
    """One fault on one subject. ``show`` holds the rule's own evidence columns as (title, value)."""

    rule: str
    severity: Severity
    message: str
    subject: ObjectRef
    evidence: tuple[Evidence, ...]
    fingerprint: str
    show: tuple[tuple[str, str], ...] = ()
    fix: str = ""  # the text of the case that matched; empty: the rule's own
    commands: tuple[Command, ...] = ()  # the rule's, with the names of this finding put in; empty: the rule's own
    kb: tuple[str, ...] = ()  # of the case that matched; empty: the rule's own


@dataclass(frozen=True)
class RuleInfo:
    """What the report says about a rule, whatever its outcome."""

    id: str
    title: str
    severity: Severity
    area: str
    status: str
    checklist: str = ""
    impact: str = ""
    fix: str = ""
    commands: tuple[Command, ...] = ()
    docs: tuple[tuple[str, str, str], ...] = ()  # (title, extract, source)
    kb: tuple[str, ...] = ()
    internal_note: str = ""
    pack: str = ""


@dataclass(frozen=True)
class Acceptance:
    """What a site says that it lives with: all findings of a rule on matching subjects (globs), or one by its fingerprint.

    ``until`` is the last day on which it counts, ``since`` the day on which it was written (empty: it does not say).
    """

    pack: str  # name and version of the pack that it stands in
    place: str  # file:line
    reason: str
    by: str
    until: str  # 2027-03-31
    since: str = ""
    rule: str = ""
    fingerprint: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""

    @property
    def on(self) -> str:
        """What it is on, in words."""
        if self.fingerprint:
            return f"fingerprint {self.fingerprint}"
        name = f"{self.namespace}/{self.name or '*'}" if self.namespace else self.name
        return " ".join(part for part in (self.rule, self.kind, name) if part)


@dataclass(frozen=True)
class Accepted:
    """A finding with the entry that it was accepted by."""

    finding: Finding
    entry: Acceptance


@dataclass(frozen=True)
class Outcome:
    """One rule's answer. ``message`` says it in words; ``looked_at`` counts the objects that it judged."""

    rule: RuleInfo
    status: Status
    message: str
    looked_at: int = 0
    findings: tuple[Finding, ...] = ()
    missing: tuple[Missing, ...] = ()  # also beside findings: what part could not be seen
    blocked_by: str = ""  # the id of the rule whose failure is the cause
    seen: str = ""  # the value looked at, for the checklist: "v1.35.4"
    more: int = 0  # findings beyond those that are listed
    accepted: tuple[Accepted, ...] = ()  # findings that the site accepts; they are no longer among ``findings``
    lapsed: tuple[Accepted, ...] = ()  # findings whose acceptance ran out or does not count; they are among ``findings``

    @property
    def severity(self) -> Severity:
        """The worst severity of the findings, else of those that were accepted; the rule's own where there are none."""
        found = self.findings or tuple(it.finding for it in self.accepted)
        return max((finding.severity for finding in found), default=self.rule.severity)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the fix with the names of all findings put in; the rule's own where no name is known."""
        particular = [command for finding in self.findings for command in finding.commands]
        return merge_commands(self.rule.commands, particular) if particular else self.rule.commands


# --- What a report says -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fact:
    """One line about the cluster on page one; ``value`` is empty when unknown, and ``note`` then says why."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class ChecklistLine:
    """One line of the vendor's prerequisites with its answer; ``ask`` where no bundle can show it."""

    section: str
    id: str
    title: str
    answer: Literal["pass", "fail", "unknown", "not_applicable", "ask", "accepted"]
    seen: str
    rules: tuple[str, ...]
    note: str = ""
    optional: bool = False


@dataclass(frozen=True)
class ReleaseFit:
    """Whether this cluster could take one Run:ai release, component by component (``fits`` over all: the worst answer)."""

    release: str
    fits: Literal["yes", "no", "unknown"]
    parts: tuple[tuple[str, str, str, str], ...]  # (component, found, wanted, yes|no|unknown)
    current: bool = False


@dataclass(frozen=True)
class GpuNodeRow:
    """Where the GPUs of one node go; None: not seen at that stage. ``gap`` names the first stage that lost some."""

    node: str
    pci: int | None
    driver: int | None
    nvidia_smi: int | None
    labels: int | None
    capacity: int | None
    allocatable: int | None
    requested: int | None
    model: str = ""
    driver_version: str = ""
    mig: str = ""
    gap: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """One inventory table; cells are display text. ``total`` counts the rows before cutting."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    note: str = ""


@dataclass(frozen=True)
class Request:
    """The one message to the customer that asks for everything that was missing; empty commands: nothing to ask."""

    text: str
    commands: tuple[tuple[str, str], ...]  # (what it supplies, read-only command)


@dataclass(frozen=True)
class PackInfo:
    """A rule pack that was used. ``rules`` counts its rules, ``note`` says what of it could not be used, and why."""

    name: str
    version: str
    digest: str
    rules: int
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


@dataclass(frozen=True)
class RuleTable:
    """A table that rules compare with: the pack that it is from, and the day on which it was last brought up to date."""

    name: str
    updated: str
    pack: str
    replaces: str = ""  # the pack whose table of that name it stands in for


@dataclass(frozen=True)
class SiteChange:
    """What a pack changed in a rule of an earlier one: ``severity high → low``, ``switched off`` …, and why."""

    rule: str
    title: str
    what: str
    pack: str
    reason: str


@dataclass(frozen=True)
class AcceptanceUse:
    """What became of an entry of suppressions.yaml on this bundle, in words too; ``findings`` counts those that it is on."""

    entry: Acceptance
    state: Literal["counts", "expired", "undated", "too long", "unused"]
    findings: int
    words: str


@dataclass(frozen=True)
class Report:
    """All that any format prints; built once, rendered many times."""

    tool: str  # "runai-analyze 0.1.0"
    bundle: BundleInfo
    cluster_name: str
    facts: tuple[Fact, ...]
    verdict: str  # one sentence, in words
    can_run: Literal["yes", "no", "unknown"]
    counts: Mapping[Status, int]
    outcomes: tuple[Outcome, ...]  # worst first, then by area and id
    first: tuple[Finding, ...]  # at most five, in the order of the outcomes
    checklist: tuple[ChecklistLine, ...]
    checklist_release: str  # the Run:ai release that the checklist was judged for; empty: none was known
    release_note: str  # where the release comes from, in words
    releases: tuple[ReleaseFit, ...]
    gpus: tuple[GpuNodeRow, ...]
    inventory: tuple[Table, ...]
    request: Request
    packs: tuple[PackInfo, ...]
    tables: tuple[RuleTable, ...] = ()
    changes: tuple[SiteChange, ...] = ()
    acceptances: tuple[AcceptanceUse, ...] = ()
    notes: tuple[str, ...] = ()  # said at the top: the bundle was cut, a newer format, an option that beat the bundle
