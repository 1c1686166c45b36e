"""What is kept of the Secrets in another tool's bundle: as much as our own bundles hold, and how many values stood there.

No value leaves this module but public certificates; of the others not even the length is kept.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from runai_collect import layout, plan
from runai_collect.certificates import public_part

from ..source import Area
from .mend import HIDDEN

# What stands where a writer hid a value: oc adm inspect the length, others a word or signs.
_LENGTH = re.compile(rb"(\d{1,9}) bytes long")
_SIGNS = re.compile(rb"[*xX.\s-]*|[<\[(]?(?:redacted|removed|hidden|masked|omitted|sanitized|obfuscated)[>\])]?", re.IGNORECASE)
_CERTIFICATES = re.compile(
    rb"(?:\s*(?:(?:#|subject=|issuer=)[^\n]{0,300}\n\s*)*-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[A-Za-z0-9+/=\s]+"
    rb"-----END (?:TRUSTED |X509 )?CERTIFICATE-----)+\s*"
)
_LONGEST = 2 << 20  # API servers take no Secret beyond 1 MiB
_KEY_NAMES = ("tls.key", "key.pem", "private.key", "ca.key")
Row = tuple[Area, dict[str, Any]]


def rows_of(body: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows that stand for a Secret: its own, that of Helm's release, and that of its certificates."""
    metadata = body["metadata"]
    place = {"namespace": _text(metadata.get("namespace")), "name": _text(metadata.get("name"))}
    kind = _text(body.get("type"))
    keys = {key for part in ("data", "stringData") for key in _map(body.get(part))}
    yield "secret", {**place, "type": kind, "keys": len(keys), "created": _text(metadata.get("creationTimestamp"))}
    if kind == "helm.sh/release.v1" and place["name"].startswith(plan.HELM_PREFIX):
        labels = _map(metadata.get("labels"))
        yield "helm", {**place, "labels": {key: labels[key] for key in plan.HELM_LABELS if isinstance(labels.get(key), str)}}
    data = {key: value for key, value in _map(body.get("data")).items() if isinstance(value, str) and len(value) < _LONGEST}
    found = public_part({"metadata": place, "type": kind, "data": data}, [])
    if found["certificates"]:
        yield "certificate", {**found, **_private_key(data, found)}


def exposed(body: dict[str, Any]) -> int:
    """Return how many values of a Secret stand in the bundle. Public certificates are none, nor is what was hidden."""
    plain, data = _map(body.get("stringData")).values(), _map(body.get("data"))
    own = _bytes(_map(body.get("metadata")).get("namespace"))  # stands beside a service account's token
    coded = [value for key, value in data.items() if key != "namespace" or decoded(value) != own]
    shown = sum(not _is_hidden(_bytes(value)) for value in plain)
    return shown + sum(not _is_hidden(_bytes(value)) and not _is_hidden(decoded(value)) for value in coded)


def decoded(value: Any) -> bytes:
    """Return what a value of a Secret's ``data`` stands for; itself where it is no base64."""
    raw = _bytes(value)
    try:
        return base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        return raw


def _is_hidden(content: bytes) -> bool:
    if len(content) > _LONGEST:
        return False
    marked = layout.MARKER_START.encode() in content or HIDDEN.encode() in content
    return marked or any(one.fullmatch(content) for one in (_LENGTH, _SIGNS, _CERTIFICATES))


def _private_key(data: dict[str, Any], found: dict[str, object]) -> dict[str, str]:
    """Return what is known of a private key that was hidden: how long it is says at least that it is there."""
    if found["private_key"] == "yes":
        return {}
    hidden = [decoded(data[key]) for key in sorted(data) if key in _KEY_NAMES]
    lengths = [int(match.group(1)) for content in hidden if (match := _LENGTH.fullmatch(content))]
    if any(lengths):
        return {"private_key": "yes", "key_matches": "unknown"}
    unclear = any(content and not _LENGTH.fullmatch(content) for content in hidden)
    return {"private_key": "unknown" if unclear else "no", "key_matches": "unknown"}


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _bytes(value: Any) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else b"" if value is None else str(value).encode()
