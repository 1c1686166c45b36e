"""runai-rules: the tools for people who write rules. One module a command; what they do stands in ``authoring``."""

from __future__ import annotations

import click

from runai_analyze import __version__

from .accept import accept
from .backtest import backtest
from .cover import cover
from .explain import explain
from .facts import facts
from .guard import Tools
from .lint import lint
from .listing import list_rules
from .new import new
from .pack import pack
from .schema import schema
from .test import test
from .try_ import try_
from .watch import watch

COMMANDS: tuple[click.Command, ...] = (
    lint,
    test,
    cover,
    try_,
    watch,
    list_rules,
    explain,
    facts,
    pack,
    accept,
    new,
    schema,
    backtest,
)


@click.group(cls=Tools, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="runai-rules")
def main() -> None:
    """Write and check the rules of runai-analyze.

    PATH is a folder of rules with a pack.yaml, a folder inside one, or a single rule file. Without PATH: the pack in this folder
    or in a folder of it, else the rules that ship with the program.
    """


for _command in COMMANDS:
    main.add_command(_command)
