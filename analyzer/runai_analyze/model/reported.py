"""What a report says, beside the outcomes: facts, checklist, releases, GPUs, inventory, packs, and all of it together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from runai_analyze.model.answers import Acceptance, Finding, Outcome, Status
from runai_analyze.model.supplied import BundleInfo


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
    """A rule pack that was used. ``rules`` counts its rules, ``note`` says what of it could not be used, and why.

    ``replaces``: the pack of the same name that it was used in the place of; empty: none.
    """

    name: str
    version: str
    digest: str
    rules: int
    note: str = ""
    replaces: str = ""

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
