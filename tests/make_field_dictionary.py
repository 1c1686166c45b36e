"""Make analyzer/runai_analyze/ruleset/custom_kinds.json: which fields custom kinds have, and of which type.

``python -m tests.make_field_dictionary FOLDER``, where FOLDER holds a git clone of each repository of ``SOURCES`` as
``OWNER__NAME``. Names and types of fields are kept and nothing else. Of a kind that several releases or versions define, a field
of any of them counts: the cluster of a bundle may run any of these.
"""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TARGET = Path(__file__).parent.parent / "analyzer" / "runai_analyze" / "ruleset" / "custom_kinds.json"


class Source(NamedTuple):
    """CustomResourceDefinitions of some releases of a repository."""

    repository: str
    releases: tuple[str, ...]
    files: tuple[str, ...]


SOURCES = (
    Source(
        "NVIDIA/KAI-Scheduler",
        ("v0.5.5", "v0.9.0", "v0.13.0", "v0.20.1"),
        ("deployments/kai-scheduler/crds/*.yaml", "deployments/kai-scheduler/crds/internal/*.yaml"),
    ),
    Source(
        "NVIDIA/gpu-operator",
        ("v24.9.2", "v25.3.4", "v25.10.1", "v26.7.0"),
        ("deployments/gpu-operator/crds/*.yaml", "*nfd-api-crds.yaml"),
    ),
    Source("Mellanox/network-operator", ("v24.10.1", "v25.4.0", "v26.4.1"), ("config/crd/bases/*.yaml",)),
    Source("knative/serving", ("knative-v1.11.0", "knative-v1.18.0", "knative-v1.23.0"), ("config/core/300-resources/*.yaml",)),
    Source("knative/operator", ("knative-v1.11.0", "knative-v1.18.0", "knative-v1.23.0"), ("config/crd/bases/*.yaml",)),
    Source(
        "prometheus-operator/prometheus-operator",
        ("v0.68.0", "v0.82.0", "v0.93.0"),
        ("example/prometheus-operator-crd/*.yaml",),
    ),
    Source("kubeflow/trainer", ("v1.7.0", "v1.9.3", "v2.3.0"), ("manifests/base/crds/*.yaml",)),
    Source("kubeflow/mpi-operator", ("v0.4.0", "v0.6.0", "v0.8.0"), ("manifests/base/kubeflow.org_mpijobs.yaml",)),
    Source("kubernetes-sigs/lws", ("v0.4.2", "v0.7.0", "v0.10.0"), ("config/crd/bases/leaderworkerset*.yaml",)),
    Source("kubernetes-sigs/gateway-api", ("v1.0.0", "v1.2.1", "v1.6.1"), ("config/crd/*/gateway.networking.k8s.io_*.yaml",)),
    Source("cert-manager/cert-manager", ("v1.14.7", "v1.21.1"), ("deploy/crds/*.yaml",)),
    Source(
        "openshift/api",
        ("2a3d73913b5a",),
        (
            "config/v1/zz_generated.crd-manifests/*.yaml",
            "route/v1/zz_generated.crd-manifests/*.yaml",
            "security/v1/zz_generated.crd-manifests/*.yaml",
        ),
    ),
)
Shape = dict[str, Any]


def main() -> None:
    """Read the clones under the folder that is named, write the dictionary, and say what is in it."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    kinds: dict[str, Shape] = {}
    for source in SOURCES:
        for text in texts(Path(sys.argv[1]), source):
            for kind, shape in kinds_of(text):
                kinds[kind] = merged(kinds[kind], shape) if kind in kinds else shape
    TARGET.write_text(written(kinds))
    print(f"{len(kinds)} kinds, {TARGET.stat().st_size // 1024} KiB")


def texts(clones: Path, source: Source) -> Iterator[str]:
    """Yield the files of a source; a release that the clone lacks ends the program."""
    clone = clones / source.repository.replace("/", "__")
    for release in source.releases:
        listed = git(clone, "ls-tree", "-r", "--name-only", release).split("\n")
        found = [name for name in listed if any(fnmatch.fnmatch(name, pattern) for pattern in source.files)]
        assert found, f"{source.repository} {release}: no file is called {source.files}"
        yield from (git(clone, "show", f"{release}:{name}") for name in found)


def git(clone: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, text=True, check=True).stdout


def kinds_of(text: str) -> Iterator[tuple[str, Shape]]:
    """Yield ``Kind.group`` and the shape of each version of each definition in a YAML file; templates of Helm are left out."""
    try:
        documents = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError:
        return
    for document in documents:
        if not isinstance(document, dict) or document.get("kind") != "CustomResourceDefinition":
            continue
        spec = document["spec"]
        for version in spec["versions"]:
            schema = version.get("schema", {}).get("openAPIV3Schema")
            if schema:
                yield f"{spec['names']['kind']}.{spec['group']}", shape_of(schema)


def shape_of(schema: Any) -> Shape:
    """Return names and types of a schema; the empty shape may be anything."""
    if not isinstance(schema, dict):
        return {}
    open_end = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if schema.get("properties"):
        shape: Shape = {"properties": {name: shape_of(part) for name, part in schema["properties"].items()}}
        return shape | {"additionalProperties": {}} if open_end else shape
    if open_end or (schema.get("type") == "object" and "additionalProperties" not in schema):
        return {}
    if "additionalProperties" in schema:
        return {"additionalProperties": shape_of(schema["additionalProperties"])}
    if schema.get("type") == "array":
        return {"items": shape_of(schema.get("items"))}
    return {"type": schema["type"]} if "type" in schema else {}


def merged(one: Shape, other: Shape) -> Shape:
    """Return a shape that holds what either of two holds; anything where they are of different form."""
    if one == other:
        return one
    if "properties" in one and "properties" in other:
        left, right = one["properties"], other["properties"]
        names = {*left, *right}
        both = {name: merged(left.get(name, right.get(name)), right.get(name, left.get(name))) for name in names}
        rest = {"additionalProperties": {}} if "additionalProperties" in one or "additionalProperties" in other else {}
        return {"properties": both} | rest
    for word in ("items", "additionalProperties"):
        if one.keys() == other.keys() == {word}:
            return {word: merged(one[word], other[word])}
    if one.keys() == other.keys() == {"type"}:
        return {"type": sorted({*types(one), *types(other)})}
    return {}


def types(shape: Shape) -> list[str]:
    return [shape["type"]] if isinstance(shape["type"], str) else shape["type"]


def written(kinds: dict[str, Shape]) -> str:
    """Return the JSON: each shape once, one a line, named by its number where another holds it."""
    numbers: dict[str, int] = {}

    def number(shape: Shape) -> int:
        flat = dict(shape)
        for word in ("items", "additionalProperties"):
            if word in flat:
                flat[word] = number(flat[word])
        if "properties" in flat:
            flat["properties"] = {name: number(part) for name, part in sorted(flat["properties"].items())}
        text = json.dumps(flat, separators=(",", ":"))
        return numbers.setdefault(text, len(numbers))

    found = {kind: number(shape) for kind, shape in sorted(kinds.items())}
    sources = [f"{source.repository} {', '.join(source.releases)}" for source in SOURCES]
    lines = ",\n".join(numbers)
    return f'{{"sources": {json.dumps(sources, indent=1)},\n"kinds": {json.dumps(found, indent=1)},\n"shapes": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    main()
