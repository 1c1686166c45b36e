"""The scenarios: their data is sound, the API server takes them, every planted fault goes in and comes out again."""

import base64
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography import x509

from tests.cluster import scenario, scenario_data, scenario_nvidia
from tests.cluster.client import ApiError
from tests.cluster.scenario_faults import SERVER_FIELDS
from tests.cluster.server import Cluster

Object = dict[str, Any]

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
FAULTS = scenario_data.read_faults()
VARIANTS = sorted(scenario_data.read_variants())
ANSWERS = {"pass", "fail", "unknown", "not_applicable", "ask"}
SEVERITIES = {"critical", "high", "medium", "low", "info"}


@pytest.fixture(scope="module")
def healthy(cluster: Cluster) -> Iterator[scenario.LoadedScenario]:
    cluster.reset()
    yield scenario.load(cluster, "healthy")
    cluster.reset()


# -- the data, without a cluster -------------------------------------------------------------------


def test_every_fault_has_an_id_of_its_own_and_a_severity_that_exists() -> None:
    assert [name for name, times in Counter(one.id for one in FAULTS).items() if times > 1] == []
    assert {one.expected_severity for one in FAULTS} <= SEVERITIES
    assert len(FAULTS) >= 20


def test_a_fault_that_stands_alone_says_beside_which_other_it_cannot_be_seen() -> None:
    ids = {one.id for one in scenario.together()}
    for fault in FAULTS:
        assert fault.together != bool(fault.hidden_by or fault.variant), fault.id
        assert not fault.hidden_by or fault.hidden_by in ids, fault.id


def test_what_a_fault_changes_exists_in_the_healthy_site_or_in_its_variant() -> None:
    data = scenario_data.read_scenario("healthy", NOW)
    known = {scenario_data.key_of(one) for one in data.objects}
    known |= {("Secret", *one["secret"].split("/")) for one in data.certificates}
    for changes in scenario_data.read_variants().values():
        known |= {scenario_data.key_of(one["create"]) for one in changes if "create" in one}
    known |= {("Version", "", "version")} | {("NvidiaSmi", "", node) for node in data.nvidia_smi}
    for fault in FAULTS:
        changed = [one[name] for one in fault.change for name in ("patch", "status", "text", "delete") if name in one]
        for short in [fault.object, *changed]:
            assert scenario_data.key_of(short) in known, fault.id


@pytest.mark.parametrize("name", ["healthy", "pre-install", "old-site"])
def test_no_object_stands_twice_in_a_scenario(name: str) -> None:
    keys = Counter(scenario_data.key_of(one) for one in scenario_data.read_scenario(name, NOW).objects)
    assert [key for key, times in keys.items() if times > 1] == []


def test_the_faults_of_old_site_are_about_objects_that_it_has() -> None:
    data = scenario_data.read_scenario("old-site", NOW)
    known = {scenario_data.key_of(one) for one in data.objects} | {
        ("Secret", *one["secret"].split("/")) for one in data.certificates
    }
    known |= {("NvidiaSmi", "", node) for node in data.nvidia_smi}
    faults = scenario_data.read_faults("old-site")
    assert len({one.id for one in faults}) == len(faults) >= 8
    assert [one.id for one in faults if scenario_data.key_of(one.object) not in known] == []


def test_times_are_counted_back_from_the_moment_of_loading() -> None:
    assert scenario_data.with_times({"a": ["ago:25d", "ago:5", "ago-micro:5s"]}, NOW) == {
        "a": ["2026-10-07T12:00:00Z", "ago:5", "2026-11-01T11:59:55.000000Z"]
    }


def test_the_checklist_answers_each_line_once_and_says_where_to_look() -> None:
    lines = scenario_data.read_checklist()
    assert len({one["id"] for one in lines}) == len(lines)
    for line in lines:
        assert line["answer"] in ANSWERS, line["id"]
        assert line["because"], line["id"]
        assert ("object" in line) == (line["answer"] != "ask"), line["id"]


def test_merge_patch_removes_what_is_null() -> None:
    assert scenario_data.merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None}, "e": [4]}) == {
        "a": {"c": 2},
        "d": 3,
        "e": [4],
    }


# -- nvidia-smi ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "gpus", "slices"), [("h100-8", 8, 0), ("h100-8-mig", 8, 16), ("err-cell", 8, 0), ("one-lost", 7, 0)]
)
def test_nvidia_smi_shows_as_many_gpus_in_every_form(output: str, gpus: int, slices: int) -> None:
    log = ElementTree.fromstring(scenario_nvidia.render("query.xml", "gpu-1", output))
    assert log.findtext("attached_gpus") == str(gpus)
    assert len({gpu.findtext("uuid") for gpu in log.findall("gpu")}) == gpus
    assert len(log.findall("gpu/mig_devices/mig_device")) == slices
    assert scenario_nvidia.render("table.txt", "gpu-1", output).count("NVIDIA H100 80GB HBM3") == gpus


@pytest.mark.parametrize("output", ["h100-8", "h100-8-mig", "err-cell"])
def test_the_lines_of_the_table_are_of_one_width(output: str) -> None:
    lines = scenario_nvidia.render("table.txt", "gpu-1", output).splitlines()[1:]
    assert {len(line) for line in lines if line} == {91}


def test_the_sick_gpu_has_cells_that_cannot_be_read() -> None:
    log = ElementTree.fromstring(scenario_nvidia.render("query.xml", "gpu-1", "err-cell"))
    sick = [index for index, gpu in enumerate(log.findall("gpu")) if gpu.findtext("fan_speed") == "Unknown Error"]
    assert sick == [5]
    assert scenario_nvidia.render("table.txt", "gpu-1", "err-cell").count("ERR!") == 2


def test_a_dead_driver_answers_every_question_with_nine() -> None:
    answers = scenario_nvidia.answers("gpu-1", "driver-dead")
    assert {one["exit_code"] for one in answers} == {9}
    assert all(one["stdout"].startswith("NVIDIA-SMI has failed because") and not one["stderr"] for one in answers)


def test_each_node_has_gpus_of_its_own() -> None:
    first, second = (scenario_nvidia.render("query.xml", node, "h100-8") for node in ("gpu-1", "gpu-2"))
    assert first != second


# -- in the cluster --------------------------------------------------------------------------------


def test_healthy_stands_in_the_cluster_as_it_stands_in_the_files(healthy: scenario.LoadedScenario) -> None:
    client = healthy.cluster.client
    nodes = client.list("/api/v1/nodes")
    assert len(nodes) == 10
    assert sum(int(one["status"]["allocatable"].get("nvidia.com/gpu", 0)) for one in nodes) == 24
    assert len(client.list("/api/v1/namespaces/runai/pods")) == 39  # 30 Deployments, Prometheus, two DaemonSets on 4 nodes
    assert len(client.list("/apis/run.ai/v2/projects")) == 3


def test_every_status_was_stored(healthy: scenario.LoadedScenario) -> None:
    for wanted in healthy.data.objects:
        if wanted.get("status"):
            stored = healthy.cluster.client.get(healthy.path_of(scenario_short(wanted)))["status"]
            missing = {name for name in wanted["status"] if name not in stored}
            assert not missing, (scenario_data.key_of(wanted), missing)


def test_all_workloads_are_ready(healthy: scenario.LoadedScenario) -> None:
    client = healthy.cluster.client
    for one in client.list("/apis/apps/v1/deployments") + client.list("/apis/apps/v1/statefulsets"):
        assert one["status"]["readyReplicas"] == one["spec"]["replicas"], one["metadata"]["name"]
        assert one["status"]["observedGeneration"] == one["metadata"]["generation"], one["metadata"]["name"]
    for one in client.list("/apis/apps/v1/daemonsets"):
        assert one["status"]["numberReady"] == one["status"]["desiredNumberScheduled"] > 0, one["metadata"]["name"]


def test_pods_know_their_owners(healthy: scenario.LoadedScenario) -> None:
    client = healthy.cluster.client
    sets = {one["metadata"]["uid"] for one in client.list("/apis/apps/v1/replicasets")}
    (pod,) = [one for one in client.list("/api/v1/namespaces/runai/pods") if one["metadata"]["name"].startswith("cluster-sync-")]
    assert pod["metadata"]["ownerReferences"][0]["uid"] in sets


def test_the_wildcard_certificate_comes_with_its_intermediate(healthy: scenario.LoadedScenario) -> None:
    secret = healthy.cluster.client.get("/api/v1/namespaces/runai/secrets/runai-cluster-domain-star-tls-secret")
    leaf, intermediate = x509.load_pem_x509_certificates(base64.b64decode(secret["data"]["tls.crt"]))
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["*.gpu.acme.example"]
    leaf.verify_directly_issued_by(intermediate)


@pytest.mark.usefixtures("kubelet_cluster")
def test_nvidia_smi_answers_in_the_driver_pods(healthy: scenario.LoadedScenario) -> None:
    pods = healthy.cluster.client.list("/api/v1/namespaces/gpu-operator/pods")
    (driver,) = [one for one in pods if one["spec"]["nodeName"] == "gpu-4" and "nvidia-driver" in one["metadata"]["name"]]
    command = ["-n", "gpu-operator", "-c", "nvidia-driver-ctr", driver["metadata"]["name"], "--", "nvidia-smi", "-q", "-x"]
    said = healthy.cluster.kubectl("exec", *command)
    assert said.returncode == 0
    assert said.stdout.decode() == scenario_nvidia.render("query.xml", "gpu-4", "h100-8-mig")


@pytest.mark.usefixtures("kubelet_cluster")
def test_pods_of_run_ai_have_logs(healthy: scenario.LoadedScenario) -> None:
    pods = healthy.cluster.client.list("/api/v1/namespaces/runai/pods")
    (name,) = [one["metadata"]["name"] for one in pods if one["metadata"]["name"].startswith("cluster-sync-")]
    said = healthy.cluster.kubectl("logs", "-n", "runai", name, "--since=24h")
    assert said.stdout.decode().splitlines()[0] == 'INFO\tcontroller\treconciled\t{"name": "team-a", "took": "41ms"}'


@pytest.mark.parametrize("variant", [None, *VARIANTS])
def test_a_fault_taken_back_leaves_nothing(healthy: scenario.LoadedScenario, variant: str | None) -> None:
    undo = scenario.set_variant(healthy, variant) if variant else []
    before = everything(healthy)
    for fault in FAULTS:
        if fault.variant == variant:
            scenario.apply_fault(healthy, fault)
            assert everything(healthy) != before, f"{fault.id} changes nothing"
            scenario.revert_fault(healthy, fault)
            assert everything(healthy) == before, fault.id
    scenario.take_back(undo)


def test_a_variant_taken_back_leaves_nothing(healthy: scenario.LoadedScenario) -> None:
    before = everything(healthy)
    for variant in VARIANTS:
        undo = scenario.set_variant(healthy, variant)
        assert everything(healthy) != before
        scenario.take_back(undo)
        assert everything(healthy) == before, variant


def test_broken_site_has_all_faults_that_can_stand_together(fresh_cluster: Cluster) -> None:
    loaded = scenario.load(fresh_cluster, "broken-site")
    assert set(loaded.faults) == {one.id for one in scenario.together()}
    assert loaded.version["gitVersion"] == "v1.36.1"
    config = fresh_cluster.client.get("/apis/run.ai/v1/namespaces/runai/runaiconfigs/runai")
    assert config["spec"]["__internal"]["global"]["clusterURL"] == "http://gpu.acme.example"
    with pytest.raises(ApiError) as refused:
        fresh_cluster.client.get("/api/v1/namespaces/runai/secrets/runai-reg-creds")
    assert refused.value.status == 404


def test_pre_install_has_no_run_ai_and_two_gpu_nodes(fresh_cluster: Cluster) -> None:
    loaded = scenario.load(fresh_cluster, "pre-install")
    assert loaded.options["runai_version"] == "2.25"
    nodes = fresh_cluster.client.list("/api/v1/nodes")
    assert sum(int(one["status"]["allocatable"].get("nvidia.com/gpu", 0)) for one in nodes) == 16
    definitions = fresh_cluster.client.list("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    assert not [one for one in definitions if one["spec"]["group"].endswith("run.ai")]


def everything(loaded: scenario.LoadedScenario) -> Object:
    """All objects of the kinds that scenarios use, the answers of nvidia-smi and of /version, without what the server counts."""
    cluster = loaded.cluster
    versions = {one["apiVersion"]: None for one in loaded.data.objects} | {"config.openshift.io/v1": None}
    found: Object = {"version": loaded.version, "options": dict(loaded.options)}
    for version in versions:
        root = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        answer = cluster.client.request("GET", root)
        names = json.loads(answer.body)["resources"] if answer.status == 200 else []
        for resource in (one for one in names if "/" not in one["name"] and "list" in one["verbs"]):
            for item in cluster.client.list(f"{root}/{resource['name']}"):
                if key_parts(item)[0] == "kube-system" and resource["name"] == "leases":
                    continue  # the server's own, which it renews
                found["/".join((root, resource["name"], *key_parts(item)))] = without_counts(item)
    for path in cluster.kubelet_dir.rglob("exec.json"):
        found[str(path)] = path.read_text()
    return found


def key_parts(item: Object) -> tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def without_counts(item: Object) -> Object:
    """Owners keep their names: after a workload was made anew its uid is another one."""
    kept = {name: value for name, value in item.get("metadata", {}).items() if name not in SERVER_FIELDS}
    kept["ownerReferences"] = [{**one, "uid": ""} for one in kept.get("ownerReferences", [])]
    status = {name: value for name, value in item.get("status", {}).items() if name != "observedGeneration"}
    if item.get("kind") == "CustomResourceDefinition" or "storedVersions" in status:
        status.pop("conditions", None)
    return {**item, "metadata": kept, "status": status}


def scenario_short(obj: Object) -> Object:
    kind, namespace, name = scenario_data.key_of(obj)
    return {"kind": kind, "namespace": namespace, "name": name}
