"""GPUs from PCI bus to scheduler."""

from typing import Any

import pytest
from runai_analyze.bundle.source import Record
from runai_analyze.facts.gpus import NodeSmi, driver_versions, expected, gpu_devices, gpu_node_names, gpu_nodes, read_node
from runai_analyze.facts.nvidia_smi import Device, SmiOutput
from runai_analyze.model import ObjectRef, Unknown

from .helpers import index_of, is_unknown, node
from .test_nvidia_smi import log

EIGHT = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": "8", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}


def smi(count: int, mig: int = 0, code: int = 0, error: str = "", driver: str = "580.95.05") -> NodeSmi:
    """An answer with so many GPUs; with ``mig``, each has so many MIG devices."""
    mode = {"mig_mode": "Enabled", "mig_devices": mig} if mig else {"mig_mode": "Disabled"}
    devices = tuple(Device(index, "NVIDIA H100", **mode) for index in range(count))  # type: ignore[arg-type]
    output = SmiOutput(driver if not error else "", "13.0" if not error else "", None if error else count, devices, error)
    return NodeSmi(True, code, output, ObjectRef("Node", "n1", "", "nodes/n1/nvidia-smi.xml"))


def gpu_node(answer: NodeSmi | None, *more: dict[str, Any], not_collected: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    index, gaps = index_of(node("n1", **fields), *more, not_collected=not_collected)
    (item,) = gpu_nodes(index, {"n1": answer} if answer else {}, gaps)
    return dict(item.body)


def pod(name: str, gpus: str, phase: str = "Running", **spec: Any) -> dict[str, Any]:
    containers = [{"resources": {"limits": {"nvidia.com/gpu": gpus}}}]
    return {
        "kind": "Pod",
        "metadata": {"namespace": "a", "name": name},
        "spec": {"nodeName": "n1", "containers": containers, **spec},
        "status": {"phase": phase},
    }


def test_a_node_on_which_all_is_well_has_no_gap() -> None:
    body = gpu_node(
        smi(8), pod("a", "2"), pod("b", "1"), pod("done", "8", "Succeeded"), labels=EIGHT, capacity={"nvidia.com/gpu": "8"}
    )
    assert (body["expected"], body["capacity"], body["allocatable"], body["requested"]) == (8, 8, 8, 3)
    assert body["nvidia_smi"] == {
        "answered": True,
        "ok": True,
        "exit_code": 0,
        "count": 8,
        "driver_version": "580.95.05",
        "cuda_version": "13.0",
    }
    assert body["labels"] == {"count": 8, "product": "NVIDIA-H100-80GB-HBM3"}
    assert "gap" not in body
    assert body["model"] == "NVIDIA H100"


@pytest.mark.parametrize(
    ("answer", "capacity", "allocatable", "gap"),
    [
        (smi(0, code=9, error="NVIDIA-SMI has failed because x"), "0", "0", "nvidia-smi fails: NVIDIA-SMI has failed because x"),
        (smi(7), "7", "7", "nvidia-smi sees 7 GPUs, the label nvidia.com/gpu.count says 8"),
        (smi(8), "7", "7", "8 expected, capacity shows 7"),
        (smi(8), "8", "7", "capacity shows 8, allocatable 7"),
        (None, "8", "6", "capacity shows 8, allocatable 6"),
    ],
)
def test_the_gap_names_the_first_stage_that_loses_gpus(answer: NodeSmi | None, capacity: str, allocatable: str, gap: str) -> None:
    body = gpu_node(answer, labels=EIGHT, capacity={"nvidia.com/gpu": capacity}, allocatable={"nvidia.com/gpu": allocatable})
    assert body["gap"] == gap


def test_a_node_without_any_answer_knows_nothing_of_nvidia_smi_but_the_labels_count() -> None:
    body = gpu_node(None, labels=EIGHT, capacity={"nvidia.com/gpu": "8"})
    assert body["nvidia_smi"]["answered"] is False
    assert all(is_unknown(body["nvidia_smi"][field]) for field in ("ok", "count", "driver_version", "exit_code", "error"))
    assert body["expected"] == 8


def test_requests_are_unknown_when_pods_are_lacking() -> None:
    assert is_unknown(gpu_node(smi(8), labels=EIGHT, not_collected=("Pod",))["requested"])


@pytest.mark.parametrize(
    ("labels", "present"),
    [
        ({"feature.node.kubernetes.io/pci-10de.present": "true"}, True),
        ({"feature.node.kubernetes.io/pci-0302_10de.present": "true"}, True),
        ({"feature.node.kubernetes.io/kernel-version.full": "6.8", **EIGHT}, False),
        (EIGHT, None),
    ],
)
def test_the_pci_bus_is_known_from_node_feature_discovery(labels: dict[str, str], present: bool | None) -> None:
    found = gpu_node(smi(8), labels=labels)["pci"]["present"]
    assert is_unknown(found) if present is None else found is present


MIXED = {**EIGHT, "nvidia.com/mig.strategy": "mixed", "nvidia.com/mig-1g.10gb.count": "56", "nvidia.com/gpu.replicas": "0"}


@pytest.mark.parametrize(
    ("labels", "answer", "count"),
    [
        (EIGHT, smi(8), 8),
        ({**EIGHT, "nvidia.com/gpu.replicas": "4"}, smi(8), 32),
        ({**EIGHT, "nvidia.com/gpu.replicas": "4"}, None, 32),
        (MIXED, smi(8, mig=7), 56),
        ({**MIXED, "nvidia.com/mig-1g.10gb.replicas": "2"}, smi(8, mig=7), 112),
        ({**MIXED, "nvidia.com/mig.config": "all-1g.10gb"}, None, 56),
        (
            {
                **EIGHT,
                "nvidia.com/mig.strategy": "single",
                "nvidia.com/gpu.count": "56",
                "nvidia.com/gpu.product": "H100-MIG-1g.10gb",
            },
            smi(8, mig=7),
            56,
        ),
        ({**EIGHT, "nvidia.com/mig.strategy": "single", "nvidia.com/gpu.count": "56"}, None, 56),
        ({**EIGHT, "nvidia.com/mig.strategy": "none"}, smi(8, mig=7), 8),
    ],
)
def test_mig_and_sharing_change_what_is_expected(labels: dict[str, str], answer: NodeSmi | None, count: int) -> None:
    assert expected(labels, answer.output if answer else None) == count


@pytest.mark.parametrize(
    "labels",
    [{"nvidia.com/gpu.present": "true"}, MIXED, {**EIGHT, "nvidia.com/gpu.deploy.device-plugin": "false"}],
)
def test_what_cannot_be_told_is_not_guessed(labels: dict[str, str]) -> None:
    assert is_unknown(expected(labels, None))


def test_a_gpu_without_mig_beside_others_with_it() -> None:
    devices = (
        Device(0, mig_mode="Enabled", mig_devices=7),
        Device(1, mig_mode="Enabled", mig_devices=2),
        Device(2, mig_mode="Disabled"),
    )
    assert expected({"nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.replicas": "2"}, SmiOutput("1.1", devices=devices)) == 11


def test_mig_devices_count_in_capacity_and_are_no_gap() -> None:
    body = gpu_node(smi(8, mig=7), labels=MIXED, capacity={"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "56"})
    assert (body["capacity"], body["mig"], body.get("gap")) == (56, {"enabled": True, "instances": 56}, None)


@pytest.mark.parametrize(
    "labels",
    [{"nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu.product": "Tesla-T4-SHARED"}, {"nvidia.com/gpu.sharing-strategy": "mps"}],
)
def test_sharing_is_seen_by_any_of_its_labels(labels: dict[str, str]) -> None:
    assert gpu_node(smi(1), labels={"nvidia.com/gpu.present": "true", **labels})["sharing"] is True
    assert gpu_node(smi(1), labels={"nvidia.com/gpu.present": "true", "nvidia.com/gpu.replicas": "1"})["sharing"] is False


@pytest.mark.parametrize(
    ("fields", "is_gpu"),
    [
        ({"labels": {"nvidia.com/gpu.present": "true"}}, True),
        ({"labels": {"nvidia.com/gpu.present": "false"}}, False),
        ({"labels": {"feature.node.kubernetes.io/pci-0300_10de.present": "true"}}, True),
        ({"labels": {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}}, True),
        ({"labels": {"node-role.kubernetes.io/runai-gpu-worker": ""}}, True),
        ({"capacity": {"nvidia.com/gpu": "1"}}, True),
        ({"capacity": {"nvidia.com/mig-1g.5gb": "7"}}, True),
        ({"capacity": {"nvidia.com/gpu": "0", "cpu": "8"}}, False),
        ({}, False),
    ],
)
def test_which_nodes_should_have_gpus(fields: dict[str, Any], is_gpu: bool) -> None:
    index, _ = index_of(node("n1", **fields))
    assert gpu_node_names(index, {}) == (frozenset(["n1"]) if is_gpu else frozenset())


def files(**texts: Any) -> dict[str, Record]:
    names = {"xml": "nvidia-smi.xml", "txt": "nvidia-smi.txt", "source": "source.json"}
    return {
        names[key]: Record("node_file", {"json": value} if key == "source" else {"text": value}, f"nodes/n1/{names[key]}")
        for key, value in texts.items()
    }


def attempt(code: int | None, status: str = "ok", stderr: str = "") -> dict[str, Any]:
    return {
        "namespace": "gpu-operator",
        "pod": "p",
        "container": "c",
        "argv": ["nvidia-smi"],
        "status": status,
        "exit_code": code,
        "stderr": stderr,
    }


def test_a_good_answer() -> None:
    answer = read_node(
        "n1", files(xml=log("<product_name>X</product_name>"), source={"answered_by": 0, "attempts": [attempt(0)]})
    )
    assert (answer.answered, answer.exit_code, answer.failed) == (True, 0, False)
    assert answer.ref.member == "nodes/n1/nvidia-smi.xml"


def test_a_dead_driver_answers_with_an_exit_code_and_a_message() -> None:
    text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    answer = read_node("n1", files(xml=text, source={"answered_by": 0, "attempts": [attempt(9, "error")]}))
    assert (answer.answered, answer.exit_code, answer.failed) == (True, 9, True)
    on_stderr = read_node("n1", files(source={"answered_by": 0, "attempts": [attempt(9, "error", text)]}))
    assert on_stderr.output is not None
    assert on_stderr.output.error == text


def test_a_program_that_is_not_there_is_no_answer() -> None:
    answer = read_node("n1", files(source={"answered_by": None, "attempts": [attempt(127, "error"), attempt(None, "forbidden")]}))
    assert (answer.answered, answer.output) == (False, None)
    assert answer.reason == "gpu-operator/p: error (exit code 127); gpu-operator/p: forbidden"


def test_the_table_stands_in_for_broken_xml() -> None:
    table = "| NVIDIA-SMI 580.95.05   Driver Version: 580.95.05   CUDA Version: 13.0 |\n"
    table += "|   0  NVIDIA L4   Off | 00000000:18:00.0 Off | 0 |\n+---+"
    answer = read_node("n1", files(xml="", txt=table, source={"answered_by": 0, "attempts": [attempt(0)]}))
    assert answer.output is not None
    assert (answer.output.count, answer.ref.member) == (1, "nodes/n1/nvidia-smi.txt")


def test_cut_output_is_neither_well_nor_broken() -> None:
    cut = log("<product_name>X</product_name>", "<product_name>Y</product_name>")[:-60]
    answer = read_node("n1", files(xml=cut, source={"answered_by": 0, "attempts": [attempt(0)]}))
    body = gpu_node(answer, labels=EIGHT)
    assert is_unknown(body["nvidia_smi"]["ok"])
    assert body["nvidia_smi"]["driver_version"] == "580.95.05"


def test_devices_name_their_node() -> None:
    index, _ = index_of(node("n1"))
    (item,) = gpu_devices({"n1": smi(1)}, index)
    assert (item.body["metadata"]["name"], item.body["node"], item.body["product"], item.body["errors"]) == (
        "n1/0",
        "n1",
        "NVIDIA H100",
        [],
    )
    assert str(item.origins[""]) == "Node n1"
    assert item.origins[""].member == "nodes/n1/nvidia-smi.xml"


def test_driver_versions_come_from_nvidia_smi_else_from_labels() -> None:
    labels = {
        "nvidia.com/cuda.driver.major": "570",
        "nvidia.com/cuda.driver.minor": "86",
        "nvidia.com/cuda.driver.rev": "15",
        **EIGHT,
    }
    index, _ = index_of(node("n1", labels=labels), node("n2", labels=labels), node("n3", labels=EIGHT))
    names = frozenset(["n1", "n2", "n3"])
    assert driver_versions(index, {"n1": smi(8)}, names) == ["570.86.15", "580.95.05"]
    assert isinstance(driver_versions(index_of(node("n3", labels=EIGHT))[0], {}, frozenset(["n3"])), Unknown)
    assert driver_versions(index_of(node("n4"))[0], {}, frozenset()) == []


@pytest.mark.parametrize("version", ["9" * 5000, "²", "580." + "1" * 5000])
def test_a_driver_version_of_any_form_has_its_place(version: str) -> None:
    full = "nvidia.com/cuda.driver-version.full"
    index, _ = index_of(node("a", labels={full: version}), node("b", labels={full: "580.95.05"}))
    assert set(driver_versions(index, {}, frozenset(("a", "b")))) == {version, "580.95.05"}  # type: ignore[arg-type]


def asked_of_a_user(output: str, code: int = 0) -> NodeSmi:
    """What the collector keeps when only a user's pod with some of the GPUs could be asked."""
    attempt = {"namespace": "team", "pod": "training", "status": "ok" if not code else "error", "exit_code": code, "stderr": ""}
    source = {"node": "n1", "answered_by": 0, "sees": "part of the node's GPUs", "attempts": [attempt]}
    bodies = [{"name": "source.json", "json": source}, {"name": "nvidia-smi.xml", "text": output}]
    return read_node("n1", {str(body["name"]): Record("node_file", body, f"nodes/n1/{body['name']}") for body in bodies})


def test_a_users_pod_tells_of_its_own_gpus_and_no_gpu_is_missing() -> None:
    answer = asked_of_a_user(log("", ""))
    body = gpu_node(answer, labels=EIGHT, capacity={"nvidia.com/gpu": "8"})
    assert body["nvidia_smi"]["ok"] is True
    assert is_unknown(body["nvidia_smi"]["count"])
    assert "sees only its own" in body["nvidia_smi"]["count"].missing.reason
    assert body["expected"] == 8
    assert "gap" not in body
    assert body["mig"] == {"enabled": False, "instances": 0}


def test_nvidia_smi_that_fails_in_a_users_pod_says_nothing_of_the_node() -> None:
    answer = asked_of_a_user("Failed to initialize NVML: Unknown Error", 255)
    body = gpu_node(answer, labels=EIGHT, capacity={"nvidia.com/gpu": "8"})
    assert body["nvidia_smi"]["answered"] is True
    assert all(is_unknown(body["nvidia_smi"][field]) for field in ("ok", "exit_code", "error", "count", "driver_version"))
    assert "gap" not in body


@pytest.mark.parametrize("attempts", [[], [{"namespace": "ns", "pod": "driver", "status": "forbidden", "exit_code": 1}]])
def test_who_else_tells_of_the_gpus_stands_behind_the_reason(attempts: list[dict[str, object]]) -> None:
    told = "8 GPUs according to the DCGM exporter: NVIDIA H100, driver 570.1, 81559 MiB"
    source = {"node": "n1", "answered_by": None, "reason": "no running pod", "told": told, "attempts": attempts}
    answer = read_node("n1", {"source.json": Record("node_file", {"name": "source.json", "json": source})})
    body = gpu_node(answer, labels=EIGHT, capacity={"nvidia.com/gpu": "8"})
    missing = body["nvidia_smi"]["ok"].missing
    assert missing.reason.endswith("; " + told)
    assert missing.reason.startswith("ns/driver: forbidden" if attempts else "nvidia-smi was not asked")
    assert body["nvidia_smi"]["answered"] is False


TWO = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\t0-3\t0\nGPU1\tNV18\t X \t0-3\t0\n"


def answer_with(topology: str | None) -> NodeSmi:
    bodies = {"nvidia-smi.xml": log("", "")} | ({} if topology is None else {"nvidia-smi-topo.txt": topology})
    records = {name: Record("node_file", {"name": name, "text": text}, f"nodes/n1/{name}") for name, text in bodies.items()}
    return read_node("n1", records)


def test_how_the_gpus_of_a_node_are_joined() -> None:
    assert gpu_node(answer_with(TWO), labels=EIGHT)["topology"] == {"gpu_links": ["NV18"]}


@pytest.mark.parametrize(
    ("topology", "reason"),
    [
        (None, "nvidia-smi topo -m was not run for all GPUs of the node"),
        ("ERROR: no", "ERROR: no"),
        (TWO[:60], "the matrix has no line for GPU1"),
    ],
)
def test_links_that_were_not_shown_are_unknown(topology: str | None, reason: str) -> None:
    assert gpu_node(answer_with(topology), labels=EIGHT)["topology"]["gpu_links"].missing.reason == reason


def test_mig_devices_that_the_output_does_not_show_are_not_counted_as_none() -> None:
    output = SmiOutput("580.95.05", devices=(Device(0, mig_mode="Enabled", mig_devices=None),))
    body = gpu_node(NodeSmi(True, 0, output, ObjectRef("Node", "n1")), labels={"nvidia.com/mig.strategy": "single"})
    assert (body["mig"], is_unknown(body["expected"])) == ({"enabled": True}, True)
