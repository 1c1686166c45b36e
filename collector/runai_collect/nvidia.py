"""Asking the containers of a node for nvidia-smi, in turn. Nothing is created or written, and no shell is used."""

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from . import layout, plan
from .gpu_signs import Candidate
from .kubectl import Ran

_KUBECTL_WORDS = ("error:", "Error from server", "OCI runtime", "Internal error")
Exec = Callable[[str, str, str, Tuple[str, ...]], Ran]


class Attempt(NamedTuple):
    """One program that was run in a container, and how it ended; ``status`` is ok, error, timeout or forbidden."""

    namespace: str
    pod: str
    container: str
    argv: Tuple[str, ...]
    status: str
    exit_code: Optional[int]
    seconds: float
    stderr: str


class NodeAnswer(NamedTuple):
    """What one node said. ``answered_by`` is the index of the attempt whose output was kept, None when nvidia-smi ran nowhere;
    ``part``: what answered sees only some of the node's GPUs."""

    attempts: List[Attempt]
    answered_by: Optional[int]
    outputs: Dict[str, bytes]
    part: bool = False

    def source(self, node: str) -> Dict[str, object]:
        """Return the document that stands beside the outputs."""
        rows = [dict(attempt._asdict(), argv=list(attempt.argv), seconds=round(attempt.seconds, 3)) for attempt in self.attempts]
        sees = layout.PART_OF_GPUS if self.part else layout.ALL_GPUS if self.answered_by is not None else ""
        return {"node": node, "answered_by": self.answered_by, "sees": sees, "attempts": rows}


def ask_node(options: List[Candidate], run: Exec, refused: Set[str]) -> NodeAnswer:
    """Ask the containers of one node in turn till one answers; keep the best answer, also when nvidia-smi itself failed. A user's
    pod is asked only when nvidia-smi ran nowhere else. ``refused`` holds the namespaces in which exec is known to be forbidden,
    and grows."""
    attempts, asked = [], []  # type: List[Attempt], List[Candidate]
    answered, kept = None, b""  # type: Optional[int], bytes
    absent = set()  # type: Set[Tuple[str, ...]]
    users = sorted(option for option in options if option.part)[:plan.SMI_USER_PODS]
    for option in sorted(option for option in options if not option.part) + users:
        place = option.namespace, option.pod, option.container, option.program[0]
        hung = sum(1 for attempt in attempts if attempt.status == "timeout") >= plan.SMI_TIMEOUTS
        if hung or place in absent or (option.part and answered is not None):
            continue
        attempt, output = _try(option, plan.SMI_QUERY, run, refused)
        attempts.append(attempt)
        asked.append(option)
        if "executable file not found" in attempt.stderr:
            absent.add(place)
        if attempt.status == "ok" and b"<nvidia_smi_log" in output:
            answered, kept = len(attempts) - 1, output
            break
        if answered is None and _ran(attempt, output):
            answered, kept = len(attempts) - 1, output
    if answered is None:
        return NodeAnswer(attempts, None, {})
    outputs = {layout.NVIDIA_SMI_XML: kept}
    for name, arguments in ((layout.NVIDIA_SMI_TEXT, plan.SMI_TABLE), (layout.NVIDIA_SMI_TOPO, plan.SMI_TOPOLOGY)):
        attempt, output = _try(asked[answered], arguments, run, refused)
        attempts.append(attempt)
        if output:
            outputs[name] = output
    return NodeAnswer(attempts, answered, outputs, asked[answered].part)


def _try(option: Candidate, arguments: Tuple[str, ...], run: Exec, refused: Set[str]) -> Tuple[Attempt, bytes]:
    argv = option.program + arguments
    if option.namespace in refused:
        return Attempt(option.namespace, option.pod, option.container, argv, "forbidden", None, 0.0,
                       "not tried: exec in this namespace was refused before"), b""
    ran = run(option.namespace, option.pod, option.container, argv)
    stderr = ran.stderr.decode("utf-8", "replace").strip()[:2000]
    status = exec_status(ran, stderr)
    if status == "forbidden":
        refused.add(option.namespace)
    if ran.cut:
        stderr = ("more than the limit was printed. " + stderr).strip()
    attempt = Attempt(option.namespace, option.pod, option.container, argv, status, ran.code, ran.seconds, stderr)
    return attempt, b"" if ran.cut else ran.stdout


def exec_status(ran: Ran, stderr: str) -> str:
    """Return how an exec ended: ok, timeout, forbidden (by the API server), or error."""
    if ran.timed_out:
        return "timeout"
    if ran.code == 0 and not ran.cut:
        return "ok"
    refused = ran.code == 1 and ("(Forbidden)" in stderr or "is forbidden" in stderr or "Unauthorized" in stderr)
    return "forbidden" if refused else "error"


def _ran(attempt: Attempt, output: bytes) -> bool:
    """Return whether nvidia-smi itself ran: 126 and 127 are the container runtime's, 1 with certain words is kubectl's."""
    if attempt.exit_code is None or attempt.exit_code in (126, 127):
        return False
    kubectl_failed = attempt.exit_code == 1 and attempt.stderr.startswith(_KUBECTL_WORDS)
    return bool(output.strip()) and not kubectl_failed and attempt.status != "forbidden"
