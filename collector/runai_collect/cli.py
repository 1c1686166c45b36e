"""The command line: options, progress on stderr, the summary on stdout, exit codes."""

import argparse
import datetime
import os
import re
import signal
import sys
import tempfile
import time
from email.utils import parsedate_to_datetime
from typing import Dict, List, Optional

from . import __version__, layout, plan
from .client import Answer, ApiError, Client, Stop, StoppedError, Tally, UnreachableError
from .gather import gather
from .kubectl import Config, Kubectl, find_kubectl
from .lists import NothingToReadError
from .progress import Progress, show
from .readme import readme_text
from .steps import Label, Session
from .summary import incomplete, summary_text
from .writer import BundleWriter, WriteError

COMPLETE, PARTIAL, USAGE, UNREACHABLE, BLOCKED = 0, 1, 2, 3, 4


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the collector; returns the exit code (``sys.exit`` of it is the caller's)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = build_parser()
    chosen = parser.parse_args(arguments)
    unfit = _unfit(chosen.output)
    if unfit:
        parser.error(unfit)
    options = plan.Options(tuple(sorted(set(chosen.namespace))), not chosen.no_exec, not chosen.no_logs, not chosen.no_secrets,
                           not chosen.no_certificates, plan.Limits(log_lines=chosen.log_lines, deadline=chosen.deadline))
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


_ABOUT = """Read a Kubernetes cluster with Run:ai into one support bundle. Nothing is changed in the cluster, and nothing is sent
anywhere: the bundle is a file that you can look into before you pass it on."""
_EXITS = """To read all of it takes the right to %s.
Exit codes: 0 complete; 1 a bundle, but something was refused, failed or cut; 2 usage, or no namespace of -n is there; 3 the
cluster cannot be reached or the login failed; 4 the archive was blocked by the last scan; 129/130/131/143 interrupted, the
bundle holds what there was""" % plan.RIGHTS


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="runai-collect", usage="runai-collect [options]", description=_ABOUT, epilog=_EXITS)
    where = parser.add_argument_group("where")
    where.add_argument("-o", "--output", metavar="FILE", default="",
                       help="the bundle to write, or a folder for it (default: runai-bundle-CLUSTER-TIME.tgz here)")
    where.add_argument("--kubeconfig", metavar="FILE", default="", help="as kubectl's")
    where.add_argument("--context", metavar="NAME", default="", help="as kubectl's")
    where.add_argument("--kubectl", metavar="PATH", default="", help="kubectl or oc to run (default: the first of both on PATH)")
    what = parser.add_argument_group("what")
    what.add_argument("-n", "--namespace", metavar="NS", type=_namespace, action="append", default=[],
                      help="read namespaced objects of this namespace only; may be given again")
    what.add_argument("--no-exec", action="store_true", help="do not run nvidia-smi in the pods that have it")
    what.add_argument("--no-logs", action="store_true", help="read no logs")
    what.add_argument("--no-secrets", action="store_true", help="read neither the names of Secrets nor certificates")
    what.add_argument("--no-certificates", action="store_true", help="read no Secret whole, not even for its public certificate")
    what.add_argument("--log-lines", metavar="N", type=_count, default=plan.Limits().log_lines,
                      help="newest lines of each log (default: %(default)s)")
    what.add_argument("--deadline", metavar="TIME", type=_duration, default=plan.Limits().deadline,
                      help="stop reading after this long: 90, 90s or 15m (default: 15m)")
    how = parser.add_argument_group("how")
    how.add_argument("--keep-despite-scan", action="store_true",
                     help="keep the bundle's name even when the last scan found what looks like a secret in it")
    how.add_argument("-q", "--quiet", action="store_true", help="no progress, and only the bundle's path at the end")
    how.add_argument("--version", action="version", version="runai-collect " + __version__)
    return parser


def _namespace(text: str) -> str:
    if not re.match(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z", text):
        raise argparse.ArgumentTypeError("%r is not the name of a namespace; for several give -n again" % text)
    return text


def _count(text: str) -> int:
    if not re.match("[0-9]{1,7}$", text) or not 0 < int(text) <= 1000000:
        raise argparse.ArgumentTypeError("%r is not a number from 1 to 1000000" % text)
    return int(text)


def _duration(text: str) -> float:
    match = re.match(r"(\d+)([smh]?)\Z", text)
    if not match or not int(match.group(1)):
        raise argparse.ArgumentTypeError("%r is not a time such as 90s or 15m" % text)
    return float(int(match.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[match.group(2)])


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
