"""Every real bundle of another tool, from the file to the findings, against what was counted without this program."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle import open_bundle
from runai_analyze.model import Missing, Status
from runai_analyze.objects.times import parse_time
from runai_analyze.pipeline import Options, analyze

TABLE: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "table.yaml").read_text())
ROWS = [pytest.param(file, row, id=file.rpartition("/")[2]) for file, row in TABLE.items()]

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize(("file", "row"), ROWS)
def test_what_is_read(corpus: Path, file: str, row: dict[str, Any]) -> None:
    bundle = open_bundle(corpus / file)
    records = [record for record in bundle.records(None) if record.area == "object"]
    assert Counter(record.body["kind"] for record in records) == row["objects"]
    assert (bundle.info.collector, bundle.info.state) == (row["format"], "complete")
    assert bundle.info.captured == (parse_time(row["captured"]) if row["captured"] else None)
    assert ("" if isinstance(bundle.version, Missing) else bundle.version["gitVersion"]) == row["version"]
    assert sum(1 for _ in bundle.logs()) == row["logs"]


@pytest.mark.parametrize(("file", "row"), ROWS)
def test_what_is_found(corpus: Path, file: str, row: dict[str, Any]) -> None:
    report = analyze(corpus / file, Options())
    assert sorted(outcome.rule.id for outcome in report.outcomes if outcome.status is Status.FAIL) == row["findings"]
    assert not [outcome.rule.id for outcome in report.outcomes if outcome.status is Status.ERROR]


def test_no_bundle_is_left_out(corpus: Path) -> None:
    folders = {file.partition("/")[0] for file in TABLE}
    assert set(TABLE) == {f"{folder}/{path.name}" for folder in folders for path in (corpus / folder).iterdir()}
