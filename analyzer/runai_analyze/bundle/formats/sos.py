"""sos reports (sos 4), one or many of ``sos collect``: files of a machine, and what kubectl and nvidia-smi printed on it.

Which file is of which command, and whether that worked, stands in ``sos_reports/manifest.json``; names are not taken apart. A
file of a command that failed holds its error, and is no data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..documents import read_json
from ..intake.bug_report import utc_date
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..intake.machines import node_text, read_text, smi_text
from ..intake.tables import tables
from ..kinds import groups_of, kind_of
from ..node_texts import CLOCK, DRIVER, KERNEL, KERNEL_LOG, MODULES, RELEASE, RUNTIMES, SECURE_BOOT, kernel_lines

_CLUSTER = ("sos_commands/kubernetes/", "sos_commands/openshift/")
_MANIFEST = "sos_reports/manifest.json"
_HOST = "sos_commands/host/hostname"
_ROOT = re.compile(r"(.*?)(?:sos_reports/manifest\.json|sos_commands/.+|sos_logs/.+)")
_NAMED = re.compile(r"sosreport-([A-Za-z0-9._-]{1,200}?)(?:-\d{5,})?-\d{4}-\d\d-\d\d-[a-z0-9]+\Z")
_KERNEL_LOGS = re.compile(r"sos_commands/(?:kernel/dmesg|logs/journalctl_)|var/log/(?:messages|kern\.log|syslog)\Z")
_LOADED = re.compile(r"sos_commands/kernel/lsmod\Z|proc/modules\Z")
_FILES = {
    "etc/os-release": RELEASE,
    "usr/lib/os-release": RELEASE,
    "proc/version": KERNEL,
    "proc/driver/nvidia/version": DRIVER,
    "sos_commands/kernel/uname_-a": KERNEL,
    "sos_commands/systemd/timedatectl": CLOCK,
    "sos_commands/boot/mokutil_--sb-state": SECURE_BOOT,
}
_SHORT = {"sc": "storageclasses", "pv": "persistentvolumes", "pvc": "persistentvolumeclaims", "svc": "services", "ev": "events"}
_MOST_KERNEL = 4 << 20  # characters of one machine's log lines


@dataclass
class _Report:
    """One machine's report: its name, and its commands by file: command line, and why its output is not whole (empty: it is)."""

    host: str
    commands: dict[str, tuple[str, str]] = field(default_factory=dict)
    kernel: list[str] = field(default_factory=list)
    log_from: str = ""  # the first file that was read of the kernel's log


def _match(names: Sequence[str]) -> Match | None:
    roots = sorted({found[1] for name in names if (found := _ROOT.match(name)) and found[1][-1:] in ("", "/")})
    have = {*names}
    first = [root + name for root in roots for name in (_MANIFEST, _HOST) if root + name in have]
    told = any(name.endswith(_MANIFEST) for name in first)
    folders = any("sos_commands/" in name for name in names) and any("sos_logs/" in name for name in names)
    return Match("", 4, tuple(first)) if told or folders else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    reports: dict[str, _Report] = {}
    for name in sorted(documents):
        root = name.removesuffix(_MANIFEST).removesuffix(_HOST)
        report = reports.setdefault(root, _Report(_host_of(root, documents)))
        if name.endswith(_MANIFEST):
            report.commands = _commands(documents[name])
            if not report.commands:
                intake.problems.add(name, "it tells of no command", "what commands printed cannot be told from errors")
    intake.notes["reports"] = reports


def _host_of(root: str, documents: Mapping[str, bytes]) -> str:
    told = documents.get(root + _HOST, b"").decode("utf-8", "replace").strip()
    if re.fullmatch(r"[A-Za-z0-9._-]{1,253}", told):
        return told
    found = _NAMED.search(root.strip("/").rpartition("/")[2])
    return found[1] if found else root.strip("/").rpartition("/")[2] or "unnamed"


def _commands(manifest: bytes) -> dict[str, tuple[str, str]]:
    try:
        value: Any = read_json(manifest)
        plugins = value["components"]["report"]["plugins"]
        rows = [one for plugin in plugins.values() for one in plugin.get("commands", [])]
        return {str(one["filepath"]): (str(one["exec"]), _failure(one)) for one in rows if one.get("filepath")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _failure(command: Mapping[str, Any]) -> str:
    code = command.get("return_code")
    if code:
        return f"the command ended with exit code {code}"
    return "its output was cut" if command.get("truncated") is True else ""


def _take(member: Member, intake: Intake) -> None:
    reports: dict[str, _Report] = intake.notes["reports"]
    root = _root_of(member.name, reports)
    report = reports.setdefault(root, _Report(_host_of(root, {})))
    name = member.name.removeprefix(root)
    command, failed = report.commands.get(name, ("", ""))
    if name.startswith(_CLUSTER) or "kubectl" in command.split(" ", 1)[0]:
        _cluster(member, intake, command, failed)
    elif failed.startswith("the command"):
        return
    elif name.startswith("sos_commands/nvidia/"):
        if "-d" not in command.split() and "_-d_" not in name:  # a part of what -q prints
            smi_text(intake, report.host, read_text(intake, member), member.name)
    elif _KERNEL_LOGS.match(name):
        _kernel(report, read_text(intake, member), member.name)
    elif name == "sos_commands/date/date_--utc":
        intake.time(utc_date(read_text(intake, member)))
    elif target := MODULES if _LOADED.match(name) else _FILES.get(name) or (name if name.startswith(RUNTIMES) else ""):
        node_text(intake, report.host, target, read_text(intake, member), member.name)


def _root_of(name: str, known: Mapping[str, _Report]) -> str:
    """Return the folder of the report that a file is in; of one without a manifest, the one that is called like a report."""
    if found := _ROOT.match(name):
        return found[1]
    folders = name.split("/")[:-1]
    tops = ["".join(f"{one}/" for one in folders[:depth]) for depth in range(len(folders), -1, -1)]
    return next((top for top in tops if top in known or _NAMED.search(top.rstrip("/").rpartition("/")[2])), "")


def _kernel(report: _Report, text: str, name: str) -> None:
    report.log_from = report.log_from or name
    if sum(len(part) for part in report.kernel) < _MOST_KERNEL:
        report.kernel.append(kernel_lines(text)[-_MOST_KERNEL:])


def _cluster(member: Member, intake: Intake, command: str, failed: str) -> None:
    """Take what kubectl or oc printed: lists as JSON or YAML, logs, and of tables those of pods."""
    words = command.split()
    if "logs" in words and not failed.startswith("the command"):
        _log(member, intake, words)
    elif member.name.endswith((".yaml", ".json")) or "_-o_json" in member.name or "json" in words:
        plural, namespace = _asked(words)
        if failed:
            _lacking(intake, plural, namespace, failed, "error")
        else:
            intake.objects(member)
            intake.notes.setdefault("lists", set()).update((plural, *kind, namespace) for kind in _kinds(plural))
    elif "get" in words and words[-1] == "pods":
        _, namespace = _asked(words)
        for found in () if failed else tables(read_text(intake, member), namespace).found:
            if found.body and not found.problem:
                intake.object(found.body, member.name, found.line)
        _lacking(intake, "pods", namespace, "it holds only a table of them", "truncated")


def _log(member: Member, intake: Intake, words: Sequence[str]) -> None:
    namespace = _option(words, "--namespace", "-n")
    container = _option(words, "-c", "--container") or "default"
    rest = [word for word in words[words.index("logs") + 1 :] if not word.startswith("-") and word not in (namespace, container)]
    if namespace and rest:
        intake.log(member, namespace, rest[0], container, "-p" in words or "--previous" in words)


def _asked(words: Sequence[str]) -> tuple[str, str]:
    """Return the plural and the namespace (empty: all) that a ``get`` asks for; an empty plural where it asks for one object."""
    if "get" not in words:
        return "", ""
    namespace = _option(words, "--namespace", "-n")
    skip = {namespace, "json", "yaml", "true"}
    rest = [word for word in words[words.index("get") + 1 :] if not word.startswith("-") and word not in skip]
    everywhere = any(one.startswith(("--all-namespaces", "-A")) for one in words)
    whole = len(rest) == 1 and (namespace or everywhere or _cluster_wide(rest[0]))
    return (_SHORT.get(rest[0], rest[0]), namespace) if whole else ("", "")


def _cluster_wide(plural: str) -> bool:
    return _SHORT.get(plural, plural) in ("nodes", "namespaces", "storageclasses", "persistentvolumes")


def _option(words: Sequence[str], *names: str) -> str:
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else words[place + 1] if place + 1 < len(words) else ""
    return ""


def _kinds(plural: str) -> list[tuple[str, str]]:
    return [(kind_of(plural, group), group) for group in groups_of(plural)[:1]] if plural else []


def _lacking(intake: Intake, plural: str, namespace: str, why: str, status: str) -> None:
    for kind, group in _kinds(plural):
        intake.notes.setdefault("lacking", []).append((plural, kind, group, namespace, why, status))


def _finish(names: Sequence[str], intake: Intake) -> None:
    for report in intake.notes["reports"].values():
        if report.log_from:
            node_text(intake, report.host, KERNEL_LOG, "".join(report.kernel), report.log_from)
    lists = intake.notes.get("lists", set())
    for plural, kind, group, namespace in sorted(lists):
        intake.collected(plural, kind, group, namespace)
    whole = {one[:4] for one in lists}
    for plural, kind, group, namespace, why, status in sorted(set(intake.notes.get("lacking", []))):
        if not {(plural, kind, group, namespace), (plural, kind, group, "")} & whole:
            intake.lacks(plural, kind, group, namespace, why, status)


FORMAT = Format("sos report", "a sos report", _match, _take, _finish, imitation=True, begin=_begin)
