"""A bundle that a broken transfer cut at 70 % of its bytes: the report says so before anything else."""

import re
from pathlib import Path

import pytest

from tests.acceptance.bundles import cut, first_page
from tests.acceptance.html import text_blocks
from tests.acceptance.programs import Analyzed, Collected, analyze

pytestmark = pytest.mark.cluster

SHARE = 0.7
INCOMPLETE = 5
FIRST_LINES = 12  # title, cluster, date: what stands on the first screen and at the top of page one


@pytest.fixture(scope="module")
def report(broken_site: Collected, tmp_path_factory: pytest.TempPathFactory) -> Analyzed:
    folder = tmp_path_factory.mktemp("cut")
    part = cut(broken_site.path, folder / "part.tgz", SHARE)
    return analyze(part, folder / "report", "--format", "html,pdf,json")


def test_the_exit_code_says_incomplete(report: Analyzed) -> None:
    assert report.run.code == INCOMPLETE, report.run


def test_the_state_is_cut_and_the_first_note_says_so(report: Analyzed) -> None:
    assert report.report["bundle"]["state"] == "cut"
    assert _says_cut(report.report["notes"][0])


def test_the_html_says_so_first(report: Analyzed) -> None:
    blocks = text_blocks(report.read("report.html"))
    place = next(place for place, text in enumerate(blocks) if _says_cut(text))
    assert place < FIRST_LINES, blocks[: place + 1]
    assert not any(finding in " ".join(blocks[:place]) for finding in _messages(report))


def test_the_pdf_says_so_first(report: Analyzed) -> None:
    first = first_page(report.read("report.pdf"))
    assert _says_cut(first[0]), first[:FIRST_LINES]


def test_the_terminal_says_so(report: Analyzed) -> None:
    assert _says_cut(report.run.stderr.decode())


def test_what_the_cut_took_is_unknown_and_never_passes(report: Analyzed, broken_site: Collected, tmp_path: Path) -> None:
    whole = analyze(broken_site.path, tmp_path / "report", "--format", "json").report
    before = {outcome["rule"]: outcome["status"] for outcome in whole["outcomes"]}
    after = {outcome["rule"]: outcome["status"] for outcome in report.report["outcomes"]}
    assert [rule for rule, status in after.items() if status == "pass" and before[rule] == "fail"] == []
    assert report.report["counts"]["unknown"] > whole["counts"]["unknown"]


def _says_cut(text: str) -> bool:
    """Whether a person reads that the bundle is not whole."""
    return re.search(r"\bbundle\b.*\bcut\b", text, re.IGNORECASE) is not None


def _messages(report: Analyzed) -> list[str]:
    return [finding["message"] for outcome in report.report["outcomes"] for finding in outcome["findings"]]
