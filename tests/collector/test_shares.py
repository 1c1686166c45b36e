"""How the time and the bundle are shared out: one list without end costs no other part of the run its turn."""

import itertools
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from runai_collect import client as client_module

from tests.collector.fault_server import Program, Site, event, read_directly
from tests.collector.servers import drip
from tests.collector.test_collect import Bundle
from tests.collector.test_faults import EVENTS, LIST, others, said

NODE = "nvidia-smi:gpu-1"


def endless(seconds: float = 0.0, noise: int = 0) -> Any:
    """Pages of events without end, slow or large."""

    def page(first: int, count: int) -> tuple[list[bytes], bool]:
        time.sleep(seconds)
        return [json.dumps(event(first + n, os.urandom(noise).hex() or "same")).encode() for n in range(count)], True

    return page


def slow(total: int, odd: int = -1) -> Any:
    """Pages that take 0.1 s; one object may be of an odd shape."""

    def page(first: int, count: int) -> tuple[list[bytes], bool]:
        time.sleep(0.1)
        numbers = range(first, min(total, first + count))
        return [b"7" if number == odd else json.dumps(event(number)).encode() for number in numbers], first + count < total

    return page


@pytest.mark.parametrize(("odd", "state"), [(-1, "ok"), (0, "truncated")], ids=["all well", "an odd object in the first part"])
def test_a_list_that_had_its_share_goes_on_when_the_others_had_theirs(
    server: Site, healthy: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: int, state: str
) -> None:
    """The events take longer than their share, but there is time left at the end."""
    monkeypatch.setattr("runai_collect.budget.LEAST", 0.1)
    server.lists["/api/v1/events"] = slow(80, odd)
    bundle = read_directly(server, tmp_path, client_module.Stop(time.monotonic() + 8), first_page=2, page=2)
    step = bundle.steps[EVENTS]
    assert (step["status"], step["pages"], step["objects"]) == (state, 40, 80 if odd < 0 else 79)
    names = [row["metadata"]["name"] for row in bundle.rows("resources/core/v1/events/")]
    assert names == [f"agent.{number:x}" for number in range(80) if number != odd]
    places = [number for number, path in enumerate(server.paths) if "/events?" in path and "continue" in path]
    assert max(after - before for before, after in itertools.pairwise(places)) > 1, "it waited while others were read"
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_a_slow_list_without_end_takes_its_share_of_the_deadline_only(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.lists["/api/v1/events"] = endless(0.2)
    begin = time.monotonic()
    bundle = read_directly(server, tmp_path, client_module.Stop(begin + 8), first_page=5, page=5)
    assert 7.2 <= time.monotonic() - begin <= 8.8
    assert bundle.manifest["state"] == "deadline"
    assert said(bundle, EVENTS) == ("truncated", "deadline")
    assert len(bundle.rows("resources/core/v1/events/")) > 50
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_a_large_list_without_end_takes_its_share_of_the_size_only(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.lists["/api/v1/events"] = endless(0, 500)
    server.logs["agent-1"] = b"".join(os.urandom(30).hex().encode() + b"\n" for _ in range(60_000))
    bundle = read_directly(server, tmp_path, archive=2_000_000)
    assert 1_800_000 <= (tmp_path / "b.tgz").stat().st_size <= 2_000_000
    assert bundle.manifest["state"] == "size-limit"
    state, message = said(bundle, EVENTS)
    assert (state, "--max-size" in message) == ("truncated", True)
    log = bundle.members["logs/runai/agent-1/main.log"].decode().splitlines()
    assert log[0].startswith("«cut: ")
    assert server.logs["agent-1"].decode().endswith("\n".join(log[-5:]) + "\n"), "the newest lines are kept"
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_a_body_that_drips_ends_with_its_share(server: Site, healthy: Bundle, tmp_path: Path) -> None:
    server.fault(LIST, drip(0.2, b" " * 1000), always=True)
    begin = time.monotonic()
    bundle = read_directly(server, tmp_path, client_module.Stop(begin + 5))
    assert 4.5 <= time.monotonic() - begin <= 5.5
    assert said(bundle, EVENTS) == ("skipped", "deadline")
    assert others(bundle, {EVENTS}) == others(healthy, {EVENTS})


def test_the_deadline_is_kept_and_what_is_cheap_and_important_is_there(program: Program, server: Site) -> None:
    """A slow list without end; and every answer takes a while."""

    def page(first: int, count: int) -> tuple[list[bytes], bool]:
        time.sleep(1.0)
        return [json.dumps(event(first + number)).encode() for number in range(count)], True

    server.lists["/api/v1/events"] = page
    server.delay = 0.1
    begin = time.monotonic()
    bundle, words = program.run("--deadline", "20s", code=1)
    assert 18 <= time.monotonic() - begin <= 22
    assert bundle.manifest["state"] == "deadline"
    assert bundle.steps[EVENTS]["status"] == "truncated"
    assert bundle.steps[EVENTS]["objects"] > 1000
    assert bundle.status("list:core/v1/nodes") == bundle.status("list:run.ai/v1/runaiconfigs") == bundle.status(NODE) == "ok"
    assert len([name for name in bundle.members if name.startswith("logs/")]) == 3
    assert "not complete (deadline)" in words


def test_the_size_is_kept_and_every_part_is_there(program: Program, server: Site) -> None:
    """Much more than goes in: events and pods without end, long logs."""

    def events(first: int, count: int) -> tuple[list[bytes], bool]:
        return [json.dumps(event(first + number, os.urandom(300).hex())).encode() for number in range(count)], True

    server.lists["/api/v1/events"] = events
    server.logs["agent-1"] = server.logs["training-1"] = b"".join(os.urandom(30).hex().encode() + b"\n" for _ in range(40_000))
    bundle, words = program.run("--max-size", "2M", code=1)
    assert 0.9 * (2 << 20) <= (program.out / "b.tgz").stat().st_size <= 2 << 20
    assert bundle.manifest["state"] == "size-limit"
    folders = {name.split("/")[0] for name in bundle.members}
    assert folders >= {"cluster", "resources", "configmaps", "nodes", "logs", "manifest.json"}
    assert (bundle.status(EVENTS), bundle.status(NODE), bundle.status("list:core/v1/pods")) == ("truncated", "ok", "ok")
    assert len([name for name in bundle.members if name.startswith("logs/")]) == 3
    assert "not complete (size-limit)" in words


def test_a_server_that_takes_long_for_each_answer(program: Program, server: Site) -> None:
    """A seventh of what is meant: answers after three seconds, and a deadline of three quarters of a minute."""
    server.delay = 0.4
    begin = time.monotonic()
    bundle, _ = program.run("--deadline", "6s", code=1)
    assert 5.4 <= time.monotonic() - begin <= 7.6, "a second of it is Python's and kubectl's start"
    assert bundle.manifest["state"] == "deadline"
    assert bundle.status("list:core/v1/nodes") == bundle.status("list:run.ai/v1/runaiconfigs") == "ok"
    assert [name for name in bundle.members if name.startswith("logs/")]
    late = {step["message"] for step in bundle.steps.values() if step["status"] == "skipped"}
    assert late <= {"deadline", "its share of the deadline"}
