"""--plan shows what the run itself goes by: whatever is added to the data stands in it, whatever is left out does not."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from runai_collect import endpoints, node_plan, plan, planned
from runai_collect.cli import main
from runai_collect.options import build_parser, read_options
from runai_collect.planned import plan_document, plan_json, plan_text

COLLECTOR = Path(__file__).parent.parent.parent / "collector"


def options(*arguments: str) -> plan.Options:
    return read_options(build_parser().parse_args(arguments))


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(plan_json(options(*arguments)))
    return found


def paths(*arguments: str) -> list[str]:
    rows = document(*arguments)["requests"]
    return [row["path"] for row in rows] + [row["in_namespace"] for row in rows if "in_namespace" in row]


def shown(*arguments: str) -> str:
    return " ".join(plan_text(options(*arguments)).split())


def test_it_needs_neither_cluster_nor_kubectl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "runai_collect", "--plan", "-o", "no/such/folder/b.tgz", "--kubectl", "none"]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": "", "PYTHONPATH": str(COLLECTOR)}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert main(["--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document("--json")
    assert list(tmp_path.iterdir()) == []


def test_every_kind_is_there_in_both_forms() -> None:
    found = paths()
    for kind in plan.KINDS:
        version = "VERSION" if kind.group else kind.version
        assert kind._replace(version=version).path() in found
        assert kind.plural in shown()
    assert "/apis/run.ai/VERSION/PLURAL" in found
    assert "/apis/*.run.ai/VERSION/namespaces/NAMESPACE/PLURAL" in found
    assert "/apis/coordination.k8s.io/VERSION/namespaces/kube-node-lease/leases" in found
    assert {"/version", "/livez?verbose", "/readyz?verbose", "/api", "/apis"} <= set(found)


def test_what_is_added_to_the_data_appears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "KINDS", (*plan.KINDS, plan.Kind("new.io", "widgets", "v1", "Widget", True)))
    monkeypatch.setattr(plan, "CUSTOM_GROUPS", plan.CUSTOM_GROUPS | {"whole.io"})
    monkeypatch.setattr(plan, "CONFIGMAPS_WITH_DATA", (*plan.CONFIGMAPS_WITH_DATA, "ns/new-config"))
    monkeypatch.setattr(plan, "CERTIFICATE_SECRETS", (*plan.CERTIFICATE_SECRETS, ("ns", "new-tls")))
    monkeypatch.setattr(plan, "SMI_CONTAINERS", (*plan.SMI_CONTAINERS, plan.SmiContainer("new-ctr", "/new/nvidia-smi")))
    monkeypatch.setattr(plan, "KUBECTL_PROXY", ("proxy", "--reject-methods=GET"))
    monkeypatch.setattr(node_plan, "FILES", {"gpu": ("/proc/new",)})
    found, text = document(), shown()
    assert {"/apis/new.io/VERSION/widgets", "/apis/whole.io/VERSION/PLURAL"} <= set(paths())
    assert "/api/v1/namespaces/ns/secrets/new-tls" in paths()
    assert "ns/new-config" in found["configmaps_with_data"]
    assert ["/new/nvidia-smi", "-q", "-x"] in next(row for row in found["exec"] if row["container"] == "new-ctr")["argv"]
    for word in ("widgets", "whole.io", "ns/new-config", "secrets/new-tls", "new-ctr: /new/nvidia-smi -q -x", "/proc/new"):
        assert word in text
    assert "the proxy refuses GET," in text


def test_what_is_left_out_does_not_appear() -> None:
    assert "/api/v1/events" in paths()
    assert not [path for path in paths("--exclude", "events") if "events" in path]
    assert not [path for path in paths("--no-secrets") if "secrets" in path]
    assert not [path for path in paths("--no-certificates") if "/secrets/" in path]
    assert not [path for path in paths("--no-logs") if "/log?" in path]
    assert document("--no-logs")["logs"] == document("--no-exec")["exec"] == []
    assert not [path for path in paths("--no-exec") if "/proxy/" in path]
    assert document("--exclude", "pods")["exec"] == document("--exclude", "pods")["logs"] == []
    assert "--exclude kind:events" in shown("--exclude", "events")


def test_of_only_some_kinds_no_other_appears() -> None:
    lists = [path for path in paths("--only", "nodes", "--only", "projects.run.ai") if re.match("/apis?/.*/.*/", path)]
    assert lists == [
        "/api/v1/namespaces/NAMESPACE",
        "/apis/run.ai/VERSION/projects",
        "/apis/run.ai/VERSION/namespaces/NAMESPACE/projects",
    ]
    assert "/api/v1/nodes" in paths("--only", "nodes")


def test_within_namespaces_the_whole_cluster_is_not_asked_for_pods() -> None:
    found = paths("-n", "runai")
    assert "/api/v1/namespaces/NAMESPACE/pods" in found
    assert not {"/api/v1/pods", "/api/v1/secrets", "/apis/apps/VERSION/deployments"} & set(found)
    assert {"/api/v1/nodes", "/apis/run.ai/VERSION/PLURAL"} <= set(found)


def test_options_that_read_more_appear() -> None:
    assert "tailLines=7&sinceSeconds=7200" in shown("--log-lines", "7", "--since", "2h")
    assert "chroot /host /usr/bin/nvidia-smi -q -x" in shown("--exec-host")
    assert "--exec-user-pods" in shown("--exec-user-pods")
    assert endpoints.PROBE_ENDPOINTS[0].host in shown("--probe")
    assert "chroot /host" not in shown()
    assert endpoints.PROBE_ENDPOINTS[0].host not in shown()
    assert document("--qps", "9")["limits"]["requests_per_second"] == 9


def test_what_a_plan_file_adds_is_marked(tmp_path: Path) -> None:
    kind = {"group": "", "plural": "endpoints", "version": "v1", "kind": "Endpoints", "namespaced": True}
    extra = {"kinds": [kind], "groups": ["a.example"], "configmaps": ["ns/x*"], "logs": [{"namespace": "web", "pod": "*"}]}
    (tmp_path / "extra.json").write_text(json.dumps(extra))
    arguments = ("--plan-file", str(tmp_path / "extra.json"))
    marked = [row["path"] for row in document(*arguments)["requests"] if row.get("plan_file") == "extra.json"]
    assert marked == ["/api/v1/endpoints", "/apis/a.example/VERSION/PLURAL"]
    text = shown(*arguments)
    for words in ("endpoints added by extra.json", "the same of web/* (extra.json)", "ns/x*"):
        assert words in text


def test_no_line_is_wider_than_a_screen_but_for_long_words() -> None:
    lines = plan_text(options("--probe", "--exec-host", "--exec-user-pods")).splitlines()
    assert [line for line in lines if len(line) > 100 and len(line.split()) > 3] == []
    assert all(title in lines for title in ("Requests to the API server", "Never", "Hidden", "Logs"))


def test_the_same_in_the_same_out() -> None:
    assert json.dumps(plan_document(plan.Options())) == json.dumps(plan_document(plan.Options()))


def test_every_limit_is_said_with_its_unit() -> None:
    text = plan_text(options())
    for words in ("deadline: 900 seconds", "log bytes: 2097152 bytes", "archive: 2147483648 bytes", "log pods: 600"):
        assert f"  - {words}\n" in text
    assert set(planned._BYTES) <= set(plan.Limits._fields)
    assert "  - deadline: 60 seconds\n" in plan_text(options("--deadline", "1m"))


def test_a_note_is_said_once_and_points_to_no_other_entry() -> None:
    text = plan_text(options("-n", "runai"))
    assert shown().count("whole, into memory, for its public certificate") == 2  # those of the plan, and those that are named
    assert shown().count("labels name, owner") == 1
    assert not [line for line in text.splitlines() if "the same" in line]


def test_what_is_no_part_of_the_run_stands_at_its_end_and_says_so() -> None:
    titles = [line for line in plan_text(options()).splitlines() if line and line[0] != " "]
    assert titles[-2:] == ["Never", "Not in this run: a node"]


def test_configmaps_are_shown_in_the_language_of_plan_files() -> None:
    for entry in document()["configmaps_with_data"]:
        assert not set(entry) & set("()|^[]"), entry


def test_the_log_that_is_tried_before_the_long_part_is_told() -> None:
    assert "/api/v1/namespaces/NAMESPACE/pods/POD/log?tailLines=1&limitBytes=1" in paths()
    assert not [path for path in paths("--no-logs") if "/log" in path]
