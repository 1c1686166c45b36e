"""The marks of vendors in versions of Kubernetes, on the version strings of real clusters."""

from pathlib import Path

import pytest
import yaml
from runai_analyze.facts.distribution import vendor_of

STRINGS = Path(__file__).parent.parent / "objects" / "version_strings.yaml"
FAMILIES = yaml.load(STRINGS.read_bytes(), yaml.CSafeLoader)["families"]
VENDORS = [(text, family["vendor"]) for family in FAMILIES for text, *_ in family["versions"]]


@pytest.mark.parametrize(("text", "vendor"), VENDORS, ids=[text for text, _ in VENDORS])
def test_a_version_tells_its_vendor(text: str, vendor: str) -> None:
    assert (vendor_of(text) or "") == vendor
