"""What ``runai-collect node`` wrote: one machine, without its cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from runai_collect import layout

from ..documents import read_json
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..intake.machines import node_text, read_text
from .manifest import read_manifest

_HOLDER = "the bundle of one machine"
_MACHINE = "machine"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,253}")


def _match(names: Sequence[str]) -> Match | None:
    """Take what has a ``bundle.json`` or a manifest and nothing of a cluster, or files below ``node/``."""
    own = [name for name in names if name.rpartition("/")[2] in (layout.BUNDLE, layout.MANIFEST) and name.count("/") < 2]
    tops = {name.rpartition("/")[0] for name in own}
    top = f"{tops.pop()}/".lstrip("/") if len(tops) == 1 else None
    if top is None or any(name.startswith((top + layout.RESOURCES, top + layout.NODES)) for name in names):
        return None
    return Match(top, 3, (layout.BUNDLE, layout.MANIFEST))


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    about = _document(documents, layout.BUNDLE)
    manifest = read_manifest(_document(documents, layout.MANIFEST), None)
    with suppress(ValueError):
        intake.time(datetime.fromisoformat(str(about.get("started"))))
    name = about.get("node")
    intake.notes[_MACHINE] = name if isinstance(name, str) and _NAME.fullmatch(name) else "unnamed"
    intake.steps.extend(manifest.steps)


def _document(documents: Mapping[str, bytes], name: str) -> dict[str, Any]:
    try:
        value = read_json(documents.get(name, b"{}"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _take(member: Member, intake: Intake) -> None:
    if member.name.startswith(layout.NODE):
        node_text(intake, intake.notes[_MACHINE], member.name.removeprefix(layout.NODE), read_text(intake, member), member.name)


def _finish(names: Sequence[str], intake: Intake) -> None:
    """A log of which all lines were read and none kept is empty, and not lacking."""
    for step in [one for one in intake.steps if one.status == "empty" and one.message.startswith("lines read: ")]:
        node_text(intake, intake.notes[_MACHINE], step.id.removeprefix("node:"), "", layout.MANIFEST)


FORMAT = Format("runai-collect node", _HOLDER, _match, _take, _finish, begin=_begin)
