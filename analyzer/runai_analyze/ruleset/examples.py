"""The examples of a rule: objects, what the rule must answer on them, and whether the three answers that count are there.

The objects stand in the rule, or in a file under fixtures/ as kubectl prints it: one object, a List, or several documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from runai_analyze.objects.times import parse_time
from runai_analyze.ruleset.blocks import exactly_one, is_null, items_of, misspelt, read_block, text_of, texts_of
from runai_analyze.ruleset.mistakes import did_you_mean, listing
from runai_analyze.ruleset.nodes import Fields, Node, Source, read_documents
from runai_analyze.ruleset.rule import Example
from runai_analyze.ruleset.schemas import object_problems
from runai_analyze.ruleset.typed import kubectl_value
from runai_analyze.ruleset.vocabulary import GROUP_OF

Objects = tuple[Mapping[str, Any], ...]
Fixtures = Mapping[str, Objects]
NO_FIXTURES: Fixtures = {}
_OBJECTS = ("given", "fixture")


def read_fixture(name: str, data: bytes) -> tuple[Source, Objects]:
    """Return the objects of a file that ``kubectl get -o yaml`` printed; what is wrong with it stands in the source."""
    source, roots = read_documents(name, data)
    nodes = [node for root in roots for node in _listed(root)]
    if not nodes and not source.mistakes:
        source.mistake_at(1, 1, "empty", "the file holds no object")
    return source, tuple(kubectl_value(node) for node in nodes if _is_object(source, node))


def _listed(node: Node) -> Iterator[Node]:
    """Yield the objects of a document: itself, or the items of a List; nothing of an empty document."""
    if isinstance(node, Fields) and text_of(node.fields.get("kind")).endswith("List") and "items" in node.fields:
        yield from items_of(node.fields["items"])
    elif not is_null(node):
        yield node


def read_examples(source: Source, rule: Fields, node: Node | None, fixtures: Fixtures) -> tuple[Example, ...]:
    """Return the examples; records what is wrong with each, and which of fail, pass and unknown is lacking."""
    examples = tuple(_example(source, item, fixtures) for item in items_of(node))
    results = {example.result for example in examples}
    lacking = [
        words
        for words, wanted in (
            ("a fail", {"fail"}),
            ("a pass or not_applicable", {"pass", "not_applicable"}),
            ("an unknown", {"unknown"}),
        )
        if not wanted & results
    ]
    if lacking and all(example.result for example in examples):  # a word that is none may be the one that is lacking
        place = rule.keys.get("examples") or rule
        source.mistake(place, "missing-examples", f"the examples of a rule need {listing(lacking)}")
    return examples


def _example(source: Source, node: Node, fixtures: Fixtures) -> Example:
    values = read_block(source, node, "example")
    given = tuple(kubectl_value(item) for item in items_of(values.get("given")) if _is_object(source, item))
    if isinstance(node, Fields) and not misspelt(node, _OBJECTS):
        exactly_one(source, node, node.fields, _OBJECTS, "an example")
    if "fixture" in values:
        given = _from_fixture(source, values["fixture"], fixtures)
    cluster: Any = kubectl_value(values["cluster"]) if "cluster" in values else {}
    return Example(
        text_of(values.get("name")),
        given,
        text_of(values.get("result")),
        cluster,
        texts_of(values.get("not_collected")),
        _time(source, values.get("bundle_time")),
        text_of(values.get("message_contains")),
        node.line,
    )


def _from_fixture(source: Source, node: Node, fixtures: Fixtures) -> Objects:
    name = text_of(node)
    if name in fixtures:
        return fixtures[name]
    meant = did_you_mean(name, fixtures) or "; the objects of fixtures/NAME.yaml are named NAME"
    source.mistake(node, "unknown-fixture", f'the pack has no fixtures/{name}.yaml{meant}')
    return ()


def _is_object(source: Source, node: Node) -> bool:
    if not isinstance(node, Fields) or "kind" not in node.fields:
        source.mistake(node, "bad-object", "an object of an example is a map with kind and metadata")
        return False
    metadata = node.fields.get("metadata")
    if not isinstance(metadata, Fields) or "name" not in metadata.fields:
        source.mistake(node, "bad-object", "an object of an example needs metadata with a name")
        return False
    for place, problem in object_problems(_kind_of(node), node):
        source.mistake(place, "bad-object", problem)
    return True


def _kind_of(node: Fields) -> str:
    """Return the kind of an object, with its group when it is none of Kubernetes' own: another group may use the same word."""
    kind, version = text_of(node.fields.get("kind")), text_of(node.fields.get("apiVersion"))
    group = version.rpartition("/")[0]
    return kind if not version or GROUP_OF.get(kind) == group else f"{kind}.{group}"


def _time(source: Source, node: Node | None) -> datetime | None:
    if node is None:
        return None
    try:
        return parse_time(text_of(node))
    except ValueError as error:
        source.mistake(node, "bad-time", str(error))
        return None
