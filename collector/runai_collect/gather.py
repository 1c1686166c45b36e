"""The straight line of a collection: read → redact → write, step by step. A failed step is an entry of the manifest, never an exception."""

import hashlib
import hmac
import os
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple
from urllib.parse import quote

from . import layout, plan
from .certificates import Reference, public_part, references, wanted
from .client import DISCOVERY, METADATA, TABLE, ApiError, Client, Stop, Stopped, Tally
from .discovery import Discovered, read_discovery
from .logs import LogPod, Tail, choose_pods, clean_log, log_pod
from .nvidia import Candidate, ask_node, candidates, is_gpu_node
from .redact import CannotRedact, redact_object
from .redact_text import redact_text
from .trim import trim_crd
from .writer import BundleWriter, Closed, Step

Progress = Callable[[str], None]
Exec = Callable[[str, str, str, Tuple[str, ...]], Any]


class Seen(NamedTuple):
    """What the lists showed and later steps need; grows while they are read. Small rows only, never whole objects."""

    namespaces: List[str]
    gpu_nodes: Set[str]
    smi: Dict[str, List[Candidate]]
    log_pods: List[LogPod]
    references: Set[Reference]


class Scope(NamedTuple):
    """Where namespaced kinds are read: the whole cluster first, then in ``namespaces``; ``whole`` is False when -n restricts."""

    whole: bool
    namespaces: List[str]


class Gather:
    """One collection. ``run`` reads everything; what it could not read stands in the writer's steps."""

    def __init__(self, client: Client, kubectl_exec: Exec, writer: BundleWriter, options: plan.Options, stop: Stop, progress: Progress) -> None:
        self._client = client
        self._exec = kubectl_exec
        self._writer = writer
        self._options = options
        self._limits = options.limits
        self._stop = stop
        self._progress = progress
        self._key = os.urandom(32)      # of this bundle alone, never stored: equal values cannot be told across bundles
        self._lock = threading.Lock()
        self.seen = Seen([], set(), {}, [], set())
        self._refused: Set[str] = set()
        self._log_bytes = 0
        self._left = 0

    def run(self, context_namespace: str) -> None:
        """Read the cluster: cheap and important things first, logs last."""
        self._health()
        discovered = self._discovery()
        targets = plan.targets(discovered.served, discovered.stale, discovered.complete)
        scope = self._scope(targets, context_namespace)
        self._lists(targets, scope)
        self._parallel([lambda: self._secrets(scope), lambda: self._certificates(scope)], 2)
        self._nvidia()
        self._logs()

    def _health(self) -> None:
        for name, member in (("livez", layout.LIVEZ), ("readyz", layout.READYZ)):
            self._step(name, "GET /%s?verbose" % name, "cluster", lambda tally, name=name, member=member: self._health_text(name, member, tally))

    def _health_text(self, name: str, member: str, tally: Tally) -> Optional[Tuple[str, str]]:
        failed = ""
        try:
            body = self._client.get("/%s?verbose" % name, tally, "text/plain, */*").body
        except ApiError as error:
            if error.code != 500 or not error.body:
                raise
            body, failed = error.body, "the API server reports a failed check"
        text, found = redact_text(body[:1 << 20].decode("utf-8", "backslashreplace"))
        self._write_text(member, text, found, name)
        tally.objects, tally.bytes = 1, len(body)
        return ("ok", failed) if failed else None

    def _discovery(self) -> Discovered:
        result = [Discovered(None, frozenset(), False, [])]

        def read(tally: Tally) -> Optional[Tuple[str, str]]:
            result[0] = found = read_discovery(lambda path: self._client.get_json(path, tally, DISCOVERY)[0])
            tally.objects = len(found.groups)
            self._writer.add_json(layout.DISCOVERY, {"complete": found.complete, "groups": found.groups}, "discovery")
            return None if found.complete else ("truncated", "some API groups did not answer: " + ", ".join(sorted(found.stale)))
        self._step("discovery", "GET /api, /apis", "cluster", read)
        return result[0]

    def _scope(self, targets: List[plan.Target], context_namespace: str) -> Scope:
        """Read the namespaces, and decide from them where namespaced kinds are read."""
        kind = [target.kind for target in targets if target.kind.plural == "namespaces" and not target.kind.group][0]
        if self._options.namespaces:
            self._skip_whole(kind)
            return Scope(False, self._try_namespaces(kind, self._options.namespaces))
        if self._list(kind, "").status in ("ok", "empty", "truncated"):
            return Scope(True, sorted(self.seen.namespaces))
        names = [context_namespace or "default"] + [name for name in plan.KNOWN_NAMESPACES if name != context_namespace]
        return Scope(True, self._try_namespaces(kind, tuple(names)))

    def _try_namespaces(self, kind: plan.Kind, names: Tuple[str, ...]) -> List[str]:
        """Read namespaces one by one; return those that are there, or may be."""
        there = []
        for name in names:
            path = "/api/v1/namespaces/" + quote(name)
            step_id = "list:core/v1/namespaces@" + name
            step = self._step(step_id, "GET " + path, "namespace", lambda tally, path=path, name=name, step_id=step_id: self._one_object(kind, path, tally, step_id),
                              kind="Namespace", version="v1", namespace=name)
            if step.status != "not_found":
                there.append(name)
        return there

    def _one_object(self, kind: plan.Kind, path: str, tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        document, answer = self._client.get_json(path, tally)
        tally.bytes += len(answer.body)
        return self._write_objects(kind, [document], tally, step_id)

    def _lists(self, targets: List[plan.Target], scope: Scope) -> None:
        tasks = []  # type: List[Callable[[], object]]
        for target in targets:
            kind = target.kind
            if kind.plural == "namespaces" and not kind.group:
                continue
            if target.absent:
                self._writer.add_step(_step_of(kind, "", "not_found" if target.certain else "error", target.absent))
                continue
            tasks.append(lambda kind=kind: self._list_everywhere(kind, scope))  # type: ignore[misc]
        tasks.append(lambda: self._list(plan.NODE_LEASES, plan.NODE_LEASE_NAMESPACE))
        self._parallel(tasks, self._limits.list_workers)

    def _list_everywhere(self, kind: plan.Kind, scope: Scope) -> None:
        if kind.namespaced and not scope.whole:
            self._skip_whole(kind)
        elif self._list(kind, "").status != "forbidden" or not kind.namespaced:
            return
        for namespace in scope.namespaces:
            self._list(kind, namespace)

    def _skip_whole(self, kind: plan.Kind) -> None:
        self._writer.add_step(_step_of(kind, "", "skipped", "restricted to namespaces " + ", ".join(self._options.namespaces)))

    def _list(self, kind: plan.Kind, namespace: str) -> Step:
        path = list_path(kind, namespace)
        step_id = list_id(kind, namespace)
        return self._step(step_id, "GET " + path, "namespace" if namespace else "cluster", lambda tally: self._list_pages(kind, path, tally, step_id),
                          kind=kind.kind, group=kind.group, version=kind.version, namespace=namespace)

    def _list_pages(self, kind: plan.Kind, path: str, tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        notes, lost = [], ""  # type: List[str], str
        for page in self._client.pages(path, tally, kind.page):
            for value in page.items:
                value.setdefault("apiVersion", "%s/%s" % (kind.group, kind.version) if kind.group else kind.version)
                value.setdefault("kind", kind.kind)
            problem = self._write_objects(kind, page.items, tally, step_id)
            lost = problem[1] if problem else lost
            notes.extend(note for note in (page.note, problem[1] if problem else "") if note and note not in notes)
        status = "truncated" if lost else "ok" if tally.objects else "empty"
        return (status, "; ".join(notes)) if notes else None

    def _write_objects(self, kind: plan.Kind, values: List[Dict[str, Any]], tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        """Note, redact and write objects of one kind; what cannot be redacted is left out, and said."""
        self._note(kind, values)
        if kind.plural == "configmaps" and not kind.group:
            values = self._configmap_rows(values, step_id)
        clean, hidden, lost = [], [], 0  # type: ignore[var-annotated]
        for value in values:
            name = _name_of(value)
            try:
                if kind.plural == "customresourcedefinitions":
                    value = trim_crd(value)
                value, found = redact_object(value)
            except CannotRedact:
                lost += 1
                continue
            clean.append(value)
            hidden.extend([(name, entry) for entry in found])
        tally.objects += len(clean)
        member = self._writer.add_page(layout.resource_folder(kind.group, kind.version, kind.plural), clean, step_id)
        for name, entry in hidden:
            self._writer.add_row(layout.REDACTIONS, {"member": member, "object": name, "where": entry.where, "rule": entry.rule})
        return ("truncated", "%d objects could not be redacted and were left out" % lost) if lost else None

    def _note(self, kind: plan.Kind, values: List[Dict[str, Any]]) -> None:
        """Keep of a page what later steps need."""
        with self._lock:
            for value in values:
                if kind.plural == "namespaces":
                    self.seen.namespaces.append(value["metadata"]["name"])
                elif kind.plural == "nodes" and is_gpu_node(value):
                    self.seen.gpu_nodes.add(value["metadata"]["name"])
                elif kind.plural == "pods":
                    self._note_pod(value)
                elif kind.kind in ("Ingress", "Gateway"):
                    self.seen.references.update(references(value))

    def _note_pod(self, pod: Dict[str, Any]) -> None:
        for found in candidates(pod):
            self.seen.smi.setdefault(found.node, []).append(found)
        wanted_logs = log_pod(pod)
        if wanted_logs.important or not wanted_logs.healthy:
            self.seen.log_pods.append(wanted_logs)

    def _configmap_rows(self, values: List[Dict[str, Any]], step_id: str) -> List[Dict[str, Any]]:
        """Write a row for each ConfigMap and return those that are kept with their data."""
        kept = []
        for value in values:
            metadata = value.get("metadata") or {}
            namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
            content = dict(value.get("binaryData") or {}, **(value.get("data") or {}))
            row = {"namespace": namespace, "name": name, "keys": {key: self._digest(str(content[key])) for key in content}}  # type: Dict[str, Any]
            if metadata.get("labels"):
                row["labels"] = redact_object({"labels": dict(metadata["labels"])})[0]["labels"]
            self._writer.add_row(layout.CONFIGMAPS, row, step_id)
            if plan.configmap_with_data(namespace, name):
                kept.append(value)
        return kept

    def _digest(self, value: str) -> Dict[str, object]:
        data = value.encode("utf-8", "surrogatepass")
        return {"size": len(data), "digest": hmac.new(self._key, data, hashlib.sha256).hexdigest()[:32]}

    def _secrets(self, scope: Scope) -> None:
        if not self._options.secrets:
            self._writer.add_step(Step("secrets", "GET secrets", "cluster", "skipped", message="--no-secrets", kind="Secret", version="v1"))
            return
        if not self.seen.namespaces and scope.whole:
            self._writer.add_step(Step("secrets", "GET secrets", "cluster", "forbidden", message="namespaces cannot be listed", kind="Secret", version="v1"))
        elif not scope.whole:
            self._writer.add_step(Step("secrets", "GET secrets", "cluster", "skipped", message="restricted by -n", kind="Secret", version="v1"))
        tasks = [lambda: self._helm(scope)]  # type: List[Callable[[], object]]
        for namespace in scope.namespaces:
            path = "/api/v1/namespaces/%s/secrets" % quote(namespace)
            tasks.append(lambda path=path, namespace=namespace: self._step(  # type: ignore[misc]
                "secrets@" + namespace, "GET %s as Table, includeObject=None" % path, "namespace",
                lambda tally: self._secret_rows(path, namespace, tally), kind="Secret", version="v1", namespace=namespace))
        self._parallel(tasks, self._limits.list_workers)

    def _secret_rows(self, path: str, namespace: str, tally: Tally) -> Optional[Tuple[str, str]]:
        """Read name, type, key count and age. With includeObject=None nothing else of a Secret crosses the wire."""
        columns = []  # type: List[str]
        for page in self._client.pages(path, tally, accept=TABLE, parameters=(("includeObject", "None"),)):
            if page.document.get("kind") != "Table":
                raise ApiError("error", "the server did not answer with a table")
            columns = [str(column.get("name", "")).lower() for column in page.document.get("columnDefinitions") or []] or columns
            for row in page.items:
                cells = dict(zip(columns, row.get("cells") or []))
                self._writer.add_row(layout.SECRETS, {"namespace": namespace, "name": str(cells.get("name", "")), "type": str(cells.get("type", "")),
                                                      "keys": cells.get("data"), "age": str(cells.get("age", ""))}, "secrets@" + namespace)
                tally.objects += 1
        return None

    def _helm(self, scope: Scope) -> None:
        """Read the labels of Helm's release Secrets, as metadata: never the payload."""
        whole = self._step("helm", "GET /api/v1/secrets?labelSelector=owner=helm as PartialObjectMetadataList", "cluster",
                           lambda tally: self._helm_rows("/api/v1/secrets", tally)) if scope.whole else None
        if whole is None or whole.status == "forbidden":
            for namespace in scope.namespaces:
                path = "/api/v1/namespaces/%s/secrets" % quote(namespace)
                self._step("helm@" + namespace, "GET %s?labelSelector=owner=helm as PartialObjectMetadataList" % path, "namespace",
                           lambda tally, path=path: self._helm_rows(path, tally), namespace=namespace)  # type: ignore[misc]

    def _helm_rows(self, path: str, tally: Tally) -> Optional[Tuple[str, str]]:
        for page in self._client.pages(path, tally, accept=METADATA, parameters=(("labelSelector", "owner=helm"),)):
            if page.document.get("kind") != "PartialObjectMetadataList":
                raise ApiError("error", "the server did not answer with metadata alone")
            for value in page.items:
                metadata = value.get("metadata") or {}
                labels = redact_object({"labels": metadata.get("labels") or {}})[0]["labels"]
                self._writer.add_row(layout.HELM, {"namespace": metadata.get("namespace", ""), "name": metadata.get("name", ""), "labels": labels}, "helm")
                tally.objects += 1
        return None

    def _certificates(self, scope: Scope) -> None:
        if not self._options.secrets or not self._options.certificates:
            option = "--no-certificates" if self._options.secrets else "--no-secrets"
            self._writer.add_step(Step("certificates", "GET secrets by name", "cluster", "skipped", message=option))
            return
        for namespace, name, by in wanted(self.seen.references, self._limits.referenced_certificates):
            step_id, path = "certificate:%s/%s" % (namespace, name), "/api/v1/namespaces/%s/secrets/%s" % (quote(namespace), quote(name))
            if not scope.whole and namespace not in scope.namespaces:
                self._writer.add_step(Step(step_id, "GET " + path, "namespace", "skipped", message="restricted by -n", namespace=namespace))
                continue
            self._step(step_id, "GET " + path, "namespace", lambda tally, path=path, by=by, step_id=step_id: self._certificate(path, by, tally, step_id),  # type: ignore[misc]
                       namespace=namespace)

    def _certificate(self, path: str, by: List[str], tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        document, answer = self._client.get_json(path, tally)
        tally.bytes, tally.objects = len(answer.body), 1
        self._writer.add_row(layout.CERTIFICATES, public_part(document, by), step_id)
        return None

    def _nvidia(self) -> None:
        nodes = sorted(self.seen.gpu_nodes | set(self.seen.smi))
        self._parallel([lambda node=node: self._ask(node) for node in nodes], self._limits.exec_workers)  # type: ignore[misc]

    def _ask(self, node: str) -> None:
        step_id, request = "nvidia-smi:" + node, "exec nvidia-smi -q -x"
        if not self._options.exec_:
            self._writer.add_step(Step(step_id, request, "node", "skipped", message="--no-exec"))
            return
        self._step(step_id, request, "node", lambda tally: self._ask_node(node, tally, step_id))

    def _ask_node(self, node: str, tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        answer = ask_node(self.seen.smi.get(node, []), self._exec, self._refused)
        source = redact_object(answer.source(node))[0]
        self._writer.add_json(layout.node_member(node, layout.NODE_SOURCE), source, step_id)
        for name in sorted(answer.outputs):
            data = answer.outputs[name]
            tally.bytes += len(data)
            text, found = redact_text(data.decode("utf-8", "backslashreplace"))
            self._write_text(layout.node_member(node, name), text, found, step_id)
        if answer.answered_by is None:
            return _no_answer([attempt.status for attempt in answer.attempts], answer.attempts[-1].stderr if answer.attempts else "")
        tally.objects = 1
        best = answer.attempts[answer.answered_by]
        return ("ok", "nvidia-smi ended with exit code %d" % best.exit_code) if best.exit_code else None

    def _logs(self) -> None:
        if not self._options.logs:
            self._writer.add_step(Step("logs", "GET pods/log", "cluster", "skipped", message="--no-logs"))
            return
        chosen = choose_pods(self.seen.log_pods, self._limits)
        for namespace in sorted(chosen.left_out):
            message = "%d pods of workloads whose other pods are read, or beyond the limit, were left out" % chosen.left_out[namespace]
            self._writer.add_step(Step("logs@" + namespace, "GET pods/log", "namespace", "skipped", message=message, namespace=namespace))
        tasks = []  # type: List[Callable[[], object]]
        for pod in chosen.pods:
            for container, before in pod.containers:
                for previous in (False, True) if before else (False,):
                    tasks.append(lambda pod=pod, container=container, previous=previous: self._log(pod, container, previous))  # type: ignore[misc]
        self._parallel(tasks, self._limits.list_workers)

    def _log(self, pod: LogPod, container: str, previous: bool) -> None:
        step_id = "log:%s/%s/%s" % (pod.namespace, pod.name, container) + (":previous" if previous else "")
        path = "/api/v1/namespaces/%s/pods/%s/log?container=%s&tailLines=%d&timestamps=true%s" % (
            quote(pod.namespace), quote(pod.name), quote(container), self._limits.log_lines, "&previous=true" if previous else "")
        if self._log_bytes >= self._limits.log_total:
            self._writer.add_step(Step(step_id, "GET " + path, "namespace", "skipped", message="the limit of all logs was reached", namespace=pod.namespace))
            return
        member = layout.log_member(pod.namespace, pod.name, container, previous)
        self._step(step_id, "GET " + path, "namespace", lambda tally: self._log_tail(path, member, tally, step_id), namespace=pod.namespace)

    def _log_tail(self, path: str, member: str, tally: Tally, step_id: str) -> Optional[Tuple[str, str]]:
        tail = Tail(self._limits.log_bytes)
        try:
            for part in self._client.stream(path, tally, self._limits.log_read):
                tail.add(part)
        except ApiError as error:
            if error.code == 400:
                return "not_found", error.message
            raise
        text = tail.text()
        cleaned, found, cut = clean_log(text, tail.dropped, self._limits.log_lines, self._limits.log_line)
        if not text:
            return None
        tally.objects = 1
        with self._lock:
            self._log_bytes += len(cleaned)
        self._write_text(member, cleaned, found, step_id)
        return ("ok", "older lines were left out") if cut else None

    def _write_text(self, member: str, text: str, found: List[Tuple[int, str]], step_id: str) -> None:
        self._writer.add(member, text.encode("utf-8", "backslashreplace"), step_id)
        for number, rule in found:
            self._writer.add_row(layout.REDACTIONS, {"member": member, "where": "line %d" % number, "rule": rule})

    def _step(self, step_id: str, request: str, scope: str, work: Callable[[Tally], Optional[Tuple[str, str]]], kind: str = "", group: str = "",
              version: str = "", namespace: str = "") -> Step:
        """Do one step and keep how it ended. ``work`` returns None when all went well, else a status and a message."""
        tally, begin = Tally(), time.monotonic()
        status, code, message = "ok", 200, ""  # type: str, Optional[int], str
        try:
            self._stop.check()
            outcome = work(tally)
            status, message = outcome or ("ok" if tally.objects else "empty", "")
        except Stopped:
            status, code, message = "truncated" if tally.pages or tally.bytes else "skipped", None, self._stop.reason
        except ApiError as error:
            status, code, message = error.status, error.code, error.message
            if tally.pages:
                status, message = "truncated", "after %d pages: %s" % (tally.pages, message)
        except Closed:
            status, code, message = "skipped", None, "the bundle was finished before"
        except OSError:
            raise
        except Exception as error:  # an object of an unforeseen shape costs its own step, and no other
            status, code, message = "error", None, "%s while it was read" % type(error).__name__
        message = redact_text(message)[0]
        step = Step(step_id, request, scope, status, code, message, tally.objects, tally.pages, tally.bytes, time.monotonic() - begin, tally.retries,
                    kind, group, version, namespace)
        self._writer.add_step(step)
        self._progress("%s: %s" % (step_id, _words(step)))
        return step

    def _parallel(self, tasks: List[Callable[[], object]], workers: int) -> None:
        """Do tasks on some threads. Returns early when the run is to end: a thread that hangs in a read is left behind."""
        waiting = list(reversed(tasks))
        failures = []  # type: List[BaseException]

        def work() -> None:
            while True:
                with self._lock:
                    if not waiting or failures:
                        return
                    task = waiting.pop()
                try:
                    task()
                except BaseException as error:  # handed to the thread that waits
                    failures.append(error)
            self._client.close()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(tasks)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                if self._stop.is_set():
                    thread.join(5.0)
                    break
        if failures:
            raise failures[0]


def list_path(kind: plan.Kind, namespace: str) -> str:
    """Return the API path of a list; of one namespace, or of the whole cluster when ``namespace`` is ""."""
    root = "/apis/%s/%s" % (kind.group, kind.version) if kind.group else "/api/" + kind.version
    return "%s/namespaces/%s/%s" % (root, quote(namespace), kind.plural) if namespace else "%s/%s" % (root, kind.plural)


def list_id(kind: plan.Kind, namespace: str) -> str:
    """Return the id of a list's step: ``list:core/v1/pods`` or ``list:core/v1/pods@runai``."""
    return "list:%s/%s/%s%s" % (kind.group or "core", kind.version, kind.plural, "@" + namespace if namespace else "")


def _step_of(kind: plan.Kind, namespace: str, status: str, message: str) -> Step:
    return Step(list_id(kind, namespace), "GET " + list_path(kind, namespace), "namespace" if namespace else "cluster", status, message=message,
                kind=kind.kind, group=kind.group, version=kind.version, namespace=namespace)


def _name_of(value: Dict[str, Any]) -> str:
    metadata = value.get("metadata") or {}
    return "%s %s%s" % (value.get("kind", ""), metadata["namespace"] + "/" if metadata.get("namespace") else "", metadata.get("name", ""))


def _no_answer(statuses: List[str], last: str) -> Tuple[str, str]:
    if not statuses:
        return "not_found", "no running pod on this node has nvidia-smi"
    for status in ("forbidden", "timeout"):
        if status in statuses:
            return status, last[:300]
    return "error", last[:300] or "no container had nvidia-smi"


def _words(step: Step) -> str:
    words = step.status + (", %d objects" % step.objects if step.objects else "")
    return words + (" (%s)" % step.message if step.message and step.status not in ("ok", "empty") else "")
