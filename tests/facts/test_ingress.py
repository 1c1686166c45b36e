"""Facts about ingress classes and their controllers."""

from typing import Any

import pytest

from .helpers import deployment, facts_of, is_unknown, item_of, items_of, workload


def controller(name: str, *workloads: dict[str, Any], **options: Any) -> Any:
    body = {"kind": "IngressClass", "metadata": {"name": "x"}, "spec": {"controller": name}}
    return item_of("IngressClass", body, *workloads, **options)["facts"]["controller"]


READY = {"readyReplicas": 1}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (
            "k8s.io/ingress-nginx",
            deployment("ingress-nginx", "c", "registry.k8s.io/ingress-nginx/controller:v1.12.0", status=READY),
        ),
        (
            "k8s.io/ingress-nginx",
            deployment(
                "ingress-nginx",
                "c",
                "mirror/x@sha256:0",
                labels={"app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller"},
                status=READY,
            ),
        ),
        (
            "haproxy.org/ingress-controller/haproxy",
            deployment("haproxy-controller", "h", "docker.io/haproxytech/kubernetes-ingress:3.1", status=READY),
        ),
        ("traefik.io/ingress-controller", deployment("traefik", "t", "traefik:v3", status=READY)),
        ("openshift.io/ingress-to-route", deployment("openshift-ingress", "router-default", "x@sha256:0", status=READY)),
    ],
)
def test_a_controller_that_is_there(name: str, body: dict[str, Any]) -> None:
    namespace, workload_name = body["metadata"]["namespace"], body["metadata"]["name"]
    assert controller(name, body) == {
        "known": True,
        "found": True,
        "ready": True,
        "workload": f"Deployment {namespace}/{workload_name}",
    }


def test_a_daemonset_counts_and_half_of_it_is_not_ready() -> None:
    body = workload(
        "DaemonSet",
        "ingress-nginx",
        "c",
        "registry/ingress-nginx/controller:v1",
        status={"desiredNumberScheduled": 2, "numberReady": 1},
    )
    assert controller("k8s.io/ingress-nginx", body) == {
        "known": True,
        "found": True,
        "ready": False,
        "workload": "DaemonSet ingress-nginx/c",
    }


def test_a_controller_that_is_not_there() -> None:
    webhook = deployment(
        "ingress-nginx",
        "hook",
        "x:1",
        labels={"app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "default-backend"},
    )
    assert controller("k8s.io/ingress-nginx", webhook) == {"known": True, "found": False, "ready": False}


def test_when_workloads_are_lacking_it_may_be_there() -> None:
    found = controller("k8s.io/ingress-nginx", not_collected=["Deployment"])
    assert found["known"] is True
    assert is_unknown(found["found"])


def test_a_controller_that_nobody_knows_is_not_guessed() -> None:
    found = controller("acme.example/controller")
    assert found["known"] is False
    assert is_unknown(found["found"])
    assert is_unknown(found["ready"])


def test_facts_about_the_controller_come_from_its_workload() -> None:
    body = {"kind": "IngressClass", "metadata": {"name": "x"}, "spec": {"controller": "traefik.io/ingress-controller"}}
    (item,) = items_of(facts_of(body, deployment("edge", "t", "traefik:v3")), "IngressClass")
    (missing,) = items_of(facts_of(body), "IngressClass")
    assert {path: str(ref) for path, ref in item.origins.items()} == {"facts.controller": "Deployment edge/t"}
    assert missing.origins == {}


def test_the_default_class_is_annotated() -> None:
    body = {
        "kind": "IngressClass",
        "metadata": {"name": "x", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
        "spec": {},
    }
    assert item_of("IngressClass", body)["facts"]["default"] is True
