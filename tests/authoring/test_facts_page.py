"""The kinds and their fields, and what a bundle holds in them."""

from pathlib import Path

import pytest
from runai_analyze.authoring.facts_page import Kind, Line, Page, Seen, find_kind, kinds, page
from runai_analyze.errors import BundleError
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS, fields_of
from runai_analyze.ruleset.vocabulary import CUSTOM_KINDS, GROUP_OF

from tests.bundle.builder import Builder, node

MARK = "«redacted:password:1a2b3c»"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    nodes = [
        {**node("w1", labels={"zone": "a"}), "spec": {"providerID": MARK}},
        node("w2", labels={"zone": "b"}),
        node("w3", labels={"zone": "a"}),
        {**node("w4", labels={"zone": "c"}), "spec": {"taints": [{"key": "gpu"}, {"key": "spot"}]}},
    ]
    for number, body in enumerate(nodes):
        ready = "False" if number == 1 else "True"
        body["status"]["conditions"] = [{"type": "Ready", "status": ready}, {"type": "DiskPressure", "status": "False"}]
    return Builder().list("Node", "v1", *nodes).write(tmp_path / "b.tgz")


def line(found: Page, path: str) -> Line:
    return next(line for line in (*found.facts, *found.fields) if line.path == path)


def test_every_made_kind_has_its_line_and_every_kind_with_fields_is_listed() -> None:
    listed = {kind: meaning for _, rows in kinds() for kind, meaning in rows}
    assert {kind: listed[kind] for kind in MADE_MEANINGS} == MADE_MEANINGS
    assert {field.kind for field in FIELDS} | set(GROUP_OF) | set(CUSTOM_KINDS.values()) == listed.keys()


@pytest.mark.parametrize("kind", sorted({field.kind for field in FIELDS} - set(GROUP_OF)))
def test_each_made_kind_says_what_it_is(kind: str) -> None:
    assert MADE_MEANINGS.get(kind), f"a line for {kind} is missing in MADE_MEANINGS of facts/kinds.py"


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Node", Kind("Node", None)),
        ("nodes", Kind("Node", None)),
        ("po", Kind("Pod", None)),
        ("networkpolicies", Kind("NetworkPolicy", None)),
        ("storageclasses", Kind("StorageClass", None)),
        ("gpunode", Kind("GpuNode", "made")),
        ("runaiconfig", Kind("RunaiConfig", "run.ai")),
        ("Service.serving.knative.dev", Kind("Service", "serving.knative.dev")),
        ("clusterpolicies", Kind("ClusterPolicy", "nvidia.com")),
        ("clusterpolicy.nvidia.com", Kind("ClusterPolicy", "nvidia.com")),
    ],
)
def test_a_kind_is_found_as_people_say_it(word: str, kind: Kind) -> None:
    assert find_kind(word) == kind


def test_a_kind_that_is_none_is_said_with_what_was_meant() -> None:
    with pytest.raises(ValueError, match='there is no kind "Deplyoment"; did you mean "Deployment"\\?'):
        find_kind("Deplyoment")


def test_a_made_kind_has_the_fields_of_the_table() -> None:
    found = page(Kind("GpuNode", "made"))
    assert found.meaning == MADE_MEANINGS["GpuNode"]
    assert [(one.path, one.type, one.meaning) for one in found.facts] == [
        (one.path, one.type, one.meaning) for one in fields_of("GpuNode")
    ]
    assert (found.fields, found.objects) == ((), None)


def test_a_kubernetes_kind_has_its_facts_and_its_upper_fields() -> None:
    found = page(Kind("Node", None))
    assert line(found, "facts.ready").meaning == "condition Ready is True"
    assert line(found, "spec.unschedulable") == Line(
        "spec.unschedulable", "bool", "Unschedulable controls node schedulability of new pods"
    )
    assert "metadata.generateName" not in {one.path for one in found.fields}
    assert "metadata.generateName" in {one.path for one in page(Kind("Node", None), everything=True).fields}


def test_a_custom_kind_has_the_fields_that_its_maker_publishes() -> None:
    assert line(page(Kind("ClusterPolicy", "nvidia.com")), "spec.driver.enabled").type == "bool"


def test_a_custom_group_may_use_the_name_of_a_built_in_kind() -> None:
    assert page(Kind("Deployment", "acme.example")).facts == ()


def test_a_bundle_gives_values_the_most_frequent_first(bundle: Path) -> None:
    found = page(Kind("Node", None), bundle)
    assert found.objects == 4
    assert line(found, "facts.ready").seen == Seen(4, ("true", "false"), 2)
    assert line(found, "metadata.labels.zone").seen == Seen(4, ("a", "b", "c"), 3)
    assert line(found, "metadata.name").seen == Seen(4, ("w1", "w2", "w3"), 4)


def test_paths_of_a_bundle_are_as_rules_write_them(bundle: Path) -> None:
    found = page(Kind("Node", None), bundle)
    assert line(found, "status.conditions[type=Ready].status").seen == Seen(4, ("True", "False"), 2)
    assert line(found, "spec.taints[*].key").seen == Seen(4, ("gpu", "spot"), 2, absent=3)


def test_what_was_hidden_stays_hidden(bundle: Path) -> None:
    assert line(page(Kind("Node", None), bundle), "spec.providerID").seen == Seen(4, (MARK,), 1, absent=3)


def test_a_fact_that_is_unknown_says_why(tmp_path: Path) -> None:
    inhouse = {"metadata": {"name": "inhouse"}, "spec": {"controller": "a/b"}}
    given = Builder().list("IngressClass", "networking.k8s.io/v1", inhouse)
    seen = line(page(Kind("IngressClass", None), given.write(tmp_path / "b.tgz")), "facts.controller.found").seen
    assert seen is not None
    assert (seen.objects, seen.unknown, bool(seen.why)) == (1, 1, True)


def test_what_was_not_collected_is_said(tmp_path: Path) -> None:
    given = Builder().list("Node", "v1", status="forbidden", message="no")
    found = page(Kind("Node", None), given.write(tmp_path / "b.tgz"))
    assert found.objects == 0
    assert len(found.gaps) == 1


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    given = Builder().list("Node", "v1", node("w1", labels={"long": "x" * 63}))
    seen = line(page(Kind("Node", None), given.write(tmp_path / "b.tgz")), "metadata.labels.long").seen
    assert seen == Seen(1, ("x" * 59 + "…",), 1)


def test_a_file_that_kubectl_wrote_serves_as_well(tmp_path: Path) -> None:
    (tmp_path / "node.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: w1, labels: {zone: a}}\n")
    found = page(Kind("Node", None), tmp_path / "node.yaml")
    assert (found.objects, line(found, "metadata.labels.zone").seen) == (1, Seen(1, ("a",), 1))
    assert "kinds that it does not hold are unknown" in found.gaps[0]


def test_what_is_no_bundle_is_said(tmp_path: Path) -> None:
    (tmp_path / "b.tgz").write_text("no bundle")
    with pytest.raises(BundleError):
        page(Kind("Node", None), tmp_path / "b.tgz")
