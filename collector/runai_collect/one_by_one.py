"""Reading namespace by namespace: with -n, and where a list of the whole cluster is refused."""

from functools import partial
from typing import List, Tuple

from . import plan
from .client import ApiError, Tally
from .lists import NOT_ASKED, Lists, NothingToReadError, Scope
from .steps import Label, Outcome, list_label


def named_scope(lists: Lists, kind: plan.Kind) -> Scope:
    """Return the namespaces that -n names, as far as they are there. Raises NothingToReadError when none is."""
    session = lists.session
    chosen = tuple([name for name in session.options.namespaces if not session.filter.namespace(name)])
    session.skip(list_label(kind, ""), "skipped", session.restriction())
    there = try_namespaces(lists, kind, chosen)
    absent = ["there is no namespace " + name for name in chosen if name not in there]
    if absent and not there:
        raise NothingToReadError("; ".join(absent))
    lists.tell_absent(absent)
    return Scope(False, False, there, chosen)


def try_namespaces(lists: Lists, kind: plan.Kind, names: Tuple[str, ...]) -> List[str]:
    """Read namespaces one by one; return those that are there, or may be."""
    there = []
    for name in names:
        label = list_label(kind, name)._replace(request="GET " + plan.NAMESPACE_PATH % plan.quoted(name))
        if lists.session.do(label, partial(_one_namespace, lists, kind, name, label)).status != "not_found":
            there.append(name)
    return there


def _one_namespace(lists: Lists, kind: plan.Kind, name: str, label: Label, tally: Tally) -> Outcome:
    client = lists.session.client
    try:
        document, answer = client.get_json(plan.NAMESPACE_PATH % plan.quoted(name), tally)
    except ApiError as error:
        if error.code != 403 or not lists.session.options.namespaces:
            raise
        document, answer = client.get_json(kind.path() + plan.NAMESPACE_QUERY % plan.quoted(name), tally)   # the right to list
        if not document.get("items"):
            raise ApiError("not_found", "there is no namespace " + name, 404)
        document = document["items"][0]
    tally.bytes += len(answer.body)
    lists.write(kind, [document], tally, label.id)
    return lists.lacking(tally, label.id)


def read_one_by_one(lists: Lists, kinds: List[plan.Kind], scope: Scope, nothing_read: bool) -> None:
    """Read kinds in each namespace. Where ``nothing_read`` anywhere, and the first kinds are refused in a namespace that no
    person named, the others are not asked there: many namespaces and kinds make thousands of requests."""
    most, shut = lists.session.limits.refusals if nothing_read else len(kinds), lists.seen.shut
    first, others = kinds[:most], kinds[most:]
    refused = lists.read_all([(kind, namespace) for kind in first for namespace in scope.namespaces])
    shut.update([namespace for namespace in scope.namespaces if others and namespace not in scope.named
                 and all((kind, namespace) in refused for kind in first)])
    lists.read_all([(kind, namespace) for kind in others for namespace in scope.namespaces if namespace not in shut])
    for kind, namespace in [(kind, namespace) for kind in others for namespace in sorted(shut)]:
        lists.session.skip(list_label(kind, namespace), "skipped", NOT_ASKED % most)
