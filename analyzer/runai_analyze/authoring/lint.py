"""What lint found, in the forms that people, editors and build servers read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from runai_analyze.ruleset.codes import CODES, Code
from runai_analyze.ruleset.mistakes import Mistake

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def as_text(mistakes: Sequence[Mistake]) -> str:
    """Return each mistake with its line and a caret."""
    return "\n".join(map(str, mistakes))


def as_json(mistakes: Sequence[Mistake]) -> str:
    """Return a JSON list with an object a mistake; lines and columns count from 1."""
    return json.dumps(
        [
            {
                "file": mistake.file,
                "line": mistake.line,
                "column": mistake.column,
                "level": mistake.level,
                "code": mistake.code,
                "message": mistake.message,
                "source": mistake.source,
            }
            for mistake in mistakes
        ],
        indent=2,
    )


def as_github(mistakes: Sequence[Mistake], here: Path) -> str:
    """Return workflow commands of GitHub Actions, a line a mistake; files by their way from the folder ``here``."""
    return "\n".join(_workflow_command(mistake, here) for mistake in mistakes)


def as_sarif(mistakes: Sequence[Mistake], here: Path, version: str) -> str:
    """Return a log in SARIF 2.1.0 (OASIS); files by their way from the folder ``here``, elsewhere as file addresses."""
    codes = {code.name: number for number, code in enumerate(CODES)}
    driver = {"name": "runai-rules lint", "version": version, "rules": [_sarif_rule(code) for code in CODES]}
    results = [_sarif_result(mistake, codes, here) for mistake in mistakes]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _workflow_command(mistake: Mistake, here: Path) -> str:
    place = f"file={_property(_way(mistake.file, here))},line={mistake.line},col={mistake.column}"
    return f"::{_GITHUB[mistake.level]} {place},title={_property(mistake.code)}::{_data(mistake.words)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _way(file: str, here: Path) -> str:
    """Return the way from a folder to a file below it; the whole way of another one. With slashes, as addresses have."""
    whole = Path(os.path.abspath(here / file))
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _sarif_rule(code: Code) -> dict[str, object]:
    return {
        "id": code.name,
        "shortDescription": {"text": code.meaning},
        "help": {"text": f"For example: {code.example}"},
        "defaultConfiguration": {"level": code.level},
    }


def _sarif_result(mistake: Mistake, codes: dict[str, int], here: Path) -> dict[str, object]:
    way = _way(mistake.file, here)
    address = "file://" + quote("/" + way.lstrip("/")) if Path(way).is_absolute() else quote(way)
    region: dict[str, object] = {"startLine": mistake.line, "startColumn": mistake.column}
    if mistake.source:
        region["snippet"] = {"text": mistake.source}
    return {
        "ruleId": mistake.code,
        **({"ruleIndex": codes[mistake.code]} if mistake.code in codes else {}),
        "level": mistake.level,
        "message": {"text": mistake.message},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": address}, "region": region}}],
    }
