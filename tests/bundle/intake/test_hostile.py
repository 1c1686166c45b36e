"""Texts made to take time or memory: each is read, or refused, in a time that grows with its length alone."""

import time
from collections.abc import Callable

import pytest
from runai_analyze.bundle.intake import parse as parse_module
from runai_analyze.bundle.intake.parse import objects

# Of a length, the text.
TEXTS: dict[str, Callable[[int], str]] = {
    "flow in flow": lambda size: "a: " + "{" * size,
    "keys in keys": lambda size: "[a: " * (size // 4),
    "lists in lists": lambda size: "x: \n" + "- " * (size // 2),
    "deeper line by line": lambda size: "".join(" " * at + "a:\n" for at in range(int((2 * size) ** 0.5))),
    "one long word": lambda size: "a: " + "x" * size,
    "one long folded text": lambda size: 'a: "' + "x y\n  " * (size // 6) + '"',
    "a quote that does not end": lambda size: "a: '" + "x" * size,
    "complex keys": lambda size: "? " * (size // 2),
    "tags": lambda size: "a: " + "!x " * (size // 3),
    "colons": lambda size: "a: b: " * (size // 6),
    "comments": lambda size: "# x\n" * (size // 4) + "a: 1\n",
    "ends of documents": lambda size: "---\n" * (size // 4),
    "lists without items": lambda size: "kind: XList\n" * (size // 12) + "items:\n",
    "digits": lambda size: "a: " + "1" * size,
    "aliases": lambda size: "a: &a [x]\n" + "b: [*a, *a]\n" * (size // 12),
    "JSON in JSON": lambda size: '{"a":' * (size // 5),
    "JSON lists in lists": lambda size: "[" * size,
    "a number of JSON": lambda size: '{"a":' + "1" * size + "}",
    "quotes of JSON": lambda size: '{"' + '\\"' * (size // 2),
    "JSON with blanks": lambda size: "{" + " " * size + "x",
    "a list of words": lambda size: '{"items":[' + '"x",' * (size // 4),
    "one JSON after the other": lambda size: '{"a":1}\n' * (size // 8) + "{x",
}


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS.keys())
def test_time_grows_with_the_length(make: Callable[[int], str]) -> None:
    """Half a megabyte takes a tenth of a second of CPU time, one second where there are many documents; its square, hours."""
    begin = time.process_time()
    for _ in objects(make(500_000)):
        pass
    assert time.process_time() - begin < 6


def test_a_file_of_more_values_than_the_lists_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "_MOST_OPENING", 100)
    (found,) = objects('{"kind": "List", "items": [' + "{}," * 100 + "{}]}", "Pod", "v1")
    assert (found.problem, found.kind) == ("it holds more values than the lists of a cluster", "Pod")
