"""Which running pod on which node has nvidia-smi, and asking it. Nothing is created or written, and no shell is used."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from . import layout, plan
from .kubectl import Ran

_KUBECTL_WORDS = ("error:", "Error from server", "OCI runtime", "Internal error")
Exec = Callable[[str, str, str, Tuple[str, ...]], Ran]


class Candidate(NamedTuple):
    """A running container that may have nvidia-smi; sorts in the order in which to ask."""

    rank: int
    namespace: str
    pod: str
    container: str
    program: str
    node: str


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
    """What one node said. ``answered_by`` is the index of the attempt whose output was kept, None when nvidia-smi ran nowhere."""

    attempts: List[Attempt]
    answered_by: Optional[int]
    outputs: Dict[str, bytes]

    def source(self, node: str) -> Dict[str, object]:
        """Return the document that stands beside the outputs."""
        rows = [dict(attempt._asdict(), argv=list(attempt.argv), seconds=round(attempt.seconds, 3)) for attempt in self.attempts]
        return {"node": node, "answered_by": self.answered_by, "attempts": rows}


def is_gpu_node(node: Dict[str, Any]) -> bool:
    """Return whether a Node should have NVIDIA GPUs, by its labels, capacity and allocatable."""
    labels = (node.get("metadata") or {}).get("labels") or {}
    if any(str(labels.get(name, "false")).lower() != "false" for name in plan.GPU_LABELS):
        return True
    status = node.get("status") or {}
    resources = list(status.get("capacity") or {}) + list(status.get("allocatable") or {})
    return any(name.startswith(plan.GPU_RESOURCES) for name in resources)


def candidates(pod: Dict[str, Any]) -> List[Candidate]:
    """Return the running containers of a Pod that may have nvidia-smi."""
    metadata, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    if status.get("phase") != "Running" or metadata.get("deletionTimestamp") or not spec.get("nodeName"):
        return []
    running = {entry.get("name") for entry in status.get("containerStatuses") or [] if "running" in (entry.get("state") or {})}
    found = []
    for rank, known in enumerate(plan.SMI_CONTAINERS):
        if known.name in running and known.pod_word in metadata.get("name", ""):
            found.append(Candidate(rank, metadata.get("namespace", ""), metadata.get("name", ""), known.name, known.program,
                                   spec["nodeName"]))
    return found


def ask_node(options: List[Candidate], run: Exec, refused: Set[str]) -> NodeAnswer:
    """Ask the containers of one node in turn till one answers; keep the best answer, also when nvidia-smi itself failed.
    ``refused`` holds the namespaces in which exec is known to be forbidden, and grows."""
    attempts = []  # type: List[Attempt]
    answered, kept = None, b""  # type: Tuple[Optional[int], bytes]
    for option in sorted(options):
        attempt, output = _try(option, plan.SMI_QUERY, run, refused)
        attempts.append(attempt)
        if attempt.status == "ok" and b"<nvidia_smi_log" in output:
            answered, kept = len(attempts) - 1, output
            break
        if answered is None and _ran(attempt, output):
            answered, kept = len(attempts) - 1, output
    if answered is None:
        return NodeAnswer(attempts, None, {})
    outputs = {layout.NVIDIA_SMI_XML: kept}
    asked = sorted(options)[answered]       # one attempt each, in this order
    for name, arguments in ((layout.NVIDIA_SMI_TEXT, plan.SMI_TABLE), (layout.NVIDIA_SMI_TOPO, plan.SMI_TOPOLOGY)):
        attempt, output = _try(asked, arguments, run, refused)
        attempts.append(attempt)
        if output:
            outputs[name] = output
    return NodeAnswer(attempts, answered, outputs)


def _try(option: Candidate, arguments: Tuple[str, ...], run: Exec, refused: Set[str]) -> Tuple[Attempt, bytes]:
    argv = (option.program,) + arguments
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
