"""The made kind Certificate: leaf, chain, hosts. The certificates are made here."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from runai_analyze.bundle.source import Record
from runai_analyze.facts.certificates import certificates, hosts_by_secret
from runai_analyze.facts.certificates import uncovered as uncovered_of
from runai_analyze.facts.index import add
from runai_analyze.facts.reading import unknown
from runai_analyze.model import Step

from .helpers import index_of, is_unknown

CLUSTER = {"runai": {"url_host": "gpu.acme.example", "control_plane_host": "cp.acme.example"}}


class Made:
    """A certificate with its key, signed by another one or by itself."""

    def __init__(self, name: str, issuer: Made | None = None, hosts: tuple[str, ...] = (), ca: bool = False) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.subject)
            .issuer_name((issuer or self).subject)
            .public_key(self.key.public_key())
            .serial_number(7)
            .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
            .not_valid_after(datetime(2027, 1, 1, 12, 30, tzinfo=UTC))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        self.certificate = builder.sign((issuer or self).key, hashes.SHA256())

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()


ROOT = Made("Acme Root", ca=True)
ISSUING = Made("Acme Issuing", ROOT, ca=True)
LEAF = Made("gpu.acme.example", ISSUING, ("gpu.acme.example", "*.gpu.acme.example"))
ALONE = Made("self", hosts=("self.example",))


def found(
    pem: str, *objects: dict[str, Any], namespace: str = "runai", name: str = "x", **row: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    index, _ = index_of(*objects)
    body = {
        "namespace": namespace,
        "name": name,
        "certificates": [{"key": "tls.crt", "pem": pem}],
        "private_key": "yes",
        "key_matches": "yes",
        **row,
    }
    add(index, Record("certificate", body, "certificates/0001.jsonl", 3))
    made, problems, _ = certificates(index, CLUSTER)
    return [dict(item.body) for item in made], [problem.message for problem in problems]


def test_the_fields_of_a_leaf() -> None:
    (body,), problems = found(LEAF.pem + ISSUING.pem, referenced_by=["Ingress runai/x"])
    assert problems == []
    del body["apiVersion"], body["kind"]
    assert body == {
        "metadata": {"namespace": "runai", "name": "x"},
        "key": "tls.crt",
        "subject": "CN=gpu.acme.example",
        "issuer": "CN=Acme Issuing",
        "dns_names": ["gpu.acme.example", "*.gpu.acme.example"],
        "is_ca": False,
        "not_before": "2026-01-01T00:00:00Z",
        "not_after": "2027-01-01T12:30:00Z",
        "self_signed": False,
        "chain_length": 2,
        "chain_complete": True,
        "private_key": "yes",
        "key_matches": "yes",
        "expected_hosts": [],
        "uncovered_hosts": [],
        "referenced_by": ["Ingress runai/x"],
    }


@pytest.mark.parametrize(
    ("chain", "complete", "self_signed"),
    [
        ([LEAF, ISSUING, ROOT], True, False),
        ([LEAF, ISSUING], True, False),
        ([LEAF], False, False),
        ([LEAF, ROOT], False, False),
        ([ISSUING, LEAF], False, False),
        ([ALONE], True, True),
        ([ROOT], True, True),
    ],
)
def test_chains(chain: list[Made], complete: bool, self_signed: bool) -> None:
    (body,), _ = found("".join(one.pem for one in chain))
    assert (body["chain_complete"], body["self_signed"], body["chain_length"]) == (complete, self_signed, len(chain))


def test_an_issuer_of_the_same_name_with_another_key_did_not_sign() -> None:
    (body,), _ = found(LEAF.pem + Made("Acme Issuing", ROOT, ca=True).pem)
    assert body["chain_complete"] is False


def test_text_that_is_no_certificate_is_a_problem() -> None:
    bodies, problems = found("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    assert bodies == []
    assert problems[0].startswith("the certificate in Secret runai/x is unreadable: ")
    assert found("x" * 600_000)[1] == ["the certificate in Secret runai/x is unreadable: it is longer than 500000 characters"]


def test_what_the_collector_could_not_tell_is_unknown() -> None:
    (body,), _ = found(LEAF.pem, private_key="unknown", key_matches=7)
    assert is_unknown(body["private_key"])
    assert is_unknown(body["key_matches"])


@pytest.mark.parametrize(
    ("namespace", "name", "hosts"),
    [
        ("runai", "runai-cluster-domain-tls-secret", ["gpu.acme.example"]),
        ("runai", "runai-cluster-domain-star-tls-secret", ["*.gpu.acme.example"]),
        ("runai-backend", "runai-backend-tls", ["cp.acme.example"]),
        ("runai-backend", "runai-cluster-domain-tls-secret", []),
    ],
)
def test_hosts_of_the_secrets_of_runai(namespace: str, name: str, hosts: list[str]) -> None:
    assert found(LEAF.pem, namespace=namespace, name=name)[0][0]["expected_hosts"] == hosts


def test_hosts_of_ingresses_and_gateways() -> None:
    ingress = {
        "kind": "Ingress",
        "metadata": {"namespace": "runai", "name": "i"},
        "spec": {"tls": [{"secretName": "x", "hosts": ["a.example", 5]}, {"hosts": ["b"]}]},
    }
    listener = {"hostname": "*.inference.example", "tls": {"certificateRefs": [{"name": "x", "namespace": "runai"}]}}
    gateway = {
        "kind": "Gateway",
        "metadata": {"namespace": "edge", "name": "g"},
        "spec": {"listeners": [listener, {"name": "plain"}]},
    }
    assert found(LEAF.pem, ingress, ingress, gateway)[0][0]["expected_hosts"] == ["a.example", "*.inference.example"]


@pytest.mark.parametrize(
    ("names", "uncovered"),
    [
        (("gpu.acme.example", "*.gpu.acme.example"), ["a.example"]),
        (("*.acme.example", "A.example"), ["*.gpu.acme.example"]),
        (("old.example",), ["*.gpu.acme.example", "gpu.acme.example", "a.example"]),
        ((), ["*.gpu.acme.example", "gpu.acme.example", "a.example"]),
    ],
)
def test_uncovered_hosts_are_those_that_no_name_is_valid_for(names: tuple[str, ...], uncovered: list[str]) -> None:
    hosts = ["gpu.acme.example", "a.example"]
    ingress = {"kind": "Ingress", "metadata": {"namespace": "runai", "name": "i"}}
    ingress["spec"] = {"tls": [{"secretName": "runai-cluster-domain-star-tls-secret", "hosts": hosts}]}
    (body,), _ = found(Made("x", hosts=names).pem, ingress, name="runai-cluster-domain-star-tls-secret")
    assert body["uncovered_hosts"] == uncovered


def test_names_that_cannot_be_read_cover_nobody_knows_what() -> None:
    twice = unknown("names", "broken")
    assert uncovered_of(["a.example"], twice) is twice
    assert uncovered_of([], twice) == []


def test_what_stands_beside_the_served_certificate_need_not_cover_its_hosts() -> None:
    index, _ = index_of()
    chains = [{"key": "tls.crt", "pem": LEAF.pem}, {"key": "ca.crt", "pem": ROOT.pem}]
    row = {"namespace": "runai", "name": "runai-cluster-domain-tls-secret", "certificates": chains}
    add(index, Record("certificate", row, "certificates/0001.jsonl", 1))
    bodies = [item.body for item in certificates(index, CLUSTER)[0]]
    assert [(body["key"], body["expected_hosts"]) for body in bodies] == [("tls.crt", ["gpu.acme.example"]), ("ca.crt", [])]


def test_below_an_address_there_are_no_names_to_cover() -> None:
    hosts = hosts_by_secret(index_of()[0], {"runai": {"url_host": "10.20.0.10"}})
    assert hosts["runai", "runai-cluster-domain-tls-secret"] == ["10.20.0.10"]
    assert hosts["runai", "runai-cluster-domain-star-tls-secret"] == []


def test_evidence_is_the_secret() -> None:
    index, _ = index_of()
    add(
        index,
        Record(
            "certificate",
            {"namespace": "a", "name": "s", "certificates": [{"key": "k", "pem": LEAF.pem}]},
            "certificates/0001.jsonl",
            3,
        ),
    )
    (item,), _, _ = certificates(index, {})
    assert (str(item.origins[""]), item.origins[""].member, item.origins[""].line) == ("Secret a/s", "certificates/0001.jsonl", 3)


def altered(old: bytes, new: bytes) -> str:
    """A certificate of which some bytes were changed, so that only its signature is wrong to one who does not look."""
    data = ALONE.certificate.public_bytes(serialization.Encoding.DER)
    assert old in data
    assert len(old) == len(new)
    return armoured(data.replace(old, new, 1))


def armoured(data: bytes) -> str:
    return "-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(data).decode() + "-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a003020102", "a003020104"),  # version 5
        ("020107", "020187"),  # a negative serial number
        ("820c73656c662e6578616d706c65", "830c73656c662e6578616d706c65"),  # a general name of a kind that nobody reads
        ("0603551d11", "0603551d13"),  # one extension twice
        ("2a8648ce3d0201", "2a8648ce3d0209"),  # a key of an unknown kind
        ("2a8648ce3d0403", "2a8648ce3d0409"),  # a signature of an unknown kind
        ("550403", "55042d"),  # a name's attribute that must be a bit string
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_certificate_that_is_broken_inside_is_a_problem_or_has_unknown_fields(old: str, new: str) -> None:
    made, problems = found(altered(bytes.fromhex(old), bytes.fromhex(new)))
    assert len(made) + len(problems) == 1


def test_bytes_changed_anywhere_do_no_harm() -> None:
    data = ALONE.certificate.public_bytes(serialization.Encoding.DER)
    for place in range(len(data)):
        for bit in (1, 0x10, 0x80):
            changed = bytearray(data)
            changed[place] ^= bit
            made, problems = found(armoured(bytes(changed)))
            assert len(made) + len(problems) == 1


def test_a_certificate_that_cannot_be_read_or_was_not_asked_for_is_lacking() -> None:
    index, _ = index_of()
    add(index, Record("certificate", {"namespace": "a", "name": "b", "certificates": [{"key": "tls.crt", "pem": "x"}]}, "m", 1))
    steps = (Step("certificate:runai/runai-cluster-domain-tls-secret", "", "", "ok"),)
    lacking = certificates(index, CLUSTER, steps).lacking
    assert [(namespace, missing.what) for namespace, missing in lacking] == [
        ("a", "the certificate of a/b"),
        ("runai", "the certificate of runai/runai-cluster-domain-star-tls-secret"),
        ("runai-backend", "the certificate of runai-backend/runai-backend-tls"),
    ]
    assert len(certificates(index, CLUSTER).lacking) == 1
