"""JSON and YAML of the API as other tools write it, and what cannot be read of it."""

import pytest
from runai_analyze.bundle.intake import parse as parse_module
from runai_analyze.bundle.intake.parse import objects, objects_of, parse


def values(text: str) -> list[object]:
    return [document.value for document in parse(text) if not document.problem]


def problems(text: str) -> list[tuple[int, str]]:
    return [(document.line, document.problem) for document in parse(text) if document.problem]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a: 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("a: yes", "yes"),
        ("a: =", "="),
        ("a: 1e+06", 1e6),
        ("a: 0755", 755),
        ("a: true", True),
        ("a: ~", None),
        ("a: ", None),
        ("a: !thing x", "x"),
        ("a: 1.30.1", "1.30.1"),
    ],
)
def test_yaml_has_the_types_of_the_api(written: str, value: object) -> None:
    assert values(written) == [{"a": value}]


def test_a_document_that_the_parser_dislikes_costs_no_other() -> None:
    text = "kind: A\n---\nkind: B\n  bad: indent\n---\nkind: C\n"
    assert values(text) == [{"kind": "A"}, {"kind": "C"}]
    assert problems(text) == [(4, "no YAML: mapping values are not allowed in this context")]


def test_anchors_are_refused_and_ampersands_in_text_are_not() -> None:
    assert problems("a: &x [1]\nb: *x\n") == [(1, "it has YAML anchors, which are not followed")]
    assert values('a: "x &y"\nb: |\n  run & wait\n') == [{"a": "x &y", "b": "run & wait\n"}]


def test_json_texts_one_after_the_other() -> None:
    assert values('{"a": 1}\n{"a": 2}{"a": 3}') == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert values('{"a": 1}\n{"a": ') == [{"a": 1}]
    assert problems('{"a": 1}\n{"a": ')[0][0] == 2


def test_lists_of_every_shape() -> None:
    pod = {"metadata": {"name": "a"}}
    typed = {"kind": "PodList", "apiVersion": "v1", "items": [pod]}
    assert list(objects_of(typed)) == [{**pod, "kind": "Pod", "apiVersion": "v1"}]
    assert list(objects_of([pod], "Pod", "v1")) == [{**pod, "kind": "Pod", "apiVersion": "v1"}]
    assert list(objects_of({"kind": "List", "apiVersion": "v1", "items": None})) == []
    own = {"kind": "Widget", "metadata": {"name": "w"}, "items": ["its own field"]}
    assert list(objects_of(own)) == [own]


ITEMS = '{"metadata": {"name": "a"}},\n{"metadata": {"name": "b"}}'
POD = '{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [\n' + ITEMS + "]}", [2, 3]),
        ('{"apiVersion": "v1",\n"items": [' + ITEMS + '\n], "kind": "PodList"}', [2, 3]),
        (f"[{POD},\n\n{POD}]", [1, 3]),
    ],
)
def test_a_long_list_is_read_item_by_item_as_a_short_one_is(text: str, lines: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    short = [found.value for found in objects(text)]
    monkeypatch.setattr(parse_module, "_LARGE", 10)
    long = list(objects(text))
    assert [found.value for found in long] == short
    assert [(found.value["kind"], found.line) for found in long] == [("Pod", line) for line in lines]


def test_a_long_list_that_ends_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "_LARGE", 10)
    whole = '{"kind": "PodList", "items": [\n' + ITEMS
    found = list(objects(whole))
    assert [one.value["metadata"]["name"] for one in found if not one.problem] == ["a", "b"]
    assert found[-1].problem == "no JSON from here on: the list has no end"
    assert [one.problem[:21] for one in objects(whole[:-5])] == ["", "no JSON from here on:"]
