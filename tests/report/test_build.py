"""The Report as a whole: counts, facts of page one, releases, inventory."""

from typing import Any

import pytest
from runai_analyze.model import Fact, Missing, Status, Step, Unknown
from runai_analyze.report.page_one import facts_of_page_one

from .sample import CLUSTER, Lists, bundle, gpus, outcomes, sample


def with_runai(**runai: Any) -> dict[str, Any]:
    return {**CLUSTER, "runai": {**CLUSTER["runai"], **runai}}


def test_counts_add_up() -> None:
    report = sample()
    assert sum(report.counts.values()) == len(outcomes()) == len(report.outcomes)
    assert report.counts[Status.FAIL] == 5
    assert report.counts[Status.UNKNOWN] == 2
    assert report.counts[Status.ERROR] == report.counts[Status.ACCEPTED] == 1


def test_facts_of_page_one() -> None:
    facts = {fact.label: fact for fact in sample().facts}
    assert facts["Distribution"].value == "RKE2"
    assert facts["Kubernetes"].value == "v1.35.2+rke2r1"
    assert facts["Prometheus"] == Fact("Prometheus", "", "pods may not be listed")
    assert facts["Knative"].value == "not installed"
    assert facts["Nodes"] == Fact("Nodes", "14", "13 ready, 8 with GPUs, 3 control plane")
    assert facts["GPUs"] == Fact("GPUs", "32", "27 allocatable")
    assert facts["Bundle"] == Fact("Bundle", "3 of 6 steps", "3 failed")
    assert facts["Control plane"] == Fact("Control plane", "runai.hq.example.com", "elsewhere")


def test_a_fact_that_is_unknown_has_a_reason_and_no_value() -> None:
    gap = Unknown(Missing("nodes", "nodes may not be listed"))
    facts = {fact.label: fact for fact in sample(cluster={"name": "x", "nodes": gap, "gpus": gap, "runai": gap}).facts}
    assert facts["Nodes"] == Fact("Nodes", "", "nodes may not be listed")
    assert facts["Run:ai"] == Fact("Run:ai", "", "nodes may not be listed")


def test_an_empty_cluster_still_gives_a_report() -> None:
    report = sample(given=(), cluster={}, info=bundle(steps=(), captured=None), lists=Lists(), fits=())
    assert report.cluster_name == "the cluster"
    assert report.gpus == ()


@pytest.mark.parametrize(
    ("runai", "release", "words", "noted"),
    [
        ({}, "2.25", "The bundle shows Run:ai 2.25.14.", False),
        (
            {"source": "option", "release": "2.26", "version": "2.26"},
            "2.26",
            "Judged for Run:ai 2.26, as --runai-version says; the bundle shows 2.25.14.",
            True,
        ),
        (
            {"source": "option", "release": "2.26", "version": "2.26", "bundle_version": None, "installed": False},
            "2.26",
            "Judged for Run:ai 2.26, as --runai-version says; the bundle shows no installation.",
            False,
        ),
        (
            {"release": Unknown(Missing("release", "no Run:ai is installed and --runai-version was not given")), "source": None},
            "",
            "No Run:ai release is known: no Run:ai is installed and --runai-version was not given.",
            False,
        ),
    ],
)
def test_the_release_says_where_it_comes_from(runai: dict[str, Any], release: str, words: str, noted: bool) -> None:
    option = runai["version"] if runai.get("source") == "option" else ""
    report = sample(cluster=with_runai(**runai), info=bundle(), option=option)
    assert (report.checklist_release, report.release_note) == (release, words)
    assert (words in report.notes) is noted


def test_nodes_with_a_gap_stand_first() -> None:
    assert [row.node for row in sample().gpus][:2] == ["gpu-03", "gpu-06"]
    assert len(sample().gpus) == len(gpus())


def test_the_inventory_is_sorted() -> None:
    nodes = next(table for table in sample().inventory if table.name == "nodes")
    assert [row[0] for row in nodes.rows][:3] == ["gpu-1", "gpu-2", "gpu-3"]


def test_page_one_names_the_tool_of_a_foreign_bundle() -> None:
    steps = (Step("list:core/pods", "", "cluster", "ok"), Step("list:core/nodes", "", "cluster", "error"))
    facts = facts_of_page_one({}, bundle(holder="an OpenShift must-gather", steps=steps), False)
    assert facts[-1] == Fact("Bundle", "OpenShift must-gather", "1 list, 1 failed")
    facts = facts_of_page_one({}, bundle(holder="a folder of loose files", steps=()), False)
    assert facts[-1] == Fact("Bundle", "folder of loose files", "it does not say which lists in it are whole")


def test_page_one_names_all_of_several_bundles() -> None:
    parts = (bundle(collector="runai-collect 0.1.0"), bundle(holder="a must-gather"))
    assert facts_of_page_one({}, bundle(parts=parts), False)[-1] == Fact("Bundles", "2", "runai-collect 0.1.0 and must-gather")
