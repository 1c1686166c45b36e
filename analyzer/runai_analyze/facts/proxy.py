"""Proxy variables in pod templates: what they name, and whether NO_PROXY keeps the cluster's own traffic off the proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Unknown
from .gaps import Gaps
from .index import Index
from .reading import dig, hidden, items, mappings, text, tree, unknown

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_DOMAINS = (".svc", ".cluster.local")
_COMMAND = "kubectl get nodes,service/kubernetes -n default -o json"


@dataclass(frozen=True)
class Ranges:
    """The cluster's own addresses, as texts: the API server's service address, service and pod ranges; and a gap in them."""

    addresses: tuple[str, ...] = ()
    gap: Unknown | None = None


def cluster_ranges(index: Index, gaps: Gaps) -> Ranges:
    """Find the cluster's addresses: Service default/kubernetes, the nodes' pod ranges, the API server's command line."""
    service = index.one("Service", "", "default", "kubernetes")
    found = [text(dig(service.body, "spec", "clusterIP"))] if service else []
    for pod in index.of("Pod", ""):
        for argument in items(pod.body.get("arguments")):
            name, _, value = argument.partition("=")
            if name in ("--service-cluster-ip-range", "--cluster-cidr"):
                found += value.split(",")
    if not any("/" in address for address in found[1:]):
        found += [text(dig(seen.body, "spec", "podCIDR")) for seen in index.of("Node", "")]
    return Ranges(
        tuple(dict.fromkeys(address for address in found if _network(address))), gaps.of(("Service", ""), namespaces=("default",))
    )


def proxy_facts(spec: Any, ranges: Ranges) -> dict[str, Any] | None:
    """Return the proxy variables of a pod spec's containers with ``covers_cluster`` and ``missing``; None when none sets a proxy.

    ``covers_cluster`` asks that NO_PROXY holds ``.svc``, ``.cluster.local`` and the known addresses: common practice, not a
    Run:ai statement.
    """
    variables = _variables(spec)
    http, https = variables.get("HTTP_PROXY"), variables.get("HTTPS_PROXY")
    if not http and not https:
        return None
    raw = variables.get("NO_PROXY", "")
    entries = [] if isinstance(raw, Unknown) else [entry.strip() for entry in raw.split(",") if entry.strip()]
    lacking = _lacking(entries, ranges)
    covered: bool | Unknown = not lacking
    if isinstance(raw, Unknown):
        covered = raw
    elif any(hidden(entry) for entry in entries):
        covered = unknown("NO_PROXY", "a part of it was hidden by redaction")
    elif covered and ranges.gap:
        covered = ranges.gap
    return tree(
        {
            "http": http or None,
            "https": https or None,
            "no_proxy": raw if isinstance(raw, Unknown) else entries,
            "covers_cluster": covered,
            "missing": covered if isinstance(covered, Unknown) else lacking,
        }
    )


def _variables(spec: Any) -> dict[str, str | Unknown]:
    """Return the proxy variables by upper-case name; one that comes from elsewhere (valueFrom) is Unknown."""
    found: dict[str, str | Unknown] = {}
    for container in mappings(dig(spec, "containers")):
        for variable in mappings(container.get("env")):
            name = text(variable.get("name")).upper()
            if name not in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY") or found.get(name):
                continue
            if isinstance(variable.get("valueFrom"), Mapping):
                found[name] = unknown(name, "its value comes from a ConfigMap or Secret")
            else:
                found[name] = text(variable.get("value"))
    return found


def _lacking(entries: list[str], ranges: Ranges) -> list[str]:
    networks = [network for network in map(_network, entries) if network]
    names = [*(name for name in _DOMAINS if not _covers_name(entries, name))]
    return names + [address for address in ranges.addresses if not _covers_address(networks, address)]


def _covers_name(entries: Iterable[str], domain: str) -> bool:
    """A NO_PROXY entry covers its own name and all below; Go, curl and Python also accept ``*.svc`` and ``svc``."""
    return any(entry == "*" or entry.lower().lstrip("*").strip(".") == domain.strip(".") for entry in entries)


def _covers_address(networks: Iterable[_Network], address: str) -> bool:
    wanted = _network(address)
    return wanted is not None and any(
        wanted.version == network.version and wanted.subnet_of(network)  # type: ignore[arg-type]
        for network in networks
    )


def _network(address: str) -> _Network | None:
    try:
        return ipaddress.ip_network(address, strict=False)
    except ValueError:
        return None
