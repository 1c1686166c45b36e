"""Logs alone, as ``runai diagnostics collect-logs`` (2.25 to 3.0) and ``runai-adm collect-logs`` (until 2.24) collect them.

Their layout is documented nowhere: what is known is that they hold logs of Run:ai's namespaces, and those of the runs before. So
any tree is taken in which files of logs say namespace, pod and container by their path, in one of the usual ways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..intake.format import Format, Match, Member
from ..intake.intake import Intake

_HOLDER = "an archive of logs alone"
# The default namespaces of collect-logs (its reference page, 3.0), and those that Run:ai's documents install into.
_NAMESPACES = (
    r"(?P<namespace>runai-backend|runai-reservation|runai|training-operator|kubeflow|knative-serving|knative-operator|knative"
    r"|gpu-operator|nvidia-gpu-operator|nim-operator)"
)
_POD, _CONTAINER = r"(?P<pod>[a-z0-9][a-z0-9.-]{0,252})", r"(?P<container>[a-z0-9][a-z0-9-]{0,62})"
_END = r"(?P<previous>[._-]previous)?\.(?:log|txt)"
_LOG = (
    re.compile(rf"(?:.*/)?{_NAMESPACES}/(?:pods/|logs/)?{_POD}/{_CONTAINER}{_END}"),
    re.compile(rf"(?:.*/)?{_NAMESPACES}/(?:pods/|logs/)?{_POD}_{_CONTAINER}{_END}"),
    re.compile(rf"(?:.*/)?{_NAMESPACES}_{_POD}_{_CONTAINER}{_END}"),
    re.compile(rf"(?:.*/)?{_NAMESPACES}/(?:pods/|logs/)?{_POD}{_END}"),
)
_FEWEST = 2


def _match(names: Sequence[str]) -> Match | None:
    """Take a tree in which most files are such logs: it is weaker than any sign of another tool."""
    found = sum(_place(name) is not None for name in names)
    return Match("", 1) if found >= _FEWEST and found * 2 > len(names) else None


def _take(member: Member, intake: Intake) -> None:
    found = _place(member.name)
    if found is None:
        return
    container = found.groupdict().get("container") or ""
    pod, previous = found["pod"], bool(found["previous"])
    for name, part in (("pod", pod), ("container", container)):
        if not previous and part.endswith(("-previous", ".previous")) and (name == "container" or not container):
            previous = True
            pod = pod[: -len("-previous")] if name == "pod" else pod
            container = container[: -len("-previous")] if name == "container" else container
    intake.log(member, found["namespace"], pod, container, previous)


def _place(name: str) -> re.Match[str] | None:
    return next((found for one in _LOG if (found := one.fullmatch(name))), None)


def _finish(names: Sequence[str], intake: Intake) -> None:
    """It holds no objects, so no kind is known to be whole; of logs there may always be more."""


FORMAT = Format("collect-logs", _HOLDER, _match, _take, _finish, imitation=True)
