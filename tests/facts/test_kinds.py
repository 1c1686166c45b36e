"""The table of made kinds and facts, held against what the facts really make."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.facts import FIELDS, build_facts, cluster_paths, fields_of
from runai_analyze.facts.build import MADE_KINDS
from runai_analyze.facts.kinds import ALWAYS
from runai_analyze.model import Unknown

from .helpers import deployment, facts_of, items_of, node
from .test_build import bundle
from .world import worlds

TYPES = {"text": str, "number": int | float, "bool": bool, "list": list, "time": str, "mapping": Mapping}
HEADER = {"apiVersion", "kind", "metadata.name"}


def leaves(body: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in body.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from leaves(value, f"{path}.")
        else:
            yield path, value


def test_every_leaf_of_the_cluster_is_in_the_table_and_of_its_type(tmp_path: Path) -> None:
    facts = build_facts(open_bundle(bundle().write(tmp_path / "b.tgz")), frozenset(), None)
    types = {field.path: field.type for field in fields_of("Cluster")}
    for path, value in leaves(facts.cluster):
        if path in HEADER:
            continue
        assert path in types, path
        assert isinstance(value, Unknown | TYPES[types[path]]), path


def test_every_field_of_the_cluster_is_made_or_stands_there_as_unknown(tmp_path: Path) -> None:
    made = set(
        dict(leaves(facts_of(not_collected=["Deployment", "RunaiConfig", "CustomResourceDefinition", "Prometheus"]).cluster))
    )
    made |= set(dict(leaves(build_facts(open_bundle(bundle().write(tmp_path / "b.tgz")), frozenset()).cluster)))
    operator = deployment("gpu-operator", "gpu-operator", "x:1")
    policy = {"kind": "ClusterPolicy", "metadata": {"name": "p"}}
    stack = deployment("m", "o", "q/prometheus-operator:v1.2", labels={"helm.sh/chart": "kube-prometheus-stack-76.0.0"})
    config = {"kind": "RunaiConfig", "metadata": {"name": "runai"}, "spec": {"controlPlane": {"url": "https://x"}}}
    made |= set(dict(leaves(facts_of(operator, policy, stack, config, node()).cluster)))
    assert cluster_paths() - made == set()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Any]]]:
    """Return the values of every leaf that the worlds make, by kind and path; of Kubernetes kinds only facts."""
    found: dict[str, dict[str, list[Any]]] = {}
    for facts in worlds(tmp_path_factory.mktemp("worlds")):
        for kind in {field.kind for field in FIELDS}:
            for item in items_of(facts, kind):
                for path, value in leaves(item.body):
                    if path not in HEADER if kind in MADE_KINDS else path.startswith("facts."):
                        found.setdefault(kind, {}).setdefault(path, []).append(value)
    return found


KINDS = sorted({field.kind for field in FIELDS} - {"LogLine"})  # lines need the signatures of a pack: test_kinds_texts


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_the_table_has_a_value_somewhere(kind: str, made: dict[str, dict[str, list[Any]]]) -> None:
    known = {path for path, values in made[kind].items() if not all(isinstance(value, Unknown) for value in values)}
    assert {field.path for field in fields_of(kind)} - known <= HEADER


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_made_that_the_table_does_not_name_and_all_is_of_its_type(
    kind: str, made: dict[str, dict[str, list[Any]]]
) -> None:
    table = {field.path: field.type for field in fields_of(kind)}
    for path, values in made[kind].items():
        assert path in table, path
        assert all(isinstance(value, Unknown | TYPES[table[path]]) for value in values), path
        assert table[path] == "bool" or not any(isinstance(value, bool) for value in values), path


@pytest.mark.parametrize("kind", sorted(set(ALWAYS) & set(KINDS)))
def test_every_object_has_what_messages_may_say_unlooked_at(kind: str, tmp_path: Path) -> None:
    bodies = [item.body for facts in worlds(tmp_path) for item in items_of(facts, kind)]
    assert bodies
    assert all(dict(leaves(body)).keys() >= ALWAYS[kind] for body in bodies)


def test_paths_stand_once_and_every_field_says_what_it_means() -> None:
    keys = [(field.kind, field.path) for field in FIELDS]
    assert len(keys) == len(set(keys))
    assert all(field.meaning and field.type in (*TYPES, "mapping") for field in FIELDS)
    assert set(MADE_KINDS) <= {field.kind for field in FIELDS}
    assert fields_of("Lease") == ()
