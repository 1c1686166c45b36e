"""nvidia-smi of every GPU node: which node is asked where, and what the bundle keeps of its answer, or of who tells instead."""

import sys
from functools import partial
from typing import List, Set

from . import layout, plan
from .client import Tally
from .gpu_signs import GpuNode
from .lists import Scope, Seen
from .logs import clean_log
from .nvidia import Exec, NodeAnswer, ask_node
from .redact import redact_object
from .steps import Label, Outcome, Session
from .summary import CUT

_WORST = ("forbidden", "timeout", "error")      # which of the attempts on a node says why it did not answer


def ask_nodes(session: Session, scope: Scope, seen: Seen, run_in_pod: Exec) -> None:
    """Ask every node that has GPUs, or a pod that may know of some; a node that cannot be asked has its reason."""
    cut = [": " + step.message for step in session.unread("Pod") if step.message in CUT][:1]
    unknown = "" if _pods_read(session, scope) else session.filter.kind(plan.POD) or session.restriction() or "".join(
        ["not all pods were read"] + cut)
    for step in [] if seen.gpu else session.unread("Node")[:1]:
        session.skip(Label("nvidia-smi", "exec nvidia-smi -q -x", "cluster"), step.status, step.message)
    if session.options.exec_:
        session.part("Running nvidia-smi")
    refused, failed = set(), []  # type: Set[str], List[str]

    def ask(name: str) -> None:
        node, label = seen.gpu[name], Label("nvidia-smi:" + name, "exec nvidia-smi -q -x", "node")
        why = "" if session.options.exec_ else "--no-exec"
        session.do_unless(session.filter.path(layout.node_member(name, layout.NVIDIA_SMI_XML)), label, partial(
            _read_node, session, name, node, why, unknown, label.id, run_in_pod, refused, failed))
    session.parallel([partial(ask, name) for name in sorted(seen.gpu, key=str)], session.limits.exec_workers)


def _pods_read(session: Session, scope: Scope) -> bool:
    """Return whether every Pod of the cluster was seen: only then it is known that no pod of a node has nvidia-smi."""
    read = {step.namespace for step in session.writer.steps
            if (step.group, step.kind) == ("", "Pod") and step.status in ("ok", "empty")}
    return "" in read or (scope.listed and read >= set(scope.namespaces))


def _read_node(session: Session, name: str, node: GpuNode, why: str, unknown: str, step_id: str, run_in_pod: Exec,
               refused: Set[str], failed: List[str], tally: Tally) -> Outcome:
    """Ask one node, or, when there is a reason ``why`` not to, only who else tells of its GPUs. ``unknown`` is why a pod that has
    nvidia-smi may not have been seen."""
    answer = NodeAnswer([], None, {}) if why else ask_node(node.containers, run_in_pod, refused)
    why = why or (unknown if answer.answered_by is None and _without_it(answer) else "")
    outcome = ("skipped", why) if why else _node_outcome(answer, bool(node.signs))
    if not answer.outputs:
        from .gpu_sources import ask_others
        told, silent, texts = ask_others(session, name, node, tally, failed)
    else:
        told, silent, texts = "", {}, answer.outputs
    reason = outcome[1] if outcome else ""
    source = dict(answer.source(name), reason=reason, told=told, others=silent)
    if told or answer.attempts or not why:
        session.writer.add_json(layout.node_member(name, layout.NODE_SOURCE), redact_object(source)[0], step_id)
    for file in sorted(texts):
        text, found, _ = clean_log(texts[file], 0, sys.maxsize, session.limits.log_line)
        session.write_text(layout.node_member(name, file), text, found, step_id)
    tally.objects, tally.bytes = len(answer.outputs) and 1, tally.bytes + sum(map(len, answer.outputs.values()))
    return (outcome[0], why or "; ".join([words for words in (reason, told) if words])) if outcome else None


def _without_it(answer: NodeAnswer) -> bool:
    return all(attempt.exit_code in (126, 127) for attempt in answer.attempts)      # by the container runtime: no such program


def _node_outcome(answer: NodeAnswer, certain: bool) -> Outcome:
    """Return how the asking of a node ended. ``certain``: it should have GPUs, as more shows than a pod that looks for some."""
    if answer.answered_by is not None:
        code = answer.attempts[answer.answered_by].exit_code
        words = ["nvidia-smi ended with exit code %d" % code] if code else []
        words += ["a user's pod answered, which sees " + layout.PART_OF_GPUS] if answer.part else []
        return ("ok", "; ".join(words)) if words else None
    if not answer.attempts:
        return "not_found", "no running pod on this node has nvidia-smi"
    if not certain and _without_it(answer):
        return "empty", "nothing shows GPUs on this node, and the pods that look for some have no nvidia-smi"
    first = min(answer.attempts, key=lambda attempt: _WORST.index(attempt.status))
    silent = "nvidia-smi printed nothing in %.0f seconds (exit code %s)" % (first.seconds, first.exit_code)
    return first.status, first.stderr[:300] or silent
