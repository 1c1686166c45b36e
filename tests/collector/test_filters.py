"""--exclude and --only: what is then not asked for, not kept, or not written."""

import json
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from runai_collect import layout, plan
from runai_collect.client import Stop
from runai_collect.gather import gather
from runai_collect.logs import LogPod
from runai_collect.options import build_parser, read_options
from runai_collect.progress import Progress
from runai_collect.read_logs import read_logs
from runai_collect.steps import Session, list_label
from runai_collect.wishes import Wishes, read_wish
from runai_collect.writer import BundleWriter

from tests.collector.servers import FaultServer, Handler, ok, serving
from tests.collector.test_writer import read

KIND = {kind.plural: kind for kind in (*plan.KINDS, plan.SECRET, plan.NODE_LEASES)}


def filters(exclude: str = "", only: str = "") -> Wishes:
    return Wishes(*(tuple(read_wish(word) for word in words.split()) for words in (exclude, only)))


def test_kinds() -> None:
    found = filters("events deployments *.run.ai")
    assert found.kind(KIND["events"]) == "left out on request: --exclude events"
    assert found.kind(KIND["deployments"]) == "left out on request: --exclude deployments.apps"
    assert found.kind(plan.Kind("run.ai", "projects", "v2", "Project", False)) == "left out on request: --exclude *.run.ai"
    assert found.kind(KIND["pods"]) == ""
    assert found.namespace("events") == ""


def test_only_kinds_leaves_namespaces_in() -> None:
    found = filters("", "pods nodes")
    assert [plural for plural in KIND if not found.kind(KIND[plural])] == ["nodes", "namespaces", "pods"]
    assert found.kind(KIND["secrets"]) == "left out on request: not in --only pods, nodes"
    assert found.namespace("x") == found.path("logs/a/b/c.log") == ""


def test_namespaces() -> None:
    found = filters("team-* x", "runai team-a")
    assert [name for name in ("runai", "team-a", "x", "y") if not found.namespace(name)] == ["runai"]
    words = "objects of the namespaces team-*, x (--exclude); objects of all namespaces but runai, team-a (--only)"
    assert found.namespaces() == "left out on request: " + words
    assert filters("pods").namespaces() == ""


def test_paths() -> None:
    found = filters("logs/runai resources/core/v1/events/*")
    assert found.path("logs/runai/a/b.log") == "left out on request: --exclude logs/runai"
    assert found.path("logs/runai-backend/a/b.log") == ""
    assert found.folder("resources/core/v1/events/") == "left out on request: --exclude resources/core/v1/events/*"
    only = filters("", "logs/runai/*")
    assert only.path("nodes/a/source.json") == "left out on request: not in --only logs/runai/*"
    assert [only.path(name) for name in (layout.BUNDLE, layout.README, layout.MANIFEST, "logs/runai/a/b.log")] == [""] * 4


@pytest.mark.parametrize("folder", ["logs", "nodes", "configmaps", "certificates", "helm", "secrets", "cluster", "resources"])
@pytest.mark.parametrize("ending", ["", "/", "/*"])
def test_a_folder_means_all_that_is_in_it(folder: str, ending: str) -> None:
    wish = (read_wish(f"path:{folder}{ending}"),)
    assert Wishes(wish, ()).path(f"{folder}/a/b").startswith("left out on request: --exclude " + folder)
    assert Wishes(wish, ()).path(f"{folder}x/a") == Wishes((), wish).path(f"{folder}/a/b") == ""


def test_what_fits_nothing_is_known_whichever_wish_was_looked_at_first() -> None:
    found = filters("team-* team-a nosuch", "pods logs/x")
    for name in ("team-a", "runai"):
        found.namespace(name)
    found.kind(KIND["pods"])
    assert found.unmatched("namespace") == [("--exclude", "nosuch")]
    assert found.unmatched("kind", "path") == [("--only", "logs/x")]


def test_namespaces_that_are_all_named_in_full_are_read_one_by_one_as_with_n() -> None:
    def named(*arguments: str) -> tuple[str, ...]:
        return read_options(build_parser().parse_args(arguments)).namespaces

    assert named("--only", "runai", "--only", "pods", "--only", "gpu-operator") == ("gpu-operator", "runai")
    assert named("--only", "runai", "--only", "team-*") == ()
    assert named("-n", "a", "--only", "runai") == ("a", "runai")


# --- What a run then asks and keeps -----------------------------------------------------------------------------------------

ITEMS = {
    "namespaces": [{"metadata": {"name": name}} for name in ("runai", "team-a", "team-b")],
    "nodes": [{"metadata": {"name": "n1"}}],
    "pods": [{"metadata": {"name": f"p-{name}", "namespace": name}} for name in ("runai", "team-a", "team-b")],
    "services": [{"metadata": {"name": "s", "namespace": "runai"}}],
    "ingresses": [
        {"metadata": {"name": "i", "namespace": name}, "spec": {"tls": [{"secretName": "tls"}]}} for name in ("runai", "team-a")
    ],
    "configmaps": [{"metadata": {"name": "runai-public", "namespace": "runai"}, "data": {"a": "b"}}],
}
for pod in ITEMS["pods"]:  # each of them has a log
    pod["status"] = {"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": {}}}]}
KINDS = {
    kind.plural: {"resource": kind.plural, "responseKind": {"kind": kind.kind}, "verbs": ["list"]}
    | {"scope": "Namespaced" if kind.namespaced else "Cluster"}
    for kind in plan.KINDS
}


def discovery(core: bool) -> bytes:
    groups: dict[str, list[Any]] = {}
    for kind in plan.KINDS:
        if (kind.group == "") == core:
            groups.setdefault(kind.group, []).append(KINDS[kind.plural])
    items = [
        {"metadata": {"name": group}, "versions": [{"version": "v2" if group == "autoscaling" else "v1", "resources": rows}]}
        for group, rows in groups.items()
    ]
    return json.dumps({"kind": "APIGroupDiscoveryList", "items": items}).encode()


def api(handler: Handler) -> None:
    """A small API server: discovery, lists, tables of Secrets, and logs."""
    path = urlsplit(handler.path).path
    plural = path.rsplit("/", 1)[-1]
    accept = handler.headers["Accept"]
    if path in ("/api", "/apis"):
        body = discovery(path == "/api")
    elif plural == "log":
        body = b"2026-01-01T00:00:00Z a line\n"
    elif "as=Table" in accept:
        columns = [{"name": name} for name in ("Name", "Type", "Data", "Age")]
        body = json.dumps({"kind": "Table", "columnDefinitions": columns, "rows": [{"cells": ["s", "Opaque", 1, "1d"]}]}).encode()
    elif plural == "secrets":
        rows = [{"metadata": {"name": "sh.helm.v1", "namespace": name, "labels": {}}} for name in ("runai", "team-a")]
        body = json.dumps({"kind": "PartialObjectMetadataList", "metadata": {}, "items": rows}).encode()
    elif "/secrets/" in path:
        name, namespace = plural, path.split("/")[4]
        body = json.dumps({"kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "data": {}}).encode()
    elif plural in KINDS:
        items = [item for item in ITEMS.get(plural, []) if "/namespaces/" not in path or item["metadata"]["namespace"] in path]
        kind = KINDS[plural]["responseKind"]["kind"]
        body = json.dumps({"kind": kind + "List", "metadata": {}, "items": items}).encode()
    elif path.startswith("/api/v1/namespaces/"):
        body = json.dumps({"kind": "Namespace", "metadata": {"name": plural}}).encode()
    else:
        body = b'{"kind":"LeaseList","metadata":{},"items":[]}' if plural == "leases" else b'{"gitVersion":"v1.30.0"}'
    ok(body)(handler)


def session_of(folder: Path, server: FaultServer, options: plan.Options) -> Session:
    stop = Stop()
    writer = BundleWriter(str(folder / "b.tgz"), "top", 1)
    return Session(server.client(stop), writer, options, stop, Progress(True))


class Run:
    """A collection from that server: what was asked, and what the bundle holds."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        options = read_options(build_parser().parse_args([*arguments, "--no-exec"]))
        with serving(api) as server:
            session = session_of(folder, server, options)
            session.writer.left_out = session.filter.path
            gather(session, None, "")  # type: ignore[arg-type]
            session.writer.finish("", "complete")
        self.paths = [urlsplit(path).path for path in server.paths]
        self.full = server.paths
        self.members = {name.partition("/")[2]: data.decode() for name, data in read(Path(session.writer.path)).items()}
        self.steps = {str(step["id"]): step for step in json.loads(self.members["manifest.json"])["steps"]}

    def said(self, step: str) -> tuple[str, str]:
        return str(self.steps[step]["status"]), str(self.steps[step]["message"])

    def names(self, plural: str) -> list[str]:
        lines = self.members.get(f"resources/core/v1/{plural}/0001.jsonl", "").splitlines()
        return [json.loads(line)["metadata"]["name"] for line in lines]


@pytest.fixture
def run(tmp_path: Path) -> "partial[Run]":
    return partial(Run, tmp_path)


def test_an_excluded_kind_is_not_asked_for(run: Any) -> None:
    found = run("--exclude", "services", "--exclude", "secrets")
    assert found.said("list:core/v1/services") == ("skipped", "left out on request: --exclude services")
    assert found.said("secrets") == found.said("certificates") == ("skipped", "left out on request: --exclude secrets")
    assert not [path for path in found.paths if path.endswith("/services") or "secrets" in path]
    assert found.names("pods") == ["p-runai", "p-team-a", "p-team-b"]


def test_without_pods_no_log_is_read_and_the_manifest_says_why(run: Any) -> None:
    found = run("--exclude", "pods")
    assert found.said("logs") == ("skipped", "left out on request: --exclude pods")
    assert not [path for path in found.paths if "pods" in path]


def test_of_only_one_kind_nothing_else_is_asked_for(run: Any) -> None:
    found = run("--only", "nodes")
    asked = {path for path in found.paths if path not in ("/version", "/livez", "/readyz", "/api", "/apis")}
    assert asked == {"/api/v1/namespaces", "/api/v1/nodes"}
    assert {step["status"] for id_, step in found.steps.items() if id_.startswith("list:") and "node" not in id_} == {
        "skipped",
        "ok",
    }
    assert found.said("list:core/v1/pods") == ("skipped", "left out on request: not in --only nodes")


def test_an_excluded_namespace_is_dropped_everywhere(run: Any) -> None:
    found = run("--exclude", "team-*")
    words = "left out on request: objects of the namespaces team-* (--exclude)"
    assert (found.names("namespaces"), found.names("pods")) == (["runai"], ["p-runai"])
    assert found.said("list:core/v1/pods") == found.said("helm") == ("truncated", words)
    assert found.said("list:core/v1/services") == ("ok", "")
    assert found.said("secrets") == ("skipped", words)
    assert not [path for path in found.paths if "team-" in path]
    assert not [name for name, text in found.members.items() if "team-a" in text or "team-b" in text]
    assert [name for name in found.members if name.startswith("logs/")] == ["logs/runai/p-runai/main.log"]


def test_a_namespace_that_is_excluded_is_not_asked_one_by_one(run: Any) -> None:
    found = run("-n", "runai", "-n", "team-a", "--exclude", "team-a")
    assert not [path for path in found.paths if "team-a" in path]
    assert found.said("list:core/v1/pods@runai")[0] == "ok"


def test_excluded_files_are_not_written_and_their_steps_say_so(run: Any) -> None:
    found = run("--exclude", "logs/team-*", "--exclude", "resources/core/v1/pods/*", "--exclude", "configmaps/*")
    assert found.said("log:team-a/p-team-a/main") == ("skipped", "left out on request: --exclude logs/team-*")
    assert not [path for path in found.paths if "/team-a/pods/" in path]
    assert "logs/runai/p-runai/main.log" in found.members
    assert found.said("list:core/v1/pods") == ("truncated", "left out on request: --exclude resources/core/v1/pods/*")
    assert found.said("list:core/v1/configmaps") == ("truncated", "left out on request: --exclude configmaps/*")
    assert not [name for name in found.members if name.startswith(("resources/core/v1/pods", "configmaps/"))]
    assert "resources/core/v1/configmaps/0001.jsonl" in found.members


def test_a_list_whose_files_are_excluded_is_not_read_when_nothing_needs_it(run: Any) -> None:
    found = run("--exclude", "resources/core/v1/services/*")
    assert found.said("list:core/v1/services") == ("skipped", "left out on request: --exclude resources/core/v1/services/*")
    assert "/api/v1/services" not in found.paths


@pytest.mark.parametrize(
    "arguments", [("--exclude", "nosuch"), ("--exclude", "nosuch-*"), ("--only", "runai", "--only", "nosuch-*")]
)
def test_a_namespace_that_is_not_there_is_told(run: Any, arguments: tuple[str, ...]) -> None:
    status, words = run(*arguments).said("named-namespaces")
    assert (status, words) == ("error", f"there is no namespace {arguments[-1]}, which {arguments[-2]} names")


def test_a_namespace_that_is_there_is_not_told_and_one_that_may_be_is_not(run: Any, tmp_path: Path) -> None:
    assert "named-namespaces" not in run("--exclude", "team-*", "--exclude", "team-a").steps
    (tmp_path / "n").mkdir()
    assert "named-namespaces" not in Run(tmp_path / "n", "-n", "runai", "--exclude", "nosuch").steps


def test_a_kind_and_files_that_are_not_there_are_told(run: Any) -> None:
    found = run("--exclude", "nosuch.example", "--exclude", "logs/nosuch/*", "--exclude", "cronjobs", "--exclude", "logs/team-a")
    told = {step: row["message"] for step, row in found.steps.items() if step.startswith("wish:")}
    words = "nothing that was read fits it"
    assert told == {"wish:--exclude nosuch.example": words, "wish:--exclude logs/nosuch/*": words}


def test_objects_that_are_not_in_the_bundle_are_not_counted(run: Any) -> None:
    found = run("--only", "logs/runai/*")
    assert {step["objects"] for id_, step in found.steps.items() if id_.startswith("list:")} == {0}
    assert found.said("list:core/v1/pods") == ("truncated", "left out on request: not in --only logs/runai/*")
    assert found.said("list:core/v1/configmaps")[0] == found.said("list:core/v1/nodes")[0] == "truncated"


def test_an_excluded_folder_is_not_read_however_it_is_written(run: Any) -> None:
    found = run("--exclude", "logs/", "--exclude", "configmaps/", "--exclude", "resources/core/v1/services/")
    assert not [path for path in found.paths if path.endswith(("/log", "/services"))]
    assert not [name for name in found.members if name.startswith(("logs/", "configmaps/"))]


def test_of_only_some_files_nothing_else_is_written(run: Any) -> None:
    found = run("--only", "logs/runai/*")
    assert sorted(found.members) == ["logs/runai/p-runai/main.log", "manifest.json"]
    assert not [path for path in found.paths if "secrets" in path]
    assert found.said("version") == ("truncated", "left out on request: not in --only logs/runai/*")


@pytest.mark.parametrize(
    ("arguments", "query"), [(("--since", "2h"), "sinceSeconds=7200"), (("--log-lines", "7"), "tailLines=7")]
)
def test_options_of_logs_change_what_is_asked(tmp_path: Path, arguments: tuple[str, ...], query: str) -> None:
    options = read_options(build_parser().parse_args(arguments))
    with serving(ok(b"line\n")) as server:
        read_logs(session_of(tmp_path, server, options), [LogPod(True, True, "runai", "o", "p", (("c", False),))])
    assert query in server.paths[0]


@pytest.mark.parametrize(
    ("pods", "logs"),
    [
        ([("", "skipped", "deadline")], {"logs": ("skipped", "deadline")}),
        ([("", "truncated", "its share of --max-size")], {"logs": ("truncated", "its share of --max-size")}),
        ([("", "forbidden", "no"), ("runai", "ok", ""), ("x", "timeout", "no answer")], {"logs@x": ("timeout", "no answer")}),
        ([("", "forbidden", "no")], {}),
        ([("", "truncated", "left out on request: objects of the namespaces x (--exclude)")], {}),
        ([("", "ok", "")], {}),
    ],
)
def test_where_pods_were_not_read_a_step_of_the_logs_says_so(
    tmp_path: Path, pods: list[tuple[str, str, str]], logs: dict[str, tuple[str, str]]
) -> None:
    with serving(ok(b"line\n")) as server:
        session = session_of(tmp_path, server, plan.Options())
        for place, status, message in pods:
            session.skip(list_label(KIND["pods"], place), status, message)
        read_logs(session, [])
    assert {step.id: (step.status, step.message) for step in session.writer.steps if step.id.startswith("logs")} == logs


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_is_asked_at_the_same_time_than_concurrency_says(tmp_path: Path, most: int) -> None:
    running, seen, lock = [0], [0], threading.Lock()

    def slow(handler: Handler) -> None:
        with lock:
            running[0] += 1
            seen[0] = max(seen[0], running[0])
        time.sleep(0.03)
        with lock:
            running[0] -= 1
        api(handler)

    options = read_options(build_parser().parse_args(["--concurrency", str(most), "--no-exec"]))
    with serving(slow) as server:
        gather(session_of(tmp_path, server, options), None, "")  # type: ignore[arg-type]
    assert seen[0] == most
