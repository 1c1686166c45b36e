"""The program: what was asked for on the command line is done here; progress on stderr, the summary on stdout, exit codes."""

import argparse
import datetime
import errno
import gc
import json
import os
import re
import signal
import sys
import tempfile
import time
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional

from . import __version__, layout, plan
from .budget import save_memory
from .client import Answer, Stop, StoppedError, UnreachableError
from .connect import Cluster, log_in, open_cluster
from .gather import gather
from .kubectl import Config
from .lists import NothingToReadError
from .options import COMMANDS, build_parser, read_options
from .progress import Progress, program, show
from .readme import readme_text
from .steps import Label, Session
from .summary import incomplete, summary_text
from .writer import BundleWriter, WriteError

COMPLETE, PARTIAL, USAGE, UNREACHABLE, BLOCKED = 0, 1, 2, 3, 4


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the collector; returns the exit code (``sys.exit`` of it is the caller's)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return int(import_module("." + arguments[0], __package__).main(arguments[1:]))
    parser = build_parser()
    chosen = parser.parse_args(arguments)
    options = read_options(chosen)
    if chosen.exclude or chosen.only or chosen.rbac or chosen.certificate or chosen.exec_host or chosen.exec_user_pods:
        from .wishes import contradiction
        wrong = contradiction(chosen)
        if wrong:
            parser.error(wrong)
    if chosen.rbac or chosen.plan:
        from .printed import print_asked
        return COMPLETE if print_asked(chosen, options) else USAGE
    stop, progress = Stop(time.monotonic() + chosen.deadline), Progress(chosen.quiet)
    unfit = "" if chosen.check else unfit_output(chosen.output)
    if unfit:
        return fail(chosen, progress, USAGE, unfit)
    listen_to_signals(stop, progress)
    try:
        return collect(chosen, options, stop, progress)
    except (UnreachableError, NothingToReadError, OSError) as error:        # the last: there is no room for temporary files
        from .advice import advise
        code = UNREACHABLE if isinstance(error, UnreachableError) else USAGE
        return fail(chosen, progress, code, advise(str(error)))
    except StoppedError:
        code = 128 + stop.signal if stop.signal else UNREACHABLE
        return fail(chosen, progress, code, "ended before the cluster answered; there is no bundle")


def listen_to_signals(stop: Stop, progress: Progress) -> None:
    """End the run early, and its bundle properly, when a signal says so."""
    def interrupt(number: int, frame: object) -> None:
        if stop.signal:
            raise SystemExit(128 + number)      # asked twice: at once
        stop.set("interrupted", number)
        progress.say("interrupted: closing the bundle with what there is")
    for number in [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")]:
        if number and signal.getsignal(number) != signal.SIG_IGN:       # as nohup and shells in the background have it
            signal.signal(number, interrupt)


def collect(chosen: argparse.Namespace, options: plan.Options, stop: Stop, progress: Progress) -> int:
    """Connect, read, write; returns the exit code."""
    # JSON makes many objects and no cycles: with Python's own threshold the search for these is half of the time of parsing.
    gc.set_threshold(200000, 50, 50)
    save_memory()
    started = now()
    with open_cluster(chosen.kubectl, chosen.kubeconfig, chosen.context, options.limits, stop, progress.say) as cluster:
        config = cluster.config()
        client = cluster.start(config.server_path)
        answer = log_in(client, cluster, config)
        if sys.version_info < (3, 10):      # of a module in a zip that another thread imports, a thread may there see a half
            from . import endpoints, gpu_sources, gpu_wishes, items, one_by_one  # noqa: F401 - what threads import
        if chosen.check:
            from .check import check
            return COMPLETE if check(client, options, stop, progress, config.namespace, chosen.json) else PARTIAL
        name = "runai-bundle-%s-%s" % (safe_name(config.cluster), started.strftime("%Y%m%dT%H%M%SZ"))

        def fill(writer: BundleWriter) -> int:
            begin(writer, name, started, readme_text(name, options), clock=clock(answer), options=options.record(),
                  cluster={"name": config.cluster, "context": config.context})
            session = Session(client, writer, options, stop, progress)
            writer.left_out = session.filter.path
            _gather(session, cluster, config)
            cluster.end()
            return finish(writer, stop, progress, chosen)
        return write_bundle(chosen, name, started, options.limits.archive, progress, fill)


def write_bundle(chosen: argparse.Namespace, name: str, started: datetime.datetime, most: int, progress: Progress,
                 fill: Callable[[BundleWriter], int]) -> int:
    """Open a bundle and let ``fill`` write and finish it; returns the exit code."""
    named = chosen.output and not os.path.isdir(chosen.output)
    path = chosen.output if named else os.path.join(chosen.output, name + ".tgz")
    try:
        writer = BundleWriter(path, name, int(started.timestamp()), most)
    except OSError as error:
        return fail(chosen, progress, USAGE, unwritable(path, error))
    if writer.partial != writer.path + ".partial":
        progress.say("%s.partial stays: another run writes it, or was killed; %s inspect reads it" % (writer.path, program()))
    try:
        return fill(writer)
    except OSError as error:
        writer.abandon(not writer.packed)
        less = ", or ask for less with --max-size" if hasattr(chosen, "max_size") else ""
        kept = "; what was written stands in %s: %s inspect reads it" % (writer.partial, program()) if writer.packed else ""
        return fail(chosen, progress, USAGE, unwritable(path, error) + less + kept)
    except BaseException:
        writer.abandon(True)
        raise


def _gather(session: Session, cluster: Cluster, config: Config) -> None:
    """Read the cluster. A fault of ours costs what was not read yet, and never what was."""
    try:
        gather(session, cluster.exec, config.namespace)
    except (WriteError, NothingToReadError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it was, the bundle is closed with what there is
        session.stop.set("interrupted")
        session.skip(Label("collector", "", "cluster"), "error", "%s: the rest was not read" % type(error).__name__)
    session.settle()


def begin(writer: BundleWriter, name: str, started: datetime.datetime, readme: str, **about: Any) -> None:
    """Write what the bundle is: bundle.json, with what else is known ``about`` it, and its README."""
    head = dict(about, format=layout.FORMAT, collector="runai-collect " + __version__, name=name, started=stamp(started))
    writer.add_json(layout.BUNDLE, head, "bundle")
    writer.add(layout.README, readme.encode("utf-8"), "bundle")


def finish(writer: BundleWriter, stop: Stop, progress: Progress, chosen: argparse.Namespace) -> int:
    """Close the bundle and say what is in it; returns the exit code."""
    state, number = stop.reason or "complete", stop.signal     # a signal from now on is too late to change what is in it
    blocked = bool(writer.hits) and not chosen.keep_despite_scan
    totals = writer.finish(stamp(now()), state, blocked)
    progress.end()
    code = 128 + number if number else PARTIAL if state != "complete" or incomplete(writer.steps) else COMPLETE
    code = BLOCKED if blocked else code
    if chosen.json:
        from .as_json import summary_json
        said = json.dumps(summary_json(writer.path, totals, state, writer.steps, writer.hits, code), indent=1)
    else:
        said = writer.path if chosen.quiet else summary_text(
            writer.path, totals, state, writer.steps, writer.hits, blocked, program())
    show(sys.stdout, said + "\n")
    return code


def fail(chosen: argparse.Namespace, progress: Progress, code: int, error: str) -> int:
    """Say that there is no bundle, or no whole one, and why; returns the exit code."""
    progress.say("runai-collect: " + error)
    if chosen.json:
        show(sys.stdout, json.dumps({"error": error, "exit_code": code}) + "\n")
    return code


def clock(answer: Optional[Answer]) -> Dict[str, object]:
    """Return the API server's clock, which an answer may carry, beside this one."""
    local = now()
    try:
        server = parsedate_to_datetime(answer.headers["date"] if answer else "").replace(tzinfo=datetime.timezone.utc)
    except (KeyError, TypeError, ValueError, IndexError):
        return {"server": None, "local": stamp(local), "skew_seconds": None}
    return {"server": stamp(server), "local": stamp(local), "skew_seconds": (local - server).total_seconds()}


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def stamp(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def safe_name(cluster: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", cluster).strip("-.")[:40] or "cluster"


def unfit_output(wanted: str) -> str:
    """Return why the bundle cannot be written there, "" when it can: better before the login than after."""
    if wanted and os.path.lexists(wanted) and not os.path.isdir(wanted):
        return "%s exists; it is not replaced" % wanted
    folder = (wanted if os.path.isdir(wanted) else os.path.dirname(wanted)) or "."
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"0" * 4096)
        return ""
    except OSError as error:
        return unwritable("the folder " + folder, error)


def unwritable(place: str, error: OSError) -> str:
    """Return that the bundle cannot be written to a place, why, and what to do."""
    full = errno.errorcode.get(error.errno or 0) in ("ENOSPC", "EDQUOT", "EFBIG")
    return "the bundle cannot be written to %s: %s; %sname another place with -o" % (
        place, error.strerror or error, "free space, or " if full else "")
