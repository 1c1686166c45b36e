"""What --probe connects to: the addresses in the objects of Run:ai, and the hosts that its release needs. Its data are the
plan's. Pure."""

import re
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple
from urllib.parse import urlsplit

from . import plan
from .client import USER_AGENT

Note = Tuple[str, str]          # what an address is, as PROBE_FIELDS say, and its text


class ProbeEndpoint(NamedTuple):
    """A host that Run:ai needs on port 443: from its ``first`` to its ``last`` release, with a control plane ``where``."""

    host: str
    what: str
    first: Tuple[int, int] = (0, 0)
    last: Tuple[int, int] = (99, 0)
    where: str = ""                 # "saas", "self-hosted"; "" is both


# With --probe: what is connected to from here. Run:ai's pages on network requirements, 2.8 to 2.25, and its pre-install tool.
PROBE_ENDPOINTS: Tuple[ProbeEndpoint, ...] = (
    ProbeEndpoint("runai-charts.storage.googleapis.com", "Helm charts of Run:ai", last=(2, 16)),
    ProbeEndpoint("runai.jfrog.io", "Helm charts of Run:ai", (2, 17), (2, 24)),
    ProbeEndpoint("helm.ngc.nvidia.com", "Helm charts of Run:ai", (2, 25)),
    ProbeEndpoint("gcr.io", "images of Run:ai", last=(2, 24)),
    ProbeEndpoint("nvcr.io", "images of Run:ai", (2, 25)),
    ProbeEndpoint("hub.docker.com", "images of others"),
    ProbeEndpoint("quay.io", "images of others"),
    ProbeEndpoint("registry.k8s.io", "images of others"),
    ProbeEndpoint("app.run.ai", "control plane", where="saas"),
    ProbeEndpoint("runai-prod.auth0.com", "login", where="saas"),
    ProbeEndpoint("prometheus-us-central1.grafana.net", "metrics", where="saas"),
    ProbeEndpoint("runailabs.com", "metrics", where="saas"),
    ProbeEndpoint("api.ngc.nvidia.com", "models", (2, 25), where="self-hosted"),
    ProbeEndpoint("huggingface.co", "models", (2, 25), where="self-hosted"),
)
# Beside them the addresses that stand in these fields of objects in the namespaces of Run:ai: kind, field, what it is.
PROBE_RELEASE, PROBE_CONTROL_PLANE = "release", "control plane"
PROBE_FIELDS: Tuple[Tuple[str, str, str], ...] = (
    ("ConfigMap", "data.cluster-version", PROBE_RELEASE),
    ("RunaiConfig", "status.version", PROBE_RELEASE),
    ("RunaiConfig", "spec.__internal.global.version", PROBE_RELEASE),
    ("RunaiConfig", "spec.__internal.global.clusterURL", "cluster URL"),
    ("RunaiConfig", "spec.global.clusterURL", "cluster URL"),
    ("RunaiConfig", "spec.__internal.global.controlPlane.url", PROBE_CONTROL_PLANE),
    ("RunaiConfig", "spec.global.controlPlane.url", PROBE_CONTROL_PLANE),
    ("RunaiConfig", "spec.controlPlane.url", PROBE_CONTROL_PLANE),
    ("Ingress", "spec.rules.host", "Ingress of Run:ai"),
    ("Gateway", "spec.listeners.hostname", "Gateway of Run:ai"),
)
# And what is sent to each. Redirects are not followed.
PROBE_HEAD, PROBE_CONNECT = "HEAD", "CONNECT"
PROBE_SENDS: Tuple[str, ...] = (
    "its name to this machine's resolver; a TCP connection; a TLS handshake with its name, and no certificate of ours",
    "%s / with the headers Host and User-Agent (%s)" % (PROBE_HEAD, USER_AGENT),
    "the same once more, without checking it, where its certificate is not trusted: to keep what is served",
    "through a proxy, where the environment names one: %s HOST:PORT with the same headers, or %s http://HOST:PORT/; and "
    "Proxy-Authorization, where the proxy's URL itself holds a name and a password" % (PROBE_CONNECT, PROBE_HEAD),
)


class Endpoint(NamedTuple):
    """One address to connect to."""

    host: str
    port: int
    tls: bool
    what: Tuple[str, ...]


def notes(value: Dict[str, Any]) -> Iterator[Note]:
    """Yield what an object says of addresses and of the release of Run:ai."""
    if (value.get("metadata") or {}).get("namespace") in plan.RUNAI_NAMESPACES:
        for kind, field, what in PROBE_FIELDS:
            if kind == value.get("kind"):
                for text in _texts(value, field.split(".")):
                    yield what, text[:300]


def _texts(value: Any, path: List[str]) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _texts(one, path)
    elif path and isinstance(value, dict):
        yield from _texts(value.get(path[0]), path[1:])
    elif not path and isinstance(value, str):
        yield value


def choose(found: Iterable[Note], most: int) -> List[Endpoint]:
    """Return what to connect to, at most so much, by name. Of a release or a place that is not known all are needed."""
    whats: Dict[Tuple[str, int, bool], Set[str]] = {}
    releases: List[Tuple[int, int]] = []
    places: Set[str] = set()
    for what, text in found:
        release, address = re.match(r"v?(\d+)\.(\d+)", text), _address(text)
        if what == PROBE_RELEASE:
            releases.extend([(int(release.group(1)), int(release.group(2)))] if release else [])
        elif address is not None:
            whats.setdefault(address, set()).add(what)
            if what == PROBE_CONTROL_PLANE:
                places.add("saas" if ("." + address[0]).endswith(".run.ai") else "self-hosted")
    for one in PROBE_ENDPOINTS:
        if one.where in places | {""} or not places:
            if not releases or one.first <= max(releases) <= one.last:
                whats.setdefault((one.host, 443, True), set()).add(one.what)
    return [Endpoint(*key, what=tuple(sorted(whats[key]))) for key in sorted(whats)][:most]


def _address(text: str) -> Optional[Tuple[str, int, bool]]:
    """Return host, port and whether it is TLS of a URL or a host; None for what cannot be connected to (*.example.com)."""
    try:
        url = urlsplit(text if "://" in text else "https://" + text)
        port = url.port or (80 if url.scheme == "http" else 443)
    except ValueError:
        return None
    host = url.hostname or ""
    return (host, port, url.scheme != "http") if re.match(r"[a-z0-9:][a-z0-9.:_-]*\Z", host) else None
