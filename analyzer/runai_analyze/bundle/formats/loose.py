"""Loose files as a person saves them: ``kubectl get … -o yaml`` or ``-o json`` of whatever seemed to matter.

A list does not say whether it was asked of all namespaces, or with a selector: what is there is there, and of nothing it is
known that there is no more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..intake.format import Format, Match, Member
from ..intake.held import Held, hold
from ..intake.intake import Intake
from ..intake.machines import node_in, smi_text
from ..intake.texts import decode
from .dump import is_stream, take_stream

_ENDINGS = (".yaml", ".yml", ".json", ".txt")
_VERSION = re.compile(rb"""\bgitVersion"?: ?"?v\d""")
_LONGEST_VERSION = 10_000


def _match(names: Sequence[str]) -> Match | None:
    """Take any folder with such a file: it is the last format that is asked."""
    return Match("", 0) if any(name.lower().endswith(_ENDINGS) for name in names) else None


def _take(member: Member, intake: Intake) -> None:
    if member.name.lower().endswith(_ENDINGS):
        _take_any(member, intake)


def _take_any(member: Member, intake: Intake) -> None:
    held = hold(member)
    if len(held.data) < _LONGEST_VERSION and _VERSION.search(held.data) and _take_version(held, intake):
        return
    if is_stream(held.data):
        take_stream(held, intake)
    elif not intake.shows(held.name, held.data, held.whole) and not _is_of_nvidia_smi(held, intake):
        intake.objects(held)


def _is_of_nvidia_smi(held: Held, intake: Intake) -> bool:
    return held.name.lower().endswith(".txt") and smi_text(intake, node_in(held.name), decode(held.data)[0], held.name)


def _take_version(held: Held, intake: Intake) -> bool:
    """Take what ``kubectl version -o json`` or ``kubectl get --raw /version`` printed; a client alone tells nothing."""
    body: Any = intake.document(held)
    if not isinstance(body, dict) or "kind" in body:
        return False
    server = body.get("serverVersion", {} if "clientVersion" in body else body)
    if isinstance(server, dict) and isinstance(server.get("gitVersion"), str):
        intake.version = intake.version or {key: value for key, value in server.items() if isinstance(value, str)}
    return True


def _finish(names: Sequence[str], intake: Intake) -> None:
    """Nothing tells which lists are whole. That there is nothing at all should be said, though."""
    if not intake.known() and not intake.version and not intake.spool.logged() and not intake.steps:
        intake.problems.add("", "no file in it holds an object of Kubernetes", "nothing can be said of the cluster")


FORMAT = Format("loose files", "a folder of loose files", _match, _take, _finish)
# One file whose content shows that it is of the API, whatever its name: standard input has none.
ALONE = Format("loose files", "a loose file", lambda names: Match("", 0), _take_any, _finish)
