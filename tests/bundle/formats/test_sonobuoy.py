"""Results of Sonobuoy: what was asked stands in a protocol, and where nothing was found there is no file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runai_analyze.model import Exposed, Missing

from tests.bundle.formats.packed import gaps, names, packed

RUN_LOG = '{"level":"info","msg":"a","time":"2021-08-17T17:43:57Z"}\n{"level":"info","msg":"b","time":"2021-08-17T17:43:58Z"}\n'
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent", "namespace": "runai"}}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "runai"}}


def query(name: str, namespace: str = "", error: str = "") -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    failed = {"error": {"ErrStatus": {"status": "Failure", "message": error, "code": 403}}} if error else {}
    return {"queryobj": name, "time": "2.5ms", **place, **failed}


QUERIES = [query("namespaces"), query("nodes"), query("pods", "runai"), query("ingresses", "runai")]


def results(queries: list[dict[str, Any]] = QUERIES, **files: Any) -> dict[str, Any]:
    return {
        "meta/query-time.json": queries,
        "meta/config.json": {"Filters": {"Namespaces": ".*", "LabelSelector": ""}},
        "meta/run.log": RUN_LOG,
        "serverversion.json": {"gitVersion": "v1.21.1"},
        "servergroups.json": {"kind": "APIGroupList", "groups": [{"name": ""}, {"name": "apps"}]},
        "resources/cluster/core_v1_namespaces.json": [NAMESPACE],
        "resources/ns/runai/core_v1_pods.json": [POD],
        **files,
    }


def test_objects_version_and_time(tmp_path: Path) -> None:
    bundle = packed(tmp_path, results())
    assert (bundle.info.holder, names(bundle, "Pod")) == ("a Sonobuoy archive", ["runai/agent"])
    assert not isinstance(bundle.version, Missing)
    assert bundle.version["gitVersion"] == "v1.21.1"
    assert bundle.info.captured == datetime(2021, 8, 17, 17, 43, 58, tzinfo=UTC)


def test_what_was_asked_for_and_has_no_file_is_empty(tmp_path: Path) -> None:
    bundle = packed(tmp_path, results())
    assert (gaps(bundle, "Pod"), gaps(bundle, "Node"), gaps(bundle, "Ingress", "networking.k8s.io")) == ([], [], [])


def test_what_was_not_asked_for_is_not(tmp_path: Path) -> None:
    assert [reason for _, reason, _ in gaps(packed(tmp_path, results()), "Secret")] == ["a Sonobuoy archive does not hold it"]


def test_a_query_that_failed(tmp_path: Path) -> None:
    bundle = packed(tmp_path, results([*QUERIES[:1], query("nodes", error="nodes is out of reach")]))
    assert [reason for _, reason, _ in gaps(bundle, "Node")] == ["the request failed (nodes is out of reach)"]


def test_lists_of_objects_with_some_labels_are_not_whole(tmp_path: Path) -> None:
    config = {"Filters": {"Namespaces": ".*", "LabelSelector": "app=x"}}
    assert gaps(packed(tmp_path, results(**{"meta/config.json": config})), "Pod", "", "runai") != []


def test_the_first_versions_named_files_by_kind_and_items_do_not_tell_theirs(tmp_path: Path) -> None:
    old = {
        "results/meta/query-time.json": [query("Nodes"), query("Deployments", "runai")],
        "results/serverversion.json": {"gitVersion": "v1.8.4"},
        "results/resources/cluster/Nodes.json": [{"metadata": {"name": "n"}}],
        "results/resources/ns/runai/Deployments.json": [{"metadata": {"name": "d", "namespace": "runai"}}],
    }
    bundle = packed(tmp_path, old)
    assert (names(bundle, "Node"), names(bundle, "Deployment")) == (["n"], ["runai/d"])
    assert (gaps(bundle, "Node"), gaps(bundle, "Deployment", "apps", "runai")) == ([], [])


def test_logs_and_the_tool_s_own_objects(tmp_path: Path) -> None:
    own = {**POD, "metadata": {"name": "sonobuoy-e2e-job", "namespace": "sonobuoy"}}
    secret = {"metadata": {"name": "token", "namespace": "sonobuoy"}, "data": {"token": "VHIwdWI0ZG9y"}}
    files = {
        "resources/ns/sonobuoy/core_v1_pods.json": [own],
        "resources/ns/sonobuoy/core_v1_secrets.json": [secret],
        "podlogs/sonobuoy/sonobuoy-e2e-job/logs/e2e.txt": "x\n",
        "podlogs/runai/agent/logs/main.txt": "y\n",
    }
    bundle = packed(tmp_path, results(**files))
    assert names(bundle, "Pod") == ["runai/agent"]
    assert [(log.namespace, log.pod, log.container, log.data) for log in bundle.logs()] == [("runai", "agent", "main", b"y\n")]
    assert bundle.info.exposed == (Exposed("sonobuoy", "token", 1, "resources/ns/sonobuoy/core_v1_secrets.json"),)


def test_groups_tell_what_is_served_and_nothing_of_kinds(tmp_path: Path) -> None:
    bundle = packed(tmp_path, results())
    assert (bundle.served("apps"), bundle.served("run.ai")) == (True, None)
    assert gaps(bundle, "NodePool", "run.ai") != []


def test_documents_of_any_shape_end_in_no_traceback(tmp_path: Path) -> None:
    groups = {"groups": [1, {"name": 2}]}
    odd = {"meta/config.json": [1], "serverversion.json": 5, "servergroups.json": groups, "meta/run.log": "[]\nx\n"}
    queries: Any = [1, {"queryobj": 3}, {"queryobj": "pods", "namespace": 4, "error": "late"}]
    bundle = packed(tmp_path, {**results(queries), **odd})
    assert names(bundle, "Pod") == ["runai/agent"]
    assert (bundle.info.captured, gaps(bundle, "Pod") != []) == (None, True)
