"""What WHAT of --exclude and --only means: a kind, a namespace, or files of the bundle; and what is left out because of it.
Loaded by these options alone."""

import difflib
import re
from argparse import ArgumentTypeError, Namespace
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Set, Tuple

from . import layout, plan
from .client import Tally
from .filters import Filter, name_of, text_of

_FOLDERS = ("cluster/", layout.RESOURCES, layout.CONFIGMAPS, layout.SECRETS, layout.HELM, layout.CERTIFICATES, layout.NODES,
            layout.LOGS, layout.PROBES, layout.REDACTIONS)
_WORDS: Dict[str, str] = {word: name_of(kind) for kind in plan.KINDS + (plan.SECRET, plan.NODE_LEASES)
                          for word in (kind.plural, kind.kind.lower(), name_of(kind))}
# What a run reads beside objects, as a person calls it, and the folder of it.
_PARTS: Dict[str, str] = dict({folder[:-1]: folder[:-1] for folder in _FOLDERS if folder[:-1] not in _WORDS}, log="logs",
                              certificate="certificates", probe="probes", **{"nvidia-smi": "nodes"})
_NEEDED = ("nodes", "namespaces", "pods", "ingresses", "gateways", "configmaps")        # by later steps, or for other files
_ALWAYS = (layout.BUNDLE, layout.README, layout.MANIFEST)


def contradiction(chosen: Namespace) -> str:
    """Return why options cannot go together: one would do nothing, or the bundle be empty. "" when they can."""
    if chosen.certificate and not chosen.rbac:
        return "--certificate goes with --rbac alone"
    if chosen.rbac and chosen.json:
        return "--rbac prints YAML: it goes with no --json"
    if chosen.no_exec and (chosen.exec_host or chosen.exec_user_pods):
        return "--no-exec leaves out what %s asks for" % ("--exec-host" if chosen.exec_host else "--exec-user-pods")
    excluded, only = Wishes(tuple(chosen.exclude), ()), _by_sort(tuple(chosen.only))
    for option, sort, names in [("--only", sort, only[sort]) for sort in sorted(only)] + [("-n", "namespace", chosen.namespace)]:
        if names and all(excluded._why(sort, name) for name in names):
            return "--exclude leaves out all that %s names: %s" % (option, ", ".join(names))
    secrets = "--no-secrets" if chosen.no_secrets else ""
    unread = {"logs": "--no-logs" if chosen.no_logs else "", "secrets": secrets, "helm": secrets,
              "certificates": secrets or ("--no-certificates" if chosen.no_certificates else ""),
              "probes": "" if chosen.probe else "without --probe"}
    named = sorted({name.split("/")[0] for name in only["kind"] + only["path"]})
    if named and all(unread.get(name) for name in named):
        return "nothing that --only names is read: " + ", ".join(["%s (%s)" % (name, unread[name]) for name in named])
    return ""


def read_wish(text: str) -> str:
    """Return WHAT of --exclude and --only with its sort before it: "Event" is "kind:events".
    Raises ArgumentTypeError, whose text is for the person, when it is none of kind, namespace and path."""
    sort, colon, name = text.partition(":")
    if text.lower() in _PARTS:
        sort, name = "path", _PARTS[text.lower()]
    elif not colon:
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
    for close in difflib.get_close_matches(text, sorted(_WORDS) + ["certificates", "nvidia-smi"], 1, 0.85):
        words = "%r is no kind: did you mean %s? If it is a namespace: namespace:%s"
        raise ArgumentTypeError(words % (text, _WORDS.get(close, close), text))
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


class Wishes(Filter):
    """The filter of a run with --exclude or --only. Safe among threads."""

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

    def keep(self, kind: plan.Kind, values: List[Any], tally: Tally) -> List[Any]:
        """Return the objects of a list of the whole cluster that may stay, and keep in ``tally`` whether any may not. What is no
        object stays, and is told elsewhere."""
        field = "name" if name_of(kind) == "namespaces" else "namespace"
        kept = [value for value in values if not self.namespace(text_of(value, field))] if self.namespaces() else values
        tally.left_out = tally.left_out or len(kept) < len(values)
        return kept

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
