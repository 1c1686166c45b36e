"""The archives of OpenShift's Insights operator: by themselves, or in a must-gather, which holds those of its last hours.

Objects are JSON without kind and apiVersion, told by their path (docs/insights-archive-sample of the operator, 4.7 to 4.20). The
operator gathers what seems to matter to it, so hardly a kind is whole: only where its own account says that a gatherer that
asks for all of a kind brought as many as there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..intake.format import Format, Match, Member
from ..intake.held import Held, hold
from ..intake.intake import Intake

_HOLDER = "an archive of the Insights operator"
_ACCOUNT = "insights-operator/gathers.json"
_MOST_HELD = 64 << 20
# The folder or file below config/ → what it holds, where the objects do not say it themselves.
_KINDS = {
    "node": ("Node", "v1"),
    "pod": ("Pod", "v1"),
    "persistentvolumes": ("PersistentVolume", "v1"),
    "crd": ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
    "clusterrolebinding": ("ClusterRoleBinding", "rbac.authorization.k8s.io/v1"),
    "securitycontextconstraint": ("SecurityContextConstraints", "security.openshift.io/v1"),
    "validatingwebhookconfigurations": ("ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1"),
    "mutatingwebhookconfigurations": ("MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1"),
    "certificatesigningrequests": ("CertificateSigningRequest", "certificates.k8s.io/v1"),
    "storage/storageclasses": ("StorageClass", "storage.k8s.io/v1"),
    "version.json": ("ClusterVersion", "config.openshift.io/v1"),
    "infrastructure.json": ("Infrastructure", "config.openshift.io/v1"),
    "network.json": ("Network", "config.openshift.io/v1"),
    "proxy.json": ("Proxy", "config.openshift.io/v1"),
    "ingress.json": ("Ingress", "config.openshift.io/v1"),
    "oauth.json": ("OAuth", "config.openshift.io/v1"),
    "image.json": ("Image", "config.openshift.io/v1"),
    "apiserver.json": ("APIServer", "config.openshift.io/v1"),
    "authentication.json": ("Authentication", "config.openshift.io/v1"),
    "featuregate.json": ("FeatureGate", "config.openshift.io/v1"),
}
# Gatherers that ask for all objects of a kind and record each.
_WHOLE = {
    "clusterconfig/nodes": ("nodes", "Node", ""),
    "clusterconfig/storage_classes": ("storageclasses", "StorageClass", "storage.k8s.io"),
    "clusterconfig/machine_config_pools": ("machineconfigpools", "MachineConfigPool", "machineconfiguration.openshift.io"),
}
# Folders that hold no objects, or none that stand for what the cluster has.
_PASSED = ("config/secrets/", "config/configmaps/", "aggregated/", "insights-operator/", "conditional/alerts/", "events/")


def _match(names: Sequence[str]) -> Match | None:
    """Take what has the operator's account of its own work, at the top or in one folder."""
    account = next((name for name in sorted(names, key=len) if name.endswith(_ACCOUNT)), None)
    top = account.removesuffix(_ACCOUNT) if account is not None else ""
    if account is None or top.count("/") > 1 or (top and not top.endswith("/")):
        return None
    below = {name.removeprefix(top).split("/", 1)[0] for name in names if name.startswith(top)}
    return Match(top, 8) if "config" in below or "events" in below else None


def take(name: str, member: Member, intake: Intake) -> None:
    """Take a file of an archive; ``name``: below the archive's top folder."""
    if name == _ACCOUNT:
        intake.notes["insights"] = intake.document(member)
    elif name.startswith(_PASSED):
        return
    elif log := _log_of(name):
        intake.log(member, *log)
    elif name.endswith(".json"):
        intake.objects(member, *_kind_of(name))


def _kind_of(name: str) -> tuple[str, str]:
    parts = name.split("/")
    if parts[0] == "config" and len(parts) > 1:
        return _KINDS.get(parts[1]) or _KINDS.get("/".join(parts[1:3])) or ("", "")
    return ("", "")


def _log_of(name: str) -> tuple[str, str, str, bool] | None:
    """Return whose log a file is; what holds only chosen lines of one is left out: it proves nothing of the others."""
    parts = name.split("/")
    if parts[:2] == ["conditional", "namespaces"] and len(parts) == 9 and parts[3:4] == ["pods"] and parts[7] == "logs":
        return parts[2], parts[4], parts[6], "previous" in parts[8]
    return None


def _take(member: Member, intake: Intake) -> None:
    take(member.name, member, intake)


def _finish(names: Sequence[str], intake: Intake) -> None:
    tell(intake)


def tell(intake: Intake) -> None:
    """Say which kinds are whole: the gatherer failed in nothing, and recorded as many objects as there are."""
    for name, status in sorted(_account(intake).items()):
        what = _WHOLE.get(name)
        if what is None:
            continue
        plural, kind, group = what
        here = intake.seen.get((kind, group, ""), 0)
        if status.get("errors") or status.get("panic") or status.get("records_count") != here:
            why = "the operator's account of it does not fit what is here"
            intake.lacks(plural, kind, group, message=why, status="truncated")
        else:
            intake.collected(plural, kind, group)


def _account(intake: Intake) -> dict[str, Mapping[str, Any]]:
    body = intake.notes.get("insights")
    reports = body.get("status_reports") if isinstance(body, dict) else None
    found = [one for one in reports if isinstance(one, dict)] if isinstance(reports, list) else []
    return {one["name"]: one for one in found if isinstance(one.get("name"), str)}


@dataclass
class Archives:
    """The archives in a must-gather, kept until all of it is read: what the must-gather itself holds is younger."""

    files: dict[str, list[tuple[str, Held]]] = field(default_factory=dict)
    size: int = 0

    def add(self, archive: str, name: str, member: Member, intake: Intake) -> None:
        """Keep a file of an archive."""
        if member.size > _MOST_HELD - self.size:
            intake.problems.add(member.name, "the Insights archives are larger than can be held, and this file was not read")
            return
        held = hold(member)
        self.size += held.size
        self.files.setdefault(archive, []).append((name, held))

    def take_in(self, intake: Intake) -> None:
        """Take in the youngest archive: their names end in the time at which they were written."""
        if self.files:
            for name, held in self.files[max(self.files)]:
                take(name, held, intake)


FORMAT = Format("OpenShift Insights archive", _HOLDER, _match, _take, _finish)
