"""What WHAT of --exclude and --only means: a kind, a namespace, or files of the bundle. Loaded by these options alone."""

import difflib
import re
from argparse import ArgumentTypeError
from fnmatch import fnmatchcase
from typing import Dict

from . import layout, plan
from .filters import name_of

_FOLDERS = ("cluster/", layout.RESOURCES, layout.CONFIGMAPS, layout.SECRETS, layout.HELM, layout.CERTIFICATES, layout.NODES,
            layout.LOGS, layout.PROBES, layout.REDACTIONS)
_WORDS: Dict[str, str] = {word: name_of(kind) for kind in plan.KINDS + (plan.SECRET, plan.NODE_LEASES)
                          for word in (kind.plural, kind.kind.lower(), name_of(kind))}
# What a run reads beside objects, as a person calls it, and the folder of it.
_PARTS: Dict[str, str] = {"log": "logs", "logs": "logs", "nvidia-smi": "nodes", "certificate": "certificates",
                          "certificates": "certificates", "helm": "helm", "probe": "probes", "probes": "probes",
                          "redactions": "redactions", "resources": "resources", "cluster": "cluster"}


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
