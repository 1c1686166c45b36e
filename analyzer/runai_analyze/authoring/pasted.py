"""The object of ``runai-rules new --from-object``: what ``kubectl get -o yaml`` printed, read, cleaned, and one of it chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from runai_analyze.bundle.documents import read_json
from runai_analyze.ruleset.nodes import read_documents
from runai_analyze.ruleset.typed import kubectl_value
from runai_analyze.ruleset.vocabulary import FORMER_GROUPS, GROUP_OF

from .cleaning import clean
from .facts_page import Kind
from .proposal import Sign, group_of
from .signs import signs_of
from .subject import read_subject

MOST_BYTES = 16 * 2**20
_MOST_OBJECTS = 5000  # of a bundle that are looked at for the clearest sign
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}", re.ASCII)
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)


@dataclass(frozen=True)
class Pasted:
    """One object: without noise and secrets, what was left out of it, and what looks wrong with it. ``whole``: as it was given,
    for what a rule says of it; nothing of that is written or shown."""

    body: dict[str, Any]
    whole: dict[str, Any]
    left_out: tuple[str, ...]
    signs: tuple[Sign, ...]

    @property
    def kind(self) -> Kind:
        """Its kind as rules write it."""
        kind, group = str(self.body["kind"]), group_of(self.body)
        built_in = kind in GROUP_OF and group in (GROUP_OF[kind], FORMER_GROUPS.get(kind))
        return Kind(kind, None if built_in else group)

    @property
    def name(self) -> str:
        """Namespace and name."""
        metadata = self.body["metadata"]
        return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])


def read_pasted(name: str, data: bytes) -> tuple[Pasted, ...]:
    """Return the objects of a file (one, a List, or several documents), those with the clearest signs first.

    Raises ValueError that says what is wrong with the file.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"{name} is larger than 16 MiB; give the one object that shows the fault")
    objects = [body for document in _documents(name, data) for body in _listed(document) if _is_object(body)]
    if not objects:
        raise ValueError(f"{name} holds no object with kind and metadata.name, as kubectl get -o yaml prints it")
    return _clearest_first(_pasted(body) for body in objects)


def read_bundle(bundle: Path, kind: Kind, name: str = "") -> tuple[Pasted, ...]:
    """Return the objects of a kind in a bundle, those with the clearest signs first; ``name``: only those of this name.

    Raises ``UserError`` when the bundle cannot be read, ValueError when it holds no such object.
    """
    wanted = frozenset(((kind.name, kind.group),))
    facts = read_subject(bundle, (), kinds=wanted).facts
    named = (item for item in facts.items(wanted) if name in ("", item.ref.name, f"{item.ref.namespace}/{item.ref.name}"))
    bodies = (deepcopy({key: value for key, value in item.body.items() if key != "facts"}) for item in named)
    found = _clearest_first(_pasted(body) for body in islice(filter(_is_object, bodies), _MOST_OBJECTS))
    if not found:
        raise ValueError(f"{bundle} holds no {kind.written}{f' of the name {name}' if name else ''}")
    return found


def _clearest_first(pasted: Iterable[Pasted]) -> tuple[Pasted, ...]:
    return tuple(sorted(pasted, key=lambda one: -(one.signs[0].score if one.signs else 0)))


def _documents(name: str, data: bytes) -> list[Any]:
    """Return the documents of a file; JSON is read as such, which is quick."""
    if data.lstrip()[:1] == b"{":
        with suppress(ValueError):  # several documents, or YAML that looks so
            return [read_json(data)]
    source, roots = read_documents(name, data, MOST_BYTES)
    if source.mistakes:
        raise ValueError(str(source.mistakes[0]))
    return [kubectl_value(root) for root in roots]


def _listed(document: Any) -> list[Any]:
    """Return the objects of a document: itself, or the items of a List, which name no kind when the API server gave them."""
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(items, list):
        return [document]
    kind = str(document.get("kind") or "").removesuffix("List")
    known = {"apiVersion": document.get("apiVersion") or "v1", "kind": kind} if kind else {}
    return [{**known, **item} if isinstance(item, dict) else item for item in items]


def _is_object(body: Any) -> bool:
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        return False
    kind, name, group = body.get("kind"), body["metadata"].get("name"), group_of(body)
    named = isinstance(name, str) and bool(name) and isinstance(kind, str) and bool(_KIND.fullmatch(kind))
    return named and (not group or bool(_GROUP.fullmatch(group)))


def _pasted(body: dict[str, Any]) -> Pasted:
    whole = deepcopy(body)
    cleaned = clean(body)
    if not _is_object(cleaned.body):
        raise ValueError("the kind or the name of the object looks like a secret; change it")
    return Pasted(cleaned.body, whole, cleaned.left_out, signs_of(cleaned.body))
