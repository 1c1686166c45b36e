"""Which fields a kind has, and of which type: built-in kinds by the schemas of kubernetes-validate, custom ones by fields.py.

Of kubernetes-validate only the data is read (1.37: ``_definitions.json``, 1.8 MB): importing the package costs a tenth of a
second, for a validator that stops at the first error and knows no positions. No field leaves a kind within a version of its API,
so the newest schema serves.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

from runai_analyze.objects.paths import Each, Index, Key, Path, Pick
from runai_analyze.objects.versions import parse_version
from runai_analyze.ruleset.fields import custom_kind, custom_shape
from runai_analyze.ruleset.meant import path_meant
from runai_analyze.ruleset.mistakes import did_you_mean, suggested
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar
from runai_analyze.ruleset.typed import kubectl_scalar
from runai_analyze.ruleset.vocabulary import GROUP_OF

Schema = Mapping[str, Any]
_ANYTHING: Schema = {}
_FEW = 60  # percent of the letters that must agree: in one place there are few fields


def path_problem(kind: str, path: Path) -> str:
    """Return why no object of a kind has such a path; empty when it may have it, or the kind has no schema.

    ``kind``: ``Pod``, or a custom one with its group.
    """
    schema = schema_of(kind)
    walked = ""
    for step in path.steps:
        if schema is None or not _is_closed(schema):
            return ""
        if isinstance(step, Key):
            walked = f"{walked}.{step.name}" if walked else step.name
            problem, schema = _into_field(kind, schema, step.name, walked)
        else:
            problem, schema = _into_elements(kind, schema, step, walked)
        if problem:
            return problem
    return ""


def has_schema(kind: str) -> bool:
    """Return whether anything is known about the fields of a kind."""
    return schema_of(kind) is not None


def value_types(kind: str, path: Path) -> frozenset[str]:
    """Return the JSON types that the values of a path can have; empty where they are not known."""
    schema = schema_of(kind)
    for step in path.steps:
        if schema is None:
            return frozenset()
        if isinstance(step, Key):
            inside = schema.get("properties", {}).get(step.name, schema.get("additionalProperties"))
        else:
            inside = schema.get("items", schema.get("additionalProperties"))
        schema = None if inside is None else resolved(inside)
    return frozenset() if schema is None else types_of(schema)


def _into_field(kind: str, schema: Schema, name: str, walked: str) -> tuple[str, Schema]:
    parent = walked.removesuffix(f".{name}")
    if "items" in schema:
        return f'"{parent}" of a {kind} is a list: write {parent}[*].{name}', _ANYTHING
    if not _is_map(schema):
        return f'"{parent}" of a {kind} is a single value, without fields{path_meant(walked)}', _ANYTHING
    properties = schema.get("properties", {})
    if name in properties:
        return "", resolved(properties[name])
    if "additionalProperties" in schema:
        return "", resolved(schema["additionalProperties"])
    meant = did_you_mean(name, properties) or _elsewhere(kind, name) or did_you_mean(name, properties, _FEW)
    return f'{kind} has no field "{walked}"{meant}', _ANYTHING


def _elsewhere(kind: str, name: str) -> str:
    """Return where else the kind has a field of that name: ``spec.phase`` of a Pod was meant to be ``status.phase``."""
    top = (schema_of(kind) or _ANYTHING).get("properties", {})
    places = [part for part in ("spec", "status", "metadata") if name in resolved(top.get(part)).get("properties", {})]
    return suggested(f"{places[0]}.{name}") if places else ""


def _into_elements(kind: str, schema: Schema, step: Index | Each | Pick, walked: str) -> tuple[str, Schema]:
    if "items" in schema:
        element = resolved(schema["items"])
        if isinstance(step, Pick) and "properties" in element and step.key not in element["properties"]:
            return f'an element of "{walked}" has no field "{step.key}"{did_you_mean(step.key, element["properties"])}', _ANYTHING
        return "", element
    if isinstance(step, Each) and "additionalProperties" in schema:
        return "", resolved(schema["additionalProperties"])
    return f'"{walked}" of a {kind} is no list', _ANYTHING


def object_problems(kind: str, node: Node) -> Iterator[tuple[Node, str]]:
    """Yield (place, what is wrong) for everything in an object of an example that the API server would refuse."""
    schema = schema_of(kind)
    if schema is not None:
        yield from _value_problems(node, schema, "")


def _value_problems(node: Node, schema: Schema, where: str) -> Iterator[tuple[Node, str]]:
    if not _is_closed(schema):
        return
    wanted = _type_problem(node, schema)
    if wanted:
        yield node, f"{where or 'it'} must be {wanted}"
    elif isinstance(node, Items):
        for item in node.items:
            yield from _value_problems(item, resolved(schema.get("items", {})), f"an element of {where}")
    elif isinstance(node, Fields):
        yield from _field_problems(node, schema, where)


def _field_problems(node: Fields, schema: Schema, where: str) -> Iterator[tuple[Node, str]]:
    properties = schema.get("properties", {})
    for name, value in node.fields.items():
        if name in properties:
            yield from _value_problems(value, resolved(properties[name]), name)
        elif "additionalProperties" in schema:
            yield from _value_problems(value, resolved(schema["additionalProperties"]), name)
        elif where or name != "facts":
            yield node.keys[name], f'there is no field "{name}"{did_you_mean(name, properties)}'


_WORDS = {
    "string": "text (quote it)",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
}


def _type_problem(node: Node, schema: Schema) -> str:
    """Return in words what the value must be; empty when it is that, or nothing."""
    allowed = types_of(schema)
    if isinstance(node, Fields | Items):
        fits = ("object" if isinstance(node, Fields) else "array") in allowed
    else:
        fits = _scalar_fits(node, allowed)
    return "" if fits or not allowed else " or ".join(_WORDS[name] for name in sorted(allowed))


def _scalar_fits(node: Scalar, allowed: frozenset[str]) -> bool:
    value = kubectl_scalar(node)
    if value is None:
        return True
    if isinstance(value, bool):
        return "boolean" in allowed
    if isinstance(value, str):
        return "string" in allowed
    return "number" in allowed or (isinstance(value, int) and "integer" in allowed)


def types_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types that a schema allows; empty where it does not say."""
    if "oneOf" in schema:
        return frozenset(name for choice in schema["oneOf"] for name in types_of(choice))
    stated = schema.get("type", ())
    return frozenset((stated,) if isinstance(stated, str) else stated) - {"null"}


def _is_map(schema: Schema) -> bool:
    return "properties" in schema or "additionalProperties" in schema


def _is_closed(schema: Schema) -> bool:
    """Return whether the schema says what may stand there; a bare object may hold anything."""
    return _is_map(schema) or "items" in schema or bool(types_of(schema) - {"object"})


# --- The data of kubernetes-validate ----------------------------------------------------------------------------------------


def schema_of(kind: str) -> Schema | None:
    """Return the schema of a kind; None where nobody publishes its fields."""
    name = _names().get(kind)
    return _custom_schema(kind) if name is None else _definitions()[name]


@lru_cache(maxsize=256)
def _custom_schema(kind: str) -> Schema | None:
    """Return what is known of a custom kind; its metadata are those of every object."""
    shape = custom_kind(kind)
    if shape is None or "properties" not in shape:
        return None
    metadata = {"$ref": "#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
    return {**shape, "properties": {**shape["properties"], "metadata": metadata}}


def resolved(schema: Any) -> Schema:
    """Return what a schema stands for that is a reference or a number; one that says nothing where it is none."""
    if isinstance(schema, int):
        return custom_shape(schema)
    if not isinstance(schema, Mapping):
        return _ANYTHING
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Schema = _definitions().get(str(reference).rpartition("/")[2], _ANYTHING)
    return found


@lru_cache(maxsize=1)
def _definitions() -> Mapping[str, Schema]:
    package = importlib.util.find_spec("kubernetes_validate")
    assert package is not None, "kubernetes-validate is installed with this program"
    folder = FilePath(str(package.origin)).parent / "kubernetes-json-schema"
    newest = max(folder.glob("v*-local"), key=lambda path: parse_version(path.name))
    definitions: Mapping[str, Schema] = json.loads((newest / "_definitions.json").read_bytes())["$defs"]
    return definitions


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    """Return the definition of each built-in kind: of several versions the most stable, and of those the newest."""
    found: dict[str, list[tuple[bool, str, str]]] = {}
    for name, schema in _definitions().items():
        for served in schema.get("x-kubernetes-group-version-kind", ()):
            kind, version = served["kind"], served["version"]
            if GROUP_OF.get(kind) == served["group"] and name.endswith(f".{kind}"):
                found.setdefault(kind, []).append(("beta" not in version and "alpha" not in version, version, name))
    return {kind: max(names)[2] for kind, names in found.items()}
