"""Aggregated discovery, the older one, and groups that do not answer."""

from typing import Any

import pytest
from runai_collect.client import ApiError
from runai_collect.discovery import read_discovery
from runai_collect.plan import Kind


class Server:
    """Answers paths from a table; a path that is not in it does not answer."""

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.answers = answers

    def __call__(self, path: str) -> dict[str, Any]:
        if path not in self.answers:
            raise ApiError("error", "service unavailable", 503)
        return self.answers[path]


def aggregated(group: str, version: str, *resources: tuple[str, str], freshness: str = "Current") -> dict[str, Any]:
    rows = [
        {"resource": plural, "responseKind": {"kind": kind}, "scope": "Namespaced", "verbs": ["list", "get"]}
        for plural, kind in resources
    ]
    return {"metadata": {"name": group}, "versions": [{"version": version, "freshness": freshness, "resources": rows}]}


def test_aggregated() -> None:
    found = read_discovery(
        Server(
            {
                "/api": {"kind": "APIGroupDiscoveryList", "items": [aggregated("", "v1", ("pods", "Pod"))]},
                "/apis": {"kind": "APIGroupDiscoveryList", "items": [aggregated("run.ai", "v2", ("projects", "Project"))]},
            }
        )
    )
    assert found.served == [Kind("", "pods", "v1", "Pod", True), Kind("run.ai", "projects", "v2", "Project", True)]
    assert found.stale == frozenset()
    assert found.groups[1] == {
        "group": "run.ai",
        "version": "v2",
        "stale": False,
        "resources": [{"plural": "projects", "kind": "Project", "namespaced": True, "verbs": ["get", "list"]}],
    }


def test_a_stale_group_makes_it_incomplete() -> None:
    found = read_discovery(
        Server(
            {
                "/api": {"kind": "APIGroupDiscoveryList", "items": []},
                "/apis": {"kind": "APIGroupDiscoveryList", "items": [aggregated("metrics.k8s.io", "v1", freshness="Stale")]},
            }
        )
    )
    assert (found.stale, found.groups[0]["stale"]) == ({"metrics.k8s.io"}, True)


def test_the_older_one_group_by_group_with_the_preferred_version_first() -> None:
    batch = {"name": "batch", "versions": [{"version": "v1beta1"}, {"version": "v1"}], "preferredVersion": {"version": "v1"}}
    dead = {"name": "custom.metrics.k8s.io", "versions": [{"version": "v1"}], "preferredVersion": {"version": "v1"}}
    jobs = {"name": "jobs", "kind": "Job", "namespaced": True, "verbs": ["list"]}
    found = read_discovery(
        Server(
            {
                "/api": {"kind": "APIVersions", "versions": ["v1"]},
                "/api/v1": {
                    "resources": [
                        {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]},
                        {"name": "pods/log", "kind": "Pod", "verbs": ["get"]},
                    ]
                },
                "/apis": {"kind": "APIGroupList", "groups": [batch, dead]},
                "/apis/batch/v1": {"resources": [jobs, {**jobs, "name": "bindings", "verbs": ["create"]}]},
                "/apis/batch/v1beta1": {"resources": []},
            }
        )
    )
    assert found.served == [Kind("", "pods", "v1", "Pod", True), Kind("batch", "jobs", "v1", "Job", True)]
    assert [(entry["group"], entry["version"]) for entry in found.groups] == [
        ("", "v1"),
        ("batch", "v1"),
        ("batch", "v1beta1"),
        ("custom.metrics.k8s.io", "v1"),
    ]
    assert found.stale == {"custom.metrics.k8s.io"}


def test_an_answer_that_is_neither_is_an_error() -> None:
    with pytest.raises(ApiError, match="answered with Status"):
        read_discovery(Server({"/api": {"kind": "Status"}}))


def test_a_server_that_serves_without_end_is_not_believed() -> None:
    groups = [{"name": f"g{number}.io", "versions": [{"version": "v1"}]} for number in range(100)]
    rows = {"resources": [{"name": f"k{number}", "verbs": ["list"]} for number in range(1000)]}
    answers = {f"/apis/g{number}.io/v1": rows for number in range(100)}
    with pytest.raises(ApiError, match="more than 50000 kinds"):
        read_discovery(Server({"/api": {"kind": "APIVersions"}, "/apis": {"kind": "APIGroupList", "groups": groups}, **answers}))
