"""The PDF: page one is one page, tagged, with bookmarks and its own fonts; the same bytes for the same report."""

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pypdf
import pytest
import weasyprint
from runai_analyze.errors import Exit
from runai_analyze.model import Missing, Problem, Severity, Status, Unknown
from runai_analyze.pipeline import Options, analyze
from runai_analyze.report.html import page
from runai_analyze.report.pdf import PdfUnavailable, _style, render_pdf

from .sample import (
    CJK,
    HOSTILE,
    LONG,
    RTL,
    Line,
    Lists,
    Pack,
    Section,
    bundle,
    finding,
    gpus,
    outcome,
    outcomes,
    rule,
    sample,
    tables,
)

COMPONENTS = ("gpu_operator", "prometheus", "knative", "training_operator")
PLAIN = tuple(name for name in HOSTILE if name not in (RTL, CJK))
ROOT = Path(__file__).parents[2]
RENDER = (
    "import sys; from tests.report.sample import sample; from runai_analyze.report.pdf import render_pdf; "
    "sys.stdout.buffer.write(render_pdf(sample()))"
)


def read(pdf: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(pdf))


def words(page: pypdf.PageObject) -> str:
    """Return the text of a page on one line; a line that breaks at a hyphen is joined."""
    return " ".join(page.extract_text().split()).replace("- ", "-")


@pytest.fixture(scope="module")
def pdf() -> pypdf.PdfReader:
    """The sample without the signs that no font of a bare machine has: pypdf cannot read text beside such signs."""
    return read(render_pdf(sample(given=outcomes(PLAIN), lists=Lists(gpus(), tables()[:1]))))


def test_page_one_is_one_page(pdf: pypdf.PdfReader) -> None:
    first, second = words(pdf.pages[0]), words(pdf.pages[1])
    for text in (
        sample().verdict,
        "2 blockers",
        "3 not checked",
        "What we could not see",
        "The NVIDIA driver does not load on gpu-06",
    ):
        assert text in first
    assert "atlas-prod, captured 30 Nov 2026, 09:41 UTC" in first
    assert "Contents" in second


@pytest.mark.parametrize("failing", [0, 30])
def test_page_one_fits_its_page_with_the_longest_texts(failing: int) -> None:
    """Its box is as high as the page and hides what is over; set without a limit, the texts must still end on the page."""
    cluster = {
        "name": LONG,
        "runai": {"installed": True, "release": LONG, "version": LONG, "bundle_version": LONG},
        "kubernetes": {"version": LONG},
        "driver": {"versions": [LONG] * 9},
        **{key: {"installed": Unknown(Missing(LONG, f"{key} {LONG}"))} for key in COMPONENTS},
        "openshift": {"version": LONG},
        "nodes": {"total": 5000, "ready": 4000, "gpu": 3000, "control_plane": 500},
    }
    of = [rule(f"RAI-A-{i:03}", Severity.CRITICAL, area="x", title=LONG, impact=LONG) for i in range(60)]
    given = [outcome(it, Status.FAIL, LONG, findings=(finding(it, LONG),)) for it in of[:failing]]
    given += [outcome(it, Status.UNKNOWN, LONG, missing=(Missing(f"{it.id} {LONG}", LONG),)) for it in of[failing:]]
    problems = (Problem(LONG, LONG), Problem(LONG, LONG))
    questions = tuple(Line(f"q{i}", LONG, ask=f"{i} {LONG}") for i in range(9))
    report = sample(
        given=given,
        cluster=cluster,
        lists=Lists(),
        info=bundle(state="cut", captured=None, problems=problems),
        pack=Pack((Section("S", questions),)),
        option="2.24",
    )
    style = _style()
    unlimited = style.replace("height: 264mm; overflow: hidden; ", "")
    assert unlimited != style
    markup = page(report, paper=True, style=unlimited, script="", policy="")
    pages = read(weasyprint.HTML(string=markup[: markup.index('<section class="sec"')]).write_pdf()).pages
    last = "questions that no bundle answers"
    assert last in words(pages[0])
    assert last not in words(pages[1])
    assert "Contents" in words(pages[1])


def test_every_page_says_its_number_cluster_and_time(pdf: pypdf.PdfReader) -> None:
    for number, sheet in enumerate(pdf.pages, 1):
        assert f"Page {number} of {len(pdf.pages)}" in words(sheet)
        assert "atlas-prod, captured 30 Nov 2026, 09:41 UTC" in words(sheet)


def test_it_has_bookmarks_for_sections_and_findings(pdf: pypdf.PdfReader) -> None:
    titles: list[str] = []

    def walk(items: list[object]) -> None:
        for item in items:
            if isinstance(item, list):
                walk(item)
            else:
                titles.append(str(item.title))  # type: ignore[attr-defined]

    walk(pdf.outline)  # type: ignore[arg-type]
    for title in ("Findings", "Not checked", "Prerequisites", "Releases", "GPUs", "How this was made", "One node pool is empty"):
        assert title in titles


def test_it_is_tagged_and_says_its_language_and_title(pdf: pypdf.PdfReader) -> None:
    root = pdf.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert pdf.metadata is not None
    assert pdf.metadata.title == "atlas-prod: 2 blockers, 1 risk, 3 not checked"


def test_fonts_are_ours_and_embedded(pdf: pypdf.PdfReader) -> None:
    fonts = {}
    for sheet in pdf.pages:
        for font in sheet["/Resources"]["/Font"].values():
            descriptor = font["/DescendantFonts"][0]["/FontDescriptor"]
            fonts[str(font["/BaseFont"]).split("+")[1]] = any(key in descriptor for key in ("/FontFile2", "/FontFile3"))
    assert {"Report-Sans", "Report-Sans-Semi-Bold", "Report-Mono"} <= set(fonts)
    assert all(fonts.values())


def test_nothing_in_it_runs_or_leads_out(pdf: pypdf.PdfReader) -> None:
    assert "/OpenAction" not in pdf.trailer["/Root"]
    for sheet in pdf.pages:
        for annotation in sheet.get("/Annots", []):
            assert "/URI" not in annotation.get_object().get("/A", {})


def test_long_lists_end_in_a_count_and_the_pdf_stays_small() -> None:
    of = rule("RAI-A-001")
    given = [outcome(of, Status.FAIL, findings=(finding(of, "x", rows=1000),))]
    started = time.process_time()
    report = read(render_pdf(sample(given=given, lists=Lists())))
    assert time.process_time() - started < 15
    text = " ".join(words(page) for page in report.pages)
    assert "and 980 more rows, in the HTML" in text
    assert len(report.pages) < 12


def test_every_outcome_is_seen(pdf: pypdf.PdfReader) -> None:
    text = " ".join(words(page) for page in pdf.pages)
    listed = [it for it in outcomes() if it.status not in (Status.PASS, Status.NOT_APPLICABLE)]
    assert [it.rule.id for it in listed if it.rule.id not in text] == []
    assert "Failed: 5 rules, listed under Findings" in text
    assert "Passed: 2 rules, listed in the HTML and the JSON" in text
    assert "Does not apply: 2 rules, listed in the HTML and the JSON" in text
    assert "Every step is listed in the HTML and the JSON" in text


def test_bytes_do_not_depend_on_hash_seed_locale_or_zone() -> None:
    runs = []
    for settings in (
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "77", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"},
    ):
        environment = {**os.environ, **settings}
        runs.append(
            subprocess.run([sys.executable, "-c", RENDER], cwd=ROOT, env=environment, capture_output=True, check=True).stdout
        )
    assert runs[0] == runs[1]
    assert runs[0].startswith(b"%PDF-1.7")


def test_without_pango_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    """A machine without Pango: the dynamic loader finds none of its libraries, as a stand-in for cffi shows."""
    (tmp_path / "sitecustomize.py").write_text(
        "import cffi\n"
        "def missing(self, name, flags=0):\n"
        "    raise OSError(f'cannot load library {name!r}')\n"
        "cffi.FFI.dlopen = missing\n"
    )
    code = (
        "from tests.report.sample import sample\n"
        "from runai_analyze.report.pdf import PdfUnavailable, render_pdf\n"
        "try:\n    render_pdf(sample())\n"
        "except PdfUnavailable as error:\n    print(f'{error.message}|{error.hint}')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    (line,) = run.stdout.splitlines()
    assert line.startswith("the PDF needs the Pango library")
    assert "apt-get install libpango-1.0-0" in line
    assert PdfUnavailable.exit_code is Exit.INCOMPLETE


def test_a_site_with_many_faults_is_a_pdf_that_a_person_can_leaf_through() -> None:
    site = analyze(ROOT / "samples" / "broken-site.tgz", Options())
    report = read(render_pdf(site))
    assert len(report.pages) <= 34
    text = " ".join(words(page) for page in report.pages)
    assert re.search(r"Images [0-9]+ [0-9]+ rows, listed in the HTML and the JSON", text)
    assert all(words(report.pages[0]).count(heading) == 1 for heading in ("Fix these first", "What we could not see"))
    assert "Contents" in words(report.pages[1])
