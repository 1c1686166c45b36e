"""kubectl cluster-info dump: into a folder, and into one file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.intake import ForeignBundle

from .packed import gaps, names, packed

# In the order in which kubectl writes them.
LISTS = {
    "events": ("Event", "v1"),
    "replication-controllers": ("ReplicationController", "v1"),
    "services": ("Service", "v1"),
    "daemonsets": ("DaemonSet", "apps/v1"),
    "deployments": ("Deployment", "apps/v1"),
    "replicasets": ("ReplicaSet", "apps/v1"),
    "pods": ("Pod", "v1"),
}
START, END = "==== START logs for container {} of pod {} ====\n", "==== END logs for container {} of pod {} ====\n"


def listed(kind: str, version: str, *names: str, namespace: str = "") -> dict[str, Any]:
    """A list as kubectl writes it: the items do not say what they are."""
    items = [{"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}} for name in names]
    return {"kind": f"{kind}List", "apiVersion": version, "metadata": {"resourceVersion": "7"}, "items": items}


def of_namespace(namespace: str, **names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return {name: listed(*what, *names.get(name, ()), namespace=namespace) for name, what in LISTS.items()}


def block(container: str, pod: str, text: str) -> str:
    return START.format(container, pod) + text + END.format(container, pod)


def folder(as_yaml: bool = False) -> dict[str, Any]:
    ending = ".yaml" if as_yaml else ".json"
    lists = {"nodes": listed("Node", "v1", "gpu-1", "gpu-2")}
    for namespace in ("default", "runai"):
        pods = ("agent",) if namespace == "runai" else ()
        lists |= {f"{namespace}/{name}": body for name, body in of_namespace(namespace, pods=pods).items()}
    texts = {f"dump/{name}{ending}": written(body, as_yaml) for name, body in lists.items()}
    return {**texts, "dump/runai/agent/logs.txt": block("init", "runai/agent", "one\n") + block("main", "runai/agent", "two\n")}


def written(body: dict[str, Any], as_yaml: bool) -> str:
    return yaml.safe_dump(body) if as_yaml else json.dumps(body, indent=4) + "\n"


def logs(bundle: ForeignBundle) -> list[tuple[str, str, str, bytes]]:
    return [(log.namespace, log.pod, log.container, log.data) for log in bundle.logs()]


@pytest.mark.parametrize("as_yaml", [False, True])
def test_a_folder_holds_all_of_its_namespaces(tmp_path: Path, as_yaml: bool) -> None:
    bundle = packed(tmp_path, folder(as_yaml))
    assert bundle.info.collector == "kubectl cluster-info dump"
    assert (names(bundle, "Node"), names(bundle, "Pod")) == (["gpu-1", "gpu-2"], ["runai/agent"])
    assert gaps(bundle, "Node") == gaps(bundle, "Pod", "", "default") == gaps(bundle, "Deployment", "apps", "runai") == []
    assert logs(bundle) == [("runai", "agent", "init", b"one\n"), ("runai", "agent", "main", b"two\n")]


def test_what_it_never_holds_and_other_namespaces_are_unknown(tmp_path: Path) -> None:
    bundle = packed(tmp_path, folder())
    holder = "kubectl cluster-info dump does not hold it"
    assert gaps(bundle, "StorageClass", "storage.k8s.io") == [("StorageClass", holder, "kubectl get storageclasses -o yaml")]
    assert gaps(bundle, "Pod", "", "runai-backend") == [
        ("Pod in runai-backend", holder, "kubectl get pods -n runai-backend -o yaml")
    ]
    assert gaps(bundle, "Pod")[0][1] == "kubectl cluster-info dump holds it only of some namespaces"


def test_where_it_stopped_is_unknown(tmp_path: Path) -> None:
    files = {name: content for name, content in folder().items() if "runai/replicasets" not in name and "runai/pods" not in name}
    bundle = packed(tmp_path, files)
    assert gaps(bundle, "Deployment", "apps", "runai") == []
    assert gaps(bundle, "Pod", "", "runai")[0][1] == "the request failed (the dump stopped before it)"


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_file_is_no_empty_list(tmp_path: Path, text: str) -> None:
    bundle = packed(tmp_path, {**folder(), "dump/default/pods.json": text})
    assert gaps(bundle, "Pod", "", "default")[0][1] == "the request failed (its file is no list)"


def test_a_log_may_hold_what_looks_like_a_mark(tmp_path: Path) -> None:
    text = "a\n" + END.format("main", "runai/agent") + "b\n" + START.format("x", "runai/agent") + "c\n"
    files = {
        **folder(),
        "dump/runai/agent/logs.txt": block("main", "runai/agent", text) + block("side", "runai/agent", "no newline"),
    }
    found = [(container, data.decode()) for _, _, container, data in logs(packed(tmp_path, files))]
    assert found == [("main", text), ("side", "no newline")]


def test_a_log_that_could_not_be_read_is_none(tmp_path: Path) -> None:
    error = 'Request log error: container "main" in pod "agent" is waiting to start\n'
    bundle = packed(tmp_path, {**folder(), "dump/runai/agent/logs.txt": block("main", "runai/agent", error)})
    assert logs(bundle) == []
    assert ("the log of runai/agent/main", "kubectl logs -n runai agent -c main") in {
        (one.what, one.command) for one in bundle.coverage("LogLine", "made", ["runai"])
    }


def test_many_marks_take_no_long_time(tmp_path: Path) -> None:
    start = time.monotonic()
    packed(tmp_path, {**folder(), "dump/runai/agent/logs.txt": START.format("main", "runai/agent") * 40_000})
    assert time.monotonic() - start < 5


def stream(as_yaml: bool = False) -> str:
    """What goes to standard output: a document for each list, the logs of a namespace behind its pods."""
    parts = [written(listed("Node", "v1", "gpu-1"), as_yaml)]
    for namespace, pods in (("default", ("other",)), ("runai", ("agent",))):
        bodies = of_namespace(namespace, pods=pods, services=("svc",))
        parts += [("---\n" if as_yaml else "") + written(body, as_yaml) for body in bodies.values()]
        parts += [block("main", f"{namespace}/{pod}", '{\n"kind": "PodList"\n}\n') for pod in pods]
    return "".join(parts)


def open_stream(folder: Path, text: str) -> ForeignBundle:
    path = folder / "dump.txt"
    path.write_text(text)
    bundle = open_bundle(path)
    assert isinstance(bundle, ForeignBundle)
    return bundle


@pytest.mark.parametrize("as_yaml", [False, True])
def test_one_file_holds_what_a_folder_does(tmp_path: Path, as_yaml: bool) -> None:
    text = stream(as_yaml)
    bundle = open_stream(tmp_path, text)
    assert (names(bundle, "Node"), names(bundle, "Pod")) == (["gpu-1"], ["default/other", "runai/agent"])
    assert names(bundle, "Service") == ["default/svc", "runai/svc"]
    assert gaps(bundle, "Node") == gaps(bundle, "Pod", "", "default") == gaps(bundle, "Deployment", "apps", "runai") == []
    assert gaps(bundle, "Pod", "", "elsewhere") != []
    log = b'{\n"kind": "PodList"\n}\n'
    assert logs(bundle) == [("default", "other", "main", log), ("runai", "agent", "main", log)]
    _, line = [record.line for record in bundle.records(None) if record.body["kind"] == "Pod"]
    assert "agent" in "".join(text.splitlines()[line - 1 : line + 11])


def test_one_file_that_stopped_leaves_the_rest_unknown(tmp_path: Path) -> None:
    text = stream()
    bundle = open_stream(tmp_path, text[: text.rindex('{\n    "kind": "DeploymentList"')])
    assert gaps(bundle, "DaemonSet", "apps", "runai") == []
    assert gaps(bundle, "Pod", "", "runai")[0][1] == "the request failed (the dump stopped before it)"
