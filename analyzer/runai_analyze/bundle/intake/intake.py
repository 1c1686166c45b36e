"""Where the files of a foreign bundle go: objects, logs, outputs of nvidia-smi, and what was asked of the cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
from runai_collect.certificates import Reference, references
from runai_collect.redact import CannotRedactError, redact_object
from runai_collect.trim import trim_crd

from ...model import Exposed, Step
from ..documents import weigh
from ..kinds import plural_of
from ..limits import Limits, Problems
from ..source import group_of
from .drafts import Drafts, take_text
from .format import Member
from .mend import mend, needs_mending, shown
from .parse import Parsed, objects, parse
from .secrets import exposed, rows_of
from .spool import Spool
from .texts import decode

_LONGEST_NAME = 500  # Kubernetes takes 253 characters, and 63 for a kind
_TALKING = ("Event", "CustomResourceDefinition")  # of whose texts much is hidden that is no secret
_COPY, _OWN_ADDRESS = "annotation", "metadata.selfLink"  # nor is what repeats the object, or has …/rbac.authorization… in it
_EMPTY_LIST = re.compile(r"""\A\s*(?:null|\[\s*\])?\s*\Z|["']?items["']?\s*:""")
_REFERRING = ("Ingress", "Gateway")


class Taken(NamedTuple):
    """An object that was taken in: what it is and where it stands."""

    kind: str
    group: str
    namespace: str
    name: str


@dataclass
class Intake:
    """What a format hands over. Methods never raise for bad content: it becomes a problem of the bundle, and the rest goes on."""

    limits: Limits
    problems: Problems
    spool: Spool = field(default_factory=Spool)
    steps: list[Step] = field(default_factory=list)
    version: dict[str, Any] = field(default_factory=dict)  # the body of /version, where the bundle has it
    cluster_name: str = ""
    captured: datetime | None = None
    discovery: dict[str, Any] | None = None
    damaged: dict[tuple[str, str], str] = field(default_factory=dict)  # by kind and group: why not all of it could be read
    seen: dict[tuple[str, str, str], int] = field(default_factory=dict)  # by kind, group, namespace: how many objects
    nulls: bool = False  # the writer has the text "null" for what is empty or not set: as ``mend`` says
    exposed: list[Exposed] = field(default_factory=list)  # Secrets with values
    hidden: Counter[str] = field(default_factory=Counter)  # by rule: how many values the redactor hid in other objects
    references: set[Reference] = field(default_factory=set)  # what names a Secret as its certificate
    top: str = ""  # the folder that all files stand in, as ``Match.top``
    notes: dict[str, Any] = field(default_factory=dict)  # what a format has to remember from one file to the next
    said: list[str] = field(default_factory=list)  # whole sentences for the top of the report
    drafts: Drafts = field(default_factory=Drafts)  # nodes and pods that texts for people show, as ``text`` and ``settle`` say
    own: Callable[[dict[str, Any]], bool] | None = None  # tells objects that the tool itself made; they are left out
    _known: set[Taken] = field(default_factory=set)

    def objects(self, member: Member, kind: str = "", api_version: str = "", skipped: int = 0) -> list[Taken]:
        """Take every object of a JSON or YAML file. ``kind`` and ``api_version``: of objects that do not say what they are.
        ``skipped``: how many lines of the file stand before what the member holds, where that is a part of one."""
        data = self._read(member)
        text, oddity = decode(data)
        if oddity:
            self.problems.add(member.name, oddity)
        text, taken = shown(text), []
        odd = needs_mending(text, self.nulls)
        for found in _without_half(objects(text, kind, api_version), member.whole):
            if found.problem:
                group = group_of(found.api_version)
                self.unreadable(member.name, f"line {found.line + skipped}: {found.problem}", found.kind or kind, group)
                continue
            body = mend(found.value, self.nulls) if odd else found.value
            if one := self.object(body, member.name, found.line + skipped):
                taken.append(one)
        if kind and not taken and not _EMPTY_LIST.search(text):
            self.unreadable(member.name, f"it is no list of {plural_of(kind)}", kind, group_of(api_version))
        return taken

    def object(self, body: dict[str, Any], member: str, line: int = 0) -> Taken | None:
        """Take one object, which must not be used again; None when it is none, or cannot be made fit to be kept. Of several of
        the same kind and name the first counts: bundles hold many an object twice."""
        metadata = body.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        kind = body.get("kind")
        if not isinstance(name, str) or not name or not isinstance(kind, str) or not isinstance(metadata, dict):
            return None
        namespace = metadata.get("namespace")
        found = Taken(kind, group_of(body.get("apiVersion")), namespace if isinstance(namespace, str) else "", name)
        if max(map(len, found)) > _LONGEST_NAME:
            self.unreadable(member, "it holds an object whose name is longer than a name can be", found.kind[:100], found.group)
            return None
        if found in self._known:
            return found
        if self.own and self.own(body):
            return None
        self._known.add(found)
        key = (found.kind, found.group, found.namespace)
        self.seen[key] = self.seen.get(key, 0) + 1
        if (found.kind, found.group) == ("Secret", ""):
            self._secret(found, body, member, line)
            return found
        if self._keep(found, body, member, line):
            return found
        self._known.discard(found)  # another copy of it may be whole
        return None

    def text(self, member: Member, namespace: str = "") -> bool:
        """Take the nodes and pods that ``kubectl describe`` or a table shows, where no file holds them themselves; False, and a
        problem, for any other text. ``namespace``: of the pods in a table that does not say it."""
        data = self._read(member)
        known = self.shows(member.name, data, member.whole, namespace)
        if not known and data.strip():
            self.problems.add(member.name, "it is neither what kubectl describe prints nor a table that is known")
        return known

    def shows(self, member: str, data: bytes, whole: bool, namespace: str = "") -> bool:
        """Take nodes and pods as ``text`` does, of content that was read already; False, and nothing else, for any other."""
        return take_text(decode(data)[0], member, whole, namespace, self)

    def settle(self) -> None:
        """Take what texts for people showed, now that every file was read; of events only where no file holds events of the
        namespace themselves, as their names do not tell which are the same."""
        told = {namespace for kind, _, namespace in self.seen if kind == "Event"}
        for draft in self.drafts.all():
            if draft.body["kind"] != "Event" or draft.body["metadata"]["namespace"] not in told:
                self.object(draft.body, draft.member, draft.line)

    def _keep(self, found: Taken, body: dict[str, Any], member: str, line: int) -> bool:
        """Put an object into the spool, with its secrets hidden."""
        try:
            weigh(orjson.dumps(body))  # before its secrets are looked for, at a second for each MB
            clean, hidden = redact_object(trim_crd(body) if found.kind == "CustomResourceDefinition" else body)
            data = orjson.dumps(clean)
            weigh(data)
        except (CannotRedactError, ValueError, TypeError, AttributeError, RecursionError) as error:
            what = f"{found.kind} {found.name} was left out: {str(error)[:120]}"
            self.unreadable(member, what, found.kind, found.group)
            return False
        if hidden and found.kind not in _TALKING:
            self.hidden.update(one.rule for one in hidden if one.rule != _COPY and one.where != _OWN_ADDRESS)
        if found.kind in _REFERRING:
            with suppress(AttributeError, TypeError):  # of another shape than the API's
                self.references.update(references(clean))
        self.spool.add("object", found.kind, found.group, data, member, line)
        return True

    def _secret(self, found: Taken, body: dict[str, Any], member: str, line: int) -> None:
        """Keep of a Secret what our own bundles hold of it, never a value; and note how many there were."""
        rows = dict(rows_of(body))
        for area, row in rows.items():
            self.spool.add(area, found.kind, found.group, row, member, line)
        if "certificate" in rows or body.get("type") == "kubernetes.io/tls":
            status, message = ("ok", "") if "certificate" in rows else ("error", "what the bundle holds of it is no certificate")
            name = f"{found.namespace}/{found.name}"
            step = Step(f"certificate:{name}", f"secret {name}", "namespace", status, message, namespace=found.namespace)
            self.steps.append(step)
        values = exposed(body)
        if values:
            self.exposed.append(Exposed(found.namespace, found.name, values, member))

    def document(self, member: Member) -> Any:
        """Return the first document of a JSON or YAML file that holds no objects of the API; None where it cannot be read."""
        text, _ = decode(self._read(member))
        found = next(parse(text), Parsed(None, 1, "it is empty"))
        if found.problem:
            self.problems.add(member.name, f"line {found.line}: {found.problem}")
        return found.value

    def log(self, member: Member, namespace: str, pod: str, container: str, previous: bool = False) -> None:
        """Take the log of a container; its newest part, where it is larger than the bound of a text."""
        data = self._read(member)[-self.limits.text :]
        self.spool.add_log(namespace, pod, container, previous, member.name, data)

    def node_file(self, member: Member, node: str, name: str) -> None:
        """Take a file about a node, under the name that our own bundles give it (``layout.NVIDIA_SMI_XML`` …)."""
        text, _ = decode(self._read(member)[: self.limits.text])
        self.spool.add("node_file", "", "", {"node": node, "name": name, "text": text}, member.name)

    def unreadable(self, member: str, what: str, kind: str = "", group: str = "") -> None:
        """Note that something of a kind (empty: of any) could not be read: rules that need it answer unknown."""
        effect = f"rules that need {kind} may answer unknown" if kind else "rules that need what it held may answer unknown"
        self.problems.add(member, what, effect)
        self.damaged.setdefault((kind, group), f"{member} cannot be read")

    def collected(self, plural: str, kind: str, group: str = "", namespace: str = "", message: str = "") -> None:
        """Note that all objects of a kind were asked for, in one namespace or (empty) in all, and that what came is here."""
        count = self.seen.get((kind, group, namespace), 0) if namespace else self._count(kind, group)
        self._step(plural, kind, group, namespace, "ok" if count else "empty", message, count)

    def lacks(
        self, plural: str, kind: str, group: str = "", namespace: str = "", message: str = "", status: str = "error"
    ) -> None:
        """Note that a kind was asked for and did not come; ``status`` as in ``layout.STATUSES``."""
        self._step(plural, kind, group, namespace, status, message, 0)

    def _step(self, plural: str, kind: str, group: str, namespace: str, status: str, message: str, objects: int) -> None:
        scope = f"@{namespace}" if namespace else ""
        self.steps.append(
            Step(
                id=f"list:{group or 'core'}/{plural}{scope}",
                request=f"{plural}.{group}" if group else plural,
                scope=namespace or "cluster",
                status=status,
                message=message[:1000],
                objects=objects,
                kind=kind,
                group=group,
                namespace=namespace,
            )
        )

    def _count(self, kind: str, group: str) -> int:
        return sum(count for (one, of, _), count in self.seen.items() if (one, of) == (kind, group))

    def time(self, moment: datetime | None) -> None:
        """Note when the bundle was made; of several moments the latest counts."""
        if moment is None:
            return
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        self.captured = moment if self.captured is None else max(self.captured, moment)

    def _read(self, member: Member) -> bytes:
        data = member.read()
        if not member.whole:
            self.problems.add(member.name, "the archive ends in the middle of this file", "what of it is whole was read")
        return data

    def known(self) -> frozenset[Taken]:
        """Return the objects that were read."""
        return frozenset(self._known)

    def namespaces(self) -> set[str]:
        """Return the namespaces of which objects, or the object itself, were read."""
        own = {one.name for one in self._known if (one.kind, one.group) == ("Namespace", "")}
        return own | {namespace for _, _, namespace in self.seen if namespace}


def _without_half(found: Iterator[Parsed], whole: bool) -> Iterator[Parsed]:
    """Yield the objects of a file without the last one where the archive's end cut the file off: half of an object in YAML looks
    like a whole one, in which the rest is not set."""
    last: Parsed | None = None
    for one in found:
        if last is not None:
            yield last
        last = one
    if last is not None and (whole or last.problem):
        yield last
