"""What a rule answers: outcomes with their findings and evidence, and what a site accepts of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from runai_analyze.model.supplied import Missing, ObjectRef


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
    """One command of a fix, with its risk in words and who runs it (``customer`` or ``support``).

    ``step``: of a command with names put in, which of the rule's own it is, from 0.
    """

    run: str
    risk: str
    run_by: str
    step: int = field(default=0, compare=False)


MOST_COMMANDS = 10  # that differ in their names only; the one with a placeholder says the rest


def merge_commands(general: Sequence[Command], particular: Iterable[Command]) -> tuple[Command, ...]:
    """Return commands with names put in, in the order of the rule's own; where there are too many, the rule's own after them."""
    steps: list[dict[Command, None]] = [{} for _ in general]
    for command in particular:
        steps[command.step].setdefault(command)
    merged: list[Command] = []
    for own, commands in zip(general, steps, strict=True):
        merged += list(commands)[:MOST_COMMANDS]
        if len(commands) > MOST_COMMANDS and own not in merged:
            merged.append(own)
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
