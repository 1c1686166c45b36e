"""Paths read off objects."""

from typing import Any

import pytest
from runai_analyze.authoring.observed import leaves, observed_paths, type_of
from runai_analyze.model import Missing, Unknown
from runai_analyze.objects.paths import compile_path


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"kind": "Pod", "apiVersion": "v1", "spec": {"nodeName": "a"}}, [("spec.nodeName", "text")]),
        ({"metadata": {"labels": {"a.b/c": "x"}}}, [('metadata.labels["a.b/c"]', "text")]),
        ({"spec": {"args": ["a", "b"]}}, [("spec.args", "list")]),
        ({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}, [("spec.containers[*].name", "text")] * 2),
        (
            {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]}},
            [
                ("status.conditions[type=A].status", "text"),
                ("status.conditions[type=A].type", "text"),
                ("status.conditions[type=B].status", "text"),
                ("status.conditions[type=B].type", "text"),
            ],
        ),
        (
            {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "A", "status": "False"}]}},
            [("status.conditions[*].status", "text"), ("status.conditions[*].type", "text")] * 2,
        ),
        ({"metadata": {"managedFields": [{"manager": "x"}], "uid": "1", "name": "a"}}, [("metadata.name", "text")]),
        ({"spec": {"a": None, "b": {}, "c": []}}, [("spec.b", "mapping"), ("spec.c", "list")]),
    ],
)
def test_leaves(body: dict[str, Any], paths: list[tuple[str, str]]) -> None:
    assert list(leaves(body)) == paths


def test_each_path_leads_back_to_its_value() -> None:
    body = {"a": {"b-c": [{"type": 'odd "]', "status": 1}], "d/e": {"f": [{"g": [{"h": 2}]}]}}}
    for path, _ in leaves(body):
        assert compile_path(path).values(body)[0] in (1, 2, 'odd "]')


def test_the_fields_of_most_objects_are_kept() -> None:
    common = {"spec": {"common": 1}}
    rare = [{"spec": {f"f{number:03}": 1, "common": 1}} for number in range(200)]
    found = [path for path, _ in observed_paths([common, *rare])]
    assert len(found) == 120
    assert found[0] == "spec.common"
    assert found == sorted(found)


def test_depth_is_bounded() -> None:
    body: Any = 1
    for _ in range(5000):
        body = {"a": body}
    assert len(list(leaves(body))) == 1


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("a", "text"),
        (True, "bool"),
        (1, "number"),
        (1.5, "number"),
        ([], "list"),
        ({}, "mapping"),
        (Unknown(Missing("", "")), "unknown"),
    ],
)
def test_type_of(value: object, word: str) -> None:
    assert type_of(value) == word
