"""What all commands of runai-rules share: reading the packs that a person named, and saying what was read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from runai_analyze.errors import Exit, UserError

if TYPE_CHECKING:  # what the commands need is imported when they run: --help stays quick
    from runai_analyze.engine.examples import MakeFacts
    from runai_analyze.ruleset.mistakes import Mistake
    from runai_analyze.ruleset.reading import Remembered
    from runai_analyze.ruleset.rule import Pack, Rule

SEVERITIES = ("critical", "high", "medium", "low", "info")  # as in ruleset.format, which is slow to import
PATHS = click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATH]...")


class Checked(NamedTuple):
    """What was read: all packs as one, of them the rules and mistakes under the paths that were named, and these in words."""

    pack: Pack
    rules: tuple[Rule, ...]
    mistakes: tuple[Mistake, ...]
    where: str


def read(
    paths: Sequence[Path], remarks: bool = False, today: date | None = None, remembered: Remembered | None = None
) -> Checked:
    """Read the packs that the paths lie in, after the shipped one, whose tables, extracts and rules they may name.

    ``remarks``: the mistakes are those of ``lint_packs``, for which the day counts. ``remembered``: as of ``read_packs``.
    """
    from runai_analyze.ruleset import default_pack, lint_packs, pack_name, read_packs

    for path in paths:
        if not path.is_dir() and not (path.is_file() and path.suffix in (".yaml", ".yml", ".md", ".zip")):
            raise click.UsageError(f"{path} is neither a folder nor a rule file nor a file of runai-rules pack build")
    shipped = default_pack()
    chosen = tuple(paths) or (pack_here() or shipped,)
    folders = list(dict.fromkeys(pack_folder(path) for path in chosen))
    if not any(pack_name(folder) == pack_name(shipped) for folder in folders):
        folders.insert(0, shipped)
    try:
        pack, mistakes = lint_packs(folders, today) if remarks else read_packs(folders, remembered=remembered)
    except UserError as error:
        raise click.UsageError(f"{error.message}: {error.hint}" if error.hint else error.message) from None
    inside = [form for path in chosen for form in (path.absolute(), path.resolve())]
    return Checked(
        pack,
        tuple(rule for rule in pack.rules if _under(rule.file, inside)),
        tuple(mistake for mistake in mistakes if _under(mistake.file, inside)),
        ", ".join(map(str, chosen)) if chosen != (shipped,) else f"{shipped} (the rules that ship with the program)",
    )


def pack_here() -> Path | None:
    """Return the pack that a person stands in or beside; a usage error where it may be one of several."""
    here = next((folder for folder in (Path("rules"), Path()) if (folder / "pack.yaml").is_file()), None)
    if here is not None:
        return here
    beside = sorted(path.parent for path in Path().glob("*/pack.yaml"))
    if len(beside) > 1:
        raise click.UsageError(f"there are several packs here: say which, {' or '.join(map(str, beside))}")
    return beside[0] if beside else None


def pack_at(path: Path | None) -> Path:
    """Return the pack at a path, or without one the pack at hand; a usage error where there is none."""
    found = path or pack_here()
    if found is None:
        raise click.UsageError("there is no pack.yaml in this folder or in a folder of it; name the pack")
    if found.is_dir() and not (found / "pack.yaml").is_file():
        raise click.UsageError(f"{found} has no pack.yaml")
    return found


def valid(paths: Sequence[Path]) -> Checked:
    """Read packs as ``read`` does; where they have mistakes these are shown, and the command ends."""
    checked = read(paths)
    if checked.mistakes:
        end_with_mistakes(checked.mistakes)
    return checked


def end_with_mistakes(mistakes: Iterable[object]) -> NoReturn:
    """Show the mistakes of a pack, and end with the exit code for them."""
    for mistake in mistakes:
        click.echo(mistake, err=True)
    raise SystemExit(Exit.RULES) from None


def find_rule(checked: Checked, name: str) -> Rule:
    """Return the rule of an id, in whatever case it was typed; a usage error that says which was probably meant."""
    from runai_analyze.ruleset.mistakes import did_you_mean

    by_id = {rule.id: rule for rule in (*checked.pack.rules, *checked.rules)}
    if name.upper() not in by_id:
        own = {rule.id for rule in checked.rules}
        meant = did_you_mean(name.upper(), own) or did_you_mean(name.upper(), by_id)
        own_pack = "" if meant or "ship with" not in checked.where else "; is it in a pack of your own? Name its folder too"
        raise click.UsageError(f'there is no rule "{name}" in {checked.where}{meant}{own_pack}')
    return by_id[name.upper()]


def pack_folder(path: Path) -> Path:
    """Return the folder with pack.yaml that a path lies in, or the packed file; a folder without one is a pack that lacks it."""
    if path.suffix == ".zip" and path.is_file():
        return path
    start = path if path.is_dir() else path.parent
    for folder in (start, *start.resolve().parents):
        if (folder / "pack.yaml").is_file():
            return folder
    return start


def _under(file: str, paths: Sequence[Path]) -> bool:
    places = (Path(os.path.abspath(file)), Path(file).resolve())  # a link lies where it stands and where it points
    return any(place == path or path in place.parents for place in places for path in paths)


def example_maker() -> MakeFacts:
    """Return how the facts of a rule's example are made."""
    from runai_analyze.facts import example_facts

    return lambda example, kinds: example_facts(
        given=example.given,
        cluster=example.cluster,
        not_collected=example.not_collected,
        bundle_time=example.bundle_time,
        kinds=kinds,
    )


def many(count: int, word: str) -> str:
    """Return a number with its word: ``1 rule``, ``2 rules``."""
    return f"{count} {word}{'' if count == 1 else 's'}"
