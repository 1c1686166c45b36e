"""What the customer took out of the bundle: said at the top of every format, and never asked for raw."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from runai_analyze.model import Report, Status
from runai_analyze.pipeline import Options, analyze
from runai_analyze.report import render_html, render_json
from runai_analyze.report.making import step_counts, troubled_first
from runai_analyze.report.summary import summary_lines
from runai_analyze.report.taken_out import narrowed, removed_note
from runai_collect import remove

from .sample import bundle

SAMPLES = Path(__file__).parents[2] / "samples"


@cache
def without(*paths: str, site: str = "healthy") -> Report:
    """The report on a sample from which members were removed."""
    with TemporaryDirectory() as folder:
        new = Path(folder) / "new.tgz"
        assert remove.main([str(SAMPLES / f"{site}.tgz"), *paths, "-o", str(new)]) == 0
        return analyze(new, Options())


NOTE = "45 files were removed by the customer and count as not checked: 41 of logs/ and 4 of nodes/gpu-1/."


def test_the_removal_stands_at_the_top_of_every_format() -> None:
    report = without("logs/", "nodes/gpu-1")
    assert report.notes == (NOTE,)
    assert summary_lines(report)[0] == f"Note: {NOTE}"
    assert json.loads(render_json(report))["notes"] == [NOTE]
    assert len(json.loads(render_json(report))["bundle"]["removed"]) == 45
    page = render_html(report)
    assert page.index('role="note"') < page.index(NOTE) < page.index("<h1>")


def test_the_message_says_what_stays_open_for_it() -> None:
    text = without("logs/", "nodes/gpu-1").request.text
    assert (
        "\n\nYou took 45 files (41 of logs/ and 4 of nodes/gpu-1/) out of the bundle; seven checks stay open for it. "
        "If you can, please send the bundle as it was.\n\n"
    ) in text


EVERYWHERE = (
    "cluster/*",
    "resources/",
    "resources/core/v1/configmaps/",
    "resources/core/v1/nodes/",
    "resources/core/v1/pods/",
    "resources/core/v1/namespaces/",
    "resources/apps/v1/deployments/",
    "resources/networking.k8s.io/",
    "configmaps/",
    "secrets/",
)
INSTALLED = (*EVERYWHERE, "certificates/", "helm/", "nodes/")
CHOICES = [(path, site) for site in ("healthy", "broken-site") for path in INSTALLED]


@pytest.mark.parametrize(("path", "site"), [*CHOICES, *((path, "pre-install") for path in EVERYWHERE)])
def test_nothing_that_was_removed_is_asked_for_by_a_command(path: str, site: str) -> None:
    """Also what rules conclude to be lacking, such as which nodes are system nodes, comes of the removal."""
    request = without(path, site=site).request
    assert request.commands in ((), (("the bundle as it was, or another one", "runai-collect"),))
    assert "kubectl" not in request.text.partition("Please do first")[0]


def test_outputs_that_were_removed_are_no_empty_answer() -> None:
    """source.json, which stays, says that nvidia-smi ran; that it printed no GPU is not known."""
    report = without(*(f"nodes/gpu-1/nvidia-smi{name}" for name in (".xml", ".txt", "-topo.txt")))
    assert [outcome.rule.id for outcome in report.outcomes if outcome.status is Status.FAIL] == []
    gaps = {gap for outcome in report.outcomes for gap in outcome.missing if gap.what == "nvidia-smi of node gpu-1"}
    assert {(gap.reason, gap.taken_out) for gap in gaps} == {("the customer took out 3 of its 4 files", ("remove",))}


def test_removed_steps_are_no_failures_of_the_collection() -> None:
    report = without("logs/", "nodes/gpu-1")
    fact = next(fact for fact in report.facts if fact.label == "Bundle")
    assert fact.note == "42 kept back by the customer"
    assert ("kept back by the customer", 42) in step_counts(report.bundle.steps)
    assert troubled_first(report.bundle.steps) == report.bundle.steps


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (("README.txt",), "README.txt"),
        (("helm/0001.jsonl",), "helm/"),
        (("cluster/version.json",), "cluster/version.json"),
        (("logs/a/b/c.log", "logs/a/d/c.log"), "logs/a/"),
        (("helm/0001.jsonl", "logs/a/b/c.log", "logs/b/b/c.log"), "helm/ and 2 of logs/"),
        (tuple(f"{letter}/x.txt" for letter in "abcdefgh"), "a/x.txt, b/x.txt, c/x.txt, d/x.txt, e/x.txt and 3 more folders"),
    ],
)
def test_what_was_removed_is_told_by_folder(paths: tuple[str, ...], words: str) -> None:
    number, were, count = ("1 file", "was", "counts") if len(paths) == 1 else (f"{len(paths)} files", "were", "count")
    assert removed_note(bundle(removed=paths)) == f"{number} {were} removed by the customer and {count} as not checked: {words}."


def test_hostile_paths_are_cut_and_shown_harmless() -> None:
    said = removed_note(bundle(removed=("/etc/passwd", "\x1b[31m" + "x" * 5000, "../../a", "/a/b/c")))
    assert len(said) < 500
    assert "\x1b" not in said
    assert removed_note(bundle()) == ""


def test_a_bundle_is_whole_where_no_option_of_it_kept_anything_back() -> None:
    assert not narrowed(bundle(options=(("exclude", "[]"), ("exec", "True"), ("namespaces", "[]"), ("only", "[]"))))
    assert not narrowed(bundle(options=()))
    for option in (("exclude", "['kind:pods']"), ("only", "['kind:pods']"), ("namespaces", "['a']"), ("secrets", "False")):
        assert narrowed(bundle(options=(option,)))
    assert narrowed(bundle(options=(), removed=("logs/a",)))
