"""The printed roles on a real API server: each tier is enough for its run, nothing of it goes unused, nothing is left over."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.acceptance.programs import Collected, Run, collect, run
from tests.acceptance.site import Site
from tests.cluster import Cluster

pytestmark = pytest.mark.cluster

TIERS = ("base", "+secrets", "+secrets+exec", "narrow")
ASKED = {
    "base": ["--rbac", "base"],
    "+secrets": ["--rbac", "+secrets", "--certificate", "default/shop-tls"],
    "+secrets+exec": ["--rbac", "all", "--certificate", "default/shop-tls"],
    "narrow": ["--rbac", "all", "-n", "gpu-operator", "-n", "runai"],
}
FLAGS = {
    "base": ["--no-secrets", "--no-exec"],
    "+secrets": ["--no-exec"],
    "+secrets+exec": [],
    "narrow": ["-n", "gpu-operator", "-n", "runai"],
}
USER = "system:serviceaccount:runai-collect:runai-collect"
OPEN = ("/api", "/apis", "/livez", "/readyz", "/version")  # to every account, by the server's own roles
QUICK = ("--qps", "100")
PATIENCE = 120
CERTIFICATE = {
    "apiVersion": "v1",
    "kind": "Secret",
    "type": "kubernetes.io/tls",
    "metadata": {"name": "shop-tls", "namespace": "default"},
    "stringData": {"tls.crt": "none", "tls.key": "none"},
}
INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {"name": "shop", "namespace": "default"},
    "spec": {
        "tls": [{"hosts": ["shop.example"], "secretName": "shop-tls"}],
        "defaultBackend": {"service": {"name": "shop", "port": {"number": 80}}},
    },
}


class Right(NamedTuple):
    """One verb on one resource that a role grants: in one namespace or everywhere (""), of one name or of all ("")."""

    namespace: str
    verb: str
    group: str
    resource: str
    name: str = ""

    def covers(self, event: dict[str, Any]) -> bool:
        about = event.get("objectRef", {})
        resource = "/".join(filter(None, (about.get("resource", ""), about.get("subresource", ""))))
        return (
            self.verb == event["verb"]
            and self.group == about.get("apiGroup", "")
            and self.resource in ("*", resource)
            and self.namespace in ("", about.get("namespace", ""))
            and self.name in ("", about.get("name", ""))
        )


@dataclass(frozen=True)
class Tier:
    """One tier from its creation to its deletion."""

    documents: list[dict[str, Any]]
    flags: list[str]  # that the head of the YAML names for the collection
    collected: Collected
    reference: Collected  # the administrator's, with the same flags
    events: list[dict[str, Any]]  # what the API server saw of the account
    served: set[tuple[str, str]]  # (group, resource)
    namespaces: set[str]
    check: Run  # --check with the same flags
    check_all: Run  # --check with none
    exec_in_gpu: Run
    exec_elsewhere: list[str]
    without_create: Collected | None  # of +exec, once the verb was taken out of the role
    proxied: list[dict[str, Any]]  # what was then asked of pods/proxy
    left_over: list[str]

    @property
    def rights(self) -> set[Right]:
        roles = [one for one in self.documents if one["kind"] in ("Role", "ClusterRole")]
        return {
            Right(role["metadata"].get("namespace", ""), verb, group, resource, name)
            for role in roles
            if role["metadata"].get("namespace", "") in self.namespaces | {""}
            for rule in role["rules"]
            for verb in rule["verbs"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for name in rule.get("resourceNames", [""])
        }


@pytest.fixture(scope="module")
def tiers(site: Site, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Tier]]:
    with site.changed("healthy") as cluster:
        cluster.client.load(CERTIFICATE)
        cluster.client.load(INGRESS)
        yield {name: use(cluster, runai_collect, tmp_path_factory.mktemp("tier"), name) for name in TIERS}


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest, tiers: dict[str, Tier]) -> Tier:
    return tiers[request.param]


def use(cluster: Cluster, program: Sequence[str], folder: Path, name: str) -> Tier:
    """Do what the head of the YAML says, with its own commands."""
    environment = cluster.environment()
    environment["PATH"] = f"{Path(program[0]).parent}{os.pathsep}{environment['PATH']}"
    text = run([*program, *ASKED[name]], {"PATH": "/nowhere"}, folder, PATIENCE).stdout.decode()
    *before, collection, delete, _ = re.findall(r"^#      (.*)$", text, re.M)
    made = shell("\n".join(before), environment, folder)
    assert (folder / "runai-collect.kubeconfig").exists(), made
    assert (folder / "runai-collect-rbac.yaml").read_text() == text
    as_account = {**environment, "KUBECONFIG": str(folder / "runai-collect.kubeconfig")}
    seen = len(cluster.audit())
    collected = collect(program, folder / "bundle.tgz", as_account, *FLAGS[name], *QUICK)
    events = [event for event in cluster.audit()[seen:] if event["user"]["username"] == USER]
    client = cluster.client
    return Tier(
        documents=list(yaml.safe_load_all(text)),
        flags=collection.split("runai-collect.kubeconfig")[1].split(),
        collected=collected,
        reference=collect(program, folder / "reference.tgz", environment, *FLAGS[name], *QUICK),
        events=events,
        served=served(cluster),
        namespaces={one["metadata"]["name"] for one in client.list("/api/v1/namespaces")},
        check=run([*program, "--check", *FLAGS[name], *QUICK], as_account, folder, PATIENCE),
        check_all=run([*program, "--check", *QUICK], as_account, folder, PATIENCE),
        exec_in_gpu=exec_nvidia_smi(cluster, as_account, folder, "gpu-operator"),
        exec_elsewhere=[ask_for_exec(cluster, as_account, folder, name) for name in ("runai", "kube-system", "runai-team-a")],
        **without_create(cluster, program, folder, as_account, name),
        left_over=take_away(cluster, delete, environment, folder),
    )


def shell(script: str, environment: dict[str, str], folder: Path) -> Run:
    return run(["sh", "-c", script], environment, folder, PATIENCE)


def served(cluster: Cluster) -> set[tuple[str, str]]:
    found = {("", one["name"]) for one in cluster.client.get("/api/v1")["resources"]}
    for group in cluster.client.get("/apis")["groups"]:
        version = group["preferredVersion"]["groupVersion"]
        found |= {(group["name"], one["name"]) for one in cluster.client.get(f"/apis/{version}")["resources"]}
    return found


def exec_nvidia_smi(cluster: Cluster, environment: dict[str, str], folder: Path, namespace: str) -> Run:
    pods = cluster.client.list(f"/api/v1/namespaces/{namespace}/pods")
    wanted = [pod for pod in pods if pod["spec"]["containers"][0]["name"] == "nvidia-driver-ctr"] or pods
    name, container = wanted[0]["metadata"]["name"], wanted[0]["spec"]["containers"][0]["name"]
    command = ["kubectl", "exec", "-n", namespace, name, "-c", container, "--", "nvidia-smi"]
    return run(command, environment, folder, PATIENCE)


def ask_for_exec(cluster: Cluster, environment: dict[str, str], folder: Path, namespace: str) -> str:
    """Both ways to exec, without kubectl's look at the pod before; what the server says to each."""
    pod = cluster.client.list(f"/api/v1/namespaces/{namespace}/pods")[0]["metadata"]["name"]
    path = f"/api/v1/namespaces/{namespace}/pods/{pod}/exec?command=id&stdout=true"
    said = shell(f"kubectl get --raw '{path}'; echo {{}} | kubectl create --raw '{path}' -f -", environment, folder)
    return said.stderr.decode()


def without_create(
    cluster: Cluster, program: Sequence[str], folder: Path, environment: dict[str, str], name: str
) -> dict[str, Any]:
    """Take one verb out of the role of +exec, and collect again."""
    if name != "+secrets+exec":
        return {"without_create": None, "proxied": []}
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/gpu-operator/roles/runai-collect-exec"
    rules = cluster.client.get(path)["rules"]
    fewer = [{**rule, "verbs": [verb for verb in rule["verbs"] if verb != "create"]} for rule in rules]
    cluster.client.patch(path, {"rules": fewer})
    seen = len(cluster.audit())
    collected = collect(program, folder / "without.tgz", environment, *QUICK)
    proxied = [event for event in cluster.audit()[seen:] if event.get("objectRef", {}).get("subresource") == "proxy"]
    return {"without_create": collected, "proxied": proxied}


def take_away(cluster: Cluster, delete: str, environment: dict[str, str], folder: Path) -> list[str]:
    """Delete as the head says. No controller here ends the namespace: nobody may wait for it, and the test does it."""
    assert delete.startswith("kubectl delete ")
    done = shell(delete.replace("kubectl delete", "kubectl delete --wait=false"), environment, folder)
    assert done.code == 0, done
    account = cluster.client.list("/api/v1/namespaces/runai-collect/serviceaccounts")
    path = "/api/v1/namespaces/runai-collect"
    cluster.client.request_object("PUT", path + "/finalize", {**cluster.client.get(path), "spec": {"finalizers": []}})
    api = "/apis/rbac.authorization.k8s.io/v1/"
    kinds = [api + plural for plural in ("clusterroles", "clusterrolebindings", "roles", "rolebindings")]
    found = [one["metadata"]["name"] for path in [*kinds, "/api/v1/namespaces"] for one in cluster.client.list(path)]
    return [name for name in found if name.startswith("runai-collect")] + [one["metadata"]["name"] for one in account]


def test_the_run_is_complete_and_nothing_was_refused(tier: Tier) -> None:
    assert tier.collected.run.code == 0, tier.collected.run
    assert [step["id"] for step in tier.collected.bundle.steps if step["status"] == "forbidden"] == []


def test_it_finds_what_an_administrator_finds(tier: Tier) -> None:
    found, expected = tier.collected.bundle.names(), tier.reference.bundle.names()
    assert found == expected
    assert len(found["v1 Pod"]) > 20


def test_the_head_names_the_flags_of_the_run(tiers: dict[str, Tier]) -> None:
    assert {name: tier.flags for name, tier in tiers.items()} == FLAGS


def test_every_request_was_allowed_by_these_roles(tier: Tier) -> None:
    assert len(tier.events) > 50
    odd = []
    for event in tier.events:
        reason = event["annotations"]["authorization.k8s.io/reason"]
        own = 'Binding "runai-collect' in reason
        path = event["requestURI"].split("?")[0]
        if event["annotations"]["authorization.k8s.io/decision"] != "allow" or not (own or path in OPEN):
            odd.append((event["verb"], path, reason))
    assert odd == []
    assert [event["requestURI"] for event in tier.events if event["responseStatus"].get("code") in (401, 403)] == []


def test_no_right_is_left_unused(tier: Tier) -> None:
    """But of kinds that this cluster does not serve, and of what only a failing exec needs: that is shown further down."""
    groups = {group for group, _ in tier.served}
    unused = {right for right in tier.rights if not any(right.covers(event) for event in tier.events)}
    not_served = {
        right
        for right in unused
        if (right.group not in groups if right.resource == "*" else (right.group, right.resource) not in tier.served)
    }
    exec_alone = {
        Right("gpu-operator", "create", "", "pods/exec"),  # asked by the server beside get: no request of its own
        Right("gpu-operator", "get", "", "pods/proxy"),
    }
    assert unused - not_served - exec_alone == set()
    assert {right.group for right in not_served} <= {
        "autoscaling.internal.knative.dev",
        "caching.internal.knative.dev",
        "cert-manager.io",
        "config.openshift.io",
        "kai.scheduler",
        "mellanox.com",
        "resource.nvidia.com",
    }


def test_what_a_tier_does_not_have_was_not_asked(tiers: dict[str, Tier]) -> None:
    asked = {
        name: {event.get("objectRef", {}).get("resource") for event in tier.events}
        | {event.get("objectRef", {}).get("subresource") for event in tier.events}
        for name, tier in tiers.items()
    }
    assert {name: sorted(asked[name] & {"secrets", "exec"}) for name in TIERS} == {
        "base": [],
        "+secrets": ["secrets"],
        "+secrets+exec": ["exec", "secrets"],
        "narrow": ["exec", "secrets"],
    }


def test_exec_is_possible_in_gpu_namespaces_and_nowhere_else(tiers: dict[str, Tier]) -> None:
    for name, tier in tiers.items():
        for said in tier.exec_elsewhere:
            assert [line for line in said.splitlines() if "forbidden" not in line] == []
            assert 'cannot get resource "pods/exec"' in said
            assert 'cannot create resource "pods/exec"' in said
        assert (tier.exec_in_gpu.code == 0) == (name in ("+secrets+exec", "narrow")), tier.exec_in_gpu
    assert b"NVIDIA-SMI" in tiers["+secrets+exec"].exec_in_gpu.stdout


def test_exec_takes_the_right_to_create_and_without_it_the_exporter_is_asked(tiers: dict[str, Tier]) -> None:
    tier = tiers["+secrets+exec"]
    assert tier.without_create is not None
    nodes = {step["id"]: step["status"] for step in tier.without_create.bundle.steps if step["id"].startswith("nvidia-smi:")}
    assert len(nodes) == 4
    assert set(nodes.values()) == {"forbidden"}
    assert tier.proxied
    assert {event["annotations"]["authorization.k8s.io/decision"] for event in tier.proxied} == {"allow"}


def test_the_secret_of_an_ingress_was_read_because_it_was_named(tiers: dict[str, Tier]) -> None:
    step = {step["id"]: step["status"] for step in tiers["+secrets"].collected.bundle.steps}
    assert step["certificate:default/shop-tls"] == "ok"
    assert step["certificate:openshift-monitoring/runai-ca-cert"] == "not_found"


def test_the_check_says_that_nothing_is_refused(tier: Tier) -> None:
    assert tier.check.code == 0, tier.check
    assert b"Nothing is refused" in tier.check.stdout


def test_the_check_of_a_larger_run_says_what_to_ask_for(tiers: dict[str, Tier]) -> None:
    said = tiers["base"].check_all
    assert said.code == 1, said
    assert b"not allowed: list in the whole cluster: secrets\n" in said.stdout
    assert b"runai-collect --rbac +secrets prints" in said.stdout
    assert b"create pods/exec" in said.stdout
    assert tiers["+secrets+exec"].check_all.code == 0


def test_nothing_is_left_when_all_is_deleted(tier: Tier) -> None:
    assert tier.left_over == []
