"""Asking the containers of a node for nvidia-smi, in turn. Nothing is created or written, and no shell is used."""

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from . import layout, plan
from .gpu_signs import Candidate
from .kubectl import Ran

_FORBIDDEN = ("(Forbidden)", "is forbidden", "Unauthorized")       # by the API server
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
    outputs: Dict[str, str]
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
    attempts, outputs, best = [], {}, None  # type: List[Attempt], Dict[str, str], Optional[Tuple[int, Candidate]]
    users = sorted(option for option in options if option.part)[:plan.SMI_USER_PODS]
    for option in sorted(option for option in options if not option.part) + users:
        hung = [attempt.status for attempt in attempts].count("timeout") >= plan.SMI_TIMEOUTS
        if hung or (option.part and best):
            continue
        attempt, output = _try(option, plan.SMI_QUERY, run, refused)
        attempts.append(attempt)
        whole = attempt.status == "ok" and "<nvidia_smi_log" in output
        if whole or (not best and _ran(attempt, output)):
            best, outputs[layout.NVIDIA_SMI_XML] = (len(attempts) - 1, option), output
        if whole:
            break
    if not best:
        return NodeAnswer(attempts, None, {})
    for name, arguments in ((layout.NVIDIA_SMI_TEXT, plan.SMI_TABLE), (layout.NVIDIA_SMI_TOPO, plan.SMI_TOPOLOGY)):
        attempt, output = _try(best[1], arguments, run, refused)
        attempts.append(attempt)
        if output:
            outputs[name] = output
    return NodeAnswer(attempts, best[0], outputs, best[1].part)


def _try(option: Candidate, arguments: Tuple[str, ...], run: Exec, refused: Set[str]) -> Tuple[Attempt, str]:
    place, argv = (option.namespace, option.pod, option.container), option.program + arguments
    if option.namespace in refused:
        return Attempt(*place, argv, "forbidden", None, 0.0, "not tried: exec in this namespace was refused before"), ""
    ran = run(*place, argv)
    stderr = ("more than the limit was printed. " * ran.cut + ran.stderr.decode("utf-8", "replace")).strip()[:2000]
    output = "" if ran.cut or not ran.stdout.strip() else ran.stdout.decode("utf-8", "backslashreplace")
    forbidden = ran.code == 1 and any(words in stderr for words in _FORBIDDEN)
    status = "timeout" if ran.timed_out else "forbidden" if forbidden else "ok" if ran.code == 0 and output else "error"
    if forbidden:
        refused.add(option.namespace)
    return Attempt(*place, argv, status, ran.code, ran.seconds, stderr), output


def _ran(attempt: Attempt, output: str) -> bool:
    """Return whether nvidia-smi itself ran: 126 and 127 are the container runtime's, 1 with certain words is kubectl's."""
    kubectls = attempt.exit_code == 1 and attempt.stderr.startswith(_KUBECTL_WORDS)
    return bool(output) and not kubectls and attempt.exit_code not in (None, 126, 127)
