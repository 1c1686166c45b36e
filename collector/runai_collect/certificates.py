"""TLS and CA Secrets → their public certificates, and whether a private key is there and fits. A key never leaves memory."""

import base64
import ctypes
import os
import re
import ssl
from contextlib import suppress
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from . import plan

_CERTIFICATE = re.compile(rb"-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[A-Za-z0-9+/=\s]+"
                          rb"-----END (?:TRUSTED |X509 )?CERTIFICATE-----")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")      # of a namespace or a Secret: a DNS-1123 subdomain
_KEY = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")


class Reference(NamedTuple):
    """Something that names a Secret as its certificate: ``by`` reads "Ingress runai/x"."""

    namespace: str
    secret: str
    by: str


def references(value: Dict[str, Any]) -> Iterator[Reference]:
    """Yield the Secrets that an Ingress (``tls``) or a Gateway (``listeners``) names as certificates."""
    metadata, spec = value.get("metadata") or {}, value.get("spec") or {}
    namespace = metadata.get("namespace", "")
    by = "%s %s/%s" % (value.get("kind"), namespace, metadata.get("name", ""))
    for entry in spec.get("tls") or []:
        if entry.get("secretName"):
            yield Reference(namespace, entry["secretName"], by)
    for listener in spec.get("listeners") or []:
        for entry in (listener.get("tls") or {}).get("certificateRefs") or []:
            if entry.get("name") and entry.get("kind", "Secret") == "Secret":
                yield Reference(str(entry.get("namespace") or namespace), str(entry["name"]), by)


def wanted(found: Set[Reference], most: int) -> List[Tuple[str, str, List[str]]]:
    """Return (namespace, name, referenced by) of every Secret to read whole: those of the plan, then ``most`` others."""
    by = {}  # type: Dict[Tuple[str, str], List[str]]
    for reference in sorted(found):
        by.setdefault((reference.namespace, reference.secret), []).append(reference.by)
    others = sorted(set(by) - set(plan.CERTIFICATE_SECRETS))[:most]
    return [(namespace, name, by.get((namespace, name), [])) for namespace, name in list(plan.CERTIFICATE_SECRETS) + others]


def can_be(*names: str) -> bool:
    """Return whether namespaces or Secrets can have these names: a Gateway may name anything."""
    return all(map(_NAME.fullmatch, names))


def public_part(secret: Dict[str, Any], referenced_by: List[str]) -> Dict[str, object]:
    """Return the row of a Secret: its public certificates, and what is known of its private key. Nothing else of it."""
    metadata, data = secret.get("metadata") or {}, secret.get("data") or {}
    contents = {name: _decoded(data[name]) for name in sorted(data)}
    chains = {name: b"".join([block + b"\n" for block in _CERTIFICATE.findall(contents[name])]) for name in contents}
    keys = [content for content in contents.values() if _KEY.search(content)]
    leaf = chains.get("tls.crt", b"")
    return {
        "namespace": metadata.get("namespace", ""), "name": metadata.get("name", ""), "type": secret.get("type", ""),
        "certificates": [{"key": name, "pem": chains[name].decode("ascii")} for name in chains if chains[name]],
        "private_key": "yes" if keys else "no",
        "key_matches": key_matches(leaf, keys[0]) if leaf and len(keys) == 1 else "unknown",
        "referenced_by": referenced_by}


def _decoded(value: Any) -> bytes:
    with suppress(TypeError, ValueError):
        return base64.b64decode(value)
    return b""


# What OpenSSL says of a key that is another one, or of another type than the certificate's.
_MISMATCHES = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED", "NO_PRIVATE_KEY_ASSIGNED")


def key_matches(chain: bytes, key: bytes) -> str:
    """Return whether a private key belongs to the first certificate of a chain: yes, no or unknown. Only memory is used."""
    files = []  # type: List[int]
    try:
        files = [_memory_file(chain), _memory_file(key)]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_ciphers("ALL:@SECLEVEL=0")      # a short key is the analyzer's to judge
        context.load_cert_chain("/proc/self/fd/%d" % files[0], "/proc/self/fd/%d" % files[1], password=lambda: b"")
    except ssl.SSLError as error:
        return "no" if error.reason in _MISMATCHES else "unknown"
    except (OSError, AttributeError, ValueError):
        return "unknown"
    finally:
        for file in files:
            os.close(file)
    return "yes"


def _memory_file(content: bytes) -> int:
    """Return a file in memory alone. Raises OSError or AttributeError where there is no such thing (not Linux, old glibc)."""
    file = ctypes.CDLL(None).memfd_create(b"runai-collect", 1)      # os has it from Python 3.8 on
    if file < 0:
        raise OSError("no file in memory")
    os.write(file, content)
    return int(file)
