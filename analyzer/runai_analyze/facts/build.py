"""Facts of a bundle: the first pass builds what rules join on, the second streams every object with its facts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from ..bundle.source import Kinds, Record, Source, group_of, wanted
from ..model import Item, Missing, Problem, Unknown
from .certificates import certificates
from .cluster import cluster_body, cluster_item
from .containers import containers
from .embedded import parsed_of_names
from .enrich import Enrichment, Needs, makers_of
from .events import event_groups, left_out
from .first_pass import MADE, Watched, look_through, watch_for
from .gaps import Gaps
from .gpus import gpu_devices, gpu_node_names, gpu_nodes, node_answers
from .helm import helm_releases
from .hosts import hosts, join_nodes
from .images import image_items
from .index import WORKLOAD_KINDS, Index, object_ref, row_ref
from .ingress import ingress_class_origins
from .inventory import Inventory, build_inventory
from .kinds import MADE_MEANINGS
from .log_lines import NOT_SEARCHED, Found, Signatures, find_lines, not_all
from .nodes import roles_of
from .problems import collection_problems
from .reading import dig, items, mapping, text, tree, unknown, whole
from .runai import dependencies, dependencies_gap

MADE_KINDS = tuple(MADE_MEANINGS)
_INGRESS_CLASS = ("IngressClass", "networking.k8s.io")
_POD = ("Pod", "")
_WORKLOADS = tuple((kind, "apps") for kind in WORKLOAD_KINDS)


def build_facts(
    source: Source,
    kinds: Kinds,
    runai_version: str | None = None,
    planned: Sequence[str] = (),
    needs: Needs | None = None,
    signatures: Signatures | None = None,
) -> BundleFacts:
    """Return the facts of an opened bundle.

    ``kinds`` are those that the rules ask for: one that the bundle has no step for becomes a ``CollectionProblem``.
    ``runai_version`` beats what the bundle shows. ``planned`` names features that are to be installed. ``needs`` are the facts
    that the rules name (``ruleset.needs``): no other is computed, and reads as unknown; None: all are.
    ``signatures`` are the known messages that logs are searched for; None: they are not searched, and LogLine is unknown.
    """
    with collector_off():
        return BundleFacts(source, look_through(source, kinds), kinds, runai_version, tuple(planned), needs, signatures)


@contextmanager
def collector_off() -> Iterator[None]:
    """Switch the garbage collector off while many objects are made: it would walk all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class BundleFacts:
    """What the rules may ask (``model.Facts``), for a bundle or for the objects of a rule's example."""

    def __init__(
        self,
        source: Source,
        first: tuple[Index, Watched],
        kinds: Kinds,
        runai_version: str | None,
        planned: tuple[str, ...],
        needs: Needs | None = None,
        signatures: Signatures | None = None,
    ) -> None:
        index, self._watched = first
        join_nodes(index)
        self._source, self._index, self._kinds, self._gaps, self._needs = source, index, kinds, Gaps(source), needs
        self._answers = node_answers(index, self._gaps)
        self._roles = roles_of(index.of("Node", ""), gpu_node_names(index, self._answers), self._gaps)
        self._body: dict[str, Any] = cluster_body(source, index, self._gaps, self._roles, self._answers, runai_version, planned)
        self._certificates, self._problems, self._lacking = certificates(index, self._body, source.info.steps)
        self._with_data = {(seen.namespace, seen.name) for seen in index.of("ConfigMap", "")}
        self._kept_back: dict[str, Unknown | None] = {}  # by namespace: ConfigMaps that the customer took out
        self._enrichment = Enrichment(makers_of(index, self._gaps, self._roles), needs)
        self._makers = self._make_made()
        self._signatures = signatures

    @property
    def cluster(self) -> Mapping[str, Any]:
        """The body of the one ``Cluster`` object; a value that could not be found out is ``Unknown``."""
        return self._body

    @property
    def cluster_item(self) -> Item:
        """The ``Cluster`` object itself, with the origins of its fields."""
        return cluster_item(self._body, self._source, self._index)

    @property
    def bundle_time(self) -> datetime | None:
        """Capture time in UTC; all ages come from it."""
        return self._source.info.captured

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What of the bundle could not be read: the archive's own problems, and certificates that are none."""
        return (*self._source.info.problems, *self._problems)

    def items(self, kinds: Kinds) -> Iterator[Item]:
        """Stream every object of the kinds, each with its facts: the made ones first, and containers before their pod.

        A bare made name is the made kind alone.
        """
        kinds = frozenset((kind, MADE if group is None and kind in MADE_KINDS else group) for kind, group in kinds)
        with collector_off():
            beside = wanted(kinds, "Container", MADE) and not self._given("Container")
            for kind in MADE_KINDS:
                if wanted(kinds, kind, MADE) and not (beside and kind == "Container"):
                    yield from self.made(kind)
            watched = self._watch("Container") if beside else self._watched
            for record in self._source.records(kinds | {_POD} if beside else kinds):
                real = record.area == "object"
                if beside and real and _kind_of(record) == _POD:
                    yield from self._containers(record, watched)
                item = self._item(record) if not real or wanted(kinds, *_kind_of(record)) else None
                if item is not None and wanted(kinds, item.kind, item.group):
                    yield item

    def made(self, kind: str) -> Iterable[Item]:
        """Return the items of one made kind; those that are many stream."""
        return self._makers[kind]()

    def _make_made(self) -> dict[str, Callable[[], Iterable[Item]]]:
        index, gaps = self._index, self._gaps
        return {
            "Cluster": lambda: [self.cluster_item],
            "Container": self._all_containers,
            "EventGroup": self._event_groups,
            "GpuNode": lambda: gpu_nodes(index, self._answers, gaps),
            "GpuDevice": lambda: gpu_devices(self._answers, index),
            "Host": lambda: hosts(index, self._answers),
            "Certificate": lambda: self._certificates,
            "HelmRelease": lambda: helm_releases(index, gaps.of(*_WORKLOADS)),
            "Image": self._images,
            "LogLine": lambda: self._found.items,
            "RunaiDependency": lambda: dependencies(index),
            "CollectionProblem": lambda: collection_problems(self._source, self._problems, self._unplanned()),
        }

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""
        if group not in (None, MADE) or kind not in MADE_KINDS:
            return self._source.coverage(kind, group, namespaces)
        if kind == "Container":
            return self._source.coverage("Pod", "", namespaces)
        if kind == "Image":
            return tuple(gap for one in (_POD, *_WORKLOADS) for gap in self._source.coverage(*one, namespaces))
        if kind == "LogLine":
            lacking = self._source.coverage("LogLine", MADE, namespaces)
            return (*lacking, *not_all(self._found)) if self._signatures is not None else (*lacking, NOT_SEARCHED)
        if kind == "HelmRelease":
            return self._source.coverage("HelmRelease", MADE, namespaces)
        if kind == "EventGroup":
            return (*self._source.coverage("Event", "", namespaces), *left_out(self._watch("EventGroup").events))
        if kind == "GpuNode":
            return self._source.coverage("Node", "", ())
        if kind == "GpuDevice":
            return (*self._source.coverage("Node", "", ()), *self._silent_nodes())
        if kind == "Host":
            return self._source.coverage("Host", MADE, ())
        if kind == "Certificate":
            return self._source.coverage("Certificate", MADE, namespaces) or self._certificates_lacking(namespaces)
        if kind == "RunaiDependency":
            gap = self._gaps.of(("ConfigMap", ""), namespaces=("runai",)) or dependencies_gap(self._index)
            return (gap.missing,) if gap else ()
        return ()

    def inventory(self) -> Inventory:
        """Return the rows of the report's inventory."""
        return build_inventory(self._index, self._source, self._roles, self._certificates, list(self.made("GpuNode")))

    def _certificates_lacking(self, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        return tuple(
            missing
            for namespace, missing in self._lacking
            if not namespaces or any(fnmatchcase(namespace, wanted) for wanted in namespaces)
        )

    def _silent_nodes(self) -> tuple[Missing, ...]:
        return tuple(
            replace(answer.missing, what=f"nvidia-smi of node {item.ref.name}")
            for item in self.made("GpuNode")
            if isinstance(answer := dig(item.body, "nvidia_smi", "ok"), Unknown)
            or isinstance(answer := dig(item.body, "nvidia_smi", "count"), Unknown)  # not all of its GPUs were seen
        )

    def _unplanned(self) -> list[str]:
        """Return the kinds that rules ask for, the cluster may have, and no step is about; of a cut bundle nobody can tell."""
        steps = {step.kind for step in self._source.info.steps}
        asked = {(kind, group) for kind, group in self._kinds if kind not in (*MADE_KINDS, *steps)}
        return sorted({kind for kind, group in asked if self._source.coverage(kind, group, ())}) if steps else []

    # --- Made kinds that stream ---------------------------------------------------------------------------------------------

    def _given(self, kind: str) -> bool:
        """Tell whether the items of a made kind were given, and are not made here."""
        return False

    def _all_containers(self) -> Iterator[Item]:
        watched = self._watch("Container")
        for record in self._source.records(frozenset([_POD])):
            yield from self._containers(record, watched)

    def _containers(self, record: Record, watched: Watched) -> Iterator[Item]:
        top = watched.traces.top_of_pod(record.body, self._gaps)
        owner = None if top.key[:2] == _POD else watched.traces.ref(top.key)
        return containers(record.body, object_ref(record), top, owner)

    @cached_property
    def _found(self) -> Found:
        return find_lines(self._source.logs(), self._signatures) if self._signatures is not None else Found()

    def _images(self) -> list[Item]:
        workloads = ((seen.ref, items(seen.body.get("images"))) for seen in self._index.workloads())
        return image_items(self._watch("Image").images, workloads, self._gaps.of(_POD))

    def _event_groups(self) -> Iterator[Item]:
        watched, needs = self._watch("EventGroup"), self._needs
        needed = None if needs is None else frozenset(name for kind, name in needs if kind == "EventGroup" and name)
        return event_groups(watched.events, watched.traces, self._gaps, needed)

    def _watch(self, kind: str) -> Watched:
        """Return what a kind is made of; a kind that no rule had asked for costs another look at the bundle."""
        if kind not in self._watched.kinds:
            self._watched = watch_for(frozenset((name, MADE) for name in self._watched.kinds | {kind}))
            for record in self._source.records(None):
                self._watched.add(record)
        return self._watched

    def _item(self, record: Record) -> Item | None:
        """Return the item of one record; None for those that stand behind made kinds, and for rows of what was read whole."""
        if record.area == "object":
            return self._object(record)
        if record.area == "secret":
            return _secret(record)
        if (
            record.area == "configmap"
            and (text(record.body.get("namespace")), text(record.body.get("name"))) not in self._with_data
        ):
            return self._configmap(record)
        return None

    def _configmap(self, record: Record) -> Item:
        """Return the item of a ConfigMap of which only names and sizes are known, perhaps because the customer took it out."""
        namespace = text(record.body.get("namespace"))
        if namespace not in self._kept_back:
            gap = self._gaps.of(("ConfigMap", ""), namespaces=(namespace,))
            self._kept_back[namespace] = gap if gap and gap.missing.taken_out else None
        return _configmap(record, self._kept_back[namespace])

    def _object(self, record: Record) -> Item:
        body = record.body
        kind, group = _kind_of(record)
        self._enrichment.enrich(kind, group, body)
        origins = ingress_class_origins(body, self._index) if (kind, group) == _INGRESS_CLASS else {}
        return Item(kind, group, body, object_ref(record), origins)


def _kind_of(record: Record) -> tuple[str, str]:
    return text(record.body.get("kind")), group_of(record.body.get("apiVersion"))


def _secret(record: Record) -> Item:
    row = record.body
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": text(row.get("namespace")), "name": text(row.get("name"))},
        "type": text(row.get("type")),
        "facts": tree({"key_count": whole(row.get("keys")), "age": text(row.get("age")) or None}),
    }
    return Item("Secret", "", body, row_ref(record))


def _configmap(record: Record, kept_back: Unknown | None) -> Item:
    row = record.body
    namespace, name = text(row.get("namespace")), text(row.get("name"))
    what, reason = f"the data of ConfigMap {namespace}/{name}", "only names and sizes of its keys were collected"
    nothing = unknown(what, reason, f"kubectl get configmap {name} -n {namespace} -o yaml")
    data, keys = Unknown(replace(kept_back.missing, what=what)) if kept_back else nothing, mapping(row.get("keys"))
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": namespace, "name": name, "labels": dict(mapping(row.get("labels")))},
        "data": data,
        "facts": {"keys": sorted(keys), "parsed": parsed_of_names(f"{namespace}/{name}", keys, data)},
    }
    return Item("ConfigMap", "", body, row_ref(record))
