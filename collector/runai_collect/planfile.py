"""--plan-file: more kinds, API groups, ConfigMaps and logs, as data. Checked strictly: it asks for no command and no Secret."""

import hashlib
import json
import os
import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Tuple

from . import plan

MOST_BYTES, MOST_ENTRIES = 256 << 10, 200
_GROUP = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\Z")
_WORD = re.compile(r"[a-z0-9-]{1,63}\Z")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}\Z")
_PATTERN = re.compile(r"[a-z0-9.*?\[\]!-]{1,253}\Z")
_SPELLED = re.compile(r"(?<![\[a-z0-9.-])[a-z0-9.-]{3}(?![^\[]*\])")   # outside of [a-z]
_ALLOWED = "a plan file holds kinds, groups, configmaps and logs, and nothing else: no command, no Secret, no path"


def read_plan_file(path: str) -> plan.Extra:
    """Return what a plan file adds. Raises ValueError with one line that names the file, the place and what is wrong there."""
    name = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError("it is larger than %d KiB" % (MOST_BYTES >> 10))
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
        _check(document, ("kinds", "groups", "configmaps", "logs"), _ALLOWED, optional=True)
        found = {key: _each(document, key, reader) for key, reader in _READERS.items()}
    except OSError as error:
        raise ValueError("%s: %s" % (path, error.strerror))
    except RecursionError:
        raise ValueError("%s: it is nested too deeply" % name)
    except ValueError as error:
        raise ValueError("%s: %s" % (name, error))
    return plan.Extra(name, hashlib.sha256(data).hexdigest(), **found)


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError("%r stands there twice" % key[:60])
    return dict(pairs)


def _check(value: Any, keys: Tuple[str, ...], words: str, optional: bool = False) -> None:
    """Raise ValueError unless a value is an object with these keys."""
    if not isinstance(value, dict) or set(value) - set(keys) or not (optional or set(value) == set(keys)):
        odd = sorted(set(value) - set(keys))[:1] if isinstance(value, dict) else []
        raise ValueError(("%r: " % odd[0][:60] if odd else "") + words)


def _each(document: Dict[str, Any], key: str, reader: Callable[[Any], Any]) -> Tuple[Any, ...]:
    entries = document.get(key, [])
    if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
        raise ValueError("%s: is no list of at most %d entries" % (key, MOST_ENTRIES))
    found = []
    for number, entry in enumerate(entries):
        try:
            found.append(reader(entry))
        except ValueError as error:
            raise ValueError("%s[%d]: %s" % (key, number, error))
    return tuple(found)


def _kind(entry: Any) -> plan.Kind:
    _check(entry, ("group", "plural", "version", "kind", "namespaced"), "must be group, plural, version, kind and namespaced")
    group = _text(entry, "group", _GROUP) if entry["group"] != "" else ""
    kind = plan.Kind(group, _text(entry, "plural", _WORD), _text(entry, "version", _WORD), _text(entry, "kind", _KIND),
                     entry["namespaced"])
    if not isinstance(kind.namespaced, bool):
        raise ValueError("namespaced: must be true or false")
    for name in ("%s.%s" % (kind.plural, group) if group else kind.plural, kind.kind.lower() + "s" if not group else ""):
        if any(fnmatchcase(name, never) for never in plan.NEVER):
            raise ValueError("%s are never read as objects, whoever asks" % name)
    return kind


def _group(entry: Any) -> str:
    group = _text({"group": entry}, "group", _GROUP)
    if "." not in group or any(fnmatchcase("x." + group, never) for never in plan.NEVER):
        raise ValueError("group: the kinds of %s can only be asked for one by one, if at all" % group)
    return group


def _configmap(entry: Any) -> str:
    if not isinstance(entry, str) or entry.count("/") != 1:
        raise ValueError("must be NAMESPACE/NAME, a pattern of shells")
    return _pattern(*entry.split("/"))


def _log(entry: Any) -> str:
    _check(entry, ("namespace", "pod"), "must be namespace and pod")
    return _pattern(entry["namespace"], entry["pod"])


def _pattern(namespace: Any, name: Any) -> str:
    for part in (namespace, name):
        if not isinstance(part, str) or not _PATTERN.match(part):
            raise ValueError("%r is no pattern of names" % str(part)[:60])
    if not any(_SPELLED.search(part) or not set(part) & set("*?[") for part in (namespace, name)):
        raise ValueError("%s/%s would take those of every team: spell out three letters of the namespace or of the name"
                         % (namespace, name))
    return "%s/%s" % (namespace, name)


def _text(entry: Dict[str, Any], key: str, wanted: Any) -> str:
    value = entry[key]
    if not isinstance(value, str) or len(value) > 253 or not wanted.match(value):
        raise ValueError("%s: %r is none" % (key, str(value)[:60]))
    return value


_READERS: Dict[str, Callable[[Any], Any]] = {"kinds": _kind, "groups": _group, "configmaps": _configmap, "logs": _log}
