"""Reads the log that ``nvidia-bug-report.sh`` writes: blocks, each the content of a file or what a command printed.

Shape by the script of the drivers 470 to 580: blocks stand between lines of 44 underscores; the first tells date and ``uname``, a
block of a file begins with ``*** /path`` and ``*** ls: …``, one of a command with the command line and an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..node_texts import DRIVER, KERNEL, KERNEL_LOG, MODULE_VERSION, MODULES, RELEASE, SECURE_BOOT, kernel_lines, smi_name

_LINE = re.compile(r"^_{44}[ \t]*$", re.MULTILINE)
_FILE = re.compile(r"\*\*\* (/\S+)[ \t]*(.*)")
_UNAME = re.compile(r"^uname: (Linux (\S{1,253}) .*)$", re.MULTILINE)
_DATE = re.compile(r"^(?:Date: )?\w{3} (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (?:UTC|GMT) (\d{4})\s*$", re.MULTILINE)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FILES = {DRIVER: DRIVER, MODULE_VERSION: MODULE_VERSION, RELEASE: RELEASE, KERNEL: KERNEL, "proc/modules": MODULES}
_KERNEL_FILES = re.compile(r"var/log/(?:messages|kern\.log|syslog|dmesg)\b")
_KERNEL_COMMAND = re.compile(r"\b(?:dmesg|journalctl)\b")


@dataclass
class BugReport:
    """What a report tells: its time, the machine's name, and texts by the names of ``node_texts``."""

    date: datetime | None = None
    host: str = ""
    texts: dict[str, str] = field(default_factory=dict)


def read_bug_report(text: str) -> BugReport:
    """Return what a report tells; what is no such report gives no texts. A block that was cut is read as far as it goes."""
    report = BugReport()
    head = _UNAME.search(text[:20_000])
    if head:
        report.host, report.texts[KERNEL] = head[2], head[1] + "\n"
    report.date = utc_date(text[:20_000])
    kernel: list[str] | None = None
    for title, content in _blocks(text):
        path = _path(title)
        if _KERNEL_FILES.match(path) or (not path and _KERNEL_COMMAND.search(title)):
            kernel = [*(kernel or []), kernel_lines(content)]
        elif name := _FILES.get(path) or ("" if path else _name_of_command(title, content)):
            report.texts.setdefault(name, content)
    if kernel is not None:
        report.texts[KERNEL_LOG] = "".join(kernel)
    return report


def utc_date(head: str) -> datetime | None:
    """Return the time that ``date`` printed, where it is in UTC: the names of other zones do not tell how far away they are."""
    found = _DATE.search(head)
    if not found or found[1] not in _MONTHS:
        return None
    try:
        day, hour, minute, second, year = (int(one) for one in found.groups()[1:])
        return datetime(year, _MONTHS.index(found[1]) + 1, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the first line of each block, and what follows it."""
    start = 0
    marks = [*(match.span() for match in _LINE.finditer(text)), (len(text), len(text))]
    for end, after in marks:
        title, _, content = text[start:end].lstrip("\n").partition("\n")
        start = after
        lines = content.split("\n")
        skip = 0
        while skip < len(lines) and (lines[skip].startswith("*** ") or not lines[skip].strip()):
            skip += 1
        yield title.strip(), "\n".join(lines[skip:])


def _path(title: str) -> str:
    """Return the path of a block of a file that could be read, without its first slash; empty for other blocks."""
    found = _FILE.fullmatch(title)
    return found[1].lstrip("/").replace("/./", "/") if found and not found[2] else ""


def _name_of_command(title: str, content: str) -> str:
    program = title.split(" ", 1)[0].rpartition("/")[2]
    if program == "nvidia-smi":
        return smi_name(content)
    return {"lsmod": MODULES, "mokutil": SECURE_BOOT}.get(program, "")
