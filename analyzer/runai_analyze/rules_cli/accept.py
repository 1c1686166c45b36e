"""runai-rules accept: a finding that a site lives with for a time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import RuleErrors, UserError
from runai_analyze.plain import visible

from .reading import end_with_mistakes, pack_at
from .writing import write_file

if TYPE_CHECKING:  # what the commands need is imported when they run: --help stays quick
    from runai_analyze.authoring.accept import Found


@click.command(short_help="Accept a finding, until a day.")
@click.argument("fingerprint")
@click.argument("report", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[BUNDLE|REPORT]")
@click.option("--reason", required=True, help="Why the site lives with it; the report prints it.")
@click.option("--until", required=True, metavar="DAY",
              help="The last day on which it is accepted, at most a year away: 2027-03-31.")
@click.option("--by", required=True, envvar="RUNAI_ACCEPTED_BY", metavar="NAME",
              help="Who accepts it; also read from the environment variable RUNAI_ACCEPTED_BY.")
@click.option("--pack", "path", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="The site's pack. [default: the pack in this folder or in its folder rules]")
def accept(fingerprint: str, report: Path | None, reason: str, until: str, by: str, path: Path | None) -> None:
    """Accept the finding with this FINGERPRINT: writes an entry to suppressions.yaml of the site's pack.

    The report prints the fingerprint with each finding. With the BUNDLE, or the report.json, it is looked up there first, and
    the entry says what it is on. In reports that are made with --rules DIR the finding then stands under Accepted, with the
    reason, the name and the last day, and no longer counts; a bundle that is taken after that day shows it again.
    """
    from runai_analyze.authoring.accept import Entry, check_fingerprint, check_until, with_entry
    from runai_analyze.ruleset.packs import default_pack
    from runai_analyze.ruleset.suppressions import SUPPRESSIONS_FILE

    folder = pack_at(path)
    if folder.resolve() == default_pack().resolve():
        raise click.UsageError("these rules ship with the program; name the pack of the site with --pack DIR")
    today = datetime.now(UTC).date()
    for name, value in (("--reason", reason), ("--by", by)):
        if not value.strip():
            raise click.UsageError(f"{name} is empty")
    try:
        wanted = check_fingerprint(fingerprint.strip().lower())
        entry = Entry(wanted, reason, by, check_until(until, today), today, _found(report, wanted, folder) if report else None)
        file = folder / SUPPRESSIONS_FILE
        text = file.read_bytes().decode() if file.is_file() else ""
        write_file(file, with_entry(str(file), text, entry).encode())
    except RuleErrors as error:
        end_with_mistakes(error.lines)
    except UserError as error:
        raise click.UsageError(f"{error.message}: {error.hint}" if error.hint else error.message) from None
    except UnicodeDecodeError:
        raise click.UsageError(f"{folder / SUPPRESSIONS_FILE} is not UTF-8 text") from None
    what = f"{entry.found.rule}, {entry.found.subject}" if entry.found else f"the finding {wanted}"
    click.echo(visible(f"{file}: accepts {what} until {entry.until}"))


def _found(path: Path, fingerprint: str, folder: Path) -> Found:
    from runai_analyze.authoring.accept import in_json, in_report
    from runai_analyze.pipeline import Options, analyze

    if path.suffix == ".json":
        return in_json(path, fingerprint)
    return in_report(analyze(path, Options(rules=(folder,))), fingerprint)
