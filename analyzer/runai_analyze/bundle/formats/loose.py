"""Loose files as a person saves them: ``kubectl get … -o yaml`` or ``-o json`` of whatever seemed to matter."""

from __future__ import annotations

from collections.abc import Sequence

from ..intake.format import Format, Match, Member
from ..intake.intake import Intake

_ENDINGS = (".yaml", ".yml", ".json", ".txt")


def _match(names: Sequence[str]) -> Match | None:
    """Take any folder with such a file: it is the last format that is asked."""
    return Match("", 0) if any(name.lower().endswith(_ENDINGS) for name in names) else None


def _take(member: Member, intake: Intake) -> None:
    if member.name.lower().endswith(_ENDINGS):
        intake.objects(member)


def _finish(names: Sequence[str], intake: Intake) -> None:
    """Nothing tells which lists are whole: what is there is there, and of nothing it is known that there is no more."""


FORMAT = Format("loose files", "a folder of loose files", _match, _take, _finish)
