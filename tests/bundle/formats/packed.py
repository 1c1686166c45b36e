"""Small bundles of other tools, packed for a test."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.intake import ForeignBundle


def packed(folder: Path, files: dict[str, Any], links: dict[str, str] | None = None) -> ForeignBundle:
    """Open an archive with these files; a content that is neither text nor bytes is written as JSON."""
    path = folder / "bundle.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            data = text if isinstance(text, bytes) else text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    bundle = open_bundle(path)
    assert isinstance(bundle, ForeignBundle)
    return bundle


def names(bundle: ForeignBundle, kind: str) -> list[str]:
    """The names of the objects of a kind, as they stand in the bundle."""
    bodies = [record.body for record in bundle.records(None) if record.body.get("kind") == kind]
    return [f"{body['metadata'].get('namespace', '')}/{body['metadata']['name']}".lstrip("/") for body in bodies]


def gaps(bundle: ForeignBundle, kind: str, group: str = "", *namespaces: str) -> list[tuple[str, str, str]]:
    return [(one.what, one.reason, one.command) for one in bundle.coverage(kind, group, namespaces)]
