"""``runai-collect node``: what one machine tells a person who is logged in on it. It only reads, and asks no cluster."""

import argparse
import glob
import os
import re
import shutil
import socket
import stat
import sys
import time
from functools import partial
from typing import Dict, List, NoReturn, Sequence, Set, Tuple

from . import __version__, layout, node_plan, plan
from .cli import USAGE, begin, clock, fail, finish, listen_to_signals, now, safe_name, unfit_output, write_bundle
from .client import ApiError, Client, Stop, Tally, UnreachableError
from .kubectl import run_bounded
from .logs import clean_log
from .node_config import hide_credentials
from .progress import Progress, program
from .readme import resource
from .steps import Label, Outcome, Session
from .writer import BundleWriter

_ABOUT = """Read what this machine tells of its GPUs, kernel and container runtime into one bundle, beside that of the cluster of
which it is a node. Nothing is changed, no cluster is asked, and nothing is sent anywhere. Root sees more."""
_EXITS = """Exit codes: 0 complete; 1 a bundle, but something was refused, failed or cut; 2 usage, or the bundle cannot be written
there; 4 the bundle was blocked by the last scan; 129/130/131/143 interrupted"""
_DENIED = re.compile("[Pp]ermission denied|not permitted|insufficient permissions|not seeing messages")
_WORST = ("forbidden", "timeout", "error", "skipped", "empty", "not_found")     # which of the failures of several ways is told


def main(arguments: List[str], root: str = "") -> int:
    """Run ``runai-collect node``; returns the exit code. ``root`` stands before every path that is read."""
    parser = argparse.ArgumentParser(prog=program() + " node", description=_ABOUT, epilog=_EXITS)
    parser.add_argument("-o", "--output", metavar="FILE", default="",
                        help="the bundle to write, or a folder for it (default: runai-node-NAME-TIME.tgz here)")
    for part in sorted(node_plan.PARTS):
        parser.add_argument("--no-" + part, action="store_true", help="leave out: " + node_plan.PARTS[part])
    parser.add_argument("--keep-despite-scan", action="store_true", help="keep the bundle's name whatever the last scan finds")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, and only the bundle's path at the end")
    parser.add_argument("--json", action="store_true", help="the summary as JSON")
    chosen = parser.parse_args(arguments)
    left_out = [part for part in sorted(node_plan.PARTS) if getattr(chosen, "no_" + part)]
    stop, progress, started = Stop(time.monotonic() + node_plan.DEADLINE), Progress(chosen.quiet), now()
    unfit, machine = unfit_output(chosen.output), socket.gethostname()
    if unfit:
        return fail(chosen, progress, USAGE, unfit)
    listen_to_signals(stop, progress)
    name = "runai-node-%s-%s" % (safe_name(machine), started.strftime("%Y%m%dT%H%M%SZ"))

    def fill(writer: BundleWriter) -> int:
        begin(writer, name, started, resource("node_readme.txt").format(name=name, version=__version__), clock=clock(None),
              scope=layout.SCOPE_NODE, node=machine, root=_is_root(), options={"left_out": left_out})
        session = Session(Client(_no_server, plan.Limits(), stop), writer, plan.Options(), stop, progress)
        read_machine(session, root, left_out, dict(os.environ))
        return finish(writer, stop, progress, chosen)
    return write_bundle(chosen, name, started, plan.Limits().archive, progress, fill)


def _is_root() -> bool:
    return bool(getattr(os, "geteuid", lambda: 1)() == 0)


def _no_server(timeout: float) -> NoReturn:
    raise UnreachableError("no cluster is asked")


def read_machine(session: Session, root: str, left_out: List[str], environment: Dict[str, str]) -> None:
    """Read what the plan names, one thing after the other; each ends as a step."""
    session.part("Reading this machine")
    hung = set()  # type: Set[str]
    todo = [(command.part, command.member, " | ".join([" ".join(way) for way in command.ways]),
             partial(_run, session, root, command, hung)) for command in node_plan.COMMANDS]
    todo += [(part, pattern, "read " + pattern, partial(_read_files, session, root, pattern))
             for part in sorted(node_plan.FILES) for pattern in node_plan.FILES[part]]
    todo.append(("system", "proxy.txt", "read proxy variables", partial(_read_proxies, session, root, environment)))
    for part, name, request, work in todo:
        label = Label("node:" + name, request, "node")
        if part in left_out:
            session.skip(label, "skipped", "--no-" + part)
        else:
            session.do(label, work)


def _run(session: Session, root: str, command: node_plan.Command, hung: Set[str], tally: Tally) -> Outcome:
    """Keep what the first way prints that prints something."""
    name, failures = command.ways[0][0], []  # type: str, List[Tuple[str, str]]
    if name in hung:
        return "timeout", "not tried: %s gave no answer before" % name
    for way in command.ways:
        try:
            text, note = _from_file(root, way[0]) if way[0][0] == "/" else _from_program(session, root, way, command.part)
            if not text:
                raise ApiError("empty", "%s is empty" % way[0])
            rows = text.splitlines(True)
            kept = "".join([row for row in rows if re.search(command.rows, row)])
            _write(session, command.member, command.member, kept, tally)
            if kept or note:
                return "truncated" if note.startswith("cut") else "ok" if kept else "empty", note
            refused = ["; before: " + message for status, message in failures if status == "forbidden"][:1]
            return "empty", "".join(["lines read: %d, none of them of this kind" % len(rows)] + refused)
        except ApiError as error:
            failures.append((error.status, error.message))
    worst = min(failures, key=lambda failure: _WORST.index(failure[0]))
    hung.update([name] if worst[0] == "timeout" else [])
    return worst[0], worst[1] + ("; run it as root" if worst[0] == "forbidden" and not _is_root() else "")


def _from_program(session: Session, root: str, way: Tuple[str, ...], part: str) -> Tuple[str, str]:
    """Return what a program prints, and what is to be said of it. Raises ApiError when it prints nothing, or is not there."""
    folders = [os.environ.get("PATH", "")] + [root + folder for folder in node_plan.FOLDERS]
    program = shutil.which(way[0], path=os.pathsep.join(folders))
    if program is None or (way[0] == "chroot" and not os.path.exists(root + way[1] + way[2])):
        raise ApiError("not_found", "%s is not on this machine" % way[0])
    ran = run_bounded([program] + list(way[1:]), node_plan.TIMEOUT, node_plan.OUTPUT, session.stop)
    words, text = ran.stderr.decode("utf-8", "replace").strip()[-300:], ran.stdout.decode("utf-8", "backslashreplace")
    if re.sub(node_plan.NO_ANSWER, "", text).strip():
        note = "cut: it did not end in time" if ran.timed_out else "cut: it printed too much" if ran.cut else ""
        return text, note or ("exit code %s %s" % (ran.code, words) if ran.code else "")
    if ran.timed_out:
        raise ApiError("timeout", "%s gave no answer in %d seconds" % (way[0], node_plan.TIMEOUT))
    # That nvidia-smi does not work is a fault; of others, as timedatectl without systemd, it only says that they have no answer.
    words = words or text.strip()[:300]
    status = "forbidden" if _DENIED.search(words) else "skipped" if words and part != "gpu" else "error"
    raise ApiError(status, words or "%s printed nothing" % way[0])


def _from_file(root: str, path: str) -> Tuple[str, str]:
    """Return the newest part of a regular file, and whether it was cut. Raises ApiError."""
    try:
        with open(os.open(root + path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise ApiError("error", "%s is no regular file" % path)
            file.seek(max(0, about.st_size - node_plan.FILE))
            note = "cut: only the newest part of %s was read" % path if about.st_size > node_plan.FILE else ""
            return file.read(node_plan.FILE).decode("utf-8", "backslashreplace"), note
    except OSError as error:
        status = {PermissionError: "forbidden", FileNotFoundError: "not_found"}.get(type(error), "error")
        raise ApiError(status, "%s: %s" % (path, error.strerror))


def _read_files(session: Session, root: str, pattern: str, tally: Tally) -> Outcome:
    """Keep the files of a pattern."""
    failures = []  # type: List[Tuple[str, str]]
    paths = _paths(root, pattern)
    for path in paths[:node_plan.FILES_MOST]:
        try:
            text, note = _from_file(root, path)
            _write(session, pattern, path[1:], text, tally)
            failures += [("truncated", note)] if note else []
        except ApiError as error:
            failures.append((error.status, error.message))
    if len(paths) > node_plan.FILES_MOST:
        failures.append(("truncated", "only %d of %d files were read" % (node_plan.FILES_MOST, len(paths))))
    try:
        os.listdir(root + os.path.dirname(pattern.partition("*")[0]))
    except PermissionError:
        failures += [] if paths else [("forbidden", "only root may look there")]
    except OSError:
        pass        # there is no such folder
    return sorted(failures)[0] if failures else None if paths else ("empty", "there is no such file")


def _paths(root: str, pattern: str) -> List[str]:
    return sorted([path[len(root):] for path in glob.glob(glob.escape(root) + pattern)])


def _read_proxies(session: Session, root: str, environment: Dict[str, str], tally: Tally) -> Outcome:
    """Keep the proxy variables of the shell and of services, each with the file that sets it."""
    rows, failures = [], []  # type: List[str], List[Tuple[str, str]]
    texts = [("the shell", "%s=%s" % pair) for pair in sorted(environment.items())]
    for path in sorted([path for pattern in node_plan.PROXY_FILES for path in _paths(root, pattern)]):
        try:
            texts.append((path, _from_file(root, path)[0]))
        except ApiError as error:
            failures.append((error.status, error.message))
    for source, text in texts:
        for name, value in re.findall(node_plan.PROXY_VARIABLE, text):
            fit = node_plan.NO_PROXY_VALUE if name.lower() == "no_proxy" else node_plan.PROXY_VALUE
            rows.append("%s: %s=%s\n" % (source, name, value if re.fullmatch(fit, value) else layout.marker("proxy")))
    hidden = [(number, "proxy") for number, row in enumerate(rows, 1) if layout.marker("proxy") in row]
    _write(session, "proxy.txt", "proxy.txt", "".join(rows), tally, hidden)
    words = "; ".join([message for _, message in failures])
    return (min(failures, key=lambda failure: _WORST.index(failure[0]))[0], words) if failures else None


def _write(session: Session, step: str, member: str, text: str, tally: Tally, hidden: Sequence[Tuple[int, str]] = ()) -> None:
    """Write a text without its credentials; ``hidden`` are those that were hidden before."""
    if member.endswith((".toml", ".conf", ".json", ".yaml")):
        text, hidden = hide_credentials(text)
    text, found, _ = clean_log(text, 0, sys.maxsize, session.limits.log_line)
    if text:
        tally.objects, tally.bytes = tally.objects + 1, tally.bytes + len(text)
        session.write_text(layout.NODE + member, text, sorted(set(found).union(hidden)), "node:" + step)
