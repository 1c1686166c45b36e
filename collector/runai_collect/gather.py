"""The straight line of a collection: read → redact → write, cheap and important things first, logs last."""

from functools import partial
from typing import List, Tuple

from . import layout, preflight
from .client import DISCOVERY, SINGLE, ApiError, Tally
from .discovery import Discovered, read_discovery
from .gpu_nodes import ask_nodes
from .lists import Lists, Scope
from .nvidia import Exec
from .plan import TEXTS, Target, targets
from .read_logs import read_logs
from .redact_text import redact_text
from .secret_lists import read_certificates, read_secret_names
from .steps import Label, Outcome, Session, Task


def gather(session: Session, run_in_pod: Exec, context_namespace: str) -> None:
    """Read the cluster into the session's bundle. What could not be read stands in the manifest's steps.
    Raises OSError when the bundle cannot be written."""
    planned, lists, scope, _ = begin(session, context_namespace, False)
    session.part("Reading objects")
    lists.everything(planned, scope)
    session.budget.part("secrets")
    read_secret_names(session, scope, lists.seen)
    session.budget.part("certificates")
    read_certificates(session, scope, lists.seen)
    session.budget.part("nvidia-smi")
    ask_nodes(session, scope, lists.seen, run_in_pod)
    session.budget.part("probes")
    if session.options.probe:
        from .probe import run_probes
        run_probes(session, sorted(lists.seen.notes))
    session.budget.part("logs")
    read_logs(session, lists.seen.log_pods)
    session.use_up()
    for wish in session.filter.unmatched("kind", "path") if not session.stop.is_set() else []:
        session.skip(Label("wish:%s %s" % wish, "", "cluster"), "skipped", "nothing that was read fits it")


def begin(session: Session, context_namespace: str, thorough: bool) -> Tuple[List[Target], Lists, Scope, List[preflight.Missing]]:
    """Read what the server is and serves and the namespaces; say what will be missing."""
    session.budget.part("health")
    session.part("Reading the API server's health and what it serves")
    found = [Discovered(None, frozenset(), [])]
    tasks: List[Task] = [partial(_read_discovery, session, found)]
    session.parallel(tasks + [partial(_read_text, session, *text) for text in TEXTS], session.limits.list_workers)
    planned = targets(found[0].served, found[0].stale, session.options.extra)
    session.budget.part("objects")
    lists = Lists(session)
    session.part("Checking what may be read")
    scope = lists.scope(planned, context_namespace)
    missing = preflight.check(session, planned, scope, thorough)
    if missing and not thorough:
        from .advice import warning
        for line in warning(missing, session.options):
            session.progress.say(line)
    return planned, lists, scope, missing


def _read_text(session: Session, name: str, path: str, member: str) -> None:
    def read(tally: Tally) -> Outcome:
        try:
            body, failed = session.client.get(path, tally, "text/plain, */*", SINGLE).body, ""
        except ApiError as error:
            if error.code != 500 or not error.body:
                raise
            body, failed = error.body, "the API server reports a failed check"
        tally.objects, tally.bytes = 1, len(body)
        text, found = redact_text(body[:1 << 20].decode("utf-8", "backslashreplace"))
        session.write_text(member, text, found, name)
        return ("ok", failed) if failed else None
    session.do(Label(name, "GET " + path, "cluster"), read)


def _read_discovery(session: Session, found: List[Discovered]) -> None:
    def read(tally: Tally) -> Outcome:
        found[0] = now = read_discovery(lambda path: session.client.get_json(path, tally, DISCOVERY, 4 * SINGLE)[0])
        tally.objects = len(now.groups)
        session.writer.add_json(layout.DISCOVERY, {"complete": not now.stale, "groups": now.groups}, "discovery")
        return ("truncated", "no answer of the API groups " + ", ".join(sorted(now.stale))) if now.stale else None
    session.do(Label("discovery", "GET /api, /apis", "cluster"), read)
