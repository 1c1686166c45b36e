"""The program: what was asked for on the command line is done here; progress on stderr, the summary on stdout, exit codes."""

import argparse
import datetime
import os
import re
import signal
import sys
import tempfile
import time
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Dict, List, Optional

from . import __version__, layout, plan, rbac
from .client import Answer, ApiError, Client, Stop, StoppedError, Tally, UnreachableError
from .gather import gather
from .kubectl import Config, Kubectl, find_kubectl
from .lists import NothingToReadError
from .options import COMMANDS, build_parser, read_options
from .progress import Progress, show
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
    if chosen.rbac:
        show(sys.stdout, rbac.manifest(chosen.rbac, sorted(set(chosen.certificate)), read_options(chosen).namespaces))
        return COMPLETE
    unfit = _unfit(chosen.output)
    if unfit:
        parser.error(unfit)
    options = read_options(chosen)
    stop = Stop(time.monotonic() + chosen.deadline)
    progress = Progress(chosen.quiet)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) != signal.SIG_IGN:      # as nohup and shells in the background have it
            signal.signal(number, lambda number, frame: _interrupt(stop, progress, number))
    try:
        return collect(chosen, options, stop, progress)
    except (UnreachableError, NothingToReadError) as error:
        progress.say("runai-collect: %s" % error)
        return USAGE if isinstance(error, NothingToReadError) else UNREACHABLE
    except StoppedError:
        progress.say("runai-collect: ended before the cluster answered; there is no bundle")
        return 128 + stop.signal if stop.signal else UNREACHABLE


def _interrupt(stop: Stop, progress: Progress, number: int) -> None:
    if stop.signal:
        raise SystemExit(128 + number)      # asked twice: at once
    stop.set("interrupted", number)
    progress.say("interrupted: closing the bundle with what there is")


def collect(chosen: argparse.Namespace, options: plan.Options, stop: Stop, progress: Progress) -> int:
    """Connect, read, write; returns the exit code."""
    started = _now()
    kubectl = Kubectl(find_kubectl(chosen.kubectl), chosen.kubeconfig, chosen.context, options.limits, stop, progress.say)
    with kubectl:
        config = kubectl.config()
        client = kubectl.start(config.server_path)
        answer = _login(client)
        name = "runai-bundle-%s-%s" % (_safe(config.cluster), started.strftime("%Y%m%dT%H%M%SZ"))
        try:
            writer = BundleWriter(_output_path(chosen.output, name), name, int(started.timestamp()))
        except OSError as error:
            raise UnreachableError("the bundle cannot be written: %s" % error)
        try:
            _begin(writer, name, config, options, started, answer)
            _gather(Session(client, writer, options, stop, progress), kubectl, config)
            kubectl.end()
            return finish(writer, stop, progress, chosen)
        except OSError as error:
            writer.abandon(False)
            progress.say("runai-collect: writing failed (%s); what was written stands in %s" % (error, writer.partial))
            return PARTIAL
        except BaseException:
            writer.abandon(True)
            raise


def _gather(session: Session, kubectl: Kubectl, config: Config) -> None:
    """Read the cluster. A fault of ours costs what was not read yet, and never what was."""
    try:
        gather(session, kubectl.exec, config.namespace)
    except (WriteError, NothingToReadError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it was, the bundle is closed with what there is
        session.stop.set("interrupted")
        session.skip(Label("collector", "", "cluster"), "error", "%s: the rest was not read" % type(error).__name__)
    session.settle()


def _login(client: Client) -> Optional[Answer]:
    """Read /version: the first answer shows whether there is a cluster and a login. Raises UnreachableError."""
    try:
        return client.get("/version", Tally())
    except ApiError as error:
        if error.code == 403:
            return None
        what = "the login failed" if error.code == 401 else "the cluster cannot be reached"
        raise UnreachableError("%s: %s" % (what, error.message))


def _begin(writer: BundleWriter, name: str, config: Config, options: plan.Options, started: datetime.datetime,
           answer: Optional[Answer]) -> None:
    writer.add_json(layout.BUNDLE, {
        "format": layout.FORMAT,
        "collector": "runai-collect " + __version__,
        "name": name,
        "cluster": {"name": config.cluster, "context": config.context},
        "started": _stamp(started),
        "options": options.record(),
        "clock": _clock(answer),
    }, "bundle")
    writer.add(layout.README, readme_text(name, options).encode("utf-8"), "bundle")


def finish(writer: BundleWriter, stop: Stop, progress: Progress, chosen: argparse.Namespace) -> int:
    """Close the bundle and say what is in it; returns the exit code."""
    state = stop.reason or "complete"
    blocked = bool(writer.hits) and not chosen.keep_despite_scan
    totals = writer.finish(_stamp(_now()), state, blocked)
    progress.end()
    said = writer.path if chosen.quiet else summary_text(writer.path, totals, state, writer.steps, writer.hits, blocked)
    show(sys.stdout, said + "\n")
    if blocked:
        return BLOCKED
    if stop.signal:
        return 128 + stop.signal
    return PARTIAL if state != "complete" or incomplete(writer.steps) else COMPLETE


def _clock(answer: Optional[Answer]) -> Dict[str, object]:
    """Return the API server's clock, which an answer may carry, beside this one."""
    local = _now()
    try:
        server = parsedate_to_datetime(answer.headers["date"] if answer else "").replace(tzinfo=datetime.timezone.utc)
    except (KeyError, TypeError, ValueError, IndexError):
        return {"server": None, "local": _stamp(local), "skew_seconds": None}
    return {"server": _stamp(server), "local": _stamp(local), "skew_seconds": (local - server).total_seconds()}


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def _stamp(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _safe(cluster: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", cluster).strip("-.")[:40] or "cluster"


def _unfit(wanted: str) -> str:
    """Return why the bundle cannot be written there, "" when it can: better before the login than after."""
    if wanted and os.path.lexists(wanted) and not os.path.isdir(wanted):
        return "%s exists; it is not replaced" % wanted
    folder = (wanted if os.path.isdir(wanted) else os.path.dirname(wanted)) or "."
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return "the bundle cannot be written to the folder %s: %s" % (folder, error.strerror)


def _output_path(wanted: str, name: str) -> str:
    if wanted and not os.path.isdir(wanted):
        return wanted
    return os.path.join(wanted, name + ".tgz")
