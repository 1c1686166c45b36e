"""--exclude and --only: which kinds, namespaces and files of the bundle a person wants left out."""

from fnmatch import fnmatchcase
from typing import Any, Dict, List, Set, Tuple

from . import layout, plan

_NEEDED = ("nodes", "namespaces", "pods", "ingresses", "gateways", "configmaps")        # by later steps, or for other files
_ALWAYS = (layout.BUNDLE, layout.README, layout.MANIFEST)


def name_of(kind: plan.Kind) -> str:
    """Return PLURAL or PLURAL.GROUP."""
    return "%s.%s" % (kind.plural, kind.group) if kind.group else kind.plural


class Filter:
    """What was asked to be left out. Each method returns why it is, "" when it is not. Safe among threads."""

    def __init__(self, exclude: Tuple[str, ...], only: Tuple[str, ...]) -> None:
        self._exclude, self._only = _by_sort(exclude), _by_sort(only)
        self._asked: Dict[str, Set[str]] = {sort: set() for sort in self._only}

    def kind(self, kind: plan.Kind) -> str:
        """Of a kind; what is read of pods (logs, nvidia-smi) and of Secrets goes with them."""
        return "" if name_of(kind) == "namespaces" else self._why("kind", name_of(kind))

    def list(self, kind: plan.Kind) -> str:
        """Of a list of objects: of those that later steps need no more than the files is left out."""
        folder = layout.resource_folder(kind.group, kind.version, kind.plural)
        return self.kind(kind) or ("" if kind.plural in _NEEDED else self.folder(folder))

    def namespace(self, name: str) -> str:
        """Of all that is in a namespace, and of itself."""
        return self._why("namespace", name)

    def path(self, member: str) -> str:
        """Of a file of the bundle."""
        return "" if member in _ALWAYS else self._why("path", member)

    def folder(self, folder: str) -> str:
        """Of the pages of a list."""
        return self.path(layout.page(folder, 1))

    def keep(self, kind: plan.Kind, values: List[Any]) -> List[Any]:
        """Return the objects of a list of the whole cluster that may stay. What is no object stays, and is told elsewhere."""
        field = "name" if name_of(kind) == "namespaces" else "namespace"
        return [value for value in values if not self.namespace(text_of(value, field))] if self.namespaces() else values

    def namespaces(self) -> str:
        """Of namespaces in general: what a list of the whole cluster lacks, in words that the analyzer reads."""
        parts = [words % ", ".join(found["namespace"]) for words, found in
                 ((layout.WITHOUT, self._exclude), (layout.ONLY_OF, self._only)) if found["namespace"]]
        return layout.LEFT_OUT + "; ".join(parts) if parts else ""

    def unmatched(self, *sorts: str) -> List[Tuple[str, str]]:
        """Return (option, pattern) of what fits nothing that was asked about: mistyped, or of what is not there."""
        return [(option, pattern) for option, wishes in (("--exclude", self._exclude), ("--only", self._only)) for sort in sorts
                for pattern in wishes[sort] if not any(_matches(name, pattern) for name in self._asked[sort])]

    def _why(self, sort: str, name: str) -> str:
        self._asked[sort].add(name)
        for pattern in self._exclude[sort]:
            if _matches(name, pattern):
                return layout.LEFT_OUT + "--exclude " + pattern
        only = self._only[sort]
        if only and name and not any(_matches(name, pattern) for pattern in only):
            return layout.LEFT_OUT + "not in --only " + ", ".join(only)
        return ""


def _by_sort(wishes: Tuple[str, ...]) -> Dict[str, List[str]]:
    return {sort: [wish.partition(":")[2] for wish in wishes if wish.startswith(sort)] for sort in ("kind", "namespace", "path")}


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern + "/*")       # a folder means all in it


def text_of(value: Any, field: str) -> str:
    """Return a text in the metadata of what may be no object, "" when there is none."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get(field) if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
