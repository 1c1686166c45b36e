"""What --explain-bundle says: counted by hand, folded by reason, and safe to print."""

import json
from pathlib import Path

from runai_analyze.bundle.explain import Explanation, as_json, explain, lines_of
from runai_analyze.bundle.several import open_bundles

from .builder import Builder, node

KINDS = frozenset([("Node", None), ("Pod", ""), ("RunaiConfig", "run.ai"), ("GpuNode", "made")])


def explained(tmp_path: Path, made: Builder) -> Explanation:
    return explain(open_bundles([made.write(tmp_path / "b.tgz", complete=False)]), KINDS)


def bundle() -> Builder:
    made = Builder().list("Namespace", "v1", {"metadata": {"name": "runai"}}, {"metadata": {"name": "team-a"}})
    made.list("Node", "v1", node("gpu-1", capacity={"nvidia.com/gpu": "8"}), node("cpu-1"))
    made.list("RunaiConfig", "run.ai/v1", {"metadata": {"name": "runai", "namespace": "runai"}})
    made.list("Pod", "v1", status="forbidden")
    made.add("logs/runai/a/one.log", "x\n").add("logs/runai/a/two.log", "x\n").add("logs/runai/b/one.log", "x\n")
    made.add("nodes/gpu-1/nvidia-smi.xml", "<nvidia_smi_log/>").add("nodes/cpu-1/source.json", "{}")
    return made.step("nvidia-smi:gpu-1", "ok")


def test_what_is_in_it(tmp_path: Path) -> None:
    found = explained(tmp_path, bundle())
    assert found.kinds == {"Namespace": 2, "Node": 2, "RunaiConfig (run.ai)": 1}
    assert (found.logs, found.pods_with_logs) == (3, 2)
    assert (found.nodes, found.nvidia_smi, found.namespaces) == (["cpu-1", "gpu-1"], ["gpu-1"], ["runai", "team-a"])
    assert (found.cluster, found.kubernetes) == ("acme", "v1.35.4")


def test_what_it_is(tmp_path: Path) -> None:
    (part,) = explained(tmp_path, bundle()).parts
    assert (part.file, part.what, part.collector) == ("b.tgz", "a bundle of runai-collect, format 1", "runai-collect 0.1.0")
    assert (part.captured, part.size) == ("2026-11-30T11:59:58Z", (tmp_path / "b.tgz").stat().st_size)


def test_what_is_missing_and_the_commands(tmp_path: Path) -> None:
    gaps = {gap.what: (gap.why, gap.commands) for gap in explained(tmp_path, bundle()).missing}
    assert gaps["Pod", "logs of pods"] == ("the account may not read it", ("kubectl get pods -A -o yaml",))
    assert not any("Node" in what or "GpuNode" in what for what in gaps)


def test_commands_of_one_sort_are_one_command(tmp_path: Path) -> None:
    made = bundle().list("Pod", "v1", status="forbidden").list("RunaiConfig", "run.ai/v1", status="forbidden")
    (gap,) = [gap for gap in explained(tmp_path, made).missing if "Pod" in gap.what]
    assert gap.commands == ("kubectl get pods,runaiconfigs.run.ai -A -o yaml",)


def test_a_gpu_node_without_nvidia_smi_is_missing(tmp_path: Path) -> None:
    made = Builder().list("Node", "v1", node("gpu-1", capacity={"nvidia.com/gpu": "8"}), node("cpu-1"))
    whats = [what for gap in explained(tmp_path, made).missing for what in gap.what]
    assert [what for what in whats if what.startswith("nvidia-smi")] == ["nvidia-smi of node gpu-1"]


def test_a_configmap_that_stands_there_twice_counts_once(tmp_path: Path) -> None:
    made = Builder().list("ConfigMap", "v1", {"metadata": {"name": "c", "namespace": "runai"}, "data": {}})
    made.rows("configmaps", {"namespace": "runai", "name": "c", "keys": {}}, {"namespace": "runai", "name": "d", "keys": {}})
    assert explained(tmp_path, made).kinds == {"ConfigMap": 2}


def test_the_text_says_it_all(tmp_path: Path) -> None:
    lines = list(lines_of(explained(tmp_path, bundle())))
    assert lines[1] == "cluster acme; Kubernetes v1.35.4"
    assert "         2  Namespace" in lines
    assert "         3  logs of 2 pods" in lines
    assert "  nvidia-smi of: gpu-1" in lines
    assert "  Pod, logs of pods: the account may not read it" in lines


def test_damage_is_told(tmp_path: Path) -> None:
    made = Builder().list("Pod", "v1", {"metadata": {"name": "a", "namespace": "runai"}})
    made.add("resources/core/v1/pods/0002.jsonl", "{")
    lines = list(lines_of(explained(tmp_path, made)))
    assert lines[-2] == "What could not be read:"
    assert lines[-1].startswith("  resources/core/v1/pods/0002.jsonl: line 1 cannot be read: ")


def test_names_are_harmless_and_json_is_whole(tmp_path: Path) -> None:
    made = bundle()
    made.about["cluster"] = {"name": "a\x1b[2Jb\u202e"}
    found = explained(tmp_path, made)
    assert not any("\x1b" in line or "\u202e" in line for line in lines_of(found))
    assert json.loads(as_json(found))["kinds"] == found.kinds
