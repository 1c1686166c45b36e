"""Lists of objects: which are read where, and what later steps need of them."""

import hashlib
import hmac
import os
from functools import partial
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from . import layout, plan
from .certificates import Reference, references
from .client import Tally, Written
from .filters import text_of
from .gpu_signs import GpuNode, note_gpus
from .logs import LogPod, log_pod
from .redact import CannotRedactError, redact_object
from .steps import Label, Outcome, Session, list_label
from .trim import trim_crd
from .writer import Step, line

Object = Dict[str, Any]
SHARE = 0.25                    # of what is left to all lists: what one may take before the others have had their turn
NOT_ASKED = "not asked: %d other kinds of this namespace were refused"


class Seen(NamedTuple):
    """What the lists showed and later steps need; grows while they are read. Small rows only, never whole objects."""

    namespaces: List[str]
    gpu: Dict[str, GpuNode]
    nvidia: Set[str]                # namespaces in which a pod is NVIDIA's, when its containers are called so
    log_pods: List[LogPod]
    references: Set[Reference]
    other_secrets: Set[Tuple[str, str]]     # (namespace, name) of the referenced that are of no certificate's type
    notes: Set[Tuple[str, str]]     # with --probe: addresses in the objects of Run:ai
    shut: Set[str]                  # namespaces in which all that was asked was refused, and the rest then not asked


class Scope(NamedTuple):
    """Where namespaced kinds are read: in the whole cluster first, and where that is refused in ``namespaces``."""

    whole: bool                     # not when -n restricts
    listed: bool                    # whether these namespaces are known to be all there are
    namespaces: List[str]
    named: Tuple[str, ...]          # by a person: with -n, or as the context's own


class NothingToReadError(Exception):
    """No namespace that -n names is there. The text is for the person who ran the collector."""


class Lists:
    """Reads the lists of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._key = os.urandom(32)      # of this bundle alone, never stored: equal values cannot be told across bundles
        self._odd: Dict[str, List[str]] = {}        # by step: the names of the first objects that were not kept
        self.seen = Seen([], {}, set(plan.SMI_NAMESPACES), [], set(), set(), set(), set())

    def scope(self, targets: List[plan.Target], context_namespace: str) -> Scope:
        """Read the namespaces, and decide from them where namespaced kinds are read."""
        kind = next(target.kind for target in targets if target.kind.plural == "namespaces" and not target.kind.group)
        filters = self.session.filter
        if self.session.options.namespaces:
            from .one_by_one import named_scope
            return named_scope(self, kind)
        own = context_namespace or "default"
        step = self._list(kind, "")
        if step.status in ("ok", "empty") or (filters.namespaces() and step.message == filters.namespaces()):
            self.tell_absent(["there is no namespace %s, which %s names" % (pattern, option)
                               for option, pattern in filters.unmatched("namespace")])
        if step.status in ("ok", "empty", "truncated"):
            return Scope(True, step.status != "truncated" or not filters.namespaces(), sorted(self.seen.namespaces), (own,))
        from .one_by_one import try_namespaces
        known = (own,) + tuple([name for name in plan.KNOWN_NAMESPACES if name != own])
        there = try_namespaces(self, kind, tuple([name for name in known if not filters.namespace(name)]))
        return Scope(True, False, there, (own,))

    def everything(self, targets: List[plan.Target], scope: Scope) -> None:
        """Read every kind but the namespaces, some at a time; the pages of one kind one after the other."""
        kinds = []  # type: List[plan.Kind]
        for target in targets:
            unwanted = self.session.filter.list(target.kind)
            if target.absent or unwanted:
                status = "skipped" if not target.absent else "not_found" if target.certain else "error"
                self.session.skip(list_label(target.kind, ""), status, target.absent or unwanted)
            elif (target.kind.group, target.kind.plural) != ("", "namespaces"):
                kinds.append(target.kind)
        wide = [kind for kind in kinds if scope.whole or not kind.namespaced]
        early = [(kind, "") for kind in wide if (kind.group, kind.kind) in plan.OPERATOR_KINDS]    # whose pods are NVIDIA's
        refused = self.read_all(early) | self.read_all([(kind, "") for kind in wide if (kind, "") not in early] + self._leases())
        namespaced = [kind for kind in kinds if kind.namespaced]
        for kind in [] if scope.whole else namespaced:
            self.session.skip(list_label(kind, ""), "skipped", self.session.restriction())
        left = [kind for kind in namespaced if (kind, "") in refused or not scope.whole]
        if left:
            from .one_by_one import read_one_by_one
            read_one_by_one(self, left, scope, left == namespaced)
        self.session.resume()

    def _leases(self) -> List[Tuple[plan.Kind, str]]:
        kind, namespace = plan.NODE_LEASES, plan.NODE_LEASE_NAMESPACE
        why = self.session.filter.list(kind) or self.session.filter.namespace(namespace)
        if why:
            self.session.skip(list_label(kind, namespace), "skipped", why)
        return [] if why else [(kind, namespace)]

    def read_all(self, wanted: List[Tuple[plan.Kind, str]]) -> Set[Tuple[plan.Kind, str]]:
        """Read lists, some at a time; return those that were refused."""
        refused = set()  # type: Set[Tuple[plan.Kind, str]]

        def task(kind: plan.Kind, namespace: str) -> None:
            if self._list(kind, namespace).status == "forbidden":
                refused.add((kind, namespace))
        self.session.parallel([partial(task, *pair) for pair in wanted], self.session.limits.list_workers)
        return refused

    def tell_absent(self, absent: List[str]) -> None:
        """Keep which namespaces that a person named do not exist."""
        if absent:
            self.session.skip(Label("named-namespaces", "", "cluster"), "error", "; ".join(absent))

    def _list(self, kind: plan.Kind, namespace: str) -> Step:
        label = list_label(kind, namespace)
        return self.session.do(label, lambda tally: self._pages(kind, namespace, tally, label.id), SHARE)

    def _pages(self, kind: plan.Kind, namespace: str, tally: Tally, step_id: str) -> Outcome:
        note = ""
        for page in self.session.client.pages(kind.path(namespace), tally, kind.page, kind=kind.kind + "List"):
            kept = self.session.filter.keep(kind, page.items, tally)
            self.write(kind, kept, tally, step_id, page.written)
            note = page.note
            del page, kept      # before the next one is here
        return self.lacking(tally, step_id) or (("ok" if tally.objects else "empty", note) if note else None)

    def write(self, kind: plan.Kind, values: List[Object], tally: Tally, step_id: str, written: Optional[Written] = None) -> None:
        """Note, redact and write objects of one kind; lost are those of an odd shape, or that could not be redacted."""
        lines, hidden, lost = [], [], 0  # type: List[str], List[Object], int
        for value in values:
            try:
                kept, found = self._take(kind, value, step_id, written)
                lines.append(kept)
                hidden.extend(found)
            except (CannotRedactError, AttributeError, KeyError, TypeError, ValueError):
                lost += 1       # it costs itself, and no other
                self._odd[step_id] = (self._odd.get(step_id, []) + [name_of(kind, value)])[:layout.ODD_SHOWN]
        tally.lost += lost
        folder = layout.resource_folder(kind.group, kind.version, kind.plural)
        member = self.session.writer.add_page(folder, lines, step_id)
        for row in hidden:
            self.session.writer.add_row(layout.REDACTIONS, dict(row, member=member))
        if not all(map(self.session.filter.folder, [folder] + [layout.CONFIGMAPS] * (kind.plural == "configmaps"))):
            tally.objects += len(values) - lost     # what only later steps need is not in the bundle

    def lacking(self, tally: Tally, step_id: str) -> Outcome:
        """Return what a list lacks because of its objects, or of what was left out."""
        if tally.lost:
            return "truncated", "%d %s%s" % (tally.lost, layout.ODD, ", ".join(self._odd[step_id]))
        return ("truncated", self.session.filter.namespaces()) if tally.left_out else None

    def _take(self, kind: plan.Kind, value: Object, step_id: str, written: Optional[Written]) -> Tuple[str, List[Object]]:
        """Note and redact one object; return its line, "" when its data stay out, and a row for all that was hidden in it.
        Raises ValueError and others when it is no object of this kind."""
        value.setdefault("apiVersion", "%s/%s" % (kind.group, kind.version) if kind.group else kind.version)
        names = [value["metadata"]["name"], value["metadata"].get("namespace") or "x"]
        if value.setdefault("kind", kind.kind) != kind.kind or not all(name.encode("utf-8") for name in names):
            raise ValueError("no %s with a name" % kind.kind)
        with self.session.lock:
            self._note(kind, value)
        if kind.plural == "configmaps" and not kind.group:
            self.session.writer.add_row(layout.CONFIGMAPS, self._configmap_row(value), step_id)
            if not plan.configmap_with_data(value["metadata"].get("namespace", ""), value["metadata"]["name"],
                                            self.session.options.extra.configmaps):
                return "", []
        plain = written(value) if written else ""
        if plain:
            return plain, []
        name = name_of(kind, value)
        value, found = redact_object(trim_crd(value) if kind.plural == "customresourcedefinitions" else value)
        return line(value), [dict(entry._asdict(), object=name) for entry in found]

    def _note(self, kind: plan.Kind, value: Object) -> None:
        """Keep of an object what later steps need."""
        if self.session.options.probe:
            from .endpoints import notes
            self.seen.notes.update(notes(value))
        own = text_of(value, "namespace") in self.seen.nvidia
        note_gpus(kind, value, self.seen.gpu, self.session.options, own)
        if kind.group:
            if kind.kind in ("Ingress", "Gateway"):
                self.seen.references.update(references(value))
            if (kind.group, kind.kind) in plan.OPERATOR_KINDS and not kind.namespaced:
                self.seen.nvidia.add(str((value.get("status") or {}).get("namespace", "")))
        elif kind.plural == "namespaces":
            self.seen.namespaces.append(value["metadata"]["name"])
        elif kind.plural == "pods":
            pod = log_pod(value, self.session.options.extra.logs, own)
            if pod.important or not pod.healthy:
                self.seen.log_pods.append(pod)

    def _configmap_row(self, value: Object) -> Object:
        metadata = value["metadata"]
        row = {"namespace": metadata.get("namespace", ""), "name": metadata["name"], "keys": {}}  # type: Object
        content = dict(value.get("binaryData") or {}, **(value.get("data") or {}))
        for key in content:
            data = str(content[key]).encode("utf-8", "surrogatepass")
            row["keys"][key] = {"size": len(data), "digest": hmac.new(self._key, data, hashlib.sha256).hexdigest()[:32]}
        if metadata.get("labels"):
            row["labels"] = clean_labels(metadata["labels"])
        return row


def clean_labels(labels: Dict[str, str]) -> Dict[str, str]:
    """Return labels with what looks like a secret hidden."""
    return dict(redact_object({"labels": dict(labels)})[0]["labels"])


def name_of(kind: plan.Kind, value: Any) -> str:
    """Return how an object, which may be none, is called in redactions/ and messages: "Pod runai/x"."""
    names = [text_of(value, field)[:253] for field in ("namespace", "name")]
    return "%s %s" % (kind.kind, "/".join([name for name in names if name]) or "without a name")
