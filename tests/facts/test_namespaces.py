"""Facts about namespaces."""

from __future__ import annotations

import pytest

from .helpers import facts_of, items_of


@pytest.mark.parametrize(
    ("name", "labels", "project"),
    [
        ("team", {"runai/queue": "team"}, True),
        ("runai-team", {}, True),
        ("runai", {}, False),
        ("runai-backend", {}, False),
        ("default", {}, False),
    ],
)
def test_project_namespaces(name: str, labels: dict[str, str], project: bool) -> None:
    (item,) = items_of(facts_of({"kind": "Namespace", "metadata": {"name": name, "labels": labels}}), "Namespace")
    assert item.body["facts"]["runai_project"] is project


@pytest.mark.parametrize(
    ("name", "system"),
    [("kube-system", True), ("openshift-ingress", True), ("runai", False), ("default", False), ("gpu-operator", False)],
)
def test_system_namespaces(name: str, system: bool) -> None:
    (item,) = items_of(facts_of({"kind": "Namespace", "metadata": {"name": name}}), "Namespace")
    assert item.body["facts"]["system"] is system
