"""Which objects a rule looks at, before any condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

from runai_analyze.model import Item, ObjectRef
from runai_analyze.ruleset.rule import Selection
from runai_analyze.ruleset.vocabulary import CLUSTER_SCOPED, FORMER_GROUPS, GROUP_OF

_WILD = re.compile(r"[*?\[]")


def matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a name is one of the globs; no globs: any name."""
    if not globs:
        return lambda name: True
    if not any(_WILD.search(glob) for glob in globs):
        return frozenset(globs).__contains__
    return re.compile("|".join(translate(glob) for glob in globs)).match  # type: ignore[return-value]


class Filter:
    """Takes the items of a selection's kind, namespaces and names."""

    def __init__(self, selection: Selection) -> None:
        self._groups = _groups(selection)
        self._namespace = matcher(selection.namespaces) if selection.namespaces else None
        self._name = matcher(selection.names) if selection.names else None

    def takes(self, item: Item) -> bool:
        """Return whether the item is one that the rule looks at."""
        if item.group not in self._groups:
            return False
        metadata = item.body.get("metadata") or {}
        if self._namespace is not None and not self._namespace(metadata.get("namespace") or ""):
            return False
        return self._name is None or bool(self._name(metadata.get("name") or ""))


def _groups(selection: Selection) -> frozenset[str]:
    """A bare kind is the built-in one: ``Service`` is not Knative's. Examples without apiVersion come with an empty group."""
    if selection.group is not None:
        return frozenset((selection.group,))
    return frozenset(("", GROUP_OF[selection.kind], FORMER_GROUPS.get(selection.kind, "")))


def names_one_object(selection: Selection) -> bool:
    """Return whether name and namespace are written out, so that one object, once seen, is all there is."""
    globs = [selection.names] if selection.kind in CLUSTER_SCOPED else [selection.names, selection.namespaces]
    return all(len(names) == 1 and not _WILD.search(names[0]) for names in globs)


def absent_ref(selection: Selection) -> ObjectRef:
    """Return a name for what a selection did not find, or for all that it counted."""
    namespace = selection.namespaces[0] if len(selection.namespaces) == 1 else ""
    return ObjectRef(selection.kind, ", ".join(selection.names) or "(all)", namespace)
