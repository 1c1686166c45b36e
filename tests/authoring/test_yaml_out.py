"""What is written is read back as it was, and quotes stand only where they are needed."""

from typing import Any

import pytest
from runai_analyze.authoring.yaml_out import block, flat, scalar
from runai_analyze.ruleset.nodes import read_yaml
from runai_analyze.ruleset.typed import kubectl_value

ODD = [
    *("True", "no", "y", "null", "~", "", "1.30", "0x1f", "1_000", "1e3", ".5", ".inf", "12:30", "2026-12-01", "100%", "="),
    *("a: b", "a #b", "a:", " a", "a ", "- a", "-a", "---", "...", "*x", "&x", "!x", "%x", "@x", "`x", "? x", "| x", "> x"),
    *("{{ a }}", "{a}", "[a]", "a, b", "'x'", '"x"', "it's", 'say "a"', "a\\b", "a\nb", "a\tb", "é", "a | b", "http://x/y:80"),
    *("10Gi", "app.kubernetes.io/name", "status.conditions[type=Ready].status", "v1.33.5-eks-3025e55", "a: {{ b | # c | # d }}"),
]


@pytest.mark.parametrize("text", ODD)
def test_text_comes_back_as_text(text: str) -> None:
    for line in (f"a: {scalar(text)}", f"a: {flat([text])}", f"a: {flat({'k': text})}", "\n".join(block({"a": [text]}))):
        source, root = read_yaml("x.yaml", line.encode())
        assert not source.mistakes, line
        assert root is not None
        value = kubectl_value(root)["a"]
        assert (value[0] if isinstance(value, list) else value["k"] if isinstance(value, dict) else value) == text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("a plain text", "a plain text"),
        ("http://x/y:80", "http://x/y:80"),
        ("True", '"True"'),
        ('data["a"]', "'data[\"a\"]'"),
        ('it\'s "a"', '"it\'s \\"a\\""'),
        (True, "true"),
        (None, "null"),
        (8, "8"),
        (["a", "b, c"], '[a, "b, c"]'),
        ({"kind": "Node", "n": {}}, '{kind: Node, "n": {}}'),
    ],
)
def test_flat(value: Any, line: str) -> None:
    assert flat(value) == line


def test_block() -> None:
    value = {"kind": "Pod", "spec": {"containers": [{"name": "a", "args": []}, {"name": "b"}], "lists": [["x"], [1, 2]]}}
    lines = list(block([value], 2))
    assert lines == [
        "  - kind: Pod",
        "    spec:",
        "      containers:",
        "        - name: a",
        "          args: []",
        "        - name: b",
        "      lists:",
        "        - - x",
        "        - - 1",
        "          - 2",
    ]
    source, root = read_yaml("x.yaml", "\n".join(lines).encode())
    assert root is not None
    assert (source.mistakes, kubectl_value(root)) == ([], [value])


@pytest.mark.parametrize("text", ["a\x1b[2J", "a\u202eb", "a\u2028b"])
def test_what_does_not_print_is_written_out(text: str) -> None:
    line = scalar(text)
    assert line.isprintable()
    assert "‹U+" in line
