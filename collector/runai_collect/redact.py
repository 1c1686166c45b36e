"""Hide secrets in objects, by structure: what is hidden becomes «redacted:RULE» in place. Pure: out come the object and where
something was hidden, never what. Text inside of objects, and logs, are ``redact_text``'s."""

import json
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import layout
from .hints import CLEAN, HARMLESS, is_clean
from .names import harmless_value, machine_made, names_object, secret_family
from .redact_text import hide_shapes, redact_line, redact_text

DEEPEST = 150               # of an object; beyond it is not looked at, so it is not written either


class Hidden(NamedTuple):
    """Where something was hidden: a path such as ``spec.containers[0].env[2].value`` (or a line of text) and the rule's name."""

    where: str
    rule: str


class CannotRedactError(ValueError):
    """An object that could not be looked through to its end. It must not be written."""


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# Annotations that repeat whole objects, or hold a token, beside every one whose name says last-applied.
_COPIES = frozenset("kapp.k14s.io/original kubed.appscode.com/origin objectset.rio.cattle.io/applied "
                    "openshift.io/token-secret.value banzaicloud.com/last-applied".split())

# Under a name such as ``credentials`` each text is hidden but these: they say which object is meant, or how it fares.
_ABOUT_CHILDREN = frozenset(
    "apiGroup apiVersion audience audiences create defaultMode description driver email enabled existingSecret expirationSeconds "
    "host id image issuer items key kind lastTransitionTime message method mode mountPath name names namespace optional path "
    "provider ready realm reason registry resourceVersion rotationPolicy algorithm secretName server status title type uid url "
    "user username version".split())
# Whose values are never kept: of a Secret, also where its manifest stands inside of something else, and what nobody can read.
_HIDDEN_FIELDS = {"Secret": ("data", "stringData"), "ConfigMap": ("binaryData",)}
_SECRET_TYPES = ("Opaque", "kubernetes.io/", "helm.sh/", "bootstrap.")       # in a list of Secrets they have no kind
VALUE_NAMES = frozenset(
    "value Value val v values default data args text plaintext content string stringVal stringValue currentValue parameterValue "
    "headerValue paramValue propertyValue varValue envValue".split())
TELLING = frozenset("data stringData binaryData items kty openAPIV3Schema".split())
_KEY_PARTS = frozenset("d k p q dp dq qi".split())      # of a JSON Web Key, the private ones
# A name that a value follows in a list of two: ["DB_PASSWORD", "…"], ["X-Auth-Token", "…"].
_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+|[Aa]uthorization")
NAME_NAMES = frozenset("name key k Name Key header variable id parameter property field option parameterName headerName "
                       "paramName propertyName varName envName".split())
_NO_PAIRS = frozenset("image operator effect".split())     # a container has a name too, and a toleration or a taint a key
_LONGEST_BEFORE = 300       # of the arguments before one that are looked at with it


def redact_object(value: Dict[str, Any]) -> Tuple[Dict[str, Any], List[Hidden]]:
    """Return an object of the API with its secrets hidden, and where. The object given is changed and must not be used again.
    Of managedFields stay who wrote which version when, of last-applied the apiVersion. Raises CannotRedactError."""
    walk = Walk()
    try:
        if isinstance(value.get("metadata"), dict):
            _reduce_metadata(value["metadata"], walk)
        walk.map(value, "", 0, "")
    except Exception as error:  # noqa: BLE001 - whatever an object does to a rule costs that object, and no other
        raise CannotRedactError(type(error).__name__)
    return value, walk.hidden


def _reduce_metadata(metadata: Any, walk: "Walk") -> None:
    fields, annotations = metadata.get("managedFields"), metadata.get("annotations")
    if isinstance(fields, list):
        kept = ("manager", "operation", "apiVersion", "time")
        metadata["managedFields"] = [{name: entry[name] for name in kept if name in entry} for entry in fields]
    for name in annotations if isinstance(annotations, dict) else ():
        if name == LAST_APPLIED:
            annotations[name] = _api_version_only(annotations[name])
        elif is_copy(name):
            annotations[name] = walk.hide("metadata.annotations." + redact_line(name)[0], "annotation")


def is_copy(name: str) -> bool:
    """Return whether an annotation of this name repeats a whole object, or holds a token."""
    return name in _COPIES or "lastapplied" in name.lower().replace("-", "")


def _api_version_only(applied: Any) -> str:
    try:
        version = json.loads(applied)["apiVersion"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return "{}"
    return json.dumps({"apiVersion": version} if isinstance(version, str) and len(version) < 200 else {})


class Walk:
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
        names, pair, prefix = self._names_count, "", where + "." if where else ""
        if not TELLING.isdisjoint(value):
            self._hide_manifest(value, prefix)
        if names and not VALUE_NAMES.isdisjoint(value):
            pair = _pair_family(value)
        odd = []  # type: List[Tuple[str, str, List[str]]]
        for key, child in value.items():
            name, family = key, _KEYS.get(key)
            if family is None:
                family, name = _learn(key, odd)
            if not names or (pair and key in VALUE_NAMES):
                family = pair
            kind = type(child)
            if kind is str:
                if family or inside or not (child in CLEAN or child in HARMLESS or is_clean(child)):
                    about = "opaque" if inside and key in _ABOUT_CHILDREN else inside
                    value[key] = self._text(child, prefix + name, family or about)
            elif kind is dict and names and not family and key != "openAPIV3Schema":
                self.map(child, prefix + name, depth + 1, inside)
            elif kind is list and key == "args" and isinstance(value.get("command"), list):
                words = value["command"] + child
                self.list(words, prefix + name, depth + 1, inside, len(value["command"]))
                value[key] = words[len(value["command"]):]
            elif kind is dict or kind is list:
                self._open(child, prefix + name, depth + 1, family, key, inside)
            elif family and kind in (int, float) and (family in ("password", "secret", "secret-or-name", "credential") or (
                    family in ("token", "key") and not harmless_value(family, str(child)))):
                value[key] = self.hide(prefix + name, family)
        for number, (key, changed, rules) in enumerate(odd):
            value[changed + " (%d)" % number if changed in value else changed] = value.pop(key)
            self.hidden.extend([Hidden(where, rule) for rule in rules])

    def _hide_manifest(self, value: Dict[str, Any], prefix: str) -> None:
        """Hide what is never kept of a Secret, a list of them, a ConfigMap, or a JSON Web Key."""
        typed = isinstance(value.get("stringData"), dict) or str(value.get("type")).startswith(_SECRET_TYPES)
        kind = "Secret" if typed and self._names_count else str(value.get("kind"))
        for field in _HIDDEN_FIELDS.get(kind, ()):
            self._hide_all(value.get(field), prefix + field, "secret-object" if kind == "Secret" else "binary-data")
        for item in value.get("items") or () if kind == "SecretList" else ():
            self._hide_all(item.get("data") if isinstance(item, dict) else None, prefix + "items", "secret-object")
        for field in _KEY_PARTS.intersection(value) if "kty" in value else ():
            value[field] = self.hide(prefix + field, "private-key")

    def _hide_all(self, values: Any, where: str, rule: str) -> None:
        for key in values if isinstance(values, dict) else ():
            values[key] = self.hide(where + "." + redact_line(key)[0], rule)

    def _open(self, child: Any, place: str, depth: int, family: str, key: str, inside: str) -> None:
        if key == "openAPIV3Schema" and self._names_count:
            self._names_count = False
            self._open(child, place, depth, "", "", "")
            self._names_count = True
            return
        if not self._names_count and isinstance(child, dict):
            self._defaults(key, child, place)
        # What stands in a block called auth is mostly how to log in where, and by its own name if it is a secret.
        deeper = inside or family if family in ("", "opaque") else "opaque" if family == "auth" else family
        if isinstance(child, list):
            self.list(child, place, depth, "secret-names" if key == "secrets" and family else family or deeper)
        else:
            self.map(child, place, depth, deeper)

    def list(self, value: List[Any], where: str, depth: int, inside: str, first: int = 0) -> None:
        """Look through a list: texts under a secret's name are secrets, and what follows ``--password`` is one. Before ``first``
        stands the command whose arguments these are."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        follows, plain = "", True
        pair = len(value) == 2 and [bool(_NAME.fullmatch(child)) for child in value if isinstance(child, str)] == [True, False]
        for index, child in enumerate(value):
            kind = type(child)
            if kind is str:
                clean = child in CLEAN or is_clean(child)
                plain = plain and clean
                family = inside or (follows and ("" if child.startswith("-") and not machine_made(child) else follows))
                if (family or not plain) and index >= first:
                    value[index] = self._argument(value, index, "%s[%d]" % (where, index - first), family)
                key = ("PRIVATE KEY-----" in child or follows == "private-key") and "-----END" not in child
                follows = "private-key" if key else "" if clean and child[:1] != "-" else _option_family(child, pair)
                continue
            follows = ""
            if kind is dict:
                self.map(child, "%s[%d]" % (where, index), depth + 1, inside)
            elif kind is list:
                self.list(child, "%s[%d]" % (where, index), depth + 1, inside)

    def _argument(self, value: List[Any], index: int, place: str, family: str) -> str:
        """Redact an argument, which may be a secret by what stands before it in a command line: ``wandb login …``."""
        child = value[index]
        option, _, given = child.partition("=")
        named = _option_family(option) if given and option[:1] == "-" else ""
        if named and not harmless_value(named, given):
            return str(option + "=" + self.hide(place, named))
        before = " ".join([text for text in value[max(0, index - 20):index] if isinstance(text, str)])[-_LONGEST_BEFORE:].lstrip()
        if before and not family and len(child) <= _LONGEST_BEFORE and "\n" not in child:
            rules: List[str] = []
            changed = hide_shapes(before + " " + child, rules)
            if rules and changed.startswith(before + " "):
                self.hidden.extend([Hidden(place, rule) for rule in rules])
                child = changed[len(before) + 1:]
        return self._text(child, place, family)

    def _defaults(self, key: str, child: Dict[str, Any], place: str) -> None:
        """Hide in an OpenAPI schema, where ``password`` names a field, what its default and its examples are."""
        family = secret_family(key)
        for name in ("default", "example", "examples", "const"):
            # With a type it is no value but a field that is called so.
            given, where = child.get(name), "%s.%s" % (place, name)
            if family and isinstance(given, str) and not harmless_value(family, given):
                child[name] = self.hide(where, family)
            elif isinstance(given, (dict, list)) and not (isinstance(given, dict) and "type" in given):
                self._names_count = True
                self._open(given, where, 1, family, name, "")
                self._names_count = False

    def _text(self, text: str, where: str, family: str) -> str:
        # An annotation may name a Secret, as nginx.ingress.kubernetes.io/auth-secret does.
        if harmless_value(family, text) or (".annotations." in where and names_object(family, text)):
            family = ""
        opened = self._embedded_json(text, where, family)
        if family:
            return self.hide(where, family) if opened in (None, text) else str(opened)
        if opened is not None or len(text) < 6:
            return opened or text
        if not self._names_count or "\n" not in text:
            opened, rules = redact_line(text)
            self.hidden.extend([Hidden(where, rule) for rule in rules])
        else:
            opened, found = redact_text(text)
            self.hidden.extend([Hidden("%s line %d" % (where, number), rule) for number, rule in found])
        return opened

    def _embedded_json(self, text: str, where: str, inside: str) -> Optional[str]:
        """Return a text that is a JSON document, looked through by structure; None when it is none."""
        if text.lstrip()[:1] not in ("{", "[") or self._embedded > 3:
            return None
        try:
            document = json.loads(text)
        except ValueError:
            return None
        inner = Walk(self._embedded + 1)
        inner._open(document, where, 0, inside, "", inside)
        self.hidden.extend(inner.hidden)
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")) if inner.hidden else text


_KEYS: Dict[str, str] = {}      # families of names that are no secrets themselves
_MOST_KEYS = 20000


def _learn(key: str, odd: List[Tuple[str, str, List[str]]]) -> Tuple[str, str]:
    """Return the family of a key, which is remembered, and the key without a secret in it: ``odd`` grows by one with some."""
    changed, rules = redact_line(key)
    if rules:
        odd.append((key, changed, rules))
    elif len(_KEYS) < _MOST_KEYS:
        _KEYS[key] = secret_family(key)
    return secret_family(key), changed


def _pair_family(value: Dict[str, Any]) -> str:
    """Return the family of a pair: X where a map is {name: X, value: …}, as in env lists and HTTP headers."""
    named = [text for key, text in value.items() if key in NAME_NAMES and isinstance(text, str)]
    return next(filter(None, map(secret_family, named)), "") if _NO_PAIRS.isdisjoint(value) else ""


def _option_family(text: str, pair: bool = False) -> str:
    """Return the family of a text that announces a secret as the next one: ``--password``, ``"X-Api-Key:"``, of a ``pair``."""
    option = pair or text[-1:] == ":" or (text[:1] == "-" and "=" not in text and " " not in text)
    return secret_family(text.strip("-\"':")) if len(text) <= 80 and option else ""
