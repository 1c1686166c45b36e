"""The straight line from a bundle to a report: open, facts, rules, outcomes, report. Read this first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import __version__
from .bundle import open_bundle
from .engine import evaluate, fit_releases, settle
from .facts import build_facts
from .model import Report
from .report import build_report
from .ruleset import default_pack, load_packs
from .ruleset.needs import needs_of
from .ruleset.signatures import Finder


@dataclass(frozen=True)
class Options:
    """What a person may choose: rule packs beside the shipped one, the Run:ai release to judge for, and features to come."""

    rules: Sequence[Path] = ()
    runai_version: str | None = None  # None: the release that the bundle shows
    planned: Sequence[str] = ()
    cache: Path | None = None  # a folder in which packs that were read once are kept; None: none


def analyze(path: Path, options: Options, progress: Callable[[str], None] = lambda stage: None) -> Report:
    """Return the report on the bundle at ``path``.

    Raises ``RuleErrors`` when a rule file is wrong (before the bundle is read), ``BundleError`` when the bundle cannot be read.
    ``progress`` is told the name of each stage as it begins.
    """
    progress("reading the rules")
    pack = load_packs([default_pack(), *options.rules], cache=options.cache)
    progress("reading the bundle")
    bundle = open_bundle(path)
    facts = build_facts(
        bundle,
        kinds=pack.kinds,
        runai_version=options.runai_version,
        planned=tuple(options.planned),
        needs=needs_of(pack.rules),
        signatures=Finder(pack.signatures),
    )
    progress("running the rules")
    outcomes, acceptances = settle(evaluate(pack, facts), pack, facts.bundle_time)
    releases = fit_releases(pack.tables, facts.cluster)
    progress("building the report")
    tool = f"runai-analyze {__version__}"
    info = replace(bundle.info, problems=facts.problems)
    runai = options.runai_version or ""
    return build_report(info, facts, outcomes, releases, pack, acceptances, tool=tool, runai_option=runai)
