"""Rules for the tests of the authors' tools: a selection, and examples of its kind that could come out as they say."""

import re

HEAD = """\
id: RAI-TST-001
title: Something is wrong
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-12-01
owner: tests
"""
FIX = "fix: {text: Mend it.}\n"


def rule_of(selection: str, examples: str = "", more: str = "", message: str = "wrong") -> str:
    """Return a rule with the selection and further keys; without ``examples`` three that nobody runs."""
    return f'{HEAD}{selection.strip()}\nmessage: "{message}"\n{FIX}{more}examples:\n{examples or _examples(selection)}'


def example(name: str, given: str, result: str, more: str = "") -> str:
    """Return one example; ``given``: objects in flow style, ``more``: further lines."""
    return f"  - name: {name}\n    given: [{given}]\n    result: {result}\n{more}"


def not_read(kind: str) -> str:
    """Return the example in which the kind was not collected."""
    return f"  - name: not read\n    given: []\n    not_collected: [{kind}]\n    result: unknown\n"


def _examples(selection: str) -> str:
    match = re.search(r"kind: ([A-Za-z]+)(?:\.([a-z.]+))?", selection)
    assert match
    kind, group = match.groups()
    version = f"apiVersion: {group}/v1, " if group else ""
    given = f"{{{version}kind: {kind}, metadata: {{name: a}}}}"
    return example("right", given, "pass") + example("not right", given, "fail") + not_read(f"{kind}.{group}" if group else kind)
