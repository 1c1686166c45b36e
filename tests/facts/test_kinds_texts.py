"""Images, Helm releases and lines of logs: each field of the table is made by some object, and nothing else is."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from runai_analyze.facts import fields_of
from runai_analyze.facts.log_lines import find_lines
from runai_analyze.ruleset.signatures import Finder

from .helpers import facts_of, items_of
from .test_helm import of_release, revision
from .test_images import DRIVER, pod
from .test_log_lines import LOST, TEXT, log

GIVEN: Mapping[str, list[Mapping[str, Any]]] = {
    "Image": [
        pod("a", DRIVER, waiting="ErrImagePull", message="unauthorized"),
        pod("b", "r.example:5000/x@sha256:" + "a" * 64),
        pod("c", "X"),
    ],
    "HelmRelease": [revision(1, "deployed", modifiedAt="1785542400"), of_release("gpu-operator", "gpu-operator-v25.10.1")],
}


def paths(body: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in body.items():
        yield from paths(value, f"{prefix}{key}.") if isinstance(value, dict) else (f"{prefix}{key}",)


def made(kind: str) -> set[str]:
    items = find_lines([log(TEXT)], Finder([LOST])).items if kind == "LogLine" else items_of(facts_of(*GIVEN[kind]), kind)
    return {path for item in items for path in paths(item.body)} - {"apiVersion", "kind"}


@pytest.mark.parametrize("kind", ["Image", "HelmRelease", "LogLine"])
def test_the_table_holds_what_is_made_and_nothing_else(kind: str) -> None:
    assert made(kind) == {field.path for field in fields_of(kind)}
