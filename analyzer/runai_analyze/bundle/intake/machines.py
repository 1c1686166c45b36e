"""Takes in what tells of one machine: outputs of nvidia-smi, kernel logs, bug reports of NVIDIA."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

from ...model import Step
from ...objects.times import parse_time
from ..node_texts import KERNEL_LOG, SMI_NAMES, kernel_lines, smi_name
from .bug_report import read_bug_report
from .format import Member
from .intake import Intake
from .texts import decode

_PREFIX = re.compile(r"\[pod/[^/\]]+/([a-z0-9-]{1,63})\] ")


def node_text(intake: Intake, node: str, name: str, text: str, member: str) -> None:
    """Take a text about a machine that the machine itself told, under a name of ``node_texts``; an output of nvidia-smi counts as
    the answer of the node."""
    body = {"node": node, "name": name, "text": text[: intake.limits.text], "own": True}
    intake.spool.add("node_file", "", "", body, member)
    step = f"nvidia-smi:{node}"
    if name in SMI_NAMES and all(one.id != step for one in intake.steps):
        intake.steps.append(Step(step, "nvidia-smi", node, "ok", objects=1))


def read_text(intake: Intake, member: Member) -> str:
    """Return a file as text; what is odd about it is told."""
    data = member.read()
    if not member.whole:
        intake.problems.add(member.name, "the archive ends in the middle of this file", "what of it is whole was read")
        intake.damaged.setdefault(("Host", "made"), f"{member.name} is not whole")
    text, oddity = decode(data)
    if oddity:
        intake.problems.add(member.name, oddity)
    return text


def smi_text(intake: Intake, node: str, text: str, member: str) -> bool:
    """Take a text if it is an output of nvidia-smi; tell whether it is."""
    name = smi_name(text)
    if name:
        node_text(intake, node, name, text, member)
    return bool(name)


def kernel_text(intake: Intake, node: str, text: str, member: str) -> None:
    """Take a kernel's log: the lines about GPUs, PCIe and memory that ran out."""
    node_text(intake, node, KERNEL_LOG, kernel_lines(text), member)


def bug_report(intake: Intake, member: Member, node: str = "") -> None:
    """Take a bug report of NVIDIA. ``node``: which machine it is of; empty: the one that it names."""
    report = read_bug_report(read_text(intake, member))
    if not report.texts:
        intake.problems.add(member.name, "no part of a bug report of NVIDIA was found in it", "it tells nothing of the machine")
    intake.time(report.date)
    for name, text in report.texts.items():
        node_text(intake, node or report.host or "unnamed", name, text, member.name)


def node_in(name: str, words: str = r"nvidia[-_]bug[-_]report|nvidia[-_]smi|smi") -> str:
    """Return which machine a loose file is of, by its own name or that of its folder: ``g1`` of ``g1/nvidia-smi.txt`` and of
    ``nvidia-smi-g1.txt``; ``unnamed`` where neither tells."""
    folder, _, file = name.rpartition("/")
    stem = re.sub(r"(?:\.(?:log|txt|xml|csv|old|out|gz))+\Z", "", file)
    rest = re.sub(rf"(?i)(?:{words})(?:[-_ ]+(?:q|x|l|qx|topo|m|query|list|output)(?=[-_ ]|\Z))*", "", stem).strip("-_. ")
    return rest or folder.rpartition("/")[2] or "unnamed"


def prefixed_logs(intake: Intake, namespace: str, pod: str, previous: bool, text: str, member: str) -> None:
    """Take the logs of a pod's containers out of one text, as ``kubectl logs --all-containers --prefix`` writes it; the newest of
    its times is one at which the cluster was up."""
    parts: dict[str, list[str]] = {}
    for line in text.splitlines():
        if found := _PREFIX.match(line):
            parts.setdefault(found[1], []).append(line[found.end() :])
    for container, lines in parts.items():
        whole_log(intake, namespace, pod, container, previous, "\n".join([*lines, ""]), member)


def whole_log(intake: Intake, namespace: str, pod: str, container: str, previous: bool, text: str, member: str) -> None:
    """Take the log of one container, whose lines begin with their times."""
    if not text.strip():
        return
    intake.spool.add_log(namespace, pod, container, previous, member, text.encode()[-intake.limits.text :])
    intake.time(time_of(text.rstrip("\n").rpartition("\n")[2].partition(" ")[0]))


def time_of(text: object) -> datetime | None:
    """Return a time as the cluster writes it; None for what is none."""
    with suppress(ValueError):
        return parse_time(text)
    return None
