"""Write the tables of the pages in rules/ that are made from the program: ``python -m tests.make_rules_reference``."""

import re
from pathlib import Path

import click
from runai_analyze.authoring.reference import PARTS
from runai_analyze.rules_cli import COMMANDS

PAGE = Path(__file__).parent.parent / "rules" / "README.md"
PAGES = (PAGE, PAGE.with_name("REFERENCE.md"))
ORDER = "new facts lint test cover try watch explain list schema backtest pack accept"
_PART = re.compile(r"(<!-- made from the program: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def commands() -> str:
    """Return the commands with what each does."""
    rows = (f"| `runai-rules {command.name}` | {command.get_short_help_str(200)} |" for command in sorted_commands())
    return "\n".join(("| Command | What it does |", "| --- | --- |", *rows))


def sorted_commands() -> list[click.Command]:
    """Return the commands in the order in which a rule is made."""
    order = {name: number for number, name in enumerate(ORDER.split())}
    return sorted(COMMANDS, key=lambda command: (order.get(command.name or "", len(order)), command.name))


def made(text: str) -> str:
    """Return the page with every part made anew."""
    parts = {**PARTS, "commands": commands}
    return _PART.sub(lambda match: f"{match[1]}\n{parts[match[2]]()}\n\n{match[4]}", text)


def main() -> None:
    """Write the pages."""
    for page in PAGES:
        page.write_text(made(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
