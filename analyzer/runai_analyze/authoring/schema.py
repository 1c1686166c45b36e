"""The JSON Schema of rule files, for editors: made from the table of the format, the table of kinds and the words of the packs.

Draft 7, as yaml-language-server takes it. What the format itself fixes is enforced; names that a pack may add to (tables,
extracts, ids) and paths are proposed and not enforced: the linter judges them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, islice
from typing import Any

from runai_analyze.facts.kinds import MADE_MEANINGS, fields_of
from runai_analyze.ruleset.format import BLOCKS, COLUMN_TYPES, GROUPS, SELECTIONS, TEST_NAMES, Key
from runai_analyze.ruleset.kind_paths import kind_paths
from runai_analyze.ruleset.rule import Pack
from runai_analyze.ruleset.vocabulary import CUSTOM_KINDS, DISTRIBUTIONS, FEATURES, GROUP_OF

from .choose import kind_of

Schema = dict[str, Any]

# What stands in a file, by the word of ``runai-rules schema --for``.
FILES = ("rule", "table", "checklist", "pack", "site", "suppressions", "signatures")
_TARGETS = ("field", "label", "annotation")
_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_SCALARS: Schema = {"type": "array", "items": _SCALAR, "minItems": 1}
_MOST_PATHS = 200
_NOISE = ("metadata.managedFields", "metadata.generat", "metadata.selfLink", "metadata.resourceVersion", "metadata.uid")
_NO_KIND = "No kind of Kubernetes, and none that the program makes. A custom kind is written Kind.group."
_VARIABLES = ("{{ found }}", "{{ wanted }}", "{{ failed_keys | join }}", "{{ count | # thing is | # things are }}")
_OBJECT: Schema = {
    "type": "object",
    "required": ["kind", "metadata"],
    "properties": {"metadata": {"type": "object", "required": ["name"]}},
}


def file_schema(file: str, pack: Pack) -> Schema:
    """Return the schema of one kind of file. ``pack``: whose tables, extracts, ids and checklist lines are proposed."""
    words = _Words(pack)
    definitions = {_name(name): _block(name, keys, words) for name, keys in BLOCKS.items()}
    definitions |= {"object": _OBJECT, "argument": _argument()}
    top = definitions[file]
    extra = {"allOf": [*top.get("allOf", ()), *words.by_kind()]} if file == "rule" else {}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"runai-analyze: {file}",
        "definitions": definitions | (words.conditions_by_kind() if file == "rule" else {}),
        **top,
        **extra,
    }


def _name(block: str) -> str:
    return block.replace(" ", "-")


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{_name(name)}"}


class _Words:
    """What the packs and the program know by name, for the editor to propose."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._paths = {kind: paths for kind in _kinds(pack) if (paths := dict(_paths_of(kind)))}

    def of(self, block: str, key: Key) -> Schema:
        """Return what is proposed, or enforced, for the value of a key beside its form."""
        pack = self._pack
        proposed: Mapping[tuple[str, str], Iterable[str]] = {
            ("rule", "docs"): sorted(pack.docs),
            ("rule", "only_if_passed"): (rule.id for rule in pack.rules),
            ("rule", "replaces"): (rule.id for rule in pack.rules),
            ("rule", "checklist"): (line.id for section in pack.checklist for line in section.lines),
            ("cell", "table"): sorted(pack.tables),
            ("cell", "row"): ("{{ cluster.runai.release }}", "{{ cluster.distribution.name }}"),
            ("cell", "column"): sorted({column for table in pack.tables.values() for column in table.columns}),
            ("rule", "message"): _VARIABLES,
            ("case", "message"): _VARIABLES,
            ("example", "not_collected"): ("Node", "Pod", "Cluster.runai.release"),
            ("suppression", "rule"): (rule.id for rule in pack.rules),
            ("change", "rule"): (rule.id for rule in pack.rules),
        }
        names = list(proposed.get((block, key.name), ()))
        if (block, key.name) == ("selection", "kind"):
            custom = {"pattern": r"^[A-Z][A-Za-z0-9]*\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"}
            return {"anyOf": [{"enum": list(_kinds(pack)), "errorMessage": _NO_KIND}, custom]}
        return _proposals(dict.fromkeys(names, "")) if names else {}

    def conditions_by_kind(self) -> Schema:
        """Return a definition a kind: conditions whose ``field`` has the paths of the kind proposed."""
        return {f"condition-of-{kind}": {"properties": {"field": _proposals(paths)}} for kind, paths in self._paths.items()}

    def by_kind(self) -> Iterator[Schema]:
        """Yield what holds for a rule about each kind: its paths are proposed in ``where``, ``expect`` and the groups inside."""
        for kind in self._paths:
            listed = {"type": "array", "items": {"$ref": f"#/definitions/condition-of-{kind}"}}
            for selection in SELECTIONS:
                looks = {"properties": {selection: {"required": ["kind"], "properties": {"kind": {"const": kind}}}}}
                fields = {selection: {"properties": {"where": listed}}, "expect": listed}
                yield {"if": {"required": [selection], **looks}, "then": {"properties": fields}}


def _kinds(pack: Pack) -> tuple[str, ...]:
    """Return the kinds that a rule may look at by name: made ones, built-in ones, and custom ones that rules name."""
    custom = {*CUSTOM_KINDS.values(), *(kind for rule in pack.rules if "." in (kind := kind_of(rule)))}
    return (*sorted(MADE_MEANINGS), *sorted(GROUP_OF), *sorted(custom))


def _paths_of(kind: str) -> Iterator[tuple[str, str]]:
    """Yield (path, meaning) of the fields of a made kind; of others the facts, and the upper fields without their meaning."""
    if "." not in kind:
        yield from ((field.path, field.meaning) for field in fields_of(kind))
    if kind not in MADE_MEANINGS:
        shown = (found.path for found in kind_paths(kind) if not found.path.startswith(_NOISE))
        yield from ((path, "") for path in islice(shown, _MOST_PATHS))


def _proposals(names: Mapping[str, str]) -> Schema:
    """Return values for the editor to propose, with their meanings: snippets, since examples would fill the help as well."""
    return {"defaultSnippets": [_snippet(name, meaning) for name, meaning in names.items()]}


def _snippet(name: str, meaning: str) -> Schema:
    body = json.dumps(name) if name.startswith("{{") else name
    return {"label": name, "body": body.replace("$", "\\$"), **({"description": meaning} if meaning else {})}


def _argument() -> Schema:
    cluster = _proposals({f"{{{{ cluster.{field.path} }}}}": field.meaning for field in fields_of("Cluster")})
    return {"anyOf": [{**_SCALAR, **cluster}, _SCALARS, _ref("cell")]}


# --- Blocks and keys --------------------------------------------------------------------------------------------------------


def _block(name: str, keys: Iterable[Key], words: _Words) -> Schema:
    properties = {key.name: _key(name, key, words) for key in keys}
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    required = [key.name for key in keys if key.required]
    rules = list(_RULES.get(name, ()))
    return schema | ({"required": required} if required else {}) | ({"allOf": rules} if rules else {})


def _key(block: str, key: Key, words: _Words) -> Schema:
    form = _FORMS[key.form](key)
    if key.choices:
        form = {"enum": list(key.choices)}
    elif key.begins:
        form = {"type": "string", "pattern": f"^({'|'.join(key.begins)})"}
    form = form | _OWN_FORMS.get((block, key.name), {})
    said = f"{key.help[0].upper()}{key.help[1:]}."
    choices = f" One of: {', '.join(key.choices)}." if key.choices else ""
    return {**form, **_with_names(key, words.of(block, key)), "description": said + choices}


def _with_names(key: Key, names: Schema) -> Schema:
    """Return names where the value is one, or, of lists, also where it is an element."""
    return {**names, "items": names} if "defaultSnippets" in names and key.form in ("texts", "names") else names


_FORMS: Mapping[str, Callable[[Key], Schema]] = {
    "text": lambda key: _SCALAR,
    "texts": lambda key: {"anyOf": [_SCALAR, _SCALARS]},
    "yes/no": lambda key: {"anyOf": [{"type": "boolean"}, {"enum": ["yes", "no", "true", "false"]}]},
    "number": lambda key: {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"}]},
    "block": lambda key: _ref(key.block),
    "blocks": lambda key: {"type": "array", "items": _ref(key.block)},
    "conditions": lambda key: {"type": "array", "items": _ref("condition"), "minItems": 1},
    "argument": lambda key: {"allOf": [_ref("argument")]},
    "map": lambda key: {"type": "object"},
    "names": lambda key: {"anyOf": [_SCALAR, _SCALARS, _ref("not")]},
    "object": lambda key: {"type": "object"},
    "objects": lambda key: {"type": "array", "items": _ref("object")},
}


def _words_or_not(words: Iterable[str]) -> Schema:
    """Return a name, names, or ``{not: names}`` out of a closed list."""
    one = {"enum": sorted(words)}
    listed = {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}
    negated = {"type": "object", "required": ["not"], "additionalProperties": False, "properties": {"not": listed}}
    return {"anyOf": [*listed["anyOf"], negated]}


# Values that the format checks by more than their form.
_OWN_FORMS: Mapping[tuple[str, str], Schema] = {
    ("rule", "id"): {
        "type": "string",
        "pattern": "^[A-Z][A-Z0-9]{1,9}-[A-Z][A-Z0-9]{1,9}-[0-9]{3}$",
        "patternErrorMessage": "An id is <PACK>-<AREA>-<NNN>, such as ACME-GPU-012.",
    },
    ("rule", "changed"): {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    ("applies_to", "distribution"): _words_or_not(DISTRIBUTIONS),
    ("applies_to", "feature"): _words_or_not(FEATURES),
    ("line", "feature"): {"enum": sorted(FEATURES)},
    ("condition", "tolerance"): {"type": "string", "pattern": r"^[0-9.]+ ?%$"},
    ("table", "columns"): {"type": "object", "additionalProperties": {"enum": list(COLUMN_TYPES)}},
    ("table", "rows"): {"type": "object", "additionalProperties": {"type": "object"}},
    ("table cell", "value"): {"anyOf": [_SCALAR, _SCALARS, {"type": "null"}]},
    ("rule", "examples"): {"type": "array", "items": _ref("example"), "minItems": 3},
}


def _has(*names: str) -> Schema:
    return {"anyOf": [{"required": [name]} for name in names]}


def _refuse(when: Schema, said: str) -> Schema:
    """Return that this must not be, in a form whose message yaml-language-server takes from ``errorMessage`` (1.25.0)."""
    return {"if": when, "then": {"type": "null", "errorMessage": said}}


def _exactly_one(names: Iterable[str], said: str) -> Schema:
    """Return that one of the keys stands there, and no second one."""
    pairs = [{"required": list(pair)} for pair in combinations(names, 2)]
    return _refuse({"anyOf": [{"not": _has(*names)}, *pairs]}, said)


_ONE_PLACE = "A condition needs exactly one of field, label and annotation, or one of any_of, all_of and none_of."
_ONE_TEST = "A condition needs exactly one test, such as equals, exists or at_least."

# What depends on more than one key.
_RULES: Mapping[str, tuple[Schema, ...]] = {
    "rule": (
        _exactly_one(SELECTIONS, "A rule needs exactly one of for_each, report_each and count."),
        {
            "if": {"required": ["for_each"]},
            "then": {"required": ["expect"]},
            "else": _refuse({"required": ["expect"]}, "expect belongs to for_each."),
        },
        {
            "if": {"required": ["count"]},
            "then": {"required": ["expect_count"], **_refuse(_has("cases", "group_by"), "count takes no cases and no group_by.")},
            "else": _refuse({"required": ["expect_count"]}, "expect_count belongs to count."),
        },
    ),
    "condition": (
        {
            "if": _has(*GROUPS),
            "then": {"allOf": [_exactly_one(GROUPS, _ONE_PLACE), _refuse(_has(*_TARGETS, *TEST_NAMES), "A group stands alone.")]},
            "else": {"allOf": [_exactly_one(_TARGETS, _ONE_PLACE), _exactly_one(TEST_NAMES, _ONE_TEST)]},
        },
        {"if": {"required": ["ask"]}, "then": {"required": ["when_absent"], "properties": {"when_absent": {"const": "unknown"}}}},
        {"if": {"required": ["score"]}, "then": {"required": ["similar_to"]}},
    ),
    "expect_count": (_exactly_one(TEST_NAMES, "expect_count needs exactly one test, such as at_least."),),
    "example": (_exactly_one(("given", "fixture"), "An example needs either given or fixture."),),
    "suppression": (_exactly_one(("match", "fingerprint"), "A suppression needs either match or fingerprint."),),
}
