"""The made kind ``Certificate``: one for each leaf in the collected certificates, with the hosts that it is expected to cover."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PSS, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

from ..bundle.coverage import RECOLLECT
from ..model import Item, Missing, ObjectRef, Problem, Step, Unknown
from ..objects.hosts import covers
from .index import Index, Seen
from .reading import dig, items, mappings, text, tree, unknown
from .runai import BACKEND, NAMESPACE, is_address

_MAX_PEM = 500_000
_MAX_CHAIN = 20
_CLUSTER_SECRET = "runai-cluster-domain-tls-secret"  # noqa: S105 - names of Secrets, not their values
_STAR_SECRET = "runai-cluster-domain-star-tls-secret"  # noqa: S105
_SERVED = "tls.crt"  # the key that Ingresses and Gateways serve; others beside it hold authorities
_BACKEND_SECRET = "runai-backend-tls"  # noqa: S105


class Found(NamedTuple):
    """What the collected certificates are; ``lacking``: those that cannot be read or were not asked for, by namespace."""

    items: list[Item]
    problems: list[Problem]
    lacking: list[tuple[str, Missing]]


def certificates(index: Index, cluster: Mapping[str, Any], steps: Sequence[Step] = ()) -> Found:
    """Return the ``Certificate`` items in the order of the bundle, and a problem for each text that holds none."""
    found = Found([], [], [])
    hosts = hosts_by_secret(index, cluster)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of certificates that are not quite to standard; the fields say all that is known
        for row in index.certificates:
            for entry in mappings(row.body.get("certificates")):
                _add(found, row, entry, hosts)
    found.lacking.extend(_not_asked_for(hosts, index, steps))
    return found


def _add(found: Found, row: Seen, entry: Mapping[str, Any], hosts: Mapping[tuple[str, str], list[str]]) -> None:
    chain = load_chain(text(entry.get("pem")))
    if isinstance(chain, list):
        found.items.append(_certificate(row, text(entry.get("key")), chain, hosts))
        return
    name = f"{row.ref.namespace}/{row.ref.name}"
    found.problems.append(Problem(row.ref.member, f"the certificate in Secret {name} is unreadable: {chain}"))
    found.lacking.append((row.ref.namespace, Missing(f"the certificate of {name}", f"it is unreadable: {chain}", RECOLLECT)))


def _not_asked_for(hosts: Iterable[tuple[str, str]], index: Index, steps: Sequence[Step]) -> Iterator[tuple[str, Missing]]:
    """Yield the Secrets that should hold a certificate, and that no step of the bundle is about."""
    asked = {step.id.partition(":")[2] for step in steps if step.id.startswith("certificate:")}
    asked |= {f"{row.ref.namespace}/{row.ref.name}" for row in index.certificates}
    for namespace, name in hosts if steps else ():
        if f"{namespace}/{name}" not in asked:
            yield namespace, Missing(f"the certificate of {namespace}/{name}", "the bundle has no step for it", RECOLLECT)


def load_chain(pem: str) -> list[x509.Certificate] | str:
    """Return the certificates of a PEM text in its order; what is wrong, in words, when there are none to be had."""
    if len(pem) > _MAX_PEM:
        return f"it is longer than {_MAX_PEM} characters"
    try:
        chain = x509.load_pem_x509_certificates(pem.encode("utf-8", "replace"))
    except Exception as error:  # the library's own list of errors is not complete, and what it reads here may be anything
        return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return chain[:_MAX_CHAIN] or "it holds none"


def _certificate(row: Seen, key: str, chain: list[x509.Certificate], hosts: Mapping[tuple[str, str], list[str]]) -> Item:
    leaf, secret = chain[0], (row.ref.namespace, row.ref.name)
    fields, expected = _leaf_fields(leaf), hosts.get(secret, []) if key == _SERVED else []
    body = {
        "apiVersion": "made/v1",
        "kind": "Certificate",
        "metadata": {"namespace": secret[0], "name": secret[1]},
        "key": key,
        **fields,
        "self_signed": signed_by(leaf, leaf),
        "chain_length": len(chain),
        "chain_complete": chain_complete(chain),
        "private_key": _word(row.body.get("private_key"), "whether the private key is there"),
        "key_matches": _word(row.body.get("key_matches"), "whether the private key matches"),
        "expected_hosts": expected,
        "uncovered_hosts": uncovered(expected, fields["dns_names"]),
        "referenced_by": [text(one) for one in items(row.body.get("referenced_by")) if isinstance(one, str)],
    }
    ref = ObjectRef("Certificate", secret[1], secret[0], row.ref.member, row.ref.line)
    return Item("Certificate", "made", tree(body), ref, {"": row.ref})


def uncovered(hosts: list[str], names: list[str] | Unknown) -> list[str] | Unknown:
    """Return the hosts that none of the names is valid for; a wildcard host is covered by the same wildcard only."""
    if isinstance(names, Unknown):
        return names if hosts else []
    return [host for host in hosts if not any(covers(name, host) for name in names)]


def _word(value: Any, what: str) -> Any:
    return value if value in ("yes", "no") else unknown(what, "the collector could not tell")


def _leaf_fields(leaf: x509.Certificate) -> dict[str, Any]:
    """Read names and dates; a certificate can be well formed outside and broken inside, and then that field is Unknown."""
    readers = {
        "subject": lambda: leaf.subject.rfc4514_string(),
        "issuer": lambda: leaf.issuer.rfc4514_string(),
        "dns_names": lambda: dns_names(leaf),
        "is_ca": lambda: _is_ca(leaf),
        "not_before": lambda: _time(leaf.not_valid_before_utc),
        "not_after": lambda: _time(leaf.not_valid_after_utc),
    }
    return {name: _guarded(name, reader) for name, reader in readers.items()}


def _guarded(name: str, reader: Any) -> Any:
    try:
        return reader()
    except Exception as error:  # as above: a field that cannot be read is Unknown, whatever the library says of it
        return unknown(f"{name} of the certificate", f"it cannot be read: {str(error)[:100]}")


def dns_names(leaf: x509.Certificate) -> list[str]:
    """Return the subject alternative names (DNS and IP). The common name is none: clients stopped looking at it."""
    try:
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [*names.get_values_for_type(x509.DNSName), *(str(one) for one in names.get_values_for_type(x509.IPAddress))]


def _is_ca(leaf: x509.Certificate) -> bool:
    try:
        return leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def chain_complete(chain: list[x509.Certificate]) -> bool | Unknown:
    """Tell whether each certificate is signed by the next one; a leaf alone is complete only when it signed itself."""
    pairs = list(pairwise(chain)) or [(chain[0], chain[0])]
    answers = [signed_by(one, other) for one, other in pairs]
    if False in answers:
        return False
    return next((answer for answer in answers if isinstance(answer, Unknown)), True)


def signed_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool | Unknown:
    """Tell whether the issuer's key signed the certificate; Unknown where the algorithm is one that cannot be checked."""
    try:
        return certificate.issuer == issuer.subject and _verify(certificate, issuer.public_key())
    except InvalidSignature:
        return False
    except Exception as error:  # UnsupportedAlgorithm, and whatever else a broken certificate brings forth
        return unknown("who signed the certificate", f"it cannot be checked: {str(error)[:100]}")


def _verify(certificate: x509.Certificate, key: CertificatePublicKeyTypes) -> bool:
    """Tell whether a key's algorithm is that of the signature; raises InvalidSignature for another key of the same algorithm.

    Not ``verify_directly_issued_by``: cryptography 50.0 refuses SHA-1 by the error that says of others that they did not sign.
    """
    signature, data = certificate.signature, certificate.tbs_certificate_bytes
    how, digest = certificate.signature_algorithm_parameters, certificate.signature_hash_algorithm
    if isinstance(key, rsa.RSAPublicKey) and isinstance(how, PKCS1v15 | PSS) and digest:
        key.verify(signature, data, how, digest)
    elif isinstance(key, ec.EllipticCurvePublicKey) and isinstance(how, ec.ECDSA):
        key.verify(signature, data, how)
    elif isinstance(key, ed25519.Ed25519PublicKey | ed448.Ed448PublicKey) and digest is None:
        key.verify(signature, data)
    elif isinstance(key, dsa.DSAPublicKey) and digest:
        key.verify(signature, data, digest)
    else:
        return False
    return True


def hosts_by_secret(index: Index, cluster: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    """Return the hosts that the certificate of each Secret must cover: by Run:ai's own names, by Ingresses, by Gateways."""
    found: dict[tuple[str, str], list[str]] = {}
    host, control_plane = dig(cluster, "runai", "url_host"), dig(cluster, "runai", "control_plane_host")
    if isinstance(host, str):
        found[NAMESPACE, _CLUSTER_SECRET] = [host]
        found[NAMESPACE, _STAR_SECRET] = [] if is_address(host) else [f"*.{host}"]  # below an address there are no names
    if isinstance(control_plane, str):
        found[BACKEND, _BACKEND_SECRET] = [control_plane]
    for secret, names in (*_ingress_hosts(index), *_gateway_hosts(index)):
        known = found.setdefault(secret, [])
        known += [name for name in names if name and name not in known]
    return found


def _ingress_hosts(index: Index) -> list[tuple[tuple[str, str], list[str]]]:
    return [
        ((seen.namespace, text(entry.get("secretName"))), [host for host in items(entry.get("hosts")) if isinstance(host, str)])
        for seen in index.of("Ingress", "networking.k8s.io")
        for entry in mappings(dig(seen.body, "spec", "tls"))
        if text(entry.get("secretName"))
    ]


def _gateway_hosts(index: Index) -> list[tuple[tuple[str, str], list[str]]]:
    return [
        ((text(ref.get("namespace")) or seen.namespace, text(ref.get("name"))), [text(listener.get("hostname"))])
        for seen in index.of("Gateway", "gateway.networking.k8s.io")
        for listener in mappings(dig(seen.body, "spec", "listeners"))
        for ref in mappings(dig(listener, "tls", "certificateRefs"))
    ]
