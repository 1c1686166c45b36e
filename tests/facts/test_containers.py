"""Containers of pods: every field, of every kind of container."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle.source import Kinds, Record
from runai_analyze.facts.containers import image_fields, probe_in_words
from runai_analyze.facts.examples import ExampleSource

from .helpers import facts_of, is_unknown, items_of
from .pods import RUNNING, ended, owner, pod, thing, waiting

RICH: dict[str, Any] = {
    "kind": "Pod",
    "metadata": {
        "namespace": "a",
        "name": "p",
        "labels": {"workloadName": "train"},
        "annotations": {"gpu-fraction": "0.5", "gpu-memory": "2000", "gpu-fraction-container-name": "main"},
    },
    "spec": {
        "nodeName": "n1",
        "schedulerName": "runai-scheduler",
        "initContainers": [{"name": "setup", "image": "busybox"}, {"name": "proxy", "image": "x/y:1", "restartPolicy": "Always"}],
        "containers": [
            {"name": "first", "image": "nvcr.io/x/y:1"},
            {
                "name": "main",
                "image": f"reg.example:5000/a/b:1.2@sha256:{'0' * 64}",
                "imagePullPolicy": "Always",
                "resources": {
                    "requests": {"cpu": "500m", "memory": "2Gi", "ephemeral-storage": "1Gi", "example.com/x": "1"},
                    "limits": {"memory": "4Gi", "nvidia.com/gpu": "2", "nvidia.com/mig-1g.5gb": "1"},
                },
                "livenessProbe": {"httpGet": {"port": 8443, "path": "/healthz", "scheme": "HTTPS"}},
                "readinessProbe": {"tcpSocket": {"port": "web"}},
                "startupProbe": {"exec": {"command": ["true"]}},
                "env": [{"name": "TOKEN", "value": "hunter2"}, {"name": "NODE", "valueFrom": {"fieldRef": {}}}],
                "envFrom": [{"secretRef": {"name": "s"}}, {"configMapRef": {"name": "c"}}, {"other": {}}],
            },
        ],
        "ephemeralContainers": [{"name": "debug", "image": "busybox"}],
    },
    "status": {
        "phase": "Running",
        "initContainerStatuses": [{"name": "setup", "ready": True, "restartCount": 0, "state": ended(0, "Completed")}],
        "containerStatuses": [
            {
                "name": "main",
                "ready": False,
                "restartCount": 7,
                "state": waiting("CrashLoopBackOff", "back-off 5m0s"),
                "lastState": ended(137, "OOMKilled"),
            },
            {"name": "first", "ready": True, "restartCount": 0, "state": RUNNING},
        ],
    },
}


def containers(*given: Mapping[str, Any], **options: Any) -> dict[str, Mapping[str, Any]]:
    return {item.body["container"]: item.body for item in items_of(facts_of(*given, **options), "Container")}


def test_every_container_of_a_pod_has_its_type() -> None:
    found = containers(RICH)
    assert {name: body["type"] for name, body in found.items()} == {
        "setup": "init",
        "proxy": "sidecar",
        "first": "main",
        "main": "main",
        "debug": "ephemeral",
    }
    assert {(body["metadata"]["namespace"], body["metadata"]["name"], body["node"]) for body in found.values()} == {
        ("a", "p", "n1")
    }


def test_image_and_resources() -> None:
    main = containers(RICH)["main"]
    assert main["image"] == {
        "reference": f"reg.example:5000/a/b:1.2@sha256:{'0' * 64}",
        "registry": "reg.example:5000",
        "repository": "a/b",
        "tag": "1.2",
        "digest": f"sha256:{'0' * 64}",
        "pull_policy": "Always",
    }
    assert main["resources"] == {
        "requests": {"cpu": "500m", "memory": "2Gi", "ephemeral-storage": "1Gi"},
        "limits": {"memory": "4Gi"},
    }
    assert (main["gpus"], main["gpu_fraction"], main["gpu_memory"]) == (3, 0.5, "2000")


def test_state_and_last_exit() -> None:
    found = containers(RICH)
    main, setup, first = found["main"], found["setup"], found["first"]
    assert (main["state"], main["waiting_reason"], main["waiting_message"]) == ("waiting", "CrashLoopBackOff", "back-off 5m0s")
    assert (main["ready"], main["restarts"]) == (False, 7)
    assert main["last_exit"] == {"code": 137, "reason": "OOMKilled", "finished": "2026-01-01T10:00:00Z"}
    assert (setup["state"], setup["exit_code"], setup["exit_reason"]) == ("terminated", 0, "Completed")
    assert (first["state"], first["ready"], "last_exit" in first) == ("running", True, False)
    assert "state" not in found["debug"]


def test_names_of_the_environment_and_never_its_values() -> None:
    main = containers(RICH)["main"]
    assert (main["env"], main["env_from"]) == (["TOKEN", "NODE"], ["Secret s", "ConfigMap c"])
    assert "hunter2" not in str(main)


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        ({"httpGet": {"port": 8080, "path": "/healthz"}}, "http :8080/healthz"),
        ({"httpGet": {"port": 8443, "path": "/", "scheme": "HTTPS", "host": "h"}}, "https h:8443/"),
        ({"tcpSocket": {"port": "web"}}, "tcp :web"),
        ({"grpc": {"port": 9090}}, "grpc :9090"),
        ({"exec": {"command": ["sh", "-c", "secret"]}}, "exec"),
        ({}, None),
        ("x", None),
    ],
)
def test_probes(probe: Any, words: str | None) -> None:
    assert probe_in_words(probe) == words


def test_probes_of_a_container() -> None:
    assert containers(RICH)["main"]["probes"] == {"liveness": "https :8443/healthz", "readiness": "tcp :web", "startup": "exec"}


@pytest.mark.parametrize(
    ("annotations", "shares"),
    [
        ({"gpu-fraction": "0.5"}, {"first": 0.5}),
        ({"gpu-fraction": "0.25", "gpu-fraction-container-name": "main"}, {"main": 0.25}),
        ({"gpu-fraction": "0.25", "gpu-fraction-container-name": "nobody"}, {}),
        ({}, {}),
    ],
)
def test_the_part_of_a_gpu_goes_to_one_container(annotations: dict[str, str], shares: dict[str, float]) -> None:
    body = {**RICH, "metadata": {**RICH["metadata"], "annotations": annotations}}
    assert {name: one["gpu_fraction"] for name, one in containers(body).items() if "gpu_fraction" in one} == shares


def test_memory_of_a_gpu_alone_is_a_part_too() -> None:
    body = {**RICH, "metadata": {**RICH["metadata"], "annotations": {"gpu-memory": "2000"}}}
    assert [one.get("gpu_memory") for one in containers(body).values() if one["type"] == "main"] == ["2000", None]


def test_a_part_that_is_no_number_is_unknown() -> None:
    body = {**RICH, "metadata": {**RICH["metadata"], "annotations": {"gpu-fraction": "half"}}}
    assert is_unknown(containers(body)["first"]["gpu_fraction"])


def test_parts_of_what_is_no_image_are_unknown() -> None:
    found = image_fields("Capital/Name:1")
    assert found["reference"] == "Capital/Name:1"
    assert is_unknown(found["registry"])
    assert image_fields("") == {"reference": None, "pull_policy": None}


# --- Owners -----------------------------------------------------------------------------------------------------------------


def owner_in(*given: Mapping[str, Any], **options: Any) -> Any:
    (body,) = containers(*given, **options).values()
    return body["owner"]


def test_the_top_of_the_owners() -> None:
    chain = (
        thing("ReplicaSet", "web-1", owner("Deployment", "web")),
        thing("Deployment", "web", owner("RunaiConfig", "runai", "run.ai/v1")),
    )
    assert owner_in(pod("p", owner("ReplicaSet", "web-1")), *chain) == {"kind": "Deployment", "name": "web"}
    jobs = (thing("Job", "j-1", owner("CronJob", "j", "batch/v1")), thing("CronJob", "j"))
    assert owner_in(pod("p", owner("Job", "j-1", "batch/v1")), *jobs) == {"kind": "CronJob", "name": "j"}
    assert owner_in(pod("p")) == {"kind": "Pod", "name": "p"}
    assert owner_in(pod("p", owner("Node", "n1", "v1"))) == {"kind": "Node", "name": "n1"}


def test_owners_that_stand_in_no_namespace_are_found() -> None:
    above = {"kind": "Boss", "apiVersion": "x.example/v1", "metadata": {"name": "b"}}
    assert owner_in(pod("p", owner("Boss", "b", "x.example/v1")), above) == {"kind": "Boss", "name": "b"}


def test_a_service_of_knative_is_no_service_of_kubernetes() -> None:
    above = {**thing("Service", "s", owner("Boss", "b", "x.example/v1")), "apiVersion": "serving.knative.dev/v1"}
    boss = {"kind": "Boss", "apiVersion": "x.example/v1", "metadata": {"namespace": "a", "name": "b"}}
    assert owner_in(pod("p", owner("Service", "s", "serving.knative.dev/v1")), above, boss)["kind"] == "Boss"


def test_a_link_that_was_not_collected_makes_the_top_unknown() -> None:
    found = owner_in(pod("p", owner("ReplicaSet", "web-1")), not_collected=["ReplicaSet"])
    assert is_unknown(found["kind"])
    assert found["name"].missing.what == "ReplicaSet"


def test_a_pod_of_runai_belongs_to_its_workload_although_the_runaijob_is_not_there() -> None:
    labels = {"workloadKind": "TrainingWorkload", "workloadName": "train", "run.ai/top-owner-uid": "0"}
    body = pod("p", owner("RunaiJob", "train", "run.ai/v1"))
    body["metadata"]["labels"] = labels
    (found,) = containers(body, not_collected=["RunaiJob.run.ai"]).values()
    assert found["owner"] == {"kind": "TrainingWorkload", "name": "train"}
    assert (found["workload"], found["run_by_runai"]) == ("train", True)


@pytest.mark.parametrize("label", ["run.ai/top-owner-uid", "workloadKind"])
def test_what_runai_labelled_is_run_by_runai(label: str) -> None:
    body = pod("p")
    body["metadata"]["labels"] = {label: "x"}
    (found,) = containers(body).values()
    assert (found["run_by_runai"], found["kind"], found["apiVersion"]) == (True, "Container", "made/v1")


def test_what_runai_schedules_is_run_by_runai() -> None:
    by_scheduler = pod("p")
    by_scheduler["spec"]["schedulerName"] = "runai-scheduler"
    assert [body["run_by_runai"] for one in (by_scheduler, pod("q")) for body in containers(one).values()] == [True, False]


# --- As rules see them ------------------------------------------------------------------------------------------------------


def test_containers_are_as_complete_as_pods() -> None:
    assert facts_of(pod("p")).coverage("Container", None, ()) == ()
    (missing,) = facts_of(not_collected=["Pod"]).coverage("Container", None, ())
    assert missing.what == "Pod"


def test_evidence_names_the_pod_and_a_finding_the_container() -> None:
    (item,) = items_of(facts_of(pod("p")), "Container")
    assert (item.ref.kind, item.ref.namespace, item.ref.name) == ("Container", "a", "p/main")
    assert str(item.origins[""]) == "Pod a/p"
    assert item.origins[""].line == 1
    assert item.origins["owner"] == item.origins[""]
    (item,) = items_of(facts_of(pod("p", owner("StatefulSet", "s")), thing("StatefulSet", "s")), "Container")
    assert (str(item.origins["owner"]), item.origins["owner"].line) == ("StatefulSet a/s", 2)


def test_containers_that_an_example_gives_take_the_place_of_those_made() -> None:
    given = {"kind": "Container", "metadata": {"namespace": "a", "name": "p"}, "container": "c", "restarts": 9}
    assert [body["restarts"] for body in containers(pod("q"), given).values()] == [9]


def test_pods_and_containers_come_out_of_one_stream() -> None:
    found = facts_of(pod("p"), pod("q"))
    both = frozenset([("Pod", None), ("Container", "made")])
    assert [(item.kind, item.ref.name) for item in found.items(both)] == [
        ("Container", "p/main"),
        ("Pod", "p"),
        ("Container", "q/main"),
        ("Pod", "q"),
    ]


@pytest.mark.parametrize(
    "spec", [None, 5, {"containers": "x"}, {"containers": [5, None, {"name": 7, "env": "x", "resources": []}]}]
)
def test_what_is_no_pod_spec_gives_no_nonsense(spec: Any) -> None:
    body = {"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": spec, "status": {"containerStatuses": 5}}
    assert all(one["restarts"] == 0 for one in containers(body).values())


def test_containers_stream_and_are_never_all_held(monkeypatch: pytest.MonkeyPatch) -> None:
    found = facts_of(*(pod(f"p{number}") for number in range(50)))
    read = 0
    every = ExampleSource.records

    def counting(self: ExampleSource, kinds: Kinds | None) -> Iterator[Record]:
        nonlocal read
        for record in every(self, kinds):
            read += 1
            yield record

    first = items_of(found, "Container")[0]  # owners were looked for: what follows is the stream alone
    monkeypatch.setattr(ExampleSource, "records", counting)
    stream = found.items(frozenset([("Container", "made")]))
    assert (next(stream), read) == (first, 1)
    assert (next(stream).ref.name, read) == ("p1/main", 2)


# --- Real clusters ----------------------------------------------------------------------------------------------------------


def real(corpus: Path, name: str) -> list[dict[str, Any]]:
    content = yaml.load((corpus / "k8s-pods" / name).read_text(), yaml.CSafeLoader)
    listed = content if isinstance(content, list) else content.get("items", [content]) or []  # an empty list of Go is null
    return [{"kind": "Pod", "apiVersion": "v1", **body} for body in listed]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("file", "container", "wanted"),
    [
        (
            "fake-gpu-operator-2.17_fractional_pod.yaml",
            "frac-1",
            {"gpu_fraction": 0.5, "workload": "frac-1", "run_by_runai": True, "state": "running", "gpus": 0, "phase": "Running"},
        ),
        (
            "argo-cd-pod-crashloop.yaml",
            "main",
            {
                "state": "waiting",
                "waiting_reason": "CrashLoopBackOff",
                "restarts": 3,
                "last_exit": {"code": 1, "reason": "Error"},
            },
        ),
        (
            "argo-cd-pod-imagepullbackoff.yaml",
            "errimagepullbackoff",
            {"state": "waiting", "waiting_reason": "ImagePullBackOff", "restarts": 0},
        ),
        (
            "troubleshoot-pods-message-oomkill-pod.json",
            "memory-eater",
            {"state": "terminated", "exit_reason": "OOMKilled", "exit_code": 137},
        ),
    ],
)
def test_real_containers(corpus: Path, file: str, container: str, wanted: dict[str, Any]) -> None:
    body = containers(*real(corpus, file))[container]
    found = {name: body.get(name) for name in wanted}
    if "last_exit" in wanted:
        found["last_exit"] = {name: body["last_exit"][name] for name in wanted["last_exit"]}
    assert found == wanted


@pytest.mark.corpus
def test_a_real_pod_of_runai_has_its_workload_on_top(corpus: Path) -> None:
    given = real(corpus, "fake-gpu-operator-2.17_fractional_pod.yaml")
    assert owner_in(*given) == {"kind": "TrainingWorkload", "name": "frac-1"}


@pytest.mark.corpus
def test_every_real_pod_gives_a_container_for_each_that_it_names(corpus: Path) -> None:
    total = 0
    for path in sorted((corpus / "k8s-pods").iterdir()):
        given = real(corpus, path.name)
        named = sum(
            len(body["spec"].get(key, ())) for body in given for key in ("initContainers", "containers", "ephemeralContainers")
        )
        items = items_of(facts_of(*given), "Container")
        total += len(items)
        assert len(items) == named, path.name
        assert not any(is_unknown(item.body["image"].get("registry")) for item in items), path.name
    assert total > 100
