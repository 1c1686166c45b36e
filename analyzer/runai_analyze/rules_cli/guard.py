"""What holds for all commands of runai-rules: no traceback ever, and options that are given once for each name."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from runai_analyze.errors import Exit, UserError
from runai_analyze.plain import describe_fault, visible

_ONCE = (click.ClickException, click.exceptions.Exit, click.Abort, EOFError)  # click itself says these, and how they end


class Tools(click.Group):
    """A group whose commands end with one line and an exit code, whatever happens in them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it did not foresee is said in one line."""
        try:
            return super().invoke(ctx)
        except _ONCE:
            raise
        except UserError as error:
            self._end(error.words, error.exit_code)
        except OSError as error:
            if error.errno == errno.EPIPE or not error.strerror:  # a reader that went away, which click knows
                raise
            self._end(f"{error.filename or 'a file'}: {error.strerror}", Exit.USAGE)
        except Exception as error:
            self._end(f"a fault of this program, please report it: {describe_fault(error)}", Exit.INCOMPLETE)

    def _end(self, words: str, code: Exit) -> None:
        click.echo(visible(f"runai-rules: {words}".replace("\n", "\\n")), err=True)
        sys.exit(code)


def end_with(error: UserError) -> NoReturn:
    """Say what a person can put right, in whole where it is a line of a file, and end with its exit code."""
    click.echo(visible(f"runai-rules: {error.words}"), err=True)
    raise SystemExit(error.exit_code) from None


def one_each(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of an option that takes one name each; a usage error where several stand in one."""
    for value in values:
        _refuse_several(value, ctx, param)
    return values


class OnePath(click.Path):
    """A file or folder that is there; of several in one value it is said how to give them."""

    def __init__(self) -> None:
        super().__init__(exists=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; a usage error where it is none."""
        if isinstance(value, str) and not Path(value).exists():
            _refuse_several(value, ctx, param)
        return super().convert(value, param, ctx)


def _refuse_several(value: str, ctx: click.Context | None, param: click.Parameter | None) -> None:
    parts = [part for part in value.replace(",", " ").split() if part]
    if len(parts) < 2 or param is None:
        return
    option = max(param.opts, key=len)
    written = " ".join(f"{option} {part}" for part in parts[:3]) + (" …" if len(parts) > 3 else "")
    raise click.BadParameter(visible(f"one each, given several times: {written}"), ctx, param)
