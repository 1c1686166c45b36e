"""Lines of logs: known messages, how often and when, and where the newest stands."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.source import Log
from runai_analyze.facts import BundleFacts, build_facts
from runai_analyze.facts.log_lines import find_lines
from runai_analyze.model import Item, ObjectRef
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.rule import Signature
from runai_analyze.ruleset.signatures import Finder
from runai_collect.logs import LogPod, choose_pods
from runai_collect.plan import Limits

from tests.bundle.builder import TOP, Builder, packed

from .helpers import facts_of, items_of

LOST = Signature("lost", "a GPU was lost", "driver", "fallen off the bus", (), "", 85, "s")
FULL = Signature("full", "a disk is full", "linux", "(?i)no space left", (), "", 85, "s")
TEXT = b"""\
2026-11-30T10:00:00.123456789Z starting
2026-11-30T10:00:01Z GPU 0 has fallen off the bus
2026-11-30T10:00:02Z no space left
fallen off the bus, without a time
2026-11-30T10:00:03+01:00 GPU 1 has fallen off the bus\r
"""


def log(data: bytes, name: str = "train-0", container: str = "main", previous: bool = False) -> Log:
    return Log("team", name, container, previous, f"logs/team/{name}/{container}.log", data)


def found(*logs: Log, signatures: Sequence[Signature] = (LOST, FULL)) -> tuple[Item, ...]:
    return find_lines(logs, Finder(signatures)).items


def test_the_lines_of_one_log_are_one_object_for_each_signature() -> None:
    full, lost = found(log(TEXT))
    assert (full.body["signature"], full.body["count"], full.body["line"]) == ("full", 1, 3)
    assert lost.body == {
        "apiVersion": "made/v1",
        "kind": "LogLine",
        "metadata": {"namespace": "team", "name": "train-0/main"},
        "signature": "lost",
        "title": "a GPU was lost",
        "component": "driver",
        "namespace": "team",
        "pod": "train-0",
        "container": "main",
        "previous": False,
        "count": 3,
        "line": 5,
        "text": "GPU 1 has fallen off the bus",
        "time": "2026-11-30T10:00:03+01:00",
        "first": "2026-11-30T10:00:01Z",
        "last": "2026-11-30T10:00:03+01:00",
    }


def test_it_points_to_the_newest_line_of_the_file() -> None:
    _, lost = found(log(TEXT))
    place = ("logs/team/train-0/main.log", 5)
    assert lost.ref == ObjectRef("LogLine", "train-0/main", "team", *place)
    assert lost.origins[""] == ObjectRef("Pod", "train-0", "team", *place)
    assert TEXT.split(b"\n")[lost.ref.line - 1].endswith(b"GPU 1 has fallen off the bus\r")


def test_a_log_without_times_has_none() -> None:
    (lost,) = found(log(b"fallen off the bus"))
    assert not {"time", "first", "last"} & set(lost.body)
    assert lost.body["line"] == 1


def test_the_time_before_a_line_is_no_part_of_the_message() -> None:
    year = Signature("year", "x", "x", "2026", (), "", 85, "s")
    assert found(log(b"2026-11-30T10:00:00Z fine\n"), signatures=[year]) == ()


def test_containers_and_runs_are_told_apart() -> None:
    items = found(log(TEXT), log(TEXT, container="side"), log(TEXT, previous=True), signatures=[LOST])
    assert [item.ref.name for item in items] == ["train-0/main", "train-0/side", "train-0/main.previous"]
    assert [item.body["previous"] for item in items] == [False, False, True]


def test_bytes_that_are_no_text_and_long_lines_do_no_harm() -> None:
    (lost,) = found(log(b"\xff\xfe fallen off the bus " + b"x" * 100_000 + b"\n"), signatures=[LOST])
    assert len(lost.body["text"]) == 500
    assert lost.body["text"].startswith("\ufffd\ufffd fallen off the bus xxx")


def test_there_is_a_most_and_what_is_beyond_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runai_analyze.facts.log_lines._MOST_FOUND", 3)
    result = find_lines([log(TEXT, name=f"p{number}") for number in range(5)], Finder([LOST, FULL]))
    assert (len(result.items), result.dropped) == (2, True)


def test_logs_are_looked_through_in_one_quick_pass() -> None:
    """100 MB by 50 signatures must stay quick: here a tenth of that, in which some lines match."""
    signatures = [*load_packs([default_pack()]).signatures]
    patterns = [f"message number {number} of \\w+ failed" for number in range(40)]
    signatures += [Signature(f"s{number}", "x", "x", pattern, (), "", 85, "s") for number, pattern in enumerate(patterns)]
    line = b"2026-11-30T10:00:00.123456789Z INFO reconciled object %d of namespace runai in 12ms without a change to its status\n"
    block = b"".join(line % number for number in range(100)) + b"2026-11-30T10:00:00Z message number 7 of agent failed\n"
    data = block * (10_000_000 // len(block))
    start = time.perf_counter()
    (item,) = found(log(data), signatures=signatures)
    seconds = time.perf_counter() - start
    assert item.body["count"] == len(data) // len(block)
    assert seconds < 3  # about 0.1 s here: RE2 passes over 200 MB a second


# --- In a bundle ------------------------------------------------------------------------------------------------------------


def bundle(*steps: tuple[str, str, str]) -> Builder:
    made = Builder().list("Pod", "v1", {"metadata": {"namespace": "team", "name": "train-0"}}).list("Namespace", "v1")
    for step, status, message in steps:
        namespace = step.partition("@")[2] or (step.partition(":")[2].partition("/")[0])
        made.step(step, status, message, namespace=namespace)
    return made


def facts(made: Builder, path: Path, signatures: Finder | None = Finder([LOST, FULL])) -> BundleFacts:  # noqa: B008 - never changed
    return build_facts(open_bundle(made.write(path / "b.tgz")), frozenset([("LogLine", "made")]), signatures=signatures)


def with_manifest(path: Path, members: list[tuple[str, bytes]], manifest: Any) -> BundleFacts:
    changed = [*members[:-1], ("manifest.json", json.dumps(manifest).encode())]
    path.write_bytes(packed([(f"{TOP}/{name}", data) for name, data in changed]))
    return build_facts(open_bundle(path), frozenset(), signatures=Finder([LOST]))


def test_a_bundle_supplies_its_logs(tmp_path: Path) -> None:
    cut = ("log:team/train-0/main:previous", "ok", "older lines were left out")
    made = bundle(("log:team/train-0/main", "ok", ""), cut)
    made.add("logs/team/train-0/main.log", TEXT).add("logs/team/train-0/main.previous.log", "«cut: 5 bytes»\nno space left\n")
    made.add("logs/readme.txt", "fallen off the bus").add("probes/x.log", "fallen off the bus")
    read = facts(made, tmp_path)
    items = items_of(read, "LogLine")
    assert [(item.ref.name, item.body["signature"], item.ref.line) for item in items] == [
        ("train-0/main", "full", 3),
        ("train-0/main", "lost", 5),
        ("train-0/main.previous", "full", 2),
    ]
    assert items[0].ref.member == "logs/team/train-0/main.log"
    assert read.coverage("LogLine", None, ()) == ()


def test_the_true_name_of_a_member_stands_in_the_manifest(tmp_path: Path) -> None:
    made = bundle(("log:team/train-0/main", "ok", "")).add("logs/team/train-0~1/main.log", TEXT)
    members = made.all_members()
    manifest = json.loads(members[-1][1])
    for entry in manifest["members"]:
        if entry["path"].startswith("logs/"):
            entry["name"] = "logs/team/train-0/main.log"
    read = with_manifest(tmp_path / "b.tgz", members, manifest)
    (item,) = items_of(read, "LogLine")
    assert (item.ref.name, item.ref.member) == ("train-0/main", "logs/team/train-0~1/main.log")


@pytest.mark.parametrize(
    ("step", "what", "reason", "command", "taken_out"),
    [
        (("logs", "skipped", "--no-logs"), "logs of pods", "left out on request: --no-logs", "runai-collect", ("--no-logs",)),
        (
            ("log:team/train-0/main:previous", "forbidden", "no"),
            "the log of team/train-0/main",
            "the account may not read it",
            "kubectl logs -n team train-0 -c main --previous",
            (),
        ),
        (
            ("log:team/train-0/main", "truncated", "removed by the customer: 1 of 1 members"),
            "the log of team/train-0/main",
            "the customer took it out",
            "kubectl logs -n team train-0 -c main",
            ("remove",),
        ),
        (
            ("logs@team", "skipped", "60 pods are the limit"),
            "logs of pods in team",
            "not read (60 pods are the limit)",
            "runai-collect",
            (),
        ),
    ],
)
def test_what_was_not_read_is_a_gap(
    tmp_path: Path, step: tuple[str, str, str], what: str, reason: str, command: str, taken_out: tuple[str, ...]
) -> None:
    (gap,) = facts(bundle(step), tmp_path).coverage("LogLine", None, ())
    assert (gap.what, gap.reason, gap.command, gap.taken_out) == (what, reason, command, taken_out)


def test_a_gap_in_another_namespace_is_beside_the_point(tmp_path: Path) -> None:
    read = facts(bundle(("log:other/a/b", "timeout", "")), tmp_path)
    assert read.coverage("LogLine", None, ("team",)) == ()
    assert len(read.coverage("LogLine", None, ("oth*",))) == 1


def test_logs_of_other_pods_of_the_same_workload_are_no_gap(tmp_path: Path) -> None:
    pods = [LogPod(True, False, "team", "owner", f"p{number}", (("main", False),)) for number in range(9)]
    _, left_out = choose_pods(pods, Limits())
    (count, why) = left_out["team"]
    assert count > 0
    assert facts(bundle(("logs@team", "skipped", why)), tmp_path).coverage("LogLine", None, ()) == ()


def test_a_log_that_is_not_as_it_was_written_is_lost(tmp_path: Path) -> None:
    made = bundle(("log:team/train-0/main", "ok", "")).add("logs/team/train-0/main.log", TEXT)
    members = made.all_members()
    manifest = json.loads(members[-1][1])
    for entry in manifest["members"]:
        if entry["path"].startswith("logs/"):
            entry |= {"sha256": "0" * 64, "step": "log:team/train-0/main"}
    read = with_manifest(tmp_path / "b.tgz", members, manifest)
    assert items_of(read, "LogLine") == []
    (gap,) = read.coverage("LogLine", None, ())
    assert gap.reason.startswith("the member logs/team/train-0/main.log is not as it was written")


def test_without_signatures_logs_are_not_searched_and_it_is_said(tmp_path: Path) -> None:
    made = bundle(("log:team/train-0/main", "ok", "")).add("logs/team/train-0/main.log", TEXT)
    read = facts(made, tmp_path, signatures=None)
    assert items_of(read, "LogLine") == []
    (gap,) = read.coverage("LogLine", None, ())
    assert gap.reason == "no pack was loaded that says what to search logs for"


def test_an_example_names_lines_as_objects() -> None:
    read = facts_of({"kind": "LogLine", "metadata": {"namespace": "a", "name": "p/c"}, "signature": "lost"})
    (item,) = items_of(read, "LogLine")
    assert item.body["signature"] == "lost"
    assert read.coverage("LogLine", None, ()) == ()
    assert facts_of(not_collected=["LogLine"]).coverage("LogLine", None, ())
    assert facts_of(not_collected=["Pod"]).coverage("LogLine", None, ())


def test_a_log_of_all_containers_is_the_pods() -> None:
    (item,) = found(log(TEXT, container=""), signatures=[LOST])
    assert item.ref.name == "train-0"
