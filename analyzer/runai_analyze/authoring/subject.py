"""What a rule is tried on: a bundle, or a file of objects as ``kubectl get -o yaml`` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..bundle import open_bundle
from ..bundle.documents import read_json
from ..errors import UserError
from ..facts import build_facts, example_facts
from ..facts.build import BundleFacts
from ..ruleset.blocks import is_null
from ..ruleset.needs import kinds_of, needs_of
from ..ruleset.nodes import read_documents
from ..ruleset.rule import Rule, Signature
from ..ruleset.signatures import Finder
from ..ruleset.typed import kubectl_value
from ..ruleset.vocabulary import CUSTOM_KINDS, GROUP_OF, MADE

Kinds = frozenset[tuple[str, str | None]]
_LARGEST = 16 << 20  # bytes of a file of objects
_OBJECTS = (".yaml", ".yml", ".json")


class Subject(NamedTuple):
    """The facts, and what a reader must know about where they come from; empty: a whole bundle."""

    facts: BundleFacts
    note: str = ""


def read_subject(
    path: Path,
    rules: Sequence[Rule],
    every_fact: bool = False,
    kinds: Kinds | None = None,
    signatures: Sequence[Signature] = (),
) -> Subject:
    """Return the facts that the rules ask of a bundle or a file of objects.

    A kind of which the file holds no object counts as not collected: it may be there. ``every_fact``: those that the rules do not
    name too; ``kinds``: all that may be asked for, in place of those of the rules; ``signatures``: what logs are searched for.
    Raises ``BundleError`` for what is no bundle, ``UserError`` for a file of objects that cannot be read.
    """
    kinds = kinds or kinds_of(rules)
    if path.suffix not in _OBJECTS:
        bundle = open_bundle(path)
        state = bundle.info.state
        note = "" if state == "complete" else f"The bundle is not whole ({state}): what is missing in it is unknown."
        needs = None if every_fact else needs_of(rules)
        return Subject(build_facts(bundle, kinds=kinds, needs=needs, signatures=Finder(signatures)), note)
    objects = _objects_of(path)
    lacking = tuple(_lacking({str(body.get("kind")) for body in objects}, kinds))
    facts = example_facts(given=objects, cluster={}, not_collected=lacking, bundle_time=None, kinds=kinds)
    said = f"{len(objects)} object{'' if len(objects) == 1 else 's'} of a file"
    return Subject(facts, f"{said}: kinds that it does not hold are unknown, and so is the time when it was made.")


def _objects_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file: one, a List, or several documents. They need not fit the schemas of any version."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    documents = _json(path, data) if path.suffix == ".json" else _yaml(path, data)
    objects = [each for one in documents for each in _listed(one)]
    wrong = next((number for number, each in enumerate(objects, start=1) if not _is_object(each)), 0)
    if wrong or not objects:
        said = f"object {wrong} has no kind, or no name in its metadata" if wrong else "it is empty"
        raise UserError(f"{path} holds no objects as kubectl prints them", said)
    return objects


def _yaml(path: Path, data: bytes) -> list[Any]:
    source, roots = read_documents(str(path), data, _LARGEST)
    if source.mistakes:
        raise UserError(f"{path} holds no objects as kubectl prints them", str(source.mistakes[0]))
    return [kubectl_value(root) for root in roots if not is_null(root)]


def _json(path: Path, data: bytes) -> list[Any]:
    try:
        if len(data) > _LARGEST:
            raise ValueError(f"the file is larger than {_LARGEST // 1024} KiB")
        return [read_json(data)]
    except ValueError as error:
        raise UserError(f"{path} holds no objects as kubectl prints them", str(error)) from error


def _listed(document: Any) -> list[Any]:
    """Return the objects of a document: itself, or the items of a List."""
    if isinstance(document, dict) and str(document.get("kind")).endswith("List") and isinstance(document.get("items"), list):
        return list(document["items"])
    return [document]


def _is_object(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and isinstance(value.get("kind"), str)


def _lacking(there: set[str], kinds: Kinds) -> list[str]:
    """Return the kinds of which there is no object, as ``not_collected`` names them."""
    asked = {f"{kind}.{group}" for kind, group in kinds if group not in (None, MADE) and kind not in there}
    custom = {full for kind, full in CUSTOM_KINDS.items() if kind not in there}
    return sorted({kind for kind in GROUP_OF if kind not in there} | custom | asked)
