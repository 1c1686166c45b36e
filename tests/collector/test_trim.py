"""CRDs without their schemas."""

from typing import Any

from runai_collect.trim import trim_crd


def crd(group: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "spec": {
            "group": group,
            "names": {"kind": "X"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
        "status": {"storedVersions": ["v1"]},
    }


def test_a_schema_becomes_a_digest_and_the_rest_stays() -> None:
    trimmed = trim_crd(crd("example.com", {"openAPIV3Schema": {"b": 1, "a": 2}}))
    assert set(trimmed["spec"]["versions"][0]["schema"]) == {"sha256"}
    assert {**trimmed["spec"]["versions"][0], "schema": 0} == {"name": "v1", "served": True, "storage": True, "schema": 0}
    assert trimmed["status"] == {"storedVersions": ["v1"]}
    assert trim_crd(crd("example.com", {"openAPIV3Schema": {"a": 2, "b": 1}})) == trimmed


def test_run_ais_own_schemas_stay_whole() -> None:
    assert trim_crd(crd("run.ai", {"openAPIV3Schema": {"a": 1}})) == crd("run.ai", {"openAPIV3Schema": {"a": 1}})


def test_the_one_schema_of_v1beta1() -> None:
    assert set(trim_crd({"spec": {"group": "x", "validation": {"openAPIV3Schema": {}}}})["spec"]["validation"]) == {"sha256"}
