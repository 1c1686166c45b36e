"""Versions as vendors write them, and ranges that are inclusive at their own precision."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.objects.versions import parse_range, parse_version

STRINGS: dict[str, Any] = yaml.load((Path(__file__).parent / "version_strings.yaml").read_bytes(), yaml.CSafeLoader)
FAMILIES = STRINGS["families"]
ROWS = [row for family in FAMILIES for row in family["versions"]]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("v1.33.5-eks-3025e55", (1, 33, 5)),
        ("v1.30.5-gke.1014001", (1, 30, 5)),
        ("v1.31.4+rke2r1", (1, 31, 4)),
        ("v1.30.4+k3s1", (1, 30, 4)),
        ("v1.27.4+vmware.1-fips.1", (1, 27, 4)),
        ("v1.29.6+aba1e8d", (1, 29, 6)),
        ("v1.36.0-rc.1", (1, 36, 0)),
        ("1.35.4", (1, 35, 4)),
        ("v25.10.1", (25, 10, 1)),
        ("v1.10.1-ubi8", (1, 10, 1)),
        ("4.16.0-0.nightly-2024-05-01-111315", (4, 16, 0)),
        ("580.105.08", (580, 105, 8)),
        ("535.183.01", (535, 183, 1)),
        ("22.04.4", (22, 4, 4)),
        ("33+", (33,)),
        ("1.9", (1, 9)),
        (" v1.2.3 ", (1, 2, 3)),
    ],
)
def test_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_version(text).numbers == numbers


@pytest.mark.parametrize("text", ["", "latest", "sha256:abc", "4da5ab1", "v", "1..2", "version 1.2", None, 1.35, "1" * 300])
def test_refuses(text: object) -> None:
    with pytest.raises(ValueError):
        parse_version(text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_version_strings_of_real_clusters(row: list[str]) -> None:
    assert str(parse_version(row[0])) == row[1]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family["family"])
def test_they_are_ordered_as_they_were_released(family: dict[str, Any]) -> None:
    for (older, _, *_), (newer, _, *same) in pairwise(family["versions"]):
        assert (parse_version(older) == parse_version(newer)) is bool(same), f"{older} {newer}"
        assert same or parse_version(older) < parse_version(newer), f"{older} {newer}"


def test_there_are_two_hundred_of_them() -> None:
    assert (len(FAMILIES), len(ROWS), len(STRINGS["refused"])) == (28, 254, 36)


@pytest.mark.parametrize("text", STRINGS["refused"])
def test_refuses_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError):
        parse_version(text)


@pytest.mark.parametrize(
    ("text", "version", "inside"),
    [
        (">=1.36.0", "v1.36.0-rc.1", False),
        (">=1.36.0", "v1.36.1-rc.1", True),
        ("<1.36.0", "v1.36.0-rc.1", True),
        ("=1.36.0", "v1.36.0-rc.1", False),
        (">=1.36", "v1.36.0-rc.1", True),
        ("1.33 - 1.36", "v1.36.0-rc.1", True),
        (">=1.36.0-rc.1", "v1.36.0-beta.3", False),
        (">=1.36.0-rc.1", "v1.36.0-rc.2", True),
        (">=1.36.0-rc.1", "v1.36.0", True),
        (">=1.36.0-rc.1 <1.36.0", "v1.36.0-rc.2", True),
        (">=1.33.5", "v1.33.5-eks-3025e55", True),
        (">=1.31.4", "v1.31.4+rke2r1", True),
        (">=4.16.0", "4.16.0-0.nightly-2024-08-01-082745", False),
        (">=4.15.0", "4.15.0-0.okd-2024-03-10-010116", True),
    ],
)
def test_a_candidate_is_older_than_its_release(text: str, version: str, inside: bool) -> None:
    assert parse_range(text).contains(parse_version(version)) is inside


def test_minor() -> None:
    assert parse_version("v1.33.5-eks-3025e55").minor == "1.33"


@pytest.mark.parametrize(
    ("text", "version", "inside"),
    [
        ("1.33 - 1.35", "1.35.9", True),
        ("1.33 - 1.35", "1.33.0", True),
        ("1.33 - 1.35", "1.32.9", False),
        ("1.33 - 1.35", "1.36.0", False),
        ("1.33 - 1.35", "v1.35.4-eks-1", True),
        ("1.33.2 - 1.35", "1.33.1", False),
        (">=1.33 <1.36", "1.35.9", True),
        (">=1.33, <1.36", "1.36.0", False),
        ("<=1.35", "1.35.9", True),
        (">1.35", "1.35.9", False),
        (">1.35", "1.36.0", True),
        ("<1.35", "1.35.0", False),
        ("=1.9", "1.9.4", True),
        ("1.9", "1.9.4", True),
        ("1.9", "1.10.0", False),
        ("1.9.*", "1.9.4", True),
        ("1.9 || 22.9", "22.9.1", True),
        ("1.9 || 22.9", "22.6.0", False),
        (">= 2.13", "2.25", True),
        ("v2beta1 || 1", "1.2", None),
    ],
)
def test_contains(text: str, version: str, inside: bool | None) -> None:
    if inside is None:
        with pytest.raises(ValueError):
            parse_range(text)
        return
    assert parse_range(text).contains(parse_version(version)) is inside


@pytest.mark.parametrize(
    ("text", "version", "inside"),
    [
        (">=1.35.4", "1.35", None),
        (">=1.35.0", "1.35", True),
        ("<1.35.4", "1.35", None),
        ("<1.35.4", "1.34", True),
        ("=1.35.4", "1.35", None),
        ("=1.35.4", "1.34", False),
        (">=1.35.4 || 1.35", "1.35", True),
    ],
)
def test_a_coarse_version_is_unknown_where_its_patch_would_decide(text: str, version: str, inside: bool | None) -> None:
    assert parse_range(text).contains(parse_version(version)) is inside


@pytest.mark.parametrize(
    "text", ["", "abc", ">=", "1.2 -", "1.3 - 1.2", ">1.5 <1.2", ">1.5 <1.6", ">=1.36 <1.33", "1.2 ||", "=> 1.2", "x" * 300]
)
def test_refuses_ranges_that_are_none_or_empty(text: str) -> None:
    with pytest.raises(ValueError):
        parse_range(text)
