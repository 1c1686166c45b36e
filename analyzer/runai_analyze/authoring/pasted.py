"""The object of ``runai-rules new --from-object``: what ``kubectl get -o yaml`` printed, read, cleaned, and one of it chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from runai_analyze.ruleset.nodes import read_documents
from runai_analyze.ruleset.typed import kubectl_value
from runai_analyze.ruleset.vocabulary import FORMER_GROUPS, GROUP_OF

from .cleaning import clean
from .facts_page import Kind
from .proposal import Sign
from .signs import signs_of

MOST_BYTES = 2**20
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}", re.ASCII)
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)


@dataclass(frozen=True)
class Pasted:
    """One object: without noise and secrets, what was left out of it, and what looks wrong with it."""

    body: dict[str, Any]
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


def group_of(body: dict[str, Any]) -> str:
    """Return the API group of an object."""
    return str(body.get("apiVersion") or "v1").rpartition("/")[0]


def read_pasted(name: str, data: bytes) -> tuple[Pasted, ...]:
    """Return the objects of a file (one, a List, or several documents), those with the clearest signs first.

    Raises ValueError that says what is wrong with the file.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"{name} is larger than 1 MiB; give the one object that shows the fault")
    source, roots = read_documents(name, data)
    if source.mistakes:
        raise ValueError(str(source.mistakes[0]))
    objects = [body for root in roots for body in _listed(kubectl_value(root)) if _is_object(body)]
    if not objects:
        raise ValueError(f"{name} holds no object with kind and metadata.name, as kubectl get -o yaml prints it")
    pasted = [_pasted(body) for body in objects]
    return tuple(sorted(pasted, key=lambda one: -(one.signs[0].score if one.signs else 0)))


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
    cleaned = clean(body)
    if not _is_object(cleaned.body):
        raise ValueError("the kind or the name of the object looks like a secret; change it")
    return Pasted(cleaned.body, cleaned.left_out, signs_of(cleaned.body))
