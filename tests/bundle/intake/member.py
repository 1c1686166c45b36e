"""A file of a foreign bundle, for tests of the intake."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from runai_analyze.bundle.intake import Intake
from runai_analyze.bundle.limits import Limits, Problems


@dataclass
class TestFile:
    """``whole`` as it is after reading."""

    __test__ = False

    name: str
    content: bytes
    whole: bool = True

    @property
    def size(self) -> int:
        return len(self.content)

    def read(self) -> bytes:
        return self.content


def intake() -> Intake:
    return Intake(Limits(), Problems(200))


def taken(content: str | dict[str, Any], whole: bool = True, name: str = "a.yaml", **options: Any) -> Intake:
    """Return an intake that one file was given to."""
    into = intake()
    for key, value in options.items():
        setattr(into, key, value)
    text = content if isinstance(content, str) else json.dumps(content)
    into.objects(TestFile(name, text.encode(), whole))
    return into


def bodies(into: Intake) -> list[dict[str, Any]]:
    return [record.body for record in into.spool.records(None)]


def messages(into: Intake) -> list[str]:
    return [problem.message for problem in into.problems.all()]


def secret(name: str = "a", kind: str = "Opaque", **data: str) -> dict[str, Any]:
    """A Secret of the namespace runai; values as they are before base64, keys with ``_`` for a dot."""
    coded = {key.replace("_", "."): base64.b64encode(value.encode()).decode() for key, value in data.items()}
    metadata = {"namespace": "runai", "name": name, "creationTimestamp": "2026-11-20T10:00:00Z"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": kind, "data": coded}
