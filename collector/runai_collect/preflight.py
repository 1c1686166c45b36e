"""What will be missing, found with one object of each kind before the long part: so that a person can ask for a right first."""

import json
import time
from functools import partial
from typing import List, NamedTuple, Set, Tuple

from . import layout, plan
from .client import JSON, SINGLE, TABLE, ApiError, Client, SpentError, StoppedError, Tally, TooLargeError, values_of
from .filters import name_of
from .lists import Scope
from .steps import Session
from .summary import incomplete

_EVERYWHERE = "list in the whole cluster"


class Ask(NamedTuple):
    """One cheap read that shows a right. ``sort`` and ``name`` are how its lack is told; ``tier`` is the role's that has it."""

    sort: str
    name: str
    path: str
    query: str = "limit=1"
    accept: str = JSON
    tier: str = "base"


class Missing(NamedTuple):
    """Something that will not be in the bundle; ``status`` is "forbidden", or how else the read of it failed."""

    tier: str
    sort: str
    status: str
    name: str


def check(session: Session, planned: List[plan.Target], scope: Scope, thorough: bool = False) -> List[Missing]:
    """Return what will be missing, as far as ``Limits.preflight`` seconds show it: what comes first in the plan is asked first.
    ``thorough`` takes ``Limits.check`` seconds, and what was not asked by then counts as missing.
    A list that is refused here is not asked again: its own step ends with this refusal."""
    limits = session.limits
    until = time.monotonic() + min(limits.check if thorough else limits.preflight, session.stop.left(False) / 10)
    missing = [Missing("base", _EVERYWHERE, step.status, "namespaces") for step in session.writer.steps
               if step.id == "list:core/v1/namespaces" and incomplete([step])]
    pods: List[Tuple[str, str]] = []

    def task(ask: Ask) -> None:
        session.stop.share(limits.preflight_answer, "timeout", str)
        try:
            status = _try(session.client, ask, pods) if time.monotonic() < until else "not asked" if thorough else ""
        except StoppedError as error:
            status = str(error) if isinstance(error, SpentError) else ""        # of the run's end the steps tell
        finally:
            session.budget.release()
        missing.extend([Missing(ask.tier, ask.sort, status, ask.name)] if status else [])
    session.parallel([partial(task, ask) for ask in _asks(session, planned, scope)], limits.list_workers)
    known = [name for name in scope.namespaces if session.options.logs and (not scope.whole or name in plan.LOG_NAMESPACES)]
    if pods and known and not {name for name, _ in pods} & set(known):      # the first pod of the cluster is anybody's
        session.parallel([partial(task, Ask("logs", "pods", plan.POD.path(known[0])))], 1)
    for pod in [pod for pod in pods if pod[0] in known and not session.filter.path(layout.log_member(pod[0], pod[1], ""))][:1]:
        session.parallel([partial(task, Ask("logs", "of pods", plan.LOG_CHECK[0] % pod, plan.LOG_CHECK[1], "*/*"))], 1)
    return sorted(set(missing))


def _asks(session: Session, planned: List[plan.Target], scope: Scope) -> List[Ask]:
    """Return the reads: what the plan names first, and one kind of each custom group before the others of it."""
    there = [""] if scope.whole else scope.namespaces
    rows: List[Tuple[bool, Ask]] = []
    seen: Set[str] = set()
    for kind in [target.kind for target in planned if not target.absent and not session.filter.list(target.kind)]:
        custom = kind.group not in {built_in.group for built_in in plan.KINDS}
        name = name_of(kind) if custom else kind.plural
        places = [""] if not kind.namespaced else there if name == "pods" else there[:1]
        if name != "namespaces":        # those were read before, to know where the others are
            rows += [(custom and kind.group in seen, Ask(_sort(place), name, kind.path(place))) for place in places]
        seen.add(kind.group)
    # No value of a Secret crosses the network: a table without objects holds names, types, counts (lists: 1.20, 1.36; one: 1.35).
    wanted = session.options.secrets and not session.filter.kind(plan.SECRET)
    for place in there[:1] if wanted and not session.filter.folder(layout.SECRETS) else []:
        path = plan.SECRET.path(place)
        rows.append((False, Ask(_sort(place), "secrets", path, "includeObject=None&limit=1", TABLE, "+secrets")))
    wanted = wanted and session.options.certificates and not session.filter.folder(layout.CERTIFICATES)
    for namespace, name in [pair for pair in plan.CERTIFICATE_SECRETS if pair[0] in scope.namespaces and wanted][:1]:
        path = "%s/%s" % (plan.SECRET.path(namespace), name)
        rows.append((False, Ask("certificates", "Secrets by name", path, "includeObject=None", TABLE, "+secrets")))
    return [ask for _, ask in sorted(rows, key=lambda row: row[0])]


def _sort(place: str) -> str:
    return "list in namespace " + place if place else _EVERYWHERE


def _try(client: Client, ask: Ask, pods: List[Tuple[str, str]]) -> str:
    """Read, and return how that failed, else "". Pods that are seen are kept; the client is told of lists that are refused."""
    try:
        answer = client.get(ask.path + "?" + ask.query, Tally(), ask.accept, SINGLE)
        if ask.name == "pods" and values_of(answer.body) < SINGLE // 24:
            found = [item["metadata"] for item in json.loads(answer.body.decode("utf-8", "replace"))["items"]]
            pods.extend([(plan.quoted(metadata["namespace"]), plan.quoted(metadata["name"])) for metadata in found])
    except (TooLargeError, ValueError, KeyError, TypeError, RecursionError):
        pass                    # it may be read; an odd answer is for the list itself to tell
    except ApiError as error:
        if error.code == 403 and ask.sort.startswith("list"):
            client.refused[ask.path] = error
        return error.status if error.status == "forbidden" or (error.status != "not_found" and ask.sort != "logs") else ""
    return ""
