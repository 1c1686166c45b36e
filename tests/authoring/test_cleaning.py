"""Pasted objects lose their noise and their secrets."""

import json
from typing import Any

import pytest
from runai_analyze.authoring.cleaning import clean

SECRET = "s3cr3t-Zk9-value"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.dGhpc2lzYXNpZ25hdHVyZQ"


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": spec}


@pytest.mark.parametrize(
    "body",
    [
        pod(containers=[{"name": "a", "env": [{"name": "PLAIN", "value": SECRET}]}]),
        pod(initContainers=[{"name": "a", "env": [{"name": "DB_PASSWORD", "value": SECRET}]}]),
        pod(containers=[{"name": "a", "args": [f"--password={SECRET}"]}]),
        pod(containers=[{"name": "a", "command": ["sh", "-c", f"curl -H 'Authorization: Bearer {TOKEN}' x"]}]),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": SECRET}, "stringData": {"b": SECRET}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": SECRET}},
        {**pod(), "metadata": {"name": "p", "annotations": {"note": SECRET, "token": TOKEN}}},
        {"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": pod(containers=[{"env": [{"value": SECRET}]}])}},
        {"kind": "Thing", "metadata": {"name": "t"}, "spec": {"password": SECRET, "list": [f"token={TOKEN}"]}},
        {"kind": "Thing", "metadata": {"name": "t"}, "status": {"message": f"got https://u:{SECRET}@host/"}},
    ],
)
def test_no_secret_stays(body: dict[str, Any]) -> None:
    cleaned = clean(body)
    text = json.dumps(cleaned.body)
    assert SECRET not in text
    assert TOKEN not in text
    assert "redacted" not in text


def test_what_was_left_out_is_said() -> None:
    body = pod(containers=[{"name": "a", "env": [{"name": "A", "value": "b"}], "args": [f"--token={TOKEN}"]}])
    assert clean(body).left_out == ("values of environment variables", "spec.containers[0].args[0]")
    assert clean({"kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "b"}}).left_out == ("data of the Secret",)
    assert clean(pod(nodeName="w1")).left_out == ()


def test_names_of_variables_stay() -> None:
    cleaned = clean(pod(containers=[{"name": "a", "env": [{"name": "A", "value": "b"}]}])).body
    assert cleaned["spec"]["containers"] == [{"name": "a", "env": [{"name": "A"}]}]


def test_noise_goes() -> None:
    metadata = {
        "name": "p",
        "uid": "1",
        "resourceVersion": "2",
        "managedFields": [{}],
        "creationTimestamp": "x",
        "generation": 1,
        "ownerReferences": [{"uid": "3"}],
        "labels": {"app": "a"},
        "finalizers": ["f"],
    }
    condition = {"type": "Ready", "status": "False", "lastTransitionTime": "t", "lastProbeTime": None}
    status = {"conditions": [condition], "podIP": "10.0.0.1", "observedGeneration": 2, "phase": "Pending"}
    assert clean({"kind": "Pod", "metadata": metadata, "status": status}).body == {
        "kind": "Pod",
        "metadata": {"name": "p", "labels": {"app": "a"}},
        "status": {"conditions": [{"type": "Ready", "status": "False"}], "phase": "Pending"},
    }


def test_finalizers_stay_where_they_hold_a_deletion_up() -> None:
    body = {"kind": "Pod", "metadata": {"name": "p", "deletionTimestamp": "t", "finalizers": ["f"]}}
    assert clean(body).body["metadata"] == {"name": "p", "deletionTimestamp": "t", "finalizers": ["f"]}


def test_an_object_too_deep_to_be_looked_through_is_not_taken() -> None:
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="cannot be looked through"):
        clean({"kind": "Thing", "metadata": {"name": "t"}, "spec": deep})
