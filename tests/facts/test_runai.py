"""Run:ai's version, URLs and dependencies."""

import json
from typing import Any

import pytest
from runai_analyze.facts.runai import split_url

from .helpers import configmap, deployment, facts_of, is_unknown, items_of


def runai(*given: dict[str, Any], **options: Any) -> Any:
    return facts_of(*given, **options).cluster["runai"]


def config(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"kind": "RunaiConfig", "metadata": {"namespace": "runai", "name": "runai", **metadata}, "spec": spec}


OPERATOR = deployment("runai", "runai-operator", "nvcr.io/nvidia/runai/runai-operator:2.24.67")


@pytest.mark.parametrize(
    ("given", "version"),
    [
        ([configmap("runai", "runai-public", cluster_version="2.25.14"), OPERATOR], "2.25.14"),
        ([configmap("runai", "runai-public", cluster_version="v2.25.14")], "2.25.14"),
        ([configmap("runai", "runai-public", runai_public="version: 2.13.9\noptional: {}\n")], "2.13.9"),
        ([config({}, labels={"helm.sh/chart": "runai-cluster-2.23.35"}), OPERATOR], "2.23.35"),
        (
            [deployment("runai", "runai-operator", "x/runai-operator:1.1", labels={"helm.sh/chart": "runai-cluster-2.22.47"})],
            "2.22.47",
        ),
        ([OPERATOR], "2.24.67"),
    ],
)
def test_the_version_is_read_where_it_is_written(given: list[dict[str, Any]], version: str) -> None:
    found = runai(*given)
    assert (found["version"], found["release"], found["source"], found["installed"]) == (
        version,
        ".".join(version.split(".")[:2]),
        "bundle",
        True,
    )


def test_a_version_that_cannot_be_read_is_unknown() -> None:
    found = runai(deployment("runai", "runai-operator", "mirror/runai-operator@sha256:00"))
    assert found["installed"] is True
    assert is_unknown(found["version"])
    assert is_unknown(found["release"])


def test_before_an_installation_there_is_no_version_and_the_release_is_unknown() -> None:
    found = runai()
    assert found["installed"] is False
    assert "version" not in found
    assert "url" not in found
    assert found["release"].missing.reason == "no Run:ai is installed and --runai-version was not given"


@pytest.mark.parametrize("lacking", ["RunaiConfig", "Deployment", "ConfigMap"])
def test_whether_it_is_installed_is_unknown_when_a_place_was_not_seen(lacking: str) -> None:
    found = runai(not_collected=[lacking])
    assert is_unknown(found["installed"])
    assert is_unknown(found["version"])
    assert runai(configmap("runai", "runai-public", cluster_version="2.25.14"), not_collected=[lacking])["version"] == "2.25.14"


@pytest.mark.parametrize(
    "spec",
    [
        {"__internal": {"global": {"clusterURL": "https://Gpu.acme.example/"}}},
        {"global": {"clusterURL": "https://Gpu.acme.example/"}},
    ],
)
def test_both_shapes_of_the_cluster_url(spec: dict[str, Any]) -> None:
    found = runai(config(spec))
    assert (found["url"], found["url_host"], found["url_scheme"], found["url_is_ip"]) == (
        "https://Gpu.acme.example/",
        "gpu.acme.example",
        "https",
        False,
    )


def test_a_url_in_no_known_place_is_unknown() -> None:
    found = runai(config({"elsewhere": {"url": "https://x"}}))
    assert is_unknown(found["url"])
    assert is_unknown(found["url_host"])
    assert is_unknown(found["control_plane_url"])


def test_the_control_plane_url() -> None:
    assert (
        runai(config({"__internal": {"global": {"controlPlane": {"url": "https://cp.acme.example"}}}}))["control_plane_host"]
        == "cp.acme.example"
    )
    assert runai(config({"controlPlane": {"url": "cp.acme.example"}}))["control_plane_url"] == "cp.acme.example"


@pytest.mark.parametrize(
    ("url", "host", "scheme"),
    [
        ("https://a.b:8443/x", "a.b", "https"),
        ("a.b", "a.b", ""),
        ("http://10.0.0.1", "10.0.0.1", "http"),
        ("http://[fd00::1]/", "fd00::1", "http"),
        ("http://[", "", ""),
    ],
)
def test_urls(url: str, host: str, scheme: str) -> None:
    assert split_url(url) == (host, scheme)


def test_an_address_in_the_url_is_told() -> None:
    assert runai(config({"global": {"clusterURL": "http://10.0.0.1"}}))["url_is_ip"] is True


def test_the_namespace_and_the_control_plane() -> None:
    assert runai({"kind": "Namespace", "metadata": {"name": "runai"}})["namespace_exists"] is True
    assert runai()["namespace_exists"] is False
    assert is_unknown(runai(not_collected=["Namespace"])["namespace_exists"])
    assert runai(OPERATOR, not_collected=["Namespace"])["namespace_exists"] is True
    assert runai(deployment("runai-backend", "x", "x:1"))["control_plane_here"] is True
    assert runai(deployment("runai", "x", "x:1"))["control_plane_here"] is False
    assert is_unknown(runai(not_collected=["StatefulSet"])["control_plane_here"])


def dependencies(document: Any) -> dict[str, tuple[Any, Any, Any]]:
    text = document if isinstance(document, str) else json.dumps(document)
    items = items_of(facts_of(configmap("runai", "runai-public", runai_public=text)), "RunaiDependency")
    return {
        item.body["metadata"]["name"]: (item.body["required"], item.body["available"], item.body.get("reason")) for item in items
    }


def test_the_new_shape_of_dependencies() -> None:
    tree = {
        "required": {
            "prometheus": {"available": False, "reason": "no Prometheus", "components": {"Oauth2": {"available": True}}}
        },
        "optional": {
            "lws": {"available": False, "components": {"crd": {"available": False, "reason": "CRD is not installed"}}},
            "mpi": {"available": True},
        },
    }
    wanted = {
        "prometheus": (True, False, "no Prometheus"),
        "lws": (False, False, "CRD is not installed"),
        "mpi": (False, True, None),
    }
    assert dependencies({"dependencies": tree}) == wanted
    assert dependencies({"runaiConfigStatus": {"dependencies": tree}}) == wanted


def test_the_old_shape_of_dependencies() -> None:
    text = "optional:\n  knative:\n    components:\n      hpa: {available: true}\n"
    text += "      kourier: {available: false, reason: no kourier}\n  mpi: {available: true}\n"
    assert dependencies(text) == {"knative": (False, False, "no kourier"), "mpi": (False, True, None)}


def test_a_required_dependency_is_judged_by_its_own_word() -> None:
    tree = {"required": {"gpu-stack": {"available": True, "components": {"amd": {"available": False, "reason": "no amd"}}}}}
    assert dependencies({"dependencies": tree}) == {"gpu-stack": (True, True, None)}


def test_a_dependency_that_says_nothing_is_unknown() -> None:
    assert is_unknown(dependencies({"dependencies": {"required": {"x": {}}}})["x"][1])


@pytest.mark.parametrize("document", ["[1]", "a: *b", "", {"other": 1}])
def test_a_document_of_another_shape_is_a_gap(document: Any) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    facts = facts_of(configmap("runai", "runai-public", runai_public=text))
    assert items_of(facts, "RunaiDependency") == []
    assert facts.coverage("RunaiDependency", None, ())


def test_evidence_of_a_dependency_is_the_configmap() -> None:
    (item,) = items_of(
        facts_of(configmap("runai", "runai-public", runai_public='{"optional": {"mpi": {"available": true}}}')), "RunaiDependency"
    )
    assert str(item.origins[""]) == "ConfigMap runai/runai-public"
