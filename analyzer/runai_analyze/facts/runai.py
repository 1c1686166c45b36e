"""Run:ai itself: version, URLs, what its public ConfigMap says about its dependencies."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..bundle.documents import read_document
from ..model import Item, ObjectRef, Unknown
from .gaps import Gaps
from .index import Index, Seen
from .reading import (
    chart_version,
    dig,
    hidden,
    image_path,
    image_tag,
    items,
    labels_of,
    mapping,
    minor_of,
    name_of,
    text,
    unknown,
    version_text,
)

NAMESPACE = "runai"
BACKEND = "runai-backend"
_PUBLIC = ("ConfigMap", "", NAMESPACE, "runai-public")
_CONFIG = ("RunaiConfig", "run.ai")
_COMMAND = "kubectl get configmap runai-public -n runai -o yaml"
# Both shapes of RunaiConfig spec that have been seen (support scripts of 2.2x, chart values).
_URL_PATHS = (("spec", "__internal", "global", "clusterURL"), ("spec", "global", "clusterURL"))
_URL_FIELDS = ("url", "url_host", "url_scheme", "url_is_ip")
_CONTROL_PLANE_PATHS = (
    ("spec", "__internal", "global", "controlPlane", "url"),
    ("spec", "global", "controlPlane", "url"),
    ("spec", "controlPlane", "url"),
)


def public_document(index: Index) -> tuple[Seen, Mapping[str, Any]] | None:
    """Return the ConfigMap runai/runai-public and the document in its key ``runai-public``; an unreadable one is empty."""
    seen = index.one(*_PUBLIC)
    if seen is None:
        return None
    return seen, mapping(read_document(text(dig(seen.body, "data", "runai-public"))))


def runai_body(index: Index, gaps: Gaps, option: str | None) -> dict[str, Any]:
    """Return the ``runai`` part of the cluster. ``option`` is the release that the person named; it beats the bundle."""
    installed = _installed(index, gaps)
    seen: str | Unknown | None = _version(index) if installed is not False else None
    if installed is True and seen is None:
        seen = unknown("the Run:ai version", "no object of the bundle shows it", _COMMAND)
    elif isinstance(installed, Unknown):
        seen = seen or installed
    body: dict[str, Any] = {
        "installed": installed,
        "namespace_exists": _namespace_exists(index, gaps),
        "control_plane_here": gaps.unless_seen(
            any(workload.namespace == BACKEND for workload in index.workloads()),
            ("Deployment", "apps"),
            ("StatefulSet", "apps"),
            namespaces=(BACKEND,),
            otherwise=False,
        ),
        "bundle_version": seen,
        **_urls(index, gaps, installed),
    }
    return {**body, **named_version(option, seen)}


def named_version(option: str | None, seen: str | Unknown | None) -> dict[str, Any]:
    """Return version, release and source: the option's, else the bundle's."""
    if option:
        return {"version": option, "release": minor_of(option), "source": "option"}
    if isinstance(seen, str):
        return {"version": seen, "release": minor_of(seen), "source": "bundle"}
    if seen is None:
        nothing = unknown("the Run:ai release", "no Run:ai is installed and --runai-version was not given")
        return {"version": None, "release": nothing, "source": None}
    return {"version": seen, "release": seen, "source": None}


def _installed(index: Index, gaps: Gaps) -> bool | Unknown:
    marks = [*index.of(*_CONFIG), *_operators(index)]
    if marks or index.one(*_PUBLIC):
        return True
    return gaps.of(_CONFIG, namespaces=()) or gaps.of(("Deployment", "apps"), ("ConfigMap", ""), namespaces=(NAMESPACE,)) or False


def _operators(index: Index) -> list[Seen]:
    return [seen for seen in index.of("Deployment", "apps") if seen.namespace == NAMESPACE and seen.name == "runai-operator"]


def _namespace_exists(index: Index, gaps: Gaps) -> bool | Unknown:
    if any(seen.name == NAMESPACE for seen in index.of("Namespace", "")):
        return True
    held = any(
        seen.namespace == NAMESPACE
        for seen in (*index.workloads(), *index.of("ConfigMap", ""), *index.secrets, *index.configmap_rows)
    )
    return held or gaps.of(("Namespace", "")) or False


def _version(index: Index) -> str | None:
    """Find the version where it is written: runai-public, RunaiConfig, chart labels, the operator's image tag; in this order."""
    return next(filter(None, _versions(index)), None)


def _versions(index: Index) -> Iterator[str | None]:
    public = public_document(index)
    if public:
        seen, document = public
        yield version_text(dig(seen.body, "data", "cluster-version"))
        yield version_text(document.get("version"))
    for config in index.of(*_CONFIG):
        yield version_text(dig(config.body, "status", "version")) or version_text(
            dig(config.body, "spec", "__internal", "global", "version")
        )
        yield from _label_versions(config.body)
    for operator in _operators(index):
        yield from _label_versions(operator.body)
    for operator in _operators(index):
        images = items(operator.body.get("images"))
        yield from (version_text(image_tag(image)) for image in images if image_path(image).endswith("operator"))


def _label_versions(body: Mapping[str, Any]) -> Iterator[str | None]:
    labels = labels_of(body)
    chart = text(labels.get("helm.sh/chart"))
    if chart.startswith("runai"):
        yield chart_version(chart)
    if text(labels.get("app.kubernetes.io/part-of")).startswith("runai") or text(labels.get("app.kubernetes.io/name")).startswith(
        "runai"
    ):
        yield version_text(labels.get("app.kubernetes.io/version"))


# --- URLs -------------------------------------------------------------------------------------------------------------------


def _urls(index: Index, gaps: Gaps, installed: bool | Unknown) -> dict[str, Any]:
    return {
        **url_fields(_url(index, gaps, installed, _URL_PATHS, "the cluster URL of Run:ai")),
        "control_plane_url": _url(index, gaps, installed, _CONTROL_PLANE_PATHS, "the control plane URL of Run:ai"),
    }


def _url(
    index: Index, gaps: Gaps, installed: bool | Unknown, paths: tuple[tuple[str, ...], ...], what: str
) -> str | Unknown | None:
    source = _named_in(index, paths)
    if source:
        value = source[1]
        return value if not hidden(value) else unknown(what, "it was hidden by redaction")
    if index.of(*_CONFIG):
        return unknown(
            what, "RunaiConfig holds it in neither of the known places", "kubectl get runaiconfigs.run.ai -n runai -o yaml"
        )
    return gaps.of(_CONFIG) if installed is not False else None


def _named_in(index: Index, paths: tuple[tuple[str, ...], ...]) -> tuple[Seen, str] | None:
    """Return the first RunaiConfig with text in one of the places, and the text."""
    for config in index.of(*_CONFIG):
        for path in paths:
            value = dig(config.body, *path)
            if isinstance(value, str):
                return config, value
    return None


def url_sources(index: Index) -> dict[str, Seen | None]:
    """Return the RunaiConfig that each field about a URL was read from; None where none names it."""
    cluster, control_plane = (_named_in(index, paths) for paths in (_URL_PATHS, _CONTROL_PLANE_PATHS))
    return {
        **dict.fromkeys((f"runai.{name}" for name in _URL_FIELDS), cluster and cluster[0]),
        **dict.fromkeys(("runai.control_plane_url", "runai.control_plane_host"), control_plane and control_plane[0]),
    }


def url_fields(url: str | Unknown | None) -> dict[str, Any]:
    """Split a URL into ``url``, ``url_host``, ``url_scheme`` and ``url_is_ip``; a host alone has no scheme."""
    if not isinstance(url, str):
        return dict.fromkeys(_URL_FIELDS, url)
    host, scheme = split_url(url)
    return {"url": url, "url_host": host or None, "url_scheme": scheme or None, "url_is_ip": is_address(host)}


def split_url(url: str) -> tuple[str, str]:
    """Return host (lower case) and scheme of a URL or of a bare host; empty where there is none."""
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        return (parts.hostname or "", parts.scheme)
    except ValueError:
        return "", ""


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


# --- Dependencies -----------------------------------------------------------------------------------------------------------


def dependencies(index: Index) -> list[Item]:
    """Return the ``RunaiDependency`` items of runai-public: ``dependencies.required|optional``, or ``optional`` up to 2.15."""
    public = public_document(index)
    if public is None:
        return []
    seen, document = public
    groups = _dependency_groups(document)
    return [
        _dependency(name, mapping(entry), required, seen.ref)
        for required, entries in groups
        for name, entry in sorted(entries.items())
        if isinstance(entry, Mapping)
    ]


def dependencies_gap(index: Index) -> Unknown | None:
    """Return a gap when runai-public is there but holds its dependencies in neither of the shapes seen."""
    public = public_document(index)
    if public is None or any(entries for _, entries in _dependency_groups(public[1])):
        return None
    return unknown(
        "the dependencies of Run:ai", "ConfigMap runai/runai-public holds them in neither of the known shapes", _COMMAND
    )


def _dependency_groups(document: Mapping[str, Any]) -> list[tuple[bool, Mapping[str, Any]]]:
    for root in (document, dig(document, "runaiConfigStatus"), dig(document, "status")):
        tree = dig(root, "dependencies")
        if isinstance(tree, Mapping):
            return [(True, mapping(tree.get("required"))), (False, mapping(tree.get("optional")))]
    return [(False, mapping(document.get("optional")))]


def _dependency(name: str, entry: Mapping[str, Any], required: bool, ref: ObjectRef) -> Item:
    available = _available(entry)
    body: dict[str, Any] = {
        "apiVersion": "made/v1",
        "kind": "RunaiDependency",
        "metadata": {"name": name},
        "required": required,
        "available": unknown(f"whether {name} is available", "runai-public does not say", _COMMAND)
        if available is None
        else available,
    }
    reasons = list(dict.fromkeys(_reasons(entry)))
    if reasons and available is not True:
        body["reason"] = "; ".join(reasons)
    return Item("RunaiDependency", "made", body, ObjectRef("RunaiDependency", name, "", ref.member, ref.line), {"": ref})


def _available(entry: Mapping[str, Any], depth: int = 0) -> bool | None:
    """Return the entry's own word; where it has none, that of its components, all of which must be available."""
    if isinstance(entry.get("available"), bool):
        return bool(entry["available"])
    parts = [_available(part, depth + 1) for part in _components(entry)] if depth < 8 else []
    return None if not parts or None in parts else all(parts)


def _reasons(entry: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the reasons given in the entry and below, of what is not available."""
    own = text(entry.get("reason")) or text(entry.get("message"))
    if own and entry.get("available") is not True:
        yield own
    if depth < 8:
        for part in _components(entry):
            yield from _reasons(part, depth + 1)


def _components(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [part for _, part in sorted(mapping(entry.get("components")).items()) if isinstance(part, Mapping)]


def project_namespace(body: Mapping[str, Any]) -> bool:
    """Tell whether a namespace belongs to a Run:ai project: the label ``runai/queue``, or the name runai-<project>."""
    own = ("runai-backend", "runai-reservation", "runai-scale-adjust", "runai-diagnostics")
    return "runai/queue" in labels_of(body) or (name_of(body).startswith("runai-") and name_of(body) not in own)
