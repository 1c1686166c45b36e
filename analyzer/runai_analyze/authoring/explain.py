"""A rule in plain English, made from the rule itself: when it applies, what must hold, what is said, what makes it unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runai_analyze.engine.missing import list_command, plural_of
from runai_analyze.facts.kinds import MADE_MEANINGS, fields_of
from runai_analyze.objects.paths import Key, Path
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.parts import conditions_of, other_field
from runai_analyze.ruleset.rule import ClusterValue, Names, Pack, Rule, Scope, TableCell, Test
from runai_analyze.ruleset.vocabulary import MADE

from .words import Telling, condition_lines, either, path_words, template_words, words_of_test

_SEVERITIES = {
    "critical": "Run:ai cannot be installed or does not run",
    "high": "a documented requirement is not met, or a service is broken",
    "medium": "it will hurt",
    "low": "worth knowing, or the source is weak",
    "info": "context",
}


class Section(NamedTuple):
    """A part of the explanation; a line that is further in belongs to the one before it."""

    title: str
    lines: tuple[str, ...]


def explain(rule: Rule, pack: Pack, release: str = "") -> tuple[Section, ...]:
    """Return a rule in words. ``release``: the Run:ai release that tables are read for; empty: the newest row is shown.

    Raises ValueError when it is no release.
    """
    if release:
        parse_version(release)
    telling = Telling(pack.tables, release)
    parts = (
        ("When it applies", _scope(rule, pack, release)),
        ("What it looks at", _looks_at(rule, telling)),
        ("What must hold" if rule.select.mode != "report_each" else "What is a fault", _must_hold(rule, telling)),
        ("What is said", _said(rule, telling)),
        ("How bad it is", _how_bad(rule)),
        ("What the customer does", _fix(rule)),
        ("When the answer is unknown", _unknown(rule, telling)),
        ("What the fields mean", _fields(rule)),
        ("What the examples prove", (f"- {example.name}: {example.result.replace('_', ' ')}" for example in rule.examples)),
    )
    return tuple(Section(title, found) for title, lines in parts if (found := tuple(lines)))


def head(rule: Rule) -> tuple[str, str]:
    """Return the two lines over the explanation: the title, and what kind of rule it is."""
    pack = f", pack {rule.pack}" if rule.pack else ""
    state = f"{rule.status}, revision {rule.revision} of {rule.changed}"
    return f"{rule.id}: {rule.title}", f"{rule.severity.word}, area {rule.area}, {state}, owner {rule.owner}{pack}"


# --- When it applies --------------------------------------------------------------------------------------------------------


def _scope(rule: Rule, pack: Pack, release: str) -> Iterator[str]:
    lines = [*_scope_lines(rule.scope, release), *_before(rule, pack)]
    yield from lines or ["Always."]


def _scope_lines(scope: Scope, release: str) -> Iterator[str]:
    if scope.runai:
        yield f"- Run:ai is a release in the range {scope.runai}{_fits(scope.runai, release)}."
    if scope.kubernetes:
        yield f"- Kubernetes is a version in the range {scope.kubernetes}."
    if scope.distribution:
        yield f"- The distribution is {_not(scope.distribution)}{either(scope.distribution.names)}."
    if scope.feature:
        told = "neither installed nor planned" if scope.feature.negated else "installed, or named with --planned"
        yield f"- {either(scope.feature.names)} is {told}."
    for names, what in ((scope.needs_namespace, "namespace"), (scope.needs_crd, "CustomResourceDefinition")):
        if names:
            yield f"- There is {'no' if names.negated else 'the'} {what} {either(names.names, 'or' if names.negated else 'and')}."


def _not(names: Names) -> str:
    return "not " if names.negated else ""


def _fits(text: str, release: str) -> str:
    if not release:
        return ""
    answer = parse_range(text).contains(parse_version(release))
    told = {True: "is", False: "is not: the rule does not apply", None: "may be"}[answer]
    return f" ({release} {told})"


def _before(rule: Rule, pack: Pack) -> Iterator[str]:
    titles = {other.id: other.title for other in pack.rules}
    for name in rule.only_if_passed:
        title = f" ({titles[name]})" if name in titles else ""
        yield f"- {name}{title} did not fail. If it failed, this rule is blocked and stands under it."


# --- What it looks at, and what must hold -----------------------------------------------------------------------------------


def _looks_at(rule: Rule, telling: Telling) -> Iterator[str]:
    select = rule.select
    made = f": {MADE_MEANINGS[select.kind]}" if select.group == MADE and select.kind in MADE_MEANINGS else ""
    if select.kind == "Cluster":
        yield "The cluster as a whole."
    elif rule.select.mode == "count":
        yield f"How many {plural_of(select.kind)}{_narrowed(rule)} there are{made}."
    else:
        yield f"Every {select.kind}{_narrowed(rule)}{made}."
    if select.where and select.mode != "report_each":
        yield "Only where:" if select.mode == "for_each" else "Counted are those where:"
        yield from condition_lines(select.where, telling, expected=False)


def _narrowed(rule: Rule) -> str:
    select = rule.select
    named = f" named {either(select.names)}" if select.names else ""
    place = f" in the namespace {either(select.namespaces)}" if select.namespaces else ""
    return f"{named}{place}"


def _must_hold(rule: Rule, telling: Telling) -> Iterator[str]:
    select = rule.select
    if select.mode == "for_each":
        yield from condition_lines(rule.expect, telling, expected=True)
    elif select.mode == "count" and rule.expect_count:
        yield f"- The number {words_of_test(rule.expect_count, telling)}."
        if rule.expect_count.because:
            yield f"  Why: {rule.expect_count.because}"
    elif select.where:
        yield f"Each {select.kind} where:"
        yield from condition_lines(select.where, telling, expected=False)
    else:
        yield f"Each {select.kind} that there is."
    if select.kind != "Cluster":  # there is always one
        yield _none(rule)


def _none(rule: Rule) -> str:
    select = rule.select
    if select.mode == "report_each":
        return "None at all: the rule does not apply." if select.if_none == "not_applicable" else "None: all is well."
    if select.if_none == "fail":
        said = f': "{template_words(select.none_message)}"' if select.none_message else "."
        return f"If there is none at all, that is a fault{said}"
    if select.mode == "count":
        return "If there is none at all, the rule does not apply." if select.if_none else "None counts as the number 0."
    return "If there is none at all, the rule does not apply."


# --- What is said and done --------------------------------------------------------------------------------------------------


def _said(rule: Rule, telling: Telling) -> Iterator[str]:
    for number, case in enumerate(rule.cases, start=1):
        severity = f" (severity {case.severity.word})" if case.severity else ""
        yield f'{"If" if number == 1 else "Else if"} this is met, "{template_words(case.message)}"{severity}:'
        yield from condition_lines(case.when, telling, expected=False, depth=1)
        if case.fix:
            yield f"  Then: {case.fix}"
    yield f'{"Else, when" if rule.cases else "When"} it fails: "{template_words(rule.message)}"'
    if rule.group_by:
        yield f"Findings with the same {either([path_words(path) for path in rule.group_by], 'and')} are one."
    if rule.show:
        yield f"Shown beside it: {either([title for title, _ in rule.show], 'and')}."
    if rule.pass_message:
        yield f'When all is well: "{template_words(rule.pass_message)}"'


def _how_bad(rule: Rule) -> Iterator[str]:
    yield f"{rule.severity.word}: {_SEVERITIES[rule.severity.word]}."
    if rule.impact:
        yield rule.impact
    if any(isinstance(test.argument, TableCell) for test in _tests(rule)):
        yield "A figure of the table whose source is third-party or derived makes it low, an uncertain one info."


def _fix(rule: Rule) -> Iterator[str]:
    yield rule.fix
    for command in rule.commands:
        yield f"- Run by {command.run_by}, {command.risk}:"
        yield f"  $ {command.run}"


# --- Unknown ----------------------------------------------------------------------------------------------------------------


def _unknown(rule: Rule, telling: Telling) -> Iterator[str]:
    select = rule.select
    command = list_command(select.kind, select.group, select.namespaces)
    if select.group == MADE:
        yield f"- What {select.kind} is made from was not collected, or a field of it could not be found out."
    else:
        yield f"- {plural_of(select.kind)} were not collected, were forbidden, or the bundle was cut. Ask for:"
        yield f"  $ {command}"
    yield from _scope_unknown(rule)
    yield from (f"- {line}" for line in dict.fromkeys(_argument_unknown(rule)))
    if any(condition.when_absent == "unknown" for condition in conditions_of(rule)):
        yield "- A field is not set of which the rule says that this is unknown."
    if select.group != MADE:
        yield "- A value that it needs was hidden by the collector, or a fact could not be computed."
    for name in rule.only_if_passed:
        yield f"- {name} is unknown."


def _scope_unknown(rule: Rule) -> Iterator[str]:
    scope = rule.scope
    known = (
        (scope.runai, "the Run:ai release"),
        (scope.kubernetes, "the Kubernetes version"),
        (scope.distribution, "the distribution"),
        (scope.feature, "what is installed"),
        (scope.needs_namespace, "which namespaces there are"),
        (scope.needs_crd, "which CustomResourceDefinitions there are"),
    )
    lacking = [what for wanted, what in known if wanted]
    if lacking:
        yield f"- The bundle does not say {either(lacking)}."


def _argument_unknown(rule: Rule) -> Iterator[str]:
    for test in _tests(rule):
        argument = test.argument
        if isinstance(argument, ClusterValue):
            yield f"The cluster's {argument.path.text} is not known."
        if isinstance(argument, TableCell):
            row = argument.row
            named = f"the cluster's {row.path.text}" if isinstance(row, ClusterValue) else "this row"
            yield f"Table {argument.table} has no value in column {argument.column} for {named}, or that is not known."


# --- Fields -----------------------------------------------------------------------------------------------------------------


def _fields(rule: Rule) -> Iterator[str]:
    """Yield the meaning of each fact, and field of a made kind, that the conditions look at."""
    meanings = {field.path: field.meaning for field in fields_of(rule.select.kind)}
    names = (name for condition in conditions_of(rule) for name in (_dotted(condition.path), other_field(condition.test)))
    for name in dict.fromkeys(names):
        if name in meanings:
            yield f"- {name}: {meanings[name]}"


def _dotted(path: Path) -> str:
    return ".".join(step.name for step in path.steps if isinstance(step, Key))


def _tests(rule: Rule) -> Iterator[Test]:
    yield from (condition.test for condition in conditions_of(rule))
    if rule.expect_count:
        yield rule.expect_count
