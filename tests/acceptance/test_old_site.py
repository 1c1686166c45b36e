"""Both programs on a site of 2022: the collector against a real kube-apiserver 1.20.2, the analyzer on what it brought.

Where the old server could not be had, a newer one stands in (tests/cluster/old_server.py): what only the old one has is left out.
"""

import base64
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.acceptance.bundles import Bundle
from tests.acceptance.faults import explains, findings, is_about
from tests.acceptance.programs import Collected, analyze, collect, run
from tests.acceptance.site import arguments_of
from tests.cluster import Cluster
from tests.cluster.client import Object
from tests.cluster.old_server import RELEASE
from tests.cluster.scenario import LoadedScenario, load
from tests.cluster.scenario_data import Fault, key_of, read_faults
from tests.ruleset.packs import RULE, write_pack

pytestmark = pytest.mark.cluster

COMPLETE, PARTIAL = 0, 1
CONFIGMAPS = "/api/v1/configmaps"
EXPIRED, DEAD = 410, 503
FAULTS = read_faults("old-site")
# Kinds whose versions of today came after 1.20, and a folder of resources/ each.
OLD_VERSIONS = {
    "CronJob": "batch/v1beta1/cronjobs",
    "PodDisruptionBudget": "policy/v1beta1/poddisruptionbudgets",
    "EndpointSlice": "discovery.k8s.io/v1beta1/endpointslices",
    "HorizontalPodAutoscaler": "autoscaling/v1/horizontalpodautoscalers",
}
ANY_NAME_BUT_B = """\
for_each: {kind: KIND}
expect:
  - {field: metadata.name, not_equals: b}
message: "{{ metadata.name }} has that name"
fix: {text: Take another name.}
examples:
  - {name: another name, given: [{kind: KIND, metadata: {name: a}}], result: pass}
  - {name: that name, given: [{kind: KIND, metadata: {name: b}}], result: fail}
  - {name: not seen, given: [], not_collected: [KIND], result: unknown}
"""
METRICS = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1beta1.metrics.k8s.io"},
    "spec": {
        "group": "metrics.k8s.io",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"name": "metrics-server", "namespace": "kube-system"},
    },
}


@dataclass(frozen=True)
class Visit:
    """One run of the collector, and what went over the wire meanwhile."""

    collected: Collected
    recording: list[dict[str, Any]]

    @property
    def bundle(self) -> Bundle:
        return self.collected.bundle

    def step(self, name: str) -> Object:
        (step,) = [step for step in self.bundle.steps if step["id"] == name]
        return step


@pytest.fixture(scope="module")
def old_site(old_cluster: Cluster) -> LoadedScenario:
    return load(old_cluster, "old-site", served_only=True)


@pytest.fixture
def only_1_20(old_site: LoadedScenario) -> None:
    version = old_site.client.get("/version")["gitVersion"]
    if version != RELEASE:
        pytest.skip(f"Kubernetes {version} stands in for {RELEASE}, whose source Debian's mirror here does not have")


@pytest.fixture(scope="module")
def visit(old_site: LoadedScenario, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Visit:
    return _visit(old_site.cluster, runai_collect, tmp_path_factory.mktemp("old") / "site.tgz")


@pytest.fixture(scope="module")
def report(old_site: LoadedScenario, visit: Visit, tmp_path_factory: pytest.TempPathFactory) -> Object:
    folder = tmp_path_factory.mktemp("old-report") / "report"
    return analyze(visit.collected.path, folder, "--format", "json", *arguments_of(old_site.options)).report


@pytest.mark.usefixtures("only_1_20")
def test_the_server_is_the_old_release(visit: Visit) -> None:
    assert json.loads(visit.bundle.members["cluster/version.json"])["gitVersion"] == "v1.20.2"


def test_the_bundle_is_complete(visit: Visit) -> None:
    assert visit.collected.run.code == COMPLETE, visit.collected.run
    assert visit.bundle.manifest["state"] == "complete"
    assert {step["status"] for step in visit.bundle.steps} <= {"ok", "empty", "not_served", "not_found"}


@pytest.mark.usefixtures("only_1_20")
def test_discovery_went_group_by_group(visit: Visit) -> None:
    """The server knows no aggregated discovery: it is asked for it, answers in the old form, and every version is asked for."""
    kinds = {entry["path"]: (entry["status"], entry["kind"]) for entry in visit.recording}
    assert kinds["/api"] == (200, "APIVersions")
    assert kinds["/apis"] == (200, "APIGroupList")
    for path in ("/api/v1", "/apis/apps/v1", "/apis/policy/v1beta1", "/apis/run.ai/v1"):
        assert kinds[path] == (200, "APIResourceList")
    assert visit.step("discovery")["status"] == "ok"


@pytest.mark.usefixtures("only_1_20")
@pytest.mark.parametrize("kind", OLD_VERSIONS)
def test_kinds_are_read_in_the_version_of_then(visit: Visit, kind: str) -> None:
    bodies = [body for body in visit.bundle.rows(f"resources/{OLD_VERSIONS[kind]}/") if body["metadata"].get("name")]
    assert {body["kind"] for body in bodies} == {kind}
    assert visit.step(f"list:{OLD_VERSIONS[kind]}")["objects"] == len(bodies)


@pytest.mark.usefixtures("only_1_20")
def test_objects_made_in_an_older_version_come_in_the_newest_that_is_served(visit: Visit) -> None:
    ingresses = list(visit.bundle.rows("resources/networking.k8s.io/v1/ingresses/"))
    assert {body["metadata"]["name"] for body in ingresses} == {"researcher-service-ingress", "runai-cluster-api-ingress"}
    backends = [body["spec"]["rules"][0]["http"]["paths"][0]["backend"] for body in ingresses]
    assert backends == [{"service": {"name": "researcher-service", "port": {"number": 4180}}}] * 2
    definitions = list(visit.bundle.rows("resources/apiextensions.k8s.io/v1/customresourcedefinitions/"))
    assert "racks.acme.example" in {body["metadata"]["name"] for body in definitions}


def test_what_the_server_holds_is_in_the_bundle(old_site: LoadedScenario, visit: Visit) -> None:
    paths = {"Pod": "/api/v1/pods", "DaemonSet": "/apis/apps/v1/daemonsets", "Project": "/apis/run.ai/v1/projects"}
    for kind, path in paths.items():
        there = sorted(item["metadata"]["name"] for item in old_site.client.list(path))
        assert there
        assert sorted(body["metadata"]["name"] for body in visit.bundle.rows("resources/") if body["kind"] == kind) == there


def test_secrets_were_listed_as_tables_without_objects(visit: Visit) -> None:
    lists = [entry for entry in visit.recording if urlsplit(entry["path"]).path.endswith("/secrets")]
    assert len(lists) >= 10
    for entry in lists:
        query = parse_qs(urlsplit(entry["path"]).query)
        helm = query.get("labelSelector") == ["owner=helm"]
        assert entry["kind"] == ("PartialObjectMetadataList" if helm else "Table"), entry
        assert helm or query["includeObject"] == ["None"], entry


def test_one_secret_was_read_whole_and_the_names_of_all_are_known(old_site: LoadedScenario, visit: Visit) -> None:
    """The one with the certificate, which the Ingresses name. The password of the registry is nowhere in the bundle."""
    whole = [urlsplit(entry["path"]).path for entry in visit.recording if entry["kind"] == "Secret"]
    assert whole == ["/api/v1/namespaces/runai/secrets/runai-cluster-domain-tls-secret"]
    secrets = old_site.client.list("/api/v1/secrets")
    assert {row["name"] for row in visit.bundle.rows("secrets/")} == {one["metadata"]["name"] for one in secrets}
    (registry,) = [one["data"][".dockerconfigjson"] for one in secrets if one["metadata"]["name"] == "gcr-secret"]
    password = json.loads(base64.b64decode(registry))["auths"]["gcr.io"]["password"]
    assert password.encode() not in visit.bundle.raw
    assert registry.encode() not in visit.bundle.raw


@pytest.mark.parametrize("node", ["dgx-1", "dgx-2"])
def test_nvidia_smi_answered_by_exec(visit: Visit, node: str) -> None:
    xml = visit.bundle.members[f"nodes/{node}/nvidia-smi.xml"].decode()
    assert (xml.count("<gpu id="), "<driver_version>470.57.02<" in xml) == (8, True)
    source = json.loads(visit.bundle.members[f"nodes/{node}/source.json"])
    answer = source["attempts"][source["answered_by"]]
    assert (answer["namespace"], answer["container"], answer["status"]) == ("gpu-operator-resources", "nvidia-driver-ctr", "ok")
    assert any("/exec" in entry["path"] and entry["upgraded"] for entry in visit.recording)


def test_logs_of_run_ai_are_in_the_bundle(visit: Visit) -> None:
    (name,) = [name for name in visit.bundle.members if name.startswith("logs/runai/runai-agent-")]
    lines = visit.bundle.members[name].decode().splitlines()
    assert [line.split(" ", 1)[1] for line in lines][-1] == "ERROR agent certificate of gpu.old.example has expired"
    assert len(lines) == 4


def test_long_lists_came_page_by_page(old_site: LoadedScenario, visit: Visit) -> None:
    assert ["continue" in parse_qs(urlsplit(entry["path"]).query) for entry in _pages(visit)] == [False, True]
    assert visit.step("list:core/v1/configmaps")["pages"] == 2
    assert _configmaps(visit.bundle) == _there(old_site)


@pytest.fixture(scope="module")
def late_visit(old_site: LoadedScenario, commands: dict[str, Sequence[str]], tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """The .pyz on the oldest Python; between two pages of ConfigMaps one is made, and the server forgets the past."""
    path = tmp_path_factory.mktemp("late") / "late.tgz"
    with ThreadPoolExecutor(1) as pool:
        with old_site.cluster.holding(f"^{CONFIGMAPS}[?].*continue=") as wait:
            visit = pool.submit(_visit, old_site.cluster, commands["oldest"], path)
            wait()
            metadata = {"name": "zz-late", "namespace": "runai-team-b"}
            old_site.client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"late": "yes"}})
            old_site.cluster.compact()
        return visit.result()


@pytest.mark.usefixtures("only_1_20")
def test_a_list_goes_on_when_its_continue_token_has_expired(old_site: LoadedScenario, late_visit: Visit) -> None:
    assert [entry["status"] for entry in _pages(late_visit)] == [200, EXPIRED, 200]
    assert late_visit.collected.run.code == COMPLETE, late_visit.collected.run
    step = late_visit.step("list:core/v1/configmaps")
    assert (step["status"], step["pages"]) == ("ok", 2)
    assert "later" in step["message"]
    assert _configmaps(late_visit.bundle) == _there(old_site)


@pytest.fixture(scope="module")
def crippled_visit(old_site: LoadedScenario, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """While an aggregated API is registered whose service is not there."""
    client = old_site.client
    client.create(METRICS)
    try:
        _wait_until(lambda: client.request("GET", "/apis/metrics.k8s.io/v1beta1").status == DEAD)
        path = tmp_path_factory.mktemp("crippled") / "crippled.tgz"
        return _visit(old_site.cluster, runai_collect, path, "--no-logs")
    finally:
        client.delete(METRICS)


def test_an_aggregated_api_that_is_dead_is_named_and_costs_nothing_else(crippled_visit: Visit) -> None:
    step = crippled_visit.step("discovery")
    assert (step["status"], "metrics.k8s.io" in step["message"]) == ("truncated", True)
    assert crippled_visit.collected.run.code == PARTIAL
    assert "metrics.k8s.io" in (crippled_visit.collected.run.stdout + crippled_visit.collected.run.stderr).decode()
    others = [step for step in crippled_visit.bundle.steps if step["id"] != "discovery"]
    assert [step["id"] for step in others if step["status"] not in ("ok", "empty", "not_found", "skipped")] == []
    service = crippled_visit.bundle.object("APIService", "v1beta1.metrics.k8s.io", None)
    assert [(one["type"], one["status"], one["reason"]) for one in service["status"]["conditions"]] == [
        ("Available", "False", "ServiceNotFound")
    ]


@pytest.mark.usefixtures("only_1_20")
def test_a_dead_api_answers_with_plain_text(crippled_visit: Visit) -> None:
    entries = [entry for entry in crippled_visit.recording if "/apis/metrics.k8s.io/" in entry["path"]]
    assert {(entry["status"], entry["content_type"].split(";")[0]) for entry in entries} == {(DEAD, "text/plain")}


def test_the_printed_roles_are_enough_on_an_old_server_too(
    old_site: LoadedScenario, visit: Visit, runai_collect: Sequence[str], tmp_path: Path
) -> None:
    """Made with the commands at the head of the YAML, and used with the token that they get."""
    environment = old_site.cluster.environment()
    environment["PATH"] = f"{Path(runai_collect[0]).parent}{os.pathsep}{environment['PATH']}"
    printed = run([*runai_collect, "--rbac", "all"], environment, tmp_path, 60).stdout.decode()
    *before, _, _, _ = re.findall(r"^#      (.*)$", printed, re.M)
    run(["sh", "-c", "\n".join(before)], environment, tmp_path, 60)  # complains of namespaces that are not here
    account = {**environment, "KUBECONFIG": str(tmp_path / "runai-collect.kubeconfig")}
    collected = collect(runai_collect, tmp_path / "roles.tgz", account, "--no-logs")
    assert collected.run.code == COMPLETE, collected.run
    assert set(visit.bundle.names()["nodes/"]) == set(collected.bundle.names()["nodes/"])
    assert [step["id"] for step in collected.bundle.steps if step["status"] == "forbidden"] == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_the_report_shows_every_fault(old_site: LoadedScenario, report: Object, fault: Fault) -> None:
    kind, namespace, name = key_of(fault.object)
    if kind == "Ingress" and (kind, namespace, name) not in {key_of(one) for one in old_site.data.objects}:
        pytest.skip("this server has no Ingress of version v1beta1: a newer one stands in for the old")
    found = findings(report)
    near = [str(one) for one in found if is_about(one, fault)]
    assert any(explains(one, fault) for one in found), f"{fault.title}\nfindings on the object:\n" + "\n".join(near)


@pytest.mark.usefixtures("only_1_20")
def test_the_report_shows_nothing_else(report: Object) -> None:
    others = [one for one in findings(report) if not any(is_about(one, fault) for fault in FAULTS)]
    assert [str(one) for one in others] == []
    assert report["checklist"]["release"] == "2.5"


def test_no_rule_breaks_and_most_can_judge(report: Object) -> None:
    """What Run:ai 2.5 did not write yet (conditions of RunaiConfig, labels of Pod Security) is unknown, never passed."""
    statuses = Counter(outcome["status"] for outcome in report["outcomes"])
    assert statuses["error"] == 0
    assert statuses["pass"] >= 35
    unknown = {outcome["rule"] for outcome in report["outcomes"] if outcome["status"] == "unknown"}
    assert {"RAI-RUN-002", "RAI-RUN-003", "RAI-RUN-005", "RAI-PSA-002"} <= unknown
    assert len(unknown) <= 6


@pytest.mark.usefixtures("only_1_20")
@pytest.mark.parametrize(("kind", "status"), [*((kind, "pass") for kind in OLD_VERSIONS), ("PodSecurityPolicy", "unknown")])
def test_a_rule_sees_a_kind_in_its_old_version(visit: Visit, tmp_path: Path, kind: str, status: str) -> None:
    """Or says that it was not collected: Pod Security Policies are not read."""
    pack = write_pack(tmp_path / "pack", RULE.partition("for_each")[0] + ANY_NAME_BUT_B.replace("KIND", kind))
    analyzed = analyze(visit.collected.path, tmp_path / "report", "--format", "json", "--rules", str(pack))
    (outcome,) = [one for one in analyzed.report["outcomes"] if one["rule"] == "RAI-TST-001"]
    assert outcome["status"] == status, outcome


def _visit(cluster: Cluster, command: Sequence[str], path: Path, *arguments: str) -> Visit:
    cluster.clear_recording()
    return Visit(collect(command, path, cluster.environment(), *arguments), cluster.recording())


def _pages(visit: Visit) -> list[dict[str, Any]]:
    """The requests for ConfigMaps of the whole cluster, without the preflight's, which asks for one."""
    lists = [entry for entry in visit.recording if urlsplit(entry["path"]).path == CONFIGMAPS]
    return [entry for entry in lists if parse_qs(urlsplit(entry["path"]).query)["limit"] != ["1"]]


def _configmaps(bundle: Bundle) -> list[str]:
    """Every ConfigMap that the bundle knows, one that came twice twice."""
    return sorted(f"{row['namespace']}/{row['name']}" for row in bundle.rows("configmaps/"))


def _there(site: LoadedScenario) -> list[str]:
    found = [one["metadata"] for one in site.client.list(CONFIGMAPS)]
    assert len(found) > 50  # more than a page
    return sorted(f"{one['namespace']}/{one['name']}" for one in found)


def _wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)
