"""Which logs are read, and how a tail is cut and cleaned."""

from typing import Any

import pytest
from runai_collect.logs import LogPod, choose_pods, clean_log, is_healthy, log_pod, newest
from runai_collect.plan import Limits


def pod(name: str, namespace: str = "team", owner: str = "", phase: str = "Running", **status: Any) -> dict[str, Any]:
    entry = {"name": "main", "ready": phase == "Running", "restartCount": 0, "state": {"running": {}}, **status}
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner}]
    return {"metadata": metadata, "status": {"phase": phase, "containerStatuses": [entry]}}


def test_healthy_pods_are_those_that_are_ready_or_done() -> None:
    assert is_healthy(pod("a"))
    assert is_healthy(pod("a", phase="Succeeded"))
    assert not is_healthy(pod("a", ready=False))
    assert not is_healthy(pod("a", phase="Pending"))


def test_containers_that_never_ran_have_no_log() -> None:
    assert log_pod(pod("a", state={"waiting": {"reason": "ContainerCreating"}})).containers == ()
    assert log_pod(pod("a", state={"waiting": {"reason": "CrashLoopBackOff"}}, restartCount=4)).containers == (("main", True),)
    assert log_pod(pod("a")).containers == (("main", False),)


def test_healthy_pods_are_read_only_where_they_matter() -> None:
    rows = [log_pod(pod("user")), log_pod(pod("agent", namespace="runai")), log_pod(pod("sick", ready=False))]
    chosen, left_out = choose_pods(rows, Limits())
    assert [row.name for row in chosen] == ["agent", "sick"]
    assert left_out == {}


def test_a_container_of_nvidias_matters_only_where_no_user_makes_pods() -> None:
    driver = pod("driver")
    driver["status"]["containerStatuses"][0]["name"] = "nvidia-driver-ctr"
    assert (log_pod(driver).important, log_pod(driver, own=True).important) == (False, True)
    assert not log_pod(pod("training"), own=True).important


def test_of_one_workload_only_some_pods_are_read() -> None:
    rows = [log_pod(pod(f"driver-{number}", namespace="gpu-operator", owner="ds")) for number in range(10)]
    chosen, left_out = choose_pods(rows, Limits(log_pods_healthy=3))
    assert [row.name for row in chosen] == ["driver-0", "driver-1", "driver-2"]
    assert left_out == {"gpu-operator": (7, "those of other pods of the same workload are read")}


def test_the_number_of_pods_is_bounded_and_important_ones_come_first() -> None:
    rows = [LogPod(False, False, "a", str(n), f"p{n}", (("c", False),)) for n in range(5)]
    rows.append(LogPod(True, False, "runai", "x", "agent", (("c", False),)))
    chosen, left_out = choose_pods(rows, Limits(log_pods=2))
    assert [row.name for row in chosen] == ["agent", "p0"]
    assert left_out == {"a": (4, "2 pods are the limit")}


def test_a_tail_keeps_the_newest_whole_lines() -> None:
    assert newest((b"line %03d\n" % number for number in range(100)), 20) == ("line 098\nline 099\n", 98 * 9)


def test_a_tail_that_was_not_cut_is_as_it_came() -> None:
    assert newest([b"caf\xe9 ", b"\0\n"], 1000) == ("caf\\xe9 \\x00\n", 0)


def test_a_cut_log_says_so_in_its_first_line_and_rows_count_it() -> None:
    cleaned, found, cut = clean_log("a\npassword=hunter2\n", 4711, 2000, 1000)
    assert cleaned == "«cut: 4711 bytes before this line were left out»\na\npassword=«redacted:password»\n"
    assert found == [(3, "password")]
    assert cut


def test_a_log_as_long_as_was_asked_for_may_go_on_before() -> None:
    assert clean_log("a\nb\n", 0, 2, 1000)[0] == "«cut: only the last 2 lines were asked for»\na\nb\n"
    assert clean_log("a\nb\n", 0, 3, 1000) == ("a\nb\n", [], False)


def test_long_lines_are_cut_at_a_space() -> None:
    cleaned, _, _ = clean_log("word " * 100, 0, 10, 52)
    assert cleaned == "word " * 9 + "word «cut: 451 characters of this line»"


def test_json_in_a_log_is_looked_through_by_structure() -> None:
    line = '2026-01-01T00:00:00Z {"env":[{"name":"HF_TOKEN","value":"abcdef"}],"level":"info"}'
    cleaned, found, _ = clean_log(line, 0, 10, 1000)
    assert "abcdef" not in cleaned
    assert cleaned.startswith('2026-01-01T00:00:00Z {"env":')
    assert found == [(1, "token")]


@pytest.mark.parametrize("odd", ['{"metadata":{"managedFields":[null]}', '{"a":' + "[" * 160 + "]" * 160])
def test_a_line_of_json_that_is_no_object_to_look_through_is_read_as_text(odd: str) -> None:
    log = odd + ',"password":"hunter22"}\nready\n'
    assert clean_log(log, 0, 10, 1000)[0] == log.replace("hunter22", "«redacted:password»")


def test_colours_hide_no_secret_from_a_log_nor_poison_the_next() -> None:
    """The line without its colours was once remembered as clean, for every later text."""
    assert clean_log("pa\x1b[0mssword=hunter42", 0, 2000, 65536)[0] == "password=«redacted:password»"
    assert clean_log("password=hunter42", 0, 2000, 65536)[0] == "password=«redacted:password»"
