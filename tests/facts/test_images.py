"""Images: one for each reference, with who names it and whether it can be pulled."""

from typing import Any

import pytest
from runai_analyze.facts.images import Uses, component
from runai_analyze.model import ObjectRef

from .helpers import deployment, facts_of, is_unknown, item_of, items_of

DRIVER = "nvcr.io/nvidia/driver:580.105.08-ubuntu24.04"


def pod(name: str, *images: str, waiting: str = "", message: str = "") -> dict[str, Any]:
    containers = [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]
    state = {"waiting": {"reason": waiting, "message": message}} if waiting else {"running": {}}
    statuses = [{"name": "c0", "state": state}]
    metadata = {"namespace": "gpu-operator", "name": name}
    return {"kind": "Pod", "metadata": metadata, "spec": {"containers": containers}, "status": {"containerStatuses": statuses}}


def test_the_parts_of_a_reference() -> None:
    body = item_of("Image", pod("a", DRIVER))
    expected = {
        "reference": DRIVER,
        "registry": "nvcr.io",
        "repository": "nvidia/driver",
        "tag": "580.105.08-ubuntu24.04",
        "by_tag": True,
        "containers": 1,
        "namespaces": ["gpu-operator"],
        "workloads": [],
        "pull_failing": False,
        "known_component": "gpu-operator",
    }
    assert {key: body.get(key) for key in expected} == expected
    assert not {"port", "digest", "problem", "pull_message"} & set(body)


def test_what_is_not_written_has_its_default() -> None:
    body = item_of("Image", pod("a", "busybox"))
    assert (body["registry"], body["repository"], body["tag"]) == ("docker.io", "library/busybox", "latest")
    digest = "sha256:" + "a" * 64
    body = item_of("Image", pod("a", f"r.example:5000/x@{digest}"))
    assert (body["port"], body["digest"], body["by_tag"], "tag" in body) == (5000, digest, False, False)


def test_who_names_it_is_counted_once_for_each_container() -> None:
    given = [pod("a", DRIVER, DRIVER), pod("b", DRIVER), deployment("runai", "x", DRIVER), deployment("runai", "y", "other:1")]
    driver, other = items_of(facts_of(*given), "Image")[1], items_of(facts_of(*given), "Image")[0]
    assert other.body["reference"] == "nvcr.io/nvidia/driver:580.105.08-ubuntu24.04"
    assert (other.body["containers"], other.body["namespaces"]) == (3, ["gpu-operator", "runai"])
    assert other.body["workloads"] == ["Deployment runai/x"]
    assert (driver.body["reference"], driver.body["containers"]) == ("other:1", 0)


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"])
def test_an_image_that_cannot_be_pulled_points_to_the_pod_that_waits(reason: str) -> None:
    facts = facts_of(pod("fine", DRIVER), pod("waits", DRIVER, waiting=reason, message="unauthorized"))
    (item,) = items_of(facts, "Image")
    assert (item.body["pull_failing"], item.body["pull_message"]) == (True, "unauthorized")
    assert item.origins[""] == ObjectRef("Pod", "waits", "gpu-operator", "example", 2)


def test_a_container_that_waits_for_something_else_pulls_well() -> None:
    assert item_of("Image", pod("a", DRIVER, waiting="CrashLoopBackOff"))["pull_failing"] is False


def test_a_reference_that_no_runtime_takes_is_a_problem_and_its_parts_are_unknown() -> None:
    body = item_of("Image", pod("a", "nvcr.io/nvidia/Driver:1"))
    assert body["problem"] == '"nvidia/Driver" is no repository: it has capital letters'
    assert all(is_unknown(body[key]) for key in ("registry", "repository", "tag", "by_tag"))


def test_without_pods_what_only_they_tell_is_unknown() -> None:
    facts = facts_of(deployment("runai", "x", DRIVER), not_collected=["Pod"])
    (item,) = items_of(facts, "Image")
    assert is_unknown(item.body["containers"])
    assert is_unknown(item.body["pull_failing"])
    assert [missing.what for missing in facts.coverage("Image", None, ())] == ["Pod"]


def test_init_and_ephemeral_containers_count() -> None:
    given = {
        "kind": "Pod",
        "metadata": {"namespace": "a", "name": "p"},
        "spec": {"initContainers": [{"name": "i", "image": "a:1"}], "ephemeralContainers": [{"name": "e", "image": "a:1"}]},
        "status": {},
    }
    assert item_of("Image", given)["containers"] == 2


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("gcr.io/run-ai-prod/scheduler:2.20.1", "runai"),
        ("runai.jfrog.io/core-llm/runai-vllm:1", "runai"),
        ("harbor.acme.example/mirror/run-ai-prod/scheduler:2.20.1", "runai"),
        ("harbor.acme.example/mirror/nvidia/gpu-operator:v25.10.1", "gpu-operator"),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4", "gpu-operator"),
        ("gcr.io/knative-releases/knative.dev/serving/cmd/activator@sha256:" + "a" * 64, "knative"),
        ("kubeflow/training-operator:v1-5a5f92d", "training-operator"),
        ("ghcr.io/nvidia/kai-scheduler/scheduler:v0.9.1", "kai-scheduler"),
        ("busybox", None),
        ("not an image", None),
    ],
)
def test_known_components(reference: str, name: str | None) -> None:
    assert component(reference) == name


def test_a_bundle_with_more_images_than_any_cluster_has_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runai_analyze.facts.images._MOST_IMAGES", 3)
    uses = Uses()
    for number in range(5):
        uses.add({"spec": {"containers": [{"name": "c", "image": f"a:{number}"}]}}, "n", lambda: ObjectRef("Pod", "p"))
    assert (sorted(uses.by_reference), uses.dropped) == (["a:0", "a:1", "a:2"], True)
