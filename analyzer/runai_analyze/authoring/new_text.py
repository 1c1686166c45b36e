"""A new rule as the file that its author goes on with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from runai_analyze.engine.missing import resource
from runai_analyze.ruleset.vocabulary import MADE

from .new import Condition, NewExample, NewRule
from .yaml_out import block, flat, scalar


def text_of_rule(rule: NewRule) -> str:
    """Return the file."""
    lines = [
        f"id: {rule.id}",
        f"title: {scalar(rule.title)}",
        f"severity: {rule.severity}    # critical high medium low info: rules/README.md says which is which",
        f"area: {rule.area}",
        "status: draft    # then test, then stable",
        "revision: 1",
        f"changed: {rule.changed}",
        f"owner: {scalar(rule.owner)}",
        *_selection(rule),
        f"message: {scalar(rule.message)}",
        *_show(rule),
        "fix:",
        f"  text: {scalar(rule.fix)}",
        *_commands(rule),
        "examples:",
        *(line for example in rule.examples for line in _example(example)),
    ]
    return "\n".join(lines) + "\n"


def _selection(rule: NewRule) -> Iterator[str]:
    yield f"{'report_each' if rule.fault else 'for_each'}:"
    yield f"  kind: {rule.kind.written}"
    if rule.namespaces:
        yield f"  namespace: {flat(rule.namespaces if len(rule.namespaces) > 1 else rule.namespaces[0])}"
    if rule.names:
        yield f"  name: {flat(rule.names if len(rule.names) > 1 else rule.names[0])}"
    if rule.fault:
        yield "  where:    # what is wrong"
        yield from block([_condition(condition) for condition in rule.conditions], 4)
    else:
        yield "expect:    # what a healthy one meets"
        yield from block([_condition(condition) for condition in rule.conditions], 2)


def _condition(condition: Condition) -> dict[str, Any]:
    asked = condition.asked
    label = re.fullmatch(r'metadata\.(label|annotation)s\["([^"\\]+)"\]', asked.path)
    found: dict[str, Any] = {label[1]: label[2]} if label else {"field": asked.path}
    value: Any = list(asked.value) if isinstance(asked.value, tuple) else asked.value
    found[asked.test] = (value == "true") if asked.test == "exists" and value in ("true", "false") else value
    if condition.when_absent and asked.test != "exists":
        found["when_absent"] = condition.when_absent
    if condition.because:
        found["because"] = condition.because
    return {"none_of": [found]} if condition.negated else found


def _show(rule: NewRule) -> Iterator[str]:
    if rule.show:
        yield "show:"
        yield from block(dict(rule.show), 2)


def _commands(rule: NewRule) -> Iterator[str]:
    """Yield the command that shows the object; of a made kind nobody can say one."""
    if rule.kind.group == MADE:
        return
    place = " -n {{ metadata.namespace }}" if "metadata.namespace" in rule.message else ""
    run = f"kubectl describe {resource(rule.kind.name, rule.kind.group, plural=False)} {{{{ metadata.name }}}}{place}"
    yield "  commands:"
    yield f'    - {{run: "{run}", risk: read only, run_by: customer}}'


def _example(example: NewExample) -> Iterator[str]:
    yield f"  - name: {scalar(example.name)}"
    if example.given:
        yield "    given:"
        yield from block(list(example.given), 6)
    else:
        yield "    given: []"
    if example.cluster is not None:
        yield "    cluster:"
        yield from block(example.cluster, 6)
    if example.not_collected:
        yield f"    not_collected: {flat(example.not_collected)}"
    if example.bundle_time:
        yield f"    bundle_time: {example.bundle_time}"
    yield f"    result: {example.result}"
    if example.message_contains:
        yield f"    message_contains: {scalar(example.message_contains)}"
