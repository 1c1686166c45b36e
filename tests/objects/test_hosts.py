"""Names of certificates and the hosts that they are valid for."""

from pathlib import Path

import pytest
import yaml
from runai_analyze.objects.hosts import covers


@pytest.mark.parametrize(
    ("name", "host", "valid"),
    [
        ("gpu.acme.example", "GPU.acme.example.", True),
        ("*.acme.example", "gpu.acme.example:443", True),
        ("*.acme.example", "a.gpu.acme.example", False),
        ("*.acme.example", "acme.example", False),
        ("*.gpu.acme.example", "*.gpu.acme.example", True),
        ("gpu.acme.example", "*.gpu.acme.example", False),
        ("10.0.0.1", "10.0.0.1:6443", True),
        ("*.0.0.1", "10.0.0.1", False),
        ("fd00::1", "[fd00::1]:443", True),
        ("", "a.example", False),
    ],
)
def test_a_wildcard_stands_for_one_label(name: str, host: str, valid: bool) -> None:
    assert covers(name, host) is valid


# Where Go says otherwise than OpenSSL does: a wildcard directly below a top-level domain.
ONLY_GO = {("*.example", "acme.example"), ("*.example", "xn--bcher-kva.example"), ("*.example", "my_host.example")}
ROWS = [(*text.split(" "), valid) for text, valid in yaml.safe_load((Path(__file__).parent / "host_names.yaml").read_text())]


@pytest.mark.parametrize(("name", "host", "valid"), ROWS)
def test_agrees_with_go(name: str, host: str, valid: bool) -> None:
    assert covers(name, host) is (valid and (name, host) not in ONLY_GO)


def test_there_are_enough_of_both_answers() -> None:
    assert (len(ROWS), sum(valid for *_, valid in ROWS)) == (62, 36)


@pytest.mark.parametrize(
    ("name", "host", "valid"),
    [
        ("xn--bcher-kva.example", "bücher.example", True),
        ("xn--bcher-kva.example", "BÜCHER.example", True),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("*.acme.example", "bücher.acme.example", True),
        ("*.xn--bcher-kva.example", "gpu.bücher.example:8443", True),
        ("xn--strae-oqa.example", "straße.example", True),
        ("strasse.example", "straße.example", False),
        ("bucher.example", "bücher.example", False),
    ],
)
def test_other_letters_are_read_as_dns_holds_them(name: str, host: str, valid: bool) -> None:
    assert covers(name, host) is valid
