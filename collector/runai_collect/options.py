"""The options of the command line: their help, their values, and what of the plan they change."""

import argparse
from functools import partial
from importlib import import_module
from typing import Any, Callable, Dict, List, Tuple

from . import __version__, plan
from .progress import program
from .readme import resource

# What is asked of a file or a machine instead of a cluster: the modules of these names, with options of their own.
COMMANDS: Dict[str, str] = {
    "inspect": "what is in a bundle, what was hidden, and whether it is as it was written; asks no cluster",
    "remove": "a bundle anew without some of its members; asks no cluster",
    "node": "what the machine tells on which it runs: nvidia-smi, kernel log, container runtime; asks no cluster",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    limits, wish, value = plan.Limits(), _lazy("wishes", "read_wish"), partial(_lazy, "values")
    time, size, whole = value("read_time"), value("read_size"), partial(value, "read_whole")
    commands = "; ".join(["%%(prog)s %s (%s)" % (name, COMMANDS[name]) for name in sorted(COMMANDS)])
    about, what, exits = resource("help.txt").format(commands=commands, rights=plan.RIGHTS).split("==\n")
    parser = argparse.ArgumentParser(prog=program(), usage="%(prog)s [options]", description=about, epilog=exits)
    where = parser.add_argument_group("where").add_argument
    where("-o", "--output", metavar="FILE", default="", help="the bundle or its folder (default: runai-bundle-CLUSTER-TIME.tgz)")
    where("--kubeconfig", metavar="FILE", default="", help="as kubectl's")
    where("--context", metavar="NAME", default="", help="as kubectl's")
    where("--kubectl", metavar="PATH", default="", help="kubectl or oc (default: the first on PATH, or a pod's own account)")
    less = parser.add_argument_group("read less", what).add_argument
    less("-n", "--namespace", metavar="NS", type=value("read_namespace"), action="append", default=[],
         help="read namespaced objects of this one only; may be given again")
    less("--exclude", metavar="WHAT", type=wish, action="append", default=[], help="leave this out; may be given again")
    less("--only", metavar="WHAT", type=wish, action="append", default=[], help="leave out all else; may be given again")
    less("--no-exec", action="store_true", help="do not run nvidia-smi in the pods that have it")
    less("--no-logs", action="store_true", help="read no logs")
    less("--no-secrets", action="store_true", help="read neither the names of Secrets nor certificates")
    less("--no-certificates", action="store_true", help="read no Secret whole, not even for its public certificate")
    more = parser.add_argument_group("read more").add_argument
    more("--exec-user-pods", action="store_true", help="run nvidia-smi also in users' pods with GPUs, where no other pod has it")
    more("--exec-host", action="store_true", help="run the host's nvidia-smi too, by chroot in an NVIDIA pod that mounts it")
    more("--probe", action="store_true", help="connect from here to what Run:ai needs; it sends the connection and HEAD / alone")
    more("--plan-file", metavar="FILE", type=_lazy("planfile", "read_plan_file"), default=plan.Extra(),
         help="read what this JSON file adds: kinds, groups, configmaps, logs; --plan shows it")
    bound = parser.add_argument_group("limits", "In brackets what holds otherwise.").add_argument
    bound("--log-lines", metavar="N", type=whole(1000000), default=limits.log_lines, help="newest lines of a log (%(default)s)")
    bound("--since", metavar="TIME", type=time, default=0.0, help="of logs only what is newer: 6h or 2d (all)")
    bound("--deadline", metavar="TIME", type=time, default=limits.deadline, help="stop reading after it: 90s or 1h (15m)")
    bound("--max-size", metavar="SIZE", type=size, default=limits.archive, help="of the bundle, at most: 200M or 1G (2G)")
    bound("--concurrency", metavar="N", type=whole(16), default=limits.list_workers, help="reads at the same time (%(default)s)")
    bound("--qps", metavar="N", type=whole(200), default=limits.requests_per_second, help="requests a second (%(default)s)")
    how = parser.add_argument_group("how").add_argument
    how("--check", action="store_true", help="read one object of each kind, say what would be refused (exit code 1), and end")
    how("--plan", action="store_true", help="print what these options read, and what never is read, and end; with --json as JSON")
    how("--rbac", metavar="TIERS", type=_lazy("rbac", "read_tiers"), nargs="?", const="all", help="print the roles that a run "
        "with these options needs, and end: base (no Secrets, no exec), +secrets, +exec, +secrets+exec or all (default)")
    how("--certificate", metavar="NS/NAME", type=value("read_secret"), action="append", default=[],
        help="with --rbac: one more Secret that may be read for its public certificate")
    how("--keep-despite-scan", action="store_true", help="keep the bundle although the last scan found what looks like a secret")
    how("-q", "--quiet", action="store_true", help="no progress, and only the bundle's path at the end")
    how("--json", action="store_true", help="the summary as JSON; of --plan and --check what they print")
    how("--version", action="version", version="runai-collect " + __version__)
    return parser


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


def _lazy(module: str, name: str, *more: int) -> Callable[[str], Any]:
    """Return the reader of a value out of a module that is loaded only when its option is given."""
    return lambda text: getattr(import_module("." + module, __package__), name)(text, *more)
