"""Whether a rule applies to a cluster at all: yes, no with the reason, or unknown with what would tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from runai_analyze.engine.environment import Environment, Resolved, cluster_value, first_unknown
from runai_analyze.engine.logic import Answer, all_of, any_of, negate
from runai_analyze.engine.missing import list_command
from runai_analyze.engine.selection import matcher, named
from runai_analyze.engine.values import as_text, display
from runai_analyze.model import Facts, Item, Missing, Unknown
from runai_analyze.objects.paths import compile_path
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.rule import Names, Scope

NEEDED_KINDS = ("Namespace", "CustomResourceDefinition")
_RUNAI = compile_path("runai.release")
_KUBERNETES = compile_path("kubernetes.version")
_DISTRIBUTION = compile_path("distribution.name")
_FEATURES = compile_path("features")
_PLANNED = compile_path("planned")


@dataclass(frozen=True)
class Applies:
    """The answer, the reason of a no, and what is missing for a clear one."""

    answer: Answer
    reason: str = ""
    missing: tuple[Missing, ...] = ()


class Presence:
    """The names of namespaces and CustomResourceDefinitions that were seen."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._names: dict[str, set[str]] = {kind: set() for kind in NEEDED_KINDS}

    def note(self, item: Item) -> None:
        """Remember an item of one of the kinds."""
        if item.kind in self._names:
            self._names[item.kind].add(named(item, "name"))

    def exists(self, kind: str, name: str) -> tuple[Answer, tuple[Missing, ...]]:
        """Return whether an object of that name (a glob) exists; unknown when not all of the kind were collected."""
        is_it = matcher((name,))
        if any(is_it(seen) for seen in self._names[kind]):
            return True, ()
        gaps = self._facts.coverage(kind, None, ())
        if not gaps:
            return False, ()
        command = list_command(kind, None)
        return None, tuple(replace(gap, command=gap.command or command) for gap in gaps)


def applies_to_cluster(scope: Scope, environment: Environment) -> Applies:
    """Return what the cluster itself says, without looking at objects."""
    parts = []
    if scope.runai:
        parts.append(_in_range("Run:ai", scope.runai, cluster_value(_RUNAI, environment)))
    if scope.kubernetes:
        parts.append(_in_range("Kubernetes", scope.kubernetes, cluster_value(_KUBERNETES, environment)))
    if scope.distribution:
        parts.append(_distribution(scope.distribution, cluster_value(_DISTRIBUTION, environment)))
    if scope.feature:
        parts.append(_features(scope.feature, environment))
    return _together(parts)


def applies_to_objects(scope: Scope, presence: Presence) -> Applies:
    """Return what namespaces and CustomResourceDefinitions say, once all objects were seen."""
    parts = []
    if scope.needs_namespace:
        parts.append(_needed(scope.needs_namespace, "Namespace", presence.exists))
    if scope.needs_crd:
        parts.append(_needed(scope.needs_crd, "CustomResourceDefinition", presence.exists))
    return _together(parts)


def both(first: Applies, second: Applies) -> Applies:
    """Return two scopes taken together."""
    return _together([first, second])


def _together(parts: list[Applies]) -> Applies:
    answer = all_of(part.answer for part in parts)
    reason = next((part.reason for part in parts if part.answer is False), "")
    missing = tuple(gap for part in parts if part.answer is None for gap in part.missing)
    return Applies(answer, reason, missing if answer is None else ())


def _in_range(what: str, text: str, found: Resolved) -> Applies:
    if found.missing:
        return Applies(None, missing=(found.missing,))
    try:
        answer = parse_range(text).contains(parse_version(found.value))
    except ValueError as error:
        return Applies(None, missing=(Missing(f"version of {what}", str(error)),))
    if answer is None:
        return Applies(
            None, missing=(Missing(f"version of {what}", f"{display(found.value)} is too coarse to compare with {text}"),)
        )
    return Applies(answer, f"{what} is {display(found.value)}; the rule is for {text}")


def _distribution(names: Names, found: Resolved) -> Applies:
    if found.missing:
        return Applies(None, missing=(found.missing,))
    answer = (as_text(found.value) in names.names) != names.negated
    return Applies(answer, f"The distribution is {display(found.value)}; {_for(names)}")


def _features(names: Names, environment: Environment) -> Applies:
    """Each feature is decided by itself: that another one could not be found out makes no difference."""
    sources = [path.one(environment.cluster) for path in (_FEATURES, _PLANNED)]
    listed = [feature for source in sources if isinstance(source, list | tuple) for feature in source]
    undecided = [feature for feature in listed if isinstance(feature, Unknown) and feature.about in ("", *names.names)]
    open_names = {feature.about for feature in undecided}
    unsure = not isinstance(sources[0], list | tuple) or "" in open_names
    present = {as_text(feature) for feature in listed if not isinstance(feature, Unknown)}
    answers: list[Answer] = [True if name in present else None if unsure or name in open_names else False for name in names.names]
    answer = negate(any_of(answers)) if names.negated else any_of(answers)
    gap = cluster_value(_FEATURES, environment).missing or first_unknown(undecided) or Missing("Cluster features", "not known")
    said = "installed or planned" if names.negated else "neither installed nor planned"
    return Applies(answer, f"Feature {', '.join(names.names)} is {said}", (gap,))


def _for(names: Names) -> str:
    listed = ", ".join(names.names)
    return f"the rule is for all but {listed}" if names.negated else f"the rule is for {listed}"


def _needed(names: Names, kind: str, exists: Callable[[str, str], tuple[Answer, tuple[Missing, ...]]]) -> Applies:
    found = [(name, *exists(kind, name)) for name in names.names]
    answers = [answer for _, answer, _ in found]
    missing = tuple(gap for _, answer, gaps in found if answer is None for gap in gaps)
    if names.negated:
        there = ", ".join(name for name, answer, _ in found if answer)
        return Applies(negate(any_of(answers)), f"{kind} {there} exists", missing)
    lacking = ", ".join(name for name, answer, _ in found if answer is False)
    return Applies(all_of(answers), f"{kind} {lacking} does not exist", missing)
