"""Which way to the cluster is taken, and what a person is told when there is none."""

import os
from pathlib import Path

import pytest
from runai_collect import inpod
from runai_collect.advice import advise
from runai_collect.client import Stop, UnreachableError
from runai_collect.connect import open_cluster
from runai_collect.inpod import InPod
from runai_collect.kubectl import Kubectl
from runai_collect.plan import Limits

from tests.cluster.certificates import make_certificates


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing on PATH, no kubeconfig, no pod."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(inpod, "ACCOUNT", str(tmp_path / "account"))
    return tmp_path


def put(folder: Path, *things: str) -> None:
    for thing in things:
        path = folder / {"config": "home/.kube/config", "account": "account/token"}.get(thing, thing)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        if thing == "account":
            os.environ["KUBERNETES_SERVICE_HOST"] = "10.96.0.1"
            (path.parent / "namespace").write_text("default")
            make_certificates(path.parent, "pod").authority.rename(path.parent / "ca.crt")


def way(kubectl: str = "", kubeconfig: str = "", context: str = "") -> str:
    cluster = open_cluster(kubectl, kubeconfig, context, Limits(), Stop(), print)
    return "pod" if isinstance(cluster, InPod) else Path(cluster._argv[0]).name


@pytest.mark.parametrize(
    ("there", "asked", "taken"),
    [
        (["kubectl", "oc", "config"], {}, "kubectl"),
        (["oc", "config"], {}, "oc"),
        (["kubectl", "oc"], {"kubectl": "oc"}, "oc"),
        (["kubectl"], {}, "kubectl"),
        (["account"], {}, "pod"),
        (["account", "config"], {}, "pod"),  # a kubeconfig, but nothing that reads it
        (["account", "kubectl"], {}, "pod"),  # kubectl has no context there
        (["account", "kubectl", "config"], {}, "kubectl"),
        (["account", "kubectl"], {"kubectl": "kubectl"}, "kubectl"),
        (["account", "kubectl"], {"kubeconfig": "file"}, "kubectl"),
        (["account", "kubectl"], {"context": "prod"}, "kubectl"),
    ],
)
def test_the_way_that_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, there: list[str], asked: dict[str, str], taken: str
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "")  # and back after the test
    put(folder, *there)
    assert way(**asked) == taken


def test_without_any_way_all_are_named(folder: Path) -> None:
    with pytest.raises(UnreachableError) as caught:
        way()
    said = str(caught.value)
    assert said == "kubectl (or oc) was not found; name it with --kubectl PATH, or run in a pod that has a service account"
    assert advise(said) == said


def test_what_was_asked_for_is_not_replaced_by_a_pod(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "")
    put(folder, "account")
    with pytest.raises(UnreachableError, match="no-such-kubectl was not found"):
        way(kubectl="no-such-kubectl")
    (folder / "text").write_text("no program")
    with pytest.raises(UnreachableError, match="is no program that can be run"):
        way(kubectl=str(folder / "text"))
    with pytest.raises(UnreachableError, match="was not found"):
        way(context="prod")


def test_the_ways_are_alike() -> None:
    """cli uses either: what one has the other has too."""
    methods = {name for name, value in vars(Kubectl).items() if not name.startswith("_") and callable(value)}
    assert methods == {name for name, value in vars(InPod).items() if not name.startswith("_") and callable(value)}
    assert methods == {"config", "start", "exec", "end"}
    assert (Kubectl("kubectl", "", "", Limits(), Stop(), print).heard, InPod.heard) == ("", "")
