"""YAML from libyaml's events: the same as its loader reads, with the types of the API, whatever the text."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle.intake import yaml_text
from runai_analyze.bundle.intake.yaml_text import build, build_items

from tests.bench.generator import SIZES, Grown, read_sample

SAID = """apiVersion: v1
kind: ConfigMap
metadata:
  creationTimestamp: "2026-11-30T10:00:00Z"
  labels: {a: "1", b: "true", c: ""}
  name: x
data:
  text: |
    kind: Other
    items:
    - a
  folded: >-
    one
    two
  long: "one \\
    two"
  1: number
  true: word
numbers: [1, -1, +1, 1.5, 1e3, 1.00072e+09, .5, 18446744073709551615, 18446744073709551616, 0x10, 1_000]
words: [yes, on, null, ~, 2026-11-30, 1.2.3, -, "-1"]
"""


def test_values_have_the_types_of_the_api() -> None:
    found = build(SAID).value
    assert found["metadata"]["labels"] == {"a": "1", "b": "true", "c": ""}
    data = {
        "text": "kind: Other\nitems:\n- a\n",
        "folded": "one two",
        "long": "one two",
        "1": "number",
        "true": "word",
    }
    assert found["data"] == data
    numbers = [1, -1, 1, 1.5, 1000.0, 1000720000.0, ".5", 2**64 - 1, "18446744073709551616", "0x10", "1_000"]
    assert found["numbers"] == numbers
    assert found["words"] == ["yes", "on", None, None, "2026-11-30", "1.2.3", "-", "-1"]


@pytest.mark.parametrize("loader", [yaml.CBaseLoader, yaml.BaseLoader], ids=["libyaml", "python"])
def test_objects_of_a_cluster_survive_the_way_through_yaml(loader: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "_LOADER", loader)
    grown = Grown(SIZES["S"]._replace(nodes=3, pods=50, events=3), read_sample())
    objects = [json.loads(line) for lines in (grown.node_lines(), grown.pod_lines(), grown.event_lines()) for line in lines]
    text = yaml.dump({"apiVersion": "v1", "items": objects, "kind": "List"}, Dumper=yaml.CSafeDumper, width=80)
    assert [found.value for found in build_items(text)] == objects
    assert build(text).value["items"] == objects


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1, 2", "no YAML: did not find expected ',' or ']'"),
        ("a: 1\n...\nb: 2\n", "no YAML: did not find expected <document start>"),
        ("a: &x 1\n", "it has YAML anchors, which are not followed"),
        ("a: *x\n", "it has YAML anchors, which are not followed"),
        ("? {a: b}\n: c\n", "a key in it is no text"),
        ("a: " + "[" * 101, "it nests more than 100 levels deep"),
        ("\x1b", "no YAML: unacceptable character #x001b: control characters are not allowed"),
    ],
)
def test_what_is_no_object_of_the_api(text: str, problem: str) -> None:
    assert build(text).problem == problem


def test_an_empty_text_is_nothing() -> None:
    assert build("# a comment\n").value is None
    assert build("").problem == ""


def test_items_behind_a_broken_one_are_read_on() -> None:
    text = "kind: List\nitems:\n- a: &x 1\n- {b: 2}\n- ? [c]\n  : d\n- e: 3\nmore: {x: y}\n"
    found = [(one.value, one.line, one.problem) for one in build_items(text)]
    anchors, key = "it has YAML anchors, which are not followed", "a key in it is no text"
    assert found == [(None, 3, anchors), ({"b": 2}, 4, ""), (None, 5, key), ({"e": 3}, 7, "")]


@pytest.mark.corpus
def test_real_files_read_as_the_loader_reads_them(corpus: Path) -> None:
    """Every document of which PyYAML's loader, with all scalars as text, makes something: the same keys and the same texts."""
    seen = 0
    for path in sorted(corpus.glob("k8s-*/*.yaml")):
        text = path.read_bytes().decode("utf-8", "replace")
        if len(text) > 200_000 or text.count("\n---"):
            continue
        try:
            wanted = yaml.load(text, Loader=yaml.CBaseLoader)
        except yaml.YAMLError:
            continue
        if not build(text).problem and isinstance(wanted, dict):
            seen += 1
            assert as_text(build(text).value) == as_text(wanted), path.name
    assert seen > 50


def as_text(value: Any) -> Any:
    """Return the value with plain scalars as they may have been written: numbers and words are compared as numbers and words."""
    if isinstance(value, dict):
        return {key: as_text(child) for key, child in value.items()}
    if isinstance(value, list):
        return [as_text(child) for child in value]
    if value in ("", "~", "null", "Null", "NULL") or value is None:
        return None
    if value is True or value is False:
        return str(value).lower()
    try:
        return float(value)
    except ValueError:
        return value.lower() if value in ("True", "TRUE", "False", "FALSE") else value
