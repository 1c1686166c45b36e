"""Paths of a kind from the schemas of Kubernetes."""

import pytest
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.fields import custom_kinds
from runai_analyze.ruleset.kind_paths import KindPath, kind_paths
from runai_analyze.ruleset.schemas import path_problem
from runai_analyze.ruleset.vocabulary import GROUP_OF


def test_paths_have_type_and_words() -> None:
    found = {path.path: path for path in kind_paths("Pod")}
    assert found["spec.nodeName"].type == "text"
    assert found["spec.containers[*].image"] == KindPath("spec.containers[*].image", "text", "Container image name")
    assert found["spec.hostNetwork"].type == "bool"
    assert found["metadata.labels"].type == "mapping"
    assert "metadata.managedFields[*].manager" not in found


def test_depth() -> None:
    assert {path.path for path in kind_paths("Pod", 1)} == {"metadata", "spec", "status"}


def test_a_kind_without_a_schema_has_none() -> None:
    assert list(kind_paths("RunaiConfig")) == []


def test_a_custom_kind_has_what_its_maker_publishes() -> None:
    found = {path.path: path.type for path in kind_paths("ClusterPolicy.nvidia.com")}
    assert found["spec.driver.enabled"] == "bool"
    assert found["metadata.name"] == "text"


@pytest.mark.parametrize("kind", [*sorted(GROUP_OF), *custom_kinds()])
def test_every_path_is_one_that_the_linter_takes(kind: str) -> None:
    problems = [path_problem(kind, compile_path(found.path)) for found in kind_paths(kind)]
    assert not any(problems)
