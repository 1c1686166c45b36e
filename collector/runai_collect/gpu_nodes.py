"""nvidia-smi of every GPU node: which node is asked where, and what the bundle keeps of its answer."""

from typing import List, Set

from . import layout
from .client import Tally
from .lists import Scope, Seen
from .nvidia import Exec, NodeAnswer, ask_node
from .redact import redact_object
from .redact_text import redact_text
from .steps import Label, Outcome, Session, Task


def ask_nodes(session: Session, scope: Scope, seen: Seen, run_in_pod: Exec) -> None:
    """Ask every node that has GPUs, or a pod that may know of some; a node that cannot be asked has its reason."""
    unknown = "" if _pods_read(session, scope) else session.restriction() or "the pods of every namespace could not be read"
    refused = set()  # type: Set[str]
    if session.options.exec_:
        session.progress.part("Running nvidia-smi")
    tasks: List[Task] = []
    for node in sorted(seen.gpu_nodes | set(seen.smi), key=str):
        label = Label("nvidia-smi:" + node, "exec nvidia-smi -q -x", "node")
        if not session.options.exec_:
            session.skip(label, "skipped", "--no-exec")
        elif unknown and node not in seen.smi:
            session.skip(label, "skipped", unknown)
        else:
            tasks.append(_node_task(session, seen, node, label, run_in_pod, refused))
    session.parallel(tasks, session.limits.exec_workers)


def _pods_read(session: Session, scope: Scope) -> bool:
    """Return whether every Pod of the cluster was seen: only then it is known that no pod of a node has nvidia-smi."""
    read = {step.namespace for step in session.writer.steps
            if (step.group, step.kind) == ("", "Pod") and step.status in ("ok", "empty")}
    return "" in read or (scope.listed and read >= set(scope.namespaces))


def _node_task(session: Session, seen: Seen, node: str, label: Label, run_in_pod: Exec, refused: Set[str]) -> Task:
    def read(tally: Tally) -> Outcome:
        answer = ask_node(seen.smi.get(node, []), run_in_pod, refused)
        source = redact_object(answer.source(node))[0]
        session.writer.add_json(layout.node_member(node, layout.NODE_SOURCE), source, label.id)
        for name in sorted(answer.outputs):
            data = answer.outputs[name]
            tally.bytes += len(data)
            text, found = redact_text(data.decode("utf-8", "backslashreplace"))
            session.write_text(layout.node_member(node, name), text, found, label.id)
        tally.objects = 0 if answer.answered_by is None else 1
        return _node_outcome(answer)
    return lambda: session.do(label, read)


def _node_outcome(answer: NodeAnswer) -> Outcome:
    if answer.answered_by is not None:
        code = answer.attempts[answer.answered_by].exit_code
        return ("ok", "nvidia-smi ended with exit code %d" % code) if code else None
    if not answer.attempts:
        return "not_found", "no running pod on this node has nvidia-smi"
    statuses = [attempt.status for attempt in answer.attempts]
    worst = next((status for status in ("forbidden", "timeout") if status in statuses), "error")
    last = answer.attempts[statuses.index(worst) if worst in statuses else -1]
    silent = "nvidia-smi printed nothing, and ended with exit code %s" % last.exit_code
    return worst, last.stderr[:300] or ("nvidia-smi gave no answer in time" if worst == "timeout" else silent)
