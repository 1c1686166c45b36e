"""The tables of rules/README.md and rules/REFERENCE.md, made from the tables that the program itself goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS
from runai_analyze.ruleset.codes import CODES
from runai_analyze.ruleset.format import BLOCKS, TESTS, Key

_RULE_BLOCKS = (
    ("rule", "A rule"),
    ("applies_to", "`applies_to`"),
    ("selection", "`for_each`, `report_each`, `count`"),
    ("condition", "A condition"),
    ("cell", "A cell of a table, in place of an argument"),
    ("case", "`cases`"),
    ("fix", "`fix`"),
    ("command", "`fix.commands`"),
    ("example", "`examples`"),
)
_PACK_BLOCKS = (
    ("pack", "`pack.yaml`"),
    ("collect", "`collect` of `pack.yaml`"),
    ("collected kind", "each of `kinds` there"),
    ("collected log", "each of `logs` there"),
    ("table", "`tables/NAME.yaml`"),
    ("table cell", "A cell of a table"),
    ("signature", "`signatures/NAME.yaml`, each of `signatures`"),
    ("change", "`site.yaml`, each of `changes`"),
    ("suppression", "`suppressions.yaml`, each of `suppressions`"),
    ("match", "`match` there"),
    ("line", "`checklist.yaml`, each of `lines`"),
)
_FORMS = {
    "text": "text",
    "texts": "text, or a list",
    "yes/no": "true or false",
    "number": "number",
    "block": "keys",
    "blocks": "list",
    "conditions": "list of conditions",
    "argument": "value, list, `{{ cluster.X }}`, `{{ params.X }}` or a cell",
    "map": "names of your own",
    "names": "name, list, or `{not: …}`",
    "object": "object",
    "objects": "list of objects",
}


def blocks() -> str:
    """Return a table for each block of a rule: key, what may stand there, what it means."""
    return "\n\n".join(_block(name, title) for name, title in _RULE_BLOCKS)


def pack_blocks() -> str:
    """Return a table for each block of the other files of a pack."""
    return "\n\n".join(_block(name, title) for name, title in _PACK_BLOCKS)


def _block(name: str, title: str) -> str:
    keys = [key for key in BLOCKS[name] if name != "condition" or key not in TESTS]
    more = ", and exactly one of the tests" if name == "condition" else ""
    rows = ((_key(key), _form(key), key.help) for key in keys)
    return f"**{title}**{more}\n\n{_table(('Key', 'What stands there', 'Meaning'), rows)}"


def _key(key: Key) -> str:
    return f"**`{key.name}`**" if key.required else f"`{key.name}`"


def _form(key: Key) -> str:
    if key.choices:
        return " ".join(f"`{choice}`" for choice in key.choices)
    if key.begins:
        return " or ".join(f"`{start}` …" for start in key.begins)
    return _FORMS[key.form]


# A condition with each test, and the kind that it may be laid on.
EXAMPLES: Mapping[str, tuple[str, str]] = {
    "equals": ("Pod", "{field: status.phase, equals: Running}"),
    "not_equals": ("Node", "{field: spec.unschedulable, not_equals: true, when_absent: pass}"),
    "one_of": ("PersistentVolume", "{field: status.phase, one_of: [Bound, Available]}"),
    "not_one_of": ("Node", "{field: facts.os_family, not_one_of: [windows, other]}"),
    "exists": ("Node", "{label: nvidia.com/gpu.count, exists: true}"),
    "contains": ("Deployment", "{field: metadata.finalizers, contains: foregroundDeletion}"),
    "starts_with": ("Pod", "{field: 'spec.containers[*].image', starts_with: registry.example/}"),
    "ends_with": ("Pod", "{field: 'spec.containers[*].image', ends_with: ':latest'}"),
    "matches": ("Node", "{field: status.nodeInfo.kernelVersion, matches: '^[56][.]'}"),
    "at_least": ("Node", "{field: status.allocatable.memory, at_least: 16Gi, tolerance: 6%}"),
    "at_most": ("Pod", "{field: facts.restarts, at_most: 5}"),
    "more_than": ("Job", "{field: status.failed, more_than: 0}"),
    "less_than": ("Certificate", "{field: chain_length, less_than: 5}"),
    "version": ("Node", "{field: status.nodeInfo.kubeletVersion, version: 1.33 - 1.35}"),
    "after": ("Certificate", "{field: not_after, after: bundle_time + 30d}"),
    "before": ("Pod", "{field: metadata.creationTimestamp, before: bundle_time - 1h}"),
    "covers_host": ("Certificate", "{field: dns_names, covers_host: '{{ cluster.runai.url_host }}'}"),
    "equals_field": ("DaemonSet", "{field: facts.ready, equals_field: facts.desired}"),
    "min_length": ("Service", "{field: spec.ports, min_length: 2}"),
    "similar_to": ("EventGroup", "{field: message, similar_to: no space left on device, score: 80}"),
}


def every_test() -> str:
    """Return the tests, each with an example."""
    rows = ((f"`{key.name}`", key.help, f"`{EXAMPLES[key.name][1]}`") for key in TESTS)
    return _table(("Test", "True when", "Example"), rows)


def kinds() -> str:
    """Return the kinds that the program makes, and the facts on kinds of Kubernetes."""
    made = _table(("Kind", "One object of it is"), ((f"`{kind}`", meaning) for kind, meaning in sorted(MADE_MEANINGS.items())))
    facts: dict[str, list[str]] = {}
    for field in FIELDS:
        if field.kind not in MADE_MEANINGS:
            facts.setdefault(field.kind, []).append(f"`{field.path}`")
    rows = ((f"`{kind}`", " ".join(names)) for kind, names in sorted(facts.items()))
    return f"{made}\n\n{_table(('Kind of Kubernetes', 'Facts'), rows)}"


def codes() -> str:
    """Return the kinds of mistakes that lint knows."""
    return _table(("Code", "Level", "What is wrong"), ((f"`{code.name}`", code.level, code.meaning) for code in CODES))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_lines(head, rows))


def _lines(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        cells = [_escaped(cell) for cell in row]
        yield f"| {' | '.join(cells)} |"


def _escaped(cell: str) -> str:
    """Return a cell in which nothing is taken for markup but what stands in backticks."""
    text = cell.replace("|", "\\|")
    return text if "`" in text else text.replace("<", "&lt;").replace("*", "\\*")


PARTS: Mapping[str, Callable[[], str]] = {
    "blocks": blocks,
    "tests": every_test,
    "kinds": kinds,
    "files": pack_blocks,
    "codes": codes,
}
