"""What is printed and nothing else is done: --plan, --rbac, inspect. Who asked for it is told when stdout has not taken it."""

import sys
from argparse import Namespace

from .plan import Options
from .progress import show


def print_asked(chosen: Namespace, options: Options) -> bool:
    """Print the plan or the roles of a run with these options; returns whether all of it was taken."""
    if chosen.rbac:
        from .rbac import manifest
        return printed(show(sys.stdout, manifest(chosen.rbac, sorted(set(chosen.certificate)), options)))
    from .planned import plan_json, plan_text
    return printed(show(sys.stdout, plan_json(options) if chosen.json else plan_text(options)))


def printed(taken: bool) -> bool:
    """Say when stdout has not taken what was asked for; returns whether it has."""
    if not taken:
        show(sys.stderr, "runai-collect: stdout is closed, or its disk full: not all that was asked for could be written\n")
    return taken
