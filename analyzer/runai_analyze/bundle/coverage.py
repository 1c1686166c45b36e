"""What of a kind is lacking, from the manifest's steps: "there are none" and "we could not look" are never the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from runai_collect import layout

from ..model import Missing, Step
from .kinds import CLUSTER_SCOPED, plural_of
from .reasons import FINE, lack, reason

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
# What the collector says of a list that lacks the objects of some namespaces on request; other words, or cut ones, are no answer.
_LEFT_OUT = re.compile(
    "(?:{})?(?:; )?(?:{})?".format(
        re.escape(layout.WITHOUT).replace("%s", "(?P<without>[a-z0-9*?, -]+)"),
        re.escape(layout.ONLY_OF).replace("%s", "(?P<only>[a-z0-9*?, -]+)"),
    )
)
# What the collector says of pods whose logs it did not read because it read those of others like them.
_OTHERS_WERE_READ = "those of other pods of the same workload are read"
# Kinds whose objects a person must not be asked to send whole.
_NAMES_ONLY = ("Secret", "ConfigMap")


@dataclass
class Coverage:
    """The steps of a bundle and what is known of the API, and what was lost on the way, with the reason: kinds (``damaged``),
    everything (``all_damaged``), single steps by id (``lost``). ``namespaces``: those whose objects were read. ``holder``: how
    sentences call the bundle of another tool, which has no steps of its own ("a must-gather"); empty: our own."""

    steps: Sequence[Step]
    cut: bool
    discovery: Mapping[str, Any] | None
    damaged: dict[tuple[str, str], str] = field(default_factory=dict)
    all_damaged: str = ""
    lost: dict[str, str] = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)
    holder: str = ""
    supply: str = ""  # the other tool's command for all of a namespace (``{}``), of the kinds that it lists

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
        if not steps and self._not_served(kind, group):
            return ()
        command = self._command(kind, group, steps)
        if broken := self._broken(kind, group):
            return (Missing(kind, broken, command),)
        if self._cluster_scoped(kind, group) and kind != "Namespace":  # namespaces may have been asked for one by one
            steps = [step for step in steps if not step.namespace]
            namespaces = ()
        return self._asked(kind, steps, namespaces, command)

    def _broken(self, kind: str, group: str) -> str:
        """Return why what was read of a kind is not all that was collected of it; empty when it is."""
        if self.cut:
            return "the bundle was cut, so no list in it is known to be whole"
        return self.damaged.get((kind, group)) or self.all_damaged

    def _asked(self, what: str, steps: Sequence[Step], namespaces: Sequence[str], command: str) -> tuple[Missing, ...]:
        """Return the gaps in an answer: none when the whole cluster was asked and answered, or when every namespace that the
        question concerns, and all of them are known, answered for itself. Whatever was not asked is a gap."""
        whole = [step for step in steps if not step.namespace]
        if whole and all(step.status in FINE or _beside_the_point(step, namespaces) for step in whole):
            return ()
        refused = next((step for step in whole if step.status not in FINE), None)
        refusal = lack(what, refused, command) if refused else self._no_step(what, command)
        concerned = self._concerned(namespaces)
        parts = {step.namespace for step in steps if step.namespace}
        if concerned is None or not (parts or all(self._absent(name) for name in namespaces or ("",))):
            some = f"{self.holder} holds it only of some namespaces"
            return (replace(refusal, reason=some) if parts and self.holder and not refused else refusal,)
        gaps = (self._gap(refusal, name, [step for step in steps if step.namespace == name], bool(whole)) for name in concerned)
        return tuple(dict.fromkeys(gap for gap in gaps if gap))

    def _no_step(self, what: str, command: str) -> Missing:
        """Return a gap that no step tells of; a list of APIs that the customer took out could have told that there is none."""
        step = next((step for step in self.steps if step.id == "discovery" and step.taken_out), None)
        if step is None or self.discovery is not None:
            why = f"{self.holder} does not hold it" if self.holder else "the bundle has no step for it"
            return Missing(what, why, command)
        why = f"nothing tells whether the cluster has it (list of APIs: {reason(step)})"
        return Missing(what, why, command, taken_out=step.taken_out)

    def _concerned(self, namespaces: Sequence[str]) -> Sequence[str] | None:
        """Return the namespaces that a question is about by their names; None when nobody can tell which those are."""
        if namespaces and not any(_is_glob(name) for name in namespaces):
            return namespaces
        known = self._known_namespaces()
        return None if known is None else [name for name in known if _matches(name, namespaces)]

    def _known_namespaces(self) -> list[str] | None:
        """Return the namespaces of the cluster when the bundle holds all of them."""
        found = [step for step in self.steps if (step.kind, step.group, step.namespace) == ("Namespace", "", "")]
        listed = bool(found) and all(step.status in FINE for step in found)
        return sorted(self.namespaces) if listed and self.namespaces and not self._broken("Namespace", "") else None

    def _gap(self, refusal: Missing, namespace: str, steps: Sequence[Step], whole: bool) -> Missing | None:
        if not steps and self._absent(namespace):
            return None
        if not steps and whole:
            return refusal
        refused = next((step for step in steps if step.status not in FINE), None)
        if steps and refused is None:
            return None
        own = self.supply if not steps else ""
        command = own.format(namespace) if own else refusal.command.replace(" -A", f" -n {namespace}")
        what = f"{refusal.what} in {namespace}"
        return lack(what, refused, command) if refused else replace(refusal, what=what, command=command)

    def _absent(self, namespace: str) -> bool:
        """Tell whether the cluster has no such namespace."""
        asked = [step.status for step in self.steps if (step.kind, step.namespace) == ("Namespace", namespace)]
        known = self._known_namespaces()
        return (bool(namespace and asked) and set(asked) == {"not_found"}) or bool(namespace and known and namespace not in known)

    def _not_served(self, kind: str, group: str) -> bool:
        """Tell whether discovery, being complete, says that the cluster has no such kind."""
        if self.discovery is None or self.discovery.get("complete") is not True:
            return False
        entries = [entry for entry in _groups(self.discovery) if entry.get("group") == group]
        return not any(entry.get("stale") or _lists(entry, kind) for entry in entries)

    def _command(self, kind: str, group: str, steps: Sequence[Step]) -> str:
        plural = next((step.id.split("@")[0].rsplit("/", 1)[-1] for step in steps if step.id.startswith("list:")), "")
        plural = plural or (plural_of(kind) if self.holder else kind.lower())
        name = f"{plural}.{group}" if group and group not in _BUILT_IN else plural
        everywhere = "" if self._cluster_scoped(kind, group) else " -A"
        return f"kubectl get {name}{everywhere}" + ("" if kind in _NAMES_ONLY else " -o yaml")

    def _cluster_scoped(self, kind: str, group: str) -> bool:
        entries = [entry for entry in _groups(self.discovery) if entry.get("group") == group]
        found = [one for entry in entries for one in _resources(entry) if one.get("kind") == kind]
        if self.holder and not found:  # others' bundles seldom say what the API serves
            return kind in CLUSTER_SCOPED and group in _BUILT_IN
        return any(one.get("namespaced") is False for one in found)

    # --- Kinds that are made of other things than lists ---------------------------------------------------------------------

    def _made(self, kind: str, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        if kind == "NvidiaSmi":
            return self._nvidia_smi(namespaces)
        if kind == "Host":  # which machines there are files of nobody promised, but those that are there have to be whole
            broken = self._broken("Host", "made")
            return (Missing("files of single machines", broken, "runai-collect node"),) if broken else ()
        if kind == "HelmRelease":
            return self._helm(namespaces)
        if kind == "LogLine":
            return (*self.of("Pod", "", namespaces), *self._logs(namespaces))
        if kind == "Certificate":
            return (*self._certificates(namespaces), *self.of("Ingress", "networking.k8s.io", namespaces))
        return ()

    def _nvidia_smi(self, nodes: Sequence[str]) -> tuple[Missing, ...]:
        asked = {step.id.removeprefix("nvidia-smi:"): step for step in self.steps if step.id.startswith("nvidia-smi:")}
        gaps = []
        for node in nodes or sorted(asked):
            step, lost = asked.get(node), self.lost.get(f"nvidia-smi:{node}")
            if step is None or lost:
                why = "the bundle was cut" if self.cut else lost or "it was not asked on this node"
                gaps.append(Missing(f"nvidia-smi of node {node}", why, RECOLLECT))
            elif step.status not in ("ok", "empty"):  # where no pod has nvidia-smi, the node itself may
                command = "nvidia-smi -q" if step.status == "not_found" else RECOLLECT
                gaps.append(lack(f"nvidia-smi of node {node}", step, command))
        return tuple(gaps)

    def _helm(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return the gaps of ``helm``, which asks the whole cluster, and of ``helm@NS``, which stand in for it."""
        what, command = "Helm releases", "helm list -A"
        if broken := self._broken("HelmRelease", "made"):
            return (Missing(what, broken, command),)
        parts = [step for step in self.steps if step.id.startswith("helm@")]
        whole = [step for step in self.steps if step.id == "helm"] or [
            step for step in self.steps if step.id == "secrets" and step.status not in FINE
        ]
        return self._asked(what, [*whole, *parts], namespaces, command)

    def _logs(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return the gaps of ``logs``, ``logs@NS`` and ``log:NS/POD/CONTAINER``. A tail whose older lines were left out is none,
        and neither are the logs of other pods of a workload of which some were read: logs never tell the whole."""
        if self.cut:
            return (Missing("logs of pods", "the bundle was cut", RECOLLECT),)
        steps = [step for step in self.steps if step.id.partition(":")[0].partition("@")[0] in ("log", "logs")]
        gaps = [self._log_gap(step) for step in steps if _concerns(step, namespaces)]
        return tuple(dict.fromkeys(gap for gap in gaps if gap))

    def _log_gap(self, step: Step) -> Missing | None:
        name = step.id.partition(":")[2].removesuffix(":previous")
        what = f"the log of {name}" if name else f"logs of pods in {step.namespace}" if step.namespace else "logs of pods"
        if step.id in self.lost:
            return Missing(what, self.lost[step.id], RECOLLECT)
        if step.status in FINE or step.message == _OTHERS_WERE_READ:
            return None
        pod, _, container = name.partition("/")[2].partition("/")
        before = " --previous" if step.id.endswith(":previous") else ""
        return lack(what, step, f"kubectl logs -n {step.namespace} {pod} -c {container}{before}" if container else RECOLLECT)

    def _certificates(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return the gaps of ``certificate:NS/NAME``. Only a bundle supplies them: what a Secret holds is asked of nobody."""
        if broken := self._broken("Certificate", "made"):
            return (Missing("certificates", broken, RECOLLECT),)
        steps = [step for step in self.steps if step.id.startswith("certificate:") or step.id == "certificates"]
        if self.holder and (gaps := self.of("Secret", "", namespaces)):
            return tuple(replace(gap, what=gap.what.replace("Secret", "certificates", 1), command=RECOLLECT) for gap in gaps)
        if not steps and not self.holder:
            return (Missing("certificates", "the bundle has no step for them", RECOLLECT),)
        concerned = [step for step in steps if _concerns(step, namespaces)]
        lost = (Missing(_certificate_words(step), self.lost[step.id], RECOLLECT) for step in concerned if step.id in self.lost)
        refused = (step for step in concerned if step.status not in FINE and step.id not in self.lost)
        return (*lost, *(lack(_certificate_words(step), step, RECOLLECT) for step in refused))


def _certificate_words(step: Step) -> str:
    name = step.id.partition(":")[2]
    return f"the certificate of {name}" if name else "the TLS certificates"


def _beside_the_point(step: Step, namespaces: Sequence[str]) -> bool:
    """Tell whether a list of the whole cluster lacks nothing but objects of other namespaces, left out by --exclude or --only."""
    words = step.message.removeprefix(layout.LEFT_OUT) if step.message.startswith(layout.LEFT_OUT) else ""
    found = _LEFT_OUT.fullmatch(words)
    if step.status != "truncated" or not words or not found or not namespaces:
        return False
    without, only = ((found[name] or "").split(", ") if found[name] else [] for name in ("without", "only"))
    if any(_meet(left_out, name) for left_out in without for name in namespaces):
        return False
    return not only or all(not _is_glob(name) and _matches(name, only) for name in namespaces)


def _meet(left_out: str, wanted: str) -> bool:
    """Tell whether a namespace can be meant by both patterns; of two globs nobody can tell, so it can."""
    if _is_glob(left_out) and _is_glob(wanted):
        return True
    return fnmatchcase(left_out, wanted) or fnmatchcase(wanted, left_out)


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
