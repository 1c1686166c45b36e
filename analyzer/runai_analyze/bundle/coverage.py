"""What of a kind is lacking, from the manifest's steps: "there are none" and "we could not look" are never the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ..model import Missing, Step

# "empty": looked, there are none. "not_found": the cluster does not serve the kind, or has no such namespace.
FINE = ("ok", "empty", "not_found")
_WORDS = {
    "forbidden": "the account may not read it",
    "timeout": "the cluster did not answer in time",
    "error": "the request failed",
    "skipped": "it was left out",
    "truncated": "the list was cut off",
    "not_found": "there was nobody to ask",
}
# Of kinds that several groups have, a bare name means the one of Kubernetes itself.
_BUILT_IN = frozenset(
    (
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    )
)
RECOLLECT = "runai-collect"  # stands as the command where nothing but another bundle supplies the data
# Kinds whose objects a person must not be asked to send whole.
_NAMES_ONLY = ("Secret", "ConfigMap")
# Kinds that are never asked for in the whole cluster at once, but in each namespace.
_BY_NAMESPACE = ("Secret",)


@dataclass
class Coverage:
    """The steps of a bundle and what is known of the API. ``damaged``: kinds of which members were lost, with the reason."""

    steps: Sequence[Step]
    cut: bool
    discovery: Mapping[str, Any] | None
    damaged: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return what is lacking of a kind in the namespaces (globs; empty: all)."""
        if group == "made":
            return self._made(kind, namespaces)
        groups = self._groups(kind) if group is None else [group]
        return tuple(missing for one in groups for missing in self._real(kind, one, namespaces))

    def served(self, group: str) -> bool | None:
        """Tell whether the cluster serves an API group; None when discovery does not tell."""
        if self.discovery is None:
            return None
        if any(entry.get("group") == group for entry in _groups(self.discovery)):
            return True
        return False if self.discovery.get("complete") is True else None

    def _groups(self, kind: str) -> list[str]:
        found = {step.group for step in self.steps if step.kind == kind}
        found |= {str(entry.get("group", "")) for entry in _groups(self.discovery) if _lists(entry, kind)}
        found |= {group for name, group in self.damaged if name == kind}
        return sorted(found & _BUILT_IN) or sorted(found) or [""]

    def _real(self, kind: str, group: str, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        steps = [step for step in self.steps if (step.kind, step.group) == (kind, group)]
        command = self._command(kind, group, steps)
        if not steps and self._not_served(kind, group):
            return ()
        if self.cut:
            return (Missing(kind, "the bundle was cut, so no list in it is known to be whole", command),)
        if (kind, group) in self.damaged:
            return (Missing(kind, self.damaged[kind, group], command),)
        whole = next((step for step in steps if not step.namespace), None)
        if whole and whole.status in FINE:
            return ()
        refusal = Missing(kind, reason(whole) if whole else "the bundle has no step for it", command)
        if steps and self._namespaces_known() and (whole or kind in _BY_NAMESPACE):
            tried = [step for step in steps if step.namespace]
            if not tried:  # left out altogether, so no namespace was ever asked
                return (refusal,)
            gaps = [self._gap(kind, step, refusal) for step in tried if _matches(step.namespace, namespaces)]
        elif not namespaces or any(_is_glob(name) for name in namespaces):
            return (refusal,)
        else:
            gaps = [self._in_namespace(kind, name, steps, refusal) for name in namespaces]
        return tuple(dict.fromkeys(gap for gap in gaps if gap))

    def _namespaces_known(self) -> bool:
        """Tell whether the list of namespaces is whole: what was refused for the whole cluster was then tried in each of them."""
        found = [step for step in self.steps if (step.kind, step.group, step.namespace) == ("Namespace", "", "")]
        return bool(found) and found[0].status in FINE and ("Namespace", "") not in self.damaged

    def _in_namespace(self, kind: str, namespace: str, steps: Sequence[Step], refusal: Missing) -> Missing | None:
        step = next((step for step in steps if step.namespace == namespace), None)
        if step is not None:
            return self._gap(kind, step, refusal)
        absent = any(
            step.kind == "Namespace" and step.namespace == namespace and step.status == "not_found" for step in self.steps
        )
        return None if absent else refusal

    @staticmethod
    def _gap(kind: str, step: Step, refusal: Missing) -> Missing | None:
        if step.status in FINE:
            return None
        return Missing(f"{kind} in {step.namespace}", reason(step), refusal.command.replace(" -A", f" -n {step.namespace}"))

    def _not_served(self, kind: str, group: str) -> bool:
        """Tell whether discovery, being complete, says that the cluster has no such kind."""
        if self.discovery is None or self.discovery.get("complete") is not True:
            return False
        entries = [entry for entry in _groups(self.discovery) if entry.get("group") == group]
        return not any(entry.get("stale") or _lists(entry, kind) for entry in entries)

    def _command(self, kind: str, group: str, steps: Sequence[Step]) -> str:
        plural = next((step.id.split("@")[0].rsplit("/", 1)[-1] for step in steps if step.id.startswith("list:")), kind.lower())
        name = f"{plural}.{group}" if group and group not in _BUILT_IN else plural
        everywhere = "" if self._cluster_scoped(kind, group) else " -A"
        return f"kubectl get {name}{everywhere}" + ("" if kind in _NAMES_ONLY else " -o yaml")

    def _cluster_scoped(self, kind: str, group: str) -> bool:
        entries = [entry for entry in _groups(self.discovery) if entry.get("group") == group]
        found = [one for entry in entries for one in _resources(entry) if one.get("kind") == kind]
        return any(one.get("namespaced") is False for one in found)

    # --- Kinds that are made of other things than lists ---------------------------------------------------------------------

    def _made(self, kind: str, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        if kind == "NvidiaSmi":
            return self._nvidia_smi(namespaces)
        if kind == "HelmRelease":
            return self._helm(namespaces)
        if kind == "Certificate":
            return (*self._certificates(namespaces), *self.of("Ingress", "networking.k8s.io", namespaces))
        return ()

    def _nvidia_smi(self, nodes: Sequence[str]) -> tuple[Missing, ...]:
        asked = {step.id.removeprefix("nvidia-smi:"): step for step in self.steps if step.id.startswith("nvidia-smi:")}
        gaps = []
        for node in nodes or sorted(asked):
            step = asked.get(node)
            if step is None:
                why = "the bundle was cut" if self.cut else "it was not asked on this node"
                gaps.append(Missing(f"nvidia-smi of node {node}", why, RECOLLECT))
            elif step.status not in ("ok", "empty"):  # where no pod has nvidia-smi, the node itself may
                command = "nvidia-smi -q" if step.status == "not_found" else RECOLLECT
                gaps.append(Missing(f"nvidia-smi of node {node}", reason(step), command))
        return tuple(gaps)

    def _helm(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return the gaps of ``helm``, which asks the whole cluster, and of ``helm@NS``, which stand in for it."""
        what, command = "Helm releases", "helm list -A"
        lost = self._lost(what, "HelmRelease", command)
        if lost or any(step.id == "helm" and step.status in FINE for step in self.steps):
            return lost
        parts = [step for step in self.steps if step.id.startswith("helm@")]
        refused = [step for step in parts if step.status not in FINE and _concerns(step, namespaces)]
        seen = {step.namespace for step in parts}
        if not parts or not ((set(namespaces) and set(namespaces) <= seen) or self._namespaces_known()):
            whole = next((step for step in self.steps if step.id in ("helm", "secrets") and step.status not in FINE), None)
            return (Missing(what, reason(whole) if whole else "the bundle has no step for them", command),)
        return tuple(Missing(f"{what} in {step.namespace}", reason(step), command) for step in refused)

    def _certificates(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return the gaps of ``certificate:NS/NAME``. Only a bundle supplies them: what a Secret holds is asked of nobody."""
        lost = self._lost("the TLS certificates", "Certificate", RECOLLECT)
        if lost:
            return lost
        steps = [step for step in self.steps if step.id.startswith("certificate:") or step.id == "certificates"]
        if not steps:
            return (Missing("the TLS certificates", "the bundle has no step for them", RECOLLECT),)
        refused = [step for step in steps if step.status not in FINE and _concerns(step, namespaces)]
        return tuple(Missing(_certificate_words(step), reason(step), RECOLLECT) for step in refused)

    def _lost(self, what: str, kind: str, command: str) -> tuple[Missing, ...]:
        why = "the bundle was cut" if self.cut else self.damaged.get((kind, "made"), "")
        return (Missing(what, why, command),) if why else ()


def _certificate_words(step: Step) -> str:
    name = step.id.partition(":")[2]
    return f"the certificate of {name}" if name else "the TLS certificates"


def reason(step: Step) -> str:
    """Return in words why a step supplied nothing, or not all."""
    words = _WORDS.get(step.status, step.status)
    if step.status == "forbidden" or not step.message:  # what the API server says then is the request once more, at length
        return words
    return f"{words} ({step.message})"


def _concerns(step: Step, namespaces: Sequence[str]) -> bool:
    return not step.namespace or not namespaces or step.namespace in namespaces or any(_is_glob(name) for name in namespaces)


def _matches(namespace: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(fnmatchcase(namespace, one) for one in wanted)


def _is_glob(name: str) -> bool:
    return any(one in name for one in "*?[")


def _groups(discovery: Mapping[str, Any] | None) -> Iterable[Mapping[str, Any]]:
    groups = discovery.get("groups") if discovery else None
    return [entry for entry in groups if isinstance(entry, Mapping)] if isinstance(groups, list) else []


def _lists(entry: Mapping[str, Any], kind: str) -> bool:
    return any(one.get("kind") == kind for one in _resources(entry))


def _resources(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    resources = entry.get("resources")
    return [one for one in resources if isinstance(one, Mapping)] if isinstance(resources, list) else []
