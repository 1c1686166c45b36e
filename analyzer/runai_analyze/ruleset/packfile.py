"""pack.yaml: the name and version of a pack, which versions of the program can run it, and what it must have collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runai_collect.planfile import MOST_ENTRIES, READERS

from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.blocks import is_true, read_block, text_of, texts_of
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, Source

SMALLEST_PACK = """the smallest one is
    name: acme
    version: 1
    engine: ">=0.1"
    changelog: [first rules]"""
OTHER_ENGINE = "engine"  # the code of the mistake that this program is not in the pack's range


@dataclass(frozen=True)
class Head:
    """What pack.yaml says. ``collect``: what the collector must read beside its own plan, as its plan file has it."""

    name: str = ""
    version: str = ""
    engine: str = ""
    changelog: tuple[str, ...] = ()
    collect: Mapping[str, list[Any]] = field(default_factory=dict)
    fits: bool = True  # this version of the program is in the range of ``engine``

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


def read_head(source: Source, root: Node | None, engine_version: str) -> Head:
    """Return what pack.yaml says; what is wrong stands in the source, with the code ``engine`` where it is for another engine."""
    if root is None:
        if not source.mistakes:
            source.mistake_at(1, 1, "empty", f"the file is empty; {SMALLEST_PACK}")
        return Head()
    values = read_block(source, root, "pack")
    return Head(
        text_of(values.get("name")),
        text_of(values.get("version")),
        text_of(values.get("engine")),
        texts_of(values.get("changelog")),
        _collect(source, values["collect"]) if "collect" in values else {},
        _fits(source, values.get("engine"), engine_version),
    )


def _fits(source: Source, engine: Node | None, engine_version: str) -> bool:
    try:
        if engine is None or parse_range(text_of(engine)).contains(parse_version(engine_version)) is True:
            return True
    except ValueError as error:
        assert engine is not None
        source.mistake(engine, "bad-range", str(error))
        return True
    source.mistake(engine, OTHER_ENGINE, f"the pack needs runai-analyze {text_of(engine)}, this is {engine_version}")
    return False


def _collect(source: Source, node: Node) -> dict[str, list[Any]]:
    """Return the data of a plan file; the collector itself says of each entry whether it would take it."""
    collect: dict[str, list[Any]] = {}
    for key, value in read_block(source, node, "collect").items():
        entries: list[Node] = value.items if isinstance(value, Items) else [value]
        read = [(entry, _entry(source, key, entry)) for entry in entries]
        if len(read) > MOST_ENTRIES:
            source.mistake(value, "collect", f"{key} has {len(read)} entries; the collector takes at most {MOST_ENTRIES}")
        for entry, data in read:
            if data is not None:
                _ask_collector(source, key, entry, data)
        collect[key] = [data for _, data in read if data is not None]
    return collect


def _entry(source: Source, key: str, node: Node) -> Any:
    """Return an entry as the plan file has it; None where it has not even the right form."""
    if isinstance(node, Scalar):
        return node.text
    before = len(source.mistakes)
    block = {"kinds": "collected kind", "logs": "collected log"}.get(key)
    values = read_block(source, node, block) if block and isinstance(node, Fields) else {}
    data = {name: is_true(value) if name == "namespaced" else text_of(value) for name, value in values.items()}
    return data if len(source.mistakes) == before else None


def _ask_collector(source: Source, key: str, node: Node, data: Any) -> None:
    try:
        READERS[key](data)
    except ValueError as error:
        source.mistake(node, "collect", f"the collector does not take this: {error}")
