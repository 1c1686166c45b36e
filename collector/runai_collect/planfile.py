"""--plan-file: more kinds, API groups, ConfigMaps and logs, as data. Checked strictly: it asks for no command and no Secret."""

import hashlib
import json
import os
import re
from argparse import ArgumentTypeError
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Tuple

from . import plan

# What may not be asked for: values of Secrets, and OpenShift's tokens, of which old ones are named by their value.
NEVER: Tuple[str, ...] = ("secrets", "*.oauth.openshift.io")
MOST_BYTES, MOST_ENTRIES = 256 << 10, 200
_ALLOWED = "a plan file holds kinds, groups, configmaps and logs, and nothing else: no command, no Secret, no path"
_GROUP = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
# What each field of a kind must be, as a regular expression of the whole.
_FIELDS = (("group", "(%s)?" % _GROUP), ("plural", "[a-z0-9-]{1,63}"), ("version", "[a-z0-9-]{1,63}"),
           ("kind", "[A-Z][A-Za-z0-9]{0,62}"), ("namespaced", "True|False"))
_PATTERN = re.compile(r"[a-z0-9.*?\[\]!-]{1,253}")
_SPELLED = re.compile(r"(?<![\[a-z0-9.-])[a-z0-9.-]{3}(?![^\[]*\])")      # outside of [a-z]


def read_plan_file(path: str) -> plan.Extra:
    """Return what a plan file adds. Raises ArgumentTypeError with one line that names the file, the place and what is wrong."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        _must(len(data) <= MOST_BYTES, "it is larger than %d KiB" % (MOST_BYTES >> 10))
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
        _keys(document, set(READERS) & set(document), _ALLOWED)
        found = {key: tuple(_each(document.get(key, []), key)) for key in READERS}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        words = getattr(error, "strerror", "") or ("it is nested too deeply" if isinstance(error, RecursionError) else error)
        raise ArgumentTypeError("%s: %s" % (os.path.basename(path), words))
    return plan.Extra(os.path.basename(path), hashlib.sha256(data).hexdigest(), **found)


def _must(good: bool, words: str) -> None:
    if not good:
        raise ValueError(words)


def _keys(value: Any, wanted: Any, words: str) -> None:
    """Raise ValueError unless a value is an object with these keys."""
    odd = sorted(set(value) - set(wanted))[:1] if isinstance(value, dict) else []
    _must(isinstance(value, dict) and set(value) == set(wanted), ("%r: " % odd[0][:60] if odd else "") + words)


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for key, value in pairs:
        _must(key not in found, "%r stands there twice" % key[:60])
        found[key] = value
    return found


def _each(entries: Any, key: str) -> Any:
    fits = isinstance(entries, list) and len(entries) <= MOST_ENTRIES
    _must(fits, "%s: is no list of at most %d entries" % (key, MOST_ENTRIES))
    for number, entry in enumerate(entries):
        try:
            yield READERS[key](entry)
        except ValueError as error:
            raise ValueError("%s[%d]: %s" % (key, number, error))


def _kind(entry: Any) -> plan.Kind:
    _keys(entry, [field for field, _ in _FIELDS], "must be group, plural, version, kind and namespaced")
    for field, wanted in _FIELDS:
        value, sort = str(entry[field]), bool if field == "namespaced" else str
        fits = isinstance(entry[field], sort) and len(value) <= 253 and re.fullmatch(wanted, value)
        _must(bool(fits), "%s: %r is none" % (field, value[:60]))
    kind = plan.Kind(**entry)
    for name in ("%s.%s" % (kind.plural, kind.group) if kind.group else kind.plural, kind.kind.lower() + "s"):
        _must(not _never(name) or (bool(kind.group) and name == "secrets"), "%s are never read as objects, whoever asks" % name)
    return kind


def _group(entry: Any) -> str:
    _must(isinstance(entry, str) and len(entry) <= 253 and bool(re.fullmatch(_GROUP, entry)), "%r is no group" % str(entry)[:60])
    _must("." in entry and not _never("x." + entry), "the kinds of %s can only be asked for one by one, if at all" % entry)
    return str(entry)


def _never(name: str) -> bool:
    return any(fnmatchcase(name, never) for never in NEVER)


def _configmap(entry: Any) -> str:
    _must(isinstance(entry, str) and entry.count("/") == 1, "must be NAMESPACE/NAME, a pattern of shells")
    return _pattern(*entry.split("/"))


def _log(entry: Any) -> str:
    _keys(entry, ("namespace", "pod"), "must be namespace and pod")
    return _pattern(entry["namespace"], entry["pod"])


def _pattern(*parts: Any) -> str:
    for part in parts:
        _must(isinstance(part, str) and bool(_PATTERN.fullmatch(part)), "%r is no pattern of names" % str(part)[:60])
    spelled = any(_SPELLED.search(part) or not set(part) & set("*?[") for part in parts)
    _must(spelled, "%s/%s would take those of every team: spell out three letters of the namespace or of the name" % parts)
    return "%s/%s" % parts


READERS: Dict[str, Callable[[Any], Any]] = {"kinds": _kind, "groups": _group, "configmaps": _configmap, "logs": _log}
