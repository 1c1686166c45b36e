"""Support bundles of troubleshoot: every generation, and what an empty file means in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runai_analyze.bundle.formats import recognise
from runai_analyze.model import Exposed, Missing

from tests.bundle.formats.packed import gaps, names, packed

TOP = "support-bundle-2026-11-30T12_00_00/"
SMI = "| NVIDIA-SMI 580.95.05   Driver Version: 580.95.05   CUDA Version: 13.0 |\n"
HOLDER = "a troubleshoot support bundle does not hold it"


def thing(name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **more}


def listed(kind: str, *items: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    """A list as Go's encoder writes it: null where there are none."""
    return {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": list(items) or None}


def support_bundle(**files: Any) -> dict[str, Any]:
    """A bundle of two namespaces; file names below cluster-resources/ with ``__`` for a slash and ``_`` for a dot."""
    own = {
        "namespaces_json": listed("Namespace", thing("default"), thing("runai")),
        "nodes_json": listed("Node", thing("node-1")),
        "pods__default_json": listed("Pod"),
        "pods__runai_json": listed("Pod", thing("agent", "runai", spec={"nodeName": "node-1"})),
    }
    paths = {name.replace("__", "/").replace("_json", ".json"): content for name, content in {**own, **files}.items()}
    return {
        TOP + "version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: v0.133.0\n",
        TOP + "cluster-info/cluster_version.json": {"info": {"gitVersion": "v1.31.2+k3s1"}, "string": "v1.31.2+k3s1"},
        **{f"{TOP}cluster-resources/{name}": content for name, content in paths.items() if content is not None},
    }


def test_objects_version_and_time(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle())
    assert (bundle.info.collector, bundle.info.holder) == ("troubleshoot support bundle", "a troubleshoot support bundle")
    assert not isinstance(bundle.version, Missing)
    assert bundle.version["gitVersion"] == "v1.31.2+k3s1"
    assert bundle.info.captured == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert names(bundle, "Pod") == ["runai/agent"]
    assert bundle.info.problems == ()


def test_a_list_with_null_for_its_items_is_empty_and_whole(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle())
    assert gaps(bundle, "Pod") == []
    assert {step.id: step.status for step in bundle.info.steps if step.kind == "Pod"} == {
        "list:core/pods@default": "empty", "list:core/pods@runai": "ok"
    }  # fmt: skip


def test_what_no_file_is_of_is_not_empty(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle())
    ((what, reason, command),) = gaps(bundle, "Secret")
    assert (what, reason) == ("Secret", HOLDER)
    assert command in ("kubectl get secret -A", "kubectl get secrets -A")
    assert [reason for _, reason, _ in gaps(bundle, "Deployment", "apps")] == [HOLDER]


def test_an_empty_file_is_a_list_that_failed(tmp_path: Path) -> None:
    """Of lists of the cluster the tool writes the file in any case, and says beside it why nothing is in it."""
    message = 'nodes is forbidden: User "me" cannot list resource "nodes" in API group "" at the cluster scope'
    bundle = packed(tmp_path, support_bundle(nodes_json="", **{"nodes-errors_json": [message]}))
    assert [(what, reason) for what, reason, _ in gaps(bundle, "Node")] == [("Node", "the account may not read it")]


def test_an_empty_file_without_its_errors(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle(nodes_json=""))
    assert [reason for _, reason, _ in gaps(bundle, "Node")] == ["the request failed (the file is empty)"]


def test_what_is_no_list_is_not_empty(tmp_path: Path) -> None:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    bundle = packed(tmp_path, support_bundle(nodes_json=status))
    told = [(one.message, one.member) for one in bundle.info.problems]
    assert told == [("it is no list of nodes", "cluster-resources/nodes.json")]
    assert gaps(bundle, "Node") != []


def test_a_namespace_that_could_not_be_listed(tmp_path: Path) -> None:
    errors = {"runai": "the server is currently unable to handle the request"}
    bundle = packed(tmp_path, support_bundle(pods__runai_json=None, **{"pods-errors_json": errors}))
    assert gaps(bundle, "Pod", "", "default") == []
    assert [what for what, _, _ in gaps(bundle, "Pod", "", "runai")] == ["Pod in runai"]


def test_errors_of_any_shape_end_in_no_traceback(tmp_path: Path) -> None:
    odd = {"pods-errors_json": "1: a\nx: [b]\n", "nodes-errors_json": [{"a": 1}], "namespaces-errors_json": 5}
    resources = [1, {"groupVersion": "v1", "resources": [2, {}]}]
    files = support_bundle(nodes_json=7, resources_json=resources, groups_json={"a": 1}, **odd)
    more = {"secrets/x.json": [], "configmaps/a/b.json": {"data": {"a": [1]}, "name": 3}, "helm/x.json": [{"releaseName": 1}, 2]}
    bundle = packed(tmp_path, {**files, **{TOP + name: content for name, content in more.items()}})
    assert gaps(bundle, "Node") != []
    assert names(bundle, "Pod") == ["runai/agent"]


def test_a_namespace_that_was_passed_over(tmp_path: Path) -> None:
    """Namespaces that the account may not look into have neither files nor errors."""
    bundle = packed(tmp_path, support_bundle(pods__runai_json=None))
    assert [(what, reason) for what, reason, _ in gaps(bundle, "Pod")] == [("Pod in runai", HOLDER)]


def test_namespaces_of_which_only_some_were_asked_for(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle(namespaces_json=[thing("runai")], pods__default_json=None))
    assert names(bundle, "Namespace") == ["runai"]
    assert gaps(bundle, "Pod", "", "runai") == []
    assert gaps(bundle, "Pod") != []


def test_a_single_namespace(tmp_path: Path) -> None:
    one = {"kind": "Namespace", "apiVersion": "v1", **thing("runai")}
    bundle = packed(tmp_path, support_bundle(namespaces_json=one, pods__default_json=None))
    assert (names(bundle, "Namespace"), gaps(bundle, "Pod", "", "runai")) == (["runai"], [])
    assert gaps(bundle, "Pod", "", "default") != []


def test_bare_arrays_of_the_first_generation(tmp_path: Path) -> None:
    files = support_bundle(nodes_json=[thing("node-1")], deployments__runai_json=[thing("operator", "runai")])
    bundle = packed(tmp_path, files)
    assert (names(bundle, "Node"), names(bundle, "Deployment")) == (["node-1"], ["runai/operator"])
    assert gaps(bundle, "Deployment", "apps", "runai") == []


def test_replica_sets_in_a_folder_called_like_a_file_of_errors(tmp_path: Path) -> None:
    name = "statefulsets-errors_json__runai_json"
    bundle = packed(tmp_path, support_bundle(**{name: listed("ReplicaSet", thing("operator-1", "runai"), version="apps/v1")}))
    assert names(bundle, "ReplicaSet") == ["runai/operator-1"]
    assert gaps(bundle, "ReplicaSet", "apps", "runai") == []
    assert gaps(bundle, "StatefulSet", "apps", "runai") != []


def test_ingresses_of_an_old_api_are_not_taken_for_those_of_the_present_one(tmp_path: Path) -> None:
    old = listed("Ingress", thing("runai", "runai"), version="extensions/v1beta1")
    bundle = packed(tmp_path, support_bundle(ingress__runai_json=old))
    assert gaps(bundle, "Ingress", "extensions", "runai") == []
    assert gaps(bundle, "Ingress", "networking.k8s.io", "runai") != []


# --- Custom resources, discovery ----------------------------------------------------------------------------------------------

POOL, PROJECT = "nodepools.run.ai", "trainingworkloads.run.ai"
SERVED: dict[str, Any] = {
    "custom-resource-definitions_json": listed("CustomResourceDefinition", thing(POOL), thing(PROJECT)),
    "groups_json": [{"name": ""}, {"name": "run.ai"}],
    "resources_json": [
        {
            "groupVersion": "v1",
            "resources": [{"name": "pods", "kind": "Pod", "namespaced": True}, {"name": "pods/log", "kind": "Pod"}],
        },
        {
            "groupVersion": "run.ai/v1",
            "resources": [
                {"name": "nodepools", "kind": "NodePool", "namespaced": False},
                {"name": "trainingworkloads", "kind": "TrainingWorkload", "namespaced": True},
            ],
        },
    ],
}  # fmt: skip


def custom(name: str, kind: str, namespace: str = "") -> dict[str, Any]:
    return {"apiVersion": "run.ai/v1", "kind": kind, **thing(name, namespace)}


def test_custom_resources_are_bare_arrays_and_those_without_a_file_are_none(tmp_path: Path) -> None:
    pools = {f"custom-resources__{POOL}_json": [custom("default", "NodePool")]}
    bundle = packed(tmp_path, support_bundle(**SERVED, **pools))
    assert names(bundle, "NodePool") == ["default"]
    assert (gaps(bundle, "NodePool", "run.ai"), gaps(bundle, "TrainingWorkload", "run.ai")) == ([], [])


def test_custom_resources_in_yaml_alone(tmp_path: Path) -> None:
    text = "- apiVersion: run.ai/v1\n  kind: TrainingWorkload\n  metadata:\n    name: a\n    namespace: runai\n"
    bundle = packed(tmp_path, support_bundle(**SERVED, **{f"custom-resources__{PROJECT}__runai.yaml": text}))
    assert names(bundle, "TrainingWorkload") == ["runai/a"]


def test_the_same_custom_resource_in_json_and_yaml_is_one(tmp_path: Path) -> None:
    text = "- apiVersion: run.ai/v1\n  kind: NodePool\n  metadata:\n    name: default\n"
    both = {f"custom-resources__{POOL}_json": [custom("default", "NodePool")], f"custom-resources__{POOL}.yaml": text}
    assert names(packed(tmp_path, support_bundle(**SERVED, **both)), "NodePool") == ["default"]


def test_a_custom_kind_that_could_not_be_listed(tmp_path: Path) -> None:
    errors = {"custom-resources__custom-resources-errors_json": {POOL: "conversion webhook failed"}}
    bundle = packed(tmp_path, support_bundle(**SERVED, **errors))
    assert [reason for _, reason, _ in gaps(bundle, "NodePool", "run.ai")] == ["the request failed (conversion webhook failed)"]
    assert gaps(bundle, "TrainingWorkload", "run.ai") == []


def test_custom_kinds_of_which_nothing_says_that_they_were_asked_for(tmp_path: Path) -> None:
    assert gaps(packed(tmp_path, support_bundle(**SERVED)), "NodePool", "run.ai") != []


def test_discovery_tells_what_the_cluster_does_not_serve(tmp_path: Path) -> None:
    bundle = packed(tmp_path, support_bundle(**SERVED))
    assert (bundle.served("run.ai"), bundle.served("kubeflow.org")) == (True, False)
    assert gaps(bundle, "MPIJob", "kubeflow.org") == []


def test_a_group_that_did_not_answer_makes_discovery_incomplete(tmp_path: Path) -> None:
    silent = {**SERVED, "groups_json": [*SERVED["groups_json"], {"name": "metrics.k8s.io"}]}
    bundle = packed(tmp_path, support_bundle(**silent))
    assert (bundle.served("metrics.k8s.io"), bundle.served("kubeflow.org")) == (True, None)
    assert gaps(bundle, "MPIJob", "kubeflow.org") != []


# --- Values, Secrets, the tool's own pods -------------------------------------------------------------------------------------


def test_hidden_values_are_no_values(tmp_path: Path) -> None:
    data = listed("ConfigMap", thing("runai-public", "runai", data={"domain": "https://***HIDDEN***/"}))
    bundle = packed(tmp_path, support_bundle(configmaps__runai_json=data))
    (body,) = [record.body for record in bundle.records(None) if record.body.get("kind") == "ConfigMap"]
    assert body["data"] == {"domain": "https://«redacted:hidden-by-writer»/"}


def test_values_of_secrets_are_told_and_not_kept(tmp_path: Path) -> None:
    told = {"namespace": "runai", "name": "a", "key": "password", "secretExists": True, "keyExists": True, "value": "Tr0ub4dor"}
    hidden = {**told, "name": "b", "value": "***HIDDEN***"}
    exists = {"namespace": "runai", "name": "c", "key": "", "secretExists": True, "keyExists": False}
    files = {f"{TOP}secrets/runai/{one['name']}/password.json": one for one in (told, hidden, exists)}
    bundle = packed(tmp_path, {**support_bundle(), **files})
    assert bundle.info.exposed == (Exposed("runai", "a", 1, "secrets/runai/a/password.json"),)
    assert "Tr0ub4dor" not in str([record.body for record in bundle.records(None)])


def test_objects_that_the_tool_made_are_left_out(tmp_path: Path) -> None:
    own = thing("copyfromhost-x", "runai")
    own["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "troubleshoot.sh"}
    ran = thing("run-x", "runai")
    ran["metadata"]["labels"] = {"troubleshoot-role": "run-collector"}
    pods = listed("Pod", thing("agent", "runai"), own, ran)
    assert names(packed(tmp_path, support_bundle(pods__runai_json=pods)), "Pod") == ["runai/agent"]


def test_releases_of_helm_without_their_values(tmp_path: Path) -> None:
    history = [{"revision": "1", "status": "superseded"}, {"revision": "2", "status": "failed", "values": {"password": "Tr0ub4"}}]
    files = {TOP + "helm/runai.json": [{"releaseName": "runai-cluster", "namespace": "runai", "releaseHistory": history}]}
    bundle = packed(tmp_path, {**support_bundle(), **files})
    rows = [record.body for record in bundle.records(None) if record.area == "helm"]
    assert [(row["name"], row["labels"]["status"]) for row in rows] == [
        ("sh.helm.release.v1.runai-cluster.v1", "superseded"), ("sh.helm.release.v1.runai-cluster.v2", "failed")
    ]  # fmt: skip
    assert "Tr0ub4" not in str(rows)
    assert gaps(bundle, "HelmRelease", "made", "runai") == []
    assert gaps(bundle, "HelmRelease", "made") != []


def test_one_release_of_helm_does_not_stand_for_all(tmp_path: Path) -> None:
    one = {"releaseName": "a", "namespace": "runai", "releaseHistory": [{"revision": "1", "status": "deployed"}]}
    bundle = packed(tmp_path, {**support_bundle(), TOP + "helm/runai/a.json": [one]})
    assert gaps(bundle, "HelmRelease", "made", "runai") != []


def test_a_configmap_that_was_asked_for_by_name(tmp_path: Path) -> None:
    one = {"namespace": "runai", "name": "runai-public", "key": "", "configMapExists": True, "data": {"a": "b"}}
    part = {"namespace": "runai", "name": "other", "key": "a", "configMapExists": True, "value": "b", "data": None}
    files = {f"{TOP}configmaps/runai/runai-public.json": one, f"{TOP}configmaps/runai/other/a.json": part}
    assert names(packed(tmp_path, {**support_bundle(), **files}), "ConfigMap") == ["runai/runai-public"]


def test_the_tool_s_own_analysis_is_told_and_finds_nothing(tmp_path: Path) -> None:
    analysis = [
        {"name": "a", "insight": {"primary": "Too old\u202e", "severity": "error"}},
        {"name": "b", "insight": {"primary": "Low on memory", "severity": "warn"}},
        {"name": "c", "insight": {"primary": "Fine", "severity": "debug"}},
    ]
    bundle = packed(tmp_path, {**support_bundle(), TOP + "analysis.json": analysis})
    (note,) = bundle.info.notes
    assert note.startswith("The tool's own analysis counts 1 of 3 as failed and 1 as warnings: Too old\\u202e, Low on memory. ")


def test_an_analysis_of_another_shape(tmp_path: Path) -> None:
    bundle = packed(tmp_path, {**support_bundle(), TOP + "analysis.json": [1, {"insight": "x"}, {"insight": {"severity": []}}]})
    assert (bundle.info.notes, bundle.info.problems) == ((), ())


# --- Logs, nvidia-smi, times --------------------------------------------------------------------------------------------------


def test_logs_and_those_that_are_not_there(tmp_path: Path) -> None:
    folder = TOP + "cluster-resources/pods/logs/runai/agent/"
    files = {folder + "main.log": "one\n", folder + "main-previous.log": "two\n", folder + "side-logs-errors.log": "refused"}
    bundle = packed(tmp_path, {**support_bundle(), **files}, {TOP + "all/agent/main.log": "../../cluster-resources/pods/logs/…"})
    found = [(log.namespace, log.pod, log.container, log.previous, log.data) for log in bundle.logs()]
    assert found == [("runai", "agent", "main", False, b"one\n"), ("runai", "agent", "main", True, b"two\n")]
    assert (gaps(bundle, "LogLine", "made", "runai"), bundle.info.problems) == ([], ())


def test_logs_of_a_collector_before_they_had_a_common_place(tmp_path: Path) -> None:
    files = {TOP + "app/agent/main.log": "one\n", TOP + "app/agent/main-previous.log": "two\n", TOP + "app/gone/main.log": "x"}
    bundle = packed(tmp_path, {**files, **support_bundle()})
    found = [(log.namespace, log.pod, log.container, log.previous, log.data) for log in bundle.logs()]
    assert found == [("runai", "agent", "main", False, b"one\n"), ("runai", "agent", "main", True, b"two\n")]


def test_a_log_of_a_pod_whose_name_two_namespaces_have_is_nobody_s(tmp_path: Path) -> None:
    both = listed("Pod", thing("agent", "default", spec={"nodeName": "node-1"}))
    bundle = packed(tmp_path, {TOP + "app/agent/main.log": "one\n", **support_bundle(pods__default_json=both)})
    assert list(bundle.logs()) == []


def test_a_pod_without_logs_is_a_gap(tmp_path: Path) -> None:
    """By default the tool reads only the logs of pods that are not well."""
    found = gaps(packed(tmp_path, support_bundle()), "LogLine", "made", "runai")
    assert found == [("logs of pods in runai", "not read (it holds none)", "runai-collect")]


def test_nvidia_smi_of_a_driver_pod_is_its_node_s(tmp_path: Path) -> None:
    driver = thing("nvidia-driver-daemonset-x", "gpu-operator", spec={"nodeName": "node-1"})
    train = thing("train", "runai-a", spec={"nodeName": "node-1"})
    pods = {"pods__gpu-operator_json": listed("Pod", driver), "pods__runai-a_json": listed("Pod", train)}
    files = {
        TOP + "smi/gpu-operator/nvidia-driver-daemonset-x/nvidia-smi-stdout.txt": SMI,
        TOP + "smi/gpu-operator/nvidia-driver-daemonset-x/nvidia-smi-stderr.txt": "",
        TOP + "smi/runai-a/train/nvidia-smi-stdout.txt": SMI,
        TOP + "hello/runai/agent/hello-stdout.txt": "hello",
    }
    bundle = packed(tmp_path, {**files, **support_bundle(**pods)})
    found = [record.body for record in bundle.records(None) if record.area == "node_file"]
    assert [(body["node"], body["name"], body["text"]) for body in found] == [("node-1", "nvidia-smi.txt", SMI)]
    assert gaps(bundle, "NvidiaSmi", "made", "node-1") == []


def test_nvidia_smi_of_a_daemon_set_that_ran_on_every_node(tmp_path: Path) -> None:
    files = {TOP + "smi/node-1.log": SMI, TOP + "smi/smi.log": SMI}
    bundle = packed(tmp_path, {**files, **support_bundle()})
    assert [record.body["node"] for record in bundle.records(None) if record.area == "node_file"] == ["node-1"]


def test_the_cluster_s_own_time_counts(tmp_path: Path) -> None:
    """The folder's name has the time of the machine that the tool ran on, without its zone."""
    lease = thing("node-1", "kube-node-lease", spec={"renewTime": "2026-11-30T10:01:02.345678Z"})
    leases = {"leases__kube-node-lease_json": listed("Lease", lease, version="coordination.k8s.io/v1")}
    bundle = packed(tmp_path, support_bundle(**leases))
    assert bundle.info.captured == datetime(2026, 11, 30, 10, 1, 2, 345678, tzinfo=UTC)


def test_a_clock_that_is_years_off_does_not_count(tmp_path: Path) -> None:
    node = thing("node-1", status={"conditions": [{"type": "Ready", "lastHeartbeatTime": "2036-11-30T10:01:02Z"}]})
    bundle = packed(tmp_path, support_bundle(nodes_json=listed("Node", node)))
    assert bundle.info.captured == datetime(2026, 11, 30, 12, tzinfo=UTC)


# --- How it is known ----------------------------------------------------------------------------------------------------------


def test_it_is_known_without_a_top_folder_or_a_version() -> None:
    for names_there in (["cluster-resources/nodes.json"], ["a/b/cluster-resources/pods/x.json"], ["x/analysis.json"]):
        found = recognise(names_there)
        assert found is not None
        assert found[0].name == "troubleshoot support bundle"


def test_other_files_are_not() -> None:
    found = recognise(["version.yaml", "a/cluster-scoped-resources/core/nodes.yaml", "nodes.json"])
    assert found is None or found[0].name != "troubleshoot support bundle"
