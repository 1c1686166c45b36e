"""The straight line of a collection: read → redact → write, cheap and important things first, logs last."""

from typing import List, Set, Tuple
from urllib.parse import quote

from . import layout
from .client import DISCOVERY, ApiError, Tally
from .discovery import Discovered, read_discovery
from .lists import Lists, Scope, Seen
from .logs import LogPod, Tail, choose_pods, clean_log
from .nvidia import Exec, NodeAnswer, ask_node
from .plan import targets
from .redact import redact_object
from .redact_text import redact_text
from .secret_lists import read_certificates, read_secret_names
from .steps import Label, Outcome, Session, Task
from .summary import counted


def gather(session: Session, run_in_pod: Exec, context_namespace: str) -> None:
    """Read the cluster into the session's bundle. What could not be read stands in the manifest's steps.
    Raises OSError when the bundle cannot be written."""
    session.progress.part("Reading the API server's health and what it serves")
    for name, path, member in (("version", "/version", layout.VERSION), ("livez", "/livez?verbose", layout.LIVEZ),
                               ("readyz", "/readyz?verbose", layout.READYZ)):
        _read_text(session, name, path, member)
    discovered = _read_discovery(session)
    planned = targets(discovered.served, discovered.stale, discovered.complete)
    lists = Lists(session)
    session.progress.part("Reading objects")
    scope = lists.scope(planned, context_namespace)
    lists.everything(planned, scope)
    read_secret_names(session, scope, lists.seen)
    read_certificates(session, scope, lists.seen)
    _ask_nodes(session, scope, lists.seen, run_in_pod)
    _read_logs(session, lists.seen.log_pods)


def _read_text(session: Session, name: str, path: str, member: str) -> None:
    def read(tally: Tally) -> Outcome:
        failed = ""
        try:
            body = session.client.get(path, tally, "text/plain, */*").body
        except ApiError as error:
            if error.code != 500 or not error.body:
                raise
            body, failed = error.body, "the API server reports a failed check"
        tally.objects, tally.bytes = 1, len(body)
        text, found = redact_text(body[:1 << 20].decode("utf-8", "backslashreplace"))
        session.write_text(member, text, found, name)
        return ("ok", failed) if failed else None
    session.do(Label(name, "GET " + path, "cluster"), read)


def _read_discovery(session: Session) -> Discovered:
    found = [Discovered(None, frozenset(), False, [])]

    def read(tally: Tally) -> Outcome:
        found[0] = now = read_discovery(lambda path: session.client.get_json(path, tally, DISCOVERY)[0])
        tally.objects = len(now.groups)
        session.writer.add_json(layout.DISCOVERY, {"complete": now.complete, "groups": now.groups}, "discovery")
        return None if now.complete else ("truncated", "API groups that did not answer: " + ", ".join(sorted(now.stale)))
    session.do(Label("discovery", "GET /api, /apis", "cluster"), read)
    return found[0]


def _ask_nodes(session: Session, scope: Scope, seen: Seen, run_in_pod: Exec) -> None:
    unknown = "" if _pods_read(session, scope) else session.restriction() or "the pods of every namespace could not be read"
    refused = set()  # type: Set[str]
    if session.options.exec_:
        session.progress.part("Running nvidia-smi")
    tasks = []  # type: List[Task]
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


def _read_logs(session: Session, pods: List[LogPod]) -> None:
    if not session.options.logs:
        session.skip(Label("logs", "GET pods/log", "cluster"), "skipped", "--no-logs")
        return
    chosen, left_out = choose_pods(pods, session.limits)
    for namespace in sorted(left_out):
        count, why = left_out[namespace]
        session.skip(Label("logs@" + namespace, "GET pods/log of %d more pods" % count, "namespace", namespace=namespace),
                     "skipped", why)
    session.progress.part("Reading logs of %s" % counted(len(chosen), "pod"))
    total = [0]
    tasks = []  # type: List[Task]
    for pod in chosen:
        for container, before in pod.containers:
            runs = (False, True) if before else (False,)
            tasks.extend([_log_task(session, pod, container, previous, total) for previous in runs])
    session.parallel(tasks, session.limits.list_workers)


def _log_task(session: Session, pod: LogPod, container: str, previous: bool, total: List[int]) -> Task:
    """Return the reading of one log. ``total`` is about what all logs hold so far: threads may lose an addition."""
    path = "/api/v1/namespaces/%s/pods/%s/log?container=%s&tailLines=%d&timestamps=true%s" % (
        quote(pod.namespace), quote(pod.name), quote(str(container), errors="replace"), session.limits.log_lines,
        "&previous=true" if previous else "")
    step_id = "log:%s/%s/%s%s" % (pod.namespace, pod.name, container, ":previous" if previous else "")
    label = Label(step_id, "GET " + path, "namespace", namespace=pod.namespace)
    member = layout.log_member(pod.namespace, pod.name, container, previous)

    def read(tally: Tally) -> Outcome:
        text, dropped = _read_tail(session, path, tally)
        if not text:
            return None
        cleaned, found, cut = clean_log(text, dropped, session.limits.log_lines, session.limits.log_line)
        tally.objects = 1
        total[0] += len(cleaned)
        session.write_text(member, cleaned, found, label.id)
        return ("ok", "older lines were left out") if cut else None

    def task() -> None:
        if total[0] >= session.limits.log_total:
            session.skip(label, "skipped", "the limit of all logs was reached")
        else:
            session.do(label, read)
    return task


def _read_tail(session: Session, path: str, tally: Tally) -> Tuple[str, int]:
    """Return the newest part of a log and how many bytes before it were dropped. The kubelet's "no such log" is not found."""
    tail = Tail(session.limits.log_bytes)
    try:
        for part in session.client.stream(path, tally, session.limits.log_read):
            tail.add(part)
    except ApiError as error:
        raise ApiError("not_found", error.message, 400) if error.code == 400 else error
    return tail.text(), tail.dropped
