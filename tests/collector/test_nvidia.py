"""In which order containers are asked for nvidia-smi, and what counts as an answer."""

import pytest
from runai_collect.gpu_nodes import _node_outcome
from runai_collect.gpu_signs import Candidate
from runai_collect.kubectl import Ran
from runai_collect.nvidia import ask_node

XML = b'<?xml version="1.0"?><nvidia_smi_log></nvidia_smi_log>'
DRIVER = Candidate(0, "gpu-operator", "driver", "nvidia-driver-ctr", ("nvidia-smi",))
PLUGIN = Candidate(1, "gpu-operator", "plugin", "nvidia-device-plugin", ("nvidia-smi",))
CHROOT = ("chroot", "/host", "/usr/bin/nvidia-smi")
HOST = Candidate(1000, "gpu-operator", "toolkit", "nvidia-container-toolkit-ctr", CHROOT)
HOST_SBIN = HOST._replace(rank=1001, program=("chroot", "/host", "/usr/sbin/nvidia-smi"))
USER = Candidate(2000, "team", "training", "main", ("nvidia-smi",), True)


def ran(code: int | None = 0, stdout: bytes = b"", stderr: bytes = b"", timed_out: bool = False, cut: bool = False) -> Ran:
    return Ran(code, stdout, stderr, 0.5, timed_out, cut)


class Pods:
    """Answers exec as told by (pod, first argument); anything else has no such program."""

    def __init__(self, answers: dict[tuple[str, str], Ran]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def __call__(self, namespace: str, pod: str, container: str, argv: tuple[str, ...]) -> Ran:
        self.asked.append((pod, argv))
        return self.answers.get((pod, (*argv, "", "")[1]), ran(126, b"", b'exec: "x": executable file not found in $PATH'))


def test_the_first_that_answers_is_asked_for_table_and_topology_too() -> None:
    pods = Pods({("driver", "-q"): ran(0, XML), ("driver", ""): ran(0, b"table"), ("driver", "topo"): ran(0, b"topo")})
    answer = ask_node([PLUGIN, DRIVER], pods, set())
    assert pods.asked == [
        ("driver", ("nvidia-smi", "-q", "-x")),
        ("driver", ("nvidia-smi",)),
        ("driver", ("nvidia-smi", "topo", "-m")),
    ]
    assert answer.answered_by == 0
    assert answer.outputs == {"nvidia-smi.xml": XML.decode(), "nvidia-smi.txt": "table", "nvidia-smi-topo.txt": "topo"}


def test_a_container_without_it_is_passed_by() -> None:
    answer = ask_node([DRIVER, PLUGIN], Pods({("plugin", "-q"): ran(0, XML)}), set())
    assert answer.answered_by == 1
    assert [attempt.status for attempt in answer.attempts[:2]] == ["error", "ok"]


def test_the_words_of_a_dead_driver_are_kept_and_others_still_asked() -> None:
    dead = ran(9, b"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    answer = ask_node([DRIVER, PLUGIN], Pods({("driver", "-q"): dead}), set())
    assert answer.answered_by == 0
    assert answer.attempts[0].exit_code == 9
    assert answer.outputs["nvidia-smi.xml"].startswith("NVIDIA-SMI has failed")
    assert answer.attempts[1].pod == "plugin"


def test_a_program_that_printed_nothing_has_not_answered() -> None:
    silent = ran(9, b"", b"some words")
    answer = ask_node([DRIVER], Pods({("driver", "-q"): silent}), set())
    assert (answer.answered_by, answer.outputs, answer.attempts[0].stderr) == (None, {}, "some words")


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (ran(None, timed_out=True), ("timeout", "nvidia-smi printed nothing in 0 seconds (exit code None)")),
        (ran(9), ("error", "nvidia-smi printed nothing in 0 seconds (exit code 9)")),
        (ran(127, b"", b"not found"), ("error", "not found")),
    ],
)
def test_why_a_node_said_nothing(result: Ran, outcome: tuple[str, str]) -> None:
    assert _node_outcome(ask_node([DRIVER], Pods({("driver", "-q"): result}), set()), True) == outcome


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
    ("result", "status"),
    [
        (ran(0, XML), "ok"),
        (ran(9), "error"),
        (ran(0, b"\n"), "error"),
        (ran(None, timed_out=True), "timeout"),
        (ran(1, b"", b"Error from server (Forbidden): x"), "forbidden"),
        (ran(None, XML, cut=True), "error"),
    ],
)
def test_how_an_exec_ended(result: Ran, status: str) -> None:
    assert ask_node([DRIVER], Pods({("driver", "-q"): result}), set()).attempts[0].status == status


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


def test_a_hang_in_two_containers_is_enough() -> None:
    pods = Pods({(pod, "-q"): ran(None, timed_out=True) for pod in ("driver", "plugin", "other")})
    answer = ask_node([DRIVER, PLUGIN, PLUGIN._replace(rank=2, pod="other")], pods, set())
    assert [pod for pod, _ in pods.asked] == ["driver", "plugin"]
    assert _node_outcome(answer, True) == ("timeout", "nvidia-smi printed nothing in 0 seconds (exit code None)")


def test_the_host_is_asked_behind_the_pods_by_plain_argv() -> None:
    pods = Pods({("toolkit", "/host"): ran(0, XML)})
    answer = ask_node([HOST, DRIVER], pods, set())
    assert pods.asked[:2] == [("driver", ("nvidia-smi", "-q", "-x")), ("toolkit", (*CHROOT, "-q", "-x"))]
    assert pods.asked[2:] == [("toolkit", CHROOT), ("toolkit", (*CHROOT, "topo", "-m"))]
    assert (answer.part, answer.source("n1")["sees"]) == (False, "all of the node's GPUs")


def test_another_folder_of_the_host_is_looked_in_when_chroot_finds_no_program() -> None:
    nothing = ran(127, b"", "chroot: failed to run command \u2018/usr/bin/nvidia-smi\u2019: No such file or directory".encode())
    pods = Pods({("toolkit", "/host"): nothing})
    answer = ask_node([HOST, HOST_SBIN], pods, set())
    assert [argv[2] for _, argv in pods.asked] == ["/usr/bin/nvidia-smi", "/usr/sbin/nvidia-smi"]
    assert answer.answered_by is None


def test_a_users_pod_is_asked_last_and_sees_a_part() -> None:
    pods = Pods({("training", "-q"): ran(0, XML)})
    answer = ask_node([USER, DRIVER], pods, set())
    assert [pod for pod, _ in pods.asked[:2]] == ["driver", "training"]
    assert answer.source("n1")["sees"] == "part of the node's GPUs"
    assert _node_outcome(answer, True) == ("ok", "a user's pod answered, which sees part of the node's GPUs")


def test_at_most_three_users_pods_of_a_node_are_asked() -> None:
    pods = Pods({})
    ask_node([USER._replace(pod=f"training-{number}") for number in range(9)], pods, set())
    assert [pod for pod, _ in pods.asked] == ["training-0", "training-1", "training-2"]


def test_a_users_pod_does_not_cover_what_the_drivers_nvidia_smi_says() -> None:
    dead = ran(9, b"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    pods = Pods({("driver", "-q"): dead, ("training", "-q"): ran(0, XML)})
    answer = ask_node([DRIVER, USER], pods, set())
    assert (answer.answered_by, answer.part) == (0, False)
    assert "training" not in [pod for pod, _ in pods.asked]


def test_rubbish_with_exit_code_0_is_kept_but_others_are_asked() -> None:
    pods = Pods({("driver", "-q"): ran(0, b"\x1b[31mhello"), ("plugin", "-q"): ran(0, XML)})
    answer = ask_node([DRIVER, PLUGIN], pods, set())
    assert (answer.answered_by, answer.outputs["nvidia-smi.xml"]) == (1, XML.decode())
    assert ask_node([DRIVER], Pods({("driver", "-q"): ran(0, b"hello")}), set()).outputs["nvidia-smi.xml"] == "hello"


def test_what_printed_too_much_is_no_answer() -> None:
    answer = ask_node([DRIVER], Pods({("driver", "-q"): ran(None, XML * 9, cut=True)}), set())
    assert (answer.answered_by, answer.outputs) == (None, {})
    assert _node_outcome(answer, True) == ("error", "more than the limit was printed.")


def test_a_node_that_shows_no_gpu_needs_no_nvidia_smi() -> None:
    answer = ask_node([PLUGIN], Pods({}), set())
    assert (_node_outcome(answer, False) or ("",))[0] == "empty"
    assert (_node_outcome(answer, True) or ("",))[0] == "error"
