"""--exclude and --only: which kinds, namespaces and files of the bundle a person wants left out."""

import difflib
import re
from argparse import ArgumentTypeError
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Tuple

from . import layout, plan

SORTS = ("kind", "namespace", "path")
_FOLDERS = ("cluster/", layout.RESOURCES, layout.CONFIGMAPS, layout.SECRETS, layout.HELM, layout.CERTIFICATES, layout.NODES,
            layout.LOGS, layout.PROBES, layout.REDACTIONS)
_NEEDED = ("nodes", "namespaces", "pods", "ingresses", "gateways", "configmaps")        # by later steps, or for other files
_ALWAYS = (layout.BUNDLE, layout.README, layout.MANIFEST)


def _name(kind: plan.Kind) -> str:
    return "%s.%s" % (kind.plural, kind.group) if kind.group else kind.plural


_WORDS: Dict[str, str] = {}
for _kind in plan.KINDS + (plan.SECRET, plan.NODE_LEASES):
    for _word in (_kind.plural, _kind.kind.lower(), _name(_kind)):
        _WORDS.setdefault(_word, _name(_kind))


def read_wish(text: str) -> str:
    """Return WHAT of --exclude and --only with its sort before it: "Event" is "kind:events".
    Raises ArgumentTypeError, whose text is for the person, when it is none of kind, namespace and path."""
    sort, colon, name = text.partition(":")
    if not colon:
        sort, name = _sort_of(text), text
    reader = {"kind": _read_kind, "namespace": _read_namespace, "path": _read_path}.get(sort)
    if reader is None:
        raise ArgumentTypeError("%r begins with none of kind:, namespace: and path:" % text)
    return "%s:%s" % (sort, reader(name))


def _sort_of(text: str) -> str:
    if "/" in text:
        return "path"
    if text.lower() in _WORDS or "." in text or text != text.lower():
        return "kind"
    for close in difflib.get_close_matches(text, sorted(_WORDS), 1, 0.85):
        words = "%r is no kind: did you mean %s? If it is a namespace: namespace:%s"
        raise ArgumentTypeError(words % (text, _WORDS[close], text))
    return "namespace"


def _read_kind(name: str) -> str:
    known = _WORDS.get(name.lower(), name.lower())
    if known == "namespaces":
        raise ArgumentTypeError("the names of namespaces are always read: by them it is decided what is read where")
    if known in _WORDS or re.match(r"[a-z0-9*?-]+\.[a-z0-9*?-]+(\.[a-z0-9*?-]+)*\Z", known):
        return known
    close = difflib.get_close_matches(name.lower(), sorted(_WORDS), 1)
    raise ArgumentTypeError("%r is no kind that is read: %s" % (name, "did you mean %s?" % _WORDS[close[0]] if close else
                                                                "kinds of CRDs are named PLURAL.GROUP, such as projects.run.ai"))


def _read_namespace(name: str) -> str:
    if not re.match(r"[a-z0-9*?-]{1,63}\Z", name):
        raise ArgumentTypeError("%r is no name of a namespace and no pattern of such names" % name)
    return name


def _read_path(pattern: str) -> str:
    folder = pattern.split("/")[0] + "/"
    if not [known for known in _FOLDERS if fnmatchcase(known, folder)]:
        close = difflib.get_close_matches(folder, _FOLDERS, 1)
        raise ArgumentTypeError("%r is no file of a bundle%s" % (pattern, ": did you mean %s?" % close[0] if close else
                                                         ", such as logs/runai/* or resources/core/v1/events/*"))
    return pattern.rstrip("/")


class Filter:
    """What was asked to be left out. Each method returns why it is, "" when it is not. Safe among threads."""

    def __init__(self, exclude: Tuple[str, ...], only: Tuple[str, ...]) -> None:
        self._exclude, self._only = [
            {sort: tuple([wish[len(sort) + 1:] for wish in wishes if wish.startswith(sort + ":")]) for sort in SORTS}
            for wishes in (exclude, only)]

    def kind(self, kind: plan.Kind) -> str:
        """Of a kind; what is read of pods (logs, nvidia-smi) and of Secrets goes with them."""
        return "" if kind.plural == "namespaces" and not kind.group else self._why("kind", _name(kind))

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

    def custom(self, group: str) -> List[Tuple[str, str]]:
        """Return (plural, group) of what of a custom group, or of all of an ending ("*.run.ai"), may be read; PLURAL is any."""
        named = [tuple(pattern.split(".", 1)) for pattern in self._only["kind"]]
        found = [(pair[0].replace("*", "PLURAL"), pair[1]) for pair in named if len(pair) == 2 and fnmatchcase(pair[1], group)]
        return sorted(found) if named else [("PLURAL", group)]

    def keep(self, kind: plan.Kind, values: List[Any]) -> List[Any]:
        """Return the objects of a list of the whole cluster that may stay. What is no object stays, and is told elsewhere."""
        if not self.namespaces():
            return values
        field = "name" if _name(kind) == "namespaces" else "namespace"
        return [value for value in values if not self.namespace(_text(value, field))]

    def namespaces(self) -> str:
        """Of namespaces in general: what a list of the whole cluster lacks, in words that the analyzer reads."""
        parts = [words % ", ".join(found["namespace"]) for words, found in
                 ((layout.WITHOUT, self._exclude), (layout.ONLY_OF, self._only)) if found["namespace"]]
        return layout.LEFT_OUT + "; ".join(parts) if parts else ""

    def _why(self, sort: str, name: str) -> str:
        for pattern in self._exclude[sort]:
            if _matches(name, pattern):
                return layout.LEFT_OUT + "--exclude " + pattern
        only = self._only[sort]
        if only and name and not any(_matches(name, pattern) for pattern in only):
            return layout.LEFT_OUT + "not in --only " + ", ".join(only)
        return ""


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or ("/" in pattern and fnmatchcase(name, pattern + "/*"))


def _text(value: Any, field: str) -> str:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get(field) if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
