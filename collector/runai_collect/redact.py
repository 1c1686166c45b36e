"""Hide secrets in objects, by structure: what is hidden becomes «redacted:RULE» in place. Pure: out come the object and where
something was hidden, never what. Text inside of objects, and logs, are ``redact_text``'s."""

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import layout
from .names import harmless_value, names_object, secret_family
from .redact_text import redact_line, redact_text

DEEPEST = 150               # of an object; beyond it is not looked at, so it is not written either


class Hidden(NamedTuple):
    """Where something was hidden: a path such as ``spec.containers[0].env[2].value`` (or a line of text) and the rule's name."""

    where: str
    rule: str


class CannotRedactError(Exception):
    """An object that could not be looked through to its end. It must not be written."""


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# Annotations that repeat whole objects, or hold a token, beside every one whose name says last-applied.
_COPIES = frozenset(("kapp.k14s.io/original", "objectset.rio.cattle.io/applied", "openshift.io/token-secret.value",
                     "banzaicloud.com/last-applied"))

# Under a name such as ``credentials`` each text is hidden but these: they say which object is meant, or how it fares.
_ABOUT_CHILDREN = frozenset(
    "apiGroup apiVersion audience audiences create defaultMode description driver email enabled existingSecret "
    "expirationSeconds host id image issuer items key kind lastTransitionTime message method mode mountPath name names "
    "namespace optional path provider ready realm reason registry resourceVersion secretName server status title type uid url "
    "user username version".split())
# Names whose children are secrets one by one: a map of tokens, a list of passwords.
_CONTAINERS = frozenset(("password", "credential", "auth"))
# Whose values are never kept: of a Secret, also where its manifest stands inside of something else, and what nobody can read.
_HIDDEN_FIELDS = {"Secret": ("data", "stringData"), "ConfigMap": ("binaryData",)}
_VALUE_NAMES = ("value", "default", "data", "text", "plaintext", "content", "string", "stringValue", "currentValue")
# Programs and the option behind which they take a password, glued to it or as the next argument.
_PROGRAM_OPTIONS = {
    "redis-cli": ("-a",), "mysql": ("-p",), "mysqladmin": ("-p",), "mysqldump": ("-p",), "mariadb": ("-p",),
    "mariadb-admin": ("-p",), "sshpass": ("-p",), "ldapsearch": ("-w",), "ldapmodify": ("-w",), "ldapwhoami": ("-w",),
    "mongo": ("-p",), "mongosh": ("-p",),
    "sqlcmd": ("-P",), "login": ("-p",),        # docker login, helm registry login
}
_LOGIN = "user:password"    # what follows -u: a secret only where a colon is in it
_NAME_NAMES = ("name", "key", "Name", "Key", "header", "variable")


def redact_object(value: Dict[str, Any]) -> Tuple[Dict[str, Any], List[Hidden]]:
    """Return an object of the API with its secrets hidden, and where. The object given is changed and must not be used again.
    Of managedFields stay who wrote which version when, of last-applied the apiVersion. Raises CannotRedactError."""
    walk = _Walk()
    try:
        _reduce_metadata(value, walk)
        walk.map(value, "", 0, "")
    except (RecursionError, TypeError, ValueError, AttributeError) as error:
        raise CannotRedactError(type(error).__name__)
    return value, walk.hidden


def _reduce_metadata(value: Dict[str, Any], walk: "_Walk") -> None:
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return
    fields = metadata.get("managedFields")
    if isinstance(fields, list):
        kept = ("manager", "operation", "apiVersion", "time")
        metadata["managedFields"] = [{name: entry[name] for name in kept if name in entry} for entry in fields]
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        for name in annotations:
            if name == LAST_APPLIED:
                annotations[name] = _api_version_only(annotations[name])
            elif name in _COPIES or "last-applied" in name:
                annotations[name] = walk.hide("metadata.annotations." + name, "annotation")


def _api_version_only(applied: Any) -> str:
    try:
        version = json.loads(applied)["apiVersion"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return "{}"
    return json.dumps({"apiVersion": version} if isinstance(version, str) and len(version) < 200 else {})


class _Walk:
    """One pass over one object; ``hidden`` grows as it goes."""

    def __init__(self, embedded: int = 0) -> None:
        self.hidden: List[Hidden] = []
        self._embedded = embedded
        self._names_count = True        # off inside of OpenAPI schemas, where ``password`` is the name of a field

    def hide(self, where: str, rule: str) -> str:
        self.hidden.append(Hidden(where, rule))
        return layout.marker(rule)

    def map(self, value: Dict[str, Any], where: str, depth: int, inside: str) -> None:
        """Look through a map. ``inside`` is the family of a name further out whose children are secrets themselves."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        kind = value.get("kind")
        if isinstance(kind, str) and kind in _HIDDEN_FIELDS:
            self._hide_fields(value, where, _HIDDEN_FIELDS[kind])
        self._pair(value, where)
        for key in value:
            child = value[key]
            place = where + "." + key if where else key
            if key == "openAPIV3Schema" and self._names_count:
                self._schema(child, place, depth + 1)
                continue
            if not self._names_count and isinstance(child, dict):
                self._defaults(key, child, place)
            family = secret_family(key) if self._names_count else ""
            if family and isinstance(child, str) and where.endswith("annotations") and names_object(family, child):
                continue
            if isinstance(child, str):
                value[key] = self._text(child, place, family or ("" if key in _ABOUT_CHILDREN else inside))
            elif isinstance(child, (dict, list)):
                self._open(child, place, depth + 1, family, key, inside)
            elif family in ("password", "secret", "credential") and type(child) in (int, float):
                value[key] = self.hide(place, family)

    def _open(self, child: Any, place: str, depth: int, family: str, key: str, inside: str) -> None:
        deeper = family if family and (family in _CONTAINERS or key.lower().endswith("s")) else inside
        if isinstance(child, list):
            self.list(child, place, depth, family or deeper)
            return
        if family:
            for name in _VALUE_NAMES:
                if isinstance(child.get(name), str):
                    child[name] = self._text(child[name], place + "." + name, family)
        self.map(child, place, depth, deeper)

    def list(self, value: List[Any], where: str, depth: int, inside: str) -> None:
        """Look through a list: texts under a secret's name are secrets, and what follows ``--password`` is one."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        follows, program = "", ()  # type: str, Tuple[str, ...]
        for index, child in enumerate(value):
            place = "%s[%d]" % (where, index)
            if isinstance(child, str):
                program = _PROGRAM_OPTIONS.get(child.rsplit("/", 1)[-1], program)
                program = _PROGRAM_OPTIONS["login"] if child == "login" else program
                glued = next((option for option in program if child.startswith(option) and len(child) > len(option) + 2), "")
                if glued and not child.startswith("--"):
                    value[index] = glued + self.hide(place, "password")
                    continue
                if follows == _LOGIN:
                    follows = "auth" if ":" in child and not child.replace(":", "").isdigit() else ""
                value[index] = self._text(child, place, inside or ("" if child.startswith("-") else follows))
                follows = "password" if child in program else _option_family(child)
                continue
            follows = ""
            if isinstance(child, dict):
                self.map(child, place, depth + 1, inside)
            elif isinstance(child, list):
                self.list(child, place, depth + 1, inside)

    def _pair(self, value: Dict[str, Any], where: str) -> None:
        """Hide the value of {name: X, value: Y} where X is a secret's name, as in env lists and HTTP headers."""
        for name in _NAME_NAMES:
            family = secret_family(value[name]) if isinstance(value.get(name), str) else ""
            if family:
                for other in ("value", "Value", "values", "content"):
                    if isinstance(value.get(other), str):
                        value[other] = self._text(value[other], (where + "." if where else "") + other, family)
                    elif isinstance(value.get(other), list):
                        self.list(value[other], (where + "." if where else "") + other, 1, family)

    def _hide_fields(self, value: Dict[str, Any], where: str, fields: Tuple[str, ...]) -> None:
        rule = "secret-object" if value["kind"] == "Secret" else "binary-data"
        for field in fields:
            values = value.get(field)
            if isinstance(values, dict):
                for key in values:
                    values[key] = self.hide("%s%s.%s" % (where + "." if where else "", field, key), rule)

    def _schema(self, value: Any, place: str, depth: int) -> None:
        """Look through an OpenAPI schema: ``password`` names a field there, of which default and examples may be secrets."""
        before, self._names_count = self._names_count, False
        if isinstance(value, dict):
            self.map(value, place, depth, "")
        self._names_count = before

    def _defaults(self, key: str, child: Dict[str, Any], place: str) -> None:
        family = secret_family(key)
        for name in ("default", "example", "const") if family else ():
            if isinstance(child.get(name), str) and not harmless_value(family, child[name]):
                child[name] = self.hide("%s.%s" % (place, name), family)

    def _text(self, text: str, where: str, family: str) -> str:
        if family and not harmless_value(family, text):
            opened = self._embedded_json(text, where, family)
            return self.hide(where, family) if opened is None or opened == text else opened
        if len(text) < 6:
            return text
        opened = self._embedded_json(text, where)
        if opened is not None:
            return opened
        if not self._names_count or "\n" not in text:
            changed, rules = redact_line(text)
            self.hidden.extend([Hidden(where, rule) for rule in rules])
            return changed
        changed, found = redact_text(text)
        self.hidden.extend([Hidden("%s line %d" % (where, number), rule) for number, rule in found])
        return changed

    def _embedded_json(self, text: str, where: str, inside: str = "") -> Optional[str]:
        """Return a text that is a JSON document, looked through by structure; None when it is none."""
        start = text.lstrip()[:1]
        if start not in ("{", "[") or self._embedded > 3:
            return None
        try:
            document = json.loads(text)
        except ValueError:
            return None
        inner = _Walk(self._embedded + 1)
        if isinstance(document, dict):
            inner.map(document, where, 0, inside)
        else:
            inner.list(document, where, 0, inside)
        self.hidden.extend(inner.hidden)
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")) if inner.hidden else text


def _option_family(text: str) -> str:
    """Return the family of a command-line option that takes a secret as its next argument."""
    if not text.startswith("-") or len(text) > 80 or "=" in text or " " in text:
        return ""
    return _LOGIN if text in ("-u", "--user", "--proxy-user") else secret_family(text.lstrip("-"))
