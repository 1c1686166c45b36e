"""Public certificates out of Secrets; keys stay in memory."""

import base64
import datetime
import json

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from runai_collect.certificates import Reference, key_matches, public_part, references, wanted
from runai_collect.plan import CERTIFICATE_SECRETS

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def pem_key(key: Key, password: bytes = b"") -> bytes:
    encryption: serialization.KeySerializationEncryption = (
        serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    )
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def certificate(key: Key) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "runai.example.com")])
    moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(moment)
        .not_valid_after(moment + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


EC_KEY, OTHER, SMALL = (
    ec.generate_private_key(ec.SECP256R1()),
    ec.generate_private_key(ec.SECP256R1()),
    rsa.generate_private_key(public_exponent=65537, key_size=1024),
)


def secret(**data: bytes) -> dict[str, object]:
    return {
        "metadata": {"namespace": "runai", "name": "tls"},
        "type": "kubernetes.io/tls",
        "data": {name.replace("_", "."): base64.b64encode(value).decode() for name, value in data.items()},
    }


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (pem_key(EC_KEY), "yes"),
        (pem_key(OTHER), "no"),
        (pem_key(SMALL), "no"),
        (pem_key(EC_KEY, b"pw"), "unknown"),
        (b"-----BEGIN PRIVATE KEY-----\nbroken", "unknown"),
    ],
)
def test_whether_a_key_matches(key: bytes, expected: str) -> None:
    assert key_matches(certificate(EC_KEY), key) == expected


def test_a_short_key_is_not_refused() -> None:
    assert key_matches(certificate(SMALL), pem_key(SMALL)) == "yes"


def test_a_certificate_that_has_expired_still_matches_its_key() -> None:
    assert key_matches(certificate(EC_KEY), pem_key(EC_KEY)) == "yes"


def test_only_public_certificates_are_kept() -> None:
    chain = certificate(EC_KEY) + certificate(OTHER)
    row = public_part(secret(tls_crt=b"# a comment\n" + chain, tls_key=pem_key(EC_KEY), note=b"password"), ["Ingress runai/x"])
    assert row == {
        "namespace": "runai",
        "name": "tls",
        "type": "kubernetes.io/tls",
        "certificates": [{"key": "tls.crt", "pem": chain.decode()}],
        "private_key": "yes",
        "key_matches": "yes",
        "referenced_by": ["Ingress runai/x"],
    }
    assert "PRIVATE" not in json.dumps(row)


def test_a_key_inside_of_the_certificates_file_is_left_behind() -> None:
    public = certificate(EC_KEY)
    row = public_part(secret(tls_crt=pem_key(EC_KEY) + public), [])
    assert row["private_key"] == "yes"
    assert row["certificates"] == [{"key": "tls.crt", "pem": public.decode()}]


def test_a_ca_has_no_key_and_a_strange_secret_nothing() -> None:
    ca = public_part(secret(runai_ca_pem=certificate(EC_KEY)), [])
    assert (ca["private_key"], ca["key_matches"]) == ("no", "unknown")
    strange = public_part({"metadata": {}, "data": {"a": "not base64!", "b": None}}, [])
    assert (strange["certificates"], strange["private_key"]) == ([], "no")


def test_ingresses_and_gateways_name_secrets() -> None:
    ingress = {
        "kind": "Ingress",
        "metadata": {"namespace": "runai", "name": "x"},
        "spec": {"tls": [{"secretName": "a"}, {"hosts": ["h"]}]},
    }
    listeners = [
        {"tls": {"certificateRefs": [{"name": "b"}, {"name": "c", "namespace": "certs"}, {"kind": "Other", "name": "d"}]}},
        {},
    ]
    gateway = {"kind": "Gateway", "metadata": {"namespace": "gw", "name": "y"}, "spec": {"listeners": listeners}}
    odd = {**gateway, "spec": {"listeners": [{"tls": {"certificateRefs": [{"name": 7, "namespace": ["x"]}]}}]}}
    assert list(references(odd)) == [("['x']", "7", "Gateway gw/y")], "they are sorted among others"
    assert list(references(ingress)) == [("runai", "a", "Ingress runai/x")]
    assert list(references(gateway)) == [("gw", "b", "Gateway gw/y"), ("certs", "c", "Gateway gw/y")]


def test_wanted_are_those_of_the_plan_then_a_bounded_number_of_others() -> None:
    found = {Reference("z", f"s{number}", "Ingress z/i") for number in range(5)} | {
        Reference(*CERTIFICATE_SECRETS[0], "Ingress runai/x")
    }
    rows = wanted(found, 2)
    assert [(namespace, name) for namespace, name, _ in rows] == [*CERTIFICATE_SECRETS, ("z", "s0"), ("z", "s1")]
    assert rows[0][2] == ["Ingress runai/x"]
