"""The options of the command line: their help, their values, and what of the plan they change."""

import argparse
import json
import re
import sys
from typing import Callable, Dict, List, NoReturn, Tuple

from . import __version__, plan, rbac
from .filters import read_wish
from .planfile import read_plan_file
from .progress import show

# What is asked of a file or a machine instead of a cluster: the modules of these names, with options of their own.
COMMANDS: Dict[str, str] = {
    "inspect": "what is in a bundle, what was hidden, and whether it is as it was written; asks no cluster",
    "remove": "a bundle anew without some of its members; asks no cluster",
    "node": "what the machine tells on which it runs: nvidia-smi, kernel log, container runtime; asks no cluster",
}

_ABOUT = """Read a Kubernetes cluster with Run:ai into one support bundle. Nothing is changed in the cluster, and nothing is sent
anywhere: the bundle is a file that you can look into before you pass it on."""
_EXITS = """To read all of it takes the right to %s.
Exit codes: 0 complete; 1 a bundle, but something was refused, failed or cut; 2 usage, or no namespace of -n is there; 3 the
cluster cannot be reached or the login failed; 4 the archive was blocked by the last scan; 129/130/131/143 interrupted, the
bundle holds what there was""" % plan.RIGHTS
_NAMED = """WHAT is a KIND, a NAMESPACE or a PATH: the plural or the kind of objects (pods, Event, projects.run.ai; logs and
nvidia-smi go with pods, certificates and Helm's labels with secrets); the name of a namespace, or a pattern (team-*); a
pattern, with a slash, of files of the bundle (logs/team-*). kind:, namespace: or path: before it says which is meant. Version,
health, the API list and the namespaces are always read; in lists of the whole cluster what is of other namespaces is dropped
after reading."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    limits = plan.Limits()
    more = " Other commands, each with a --help of its own: %s." % "; ".join(
        ["runai-collect %s (%s)" % (name, COMMANDS[name]) for name in sorted(COMMANDS)])
    parser = Parser(prog="runai-collect", usage="runai-collect [options]", description=_ABOUT + more, epilog=_EXITS)
    where = parser.add_argument_group("where").add_argument
    where("-o", "--output", metavar="FILE", default="",
          help="the bundle to write, or a folder for it (default: runai-bundle-CLUSTER-TIME.tgz here)")
    where("--kubeconfig", metavar="FILE", default="", help="as kubectl's")
    where("--context", metavar="NAME", default="", help="as kubectl's")
    where("--kubectl", metavar="PATH", default="",
          help="kubectl or oc to run (default: the first of both on PATH; in a pod without a kubeconfig, its service account). "
          "Without Unix sockets kubectl proxy has a port that whoever sees the command lines of your processes can use")
    less = parser.add_argument_group("read less", _NAMED).add_argument
    less("-n", "--namespace", metavar="NS", type=_namespace, action="append", default=[],
         help="read namespaced objects of this namespace only; may be given again")
    less("--exclude", metavar="WHAT", type=read_wish, action="append", default=[], help="leave this out; may be given again")
    less("--only", metavar="WHAT", type=read_wish, action="append", default=[], help="leave out all else; may be given again")
    less("--no-exec", action="store_true", help="do not run nvidia-smi in the pods that have it")
    less("--no-logs", action="store_true", help="read no logs")
    less("--no-secrets", action="store_true", help="read neither the names of Secrets nor certificates")
    less("--no-certificates", action="store_true", help="read no Secret whole, not even for its public certificate")
    more = parser.add_argument_group("read more").add_argument
    more("--exec-user-pods", action="store_true", help="run nvidia-smi also in users' running pods that hold GPUs, where no "
         "NVIDIA pod of the node has it")
    more("--exec-host", action="store_true", help="run the host's nvidia-smi too, through chroot in an NVIDIA container that "
         "mounts the host")
    more("--probe", action="store_true", help="connect from this machine to the cluster URL, the control plane and what else "
         "Run:ai needs; nothing but the connection is sent")
    more("--plan-file", metavar="FILE", type=read_plan_file, default=plan.Extra(), help="read what this JSON file adds: kinds, "
         "groups, configmaps, logs; --plan shows it")
    bounds = parser.add_argument_group("limits").add_argument
    bounds("--log-lines", metavar="N", type=_whole(1000000), default=limits.log_lines,
           help="newest lines of each log (default: %(default)s)")
    bounds("--since", metavar="TIME", type=_duration, default=0.0, help="of logs only what is newer: 6h or 2d (default: all)")
    bounds("--deadline", metavar="TIME", type=_duration, default=limits.deadline,
           help="stop reading after this long: 90, 90s or 15m (default: 15m)")
    bounds("--max-size", metavar="SIZE", type=_size, default=limits.archive,
           help="size of the bundle at most: 200M or 1G (default: 2G)")
    bounds("--concurrency", metavar="N", type=_whole(16), default=limits.list_workers,
           help="lists and logs that are read at the same time (default: %(default)s)")
    bounds("--qps", metavar="N", type=_whole(200), default=limits.requests_per_second,
           help="requests a second at most (default: %(default)s)")
    how = parser.add_argument_group("how").add_argument
    how("--check", action="store_true", help="say what would be refused and end, with exit code 1 when anything would: one "
        "object of each kind is read, and there is no bundle")
    how("--plan", action="store_true", help="print what a run with these options reads, and what never is, and end; no cluster "
        "is asked; with --json for programs")
    how("--rbac", metavar="TIERS", type=_tiers, nargs="?", const=rbac.TIERS, help="print the roles that a run needs and end: "
        "base (no Secrets, no exec), +secrets, +exec, +secrets+exec or all (default); with -n for a run with -n")
    how("--certificate", metavar="NS/NAME", type=_secret, action="append", default=[], help="with --rbac: one more Secret that "
        "may be read for its public certificate")
    how("--keep-despite-scan", action="store_true",
        help="keep the bundle's name even when the last scan found what looks like a secret in it")
    how("-q", "--quiet", action="store_true", help="no progress, and only the bundle's path at the end")
    how("--json", action="store_true", help="the summary as JSON")
    how("--version", action="version", version="runai-collect " + __version__)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser that tells mistakes as JSON too, where that is asked for."""

    def error(self, message: str) -> NoReturn:
        """As argparse's; the error stands on stderr as well."""
        if "--json" in sys.argv:
            show(sys.stdout, json.dumps({"error": message, "exit_code": 2}) + "\n")
        super().error(message)


def read_options(chosen: argparse.Namespace) -> plan.Options:
    """Return what the plan is told of the command line."""
    limits = plan.Limits(log_lines=chosen.log_lines, deadline=chosen.deadline, archive=chosen.max_size,
                         list_workers=chosen.concurrency, requests_per_second=chosen.qps).fitted()
    names = [wish.partition(":")[2] for wish in chosen.only if wish.startswith("namespace:")]
    # Namespaces that are all named in full are read one by one, as with -n: that takes fewer rights.
    named = chosen.namespace + ([] if any(set(name) & set("*?") for name in names) else names)
    return plan.Options(_once(named), not chosen.no_exec, not chosen.no_logs, not chosen.no_secrets,
                        not chosen.no_certificates, limits, _once(chosen.exclude), _once(chosen.only), chosen.since,
                        chosen.exec_user_pods, chosen.exec_host, chosen.probe, chosen.plan_file)


def _once(values: List[str]) -> Tuple[str, ...]:
    return tuple(sorted(set(values)))


def _namespace(text: str) -> str:
    if not re.match(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z", text):
        raise argparse.ArgumentTypeError("%r is not the name of a namespace; for several give -n again" % text)
    return text


def _tiers(text: str) -> Tuple[str, ...]:
    try:
        return rbac.read_tiers(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error))


def _secret(text: str) -> Tuple[str, str]:
    namespace, _, name = text.partition("/")
    if not re.match(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\Z", name):
        raise argparse.ArgumentTypeError("%r is not the NAMESPACE/NAME of a Secret" % text)
    return _namespace(namespace), name


def _whole(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.match(r"[0-9]{1,7}\Z", text) or not 0 < int(text) <= most:
            raise argparse.ArgumentTypeError("%r is not a number from 1 to %d" % (text, most))
        return int(text)
    return read


def _duration(text: str) -> float:
    match = re.match(r"([0-9]{1,9})([smhd]?)\Z", text)
    if not match or not int(match.group(1)):
        raise argparse.ArgumentTypeError("%r is not a time such as 90s or 15m" % text)
    return float(int(match.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match.group(2)])


def _size(text: str) -> int:
    match = re.match(r"([0-9]{1,6})([KMG])i?B?\Z", text, re.IGNORECASE)
    size = int(match.group(1)) << {"K": 10, "M": 20, "G": 30}[match.group(2).upper()] if match else 0
    if size < 1 << 16:
        raise argparse.ArgumentTypeError("%r is not a size such as 200M or 1G, and 64K at least" % text)
    return size
