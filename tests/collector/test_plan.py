"""What is read, and what becomes of kinds that are not served."""

import re

import pytest
from runai_collect.plan import CONFIGMAPS_WITH_DATA, KINDS, Extra, Kind, configmap_with_data, custom_group, targets


def served(*rows: tuple[str, str, str]) -> list[Kind]:
    return [Kind(group, plural, version, plural.title(), True) for group, version, plural in rows]


def test_every_kind_stands_once() -> None:
    assert len({(kind.group, kind.plural) for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    "group",
    [
        "run.ai",
        "scheduling.run.ai",
        "engine.run.ai",
        "nvidia.com",
        "kueue.kai.scheduler",
        "serving.knative.dev",
        "operator.knative.dev",
        "config.openshift.io",
        "resource.k8s.io",
        "leaderworkerset.x-k8s.io",
    ],
)
def test_groups_that_are_read_whole(group: str) -> None:
    assert custom_group(group)


@pytest.mark.parametrize(
    "group", ["", "apps", "example.com", "notrun.ai", "evil-knative.dev", "x.nvidia.com", "rbac.authorization.k8s.io"]
)
def test_groups_that_are_not(group: str) -> None:
    assert not custom_group(group)


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("runai", "runai-public"),
        ("knative-serving", "config-features"),
        ("kube-system", "coredns"),
        ("gpu-operator", "default-mig-parted-config"),
        ("gpu-operator", "time-slicing-config"),
    ],
)
def test_configmaps_with_data(namespace: str, name: str) -> None:
    assert configmap_with_data(namespace, name)


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("runai", "runai-public-2"),
        ("team", "runai-public"),
        ("runai-backend", "runai-backend-tenants-manager"),
        ("kube-system", "coredns\n"),
        ("team/knative-serving", "config-x"),
        ("kube-public", "cluster-info"),
    ],
)
def test_configmaps_without(namespace: str, name: str) -> None:
    assert not configmap_with_data(namespace, name)


def test_the_allow_list_names_no_namespace_of_users() -> None:
    assert all(re.fullmatch("[a-z-]+", pattern.split("/")[0]) for pattern in CONFIGMAPS_WITH_DATA)


def test_the_servers_preferred_version_is_listed() -> None:
    found = targets(
        served(
            ("", "v1", "pods"),
            ("batch", "v1", "jobs"),
            ("batch", "v1beta1", "cronjobs"),
            ("autoscaling", "v2", "horizontalpodautoscalers"),
            ("autoscaling", "v1", "horizontalpodautoscalers"),
        ),
        frozenset(),
    )
    by_name = {target.kind.plural: target for target in found}
    assert (by_name["cronjobs"].kind.version, by_name["cronjobs"].absent) == ("v1beta1", "")
    assert by_name["horizontalpodautoscalers"].kind.version == "v2"


def test_a_kind_that_is_not_served_is_known_to_be_absent() -> None:
    target = next(target for target in targets(served(("", "v1", "pods")), frozenset()) if target.kind.plural == "jobs")
    assert (target.absent, target.certain) == ("not served by this cluster", True)


@pytest.mark.parametrize("stale", [frozenset({"batch"}), frozenset({"apps"})])
def test_a_kind_of_a_group_that_did_not_answer_is_unknown(stale: frozenset[str]) -> None:
    target = next(target for target in targets(served(("", "v1", "pods")), stale) if target.kind.plural == "jobs")
    assert target.absent
    assert not target.certain


def test_what_is_cheap_and_tells_most_comes_first_and_strange_kinds_not_at_all() -> None:
    found = targets(
        served(
            ("cert-manager.io", "v1", "certificates"),
            ("engine.run.ai", "v1", "configs"),
            ("notrun.ai", "v1", "things"),
            ("run.ai", "v2", "projects"),
            ("example.com", "v1", "things"),
            ("nvidia.com", "v1", "clusterpolicies"),
            ("run.ai", "v1", "projects"),
        ),
        frozenset(),
    )
    rows = [(target.kind.group, target.kind.plural, target.kind.version) for target in found]
    assert rows[:7] == [
        ("", "nodes", "v1"),
        ("", "namespaces", "v1"),
        ("engine.run.ai", "configs", "v1"),
        ("nvidia.com", "clusterpolicies", "v1"),
        ("run.ai", "projects", "v2"),
        ("", "pods", "v1"),
        ("", "events", "v1"),
    ]
    assert rows[-1] == ("cert-manager.io", "certificates", "v1")
    assert len(rows) == len(KINDS) + 4


def test_what_a_plan_file_adds_is_read_after_the_plan() -> None:
    kinds = (Kind("", "endpoints", "v1", "Endpoints", True), Kind("", "pods", "v9", "Pod", True))
    extra = Extra(kinds=kinds, groups=("example.com",))
    there = served(("example.com", "v1", "things"), ("", "v1", "endpoints"), ("", "v1", "pods"))
    found = targets(there, frozenset(), extra)
    rows = [(target.kind.group, target.kind.plural, target.absent) for target in found]
    assert rows[len(KINDS) :] == [("", "endpoints", ""), ("example.com", "things", "")]
    assert [target.kind.version for target in found if target.kind.plural == "pods"] == ["v1"]
    assert [target.kind for target in targets(None, frozenset(), extra)] == [*KINDS, extra.kinds[0]]


def test_without_discovery_the_built_in_kinds_are_tried() -> None:
    assert [target.kind for target in targets(None, frozenset())] == list(KINDS)


def test_paths() -> None:
    assert Kind("", "pods", "v1", "Pod", True).path() == "/api/v1/pods"
    assert Kind("apps", "deployments", "v1", "Deployment", True).path("team a") == "/apis/apps/v1/namespaces/team%20a/deployments"
