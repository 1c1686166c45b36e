"""runai-analyze: the command line. The only place of the analyzer that prints, exits, writes files and reads the environment."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from . import __version__
from .errors import Exit, UserError
from .plain import describe_fault, visible

if TYPE_CHECKING:
    from .model import Report
    from .pipeline import Options

FORMATS = ("html", "pdf", "json")
PLANNED = ("inference", "distributed", "autoscaling", "mpi")
FAIL_ON = ("critical", "high", "medium", "low", "info", "never")


def names_of(allowed: Sequence[str], some: bool = False) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """Return a callback that turns comma-separated names out of ``allowed`` into a tuple, in the order of ``allowed``.

    ``some``: at least one must be given.
    """

    def names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        chosen = [name.strip() for name in value.split(",") if name.strip()]
        for name in chosen:
            if name not in allowed:
                raise click.BadParameter(f"{name!r} is none of {', '.join(allowed)}")
        if not chosen and (value or some):
            raise click.BadParameter(f"names none of {', '.join(allowed)}")
        return tuple(name for name in allowed if name in chosen)

    return names


def release(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check a Run:ai version such as 2.25 or v2.25.14 and return it without the ``v``."""
    if value is not None and not re.fullmatch(r"v?\d{1,4}\.\d{1,4}(\.\d{1,6})?", value, re.ASCII):
        raise click.BadParameter(f"{value!r} is not a version such as 2.25")
    return value and value.removeprefix("v")


EPILOG = (
    "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage, 3 bundle unreadable or unsafe, 4 rules invalid, "
    "5 incomplete (a rule or this program broke, the bundle was cut, a format could not be written; with --strict also unknown "
    "answers), 130 interrupted. "
    "The highest that applies is used."
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.argument("bundles", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="BUNDLE...")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Folder for the report. [default: the bundle's name with -report, in the current folder]")
@click.option("--format", "formats", callback=names_of(FORMATS, some=True), default="html,pdf", metavar="LIST",
              help=f"Comma-separated formats out of {', '.join(FORMATS)}. [default: html,pdf]")
@click.option("--rules", multiple=True, type=click.Path(exists=True, path_type=Path), metavar="PACK",
              help="One more rule pack, a folder or a file of runai-rules pack build, loaded after the shipped one (in its place "
                   "where it has its name); may be given several times.")
@click.option("--runai-version", callback=release, metavar="X.Y",
              help="Judge for this Run:ai release; beats what the bundle shows.")
@click.option("--planned", callback=names_of(PLANNED), default="", metavar="LIST",
              help=f"Features that are planned, out of {', '.join(PLANNED)}; their prerequisites are then judged.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), default="high", show_default=True,
              help="The least severity that makes the exit code 1.")
@click.option("--strict", is_flag=True, help="Unknown answers make the exit code 5.")
@click.option("--explain-bundle", "explain", is_flag=True,
              help="Run no rules: say what BUNDLE is, what is in it and what is missing, as text or with --format json as JSON.")
@click.option("--convert", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.tgz",
              help="Run no rules: write BUNDLE to a new file in the format of runai-collect, redacted.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.version_option(__version__, prog_name="runai-analyze")
def main(bundles: tuple[Path, ...], output: Path | None, formats: tuple[str, ...], rules: tuple[Path, ...],
         runai_version: str | None, planned: tuple[str, ...], fail_on: str, strict: bool, explain: bool, convert: Path | None,
         quiet: bool) -> None:
    """Turn a support BUNDLE into a report: what is wrong, the evidence, what to do, what could not be seen. Needs no network.

    A BUNDLE is what runai-collect wrote, what another tool wrote, or a folder or a file of kubectl's output; - is standard input.
    Several of one cluster are read as one.
    """
    from .pipeline import Options

    if explain and convert:
        raise click.UsageError("--explain-bundle and --convert exclude each other")
    options = Options(rules, runai_version, planned, cache_folder(), monotonic)
    job = Job(bundles, output or Path(f"{bundle_stem(bundles[0])}-report"), formats, options)
    tell = hush if quiet else say
    try:
        if explain:
            code = explain_bundles(job)
        elif convert:
            code = convert_bundles(job, convert, tell)
        else:
            code = run(job, fail_on, strict, tell)
    except UserError as error:
        code = complain(error)
    except KeyboardInterrupt:
        say("runai-analyze: interrupted")
        code = Exit.INTERRUPTED
    except Exception as error:  # a fault of ours must not end with the code of findings
        say(f"runai-analyze: a fault of this program, please report it: {describe_fault(error)}")
        code = Exit.INCOMPLETE
    sys.exit(code)


def cache_folder() -> Path | None:
    """Return where this user's programs keep what can be made again; None where there is no such place."""
    root = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    try:
        return (Path(root) if root and Path(root).is_absolute() else Path.home() / ".cache") / "runai-analyze"
    except RuntimeError:  # a user without a home
        return None


@dataclass(frozen=True)
class Job:
    """What one run reads and writes."""

    bundles: tuple[Path, ...]
    output: Path
    formats: tuple[str, ...]
    options: Options


def run(job: Job, fail_on: str, strict: bool, tell: Callable[[str], None]) -> Exit:
    """Analyze, write, and return the exit code."""
    from .output import OutputFolder
    from .pipeline import analyze
    from .report.summary import summary_lines

    folder = OutputFolder(job.output)
    folder.check([f"report.{name}" for name in job.formats])
    stage = tell if sys.stderr is not None and sys.stderr.isatty() else hush
    report = analyze(job.bundles, job.options, lambda name: stage(f"… {name}"))
    written, unwritten = [], False
    for name in job.formats:
        stage(f"… writing the {name.upper()}")
        try:
            written.append(folder.write(f"report.{name}", render(report, name)))
        except UserError as error:
            unwritten = True
            say(f"runai-analyze: no {name.upper()}: {one_line(error)}")
    for line in [*summary_lines(report), *map(str, written)]:
        tell(line)
    return exit_code(report, fail_on, strict, unwritten)


def explain_bundles(job: Job) -> Exit:
    """Print what the bundles are, what is in them and what is missing."""
    from .pipeline import explain_bundles

    click.echo(visible_lines(explain_bundles(job.bundles, job.options, job.formats == ("json",))), nl=False)
    return Exit.CLEAN


def convert_bundles(job: Job, to: Path, tell: Callable[[str], None]) -> Exit:
    """Write the bundles in our own format."""
    from .pipeline import convert_bundles

    tell(convert_bundles(job.bundles, to, job.options))
    return Exit.CLEAN


def render(report: Report, name: str) -> bytes:
    """Return the bytes of one format; raises ``UserError`` when it cannot be made on this machine."""
    if name == "pdf":
        from .report.pdf import render_pdf

        return render_pdf(report)
    if name == "json":
        from .report.json import render_json

        return render_json(report).encode()
    from .report.html import render_html

    return render_html(report).encode()


def exit_code(report: Report, fail_on: str, strict: bool, unwritten: bool) -> Exit:
    """Return the highest exit code that applies to a report."""
    from .model import Severity, Status

    broke = report.counts.get(Status.ERROR, 0) > 0 or report.bundle.state != "complete" or unwritten
    if broke or (strict and report.counts.get(Status.UNKNOWN, 0) > 0):
        return Exit.INCOMPLETE
    if fail_on == "never":
        return Exit.CLEAN
    least = Severity[fail_on.upper()]
    failed = any(outcome.status is Status.FAIL and outcome.severity >= least for outcome in report.outcomes)
    return Exit.FINDINGS if failed else Exit.CLEAN


def bundle_stem(path: Path) -> str:
    """Return the bundle's file name without its archive endings and without characters that a terminal would obey."""
    name = path.name
    for ending in (".gz", ".tgz", ".tar"):
        name = name.removesuffix(ending)
    return "".join(letter if letter.isprintable() else "_" for letter in name) or "bundle"


def visible_lines(text: str) -> str:
    """Return text in which no character but line ends commands a terminal."""
    return "".join(visible(line) + "\n" for line in text.splitlines())


def complain(error: UserError) -> Exit:
    """Print the one line (or, for rules, every line) of a person's mistake and return its exit code."""
    for line in getattr(error, "lines", ()):
        say(line)
    say(f"runai-analyze: {one_line(error)}")
    return error.exit_code


def one_line(error: UserError) -> str:
    """Return the message with its hint, on one line."""
    return visible(error.words.replace("\n", "\\n"))


def say(text: str) -> None:
    """Print to standard error; a reader that went away, or none at all, never matters."""
    try:
        click.echo(visible(text), err=True)
    except OSError:  # what is still in the buffer would make the interpreter end with 120
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    except (ValueError, AttributeError):
        return


def hush(text: str) -> None:
    """Print nothing."""
