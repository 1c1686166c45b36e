"""What is kept of Secrets: names and public certificates, and of values only how many there were."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID
from runai_analyze.bundle.intake.secrets import exposed, rows_of

from tests.bundle.intake.member import messages, secret, taken

VALUE = "Tr0ub4dor-and-3-Planted"


def _made(host: str) -> tuple[str, str]:
    """Return a certificate and its private key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, begin + timedelta(days=400))
    pem = builder.sign(key, SHA256()).public_bytes(serialization.Encoding.PEM)
    coded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem.decode(), coded.decode()


CERTIFICATE, KEY = _made("gpu.acme.example")
OTHER_KEY = _made("other.example")[1]


def certificate_row(**data: str) -> dict[str, object]:
    return dict(rows_of(secret("a", "kubernetes.io/tls", **data)))["certificate"]


def test_no_value_is_kept() -> None:
    into = taken(secret(password=VALUE, other=VALUE))
    kept = json.dumps([record.body for record in into.spool.records(None)])
    for text in (VALUE, base64.b64encode(VALUE.encode()).decode()):
        assert text not in kept + json.dumps(messages(into))
    assert [(one.namespace, one.name, one.values) for one in into.exposed] == [("runai", "a", 2)]


def test_values_of_string_data_too() -> None:
    body = secret()
    body["stringData"] = {"a": VALUE, "b": "***HIDDEN***"}
    assert exposed(body) == 1


@pytest.mark.parametrize(
    "hidden", ["12 bytes long", "0 bytes long", "", "***HIDDEN***", "«redacted:secret-object»", "*****", "<redacted>", "REDACTED"]
)
def test_what_was_hidden_is_no_value(hidden: str) -> None:
    assert exposed(secret(password=hidden)) == 0
    assert exposed({**secret(), "data": {"password": hidden}}) == 0


def test_the_namespace_beside_a_token_is_no_secret() -> None:
    assert exposed(secret(namespace="runai", token=VALUE)) == 1
    assert exposed(secret(namespace=VALUE)) == 1


def test_public_certificates_are_no_values_and_private_keys_are() -> None:
    assert exposed(secret(ca_crt=CERTIFICATE, b=f"# of Acme\n{CERTIFICATE}{CERTIFICATE}\n")) == 0
    assert exposed(secret(tls_crt=CERTIFICATE, tls_key=KEY)) == 1
    assert exposed(secret(both=CERTIFICATE + KEY)) == 1


def test_a_certificate_keeps_its_public_part() -> None:
    row = certificate_row(tls_crt=CERTIFICATE + KEY, tls_key=KEY)
    assert "PRIVATE KEY" not in json.dumps(row)
    (entry,) = row["certificates"]
    assert x509.load_pem_x509_certificate(entry["pem"].encode()).subject.rfc4514_string() == "CN=gpu.acme.example"


@pytest.mark.parametrize(
    ("data", "key", "matches"),
    [
        ({"tls_key": KEY}, "yes", "yes"),
        ({"tls_key": OTHER_KEY}, "yes", "no"),
        ({"tls_key": "1675 bytes long"}, "yes", "unknown"),
        ({"tls_key": "0 bytes long"}, "no", "unknown"),
        ({"tls_key": "***HIDDEN***"}, "unknown", "unknown"),
        ({}, "no", "unknown"),
    ],
)
def test_what_is_known_of_the_private_key(data: dict[str, str], key: str, matches: str) -> None:
    row = certificate_row(tls_crt=CERTIFICATE, **data)
    assert (row["private_key"], row["key_matches"]) == (key, matches)
