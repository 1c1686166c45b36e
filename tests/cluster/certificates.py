"""The certificates and the key that the test cluster serves with, new in each run."""

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificates:
    """PEM files: an authority, and a server certificate of it for 127.0.0.1 and localhost with its key.

    `service_account_key` signs tokens; kube-apiserver does not start without one.
    """

    authority: Path
    server: Path
    server_key: Path
    service_account_key: Path


def make_certificates(folder: Path, common_name: str) -> Certificates:
    """Writes them into `folder`; valid from yesterday for a week."""
    authority_key, server_key, account_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    authority = _certificate(f"{common_name}-ca", authority_key, f"{common_name}-ca", authority_key, is_authority=True)
    server = _certificate(common_name, server_key, f"{common_name}-ca", authority_key, is_authority=False)
    made = Certificates(*(folder / f"{common_name}.{name}" for name in ("ca.pem", "pem", "key", "account.key")))
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.server.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    for path, key in ((made.server_key, server_key), (made.service_account_key, account_key)):
        path.touch(mode=0o600)
        path.write_bytes(_pem(key))
    return made


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: str, issuer_key: ec.EllipticCurvePrivateKey, *, is_authority: bool
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=7))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        # Python 3.13 checks strictly and wants these two, and the authority's key usage
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )
    if is_authority:
        builder = builder.add_extension(_usage_of_an_authority(), critical=True)
    else:
        builder = builder.add_extension(x509.SubjectAlternativeName([loopback, x509.DNSName("localhost")]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _usage_of_an_authority() -> x509.KeyUsage:
    others = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    unused = dict.fromkeys([*others, "encipher_only", "decipher_only"], False)
    return x509.KeyUsage(key_cert_sign=True, crl_sign=True, **unused)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
