"""Certificates for scenarios, made while loading: a private authority, an intermediate, and leaves as a scenario wishes them."""

import base64
import datetime
import ipaddress
from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Object = dict[str, Any]

DAYS = (-30, 365)


@dataclass(frozen=True)
class Wish:
    """What the certificate in a Secret shall be like."""

    secret: str  # namespace/name
    hosts: list[str]  # DNS names or IP addresses
    days: tuple[int, int] | list[int] = DAYS  # valid from and to, in days from now
    chain: str = "full"  # full: leaf and intermediate; leaf: the leaf alone; self: a leaf that signs itself
    key: str = "own"  # own; other: tls.key belongs to another certificate
    type: str = "kubernetes.io/tls"


class Authority:
    """Root and intermediate of the invented company; keys are new in each run."""

    def __init__(self, now: datetime.datetime) -> None:
        self._now = now
        self._root_key, self._intermediate_key = _key(), _key()
        root_name, intermediate_name = _name("Acme Root CA"), _name("Acme Issuing CA 1")
        years = (-700, 3000)
        self._root = self._sign(root_name, self._root_key, root_name, self._root_key, years, path_length=1)
        self._intermediate = self._sign(
            intermediate_name, self._intermediate_key, root_name, self._root_key, years, path_length=0
        )

    @property
    def root_pem(self) -> str:
        return _pem(self._root)

    def secret(self, wish: Wish) -> Object:
        """A Secret manifest with tls.crt and tls.key as wished."""
        key = _key()
        name = _name(wish.hosts[0])
        issuer, issuer_key = (self._intermediate.subject, self._intermediate_key) if wish.chain != "self" else (name, key)
        leaf = self._sign(name, key, issuer, issuer_key, tuple(wish.days), hosts=wish.hosts)
        chain = _pem(leaf) + (_pem(self._intermediate) if wish.chain == "full" else "")
        private = key if wish.key == "own" else _key()
        namespace, secret_name = wish.secret.split("/")
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"namespace": namespace, "name": secret_name},
            "type": wish.type,
            "data": {"tls.crt": _encode(chain), "tls.key": _encode(_private_pem(private))},
        }

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        issuer: x509.Name,
        issuer_key: ec.EllipticCurvePrivateKey,
        days: tuple[int, ...],
        hosts: list[str] | None = None,
        path_length: int | None = None,
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now + datetime.timedelta(days=days[0]))
            .not_valid_after(self._now + datetime.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=hosts is None, path_length=path_length), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        )
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        return builder.sign(issuer_key, hashes.SHA256())


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Acme"), x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
