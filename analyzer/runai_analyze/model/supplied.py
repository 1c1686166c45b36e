"""What a bundle supplies: objects, problems, the bundle as a whole, and the facts that rules may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


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

    @property
    def place(self) -> str:
        """Where the bundle holds it: ``member:line``, or the member alone."""
        return f"{self.member}:{self.line}" if self.line else self.member


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
class Exposed:
    """A Secret of which values stood in the bundle; they were dropped when it was read. ``values``: how many."""

    namespace: str
    name: str
    values: int
    member: str


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
    holder: str = ""  # how sentences call the bundle of another tool: "a must-gather"; empty: our own
    parts: tuple[BundleInfo, ...] = ()  # of several that were read as one: each of them, the newest first
    notes: tuple[str, ...] = ()  # whole sentences that stand at the top of the report
    exposed: tuple[Exposed, ...] = ()  # of another tool's bundle: our own never hold values


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
