"""A pack as one file: built, looked at, and asked what the collector must read for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runai_analyze.model import RuleInfo, SiteChange
from runai_analyze.ruleset.archive import ENDING, pack_bytes, read_files
from runai_analyze.ruleset.packfile import Head
from runai_analyze.ruleset.packs import default_pack, load_packs, read_pack_head
from runai_analyze.ruleset.rule import NotRun, Rule


@dataclass(frozen=True)
class BuiltPack:
    """The one file of a pack: how it is called by custom, what is in it, and its SHA-256 to be told beside it."""

    name: str
    data: bytes
    sha256: str
    files: int


@dataclass(frozen=True)
class PackPage:
    """What there is to know of a pack. ``sha256`` and ``size`` (bytes) are of its file; empty and 0 for a folder."""

    head: Head
    digest: str
    sha256: str
    size: int
    rules: tuple[Rule, ...]
    not_run: tuple[NotRun, ...]
    changes: tuple[SiteChange, ...]
    tables: tuple[tuple[str, str], ...]  # name and day of the last change
    acceptances: int


def build_pack(path: Path) -> BuiltPack:
    """Return the one file of the pack in a folder, which must be without mistakes."""
    files = read_files(path)
    head = read_pack_head(files)
    data = pack_bytes(files, head)
    name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in f"{head.name}-{head.version}")
    return BuiltPack(name.lstrip(".") + ENDING, data, hashlib.sha256(data).hexdigest(), len(files.contents))


def pack_page(path: Path) -> PackPage:
    """Return what there is to know of the pack at a path; raises ``RuleErrors`` where it is damaged or has mistakes."""
    files = read_files(path)
    head = read_pack_head(files)
    pack = load_packs([default_pack(), path])
    mine = str(head)
    return PackPage(
        head,
        files.digest,
        files.sha256,
        path.stat().st_size if files.sha256 else 0,
        tuple(rule for rule in pack.rules if rule.pack == head.name),
        tuple(it for it in pack.not_run if it.rule.pack == head.name),
        tuple(change for change in pack.changes if change.pack == mine),
        tuple((table.name, table.updated) for table in pack.used_tables if table.pack == mine),
        sum(entry.pack == mine for entry in pack.acceptances),
    )


def collect_plan(paths: Sequence[Path]) -> dict[str, list[Any]]:
    """Return what the packs ask the collector to read beside its own plan, as its ``--plan-file`` has it; each entry once."""
    plan: dict[str, list[Any]] = {}
    for path in paths:
        for key, entries in read_pack_head(read_files(path)).collect.items():
            known = plan.setdefault(key, [])
            known += [entry for entry in entries if entry not in known]
    return {key: plan[key] for key in sorted(plan)}


def plan_text(plan: dict[str, list[Any]]) -> str:
    """Return a plan as a file of the collector."""
    return json.dumps(plan, indent=1, ensure_ascii=False) + "\n"


def rule_line(rule: Rule | RuleInfo) -> str:
    """Return a rule in one line."""
    return f"{rule.id:<15} {rule.severity.word:<8} {rule.title}"
