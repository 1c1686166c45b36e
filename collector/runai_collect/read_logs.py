"""Reading the logs that ``logs`` chose."""

from typing import List, Tuple

from . import layout, plan
from .client import ApiError, Tally
from .logs import LogPod, choose_pods, clean_log, newest
from .steps import Label, Outcome, Session, Task
from .summary import counted


def read_logs(session: Session, pods: List[LogPod]) -> None:
    """Read the newest lines of the logs of the pods that matter, as far as the limits go."""
    why = session.filter.kind(plan.POD) if session.options.logs else "--no-logs"
    if why:
        session.skip(Label("logs", "GET pods/log", "cluster"), "skipped", why)
        return
    chosen, left_out = choose_pods(pods, session.limits)
    for step in session.unread("Pod"):      # what was refused or left out on request is told of the pods, and so is one odd pod
        if step.status != "forbidden" and not step.message.startswith(layout.LEFT_OUT) and layout.ODD not in step.message:
            left_out.pop(step.namespace, None)
            session.skip(_label(step.namespace, "of the pods"), step.status, step.message)
    for namespace in sorted(left_out):
        count, why = left_out[namespace]
        session.skip(_label(namespace, "of %d more pods" % count), "skipped", why)
    session.part("Reading logs of %s" % counted(len(chosen), "pod"))
    total = [0]
    session.parallel([_log_task(session, pod, container, previous, total)
                      for pod in chosen for container, before in pod.containers
                      for previous in ([False, True] if before else [False])], session.limits.list_workers)


def _label(namespace: str, what: str) -> Label:
    place = ("logs@" + namespace, "namespace") if namespace else ("logs", "cluster")
    return Label(place[0], "GET pods/log " + what, place[1], namespace=namespace)


def _log_task(session: Session, pod: LogPod, container: str, previous: bool, total: List[int]) -> Task:
    """Return the reading of one log. ``total`` is about what all logs hold so far: threads may lose an addition."""
    path = session.options.log_path(pod.namespace, pod.name, container) + ("&previous=true" if previous else "")
    step_id = "log:%s/%s/%s%s" % (pod.namespace, pod.name, container, ":previous" if previous else "")
    label = Label(step_id, "GET " + path, "namespace", namespace=pod.namespace)
    member = layout.log_member(pod.namespace, pod.name, container, previous)

    def read(tally: Tally) -> Outcome:
        text, dropped = read_tail(session, path, tally)
        if not text:
            return None
        cleaned, found, cut = clean_log(text, dropped, session.limits.log_lines, session.limits.log_line)
        tally.objects = 1
        total[0] += len(cleaned)
        session.write_text(member, cleaned, found, label.id)
        return ("ok", "older lines were left out") if cut else None

    def task() -> None:
        full = "the limit of all logs was reached" if total[0] >= session.limits.log_total else ""
        session.do_unless(session.filter.path(member) or full, label, read)
    return task


def read_tail(session: Session, path: str, tally: Tally) -> Tuple[str, int]:
    """Return the newest part of a log and how many bytes before it were dropped. The kubelet's "no such log" is not found."""
    try:
        return newest(session.client.stream(path, tally, session.limits.log_read), session.limits.log_bytes)
    except ApiError as error:
        raise ApiError("not_found", error.message, 400) if error.code == 400 else error
