"""Steps end as entries of the manifest, also those that are left behind when the run ends."""

import json
import os
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from runai_collect import plan
from runai_collect.client import Client, Stop, Tally
from runai_collect.progress import Progress
from runai_collect.steps import Label, Outcome, Session, Task
from runai_collect.writer import BundleWriter, WriteError

from tests.collector.servers import FaultServer
from tests.collector.test_writer import read


def session_of(folder: Path, server: FaultServer | None = None, stop: Stop | None = None) -> Session:
    client = server.client(stop) if server else Client(lambda timeout: None, plan.Limits(), Stop())  # type: ignore[arg-type,return-value]
    writer = BundleWriter(str(folder / "b.tgz"), "top", 1)
    return Session(client, writer, plan.Options(), stop or Stop(), Progress(True))


def manifest(session: Session) -> dict[str, dict[str, object]]:
    session.writer.finish("2026-01-01T00:00:00Z", session.stop.reason or "complete")
    steps = json.loads(read(Path(session.writer.path))["top/manifest.json"])["steps"]
    return {step["id"]: step for step in steps}


def test_what_hangs_when_the_run_ends_has_a_step_all_the_same(tmp_path: Path) -> None:
    """Two threads hang for ever, one of them after it has read something; a third task is never begun."""
    stop, never = Stop(), threading.Event()
    session = session_of(tmp_path, stop=stop)

    def hang(size: int, tally: Tally) -> Outcome:
        tally.bytes = size
        never.wait(60)
        return None

    labels = [Label(name, "GET /" + name, "cluster") for name in ("silent", "begun", "waiting")]
    tasks = [partial(session.do, label, partial(hang, size)) for size, label in enumerate(labels)]
    threading.Timer(0.5, lambda: stop.set("deadline")).start()
    session.parallel(tasks, 2)
    session.settle()
    steps = manifest(session)
    never.set()
    assert {name: (step["status"], step["message"]) for name, step in steps.items()} == {
        "silent": ("timeout", "not done when the run ended: deadline"),
        "begun": ("truncated", "not done when the run ended: deadline"),
        "waiting": ("skipped", "deadline"),
    }


def test_a_step_that_ends_after_the_bundle_was_settled_counts_once(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    label = Label("x", "GET /x", "cluster")
    session.do(label, lambda tally: session.settle())
    assert [(step.id, step.status) for step in session.writer.steps] == [("x", "timeout")]


def test_a_connection_that_breaks_is_no_reason_to_stop_writing(tmp_path: Path) -> None:
    def fail(tally: Tally) -> Outcome:
        raise ConnectionResetError("gone")

    assert session_of(tmp_path).do(Label("x", "GET /x", "cluster"), fail).status == "error"


def test_no_text_can_command_the_terminal_of_who_reads_it(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    session.write_text("logs/a.log", "one\ttwo\r\n\x1b[2J\x00é\n", [], "s")
    session.writer.finish("2026-01-01T00:00:00Z", "complete")
    assert read(tmp_path / "b.tgz")["top/logs/a.log"].decode() == "one\ttwo\r\n\\x1b[2J\\x00é\n"


def test_no_name_of_the_cluster_commands_a_terminal_by_its_step(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    label = Label("list@e\x1b[31m\x9bx\nb", "GET /e\x1b[31m", "namespace", namespace="e\x1b[31m")
    session.do(label, lambda tally: ("error", "words \x1b[2J"))
    session.skip(label, "skipped", "words \x1b[2J\n\x07")
    done, skipped = session.writer.steps
    assert (done.id, done.request, done.namespace) == ("list@e\\x1b[31m\\x9bx b", "GET /e\\x1b[31m", "e\\x1b[31m")
    assert skipped.message == "words \\x1b[2J \\x07"
    assert "\x1b" not in done.message
    assert done[:3] == skipped[:3]


def test_no_part_is_shown_once_the_run_is_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = session_of(tmp_path)
    session.progress = Progress(False)
    session.part("one")
    session.stop.set("interrupted", 2)
    session.part("two")
    assert capsys.readouterr().err == "one\n"


def test_a_task_that_breaks_outside_of_its_step_costs_no_other(tmp_path: Path) -> None:
    session, done = session_of(tmp_path), []

    def break_down() -> None:
        raise MemoryError

    tasks: list[Task] = [partial(done.append, 1), break_down, *[partial(done.append, number) for number in range(2, 9)]]
    session.parallel(tasks, 2)
    assert sorted(done) == list(range(1, 9))
    step = manifest(session)["collector"]
    assert (step["status"], step["message"]) == ("error", "MemoryError: a part was not read")


def test_a_bundle_that_cannot_be_written_ends_all_threads(tmp_path: Path) -> None:
    session, done = session_of(tmp_path), []

    def fail() -> None:
        raise WriteError(28, "No space left on device")

    with pytest.raises(WriteError, match="No space left"):
        session.parallel([fail, *[partial(done.append, number) for number in range(1000)]], 1)
    assert done == []
    session.writer.abandon(True)


def shares(session: Session, seconds: float, part: str, fraction: float) -> float:
    session.stop = session.budget._stop = Stop(time.monotonic() + seconds)
    session.budget.part(part)
    session.budget.grant("step", fraction)
    return session.stop.left()


@pytest.mark.parametrize(
    ("part", "fraction", "share"),
    [("objects", 1.0, 12 / 27), ("objects", 0.25, 3 / 27), ("logs", 1.0, 4 / 6), ("", 1.0, 1.0), ("", 0.5, 0.5)],
)
def test_a_part_gets_its_share_of_what_is_left(tmp_path: Path, part: str, fraction: float, share: float) -> None:
    """The weights of objects and what follows it sum up to 27, those of logs and the end to 6."""
    assert shares(session_of(tmp_path), 900, part, fraction) == pytest.approx(900 * share, rel=0.01)


def test_what_had_its_share_of_the_room_is_put_off_and_goes_on(tmp_path: Path) -> None:
    """Members of 10 kB go into 600 kB, of which objects get 12/27 and one list a quarter of that."""
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1, 600_000)
    stop = Stop()
    session = Session(Client(lambda timeout: None, plan.Limits(), stop), writer, plan.Options(), stop, Progress(True))  # type: ignore[arg-type,return-value]
    written = []

    def work(tally: Tally) -> Outcome:
        while True:
            stop.check()
            tally.pages += 1
            writer.add(f"m/{tally.pages}", os.urandom(10_000), "big")
            written.append(tally.pages)

    session.budget.part("objects")
    step = session.do(Label("big", "GET", "cluster"), work, 0.25)
    assert (step.status, step.message) == ("skipped", "its share of --max-size")
    assert 600 / 27 * 12 / 4 / 10 - 1 <= len(written) <= 600 / 27 * 12 / 4 / 10 + 1
    session.use_up()
    assert stop.reason == "size-limit"
    step = manifest(session)["big"]
    assert (step["status"], step["message"]) == ("truncated", "no room was left for it: --max-size")
    assert written == list(range(1, len(written) + 1))
    assert 540_000 <= (tmp_path / "b.tgz").stat().st_size <= 600_000
