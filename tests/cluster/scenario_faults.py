"""The operations that faults and variants are made of, done to a live cluster, each with the way back."""

import datetime
import time
from collections.abc import Callable
from typing import Any, Protocol

import yaml

from tests.cluster.client import ApiError, Client
from tests.cluster.scenario_certificates import Authority, Wish
from tests.cluster.scenario_data import Object, merged, with_times

STRATEGIC = "application/strategic-merge-patch+json"
SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink", "deletionTimestamp")
SETTLED_SECONDS = 20  # a CustomResourceDefinition is gone when the server has emptied it, and served when it took its names
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")

Undo = Callable[[], None]


class Site(Protocol):
    """What is changed: a loaded scenario."""

    authority: Authority
    now: datetime.datetime

    @property
    def client(self) -> Client: ...

    def path_of(self, short: Object) -> str:
        """Where {kind, namespace, name} lives in the API."""

    def owned_by(self, short: Object) -> list[Object]:
        """What an object owns, owners last; without a name all of that kind."""

    def learn(self, created: Object) -> None:
        """Is told of an object that no file of the scenario has."""

    def set_nvidia_smi(self, node: str, output: str) -> Undo:
        """Changes what nvidia-smi says on a node."""

    def set_version(self, change: Object) -> Undo:
        """Merges into the answer of /version."""


class Changer:
    """Changes a site by operations; each comes with its way back."""

    def __init__(self, site: Site) -> None:
        self._site, self._client = site, site.client

    def change(self, operations: list[Object]) -> list[Undo]:
        """Does them in order; the ways back are to be taken from the last to the first."""
        undo: list[Undo] = []
        for operation in with_times(operations, self._site.now):
            undo += self._change(operation)
        return undo

    def _change(self, operation: Object) -> list[Undo]:
        known = {"patch", "status", "text", "delete", "create", "nvidia_smi", "version", "certificate", "each"}
        (name,) = known & operation.keys()
        done: list[Undo] = getattr(self, f"_{name}")(operation)
        return done

    def _patch(self, operation: Object) -> list[Undo]:
        path = self._site.path_of(operation["patch"])
        undo = [self._remember(path)]
        if "strategic" in operation:
            self._client.patch(path, operation["strategic"], content_type=STRATEGIC)
        else:
            self._client.patch(path, operation["merge"])
        self._observe(path)
        if operation.get("with_pods"):
            undo += [self._renew_pod(pod, operation["strategic"]) for pod in self._pods(operation["patch"])]
        return undo

    def _status(self, operation: Object) -> list[Undo]:
        path = self._site.path_of(operation["status"])
        undo = self._remember(path)
        self._client.patch(path, {"status": operation["merge"]}, "status")
        return [undo]

    def _each(self, operation: Object) -> list[Undo]:
        """`each: {kind: Node}` with `merge` and `status_merge`: the same patch for all of a kind, for variants."""
        undo: list[Undo] = []
        for item in self._site.owned_by(operation["each"]):
            if "merge" in operation:
                undo += self._patch({"patch": item, "merge": operation["merge"]})
            if "status_merge" in operation:
                undo += self._status({"status": item, "merge": operation["status_merge"]})
        return undo

    def _text(self, operation: Object) -> list[Undo]:
        path, key = self._site.path_of(operation["text"]), operation["key"]
        undo = self._remember(path)
        inner = merged(yaml.safe_load(self._client.get(path)["data"][key]), operation["merge"])
        self._client.patch(path, {"data": {key: yaml.safe_dump(inner, sort_keys=False)}})
        return [undo]

    def _delete(self, operation: Object) -> list[Undo]:
        owned = self._site.owned_by(operation["delete"]) if operation.get("with_owned") else []
        undo: list[Undo] = []
        for item in [*owned, operation["delete"]]:
            path = self._site.path_of(item)
            undo.append(self._remember(path))
            self._remove(path)
        return undo

    def _create(self, operation: Object) -> list[Undo]:
        path = self._client.path_of(operation["create"])
        undo = self._remember(path)
        self._client.load(operation["create"])
        self._site.learn(operation["create"])
        return [undo]

    def _certificate(self, operation: Object) -> list[Undo]:
        secret = self._site.authority.secret(Wish(**operation["certificate"]))
        path = self._client.path_of(secret)
        undo = self._remember(path)
        self._remove(path)  # the type of a Secret cannot be changed
        self._client.create(secret)
        return [undo]

    def _nvidia_smi(self, operation: Object) -> list[Undo]:
        return [self._site.set_nvidia_smi(operation["nvidia_smi"]["node"], operation["nvidia_smi"]["output"])]

    def _version(self, operation: Object) -> list[Undo]:
        return [self._site.set_version(operation["version"])]

    def _pods(self, workload: Object) -> list[Object]:
        return [one for one in self._site.owned_by(workload) if one["kind"] == "Pod"]

    def _renew_pod(self, pod: Object, patch: Object) -> Undo:
        """The pods of a workload whose template changed: new labels and images, also in their status."""
        path = self._site.path_of(pod)
        undo = self._remember(path)
        template = patch["spec"]["template"]
        images = {one["name"]: one["image"] for one in template["spec"]["containers"]}
        containers = [{"name": name, "image": image} for name, image in images.items()]
        self._client.patch(path, {"metadata": template["metadata"], "spec": {"containers": containers}}, content_type=STRATEGIC)
        statuses = self._client.get(path)["status"]["containerStatuses"]
        renewed = [{**one, "image": images.get(one["name"], one["image"])} for one in statuses]
        self._client.patch(path, {"status": {"containerStatuses": renewed}}, "status")
        return undo

    def _observe(self, path: str) -> None:
        """What the controller would do: write down that it saw the change."""
        found = self._client.get(path)
        if found["kind"] in WORKLOADS:
            seen = {"status": {"observedGeneration": found["metadata"]["generation"]}}
            self._client.patch(path, seen, "status")

    def _remember(self, path: str) -> Undo:
        before = _get(self._client, path)
        return lambda: self._restore(path, before)

    def _restore(self, path: str, before: Object | None) -> None:
        now = _get(self._client, path)
        if before is None:
            if now is not None:
                self._remove(path)
        elif now is None:
            self._bring_back(path, before)
        elif _same_but_for_status(before, now):
            self._put_status(path, before)
        elif before["kind"] in ("Secret", "CustomResourceDefinition", "Pod"):  # their specs cannot be put back in place
            self._remove(path)
            self._bring_back(path, before)
        else:
            version = {"resourceVersion": now["metadata"]["resourceVersion"]}
            self._client.put({**before, "metadata": {**_clean(before)["metadata"], **version}})
            self._put_status(path, before)

    def _bring_back(self, path: str, before: Object) -> None:
        self._client.create(_clean(before))
        if before["kind"] == "CustomResourceDefinition":
            self._wait(path, _is_established)
        else:
            self._put_status(path, before)

    def _put_status(self, path: str, before: Object) -> None:
        """The status as it was, but for the generation, which the server goes on counting."""
        if "status" not in before:
            return
        now = self._client.get(path)
        status = dict(before["status"])
        if "observedGeneration" in status and before["kind"] in WORKLOADS:
            status["observedGeneration"] = now["metadata"]["generation"]
        if now.get("status") == status:
            return
        try:
            self._client.put({**now, "status": status}, "status")
        except ApiError as error:
            if error.status != 404:  # no such subresource: the status came back with the rest
                raise

    def _remove(self, path: str) -> None:
        found = _get(self._client, path)
        if found is None:
            return
        if found["metadata"].get("finalizers") and found["kind"] != "CustomResourceDefinition":
            self._client.patch(path, {"metadata": {"finalizers": None}})  # nobody is there to see to them
        self._client.delete(f"{path}?gracePeriodSeconds=0")
        self._wait(path, lambda found: found is None)

    def _wait(self, path: str, settled: Callable[[Object | None], bool]) -> None:
        """Wait for what the server does on its own: a CRD is emptied before it goes, and its names are accepted after it came."""
        deadline = time.monotonic() + SETTLED_SECONDS
        while not settled(_get(self._client, path)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} has not settled after {SETTLED_SECONDS} s")
            time.sleep(0.05)


def _is_established(made: Object | None) -> bool:
    conditions = (made or {}).get("status", {}).get("conditions") or []
    return any((one["type"], one["status"]) == ("Established", "True") for one in conditions)


def _get(client: Client, path: str) -> Object | None:
    try:
        return client.get(path)
    except ApiError as error:
        if error.status != 404:
            raise
        return None


def _clean(obj: Object) -> Object:
    """A manifest that can be created again."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in SERVER_FIELDS}
    return {**obj, "metadata": metadata}


def _same_but_for_status(left: Object, right: Object) -> bool:
    return left["metadata"]["uid"] == right["metadata"]["uid"] and _spec(left) == _spec(right)


def _spec(obj: Object) -> Any:
    return {name: value for name, value in _clean(obj).items() if name != "status"}
