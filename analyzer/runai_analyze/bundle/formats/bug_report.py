"""``nvidia-bug-report.log.gz`` and outputs of nvidia-smi, alone or many, with whatever loose files lie beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..intake.machines import bug_report, kernel_text, node_in, read_text, smi_text
from . import loose

_REPORT = re.compile(r"nvidia[-_]bug[-_]report[^/]*\.log[^/]*\Z", re.IGNORECASE)
_SMI = re.compile(r"(?:smi[^/]*|\.xml|\.csv)\Z", re.IGNORECASE)
_KERNEL = re.compile(r"(?:\A|/)(?:dmesg|kern\.log|journalctl-?k?)[^/]*\Z", re.IGNORECASE)


def _match(names: Sequence[str]) -> Match | None:
    if any(_REPORT.search(name) or "smi" in name.rpartition("/")[2].lower() for name in names):
        return Match("", 1)
    return Match("", 0) if any(_SMI.search(name) for name in names) else None


def _take(member: Member, intake: Intake) -> None:
    if _REPORT.search(member.name):
        bug_report(intake, member)
    elif _KERNEL.search(member.name):
        kernel_text(intake, node_in(member.name, "dmesg|kern|journalctl"), read_text(intake, member), member.name)
    elif not _SMI.search(member.name):
        loose.FORMAT.take(member, intake)
    elif not smi_text(intake, node_in(member.name), read_text(intake, member), member.name):
        intake.problems.add(member.name, "it is no output of nvidia-smi that is known", "it tells nothing of the machine")


def _finish(names: Sequence[str], intake: Intake) -> None:
    """Nothing tells of the cluster: what is there is there, and of nothing it is known that there is no more."""


FORMAT = Format("nvidia files", "a set of files about single machines", _match, _take, _finish, imitation=True)
