"""Loads a scenario into the test cluster, and plants faults in it one by one.

    loaded = load(cluster, "healthy")
    apply_fault(loaded, fault_by_id("cluster-url-http"))
    revert_fault(loaded, fault_by_id("cluster-url-http"))

`load(cluster, "broken-site")` is `healthy` with every fault that can stand beside the others. The cluster must be empty before
(`Cluster.reset`).
"""

import datetime
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.cluster.client import ApiError, Client
from tests.cluster.scenario_certificates import Authority, Wish
from tests.cluster.scenario_data import Fault, Key, Object, key_of, merged, read_faults, read_scenario, read_variants
from tests.cluster.scenario_faults import Changer, Undo
from tests.cluster.scenario_nvidia import CONTAINER, write_answers
from tests.cluster.server import Cluster

WORKERS = 4  # requests at once
BASE = {"broken-site": "healthy"}  # scenarios that are another one with changes
FIRST = ("CustomResourceDefinition", "Namespace", "PriorityClass", "RuntimeClass", "StorageClass", "Node")
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
LAST = ("ResourceQuota", "IngressClass", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class LoadedScenario:
    """What stands in the cluster now. `options` are those of the analyzer: runai_version, planned; `faults` those planted."""

    def __init__(self, cluster: Cluster, name: str, now: datetime.datetime) -> None:
        self.cluster = cluster
        self.now = now
        self.name = name
        self.data = read_scenario(BASE.get(name, name), now)
        self.options: Object = dict(self.data.options)
        self.faults: dict[str, list[Undo]] = {}
        self.version: Object = {}
        self.authority = Authority(now)
        self._objects = {key_of(one): one for one in self.data.objects}
        self._uids: dict[Key, str] = {}
        self.changer = Changer(self)

    @property
    def client(self) -> Client:
        """The administrator's."""
        return self.cluster.client

    def path_of(self, short: Object) -> str:
        """Where {kind, namespace, name} lives in the API."""
        kind, namespace, name = key_of(short)
        known = self._objects.get((kind, namespace, name))
        version = known["apiVersion"] if known else {"Secret": "v1"}[kind]
        metadata = {"namespace": namespace, "name": name} if namespace else {"name": name}
        return self.client.path_of({"apiVersion": version, "kind": kind, "metadata": metadata})

    def owned_by(self, short: Object) -> list[Object]:
        """What an object owns, directly or not, as short references, the far ones first; without a name all of that kind."""
        if "name" not in short:
            return [_short(key) for key in self._objects if key[0] == short["kind"]]
        kind, namespace, name = key_of(short)
        found: list[Object] = []
        for key, obj in self._objects.items():
            owners = obj["metadata"].get("ownerReferences", [])
            if any((one["kind"], one["name"]) == (kind, name) for one in owners) and key[1] == namespace:
                found = [*self.owned_by(_short(key)), _short(key), *found]
        return found

    def set_nvidia_smi(self, node: str, output: str) -> Undo:
        before = self.data.nvidia_smi[node]
        write_answers(self._driver_folder(node), node, output)
        return lambda: write_answers(self._driver_folder(node), node, before)

    def set_version(self, change: Object) -> Undo:
        before = self.version
        self.version = merged(before, change)
        self.cluster.set_version(self.version)

        def undo() -> None:
            self.version = before
            self.cluster.set_version(before or None)

        return undo

    def learn(self, created: Object) -> None:
        self._objects.setdefault(key_of(created), created)

    def leave_out_unserved(self) -> None:
        """Forgets the objects in a version that neither the server nor a definition of the scenario has."""
        defined = {one["spec"]["group"] for one in self.data.objects if one["kind"] == "CustomResourceDefinition"}
        versions = {one["apiVersion"] for one in self.data.objects}
        served = {one for one in versions if one.split("/")[0] in defined or self.client.serves(one)}
        self.data.objects[:] = [one for one in self.data.objects if one["apiVersion"] in served]

    def load_objects(self) -> None:
        """All of it, kind after kind as one needs the other; then certificates, answers of nvidia-smi and logs."""
        for stage in _stages(self.data.objects):
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(self._load, stage))
        for wish in self.data.certificates:
            self.client.create(self.authority.secret(Wish(**wish)))
        if self.data.authority:
            self.client.create(self._authority_secret())
        for node, output in self.data.nvidia_smi.items():
            write_answers(self._driver_folder(node), node, output)
        for pod in (one for one in self.data.objects if one["kind"] == "Pod"):
            self._write_log(pod)

    def _write_log(self, pod: Object) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        workload = pod["metadata"]["labels"].get("app.kubernetes.io/name", "")
        text = self.data.logs.get(f"{namespace}/{workload}") or self.data.logs.get(namespace)
        if text:
            path = self.cluster.kubelet_dir / namespace / name / f"{pod['spec']['containers'][0]['name']}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def _load(self, obj: Object) -> None:
        owners = [{**one, "uid": self._uids[self._owner_key(obj, one)]} for one in obj["metadata"].get("ownerReferences", [])]
        metadata = {**obj["metadata"], **({"ownerReferences": owners} if owners else {})}
        ready = {**obj, "metadata": metadata}
        if obj["kind"] == "Node":
            ready = {**ready, "status": self._node_status(obj)}
        try:
            made = self.client.load(ready)
        except ApiError as error:
            raise RuntimeError(f"{'/'.join(key_of(obj))}: {error}") from error
        self._uids[key_of(obj)] = made["metadata"]["uid"]

    def _owner_key(self, obj: Object, owner: Object) -> Key:
        namespaced = (owner["kind"], obj["metadata"]["namespace"], owner["name"])
        return namespaced if namespaced in self._uids else (owner["kind"], "", owner["name"])

    def _node_status(self, node: Object) -> Object:
        reached = self.cluster.node_status()
        return {**node["status"], **reached, "addresses": reached["addresses"] + node["status"]["addresses"]}

    def _authority_secret(self) -> Object:
        namespace, name = self.data.authority["secret"].split("/")
        metadata = {"namespace": namespace, "name": name, "labels": self.data.authority["labels"]}
        data = {self.data.authority["key"]: self.authority.root_pem}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "stringData": data}

    def _driver_folder(self, node: str) -> Path:
        for kind, namespace, name in self._objects:
            pod = self._objects[kind, namespace, name]
            if kind == "Pod" and pod["spec"]["nodeName"] == node and pod["spec"]["containers"][0]["name"] == CONTAINER:
                return self.cluster.kubelet_dir / namespace / name / CONTAINER
        raise LookupError(f"no driver pod on node {node}")


def load(
    cluster: Cluster, name: str, *, faults: Sequence[str] | None = None, variant: str | None = None, served_only: bool = False
) -> LoadedScenario:
    """Loads scenarios/<name> into an empty cluster.

    `faults`: ids to plant; None: for broken-site every one that can stand beside the others, else none.
    `variant`: a flavour of `healthy` (gke, eks, openshift).
    `served_only`: objects in a version of Kubernetes that this server does not have are left out.
    """
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    loaded = LoadedScenario(cluster, name, now)
    if served_only:
        loaded.leave_out_unserved()
    loaded.load_objects()
    if variant:
        set_variant(loaded, variant)
    for fault in _chosen(name, faults):
        apply_fault(loaded, fault)
    return loaded


def set_variant(loaded: LoadedScenario, variant: str) -> list[Undo]:
    """Makes `healthy` another flavour; `take_back` of the result makes it vanilla again."""
    return loaded.changer.change(read_variants()[variant])


def apply_fault(loaded: LoadedScenario, fault: Fault) -> None:
    """Plants one fault. Its variant, where it needs one, must have been set."""
    loaded.faults[fault.id] = loaded.changer.change(fault.change)
    loaded.options.update(fault.options)


def revert_fault(loaded: LoadedScenario, fault: Fault) -> None:
    """Takes one fault out again: every object is as before, but for what the server counts (uid, resourceVersion, generation)."""
    take_back(loaded.faults.pop(fault.id))
    for name in fault.options:
        loaded.options.pop(name)
    loaded.options.update(loaded.data.options)


def take_back(undo: list[Undo]) -> None:
    for step in reversed(undo):
        step()


def fault_by_id(fault_id: str) -> Fault:
    """Raises KeyError where faults.yaml has no such fault."""
    return {one.id: one for one in read_faults()}[fault_id]


def together() -> list[Fault]:
    """The faults that are in broken-site."""
    return [one for one in read_faults() if one.together]


def _chosen(name: str, faults: Sequence[str] | None) -> list[Fault]:
    if faults is not None:
        return [fault_by_id(one) for one in faults]
    return together() if name == "broken-site" else []


def _short(key: Key) -> Object:
    kind, namespace, name = key
    return {"kind": kind, "namespace": namespace, "name": name} if namespace else {"kind": kind, "name": name}


def _stages(objects: list[Object]) -> list[list[Object]]:
    """Owners before what they own, namespaces before what is in them, what could forbid or change others last."""

    def of(*kinds: str) -> list[Object]:
        return [one for one in objects if one["kind"] in kinds]

    special = {*FIRST, *WORKLOADS, "ReplicaSet", "Pod", *LAST}
    rest: list[Any] = [one for one in objects if one["kind"] not in special]
    return [of(*FIRST), rest, of(*WORKLOADS), of("ReplicaSet"), of("Pod"), of(*LAST)]
