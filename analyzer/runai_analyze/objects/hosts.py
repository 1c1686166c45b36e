"""Which hosts the name of a certificate is valid for."""

from __future__ import annotations


def covers(name: str, host: str) -> bool:
    """Return whether a name of a certificate is valid for a host (RFC 6125): a wildcard stands for one whole first label.

    Case, a final dot and the port of the host do not matter; an IP address must be the same.
    """
    name, host = name.lower().rstrip("."), _without_port(host).lower().rstrip(".")
    if not name or not host:
        return False
    if not name.startswith("*."):
        return name == host
    first, _, rest = host.partition(".")
    return bool(first) and rest == name[2:] and "." in rest and not _is_ip(host)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _is_ip(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()
