"""Certificates of the corpus: each is read, or is an explicit problem, or has fields that are unknown with their reason.

The values of the table were read with openssl 3 (``openssl x509 -noout -subject -dates -ext subjectAltName``, and ``verify``).
"""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle.source import Record
from runai_analyze.facts.certificates import Found, certificates
from runai_analyze.facts.index import Index, add
from runai_analyze.model import Unknown

pytestmark = pytest.mark.corpus
BAD, PYCA = "badssl.com-", "pyca-cryptography-vectors-"


def read(path: Path) -> Found:
    entry = {"key": "tls.crt", "pem": path.read_text("utf-8", "replace")}
    index = Index()
    row = {"namespace": "a", "name": path.stem, "certificates": [entry]}
    add(index, Record("certificate", row, "certificates/0001.jsonl", 1))
    return certificates(index, {})


def test_each_file_is_read_or_is_a_problem(corpus: Path) -> None:
    found = {path.stem: read(path) for path in sorted((corpus / "certs").glob("*.pem"))}
    unread = sorted(name for name, one in found.items() if not one.items)
    unsure = sorted(name for name, one in found.items() if one.items and _unknown(one.items[0].body))
    assert len(found) == 73
    assert unread == [f"{PYCA}custom-dsa_null_alg_params"]
    assert [found[name].problems[0].message.startswith("the certificate in Secret a/") for name in unread] == [True]
    assert unsure == [
        f"{PYCA}custom-inhibit_any_policy_negative",
        f"{PYCA}custom-invalid_utf8_common_name",
        f"{PYCA}custom-long-form-name-attribute",
        f"{PYCA}custom-nc_invalid_ip_netmask",
        "zlint-SANBareWildcard",
        "zlint-SANDNSNotIA5String",
        "zlint-SubjectDNSerialNumberNotPrintableString",
        "zlint-caMaxPathNegative",
        "zlint-dnsNameUnderscoreInTRD",
        "zlint-validityNegative",
    ]


def _unknown(body: Any) -> list[str]:
    own = {"private_key", "key_matches"}  # the collector's to tell, and not in these files
    return sorted(key for key, value in body.items() if isinstance(value, Unknown) and key not in own)


# subject, not_before, not_after, dns_names, is_ca, self_signed, chain_length, chain_complete
VALUES: dict[str, tuple[str, str, str, list[str], bool, bool, int, bool]] = {
    f"{BAD}wildcard-expired": (
        "CN=*.badssl.com,OU=PositiveSSL Wildcard,OU=Domain Control Validated",
        "2015-04-09T00:00:00Z", "2015-04-12T23:59:59Z", ["*.badssl.com", "badssl.com"], False, False, 3, True,
    ),
    f"{BAD}subdomain-no-common-name": (
        "OU=Multi-Domain SSL,O=Lucas Garron,L=Walnut Creek,ST=California,C=US",
        "2017-03-23T00:00:00Z", "2020-06-22T23:59:59Z", ["no-common-name.badssl.com"], False, False, 3, True,
    ),
    f"{BAD}wildcard-self-signed": (
        "CN=*.badssl.com,O=BadSSL,L=San Francisco,ST=California,C=US",
        "2016-08-08T21:17:05Z", "2018-08-08T21:17:05Z", ["*.badssl.com", "badssl.com"], False, True, 1, True,
    ),
    f"{BAD}wildcard-incomplete-chain": (
        "CN=*.badssl.com,O=Lucas Garron Torres,L=Walnut Creek,ST=California,C=US",
        "2020-03-23T00:00:00Z", "2022-05-17T12:00:00Z", ["*.badssl.com", "badssl.com"], False, False, 1, False,
    ),
    f"{BAD}wildcard-sha1-2016": (
        "CN=*.badssl.com,OU=PositiveSSL Wildcard,OU=Domain Control Validated",
        "2015-04-09T00:00:00Z", "2016-12-29T23:59:59Z", ["*.badssl.com", "badssl.com"], False, False, 2, True,
    ),
    f"{BAD}wildcard-ecc256": (
        "CN=*.badssl.com,O=Lucas Garron Torres,L=Walnut Creek,ST=California,C=US",
        "2020-02-05T00:00:00Z", "2022-02-10T12:00:00Z", ["*.badssl.com", "badssl.com"], False, False, 2, True,
    ),
    f"{BAD}wildcard-sha384": (
        "CN=sha384.badssl.com,O=Lucas Garron Torres,L=Walnut Creek,ST=California,C=US",
        "2020-03-23T00:00:00Z", "2022-04-01T12:00:00Z",
        ["badssl.com", "*.badssl.com", "sha384.badssl.com"], False, False, 2, True,
    ),
    f"{PYCA}accvraiz1": (  # signed with SHA-1; its only alternative name is a mail address
        "C=ES,O=ACCV,OU=PKIACCV,CN=ACCVRAIZ1",
        "2011-05-05T09:37:37Z", "2030-12-31T09:37:37Z", [], True, True, 1, True,
    ),
    f"{PYCA}custom-san_idna_names": (
        "O=PyCA",
        "2015-04-20T10:52:46Z", "2016-04-19T10:52:46Z", ["xn--80ato2c.cryptography"], False, True, 1, True,
    ),
    f"{PYCA}wildcard_san": (
        "C=US,ST=Texas,L=Austin,O=Paul Kehrer,CN=*.langui.sh",
        "2014-12-15T11:41:06Z", "2017-12-14T17:41:06Z",
        ["*.langui.sh", "langui.sh", "*.saseliminator.com", "saseliminator.com"], False, False, 1, False,
    ),
    "zlint-SANIPv4Address": (
        "CN=192.168.0.1",
        "2021-09-01T00:00:00Z", "9998-11-30T00:00:00Z", ["192.168.0.1"], False, False, 1, False,
    ),
    "zlint-CNWithoutSANSeptember2021": (
        "CN=www.example.com",
        "2021-09-01T00:00:00Z", "9998-11-30T00:00:00Z", [], False, False, 1, False,
    ),
    "zlint-SANReservedIP": (
        "CN=::,OU=Chaos,O=Extreme Discord,2.5.4.17=30062,STREET=3210 Holly Mill Run,L=Tallahassee,ST=FL,C=US",
        "2016-09-12T19:12:55Z", "2016-11-24T20:12:55Z", ["192.168.0.1"], False, False, 1, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_as_openssl_reads_them(corpus: Path, name: str) -> None:
    body = read(corpus / "certs" / f"{name}.pem").items[0].body
    keys = ("subject", "not_before", "not_after", "dns_names", "is_ca", "self_signed", "chain_length", "chain_complete")
    assert tuple(body[key] for key in keys) == VALUES[name]


def test_a_certificate_with_a_thousand_names(corpus: Path) -> None:
    body = read(corpus / "certs" / f"{BAD}subdomain-1000-sans.pem").items[0].body
    assert (len(body["dns_names"]), body["dns_names"][0]) == (1000, "1000-sans.badssl.com")
