"""Small packs on disk for tests: one rule that is right, and ways to make it wrong."""

from pathlib import Path

from runai_analyze.ruleset import Pack, read_packs

RULE = """\
id: RAI-TST-001
title: Nodes are small
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-12-01
owner: tests
for_each:
  kind: Node
expect:
  - field: status.allocatable.cpu
    at_least: 8
message: "{{ metadata.name }} has {{ found }}"
fix: {text: Buy a larger one.}
examples:
  - name: large
    given: [{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "16"}}}]
    result: pass
  - name: small
    given: [{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4"}}}]
    result: fail
  - name: not seen
    given: []
    not_collected: [Node]
    result: unknown
"""
PACK = 'name: tests\nversion: 1.0\nengine: ">=0.1"\nchangelog: [first]\n'
TABLE = """\
table: racks
key: runai release
updated: 2026-12-01
columns: {kubernetes: range, cpu: number, memory: quantity, flags: list}
rows:
  "2.25":
    kubernetes: {value: "1.33 - 1.35", confidence: documented, source: page}
    cpu: {value: 10, confidence: documented, source: page}
    memory: {value: 20Gi, confidence: derived, source: notes}
    flags: {value: [a, b], confidence: third_party, source: talk}
  "2.24":
    cpu: {value: null, confidence: unknown, source: nowhere}
"""
CHECKLIST = "checklist:\n  - section: Hardware\n    lines:\n      - {id: node-size, title: Size of nodes}\n"


def write_pack(folder: Path, rule: str = RULE, name: str = "RAI-TST-001.yaml", **files: str) -> Path:
    """Write a pack with one rule into a folder; ``files`` are others, named as ``write_files`` takes them."""
    write_files(folder, **{"pack": PACK, "tables__racks": TABLE, "checklist": CHECKLIST, **files})
    if rule:
        (folder / "nodes").mkdir(exist_ok=True)
        (folder / "nodes" / name).write_text(rule)
    return folder


def write_files(folder: Path, **files: str) -> None:
    """Write files of a pack; in their names ``/`` is written as ``__``, and the suffix .yaml left out."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def mistakes_in(folder: Path) -> list[str]:
    """Return the mistakes of a pack as printed, with the folder left out."""
    return [str(mistake).replace(f"{folder}/", "") for mistake in read_packs([folder])[1]]


def load_rule(folder: Path, rule: str = RULE, **files: str) -> Pack:
    """Return the pack of one rule, which must be without mistakes."""
    pack, mistakes = read_packs([write_pack(folder, rule, **files)])
    assert not mistakes, "\n".join(str(mistake) for mistake in mistakes)
    return pack
