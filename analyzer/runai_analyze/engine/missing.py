"""What to ask the customer for: the read-only command that supplies what a rule could not see."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runai_analyze.model import Missing, ObjectRef
from runai_analyze.ruleset.vocabulary import CLUSTER_SCOPED, GROUP_OF, MADE

_SAFE_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)
MOST_MISSING = 50


def list_command(kind: str, group: str | None, namespaces: Sequence[str] = ()) -> str:
    """Return the command that lists a kind; empty for made kinds. Of Secrets it asks for names only, never for values."""
    if group == MADE:
        return ""
    place = "" if kind in CLUSTER_SCOPED else " -A"
    if len(namespaces) == 1 and _SAFE_NAME.fullmatch(namespaces[0]):
        place = f" -n {namespaces[0]}"
    return f"kubectl get {resource(kind, group)}{place}{_output(kind)}"


def object_command(ref: ObjectRef, group: str) -> str:
    """Return the command that shows one object; empty when its name is not one that Kubernetes allows, or it is a made one."""
    names = [ref.name, ref.namespace] if ref.namespace else [ref.name]
    if group == MADE or not all(_SAFE_NAME.fullmatch(name) for name in names):
        return ""
    place = f" -n {ref.namespace}" if ref.namespace else ""
    return f"kubectl get {resource(ref.kind, group, plural=False)} {ref.name}{place}{_output(ref.kind)}"


def resource(kind: str, group: str | None, plural: bool = True) -> str:
    """Return a kind as kubectl takes it: ``nodes``, ``services.serving.knative.dev``."""
    word = (plural_of(kind) if plural else kind).lower()
    builtin = group is None or GROUP_OF.get(kind) == group or (not group and kind in GROUP_OF)
    return word if builtin or not group else f"{word}.{group}"


def plural_of(kind: str) -> str:
    """Return the plural of a kind: Pods, IngressClasses, NetworkPolicies, Endpoints."""
    if kind == "Endpoints":
        return kind
    if kind.endswith("y") and not kind.endswith("ay"):
        return f"{kind[:-1]}ies"
    return f"{kind}es" if kind.endswith(("s", "x", "ch")) else f"{kind}s"


def _output(kind: str) -> str:
    return "" if kind == "Secret" else " -o yaml"


class Gaps:
    """Collects what is missing, each once, in the order met, and not without bound."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], Missing] = {}
        self.objects = 0

    def add(self, missing: Missing) -> None:
        """Note something that is missing."""
        if len(self._seen) < MOST_MISSING:
            self._seen.setdefault((missing.what, missing.reason), missing)

    def all(self) -> tuple[Missing, ...]:
        """Return what was noted."""
        return tuple(self._seen.values())
