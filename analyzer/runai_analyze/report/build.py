"""Builds the Report from what the other parts found out. Everything that any format says is decided here, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ..model import (
    AcceptanceUse,
    BundleInfo,
    GpuNodeRow,
    Outcome,
    PackInfo,
    ReleaseFit,
    Report,
    RuleTable,
    SiteChange,
    Status,
    Table,
    Unknown,
)
from .checklist import Section, checklist
from .first import first_findings, to_do_first
from .page_one import facts_of_page_one, look
from .ranking import worst_first
from .request import all_questions, build_request
from .site import site_notes
from .tables import arrange
from .text import cut, naturally
from .verdict import can_run, no_figures, notes, verdict


class Inventory(Protocol):
    """What the facts layer lists: where the GPUs go, and the tables, uncut."""

    @property
    def gpus(self) -> Sequence[GpuNodeRow]: ...
    @property
    def tables(self) -> Sequence[Table]: ...


class Source(Protocol):
    """What the report asks of the facts layer."""

    @property
    def cluster(self) -> Mapping[str, Any]: ...
    def inventory(self) -> Inventory: ...


class Pack(Protocol):
    """What the report asks of the rule packs."""

    @property
    def checklist(self) -> Iterable[Section]: ...
    @property
    def info(self) -> Sequence[PackInfo]: ...
    @property
    def used_tables(self) -> Sequence[RuleTable]: ...
    @property
    def changes(self) -> Sequence[SiteChange]: ...


def build_report(
    bundle: BundleInfo,
    facts: Source,
    outcomes: Sequence[Outcome],
    releases: Sequence[ReleaseFit],
    pack: Pack,
    acceptances: Sequence[AcceptanceUse] = (),
    *,
    tool: str,
    runai_option: str = "",
) -> Report:
    """Return the report on one bundle.

    ``tool`` is the program with its version, as ``runai-analyze 0.1.0``; ``runai_option`` the Run:ai version that a person named
    (empty: none), which the facts follow already and the report must say.
    """
    cluster = facts.cluster
    name = cluster_name(cluster)
    sections = tuple(pack.checklist)
    optional = frozenset(line.id for section in sections for line in section.lines if line.optional)
    ordered = worst_first(outcomes, optional)
    release, release_note = _release(cluster, runai_option)
    inventory = facts.inventory()
    lines = checklist(sections, ordered, cluster)
    first = first_findings(ordered)
    unjudged = no_figures(cluster, releases)
    return Report(
        tool=tool,
        bundle=bundle,
        cluster_name=name,
        facts=facts_of_page_one(cluster, bundle, bool(runai_option)),
        verdict=verdict(ordered, bundle, cluster, name, unjudged),
        can_run=can_run(ordered, bundle, unjudged),
        counts=_counts(ordered),
        outcomes=ordered,
        first=first,
        checklist=lines,
        checklist_release=release,
        release_note=release_note,
        releases=tuple(releases),
        gpus=tuple(sorted(inventory.gpus, key=lambda row: (not row.gap, naturally(row.node)))),
        inventory=tuple(arrange(table) for table in inventory.tables),
        request=build_request(ordered, bundle, name, all_questions(ordered, lines), to_do_first(first, ordered)),
        packs=tuple(pack.info),
        tables=tuple(pack.used_tables),
        changes=tuple(pack.changes),
        acceptances=tuple(acceptances),
        notes=(
            *notes(bundle, release_note if _option_beats(cluster, runai_option) else "", unjudged),
            *site_notes(ordered, pack.info, pack.changes, pack.used_tables, acceptances, bundle.captured),
        ),
    )


def cluster_name(cluster: Mapping[str, Any]) -> str:
    """Return the cluster's name as the report says it, cut; "the cluster" where the bundle has none."""
    name = cluster.get("name")
    return cut(name, 60) if isinstance(name, str) and name.strip() else "the cluster"


def _counts(outcomes: Sequence[Outcome]) -> dict[Status, int]:
    found = Counter(outcome.status for outcome in outcomes)
    return {status: found[status] for status in Status}


def _release(cluster: Mapping[str, Any], option: str) -> tuple[str, str]:
    """Return the Run:ai release that was judged for (empty: none known) and where it comes from, in words."""
    release, shown = look(cluster, "runai.release"), look(cluster, "runai.bundle_version")
    if isinstance(release, Unknown):
        return "", f"No Run:ai release is known: {cut(release.missing.reason)}."
    if not isinstance(release, str) or not release:
        return "", "No Run:ai release is known."
    release = cut(release, 20)
    if not option:
        return release, f"The bundle shows Run:ai {cut(str(look(cluster, 'runai.version')), 40)}."
    said = f"Judged for Run:ai {release}, as --runai-version says"
    if isinstance(shown, str):
        return release, f"{said}; the bundle shows {cut(shown, 40)}."
    if isinstance(shown, Unknown):
        return release, f"{said}; which one the bundle shows is not known."
    return release, f"{said}; the bundle shows no installation."


def _option_beats(cluster: Mapping[str, Any], option: str) -> bool:
    """Return whether the option named another release than the one that the bundle shows."""
    shown, release = look(cluster, "runai.bundle_version"), look(cluster, "runai.release")
    return bool(option) and isinstance(shown, str) and not f"{shown}.".startswith(f"{release}.")
