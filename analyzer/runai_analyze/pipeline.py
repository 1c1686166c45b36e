"""The straight line from a bundle to a report: open, facts, rules, outcomes, report. Read this first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import __version__
from .bundle.convert import convert
from .bundle.explain import as_json, explain, lines_of
from .bundle.limits import Limits
from .bundle.several import open_bundles
from .engine import evaluate, fit_releases, settle
from .errors import UserError
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
    clock: Callable[[], float] | None = None  # in seconds: bounds the time that reading takes; None: it has no bound


def analyze(path: Path | Sequence[Path], options: Options, progress: Callable[[str], None] = lambda stage: None) -> Report:
    """Return the report on the bundle at ``path``; several of one cluster are read as one.

    Raises ``RuleErrors`` when a rule file is wrong (before the bundle is read), ``BundleError`` when a bundle cannot be read, or
    two are of different clusters. ``progress`` is told the name of each stage as it begins.
    """
    progress("reading the rules")
    pack = load_packs([default_pack(), *options.rules], cache=options.cache)
    progress("reading the bundle")
    bundle = open_bundles([path] if isinstance(path, Path) else path, Limits(clock=options.clock))
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


def explain_bundles(paths: Sequence[Path], options: Options, machine: bool = False) -> str:
    """Return what bundles are, what is in them and what is missing, as text or (``machine``) JSON. No rule is run.

    Raises as ``analyze`` does.
    """
    pack = load_packs([default_pack(), *options.rules], cache=options.cache)
    found = explain(open_bundles(paths, Limits(clock=options.clock)), pack.kinds)
    return as_json(found) if machine else "\n".join(lines_of(found)) + "\n"


def convert_bundles(paths: Sequence[Path], to: Path, options: Options) -> str:
    """Write bundles anew in our own format, redacted, and return in a line what was written.

    Raises ``BundleError`` when one cannot be read, ``UserError`` when ``to`` is there already or cannot be written.
    """
    if to.exists():  # before anything is read
        raise UserError(f"{to} exists, and is not replaced", "give --convert the name of a new file")
    path, totals = convert(open_bundles(paths, Limits(clock=options.clock)), to, f"runai-analyze {__version__}")
    return f"{path}: {totals.members:,} files, {totals.bytes:,} bytes, SHA-256 {totals.sha256}"
