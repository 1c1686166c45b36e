"""Objects cut to what a rule looks at, and changed."""

from copy import deepcopy
from typing import Any

import pytest
from runai_analyze.authoring.shaping import REMOVED, changed, project, tidy

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "n", "labels": {"app": "x", "a/b": "y"}},
    "spec": {"nodeName": "w1", "containers": [{"name": "a", "image": "i", "env": []}, {"name": "b", "image": "j"}]},
    "status": {
        "phase": "Pending",
        "conditions": [
            {"type": "Ready", "status": "False", "message": "m"},
            {"type": "PodScheduled", "status": "True"},
        ],
    },
}
HEAD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}}


@pytest.mark.parametrize(
    ("paths", "more"),
    [
        ([], {}),
        (["status.phase"], {"status": {"phase": "Pending"}}),
        (["status.nothing", "nothing.at.all"], {}),
        (["spec.containers[*].image"], {"spec": {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]}}),
        (["status.conditions[type=Ready].status"], {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}),
        (
            ["status.conditions[type=Ready].status", "status.conditions[type=Ready].message", "status.phase"],
            {"status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False", "message": "m"}]}},
        ),
        (["spec.containers[1].image"], {"spec": {"containers": [{"name": "b", "image": "j"}]}}),
    ],
)
def test_project(paths: list[str], more: dict[str, Any]) -> None:
    before = deepcopy(POD)
    assert tidy(project(POD, paths)) == {**HEAD, **more}
    assert before == POD


def test_the_parts_stand_as_kubectl_prints_them() -> None:
    body = {"data": {"a": "b"}, "status": {"phase": "x"}, "spec": {"a": 1}, "metadata": {"name": "n"}, "kind": "K"}
    assert list(project(body, ["status", "data", "spec"])) == ["kind", "metadata", "spec", "status", "data"]


def test_a_label_with_an_odd_name_is_kept() -> None:
    assert project(POD, ['metadata.labels["a/b"]'])["metadata"] == {"name": "p", "namespace": "n", "labels": {"a/b": "y"}}


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("status.phase", "Running", {"status": {"phase": "Running"}}),
        ("status.phase", REMOVED, {"status": {}}),
        ("status.other.deep", 1, {"status": {"phase": "Pending", "other": {"deep": 1}}}),
        ("spec.nothing.deep", REMOVED, {"status": {"phase": "Pending"}}),
    ],
)
def test_changed_in_maps(path: str, value: Any, after: dict[str, Any]) -> None:
    body = {"status": {"phase": "Pending"}}
    assert changed(body, path, value) == after
    assert body == {"status": {"phase": "Pending"}}


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("l[*].a", 9, [{"t": "x", "a": 9}, {"t": "y", "a": 9}]),
        ("l[t=x].a", 9, [{"t": "x", "a": 9}, {"t": "y", "a": 2}]),
        ("l[t=z].a", 9, [{"t": "x", "a": 1}, {"t": "y", "a": 2}, {"t": "z", "a": 9}]),
        ("l[t=z].a", REMOVED, [{"t": "x", "a": 1}, {"t": "y", "a": 2}]),
        ("l[1].a", REMOVED, [{"t": "x", "a": 1}, {"t": "y"}]),
        ("l[t=x]", REMOVED, [{"t": "y", "a": 2}]),
    ],
)
def test_changed_in_lists(path: str, value: Any, after: list[Any]) -> None:
    assert changed({"l": [{"t": "x", "a": 1}, {"t": "y", "a": 2}]}, path, value) == {"l": after}


def test_changed_makes_what_is_not_there() -> None:
    made = changed({}, "status.conditions[type=Ready].status", "True")
    assert made == {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    assert changed({}, "spec.containers[*].image", "i") == {"spec": {"containers": [{"image": "i"}]}}
