"""What --probe connects to: the addresses in the objects of Run:ai, and the hosts that its release needs. Pure."""

import re
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple
from urllib.parse import urlsplit

from . import plan

Note = Tuple[str, str]          # what an address is, as PROBE_FIELDS say, and its text


class Endpoint(NamedTuple):
    """One address to connect to."""

    host: str
    port: int
    tls: bool
    what: Tuple[str, ...]


def notes(value: Dict[str, Any]) -> Iterator[Note]:
    """Yield what an object says of addresses and of the release of Run:ai."""
    if (value.get("metadata") or {}).get("namespace") in plan.RUNAI_NAMESPACES:
        for kind, field, what in plan.PROBE_FIELDS:
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
        if what == plan.PROBE_RELEASE:
            releases.extend([(int(release.group(1)), int(release.group(2)))] if release else [])
        elif address is not None:
            whats.setdefault(address, set()).add(what)
            if what == plan.PROBE_CONTROL_PLANE:
                places.add("saas" if ("." + address[0]).endswith(".run.ai") else "self-hosted")
    for one in plan.PROBE_ENDPOINTS:
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
