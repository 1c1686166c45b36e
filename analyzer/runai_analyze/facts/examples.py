"""Facts of a rule's example: the same code on objects that the author wrote, in place of a bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..bundle.source import Kinds, Log, Record, group_of, wanted
from ..model import BundleInfo, Item, Missing, ObjectRef, Unknown
from .build import MADE_KINDS, BundleFacts
from .cluster import cluster_item, override
from .first_pass import MADE, Watched, look_through
from .index import Index
from .kinds import api_version_of
from .log_lines import NoSignatures
from .reading import dig, items, name_of, namespace_of, text, whole

_MEMBER = "example"
# What the facts of a made kind are computed from: when it was not collected, neither is the made kind.
_MADE_FROM = {
    "GpuNode": ("Node",),
    "GpuDevice": ("Node",),
    "Certificate": ("Secret",),
    "HelmRelease": ("Secret",),
    "LogLine": ("Pod",),
    "RunaiDependency": ("ConfigMap",),
}


def example_facts(
    given: Sequence[Mapping[str, Any]],
    cluster: Mapping[str, Any],
    not_collected: Sequence[str],
    bundle_time: datetime | None,
    kinds: Kinds,
) -> BundleFacts:
    """Return the facts of an example.

    Objects in ``given`` are enriched as those of a bundle, and what they set under ``facts`` themselves stays. Objects of a made
    kind are used as they are, in place of all that would be made of that kind. ``cluster`` is laid over the computed Cluster.
    ``not_collected`` names kinds (``Node``, ``Service.serving.knative.dev``) or fields (``Cluster.runai.release``).
    """
    objects = [_complete(body) for body in given]
    made = [body for body in objects if text(body.get("kind")) in MADE_KINDS and group_of(body.get("apiVersion")) == MADE]
    source = ExampleSource([body for body in objects if body not in made], tuple(not_collected), bundle_time)
    return ExampleFacts(source, look_through(source, kinds), kinds, made, cluster)


class ExampleSource:
    """A ``Source`` over the objects of an example: everything was collected but what is named as not collected."""

    def __init__(self, objects: Sequence[dict[str, Any]], not_collected: tuple[str, ...], bundle_time: datetime | None) -> None:
        self.objects, self.not_collected = objects, not_collected
        self._info = BundleInfo("example", 0, "", 1, "", bundle_time, "complete")

    @property
    def info(self) -> BundleInfo:
        """A bundle without steps and problems, captured at the example's time."""
        return self._info

    @property
    def cluster_name(self) -> str:
        """The name of every example's cluster."""
        return "example"

    @property
    def version(self) -> Mapping[str, Any] | Missing:
        """Examples name the Kubernetes version under ``cluster``."""
        return Missing("the Kubernetes version", "the example does not name it", "kubectl version -o json")

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream copies of the objects; Secrets as the rows that a bundle has of them."""
        for number, body in enumerate(self.objects, start=1):
            kind, group = text(body.get("kind")), group_of(body.get("apiVersion"))
            if kinds is not None and not wanted(kinds, kind, group):
                continue
            if (kind, group) == ("Secret", ""):
                yield Record("secret", _secret_row(body), _MEMBER, number)
                if body.get("type") == "helm.sh/release.v1":
                    labels = {"labels": dig(body, "metadata", "labels")}
                    yield Record("helm", {"namespace": namespace_of(body), "name": name_of(body), **labels}, _MEMBER, number)
            else:
                yield Record("object", deepcopy(body), _MEMBER, number)

    def logs(self) -> Iterator[Log]:
        """Stream nothing: examples name lines of logs as the objects that are made of them."""
        yield from ()

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return a gap for the kinds that the example says were not collected."""
        names = {kind, f"{kind}.{group}"} if group else {kind}
        names |= set(_MADE_FROM.get(kind, ())) if group == MADE else set()
        if group is None:
            names |= {name for name in self.not_collected if name.startswith(f"{kind}.")}
        hit = next((name for name in self.not_collected if name in names), None)
        return (Missing(kind, "it was not collected", f"kubectl get {kind.lower()} -A -o yaml"),) if hit else ()

    def served(self, group: str) -> bool | None:
        """Tell whether an object of the group is among those given; None where there is none."""
        return any(group_of(body.get("apiVersion")) == group for body in self.objects) or None


class ExampleFacts(BundleFacts):
    """``BundleFacts`` in which made objects and fields of the cluster may be given."""

    def __init__(
        self,
        source: ExampleSource,
        first: tuple[Index, Watched],
        kinds: Kinds,
        made: list[dict[str, Any]],
        cluster: Mapping[str, Any],
    ) -> None:
        planned = tuple(str(name) for name in items(cluster.get("planned")))
        super().__init__(source, first, kinds, None, planned, signatures=NoSignatures())
        self._given_items: dict[str, list[Item]] = {}
        for number, body in enumerate(made, start=1):
            self._given_items.setdefault(text(body.get("kind")), []).append(_made_item(body, number))
        self._own = {
            (text(b.get("kind")), namespace_of(b), name_of(b)): b["facts"]
            for b in source.objects
            if isinstance(b.get("facts"), dict)
        }
        self._example_source, self._example_index = source, first[0]
        base = deepcopy(dict(self._given_items["Cluster"][0].body)) if "Cluster" in self._given_items else self._body
        self._body = override(base, {**cluster, **_unknown_fields(source.not_collected)})

    @property
    def cluster_item(self) -> Item:
        """The ``Cluster`` object with the example's fields in it."""
        return cluster_item(self._body, self._example_source, self._example_index)

    def made(self, kind: str) -> Iterable[Item]:
        """Return the given items of a made kind; the computed ones where none was given."""
        return self._given_items[kind] if self._given(kind) else super().made(kind)

    def _given(self, kind: str) -> bool:
        return kind in self._given_items and kind != "Cluster"

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """As for a bundle; made kinds can be named as not collected too."""
        if kind in MADE_KINDS and group in (None, MADE) and kind in self._example_source.not_collected:
            return self._example_source.coverage(kind, None, namespaces)
        return super().coverage(kind, group, namespaces)

    def _item(self, record: Record) -> Item | None:
        item = super()._item(record)
        own = self._own.get((item.kind, item.ref.namespace, item.ref.name)) if item else None
        if item is None or own is None:
            return item
        return replace(item, body={**item.body, "facts": {**(dig(item.body, "facts") or {}), **own}})


def _complete(body: Mapping[str, Any]) -> dict[str, Any]:
    """Add the apiVersion that the kind has where the author left it out."""
    full = deepcopy(dict(body))
    full.setdefault("apiVersion", api_version_of(text(full.get("kind"))))
    return full


def _secret_row(body: Mapping[str, Any]) -> dict[str, Any]:
    count = whole(dig(body, "facts", "key_count"))
    keys = {*(dig(body, "data") or {}), *(dig(body, "stringData") or {})}
    return {
        "namespace": namespace_of(body),
        "name": name_of(body),
        "type": text(body.get("type")) or "Opaque",
        "keys": len(keys) if count is None else count,
        "age": dig(body, "facts", "age"),
    }


def _made_item(body: dict[str, Any], number: int) -> Item:
    kind = text(body.get("kind"))
    name = text(body.get("name")) if kind == "Cluster" else name_of(body)
    return Item(kind, MADE, body, ObjectRef(kind, name, namespace_of(body), _MEMBER, number))


def _unknown_fields(not_collected: Sequence[str]) -> dict[str, Unknown]:
    fields = [name.removeprefix("Cluster.") for name in not_collected if name.startswith("Cluster.")]
    return {field: Unknown(Missing(field, "it was not collected")) for field in fields}
