"""What is read of Secrets: names as a table, Helm's labels as metadata, and whole the few with public certificates."""

from functools import partial
from typing import List

from . import layout, plan
from .certificates import can_be, public_part, wanted
from .client import METADATA, TABLE, Tally
from .filters import text_of
from .lists import NOT_ASKED, Scope, Seen, clean_labels
from .steps import Label, Outcome, Session, Task

_TLS = ("kubernetes.io/tls", "")        # "" is a table without this column


def read_secret_names(session: Session, scope: Scope, seen: Seen) -> None:
    """Read the Secrets of each namespace as a table, and the labels of Helm's release Secrets."""
    whole = Label("secrets", "GET secrets", "cluster", "Secret", "", "v1")
    why = session.filter.kind(plan.SECRET) or ("" if session.options.secrets else "--no-secrets")
    if why:
        session.skip(whole, "skipped", why)
        return
    session.part("Reading the names of Secrets")
    unwanted = session.filter.folder(layout.SECRETS)
    if unwanted or not scope.whole:
        session.skip(whole, "skipped", unwanted or session.restriction())
    elif not scope.listed:
        step = next(step for step in session.writer.steps if step.id == "list:core/v1/namespaces")
        if step.message.startswith(layout.LEFT_OUT):
            step = step._replace(status="skipped")      # each of the others answers for itself
        elif step.status not in ("skipped", "truncated"):
            step = step._replace(message="namespaces cannot be listed: Secrets are read of the known ones only")
        session.skip(whole, step.status, step.message)
    tasks: List[Task] = [partial(_read_helm, session, scope, seen)]
    for namespace in [] if unwanted else scope.namespaces:
        request = "GET %s as Table, includeObject=None" % plan.SECRET.path(namespace)
        label = Label("secrets@" + namespace, request, "namespace", "Secret", "", "v1", namespace)
        why = NOT_ASKED % session.limits.refusals if namespace in seen.shut else ""
        tasks.append(partial(session.do_unless, why, label, partial(_names, session, seen, label)))
    session.parallel(tasks, session.limits.list_workers)


def _names(session: Session, seen: Seen, label: Label, tally: Tally) -> Outcome:
    """Read name, type, key count, age. With includeObject=None nothing else crosses the wire (seen on 1.20 and 1.36)."""
    referenced = {(reference.namespace, reference.secret) for reference in seen.references}
    columns, note = [], ""  # type: List[str], str
    path, no_objects = plan.SECRET.path(label.namespace), (("includeObject", "None"),)
    for page in session.client.pages(path, tally, accept=TABLE, parameters=no_objects, kind="Table"):
        columns = [str(column.get("name", "")).lower() for column in page.document.get("columnDefinitions") or []] or columns
        note = page.note
        for row in page.items:
            try:
                cells = dict(zip(columns, [] + row["cells"]))  # noqa: B905 - 3.6 has no strict
                cells["name"].encode("utf-8")
            except (AttributeError, KeyError, TypeError, ValueError):
                tally.lost += 1     # it costs itself, and no other
                continue
            session.writer.add_row(layout.SECRETS, {
                "namespace": label.namespace, "name": cells["name"], "type": str(cells.get("type", "")),
                "keys": cells.get("data"), "age": str(cells.get("age", ""))}, label.id)
            if cells.get("type", "") not in _TLS and (label.namespace, cells["name"]) in referenced:
                seen.other_secrets.add((label.namespace, cells["name"]))
            tally.objects += 1
    if tally.lost:
        return "truncated", "%d rows were of an odd shape, and were left out" % tally.lost
    return ("ok" if tally.objects else "empty", note) if note else None


def _read_helm(session: Session, scope: Scope, seen: Seen) -> None:
    unwanted = session.filter.folder(layout.HELM)
    if unwanted:
        session.skip(_helm_label(""), "skipped", unwanted)
    elif not scope.whole or _helm(session, "") == "forbidden":
        for namespace in [namespace for namespace in scope.namespaces if namespace not in seen.shut]:
            _helm(session, namespace)


def _helm_label(namespace: str) -> Label:
    request = "GET %s?labelSelector=owner=helm as PartialObjectMetadataList" % plan.SECRET.path(namespace)
    step, scope = ("helm@" + namespace, "namespace") if namespace else ("helm", "cluster")
    return Label(step, request, scope, namespace=namespace)


def _helm(session: Session, namespace: str) -> str:
    """Read the labels of one namespace or of the whole cluster; return how that ended."""
    return session.do(_helm_label(namespace), partial(_helm_rows, session, _helm_label(namespace))).status


def _helm_rows(session: Session, label: Label, tally: Tally) -> Outcome:
    """Read the metadata of release Secrets: never the payload, and of the metadata the labels alone are kept."""
    path, kind = plan.SECRET.path(label.namespace), "PartialObjectMetadataList"
    for page in session.client.pages(path, tally, accept=METADATA, parameters=plan.HELM_SELECTOR, kind=kind):
        for value in session.filter.keep(plan.SECRET, page.items, tally):
            name, labels = text_of(value, "name"), (value.get("metadata") or {}).get("labels") or {}
            if name.startswith(plan.HELM_PREFIX):
                own = clean_labels({key: labels[key] for key in plan.HELM_LABELS if key in labels})
                session.writer.add_row(layout.HELM, {"namespace": text_of(value, "namespace"), "name": name, "labels": own},
                                       label.id)
                tally.objects += 1
    return ("truncated", session.filter.namespaces()) if tally.left_out else None


def read_certificates(session: Session, scope: Scope, seen: Seen) -> None:
    """Read the Secrets of the plan, and those that Ingresses and Gateways name, whole; keep their public certificates."""
    option = "--no-secrets" if not session.options.secrets else "" if session.options.certificates else "--no-certificates"
    unwanted = session.filter.kind(plan.SECRET) or session.filter.folder(layout.CERTIFICATES) or option
    if unwanted:
        session.skip(Label("certificates", "GET secrets by name", "cluster"), "skipped", unwanted)
        return
    session.part("Reading certificates")
    tasks: List[Task] = []
    all_known = scope.listed and ("list:core/v1/namespaces", "ok") in {(step.id, step.status) for step in session.writer.steps}
    for namespace, name, by in wanted(seen.references, session.limits.referenced_certificates):
        path = "%s/%s" % (plan.SECRET.path(namespace), name)
        label = Label("certificate:%s/%s" % (namespace, name), "GET " + path, "namespace", namespace=namespace)
        unwanted = session.filter.namespace(namespace)
        if not can_be(namespace, name):
            session.skip(label, "error", "no Secret can have this name")
        elif unwanted or (not scope.whole and namespace not in scope.namespaces):
            session.skip(label, "skipped", unwanted or session.restriction())
        elif all_known and namespace not in scope.namespaces:
            session.skip(label, "not_found", "there is no namespace %s" % namespace)   # a Role could not be there either
        elif (namespace, name) in seen.other_secrets and (namespace, name) not in plan.CERTIFICATE_SECRETS:
            session.skip(label, "skipped", "its type is not %s: it is not read whole" % _TLS[0])
        else:
            tasks.append(partial(session.do, label, partial(_read_certificate, session, path, by, label)))
    session.parallel(tasks, session.limits.list_workers)


def _read_certificate(session: Session, path: str, by: List[str], label: Label, tally: Tally) -> None:
    document, answer = session.client.get_json(path, tally)
    tally.bytes, tally.objects = len(answer.body), 1
    session.writer.add_row(layout.CERTIFICATES, public_part(document, by), label.id)
