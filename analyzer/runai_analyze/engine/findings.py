"""Findings of one rule while objects stream by: kept small, folded by group, bounded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runai_analyze.engine.leaf import Proof, Row
from runai_analyze.engine.messages import Parts, finish
from runai_analyze.engine.values import WIDEST, as_text, cut, display
from runai_analyze.model import Command, Evidence, Finding, Item, ObjectRef, Severity, merge_commands
from runai_analyze.objects.paths import ABSENT

MOST_FINDINGS = 1000
MOST_EVIDENCE = 49  # and one row that says how many were left out

_MOST_KEPT = 200  # commands; of each kind far fewer are shown


@dataclass
class Draft:
    """A finding that may still grow: ``objects`` counts the objects folded into it, ``more`` the evidence that was left out."""

    message: Parts
    severity: Severity
    subject: ObjectRef
    identity: tuple[str, ...]
    show: tuple[tuple[str, str], ...] = ()
    fix: str = ""
    kb: tuple[str, ...] = ()
    evidence: list[Evidence] = field(default_factory=list)
    more: int = 0
    objects: int = 0
    commands: dict[Command, None] = field(default_factory=dict)

    def add(self, evidence: Sequence[Evidence], severity: Severity, commands: Sequence[Command] = ()) -> None:
        """Fold in one more object."""
        room = max(0, MOST_EVIDENCE - len(self.evidence))
        self.evidence += evidence[:room]
        self.more += max(0, len(evidence) - room)
        self.severity = max(self.severity, severity)
        self.commands.update(dict.fromkeys(commands))
        self.objects += 1

    def takes_commands(self) -> bool:
        """Return whether commands of one more object would be shown."""
        return len(self.commands) < _MOST_KEPT


class Drafts:
    """The findings of a rule by their group; every object that has no group is its own."""

    def __init__(self, rule: str, commands: Sequence[Command] = ()) -> None:
        self._rule = rule
        self._commands = commands
        self._drafts: dict[tuple[str, ...], Draft] = {}
        self.left_out = 0

    def get(self, key: tuple[str, ...]) -> Draft | None:
        """Return the finding that an object with this key belongs to, if there is one."""
        return self._drafts.get(key)

    def full(self) -> bool:
        """Return whether no new finding can be taken; counts the one that cannot."""
        if len(self._drafts) < MOST_FINDINGS:
            return False
        self.left_out += 1
        return True

    def put(self, key: tuple[str, ...], draft: Draft) -> None:
        """Take a new finding."""
        self._drafts[key] = draft

    def __len__(self) -> int:
        return len(self._drafts)

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings, worst first, then by subject."""
        found = sorted(self._findings(), key=lambda finding: (-finding.severity, str(finding.subject), finding.fingerprint))
        return tuple(found)

    def _findings(self) -> Iterator[Finding]:
        used: dict[str, int] = {}
        for draft in self._drafts.values():
            number = used[fingerprint(self._rule, draft.identity)] = used.get(fingerprint(self._rule, draft.identity), 0) + 1
            identity = draft.identity if number == 1 else (*draft.identity, str(number))
            yield Finding(
                rule=self._rule,
                severity=draft.severity,
                message=finish(draft.message, draft.objects),
                subject=draft.subject,
                evidence=tuple(draft.evidence) + more_rows(draft.subject, draft.more),
                fingerprint=fingerprint(self._rule, identity),
                show=draft.show,
                fix=draft.fix,
                kb=draft.kb,
                commands=merge_commands(self._commands, draft.commands) if draft.commands else (),
            )


def fingerprint(rule: str, identity: Sequence[str]) -> str:
    """Return what names a finding for good: a digest of the rule, the subject and the key columns, never of the wording."""
    return hashlib.sha256("\0".join((rule, *identity)).encode("utf-8", "replace")).hexdigest()[:16]


def values_key(values: Sequence[object]) -> str:
    """Return what tells the values of a path from others, short also where they are long; what is not set is a value too."""
    text = as_text([None if value is ABSENT else value for value in values])
    return text if len(text) <= WIDEST else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def more_rows(subject: ObjectRef, more: int) -> tuple[Evidence, ...]:
    """Return the row that says how much evidence was left out."""
    return (Evidence(subject, "", f"and {more:,} more", ""),) if more else ()


def evidence_of(item: Item, proof: Proof) -> list[Evidence]:
    """Return the rows of a proof as evidence on an object; that it is there, where the rule asks nothing else."""
    return [evidence_row(item, row) for row in proof.rows] or [Evidence(item.ref, "", "exists", "no such object")]


def evidence_row(item: Item, row: Row) -> Evidence:
    """Return one row as evidence; a value of a made object names the real object that it came from."""
    found = f"{display(row.value)} ({row.note})" if row.note else display(row.value)
    return Evidence(origin(item, row.path), cut(row.path), found, cut(row.wanted), cut(row.because))


def origin(item: Item, path: str) -> ObjectRef:
    """Return the object that the value at a path came from: the longest prefix of the path that the item names."""
    fitting = [prefix for prefix in item.origins if not prefix or path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))]
    return item.origins[max(fitting, key=len)] if fitting else item.ref
