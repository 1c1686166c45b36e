"""A plan file adds data to what is read, and can ask for nothing else."""

import hashlib
import json
import re
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import pytest
from runai_collect import plan
from runai_collect.logs import log_pod
from runai_collect.options import build_parser, read_options
from runai_collect.planfile import read_plan_file

from tests.collector.test_filters import ITEMS, Run

KIND = {"group": "kueue.x-k8s.io", "plural": "clusterqueues", "version": "v1beta1", "kind": "ClusterQueue", "namespaced": False}
GOOD = {
    "kinds": [KIND, {"group": "", "plural": "endpoints", "version": "v1", "kind": "Endpoints", "namespaced": True}],
    "groups": ["topology.node.k8s.io"],
    "configmaps": ["network-operator/*config*"],
    "logs": [{"namespace": "ingress-nginx", "pod": "*"}],
}


def write(folder: Path, document: Any) -> str:
    path = folder / "extra.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return str(path)


def test_it_becomes_part_of_the_plan_and_stands_in_the_bundle(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    options = read_options(build_parser().parse_args(["--plan-file", path]))
    extra = options.extra
    assert extra.kinds[0] == plan.Kind("kueue.x-k8s.io", "clusterqueues", "v1beta1", "ClusterQueue", False)
    assert extra.kinds[1].path("a") == "/api/v1/namespaces/a/endpoints"
    assert (extra.groups, extra.configmaps) == (("topology.node.k8s.io",), ("network-operator/*config*",))
    assert extra.logs == ("ingress-nginx/*",)
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert options.record()["plan_file"] == {"name": "extra.json", "sha256": digest}


def test_it_widens_the_rules_of_the_plan(tmp_path: Path) -> None:
    extra = read_plan_file(write(tmp_path, GOOD))
    assert plan.configmap_with_data("network-operator", "my-config-1", extra.configmaps)
    assert not plan.configmap_with_data("team-a", "my-config-1", extra.configmaps)
    assert plan.custom_group("topology.node.k8s.io", extra)
    assert not plan.custom_group("other.k8s.io", extra)
    pod = {"metadata": {"namespace": "ingress-nginx", "name": "a"}}
    assert (log_pod(pod).important, log_pod(pod, extra.logs).important) == (False, True)


def test_an_empty_one_adds_nothing(tmp_path: Path) -> None:
    assert read_plan_file(write(tmp_path, {}))[2:] == plan.Extra()[2:]


def kind(**changes: Any) -> dict[str, Any]:
    return {"kinds": [KIND | changes]}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "extra.json: "),
        ("[]", "nothing else: no command, no Secret, no path"),
        ('{"kinds": [], "kinds": []}', "'kinds' stands there twice"),
        ("[" * 100000, "extra.json: "),
        ('"' + "x" * 300000 + '"', "larger than 256 KiB"),
        ({"commands": []}, "'commands': a plan file holds kinds, groups, configmaps and logs"),
        ({"secrets": ["a/b"]}, "'secrets'"),
        ({"paths": ["/logs"]}, "'paths'"),
        ({"kinds": {}}, "kinds: is no list"),
        ({"kinds": ["pods"]}, "kinds[0]: must be group, plural, version, kind and namespaced"),
        ({"kinds": [{**KIND, "argv": "x"}]}, "kinds[0]: 'argv'"),
        ({"groups": ["a.b"] * 201}, "groups: is no list of at most 200 entries"),
        (kind(group="", plural="secrets", kind="Secret"), "kinds[0]: secrets are never read"),
        (kind(group="", plural="secret", kind="Secret"), "kinds[0]: secrets are never read"),
        (kind(group="oauth.openshift.io", plural="oauthaccesstokens"), "oauthaccesstokens.oauth.openshift.io are never read"),
        (kind(plural="*"), "kinds[0]: plural: '*' is none"),
        (kind(plural="pods/log"), "kinds[0]: plural: 'pods/log' is none"),
        (kind(plural="../secrets"), "kinds[0]: plural"),
        (kind(plural="secrets?x"), "kinds[0]: plural"),
        (kind(version="v1/namespaces/a/secrets"), "kinds[0]: version"),
        (kind(group="*"), "kinds[0]: group"),
        (kind(group=None), "kinds[0]: group"),
        (kind(namespaced="yes"), "kinds[0]: namespaced: 'yes' is none"),
        (kind(kind="lower"), "kinds[0]: kind: 'lower' is none"),
        ({"groups": [""]}, "groups[0]: '' is no group"),
        ({"groups": ["*"]}, "groups[0]: '*' is no group"),
        ({"groups": [["x"]]}, "groups[0]: "),
        ({"groups": ["apps"]}, "groups[0]: the kinds of apps can only be asked for one by one"),
        ({"groups": ["oauth.openshift.io"]}, "groups[0]"),
        ({"configmaps": ["*/*"]}, "configmaps[0]: */* would take those of every team"),
        ({"configmaps": ["?*/[a-z]*"]}, "configmaps[0]: ?*/[a-z]* would take"),
        ({"configmaps": ["name"]}, "configmaps[0]: must be NAMESPACE/NAME"),
        ({"configmaps": ["a/b/c"]}, "configmaps[0]"),
        ({"configmaps": [5]}, "configmaps[0]"),
        ({"logs": [{"namespace": "*", "pod": "*"}]}, "logs[0]: */* would take those of every team"),
        ({"logs": [{"namespace": "a"}]}, "logs[0]: must be namespace and pod"),
        ({"logs": [{"namespace": "runai", "pod": "a/../b"}]}, "logs[0]: 'a/../b' is no pattern"),
        ({"logs": [{"namespace": "runai", "pod": ["x"]}]}, "logs[0]"),
    ],
)
def test_whatever_else_is_refused_in_one_line(
    tmp_path: Path, document: Any, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        build_parser().parse_args(["--plan-file", write(tmp_path, document)])
    assert caught.value.code == 2
    said = capsys.readouterr().err.splitlines()[1:]
    assert len(said) == 1
    assert words in said[0]
    assert len(said[0]) < 300


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match=r"none\.json: No such file or directory"):
        read_plan_file(str(tmp_path / "none.json"))


def test_a_run_reads_what_it_adds_and_redacts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"a.conf": "password=zX9fourthHorse"}
    settings = {"metadata": {"name": "settings", "namespace": "team-a"}, "data": data}
    ready = {"name": "main", "ready": True, "state": {"running": {}}}
    pod = {"metadata": {"name": "web", "namespace": "team-b"}, "status": {"phase": "Running", "containerStatuses": [ready]}}
    monkeypatch.setitem(ITEMS, "configmaps", [*ITEMS["configmaps"], settings])
    monkeypatch.setitem(ITEMS, "pods", [pod])
    extra = {"configmaps": ["team-a/set*"], "logs": [{"namespace": "team-b", "pod": "web"}]}
    plain = Run(tmp_path)
    (tmp_path / "b.tgz").unlink()
    more = Run(tmp_path, "--plan-file", write(tmp_path, extra))
    assert plain.names("configmaps") == ["runai-public"]
    assert more.names("configmaps") == ["runai-public", "settings"]
    assert "zX9fourthHorse" not in "".join(more.members.values())
    assert [name for run in (plain, more) for name in run.members if name.startswith("logs/")] == ["logs/team-b/web/main.log"]


def test_a_run_lists_the_kinds_that_it_adds(tmp_path: Path) -> None:
    found = Run(tmp_path, "--plan-file", write(tmp_path, {"kinds": [GOOD["kinds"][0]]}))
    assert found.said("list:kueue.x-k8s.io/v1beta1/clusterqueues") == ("not_found", "not served by this cluster")


SAMPLE = Path(__file__).parents[2] / "samples" / "plan-file.json"


def test_the_sample_is_a_plan_file_of_every_part() -> None:
    found = read_plan_file(str(SAMPLE))
    assert [len(part) for part in (found.kinds, found.groups, found.configmaps, found.logs)] == [1, 1, 1, 1]


def test_the_help_has_a_plan_file_that_works(tmp_path: Path) -> None:
    text = " ".join(build_parser().format_help().split())
    match = re.search(r"A plan file, of which any part may be missing: (\{.*\})$", text)
    assert match
    (tmp_path / "sample.json").write_text(match[1])
    assert read_plan_file(str(tmp_path / "sample.json"))[2:] == read_plan_file(str(SAMPLE))[2:]
