"""What every bundle format supplies to the facts: records, node files, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..model import BundleInfo, Missing

# What a record is: a Kubernetes object, a row that stands for one (ConfigMap, Secret, Helm release), the certificates of one
# Secret, or a file about a node ({"node", "name", "text"}).
Area = Literal["object", "configmap", "secret", "helm", "certificate", "node_file"]

# Kinds are asked for as (kind, group); group None: any. These name the records that are no Kubernetes objects.
HELM_RELEASES = ("HelmRelease", "made")
CERTIFICATES = ("Certificate", "made")
NODE_FILES = ("NodeFile", "made")
LOG_LINES = ("LogLine", "made")

Kinds = frozenset[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class Record:
    """One thing read: its body, the member and 1-based line (0: the whole member) it came from, and about how many bytes of
    memory it takes (0: not known)."""

    area: Area
    body: dict[str, Any]
    member: str = ""
    line: int = 0
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """The collected part of one container's log: as it was written, cut at the bound of a text member. ``previous``: of the run
    before the one that the bundle saw."""

    namespace: str
    pod: str
    container: str
    previous: bool
    member: str
    data: bytes


class Source(Protocol):
    """A bundle as the facts see it, whatever its format."""

    @property
    def info(self) -> BundleInfo:
        """The bundle as a whole, with all problems known so far."""

    @property
    def cluster_name(self) -> str:
        """The cluster's name as the collector wrote it; empty when the bundle does not say."""

    @property
    def version(self) -> Mapping[str, Any] | Missing:
        """The body of ``/version``."""

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream the records of these kinds (None: all, and files about nodes), each once, in the order of the bundle."""

    def logs(self) -> Iterator[Log]:
        """Stream the collected logs, one at a time, in the order of the bundle."""

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""

    def served(self, group: str) -> bool | None:
        """Whether the API server serves the group; None: the bundle does not say."""


def group_of(api_version: object) -> str:
    """Return the group of an apiVersion: ``apps`` for ``apps/v1``, empty for ``v1`` and for what is no text."""
    if not isinstance(api_version, str) or "/" not in api_version:
        return ""
    return api_version.split("/", 1)[0]


def wanted(kinds: Kinds, kind: str, group: str) -> bool:
    """Tell whether the kind of that group is among the kinds asked for."""
    return (kind, group) in kinds or (kind, None) in kinds
