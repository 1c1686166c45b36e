"""Which objects a rule looks at, before any condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
    """The items of a selection: their API groups, and which names are meant (``takes_name`` None: all)."""

    def __init__(self, selection: Selection) -> None:
        self.groups = _groups(selection)
        self._namespace = matcher(selection.namespaces)
        self._name = matcher(selection.names)
        self.takes_name = self._takes_name if selection.namespaces or selection.names else None

    def takes(self, item: Item) -> bool:
        """Return whether an item of the kind is one that the rule looks at."""
        return item.group in self.groups and (self.takes_name is None or self.takes_name(item))

    def _takes_name(self, item: Item) -> bool:
        return bool(self._namespace(named(item, "namespace"))) and bool(self._name(named(item, "name")))


def named(item: Item, field: str) -> str:
    """Return the name or namespace in the metadata of an object; what is no text there reads as empty."""
    metadata = item.body.get("metadata")
    value = metadata.get(field) if isinstance(metadata, Mapping) else None
    return value if isinstance(value, str) else ""


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
