"""What Run:ai's support hands out: archives of cluster.sh, gpu.sh and workload.sh, imitated after the scripts themselves."""

import base64
from pathlib import Path

import pytest
import yaml
from runai_analyze.bundle import ForeignBundle, open_bundle
from runai_analyze.bundle.formats import recognise
from runai_analyze.bundle.several import join

from tests.bundle.builder import packed
from tests.bundle.intake.test_describe import NODE, POD
from tests.bundle.intake.test_tables import NODES

RUNAI = "acme-run-ai-runai-logs-16-01-2026_10-05/"
POD_LIST = """\
NAME          READY   STATUS             RESTARTS      AGE   IP            NODE    NOMINATED NODE   READINESS GATES
agent-0       1/1     Running            0             27d   10.244.1.10   gpu-1   <none>           <none>
scheduler-0   0/1     CrashLoopBackOff   6 (2m ago)    27d   10.244.1.11   gpu-1   <none>           <none>
"""
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "runai-db", "namespace": "runai"},
    "data": {"password": base64.b64encode(b"Tr0ub4dor-and-3").decode()},
}


def described(name: str, namespace: str = "runai") -> bytes:
    return POD.replace("trainer-0", name).replace("runai-team-a", namespace).encode()


def listed(*objects: object) -> bytes:
    return yaml.safe_dump({"apiVersion": "v1", "items": list(objects), "kind": "List"}).encode()


def project(name: str) -> bytes:
    return yaml.safe_dump({"apiVersion": "run.ai/v2", "kind": "Project", "metadata": {"name": name}}).encode()


def cluster_sh(folder: str = RUNAI) -> dict[str, bytes]:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "runai-public", "namespace": "runai"}, "data": {}}
    return {
        folder + "script.log": b"=== Log Collection Started ===\n",
        folder + "logs/agent-0_describe.txt": described("agent-0"),
        folder + "logs/scheduler-0_describe.txt": described("scheduler-0"),
        folder + "logs/scheduler-0_main.log": b"2026-01-16T10:04:59.5Z boot\n2026-01-16T10:05:01.5Z panic: no queue\n",
        folder + "logs/scheduler-0_prepare_init.log": b"2026-01-16T10:00:00.0Z ok\n",
        folder + "configmaps_runai.yaml": listed(config_map),
        folder + "secrets_runai.yaml": listed(SECRET),
        folder + "pod-list_runai.txt": POD_LIST.encode(),
        folder + "node-list.txt": NODES.encode(),
        folder + "engine-config.yaml": b"",
        folder + "scheduler/projects.run.ai_list.txt": b"NAME   STATUS   AGE\na      Ready    1d\nb      Ready    1d\n",
        folder + "scheduler/project_a.yaml": project("a"),
        folder + "scheduler/project_b.yaml": project("b"),
        folder + "scheduler/queues.scheduling.run.ai_list.txt": b"",
    }


def opened(tmp_path: Path, files: dict[str, bytes]) -> ForeignBundle:
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "a.tgz"
    path.write_bytes(packed(list(files.items())))
    bundle = open_bundle(path)
    assert isinstance(bundle, ForeignBundle)
    return bundle


def names(bundle: ForeignBundle, kind: str) -> list[str]:
    records = [record.body for record in bundle.records(None) if record.area in ("object", "configmap")]
    return sorted(body["metadata"]["name"] for body in records if body.get("kind") == kind)


def test_cluster_sh_is_known_by_its_names(tmp_path: Path) -> None:
    bundle = opened(tmp_path, cluster_sh())
    assert (bundle.info.collector, bundle.info.holder) == ("cluster.sh", "an archive of cluster.sh")
    assert names(bundle, "Pod") == ["agent-0", "scheduler-0"]
    assert names(bundle, "Node") == ["cp-1", "gpu-1"]
    assert names(bundle, "Project") == ["a", "b"]


def test_the_older_variant_has_no_control_plane_in_its_folder(tmp_path: Path) -> None:
    bundle = opened(tmp_path, cluster_sh("runai-logs-16-07-2025_10-05/"))
    assert {(log.namespace, log.pod, log.container) for log in bundle.logs()} == {
        ("runai", "scheduler-0", "main"),
        ("runai", "scheduler-0", "prepare"),
    }


def test_what_was_written_whole_can_pass_and_what_was_not_cannot(tmp_path: Path) -> None:
    bundle = opened(tmp_path, cluster_sh())
    for kind, group in (("Pod", ""), ("ConfigMap", ""), ("Secret", "")):
        assert bundle.coverage(kind, group, ["runai"]) == ()
        assert bundle.coverage(kind, group, ["gpu-operator"]) != ()
    assert bundle.coverage("Project", "run.ai", []) == ()
    assert [gap.command for gap in bundle.coverage("Queue", "scheduling.run.ai", [])] == [
        "kubectl get queues.scheduling.run.ai -A -o yaml"
    ]
    assert "no more than tables" in bundle.coverage("Node", "", [])[0].reason
    assert bundle.coverage("Deployment", "apps", ["runai"])[0].reason == "an archive of cluster.sh does not hold it"


def test_a_pod_without_its_description_makes_the_list_a_part(tmp_path: Path) -> None:
    files = cluster_sh()
    files[RUNAI + "logs/agent-0_describe.txt"] = b""
    bundle = opened(tmp_path, files)
    assert names(bundle, "Pod") == ["agent-0", "scheduler-0"]
    assert "no more than a row of a table" in bundle.coverage("Pod", "", ["runai"])[0].reason


def test_a_project_that_was_not_written_makes_the_list_a_part(tmp_path: Path) -> None:
    files = cluster_sh()
    del files[RUNAI + "scheduler/project_b.yaml"]
    assert "1 of 2 were not written" in opened(tmp_path, files).coverage("Project", "run.ai", [])[0].reason


def test_an_empty_file_was_not_collected(tmp_path: Path) -> None:
    bundle = opened(tmp_path, {**cluster_sh(), RUNAI + "configmaps_runai.yaml": b""})
    assert bundle.coverage("ConfigMap", "", ["runai"]) != ()


def test_an_empty_list_was_collected(tmp_path: Path) -> None:
    bundle = opened(tmp_path, {**cluster_sh(), RUNAI + "configmaps_runai.yaml": listed()})
    assert bundle.coverage("ConfigMap", "", ["runai"]) == ()


def test_the_time_is_that_of_the_newest_line_of_a_log(tmp_path: Path) -> None:
    captured = opened(tmp_path, cluster_sh()).info.captured
    assert captured is not None
    assert captured.isoformat() == "2026-01-16T10:05:01.500000+00:00"


def test_values_of_secrets_are_dropped_and_told(tmp_path: Path) -> None:
    bundle = opened(tmp_path, cluster_sh())
    everything = repr([record.body for record in bundle.records(None)]) + repr(bundle.info)
    assert "Tr0ub4dor" not in everything
    assert SECRET["data"]["password"] not in everything  # type: ignore[index]
    assert [(one.namespace, one.name, one.values) for one in bundle.info.exposed] == [("runai", "runai-db", 1)]


def test_archives_of_several_namespaces_in_one_folder(tmp_path: Path) -> None:
    other = "acme-run-ai-runai-backend-logs-16-01-2026_10-06/"
    files = {
        other + "pod-list_runai-backend.txt": POD_LIST.replace("scheduler-0", "thanos-0   ").encode(),
        other + "logs/agent-0_describe.txt": described("agent-0", "runai-backend"),
        other + "logs/agent-0_main.log": b"x\n",
    }
    bundle = opened(tmp_path, {**cluster_sh(), **files})
    assert ("runai-backend", "agent-0") in {(log.namespace, log.pod) for log in bundle.logs()}
    assert bundle.coverage("Pod", "", ["runai"]) == ()
    assert bundle.coverage("Pod", "", ["runai-backend"]) != ()


# --- gpu.sh -------------------------------------------------------------------------------------------------------------------

GPU = "gpu-operator-logs-20260116-100500/"


def gpu_sh() -> dict[str, bytes]:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-dcgm-x", "namespace": "gpu-operator"}}
    return {
        GPU + "cluster-info.txt": b"\x1b[0;32mKubernetes control plane\x1b[0m is running at https://10.0.0.1\n",
        GPU + "cluster-version.txt": b"Client Version: v1.32.0\nKustomize Version: v5.5.0\nServer Version: v1.31.2+k3s1\n",
        GPU + "nodes.txt": NODES.encode(),
        GPU + "gpu-nodes.txt": NODES.encode(),
        GPU + "gpu-nodes-describe.txt": NODE.encode(),
        GPU + "gpu-operator-resources.yaml": listed(pod),
        GPU + "gpu-operator-describe.txt": b"Name: x\n",
        GPU + "gpu-operator-configmaps.yaml": b"Error from server (Forbidden): configmaps is forbidden\n",
        GPU + "gpu-operator-secrets.txt": b"NAME   TYPE     DATA   AGE\na      Opaque   1      1d\n",
        GPU + "clusterpolicies.yaml": b"No ClusterPolicies found\n",
        GPU + "nvidia-dcgm-x.log": b"dcgm up\n",
        GPU + "nvidia-dcgm-x-previous.log": b"No previous logs available\n",
        GPU + "collection-summary.txt": b"GPU Operator Log Collection Summary\n",
    }


def test_gpu_sh(tmp_path: Path) -> None:
    bundle = opened(tmp_path, gpu_sh())
    assert bundle.info.holder == "an archive of gpu.sh"
    assert names(bundle, "Pod") == ["nvidia-dcgm-x"]
    assert bundle.version == {"gitVersion": "v1.31.2+k3s1", "major": "1", "minor": "31"}
    assert [(log.namespace, log.pod, log.data, log.previous) for log in bundle.logs()] == [
        ("gpu-operator", "nvidia-dcgm-x", b"dcgm up\n", False)
    ]
    assert bundle.coverage("DaemonSet", "apps", ["gpu-operator"]) == ()


def test_what_kubectl_said_in_place_of_objects_is_no_empty_list(tmp_path: Path) -> None:
    bundle = opened(tmp_path, gpu_sh())
    assert bundle.coverage("ConfigMap", "", ["gpu-operator"]) != ()
    assert bundle.coverage("ClusterPolicy", "nvidia.com", []) != ()
    assert "configmaps is forbidden" in " ".join(problem.message for problem in bundle.info.problems)


def test_nodes_are_whole_only_where_all_are_described(tmp_path: Path) -> None:
    bundle = opened(tmp_path, gpu_sh())
    assert "it describes 1 of 2 nodes" in bundle.coverage("Node", "", [])[0].reason
    alone = "\n".join(line for line in NODES.split("\n") if not line.startswith("cp-1"))
    bundle = opened(tmp_path, {**gpu_sh(), GPU + "nodes.txt": alone.encode(), GPU + "gpu-nodes.txt": alone.encode()})
    assert bundle.coverage("Node", "", []) == ()


def test_the_time_of_gpu_sh_is_that_of_the_newest_heartbeat(tmp_path: Path) -> None:
    captured = opened(tmp_path, gpu_sh()).info.captured
    assert captured is not None
    assert captured.isoformat() == "2025-05-29T09:54:06+00:00"


def test_a_description_of_one_archive_counts_before_a_row_of_another(tmp_path: Path) -> None:
    newer = {name: data.replace(b"2026-01-16T10", b"2025-05-29T11") for name, data in cluster_sh().items()}
    bundles = [opened(tmp_path / name, files) for name, files in (("a", newer), ("b", gpu_sh()))]
    nodes = {one.body["metadata"]["name"]: one for one in join(bundles).records(None) if one.body.get("kind") == "Node"}
    assert nodes["gpu-1"].body["status"]["allocatable"]["nvidia.com/gpu"] == "7"
    assert "gpu-nodes-describe.txt" in nodes["gpu-1"].member


# --- workload.sh --------------------------------------------------------------------------------------------------------------


def workload_sh() -> dict[str, bytes]:
    start = "train-1_tw_"
    place = {"namespace": "runai-team-a"}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", **place}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-1-0", **place}, "spec": {"nodeName": "gpu-1"}}
    return {
        start + "workload.yaml": yaml.safe_dump(
            {"apiVersion": "run.ai/v2alpha1", "kind": "TrainingWorkload", "metadata": {"name": "train-1", **place}}
        ).encode(),
        start + "pod_train-1-0.yaml": yaml.safe_dump(pod).encode(),
        start + "pod_train-1-0_describe.txt": described("train-1-0", "runai-team-a"),
        start + "pod_train-1-0_logs_main.log": b"loss 0.3\n",
        start + "all_pods_list.txt": POD_LIST.encode(),
        start + "all_pvcs.yaml": listed(claim),
        start + "all_routes.yaml": b"",
    }


def test_workload_sh(tmp_path: Path) -> None:
    bundle = opened(tmp_path, workload_sh())
    assert bundle.info.holder == "an archive of workload.sh"
    assert names(bundle, "Pod") == ["agent-0", "scheduler-0", "train-1-0"]
    assert names(bundle, "TrainingWorkload") == ["train-1"]
    assert [(log.namespace, log.pod, log.container) for log in bundle.logs()] == [("runai-team-a", "train-1-0", "main")]
    assert bundle.coverage("PersistentVolumeClaim", "", ["runai-team-a"]) == ()
    assert bundle.coverage("Pod", "", ["runai-team-a"]) != ()
    assert bundle.coverage("Route", "route.openshift.io", ["runai-team-a"]) != ()


def test_a_pod_of_its_own_file_is_not_taken_from_its_description(tmp_path: Path) -> None:
    (pod,) = [
        record
        for record in opened(tmp_path, workload_sh()).records(None)
        if record.body.get("kind") == "Pod" and record.body["metadata"]["name"] == "train-1-0"
    ]
    assert pod.member == "train-1_tw_pod_train-1-0.yaml"


# --- Logs alone ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x/runai/agent-0/agent.log", ("runai", "agent-0", "agent", False)),
        ("runai-backend/thanos-0_thanos.log", ("runai-backend", "thanos-0", "thanos", False)),
        ("runai-reservation_gpu-a_main-previous.log", ("runai-reservation", "gpu-a", "main", True)),
        ("gpu-operator/nvidia-dcgm-x.log", ("gpu-operator", "nvidia-dcgm-x", "", False)),
        ("runai/pods/agent-0/agent.previous.log", ("runai", "agent-0", "agent", True)),
    ],
)
def test_logs_alone(tmp_path: Path, name: str, expected: tuple[str, str, str, bool]) -> None:
    bundle = opened(tmp_path, {name: b"x\n", "logs/runai/other/c.log": b"y\n"})
    assert bundle.info.collector == "collect-logs"
    assert expected in {(log.namespace, log.pod, log.container, log.previous) for log in bundle.logs()}
    assert bundle.coverage("Pod", "", ["runai"]) != ()


def test_other_trees_are_none_of_these() -> None:
    for other in (["a/nodes.yaml", "a/pods.yaml"], ["runai/x.log", "a.yaml", "b.yaml"], ["gpu-nodes-describe.txt"]):
        found = recognise(other)
        assert found is None or found[0].name == "loose files"
