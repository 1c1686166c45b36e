"""Mistakes that people can act on: one line saying what is wrong and where, a hint, and the exit code of the program."""

from __future__ import annotations

import shlex
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of runai-analyze; the highest that applies is used."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    BUNDLE = 3
    RULES = 4
    INCOMPLETE = 5
    INTERRUPTED = 130


class UserError(Exception):
    """Something a person can put right; printed as one line, without a traceback."""

    exit_code = Exit.USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def words(self) -> str:
        """The message, with the hint in brackets."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BundleError(UserError):
    """The bundle cannot be read, or is not safe to read."""

    exit_code = Exit.BUNDLE


class RuleErrors(UserError):  # noqa: N818 - it carries all of them
    """One or more mistakes in rule files; ``lines`` holds each whole message, in the order of files and lines.

    ``folders``: the packs that they are in.
    """

    exit_code = Exit.RULES

    def __init__(self, lines: tuple[str, ...], folders: tuple[str, ...]) -> None:
        said = f"{len(lines)} mistake{'s' if len(lines) != 1 else ''} in the rules"
        super().__init__(said, f"runai-rules lint {' '.join(map(shlex.quote, folders))}")
        self.lines = lines
