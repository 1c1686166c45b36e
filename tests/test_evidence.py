"""Evidence of the samples, held against the bundle itself: the member and line that it names hold the object that it names."""

import json
import tarfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.pipeline import Options, analyze
from runai_analyze.report.html import render_html
from runai_analyze.report.json import render_json

SAMPLES = Path(__file__).parent.parent / "samples"
NOTHING = ("(all)", "no such object")  # a number of objects, and an object that is not there, stand in no line


@lru_cache
def members(name: str) -> dict[str, list[str]]:
    """Return the lines of every text member of a sample, without the folder that all are in."""
    with tarfile.open(SAMPLES / name) as archive:
        files = [(member, archive.extractfile(member)) for member in archive if member.isfile()]
        read = {member.name: file.read().decode("utf-8", "replace").split("\n") for member, file in files if file}
    return {member.split("/", 1)[-1]: lines for member, lines in read.items()} | read


def evidence(name: str) -> list[dict[str, Any]]:
    document = json.loads(render_json(analyze(SAMPLES / name, Options())))
    return [row for outcome in document["outcomes"] for finding in outcome["findings"] for row in finding["evidence"]]


@pytest.mark.parametrize("name", ["broken-site.tgz", "pre-install.tgz"])
def test_the_line_of_a_member_holds_the_object(name: str) -> None:
    rows = [row for row in evidence(name) if not (row["subject"]["name"].endswith("(all)") or row["found"] in NOTHING)]
    assert rows
    for row in rows:
        subject = row["subject"]
        assert all(row[key] for key in ("path", "found", "wanted")), row
        lines = members(name)[subject["member"]]
        where = lines[subject["line"] - 1] if subject["line"] else "\n".join(lines)
        # A fact about the whole cluster stands where it was read, which need not name the cluster.
        named = row["found"] if subject["kind"] == "Cluster" else subject["name"]
        assert named in where or named in subject["member"], row


def test_the_page_shows_object_path_found_wanted_and_place_of_each_row() -> None:
    report = analyze(SAMPLES / "broken-site.tgz", Options())
    page = render_html(report).replace("<wbr>", "")
    for outcome in report.outcomes:
        for row in (row for finding in outcome.findings for row in finding.evidence if row.subject.member and row.path):
            assert f"{row.subject.member}:{row.subject.line}" in page or not row.subject.line
            assert row.path.replace('"', "&#34;") in page, row
