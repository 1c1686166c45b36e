"""Doing steps: each ends as one entry of the manifest, however it ends, and never as an exception."""

import threading
import time
from functools import partial
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import layout, plan
from .budget import FULL, SIZE, TIME, Budget
from .client import ApiError, Client, Stop, StoppedError, Tally
from .filters import filter_of
from .progress import Progress, visible
from .redact_text import redact_text
from .writer import BundleWriter, ClosedError, FullError, Step, WriteError

# What a step's work returns: None when all went well, else a status and a message.
Outcome = Optional[Tuple[str, str]]
Work = Callable[[Tally], Outcome]
Task = Callable[[], object]


class Label(NamedTuple):
    """What a step is: ``kind`` to ``version`` of lists; ``namespace`` "" is the whole cluster."""

    id: str
    request: str
    scope: str
    kind: str = ""
    group: str = ""
    version: str = ""
    namespace: str = ""


def list_label(kind: plan.Kind, namespace: str) -> Label:
    """Return the label of a list: its id is ``list:core/v1/pods`` or ``list:core/v1/pods@runai``."""
    step_id = "list:%s/%s/%s%s" % (kind.group or "core", kind.version, kind.plural, "@" + namespace if namespace else "")
    scope = "namespace" if namespace else "cluster"
    return Label(step_id, "GET " + kind.path(namespace), scope, kind.kind, kind.group, kind.version, namespace)


def _step(label: Label, status: str, message: str, **more: Any) -> Step:
    """Return a step on one line, in which no name that somebody gave commands a terminal."""
    words = {name: visible(" ".join(value.split())) for name, value in dict(label._asdict(), message=message).items()}
    return Step(status=status, **dict(words, **more))


class Session:
    """What every part of a collection shares: the client, the bundle, the options, and how steps and threads are run."""

    def __init__(self, client: Client, writer: BundleWriter, options: plan.Options, stop: Stop, progress: Progress) -> None:
        self.client, self.writer, self.stop, self.progress = client, writer, stop, progress
        self.options, self.limits, self.filter = options, options.limits, filter_of(options)
        self.lock, self.budget = threading.Lock(), Budget(stop, writer)
        self._running: Dict[Label, Tally] = {}
        self._put_off: List[Tuple[Step, Label, Work, Tally]] = []

    def do(self, label: Label, work: Work, fraction: float = 1.0, tally: Optional[Tally] = None) -> Step:
        """Do one step, or go on with it, and keep how it ended. It is put off, and ends as cut for the time being, when it has
        had its share: a ``fraction`` of what is left to this part of the run."""
        tally, begin = tally or Tally(), time.monotonic()
        self._running[label] = tally
        self.budget.grant(label.id, fraction)
        status, code, message = self._outcome(work, tally)
        # The server's words may repeat what was sent to it; they are cleaned like everything else.
        message = redact_text(" ".join(message.split()))[0]
        self.budget.release()
        tally.seconds += time.monotonic() - begin
        step = _step(label, status, message, code=code, objects=tally.objects, pages=tally.pages, bytes=tally.bytes,
                     seconds=tally.seconds, retries=tally.retries)
        if self._running.pop(label, None) is tally:
            self.writer.add_step(step)
            if message in (TIME, SIZE):
                self._put_off.append((step, label, work, tally if tally.pages else Tally()))
        if not self.stop.is_set():
            self.progress.step(step.id.split(":", 1)[-1])
        return step

    def part(self, text: str) -> None:
        """Show that a part of the run begins, unless the run is to end."""
        if not self.stop.is_set():
            self.progress.part(text)

    def skip(self, label: Label, status: str, message: str) -> None:
        """Keep a step that was not done, and why."""
        self.writer.add_step(_step(label, status, message))

    def do_unless(self, why: str, label: Label, work: Work) -> None:
        """Do one step, or keep ``why`` it is not done."""
        if why:
            self.skip(label, "skipped", why)
        else:
            self.do(label, work)

    def resume(self) -> None:
        """Go on with what was put off, each with its part of what is left."""
        again, self._put_off = self._put_off, []
        for step, _, _, _ in again:
            self.writer.steps.remove(step)
        self.parallel([partial(self.do, label, work, 1.0 / len(again), tally) for _, label, work, tally in again],
                      self.limits.list_workers)

    def use_up(self) -> None:
        """Go on with what was put off till nothing of it, or of the time or the room, is left."""
        self.budget.part("")
        while self._put_off and self.writer.room() > 0 and not self.stop.is_set():
            self.resume()
        if self._put_off or self.writer.full:
            self.stop.set("size-limit")

    def settle(self) -> None:
        """Keep a step for what still hangs in a thread that was left behind; what it does from now on counts no more."""
        for label in list(self._running):
            tally = self._running.pop(label, None)
            if tally is not None:
                reason = self.stop.reason or "interrupted"
                self.skip(label, "truncated" if tally.bytes else "timeout", "not done when the run ended: " + reason)

    def unread(self, kind: str) -> List[Step]:
        """Return the steps that did not read all of a kind of the core group: of the namespaces, where these were asked."""
        steps = [step for step in self.writer.steps if (step.group, step.kind) == ("", kind)]
        parts = [step for step in steps if step.namespace]
        return [step for step in parts or steps if step.status not in ("ok", "empty", "not_found")]

    def restriction(self) -> str:
        """Return why something outside of some namespaces was not read, "" when no namespace was left out."""
        named = self.options.namespaces
        return layout.RESTRICTED + ", ".join(named) if named else self.filter.namespaces()

    def _outcome(self, work: Work, tally: Tally) -> Tuple[str, Optional[int], str]:
        try:
            self.stop.check()
            status, message = work(tally) or ("ok" if tally.objects else "empty", "")
            return status, 200, message
        except StoppedError as error:
            return "truncated" if tally.bytes else "skipped", None, str(error)
        except ApiError as error:
            if tally.pages:
                return "truncated", error.code, "after %d pages: %s" % (tally.pages, error.message)
            return error.status, error.code, error.message
        except FullError:
            return "truncated" if tally.pages else "skipped", None, FULL
        except ClosedError:
            return "skipped", None, "the bundle was finished before"
        except WriteError:
            raise
        except Exception as error:  # noqa: BLE001 - an object of an unforeseen shape costs its own step, and no other
            return "error", None, "%s while it was read" % type(error).__name__

    def write_text(self, member: str, text: str, found: List[Tuple[int, str]], step_id: str) -> None:
        """Write a text that was redacted, and where something was hidden in it: (line, rule). No character of it commands the
        terminal of who reads it."""
        self.writer.add(member, visible(text).encode("utf-8", "backslashreplace"), step_id)
        for number, rule in found:
            self.writer.add_row(layout.REDACTIONS, {"member": member, "where": "line %d" % number, "rule": rule})

    def parallel(self, tasks: List[Task], workers: int) -> None:
        """Do tasks on some threads. When the run is to end, a thread that hangs in a read is left behind."""
        waiting = iter(tasks)
        failures: List[WriteError] = []

        def work() -> None:
            for task in waiting:        # each thread takes the next one
                if failures:
                    break
                try:
                    task()
                except WriteError as error:     # handed to the thread that waits
                    failures.append(error)
                except Exception as error:  # noqa: BLE001 - a fault of ours costs its own task, and no other
                    self.skip(Label("collector", "", "cluster"), "error", "%s: a part was not read" % type(error).__name__)
            self.client.close()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(tasks)))]
        for thread in threads:
            thread.start()
        patience = min(5.0, self.limits.deadline / 20)
        while threads and patience > 0 and not failures:
            threads[0].join(0.05)
            threads = [thread for thread in threads if thread.is_alive()]
            patience -= 0.05 if self.stop.is_set() else 0
        if patience <= 0:
            work()      # what no thread came to says so itself
        if failures:
            raise failures[0]
