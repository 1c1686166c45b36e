"""What will be missing, found with one object of each kind before the long part: so that a person can ask for a right first."""

import json
import time
from functools import partial
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple
from urllib.parse import quote, urlencode

from . import layout, plan
from .client import JSON, TABLE, ApiError, Client, SpentError, StoppedError, Tally
from .lists import Scope
from .steps import Session

_SHOWN = 8                      # names of a line
_EVERYWHERE = "list in the whole cluster"
_BUILT_IN = [(kind.group, kind.plural) for kind in plan.KINDS]


class Ask(NamedTuple):
    """One cheap read that shows a right. ``sort`` and ``name`` are how its lack is told; ``tier`` is the role's that has it."""

    sort: str
    name: str
    path: str
    parameters: Tuple[Tuple[str, str], ...] = (("limit", "1"),)
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
    seconds = session.limits.check if thorough else session.limits.preflight
    until = time.monotonic() + min(seconds, session.stop.left(False) / 10)
    missing = [] if scope.listed or not scope.whole else [Missing("base", _EVERYWHERE, "forbidden", "namespaces")]
    pods: List[Dict[str, Any]] = []

    def task(ask: Ask) -> None:
        session.stop.share(session.limits.preflight_answer, "timeout", str)
        try:
            if time.monotonic() < until:
                missing.extend(_try(session.client, ask, pods))
            elif thorough:
                missing.append(Missing(ask.tier, ask.sort, "not asked in %d seconds" % seconds, ask.name))
        except SpentError as error:
            missing.append(Missing(ask.tier, ask.sort, str(error), ask.name))
        except StoppedError:
            pass            # the steps tell that
        finally:
            session.budget.release()
    for asks in _asks(session, planned, scope), _log_asks(session, pods):
        session.parallel([partial(task, ask) for ask in asks], session.limits.list_workers)
    return sorted(set(missing))


def warning(missing: List[Missing], options: plan.Options) -> List[str]:
    """Return a few lines for the person who runs the collector, none when nothing is missing."""
    lines: List[str] = []
    for status, sort in sorted({(lack.status, lack.sort) for lack in missing}, key=lambda pair: (pair[0] != "forbidden", pair)):
        names = sorted([lack.name for lack in missing if (lack.status, lack.sort) == (status, sort)], key=_rank)
        more = " and %d more" % (len(names) - _SHOWN) if len(names) > _SHOWN else ""
        how = "not allowed" if status == "forbidden" else "no good answer (%s)" % status
        lines.append("%s: %s: %s%s" % (how, sort, ", ".join(names[:_SHOWN]), more))
    tiers = {lack.tier for lack in missing if lack.status == "forbidden"}
    if tiers:
        wide = ("+secrets" if options.secrets else "") + ("+exec" if options.exec_ and "base" in tiers else "")
        asked = (wide or "base") + "".join([" -n " + name for name in options.namespaces])
        lines.append("To ask an administrator for: the roles that runai-collect --rbac %s prints%s" % (
            asked, ", or do without: --no-secrets" if tiers == {"+secrets"} else ""))
    return lines


def _asks(session: Session, planned: List[plan.Target], scope: Scope) -> Iterator[Ask]:
    """Yield the reads: what the plan names first, and one kind of each custom group before the others of it."""
    there = [""] if scope.whole else scope.namespaces
    seen: Set[str] = set()
    later: List[Ask] = []
    for kind in [target.kind for target in planned if not target.absent]:
        if (kind.group, kind.plural) == ("", "namespaces") or session.filter.list(kind):
            continue            # those were read before, to know where the others are
        custom = (kind.group, kind.plural) not in _BUILT_IN
        name = "%s.%s" % (kind.plural, kind.group) if custom else kind.plural
        places = [""] if not kind.namespaced else there if kind.plural == "pods" else there[:1]
        asks = [Ask(_sort(place), name, kind.path(place)) for place in places]
        if custom and kind.group in seen:
            later += asks
        else:
            yield from asks
        seen.add(kind.group)
    if session.options.secrets and not session.filter.kind(plan.SECRET) and not session.filter.folder(layout.SECRETS):
        yield from _secret_asks(session.options, scope, there[:1])
    yield from later


def _secret_asks(options: plan.Options, scope: Scope, there: List[str]) -> Iterator[Ask]:
    """No value crosses the network: without objects a table holds names, types and counts (seen on 1.20 and 1.35)."""
    kind = plan.Kind("", "secrets", "v1", "Secret", True)
    for place in there:
        yield Ask(_sort(place), "secrets", kind.path(place), (("includeObject", "None"), ("limit", "1")), TABLE, "+secrets")
    named = [pair for pair in plan.CERTIFICATE_SECRETS if options.certificates and pair[0] in scope.namespaces]
    for namespace, name in named[:1]:
        path = "%s/%s" % (kind.path(namespace), quote(name))
        yield Ask("certificates", "Secrets by name", path, (("includeObject", "None"),), TABLE, "+secrets")


def _log_asks(session: Session, pods: List[Dict[str, Any]]) -> Iterator[Ask]:
    metadata = [pod["metadata"] for pod in pods if session.options.logs]
    for pod in [pod for pod in metadata if not session.filter.namespace(pod["namespace"])][:1]:
        path = "/api/v1/namespaces/%s/pods/%s/log" % (quote(pod["namespace"]), quote(pod["name"]))
        yield Ask("logs", "of pods", path, (("tailLines", "1"), ("limitBytes", "1")), "*/*")


def _sort(place: str) -> str:
    return "list in namespace " + place if place else _EVERYWHERE


def _rank(name: str) -> Tuple[int, str]:
    return ([plural for _, plural in _BUILT_IN] + [name]).index(name), name


def _try(client: Client, ask: Ask, pods: List[Dict[str, Any]]) -> List[Missing]:
    """Read, and return what this shows to be missing. Keep pods that are seen, and tell the client of lists that are refused."""
    try:
        answer = client.get("%s?%s" % (ask.path, urlencode(ask.parameters)), Tally(), ask.accept)
        if ask.path.endswith("/pods"):
            pods.extend(json.loads(answer.body.decode("utf-8", "replace")).get("items") or [])
    except ApiError as error:
        if error.code == 403 and ask.sort.startswith("list"):
            client.refused[ask.path] = error
        if error.status == "forbidden" or (error.status != "not_found" and ask.sort != "logs"):
            return [Missing(ask.tier, ask.sort, error.status, ask.name)]
    except (ValueError, AttributeError, RecursionError):
        pass                    # an odd answer is for the list itself to tell
    return []
