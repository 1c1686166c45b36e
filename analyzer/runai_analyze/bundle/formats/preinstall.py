"""The report of Run:ai's pre-install diagnostics (run-ai/preinstall-diagnostics, August 2024): one table of text, with a table in
a cell for each node, and colours.

What it lists becomes objects of which hardly anything is known; what it found wrong stays its word: an event that names the tool,
and a sentence at the top of the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..intake.described import NOT_SHOWN, Described
from ..intake.drafts import TABLE
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..intake.lines import clean
from ..intake.tables import node_of_row, pod_of_row
from ..intake.texts import decode

_HOLDER = "a report of the pre-install diagnostics"
_NAME = re.compile(r"(?:.*/)?runai-(?:preinstall-)?diagnostics[\w.-]*\.txt")
_BORDER = re.compile(r"[+┌├└╭╰][-─+┬┼┴]*[+┐┤┘╮╯]")
_CORNERS, _SIDES = "+┬┼┴┌┐├┤└┘╭╮╰╯", "|│"
_VERSION = re.compile(r"v(\d{1,3})\.(\d{1,3})[\w.+-]{0,60}", re.ASCII)
_OBJECT = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}", re.ASCII)
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_FAILED = "failed"  # what is remembered: the words of the checks that did not pass
_MOST_SAID, _LONGEST = 5, 150
_MOST = 100_000  # lines of one report
_TOOL = "preinstall-diagnostics"
_PLACE = "runai-preinstall-diagnostics"  # the namespace that the tool makes for itself


@dataclass(frozen=True)
class Check:
    """One row: what was checked, whether it passed (None: the report does not say), and the lines of what it says."""

    name: str
    passed: bool | None
    words: tuple[str, ...]
    line: int


def checks(text: str) -> list[Check]:
    """Return the rows of the outermost table of a report."""
    return list(_rows(clean(text).split("\n")[:_MOST], 1))


def _rows(lines: Sequence[str], first: int) -> Iterator[Check]:
    edges: list[int] = []
    row: list[list[str]] = []
    begun = first
    for number, line in enumerate(lines, first):
        if not edges:
            found = _BORDER.match(line.strip())
            edges = [place for place, letter in enumerate(line) if letter in _CORNERS] if found and len(found.group()) > 5 else []
            continue
        cells = _cells(line, edges)
        if cells is None or cells[0]:
            yield from _check(row, begun)
            row, begun = [], number
        if cells is not None:
            row.append(cells)
    yield from _check(row, begun)


def _cells(line: str, edges: Sequence[int]) -> list[str] | None:
    """Return the cells of a line by where the table's edges are; None where it is no such line, as between two rows."""
    if len(line) <= edges[-1] or any(line[place] not in _SIDES for place in edges):
        return None
    return [line[start + 1 : end].rstrip()[1:] for start, end in pairwise(edges)]


def _check(row: Sequence[Sequence[str]], line: int) -> Iterator[Check]:
    if not row or len(row[0]) < 3 or row[0][0].strip().lower() == "test name":
        return
    name = " ".join(cells[0].strip() for cells in row if cells[0].strip())
    result = row[0][1].strip().upper()
    words = tuple(cells[2] for cells in row)
    yield Check(name, {"PASS": True, "FAIL": False}.get(result), words, line)


# --- What becomes of them -----------------------------------------------------------------------------------------------------


def _match(names: Sequence[str]) -> Match | None:
    """Take a report by its name, where there is little else."""
    found = sum(bool(_NAME.fullmatch(name)) for name in names)
    return Match("", 2) if found and len(names) < found + 3 else None


def _take(member: Member, intake: Intake) -> None:
    if not _NAME.fullmatch(member.name):
        return
    text, _ = decode(member.read())
    found = checks(text)
    if not found:
        intake.problems.add(member.name, "no table of checks is in it", "nothing can be said of the cluster")
    for check in found:
        nested = list(_rows(check.words, check.line))
        for one in nested:
            _failed(one, check.name, member.name, intake)
        if not nested:
            _failed(check, "", member.name, intake)
            _facts(check, member.name, intake)
    if not member.whole:
        intake.unreadable(member.name, "the archive ends in the middle of it")


def _failed(check: Check, node: str, member: str, intake: Intake) -> None:
    if check.passed is not False:
        return
    kind, name = ("Node", node.split()[-1]) if node else ("Namespace", _PLACE)
    said = " ".join(word.strip() for word in check.words).strip()
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": _PLACE, "name": f"{_TOOL}.line-{check.line}"},
        "involvedObject": {"apiVersion": "v1", "kind": kind, "name": name},
        "type": "Warning",
        "reason": "PreinstallCheckFailed",
        "message": f"{check.name}: {said}" if said else f"{check.name} failed",
        "source": {"component": _TOOL},
        "count": 1,
        "firstTimestamp": NOT_SHOWN,
        "lastTimestamp": NOT_SHOWN,
    }
    intake.object(event, member, check.line)
    intake.notes.setdefault(_FAILED, []).append(
        f"{check.name}{f' ({name})' if node else ''}: {said or 'no reason given'}"[:_LONGEST]
    )


def _facts(check: Check, member: str, intake: Intake) -> None:
    words = [word.strip() for word in check.words if word.strip()]
    if check.name == "Kubernetes Cluster Version" and words and (found := _VERSION.fullmatch(words[0])):
        intake.version.update({"gitVersion": words[0], "major": found[1], "minor": found[2]})
    elif check.name == "GPU Nodes" and check.passed:
        for name in filter(_OBJECT.fullmatch, words):
            intake.drafts.add(Described(node_of_row(name, {}), check.line, "", "Node"), member, TABLE)
    elif check.name == "Available StorageClasses":
        _storage(check, words, member, intake)
    elif check.name == "Ingress Controller Installed" and check.passed is False and "not installed" in " ".join(words):
        intake.collected("ingressclasses", "IngressClass", "networking.k8s.io")
    elif check.name == "Pod List":
        for namespace, name, phase in (word.split("/") for word in words if word.count("/") == 2):
            if _OBJECT.fullmatch(name) and _OBJECT.fullmatch(namespace):
                body = pod_of_row(name, namespace, {"STATUS": phase})
                intake.drafts.add(Described(body, check.line, "", "Pod"), member, TABLE)


def _storage(check: Check, words: Sequence[str], member: str, intake: Intake) -> None:
    """Take the names of all classes, of which the default one is marked; or that there is none."""
    for word in words if check.passed else ():
        name, _, mark = word.partition(" ")
        if _OBJECT.fullmatch(name):
            annotations = {_DEFAULT: "true"} if mark == "(default)" else {}
            body = {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "StorageClass",
                "metadata": {"name": name, "annotations": annotations, "labels": NOT_SHOWN},
                **dict.fromkeys(("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"), NOT_SHOWN),
            }
            intake.object(body, member, check.line)
    if check.passed or "No storage classes" in " ".join(words):
        intake.collected("storageclasses", "StorageClass", "storage.k8s.io")


def _finish(names: Sequence[str], intake: Intake) -> None:
    if failed := intake.notes.get(_FAILED, []):
        more = f"; and {len(failed) - _MOST_SAID} more" if len(failed) > _MOST_SAID else ""
        checks_failed = "1 check" if len(failed) == 1 else f"{len(failed)} checks"
        intake.said.append(
            f"The tool's own word, not checked here: {checks_failed} failed: {'; '.join(failed[:_MOST_SAID])}{more}."
        )
    if intake.drafts.names("Node"):
        intake.lacks("nodes", "Node", message="it names no more than those with GPUs", status="truncated")


FORMAT = Format("preinstall-diagnostics", _HOLDER, _match, _take, _finish, imitation=True)
