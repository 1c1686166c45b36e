"""Examples that prove nothing: a result that cannot come out, what no rule of that kind looks at, the same object twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runai_analyze.ruleset.blocks import items_of, scalars_of, text_of
from runai_analyze.ruleset.mistakes import did_you_mean, listing, suggested
from runai_analyze.ruleset.nodes import Fields, Node, Source
from runai_analyze.ruleset.parts import conditions_of
from runai_analyze.ruleset.rule import ClusterValue, Condition, Example, Rule, TableCell
from runai_analyze.ruleset.vocabulary import CUSTOM_KINDS, GROUP_OF, MADE, MADE_FIELDS


def check_proofs(source: Source, rule: Rule, nodes: Mapping[str, Node]) -> None:
    """Record what is wrong with the examples of a rule whose words are all right."""
    names: dict[str, int] = {}
    for example, node in zip(rule.examples, items_of(nodes.get("examples")), strict=False):
        if not isinstance(node, Fields):
            continue
        if example.name in names:
            said = f'the example of line {names[example.name]} is called "{example.name}" too'
            source.mistake(node.fields["name"], "duplicate-name", said)
        names.setdefault(example.name, example.line)
        _check_example(source, rule, example, node)


def _check_example(source: Source, rule: Rule, example: Example, node: Fields) -> None:
    problem = _impossible(rule, example)
    if problem and (example.given or "fixture" not in node.fields):  # else the fixture is what is wrong
        source.mistake(node.fields["result"], "impossible-result", problem)
    if "message_contains" in node.fields and not example.message_contains.strip():
        said = "every message holds nothing: write a part of it, or leave this out"
        source.mistake(node.fields["message_contains"], "always-true", said)
    for place, other in _twice(node):
        said = f"this object stands here already, in line {other}: kind, namespace and name are the same"
        source.mistake(place, "duplicate-object", said)
    seen = _looks_at(rule)
    for scalar in scalars_of(node.fields.get("not_collected")):
        kind = scalar.text.partition(".")[0]
        if kind not in GROUP_OF and kind not in MADE_FIELDS and "." not in scalar.text:
            hint = suggested(CUSTOM_KINDS.get(kind, "")) or did_you_mean(kind, [*GROUP_OF, *MADE_FIELDS])
            source.mistake(scalar, "unknown-kind", f'"{scalar.text}" is no kind of Kubernetes and none made here{hint}')
        elif seen and kind not in seen:
            said = f"the rule never looks at a {kind}, only at {listing(sorted(seen))}: that it was not collected changes nothing"
            source.mistake(scalar, "not-looked-at", said)


def _impossible(rule: Rule, example: Example) -> str:
    """Return why the result cannot come out of the example; empty when it may."""
    scoped = bool(rule.only_if_passed) or rule.scope != type(rule.scope)()
    if example.result == "blocked" and not rule.only_if_passed:
        return "blocked comes out only when a rule of only_if_passed fails, and this rule has none"
    if example.result == "not_applicable" and not scoped and (rule.select.mode != "for_each" or rule.select.if_none == "fail"):
        why = "if_none says fail" if rule.select.if_none == "fail" else "finding nothing is a pass"
        return f"not_applicable cannot come out: {why}, and the rule applies everywhere"
    if rule.select.group == MADE or rule.select.mode == "count" or rule.select.if_none == "fail":
        return ""
    needs = example.result == "fail" or (example.result == "pass" and rule.select.mode == "for_each")
    kinds = {str(body.get("kind")) for body in example.given}
    if needs and rule.select.kind not in kinds:
        return f"{example.result} cannot come out: there is no {rule.select.kind} in the example"
    return ""


def _twice(node: Fields) -> Iterator[tuple[Node, int]]:
    seen: dict[tuple[str, ...], int] = {}
    for item in items_of(node.fields.get("given")):
        metadata = item.fields.get("metadata") if isinstance(item, Fields) else None
        if not isinstance(item, Fields) or not isinstance(metadata, Fields) or text_of(item.fields.get("kind")) in MADE_FIELDS:
            continue
        group = text_of(item.fields.get("apiVersion")).rpartition("/")[0]
        key = (group, text_of(item.fields.get("kind")), *(text_of(metadata.fields.get(part)) for part in ("namespace", "name")))
        if key in seen:
            yield item, seen[key]
        seen.setdefault(key, item.line)


def _looks_at(rule: Rule) -> frozenset[str]:
    """Return the kinds that a rule looks at; empty when it may be any, as facts and made kinds come from several."""
    scope = rule.scope
    derived = rule.select.group == MADE or bool(rule.only_if_passed or scope.runai or scope.kubernetes or scope.distribution)
    if derived or scope.feature or any(map(_is_derived, conditions_of(rule))):
        return frozenset()
    if rule.expect_count is not None and not hasattr(rule.expect_count.argument, "value"):
        return frozenset()
    needed = (("Namespace", scope.needs_namespace), ("CustomResourceDefinition", scope.needs_crd))
    return frozenset((rule.select.kind, *(kind for kind, names in needed if names)))


def _is_derived(condition: Condition) -> bool:
    """Return whether a condition asks what is made of objects of any kind."""
    return condition.path.root == "facts" or isinstance(condition.test.argument, ClusterValue | TableCell)
