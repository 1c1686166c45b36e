"""A bundle of another tool as the facts see it (``source.Source``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...model import BundleInfo, Missing
from ..coverage import Coverage
from ..limits import Limits, Problems
from ..members import Given, Members
from ..source import Kinds, Log, Record
from .format import Format, Match, Member
from .intake import Intake
from .logs import log_steps
from .told import complete, made_steps, secret_notes, tell_rest


class ForeignBundle:
    """Reads all files once, at the start; what the facts then ask for comes out of the spool."""

    def __init__(self, members: Members, form: Format, match: Match, limits: Limits, problems: Problems) -> None:
        self._problems, self._form = problems, form
        self._intake = Intake(limits, problems)
        names = self._take_in(members, match)
        self._intake.settle()
        form.finish(names, self._intake)
        tell_rest(self._intake)
        self._intake.steps.extend([*made_steps(self._intake.steps), *log_steps(self._intake)])
        self._cut = members.cut
        steps, discovery = tuple(self._intake.steps), self._intake.discovery
        self._coverage = Coverage(steps, members.cut, discovery, holder=form.holder, supply=form.supply)
        self._coverage.namespaces |= self._intake.namespaces()
        for kind, why in self._intake.damaged.items():
            if kind[0]:
                self._coverage.damaged.setdefault(kind, why)
            else:
                self._coverage.all_damaged = self._coverage.all_damaged or why
        if members.lost:
            self._coverage.all_damaged = self._coverage.all_damaged or members.lost
        self._info = self._make_info(members.given)

    def _take_in(self, members: Members, match: Match) -> list[str]:
        names: list[str] = []
        documents: dict[str, bytes] = {}
        if match.first:
            wanted = (one for one in members.walk() if _below(one, match) in match.first)
            documents = {_below(one, match): one.read() for one in wanted}
        self._intake.top = match.top
        self._form.begin(documents, self._intake)
        for member in members.walk():
            name = _below(member, match)
            if not name:
                continue
            names.append(name)
            member.name = name
            self._form.take(member, self._intake)
        return names

    @property
    def info(self) -> BundleInfo:
        """The bundle as a whole, with all problems known so far."""
        return replace(self._info, problems=self._problems.all())

    @property
    def cluster_name(self) -> str:
        """The cluster's name, where the format records one."""
        return self._intake.cluster_name

    @property
    def version(self) -> Mapping[str, Any] | Missing:
        """The body of ``/version``."""
        why = f"{self._form.holder} does not hold it"
        return self._intake.version or Missing("the Kubernetes version", why, "kubectl version -o json")

    @property
    def gathered(self) -> Coverage:
        """What was asked of the cluster and what came of it, as ``coverage`` goes by it."""
        return self._coverage

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream the records of these kinds (None: all, and files about nodes), each once, in the order of the bundle."""
        for record in self._intake.spool.records(kinds):
            if record.area in ("secret", "certificate"):
                complete(record.body, record.area, self._intake)
            yield record

    def logs(self) -> Iterator[Log]:
        """Stream the logs, one at a time, in the order of the bundle."""
        return self._intake.spool.logs()

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""
        return self._coverage.of(kind, group, namespaces)

    def served(self, group: str) -> bool | None:
        """Whether the API server serves the group; None: the bundle does not say."""
        return self._coverage.served(group)

    def _make_info(self, given: Given) -> BundleInfo:
        return BundleInfo(
            file_name=given.name,
            size=given.size,
            sha256=given.sha256(),
            format=0,
            collector=self._form.name,
            captured=self._intake.captured,
            state="cut" if self._cut else "complete",
            steps=tuple(self._intake.steps),
            holder=self._form.holder,
            exposed=tuple(self._intake.exposed),
            notes=(*secret_notes(self._intake), *self._intake.said),
        )


def _below(member: Member, match: Match) -> str:
    """Return a file's name below the top folder; empty for one that stands outside."""
    return member.name.removeprefix(match.top) if member.name.startswith(match.top) else ""
