"""What a bad cluster does, one fault at a time: the manifest says it, and everything else is read all the same."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from runai_collect import client as client_module
from runai_collect.client import AGAIN, LATER

from tests.collector.fault_server import CUSTOM, Site, discovery, event, of, pod, read_directly
from tests.collector.servers import Answer, Handler, cut, drip, ok, silent, status
from tests.collector.test_collect import Bundle

EVENTS = "list:core/v1/events"
CONFIG = "list:run.ai/v1/runaiconfigs"
SPOOF = pod("alice", "train-1", "nvidia-driver-ctr")
LIST = r"/api/v1/events\?limit=(?!1(&|$))"  # not the look at one object that comes before the long part
GONE = b'{"kind":"Status","message":"expired"}'
LATER_TOKEN = b'{"kind":"Status","message":"expired","metadata":{"continue":"4"}}'
UNAUTHORIZED = b'{"kind":"Status","message":"Unauthorized"}'
HTML = b"<html>502 bad gateway of a load balancer</html>"


def others(bundle: Bundle, but: set[str]) -> dict[str, str]:
    return {name: str(step["status"]) for name, step in bundle.steps.items() if name.split("@")[0] not in but}


def said(bundle: Bundle, step: str) -> tuple[str, str]:
    return bundle.status(step), str(bundle.steps[step]["message"])


def test_a_healthy_site_is_read_whole(healthy: Bundle) -> None:
    assert healthy.manifest["state"] == "complete"
    assert set(others(healthy, set()).values()) == {"ok", "empty", "not_found"}
    assert {name for name, state in others(healthy, set()).items() if state == "not_found"} == {
        name for name in healthy.steps if name.startswith("certificate:")
    }
    assert len(healthy.rows("resources/core/v1/events/")) == 3


def test_a_users_pod_answers_for_no_node_and_its_log_is_nobodys(server: Site, tmp_path: Path) -> None:
    server.lists["/api/v1/pods"] = of([SPOOF, pod("gpu-operator", "driver-1", "nvidia-driver-ctr")])
    bundle = read_directly(server, tmp_path)
    source = json.loads(bundle.members["nodes/gpu-1/source.json"])
    assert {(row["namespace"], row["pod"]) for row in source["attempts"]} == {("gpu-operator", "driver-1")}
    assert [name for name in bundle.steps if name.startswith("log:")] == ["log:gpu-operator/driver-1/nvidia-driver-ctr"]


# The fault, how often it is seen (0: always), the status of the step, and what its message says.
FAULTS: dict[str, tuple[Answer, int, str, str]] = {
    "429 with Retry-After, once": (status(429, Retry_After="1"), 1, "ok", ""),
    "429 for ever": (status(429, Retry_After="0"), 0, "error", "no"),
    "500": (status(500), 0, "error", "no"),
    "503 of a dead APIService": (status(503, b"service unavailable", "text/plain"), 0, "error", "service unavailable"),
    "cut mid-body, once": (cut(b'{"kind":"EventList","items":[', 1000), 1, "ok", ""),
    "cut mid-body, always": (cut(b'{"kind":', 1000), 0, "error", "the connection broke before the answer was complete"),
    "a body that drips": (drip(0.05, b" " * 1000), 0, "timeout", "the answer was not complete after 0 seconds"),
    "silence": (silent(2), 0, "timeout", "no answer in time"),
    "HTML with status 200": (ok(HTML, kind="text/html"), 0, "error", "the answer is text/html, not JSON"),
    "HTML with status 502": (status(502, HTML, "text/html"), 0, "error", "HTTP 502, text/html"),
    "gzip that nobody asked for": (ok(b"\x1f\x8b\x08\0", Content_Encoding="gzip"), 0, "error", "the answer is not valid JSON"),
    "garbage": (ok(bytes(range(256))), 0, "error", "the answer is not valid JSON"),
    "JSON of another kind": (ok(b'{"kind":"SecretList","items":[]}'), 0, "error", "the server did not answer with a EventList"),
    "items that are no list": (ok(b'{"kind":"EventList","items":"x"}'), 0, "error", "did not answer with a EventList"),
    "nesting without end": (ok(b"[" * 100_000), 0, "error", "the answer is not valid JSON"),
    "401, once": (status(401, UNAUTHORIZED), 1, "ok", ""),
    "401 for ever": (status(401, UNAUTHORIZED), 0, "forbidden", "Unauthorized"),
    "504": (status(504, HTML, "text/html"), 0, "timeout", "HTTP 504, text/html"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_its_own_list_alone(server: Site, healthy: Bundle, tmp_path: Path, fault: str) -> None:
    answer, times, state, message = FAULTS[fault]
    server.fault(LIST, *[answer] * (times or 1), always=not times)
    bundle = read_directly(server, tmp_path, request_timeout=0.4, request_total=0.6)
    assert bundle.status(EVENTS) == state
    assert message in said(bundle, EVENTS)[1]
    assert bundle.steps[EVENTS]["retries"] == (times or bundle.steps[EVENTS]["retries"])
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})
    assert len(bundle.rows("resources/core/v1/events/")) == (3 if state == "ok" else 0)
    assert bundle.manifest["state"] == "complete"


@pytest.mark.parametrize("answer", [FAULTS["cut mid-body, always"], FAULTS["401 for ever"], FAULTS["garbage"]])
def test_a_list_that_breaks_half_way_keeps_what_it_had(
    server: Site, healthy: Bundle, tmp_path: Path, answer: tuple[Answer, int, str, str]
) -> None:
    server.fault(LIST + ".*continue=", answer[0], always=True)
    bundle = read_directly(server, tmp_path, first_page=2)
    state, message = said(bundle, EVENTS)
    assert state == "truncated"
    assert message.startswith("after 1 pages: " + answer[3])
    assert len(bundle.rows("resources/core/v1/events/")) == 2
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_a_place_that_expired_is_followed_and_told(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.lists["/api/v1/events"] = of([event(number) for number in range(5)])
    server.fault(LIST + ".*continue=", status(410, LATER_TOKEN))
    bundle = read_directly(server, tmp_path, first_page=2)
    assert said(bundle, EVENTS) == ("ok", LATER)
    names = [row["metadata"]["name"] for row in bundle.rows("resources/core/v1/events/")]
    assert names == ["agent.0", "agent.1", "agent.4"], "the server gave a place behind the third and fourth"
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_a_place_that_is_lost_begins_the_list_again_without_duplicates(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.fault(LIST + ".*continue=2", status(410, GONE))
    bundle = read_directly(server, tmp_path, first_page=2)
    assert said(bundle, EVENTS) == ("ok", AGAIN + "; 2 that came twice were left out")
    assert [row["metadata"]["name"] for row in bundle.rows("resources/core/v1/events/")] == ["agent.0", "agent.1", "agent.2"]
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_an_object_that_comes_twice_is_kept_once(server: Site, tmp_path: Path) -> None:
    server.lists["/api/v1/events"] = of([event(1), event(1), event(2)])
    bundle = read_directly(server, tmp_path)
    assert said(bundle, EVENTS) == ("ok", "1 that came twice were left out")
    assert (bundle.steps[EVENTS]["objects"], len(bundle.rows("resources/core/v1/events/"))) == (2, 2)


@pytest.mark.parametrize("older", [False, True], ids=["aggregated", "group by group"])
def test_discovery_that_fails_for_one_group_costs_that_group(server: Site, healthy: Bundle, tmp_path: Path, older: bool) -> None:
    if older:
        version = {"groupVersion": "run.ai/v1", "version": "v1"}
        known = [{"name": group, "versions": [{"groupVersion": f"{group}/v1", "version": "v1"}]} for group in ("apps",)]
        groups = {"kind": "APIGroupList", "groups": [*known, {"name": "run.ai", "versions": [version]}]}
        server.fault("^/apis$", ok(json.dumps(groups).encode()))
        deployments = {"name": "deployments", "kind": "Deployment", "namespaced": True, "verbs": ["list"]}
        server.fault("^/apis/apps/v1$", ok(json.dumps({"kind": "APIResourceList", "resources": [deployments]}).encode()))
        server.fault("^/apis/run.ai/v1$", status(503, b"service unavailable", "text/plain"), always=True)
    else:
        server.fault("^/apis$", ok(discovery("/apis", stale="run.ai").encode()))
    bundle = read_directly(server, tmp_path)
    assert said(bundle, "discovery") == ("truncated", "no answer of the API groups run.ai")
    assert CONFIG not in bundle.steps
    assert bundle.status("list:apps/v1/deployments") == "empty"
    assert json.loads(bundle.members["cluster/discovery.json"])["complete"] is False
    if not older:
        assert others(bundle, {"discovery"}) == others(healthy, {"discovery", CONFIG})


def test_a_dead_group_that_the_plan_names_is_an_error_and_not_absent(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.fault("^/apis$", ok(discovery("/apis", stale="apps").encode()))
    bundle = read_directly(server, tmp_path)
    dead = {f"list:apps/v1/{plural}" for plural in ("deployments", "daemonsets", "statefulsets", "replicasets")}
    assert {said(bundle, step) for step in dead} == {("error", "discovery of this API group failed")}
    assert others(bundle, {"discovery", *dead}) == others(healthy, {"discovery", *dead})


def test_without_discovery_the_kinds_of_the_plan_are_tried(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.fault("^/apis?$", status(500), always=True)
    bundle = read_directly(server, tmp_path)
    assert bundle.status("discovery") == "error"
    assert others(bundle, {"discovery"}) == others(healthy, {"discovery", CONFIG})


def test_health_checks_that_fail_are_kept(server: Site, tmp_path: Path) -> None:
    server.fault("^/readyz", status(500, b"[+]ping ok\n[-]etcd failed: reason withheld\n", "text/plain"))
    bundle = read_directly(server, tmp_path)
    assert said(bundle, "readyz") == ("ok", "the API server reports a failed check")
    assert b"[-]etcd failed" in bundle.members["cluster/readyz.txt"]


# --- objects and logs of odd shapes -------------------------------------------------------------------------------------------


def test_a_configmap_of_a_mebibyte(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    large = {"metadata": {"name": "large", "namespace": "team-a"}, "data": {"blob": "x" * (1 << 20)}}
    server.lists["/api/v1/configmaps"] = of([large] * 3 + [{**large, "metadata": {"name": "other", "namespace": "runai"}}])
    bundle = read_directly(server, tmp_path)
    rows = {(row["namespace"], row["name"]): row["keys"]["blob"]["size"] for row in bundle.rows("configmaps/")}
    assert rows == {("team-a", "large"): 1 << 20, ("runai", "other"): 1 << 20}
    assert others(bundle, set()) == others(healthy, set())


def test_custom_resources_of_eight_mebibytes(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    """One with a string of 3 MB; pages become single objects, and grow again behind them."""
    server.lists[CUSTOM.path()] = of([custom("a"), *[large_custom(name) for name in "bc"], *[custom(f"d{n}") for n in range(40)]])
    bundle = read_directly(server, tmp_path)
    rows = {row["metadata"]["name"]: len(json.dumps(row)) for row in bundle.rows("resources/run.ai/v1/runaiconfigs/")}
    assert len(rows) == 43
    assert min(rows["b"], rows["c"]) > 8 << 20
    assert others(bundle, set()) == others(healthy, set())
    asked = [path for path in server.paths if CUSTOM.plural in path]
    assert len(asked) < 20


def custom(name: str, **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "runai", "uid": name}, "spec": {"version": "2.20"}, **fields}


def large_custom(name: str) -> dict[str, Any]:
    return custom(name, status={"log": "word " * 600_000, "rows": [{"a": "b" * 80, "n": number} for number in range(55_000)]})


def test_an_answer_beyond_every_bound_ends_its_list_and_no_other(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.lists[CUSTOM.path()] = of([custom("huge", status={"log": "word " * 4_000_000})])
    bundle = read_directly(server, tmp_path)
    assert said(bundle, CONFIG) == ("error", "the answer is larger than 16 MB")
    assert others(bundle, {CONFIG}) == others(healthy, {CONFIG})


LEGAL = [
    "a",
    "0.1-x",
    "a" * 253,
    "system:node-proxier",
    "x.run.ai",
    "UPPER_Case",
    "ünïcode",
    "a b",
    "per%cent",
    "quo\"te'",
    "emoji🙂",
]
ILLEGAL = ["../../etc/passwd", "a/b", "new\nline", "nul\0byte", "\x1b[2J", "«redacted:key»", "con", "a" * 5000]
NO_NAMES: list[Any] = ["", None, 7, True, ["x"], {"x": 1}, "lone\ud800"]


def test_names_of_every_kind_are_kept_and_no_name_becomes_a_path(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    names = LEGAL + ILLEGAL
    server.lists["/api/v1/pods"] = of([pod("runai", name) for name in names])
    server.lists["/api/v1/nodes"] = of([{"metadata": {"name": name}, "status": {}} for name in names])
    server.fault("/log", ok(b"line\n", kind="text/plain"), always=True)
    bundle = read_directly(server, tmp_path)
    assert {row["metadata"]["name"] for row in bundle.rows("resources/core/v1/pods/")} == {
        name.replace("\0", "") for name in names
    }
    logs = [member for member in bundle.manifest["members"] if member["path"].startswith("logs/")]
    assert len(logs) == len(names)
    for member in bundle.members:
        assert all(part.strip(".") and part.isascii() and len(part) <= 200 for part in member.split("/")), member
    assert bundle.status("list:core/v1/pods") == "ok"


@pytest.mark.parametrize("name", NO_NAMES)
def test_an_object_without_a_name_costs_itself_and_is_counted(server: Site, healthy: Bundle, tmp_path: Path, name: Any) -> None:
    server.lists["/api/v1/events"] = of([event(1), {**event(2), "metadata": {"name": name}}, "odd", None, event(3)])
    bundle = read_directly(server, tmp_path)
    state, message = said(bundle, EVENTS)
    assert state == "truncated"
    assert message.startswith("3 objects were of an odd shape")
    assert [row["metadata"]["uid"] for row in bundle.rows("resources/core/v1/events/")] == ["event-1", "event-3"]
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


@pytest.mark.parametrize(
    "row", ["odd", None, {}, {"cells": "x"}, {"cells": []}, {"cells": [{"x": 1}]}, {"cells": ["lone\ud800"]}]
)
def test_one_odd_row_of_a_table_of_secrets_costs_itself(server: Site, healthy: Bundle, tmp_path: Path, row: Any) -> None:
    columns = [{"name": name} for name in ("Name", "Type", "Data", "Age")]
    rows = [{"cells": ["first", "Opaque", 1, "1d"]}, row, {"cells": ["last", "Opaque", 2, "1d"]}]
    table = {"kind": "Table", "metadata": {}, "columnDefinitions": columns, "rows": rows}
    server.fault("/namespaces/runai/secrets.*limit=(?!1&).*includeObject", ok(json.dumps(table).encode()))
    bundle = read_directly(server, tmp_path)
    assert said(bundle, "secrets@runai") == ("truncated", "1 rows were of an odd shape, and were left out")
    assert {row["name"]: row["keys"] for row in bundle.rows("secrets/")} == {"first": 1, "last": 2}
    assert others(bundle, {"secrets"}) == others(healthy, {"secrets"})


def test_certificates_are_read_at_the_same_time(server: Site, tmp_path: Path) -> None:
    def late(handler: Handler) -> None:
        time.sleep(0.5)
        status(404)(handler)

    server.fault("/secrets/runai-", late, always=True)
    read_directly(server, tmp_path)
    times = sorted(when for when, path in server.asked if "/namespaces/runai/secrets/runai-" in path)
    assert len(times) == 6, "one is looked at before the long part"
    assert times[4] - times[1] < 0.4, "four at a time"


def test_logs_that_are_not_utf8_and_lines_without_end(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.logs["agent-1"] = b"caf\xe9 \xff\xfe \0 end\n"
    server.logs["driver-1"] = b"x" * (30 << 20) + b"\nlast line\n"
    server.logs["training-1"] = b"first\n" + b"word " * (100_000) + b"\nlast\n"
    bundle = read_directly(server, tmp_path)
    assert bundle.members["logs/runai/agent-1/main.log"] == b"caf\\xe9 \\xff\\xfe \\x00 end\n"
    driver = bundle.members["logs/gpu-operator/driver-1/nvidia-driver-ctr.log"].decode().splitlines()
    assert driver[1:] == ["last line"]
    assert driver[0] == f"«cut: {(30 << 20) + 1} bytes before this line were left out»"
    lines = bundle.members["logs/team-a/training-1/main.log"].decode().splitlines()
    assert (lines[0], lines[2]) == ("first", "last")
    assert lines[1].endswith("characters of this line»")
    assert len(lines[1]) < 70_000
    assert others(bundle, set()) == others(healthy, set())


@pytest.mark.parametrize("code", [502, 504])
def test_the_logs_of_a_node_that_is_gone(server: Site, healthy: Bundle, tmp_path: Path, code: int) -> None:
    words = b'{"kind":"Status","message":"Get \\"https://gpu-1:10250/containerLogs\\": dial tcp: no route to host"}'
    server.fault("/runai/pods/agent-1/log", status(code, words), always=True)
    bundle = read_directly(server, tmp_path)
    step = "log:runai/agent-1/main"
    assert bundle.status(step) == ("timeout" if code == 504 else "error")
    assert "no route to host" in said(bundle, step)[1]
    assert others(bundle, {step}) == others(healthy, {step})


@pytest.mark.parametrize("error", [MemoryError(), KeyError("x"), RecursionError()])
def test_a_fault_of_ours_costs_its_own_step(
    server: Site, healthy: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    true = client_module.decode

    def decode(answer: client_module.Answer, most: int, *load: Any) -> dict[str, Any]:
        if b"EventList" in answer.body:
            raise error
        return true(answer, most, *load)

    monkeypatch.setattr(client_module, "decode", decode)
    bundle = read_directly(server, tmp_path)
    assert said(bundle, EVENTS) == ("error", f"{type(error).__name__} while it was read")
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})
