"""Reads a bundle without the product's own reader: what is in it, member by member."""

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

LISTS = ("configmaps/", "secrets/", "helm/", "certificates/")


@dataclass(frozen=True)
class Bundle:
    """A bundle as it lies on the disk; member names are those below its one top folder."""

    path: Path

    @cached_property
    def members(self) -> dict[str, bytes]:
        members = {}
        with tarfile.open(self.path, "r:gz") as archive:
            for entry in archive:
                content = archive.extractfile(entry)
                if content is not None:
                    members[entry.name.split("/", 1)[1]] = content.read()
        return members

    @cached_property
    def raw(self) -> bytes:
        """The whole archive uncompressed: contents, names, headers."""
        return gzip.decompress(self.path.read_bytes())

    @cached_property
    def manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = json.loads(self.members["manifest.json"])
        return manifest

    @property
    def steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = self.manifest["steps"]
        return steps

    def rows(self, folder: str) -> Iterator[dict[str, Any]]:
        """The JSON lines of every member in a folder."""
        for name in sorted(self.members):
            if name.startswith(folder):
                yield from (json.loads(line) for line in self.members[name].splitlines())

    def object(self, kind: str, name: str, namespace: str | None) -> dict[str, Any]:
        """The one object; raises LookupError where it is not in the bundle."""
        for body in self.rows("resources/"):
            metadata = body["metadata"]
            if (body["kind"], metadata["name"], metadata.get("namespace")) == (kind, name, namespace):
                return body
        raise LookupError(f"{kind} {namespace}/{name} is not in the bundle")

    def names(self) -> dict[str, list[str]]:
        """What is in the bundle, by kind or folder: namespace/name of each object, and every log and node file."""
        found: dict[str, list[str]] = {}
        for body in self.rows("resources/"):
            found.setdefault(f"{body['apiVersion']} {body['kind']}", []).append(_name(body["metadata"]))
        for folder in LISTS:
            found[folder] = [_name(row) for row in self.rows(folder)]
        for folder in ("logs/", "nodes/", "cluster/"):
            found[folder] = [name for name in self.members if name.startswith(folder)]
        return {kind: sorted(names) for kind, names in sorted(found.items())}


def cut(source: Path, target: Path, share: float) -> Path:
    """The first part of a file: what a broken transfer leaves."""
    content = source.read_bytes()
    target.write_bytes(content[: int(len(content) * share)])
    return target


def text_of(pdf: bytes) -> str:
    """The text of a PDF, page after page."""
    from pypdf import PdfReader  # only where a PDF is looked at

    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def first_page(pdf: bytes) -> list[str]:
    """The lines of a PDF's first page from top to bottom, as they stand on the paper."""
    from pypdf import PdfReader

    page = PdfReader(io.BytesIO(pdf)).pages[0]
    return [line.strip() for line in page.extract_text(extraction_mode="layout").splitlines() if line.strip()]


def _name(metadata: dict[str, Any]) -> str:
    return f"{metadata.get('namespace') or ''}/{metadata['name']}"
