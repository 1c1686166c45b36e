"""Which hosts the name of a certificate is valid for."""

from __future__ import annotations

import ipaddress
import unicodedata

_LONGEST_NAME = 253  # in DNS; a longer one is none


def covers(name: str, host: str) -> bool:
    """Return whether a name of a certificate is valid for a host (RFC 6125): a wildcard stands for one whole first label.

    Case, a final dot and the port of the host do not matter, and a host in letters of any script is read as its "xn--" form. An
    address must be the same address, in whatever form, and no wildcard stands for a part of one. Go and Chrome take ``*.example``
    for a host directly below; OpenSSL, and with it Python and curl, do not, and neither is it taken here.
    """
    host = _without_port(host)
    address = _address(host)
    if address is not None:
        return _address(name) == address
    name, host = _ascii(name), _ascii(host.removesuffix("."))
    if not name or not host:
        return False
    if not name.startswith("*."):
        return name == host
    first, _, rest = host.partition(".")
    return bool(first) and rest == name[2:] and "." in rest and "*" not in rest


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a text is, one of IPv4 also out of its IPv6 form; None for a name."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def _ascii(name: str) -> str:
    """Return a name in small letters, labels of other letters in their "xn--" form (RFC 3492), as DNS holds them."""
    if name.isascii() or len(name) > _LONGEST_NAME:
        return name.lower()
    labels = unicodedata.normalize("NFC", name.lower()).replace("\u3002", ".").split(".")
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)
