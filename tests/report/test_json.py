"""The JSON document: whole, stable, versioned."""

import json

from runai_analyze.model import Status
from runai_analyze.report.json import render_json

from .sample import HOSTILE, bundle, outcomes, sample

KEYS = [
    "schema_version",
    "tool",
    "cluster",
    "verdict",
    "can_run",
    "notes",
    "counts",
    "facts",
    "first",
    "outcomes",
    "checklist",
    "releases",
    "gpus",
    "request",
    "inventory",
    "bundle",
    "packs",
    "tables",
    "changes",
    "acceptances",
]


def test_the_keys_and_their_order() -> None:
    document = json.loads(render_json(sample()))
    assert list(document) == KEYS
    assert document["schema_version"] == 1


def test_every_outcome_and_finding_is_there_uncut() -> None:
    document = json.loads(render_json(sample()))
    found = {it["rule"]: it for it in document["outcomes"]}
    assert sorted(found) == sorted(it.rule.id for it in outcomes())
    assert {finding["subject"]["name"] for finding in found["RAI-WKL-009"]["findings"]} == set(HOSTILE)
    assert found["RAI-CMP-012"]["blocked_by"] == "RAI-CMP-011"


def test_evidence_can_be_looked_up() -> None:
    document = json.loads(render_json(sample()))
    evidence = document["outcomes"][0]["findings"][0]["evidence"][0]
    assert evidence == {
        "subject": {
            "kind": "Secret",
            "namespace": "runai",
            "name": "runai-cluster-domain-tls-secret",
            "member": "resources/core/v1/nodes/0001.jsonl",
            "line": 3,
        },
        "path": "status.conditions[0].status",
        "found": "False",
        "wanted": "True",
        "because": "the kubelet says so",
    }


def test_counts_name_every_status() -> None:
    document = json.loads(render_json(sample(given=())))
    assert document["counts"] == {status.value: 0 for status in Status}


def test_the_capture_time_is_rfc_3339() -> None:
    assert json.loads(render_json(sample()))["bundle"]["captured"] == "2026-11-30T09:41:00Z"
    assert json.loads(render_json(sample(info=bundle(captured=None))))["bundle"]["captured"] is None


def test_a_lone_surrogate_does_not_break_the_file() -> None:
    render_json(sample(cluster={"name": "a\ud800b"})).encode()


def test_each_of_several_bundles_is_named() -> None:
    parts = (bundle(file_name="a.tgz"), bundle(file_name="b.tgz", holder="a must-gather"))
    found = json.loads(render_json(sample(info=bundle(parts=parts))))["bundle"]
    assert [(part["file_name"], part["holder"]) for part in found["parts"]] == [("a.tgz", ""), ("b.tgz", "a must-gather")]
