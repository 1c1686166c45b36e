"""Paths: present, absent and unknown are three different answers."""

import pytest
from runai_analyze.model import Missing, Unknown
from runai_analyze.objects.paths import ABSENT, compile_path

POD = {
    "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x", "empty": ""}},
    "spec": {"containers": [{"name": "one", "image": "r/a:1"}, {"name": "two"}], "volumes": [], "node": None},
    "status": {
        "allocatable": {"nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Disk", "status": "False"}],
    },
    "facts": {"gone": Unknown(Missing("x", "why"))},
    "secret": "«redacted:password»",
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "a"),
        ('metadata.labels["app.kubernetes.io/name"]', "x"),
        ("metadata.labels.empty", ""),
        ('status.allocatable["nvidia.com/gpu"]', "8"),
        ("spec.containers[0].name", "one"),
        ("spec.containers[7].name", ABSENT),
        ("spec.node", ABSENT),
        ("spec.node.deeper", ABSENT),
        ("spec.nothing.at.all", ABSENT),
    ],
)
def test_one_value(path: str, value: object) -> None:
    assert compile_path(path).one(POD) == value
    assert compile_path(path).all(POD) == [(path, value)]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("spec.containers[*].name", [("spec.containers[0].name", "one"), ("spec.containers[1].name", "two")]),
        ("spec.containers[*].image", [("spec.containers[0].image", "r/a:1"), ("spec.containers[1].image", ABSENT)]),
        ("spec.volumes[*].name", [("spec.volumes[*].name", ABSENT)]),
        ("spec.none[*].name", [("spec.none[*].name", ABSENT)]),
        ("status.conditions[type=Ready].status", [("status.conditions[type=Ready].status", "True")]),
        ("status.conditions[type=Gone].status", [("status.conditions[type=Gone].status", ABSENT)]),
        ("status.allocatable[*]", [('status.allocatable["nvidia.com/gpu"]', "8")]),
    ],
)
def test_several_values(path: str, found: list[tuple[str, object]]) -> None:
    assert compile_path(path).all(POD) == found
    assert compile_path(path).values(POD) == [value for _, value in found]


def test_a_picked_value_may_be_quoted() -> None:
    assert compile_path('status.conditions[type="Ready"].status').all(POD) == [("status.conditions[type=Ready].status", "True")]


@pytest.mark.parametrize(
    "path", ["facts.gone", "facts.gone.deeper", "secret.deeper", "metadata.name.deeper", "spec.containers.name", "secret[0]"]
)
def test_what_cannot_be_followed_is_unknown_and_not_absent(path: str) -> None:
    assert isinstance(compile_path(path).one(POD), Unknown)


@pytest.mark.parametrize("path", ["facts.gone[*].x", "metadata[0][*]", "metadata.name[*]", "secret[*]"])
def test_what_cannot_be_fanned_out_is_unknown(path: str) -> None:
    ((_, value),) = compile_path(path).all(POD)
    assert isinstance(value, Unknown)
    assert compile_path(path).values(POD) == [value]


@pytest.mark.parametrize("name", [Unknown(Missing("x", "why")), "«redacted:x»"])
def test_an_element_that_cannot_be_told_apart_is_unknown(name: object) -> None:
    path = compile_path("list[type=Ready].status")
    body = {"list": [{"type": name, "status": "a"}, {"type": "Other", "status": "b"}]}
    ((_, value),) = path.all(body)
    assert isinstance(value, Unknown)
    assert path.values(body) == [value]
    assert path.values({"list": [*body["list"], {"type": "Ready", "status": "c"}]}) == ["c"]


def test_several_picked_elements_are_told_apart_by_index() -> None:
    body = {"list": [{"key": "a", "v": 1}, {"key": "b", "v": 2}, {"key": "a", "v": 3}]}
    assert compile_path("list[key=a].v").all(body) == [("list[0].v", 1), ("list[2].v", 3)]


@pytest.mark.parametrize("path", ["", ".a", "a.", "a..b", "a[", "a[x]", "a['b']", "a[*", "a b", "a[-1]", 'a["b]', "a[x=]"])
def test_refuses(path: str) -> None:
    with pytest.raises(ValueError):
        compile_path(path)


def test_paths_to_the_same_place_are_equal() -> None:
    assert compile_path("a.b[*].c") == compile_path("a.b[*].c")


@pytest.mark.parametrize("path", ["a[*].b[*].c", "a[*][*]", "a[k=1].b[*]", "a[*].b[k=x].c", "a[0].b[*].c", "a[*]", "z[*].b"])
def test_values_are_those_of_all(path: str) -> None:
    bodies: list[object] = [
        {"a": [{"k": 1, "b": [{"c": 1, "k": "x"}, {"c": None}]}, {"b": []}, {"k": 1}, None, "text"]},
        {"a": {"m": {"b": [1, 2]}, "n": [3]}},
        {"a": []},
        {"a": None},
        {},
        {"a": Unknown(Missing("x", "why"))},
        {"a": "«redacted:x»"},
    ]
    compiled = compile_path(path)
    for body in bodies:
        assert compiled.values(body) == [value for _, value in compiled.all(body)]


def test_past_what_a_text_does_not_show_is_unknown_for_that_reason() -> None:
    found = compile_path("spec.securityContext.runAsUser").one({"spec": {"securityContext": "«redacted:not-shown»"}})
    assert isinstance(found, Unknown)
    assert found.missing.reason == "the bundle holds this object only as a text for people, which does not show the field"
