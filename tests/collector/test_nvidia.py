"""Which containers are asked for nvidia-smi, in which order, and what counts as an answer."""

from typing import Any

import pytest
from runai_collect.gpu_nodes import _node_outcome
from runai_collect.kubectl import Ran
from runai_collect.nvidia import Candidate, ask_node, candidates, exec_status, is_gpu_node

XML = b'<?xml version="1.0"?><nvidia_smi_log></nvidia_smi_log>'
DRIVER = Candidate(0, "gpu-operator", "driver", "nvidia-driver-ctr", "nvidia-smi", "n1")
PLUGIN = Candidate(1, "gpu-operator", "plugin", "nvidia-device-plugin", "nvidia-smi", "n1")


def ran(code: int | None = 0, stdout: bytes = b"", stderr: bytes = b"", timed_out: bool = False, cut: bool = False) -> Ran:
    return Ran(code, stdout, stderr, 0.5, timed_out, cut)


class Pods:
    """Answers exec as told by (pod, first argument); anything else has no such program."""

    def __init__(self, answers: dict[tuple[str, str], Ran]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def __call__(self, namespace: str, pod: str, container: str, argv: tuple[str, ...]) -> Ran:
        self.asked.append((pod, argv))
        return self.answers.get((pod, (*argv, "", "")[1]), ran(126, b"", b"executable file not found"))


@pytest.mark.parametrize(
    "node",
    [
        {"metadata": {"labels": {"nvidia.com/gpu.present": "true"}}},
        {"metadata": {"labels": {"feature.node.kubernetes.io/pci-10de.present": "true"}}},
        {"metadata": {"labels": {"cloud.google.com/gke-accelerator": "nvidia-a100"}}},
        {"metadata": {}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}},
        {"metadata": {}, "status": {"capacity": {"nvidia.com/mig-1g.5gb": "7"}}},
    ],
)
def test_gpu_nodes(node: dict[str, Any]) -> None:
    assert is_gpu_node(node)


def test_nodes_without_gpus() -> None:
    assert not is_gpu_node(
        {"metadata": {"labels": {"nvidia.com/gpu.present": "false"}}, "status": {"capacity": {"cpu": "4", "amd.com/gpu": "1"}}}
    )


def _pod(name: str, *containers: str, phase: str = "Running", state: str = "running", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "ns", "name": name, **metadata},
        "spec": {"nodeName": "n1"},
        "status": {"phase": phase, "containerStatuses": [{"name": container, "state": {state: {}}} for container in containers]},
    }


def test_running_containers_are_found_by_their_name_in_any_pod() -> None:
    found = candidates(_pod("x", "gpu-feature-discovery", "nvidia-driver-ctr", "main"))
    assert [(one.rank, one.container, one.node) for one in found] == [
        (0, "nvidia-driver-ctr", "n1"),
        (4, "gpu-feature-discovery", "n1"),
    ]


@pytest.mark.parametrize(
    "pod",
    [
        _pod("x", "nvidia-driver-ctr", phase="Pending"),
        _pod("x", "nvidia-driver-ctr", state="waiting"),
        _pod("x", "nvidia-driver-ctr", deletionTimestamp="2026-01-01T00:00:00Z"),
        _pod("training", "gpus"),
    ],
)
def test_pods_that_do_not_run_and_users_pods_are_not_asked(pod: dict[str, Any]) -> None:
    assert candidates(pod) == []


def test_gke_has_it_in_a_folder_of_its_own() -> None:
    assert (
        candidates(_pod("nvidia-gpu-device-plugin-x", "nvidia-gpu-device-plugin"))[0].program
        == "/usr/local/nvidia/bin/nvidia-smi"
    )


def test_the_first_that_answers_is_asked_for_table_and_topology_too() -> None:
    pods = Pods({("driver", "-q"): ran(0, XML), ("driver", ""): ran(0, b"table"), ("driver", "topo"): ran(0, b"topo")})
    answer = ask_node([PLUGIN, DRIVER], pods, set())
    assert pods.asked == [
        ("driver", ("nvidia-smi", "-q", "-x")),
        ("driver", ("nvidia-smi",)),
        ("driver", ("nvidia-smi", "topo", "-m")),
    ]
    assert answer.answered_by == 0
    assert answer.outputs == {"nvidia-smi.xml": XML, "nvidia-smi.txt": b"table", "nvidia-smi-topo.txt": b"topo"}


def test_a_container_without_it_is_passed_by() -> None:
    answer = ask_node([DRIVER, PLUGIN], Pods({("plugin", "-q"): ran(0, XML)}), set())
    assert answer.answered_by == 1
    assert [attempt.status for attempt in answer.attempts[:2]] == ["error", "ok"]


def test_the_words_of_a_dead_driver_are_kept_and_others_still_asked() -> None:
    dead = ran(9, b"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    answer = ask_node([DRIVER, PLUGIN], Pods({("driver", "-q"): dead}), set())
    assert answer.answered_by == 0
    assert answer.attempts[0].exit_code == 9
    assert answer.outputs["nvidia-smi.xml"].startswith(b"NVIDIA-SMI has failed")
    assert answer.attempts[1].pod == "plugin"


def test_a_program_that_printed_nothing_has_not_answered() -> None:
    silent = ran(9, b"", b"some words")
    answer = ask_node([DRIVER], Pods({("driver", "-q"): silent}), set())
    assert (answer.answered_by, answer.outputs, answer.attempts[0].stderr) == (None, {}, "some words")


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (ran(None, timed_out=True), ("timeout", "nvidia-smi gave no answer in time")),
        (ran(9), ("error", "nvidia-smi printed nothing, and ended with exit code 9")),
        (ran(127, b"", b"not found"), ("error", "not found")),
    ],
)
def test_why_a_node_said_nothing(result: Ran, outcome: tuple[str, str]) -> None:
    assert _node_outcome(ask_node([DRIVER], Pods({("driver", "-q"): result}), set())) == outcome


def test_a_refusal_is_not_asked_for_again_in_the_same_namespace() -> None:
    refusal = ran(1, b"", b'Error from server (Forbidden): pods "driver" is forbidden: cannot create resource "pods/exec"')
    pods, refused = Pods({("driver", "-q"): refusal}), set[str]()
    answer = ask_node([DRIVER, PLUGIN], pods, refused)
    assert len(pods.asked) == 1
    assert [attempt.status for attempt in answer.attempts] == ["forbidden", "forbidden"]
    assert (answer.answered_by, refused) == (None, {"gpu-operator"})


def test_what_kubectl_says_of_itself_is_no_answer() -> None:
    failed = ran(1, b"", b"error: unable to upgrade connection: container not found")
    assert ask_node([DRIVER], Pods({("driver", "-q"): failed}), set()).answered_by is None


@pytest.mark.parametrize(
    ("result", "stderr", "status"),
    [
        (ran(0, XML), "", "ok"),
        (ran(9), "", "error"),
        (ran(None, timed_out=True), "", "timeout"),
        (ran(1), "Error from server (Forbidden): x", "forbidden"),
        (ran(None, cut=True), "", "error"),
    ],
)
def test_how_an_exec_ended(result: Ran, stderr: str, status: str) -> None:
    assert exec_status(result, stderr) == status


def test_the_source_names_every_attempt() -> None:
    source = ask_node([DRIVER], Pods({("driver", "-q"): ran(0, XML)}), set()).source("n1")
    assert (source["node"], source["answered_by"]) == ("n1", 0)
    attempts = source["attempts"]
    assert isinstance(attempts, list)
    assert attempts[0] == {
        "namespace": "gpu-operator",
        "pod": "driver",
        "container": "nvidia-driver-ctr",
        "argv": ["nvidia-smi", "-q", "-x"],
        "status": "ok",
        "exit_code": 0,
        "seconds": 0.5,
        "stderr": "",
    }
