"""nvidia-smi of every GPU node: which node is asked where, and what the bundle keeps of its answer, or of who tells instead."""

from typing import Dict, List, Set

from . import layout, plan
from .client import Tally
from .gpu_signs import GpuNode
from .gpu_sources import ask_others, told_words
from .lists import Scope, Seen
from .nvidia import Exec, NodeAnswer, ask_node
from .redact import redact_object
from .redact_text import redact_text
from .steps import Label, Outcome, Session, Task


def ask_nodes(session: Session, scope: Scope, seen: Seen, run_in_pod: Exec) -> None:
    """Ask every node that has GPUs, or a pod that may know of some; a node that cannot be asked has its reason."""
    unknown = session.filter.kind(plan.POD) or session.restriction() or "the pods of every namespace could not be read"
    unknown = "" if _pods_read(session, scope) else unknown
    if session.options.exec_:
        session.progress.part("Running nvidia-smi")
    refused, failures = set(), {}  # type: Set[str], Dict[str, int]
    tasks: List[Task] = []
    for name, node in sorted(seen.gpu.items(), key=str):
        why = "--no-exec" if not session.options.exec_ else unknown if not node.containers else ""
        left_out = session.filter.path(layout.node_member(name, layout.NVIDIA_SMI_XML))
        if left_out:
            session.skip(_label(name), "skipped", left_out)
        else:
            tasks.append(_node_task(session, name, node, why, run_in_pod, refused, failures))
    session.parallel(tasks, session.limits.exec_workers)


def _label(node: str) -> Label:
    return Label("nvidia-smi:" + node, "exec nvidia-smi -q -x", "node")


def _pods_read(session: Session, scope: Scope) -> bool:
    """Return whether every Pod of the cluster was seen: only then it is known that no pod of a node has nvidia-smi."""
    read = {step.namespace for step in session.writer.steps
            if (step.group, step.kind) == ("", "Pod") and step.status in ("ok", "empty")}
    return "" in read or (scope.listed and read >= set(scope.namespaces))


def _node_task(session: Session, name: str, node: GpuNode, why: str, run_in_pod: Exec, refused: Set[str],
               failures: Dict[str, int]) -> Task:
    """Return the asking of one node, or, when there is a reason ``why`` not to ask it, only of who else tells of its GPUs."""
    label = _label(name)

    def read(tally: Tally) -> Outcome:
        answer = NodeAnswer([], None, {}) if why else ask_node(node.containers, run_in_pod, refused)
        outcome = ("skipped", why) if why else _node_outcome(answer, bool(node.signs))
        others = [] if answer.answered_by is not None else ask_others(session, name, node, label.id, tally, failures)
        reason, told = outcome[1] if outcome else "", told_words(others)
        source = dict(answer.source(name), reason=reason, told=told, others=[
            dict(other._asdict(), told=[row._asdict() for row in other.told]) for other in others])
        if told or not why:
            session.writer.add_json(layout.node_member(name, layout.NODE_SOURCE), redact_object(source)[0], label.id)
        for member in sorted(answer.outputs):
            data = answer.outputs[member]
            tally.bytes += len(data)
            text, found = redact_text(data.decode("utf-8", "backslashreplace"))
            session.write_text(layout.node_member(name, member), text, found, label.id)
        tally.objects = 0 if answer.answered_by is None else 1
        return (outcome[0], why or "; ".join([words for words in (reason, told) if words])) if outcome else None
    return lambda: session.do(label, read)


def _node_outcome(answer: NodeAnswer, certain: bool) -> Outcome:
    """Return how the asking of a node ended. ``certain``: it should have GPUs, as more shows than a pod that looks for some."""
    if answer.answered_by is not None:
        code = answer.attempts[answer.answered_by].exit_code
        words = ["nvidia-smi ended with exit code %d" % code] if code else []
        words += ["a user's pod answered, which sees " + layout.PART_OF_GPUS] if answer.part else []
        return ("ok", "; ".join(words)) if words else None
    if not answer.attempts:
        return "not_found", "no running pod on this node has nvidia-smi"
    if not certain and all(attempt.exit_code in (126, 127) for attempt in answer.attempts):
        return "empty", "nothing shows GPUs on this node, and the pods that look for some have no nvidia-smi"
    statuses = [attempt.status for attempt in answer.attempts]
    worst = next((status for status in ("forbidden", "timeout") if status in statuses), "error")
    last = answer.attempts[statuses.index(worst) if worst in statuses else -1]
    silent = "nvidia-smi printed nothing, and ended with exit code %s" % last.exit_code
    return worst, last.stderr[:300] or ("nvidia-smi gave no answer in time" if worst == "timeout" else silent)
