"""Plural names, held against what a real API server says of itself."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from runai_analyze.bundle.kinds import CLUSTER_SCOPED, groups_of, kind_of, plural_of

SAMPLES = Path(__file__).parents[2] / "samples"


def served() -> Iterator[tuple[str, str, str, bool]]:
    """What the API server of a sample serves: (group, plural, kind, whether it has namespaces)."""
    with tarfile.open(SAMPLES / "healthy.tgz") as archive:
        name = next(name for name in archive.getnames() if name.endswith("cluster/discovery.json"))
        content = archive.extractfile(name)
        assert content is not None
        for entry in json.load(content)["groups"]:
            for one in entry["resources"]:
                yield entry["group"], one["plural"], one["kind"], one["namespaced"]


@pytest.mark.parametrize(
    ("plural", "group", "kind"),
    [
        ("nodes", "", "Node"),
        ("networkpolicies", "networking.k8s.io", "NetworkPolicy"),
        ("ingressclasses", "networking.k8s.io", "IngressClass"),
        ("endpoints", "", "Endpoints"),
        ("clusterversions", "config.openshift.io", "ClusterVersion"),
        ("proxies", "config.openshift.io", "Proxy"),
        ("projects", "run.ai", ""),
    ],
)
def test_kinds_by_plural(plural: str, group: str, kind: str) -> None:
    assert kind_of(plural, group) == kind


def test_a_plural_without_its_group() -> None:
    assert groups_of("events") == ("", "events.k8s.io")
    assert groups_of("nodes") == ("", "config.openshift.io")


def test_every_kind_is_as_the_api_server_names_it() -> None:
    known = [row for row in served() if kind_of(row[1], row[0])]
    assert len(known) > 40
    for group, plural, kind, namespaced in known:
        assert (kind_of(plural, group), plural_of(kind)) == (kind, plural)
        assert (kind in CLUSTER_SCOPED) is not namespaced


def test_the_kinds_of_kubernetes_that_are_lacking_are_questions_and_no_objects() -> None:
    own = {(group, plural, kind) for group, plural, kind, _ in served() if "." not in group or group.endswith(".k8s.io")}
    lacking = {kind for group, plural, kind in own if not kind_of(plural, group) and not group.startswith("gateway.")}
    assert {kind for kind in lacking if not kind.endswith("Review")} <= {"Binding", "NodeMetrics"}
