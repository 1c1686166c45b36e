"""Files of scripts that keep what kubectl printed, be it a list or an error, for the formats that read them."""

from __future__ import annotations

import re

from ..intake.format import Member
from ..intake.held import Held
from ..intake.intake import Intake

_OBJECT = re.compile(rb"^(?:apiVersion|kind|items):|^\s*[\[{]", re.MULTILINE)
_LONGEST_LINE = 200


def take_list(member: Member, intake: Intake) -> bool:
    """Take the objects of a file; False where it is empty, was cut, or holds what kubectl said in place of them: then nothing is
    known of the kind."""
    data = member.read()
    if not data.strip():
        return False
    if not _OBJECT.search(data[: 1 << 20]):
        first = data.strip().split(b"\n", 1)[0].decode("utf-8", "replace")[:_LONGEST_LINE]
        intake.problems.add(member.name, f"it holds no objects, but the words: {first}", "what it should hold is unknown")
        return False
    before = len(intake.damaged)
    intake.objects(Held(member.name, data, member.whole))
    return member.whole and len(intake.damaged) == before
