"""A new rule from what a person answered: its number, its words, its examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from runai_analyze.objects.paths import ABSENT, compile_path
from runai_analyze.ruleset.format import TEST_NAMES
from runai_analyze.ruleset.meant import key_meant, path_meant
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.rule import Rule
from runai_analyze.ruleset.vocabulary import CLUSTER_SCOPED, GROUP_OF, MADE

from .facts_page import Kind
from .proposal import Asked, Sign, article, name_words
from .samples import BUNDLE_TIME, NoSampleError, missing_one, needs_time, pair
from .shaping import REMOVED, changed, project, tidy

_CODES = {
    "kubernetes": "KUB",
    "security": "PSA",
    "nodes": "NOD",
    "gpu": "GPU",
    "network": "NET",
    "certificates": "TLS",
    "monitoring": "MON",
    "training": "TRN",
    "inference": "INF",
    "storage": "STO",
    "images": "IMG",
    "runai": "RUN",
}
_AREAS = {
    "nodes": "Node Lease",
    "gpu": "GpuNode GpuDevice ClusterPolicy NVIDIADriver ResourceSlice ResourceClaim DeviceClass",
    "network": "Service Ingress IngressClass Endpoints EndpointSlice NetworkPolicy Gateway HTTPRoute Route",
    "certificates": "Certificate Issuer ClusterIssuer CertificateSigningRequest",
    "monitoring": "Prometheus ServiceMonitor PodMonitor PrometheusRule Alertmanager",
    "training": "MPIJob PyTorchJob TFJob XGBoostJob JAXJob LeaderWorkerSet",
    "inference": "KnativeServing Revision InferenceService",
    "storage": "PersistentVolume PersistentVolumeClaim StorageClass CSIDriver CSINode VolumeAttachment",
    "images": "Image",
    "security": "SecurityContextConstraints ClusterRole ClusterRoleBinding Role RoleBinding ServiceAccount",
    "runai": "RunaiConfig Project Department Queue NodePool PodGroup RunaiDependency HelmRelease",
}
_TYPED = re.compile(
    r"(?:(?P<of>label|annotation)\s+(?P<name>[^\s\"\\]+)|(?P<path>(?:\[[^\]]*\]|[^\s\[])+))\s+(?P<test>\S+)(?:\s+(?P<rest>.*))?",
    re.DOTALL,
)
_LIST_TESTS = ("one_of", "not_one_of", "contains", "covers_host")


@dataclass(frozen=True)
class Condition:
    """A condition of the new rule."""

    asked: Asked
    when_absent: str = ""
    because: str = ""
    negated: bool = False


@dataclass(frozen=True)
class NewExample:
    """An example of the new rule."""

    name: str
    given: tuple[dict[str, Any], ...]
    result: str
    not_collected: tuple[str, ...] = ()
    message_contains: str = ""
    cluster: Mapping[str, Any] | None = None
    bundle_time: str = ""


@dataclass(frozen=True)
class NewRule:
    """All that stands in the file. ``fault``: the conditions say what is wrong, not what must hold."""

    id: str
    title: str
    severity: str
    area: str
    kind: Kind
    conditions: tuple[Condition, ...]
    fault: bool
    message: str
    fix: str
    owner: str
    changed: str
    examples: tuple[NewExample, ...] = ()
    namespaces: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    show: tuple[tuple[str, str], ...] = ()

    @property
    def narrowed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The keys of metadata by which it looks at certain objects only, each with its globs; empty: at all objects."""
        return ("name", self.names), ("namespace", self.namespaces)

    @property
    def bundle_time(self) -> str:
        """The time of its examples; empty where no condition compares with it."""
        timed = needs_time([condition.asked for condition in self.conditions])
        return BUNDLE_TIME.strftime("%Y-%m-%dT%H:%M:%SZ") if timed else ""


# --- What is proposed for the answers ---------------------------------------------------------------------------------------


def prefix_of(rules: Iterable[Rule], pack: str) -> str:
    """Return what the ids of a pack begin with: as its rules do, else its name in capitals."""
    counts: dict[str, int] = {}
    for rule in rules:
        if rule.pack == pack:
            start = rule.id.partition("-")[0]
            counts[start] = counts.get(start, 0) + 1
    name = re.sub(r"[^A-Z0-9]", "", pack.upper()).lstrip("0123456789")[:10]
    return max(sorted(counts), key=lambda start: counts[start], default=name if len(name) > 1 else "SITE")


def next_id(used: Iterable[str], prefix: str, area: str) -> str:
    """Return the first number after all that were ever used: ``ACME-NOD-004``."""
    start = f"{prefix}-{_CODES[area]}-"
    numbers = [int(name.removeprefix(start)) for name in used if re.fullmatch(rf"{re.escape(start)}\d{{3}}", name)]
    return f"{start}{max(numbers, default=0) + 1:03}"


def area_of(kind: str) -> str:
    """Return the area that a kind most likely belongs to."""
    return next((area for area, kinds in _AREAS.items() if kind in kinds.split()), "kubernetes")


def parse_condition(text: str) -> Asked:
    """Return a condition that a person typed: ``FIELD TEST VALUE``, also ``label NAME TEST VALUE``.

    Raises ValueError that says what is wrong.
    """
    match = _TYPED.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'"{text}" is no condition: FIELD TEST VALUE, such as: spec.unschedulable not_equals true')
    path = f'metadata.{match["of"]}s["{match["name"]}"]' if match["of"] else match["path"]
    _check_path(path)
    test, rest = match["test"], (match["rest"] or "").strip()
    if test not in TEST_NAMES:
        meant = key_meant("condition", test)
        hint = f'; did you mean "{meant}"?' if meant in TEST_NAMES else did_you_mean(test, TEST_NAMES)
        raise ValueError(f'"{test}" is no test{hint or "; there are " + " ".join(TEST_NAMES)}')
    rest = rest or ("true" if test == "exists" else "")
    if not rest:
        raise ValueError(f'"{text}": {test} needs a value')
    several = test in ("one_of", "not_one_of") or (test in _LIST_TESTS and "," in rest)
    if test == "equals_field":
        _check_path(rest)
    return Asked(path, test, tuple(part.strip() for part in rest.split(",")) if several else rest.strip("\"'"))


def _check_path(text: str) -> None:
    try:
        compile_path(text)
    except ValueError as error:
        raise ValueError(f"{error}{path_meant(text)}") from None


def means_absent(asked: Asked, body: dict[str, Any]) -> bool:
    """Return whether a fault is that a field has not some value, and an object that shows it has not the field at all."""
    return asked.test in ("not_equals", "not_one_of") and all(
        value is ABSENT for value in compile_path(asked.path).values(body)
    )


def fix_of(sign: Sign | None, kind: Kind, wanted: Asked | None = None) -> str:
    """Return what to do, as far as it is known; else how to find out. ``wanted``: what a healthy object meets."""
    if sign and sign.fix:
        return sign.fix
    if wanted and wanted.test == "equals" and not wanted.path.startswith(("status.", "facts.")) and kind.group != MADE:
        return f"Set {wanted.path} of the {kind.name} to {wanted.value}."
    return f"Describe the {kind.name}: its events and messages say what it waits for."


def message_of(kind: Kind, condition: Asked) -> str:
    """Return a message that names the object and the value found."""
    named = "The cluster" if kind.name == "Cluster" else name_words(kind.name, _namespaced(kind))
    return f"{named}: {condition.path} is {{{{ found }}}}".replace('["', " ").replace('"]', "")


def title_of(kind: Kind, condition: Asked) -> str:
    """Return a headline from the condition."""
    return f"{article(kind.name)} with a wrong {condition.path}"


# --- Examples ---------------------------------------------------------------------------------------------------------------


def from_sign(rule: NewRule, body: dict[str, Any], signs: Sequence[Sign]) -> NewRule:
    """Return the rule with conditions and examples from an object that shows the fault. ``body`` is clean."""
    fault = len(signs) > 1 or signs[0].mode == "fault"
    conditions = tuple(
        Condition(
            sign.asked,
            "" if fault and sign.mode == "expect" else sign.when_absent,
            sign.because,
            negated=fault and sign.mode == "expect",
        )
        for sign in signs
    )
    keep = [path for sign in signs for path in (sign.asked.path, *sign.keep) if not path.startswith("facts.")]
    broken = tidy(project(body, keep))
    healthy = broken
    for path, value in signs[0].healthy:
        healthy = changed(healthy, path, value)
    show = tuple(dict(pair for sign in signs for pair in sign.show).items())
    kind = Kind(signs[0].made, MADE) if signs[0].made else rule.kind
    ready = replace(rule, kind=kind, conditions=conditions, fault=fault, show=show)
    return replace(ready, examples=tuple(_examples(ready, broken, healthy, signs[0].asked)))


def from_conditions(rule: NewRule, good: str = "", bad: str = "", body: dict[str, Any] | None = None) -> NewRule:
    """Return the rule with examples made from its conditions. ``good`` and ``bad``: values that meet the first one, or not.

    ``body``: the object whose name and namespace the examples have. Raises ``NoSampleError`` where no value could be found.
    """
    asked = [condition.asked for condition in rule.conditions]
    meets, fails = pair(rule.kind.name, project(body, ()) if body else _base(rule.kind), asked, good, bad)
    broken, healthy = (meets, fails) if rule.fault else (fails, meets)
    return replace(rule, examples=(*_examples(rule, broken, healthy, asked[0]), *_each_alone(rule, meets)))


def _each_alone(rule: NewRule, meets: dict[str, Any]) -> Iterator[NewExample]:
    """Yield, for each condition after the first, an object that misses this one alone: it proves the condition."""
    time = rule.bundle_time
    for condition in () if rule.kind.name == "Cluster" else rule.conditions[1:]:
        try:
            body = missing_one(rule.kind.name, meets, condition.asked)
        except NoSampleError:
            continue
        name = f"without this: {condition.asked.path} {condition.asked.test}"
        yield NewExample(name, (_inside_scope(rule, body),), "pass" if rule.fault else "fail", bundle_time=time)


def _examples(rule: NewRule, broken: dict[str, Any], healthy: dict[str, Any], first: Asked) -> Iterator[NewExample]:
    time = rule.bundle_time
    if rule.kind.name == "Cluster":
        yield NewExample("the fault", (), "fail", cluster=_inside(broken), bundle_time=time)
        yield NewExample("as it should be", (), "pass", cluster=_inside(healthy), bundle_time=time)
        yield NewExample("not known", (), "unknown", (f"Cluster.{first.path}",), cluster=_inside(healthy), bundle_time=time)
        return
    broken, healthy = _inside_scope(rule, broken), _inside_scope(rule, healthy)
    name = str(broken["metadata"]["name"])
    said = name if "metadata.name" in rule.message and rule.kind.name == broken["kind"] else ""
    each = tuple(_in_each_place(rule, broken))
    of_one, said = said, said if len(each) == 1 else f"(and {len(each) - 1} more)"
    yield NewExample("the fault", each, "fail", message_contains=said, bundle_time=time)
    yield NewExample("as it should be", (healthy,), "pass", bundle_time=time)
    if any(condition.when_absent == "unknown" for condition in rule.conditions):
        yield NewExample("the field is not set", (project(broken, ()),), "unknown", bundle_time=time)
    for condition in rule.conditions:
        if condition.when_absent == "pass" and rule.fault and not condition.negated:
            bare = changed(broken, condition.asked.path, REMOVED)
            yield NewExample(f"{condition.asked.path} is not set", (bare,), "fail", message_contains=of_one, bundle_time=time)
    elsewhere = tuple(_elsewhere(rule, broken))
    if elsewhere:
        nothing = "pass" if rule.fault else "not_applicable"
        yield NewExample("the same where the rule does not look", elsewhere, nothing, bundle_time=time)
    yield NewExample("could not be read", (), "unknown", (rule.kind.written,), bundle_time=time)


def _inside_scope(rule: NewRule, body: dict[str, Any]) -> dict[str, Any]:
    """Return the object with a name and namespace that the rule looks at."""
    for key, globs in rule.narrowed:
        if globs and not _fits(str(body["metadata"].get(key)), globs):
            body = changed(body, f"metadata.{key}", _fitting(globs[0]))
    return body


def _fits(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _fitting(glob: str) -> str:
    """Return a name that fits a glob."""
    return re.sub(r"[^a-z0-9.-]", "", glob.replace("?", "x")).strip(".-") or "example"


def _in_each_place(rule: NewRule, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the object, and one for each further name and namespace that the rule names: an example must prove every word."""
    yield body
    for key, globs in rule.narrowed:
        for glob in globs:
            if not fnmatchcase(str(body["metadata"].get(key)), glob):
                yield changed(body, f"metadata.{key}", _fitting(glob))


def _elsewhere(rule: NewRule, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the object with another name, and in another namespace, where the rule looks at certain ones only."""
    for key, globs in rule.narrowed:
        other = next((word for word in ("other", "example", "x") if not _fits(word, globs)), "")
        if globs and other:
            yield changed(body, f"metadata.{key}", other)


def _inside(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in ("apiVersion", "kind", "metadata")}


def _base(kind: Kind) -> dict[str, Any]:
    metadata = {"namespace": "example", "name": "example"} if _namespaced(kind) else {"name": "example"}
    group = {"apiVersion": f"{kind.group}/v1"} if kind.group not in (None, MADE) else {}
    return {**group, "kind": kind.name, "metadata": metadata}


def _namespaced(kind: Kind) -> bool:
    return kind.group is None and kind.name in GROUP_OF and kind.name not in CLUSTER_SCOPED
