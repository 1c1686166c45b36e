"""Steps end as entries of the manifest, also those that are left behind when the run ends."""

import json
import threading
from functools import partial
from pathlib import Path

from runai_collect import plan
from runai_collect.client import Client, Stop, Tally
from runai_collect.progress import Progress
from runai_collect.steps import Label, Outcome, Session
from runai_collect.writer import BundleWriter

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
