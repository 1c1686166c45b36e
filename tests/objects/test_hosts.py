"""Names of certificates and the hosts that they are valid for."""

import pytest
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
