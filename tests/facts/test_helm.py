"""Helm releases: from the labels of Helm's Secrets, and the charts from the labels of workloads."""

from typing import Any

from .helpers import deployment, facts_of, is_unknown, item_of, items_of


def revision(number: int, status: str, name: str = "gpu-operator", **labels: str) -> dict[str, Any]:
    own = {"owner": "helm", "name": name, "version": str(number), "status": status, **labels}
    metadata = {"namespace": "gpu-operator", "name": f"sh.helm.release.v1.{name}.v{number}", "labels": own}
    return {"kind": "Secret", "type": "helm.sh/release.v1", "metadata": metadata}


def of_release(name: str, chart: str, release: str = "gpu-operator", version: str = "v25.10.1") -> dict[str, Any]:
    labels = {"helm.sh/chart": chart, "app.kubernetes.io/version": version}
    body = deployment("gpu-operator", name, "x:1", labels=labels)
    notes = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "gpu-operator"}
    body["metadata"]["annotations"] = notes
    return body


def test_the_newest_revision_tells_the_state() -> None:
    body = item_of(
        "HelmRelease",
        revision(9, "superseded"),
        revision(10, "deployed"),
        revision(11, "pending-upgrade", modifiedAt="1785542400"),
    )
    assert body["metadata"] == {"namespace": "gpu-operator", "name": "gpu-operator"}
    assert (body["revision"], body["status"], body["deployed_revision"], body["revisions"]) == (11, "pending-upgrade", 10, 3)
    assert body["updated"] == "2026-08-01T00:00:00Z"


def test_what_helm_did_not_note_is_absent() -> None:
    body = item_of("HelmRelease", revision(1, "failed", modifiedAt="soon"))
    assert not {"updated", "deployed_revision"} & set(body)


def test_what_the_labels_lack_of_the_state_is_unknown() -> None:
    metadata = {"namespace": "a", "name": "sh.helm.release.v1.x.v1", "labels": {"owner": "helm"}}
    body = item_of("HelmRelease", {"kind": "Secret", "type": "helm.sh/release.v1", "metadata": metadata})
    assert body["metadata"]["name"] == "sh.helm.release.v1.x.v1"
    assert is_unknown(body["revision"])
    assert is_unknown(body["status"])


def test_the_chart_comes_from_the_labels_of_the_workloads_of_the_release() -> None:
    body = item_of(
        "HelmRelease",
        revision(1, "deployed"),
        of_release("gpu-operator", "gpu-operator-v25.10.1"),
        of_release("other", "cert-manager-v1.17.2", release="cert-manager"),
    )
    assert (body["chart"], body["chart_version"], body["app_version"]) == ("gpu-operator", "25.10.1", "v25.10.1")
    assert body["charts"] == ["gpu-operator-v25.10.1"]


def test_of_several_charts_the_one_that_is_called_as_the_release() -> None:
    given = [
        of_release("a", "node-feature-discovery-chart-0.17.3", version="v0.17.3"),
        of_release("b", "gpu-operator-v25.10.1-rc.1_build5"),
    ]
    body = item_of("HelmRelease", revision(1, "deployed"), *given)
    assert (body["chart"], body["chart_version"], body["app_version"]) == ("gpu-operator", "25.10.1-rc.1+build5", "v25.10.1")


def test_where_labels_do_not_tell_the_chart_is_unknown() -> None:
    none = item_of("HelmRelease", revision(1, "deployed"))
    assert is_unknown(none["chart"])
    assert none["chart"].missing.reason == "none of its workloads names it in the label helm.sh/chart"
    assert none["chart"].missing.command == "helm list -n gpu-operator --filter '^gpu-operator$'"
    several = item_of("HelmRelease", revision(1, "deployed", name="mine"), *(of_release(x, f"{x}-1.0.0", "mine") for x in "ab"))
    assert several["chart_version"].missing.reason == "its workloads name several: a-1.0.0, b-1.0.0"


def test_without_workloads_the_charts_are_unknown() -> None:
    body = item_of("HelmRelease", revision(1, "deployed"), not_collected=["Deployment"])
    assert is_unknown(body["charts"])
    assert is_unknown(body["chart"])


def test_releases_are_sorted_and_unknown_without_secrets() -> None:
    facts = facts_of(revision(1, "deployed", name="b"), revision(1, "deployed", name="a"))
    assert [item.ref.name for item in items_of(facts, "HelmRelease")] == ["a", "b"]
    assert facts_of(not_collected=["Secret"]).coverage("HelmRelease", None, ())
