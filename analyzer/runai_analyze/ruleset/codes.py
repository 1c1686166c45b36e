"""Every kind of mistake that lint knows: code, level, meaning and an example. A code never changes its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Code:
    """One kind of mistake: an error makes rules unusable, a warning is worth a look, a note says what was not checked."""

    name: str
    level: Level
    meaning: str
    example: str


CODES: tuple[Code, ...] = (
    # --- The file as YAML
    Code("unreadable", "error", "the file is too large, or no UTF-8 text", "a file of 2 MiB"),
    Code(
        "no-file",
        "error",
        "no plain file is there: a link that leads nowhere, a pipe, a folder, a name that does not print",
        "RAI-X-001.yaml -> nowhere",
    ),
    Code("syntax", "error", "this is not YAML: the indentation is off, quotes or brackets are not closed", "title: Nodes: small"),
    Code("tab", "error", "a line is indented with a tab", "→kind: Node"),
    Code("quotes", "error", "text that begins with {{ has no quotes around it", "message: {{ metadata.name }}"),
    Code("duplicate-key", "error", "a key is written twice in one block", "area: nodes … area: gpu"),
    Code("key", "error", "a key is no word", "? [a]"),
    Code("tag", "error", "YAML tags are not read", "title: !!str Nodes"),
    Code("alias", "error", "anchors and aliases are not read", "title: &a Nodes"),
    Code("documents", "error", "a file holds one YAML document", "--- in the middle"),
    Code("too-deep", "error", "the file is nested too deeply", "[[[[…"),
    Code("too-many", "error", "a file has more mistakes, or a list more conditions, than anybody reads", "expect of 101 lines"),
    Code("empty", "error", "a file or list holds nothing", "expect: []"),
    # --- Keys and values
    Code("unknown-key", "error", "a block has no such key", "titel: Nodes are small"),
    Code("missing-key", "error", "a block lacks a key that it needs", "a rule without owner"),
    Code("exactly-one", "error", "a block needs one of several keys, and has none or two", "at_least: 8, at_most: 9"),
    Code("mixed", "error", "a group of conditions has other keys beside it", "any_of: […], equals: 3"),
    Code("wrong-type", "error", "text, a list or a map stands where something else is wanted", "revision: one"),
    Code("wrong-word", "error", "a word that is none of those that may stand there", "severity: hihg"),
    Code("useless", "error", "a key that means nothing where it stands", "equals: 8, tolerance: 6%"),
    Code("ask-alone", "error", "ask without when_absent: unknown", "ask: How many?"),
    Code("bad-argument", "error", "a test cannot use what it is given", "one_of: 8"),
    Code("bad-path", "error", "a path that is written wrongly", "status.allocatable[cpu]"),
    Code("bad-regex", "error", "a regular expression that is none", "matches: 'a('"),
    Code("explosive-regex", "error", "a regular expression that is far larger than it looks", "matches: '(a+)+$'"),
    Code("bad-range", "error", "a version range that is none, or that no version can be in", "version: '>1.36 <1.33'"),
    Code("bad-quantity", "error", "an amount that Kubernetes does not know", "at_least: 8GB"),
    Code("quantity-unit", "error", "an amount with no unit, or with one that does not fit", "memory at_least: 16"),
    Code("bad-time", "error", "a day, time or duration that is none", "before: bundle_time + 30days"),
    Code("bad-tolerance", "error", "a tolerance that is no share", "tolerance: 6"),
    Code("bad-score", "error", "a score that is too low or above 100", "score: 20"),
    Code("bad-value", "error", "a value of a table that is not of the type of its column", "cpu: {value: many, …}"),
    Code("bad-kb", "error", "no number of the knowledge base", "kb: see below"),
    # --- Identity
    Code("bad-id", "error", "an id of another form than <PACK>-<AREA>-<NNN>", "id: TST-1"),
    Code("id-file", "error", "the id and the name of the file differ", "id: RAI-TST-002 in RAI-TST-001.yaml"),
    Code("duplicate-id", "error", "two rules or checklist lines have the same id", "id: RAI-TST-001 twice"),
    Code(
        "id-used-before",
        "error",
        "the id of a rule that another one of the pack replaces",
        "replaces: RAI-TST-001 beside RAI-TST-001",
    ),
    # --- What a rule names
    Code("unknown-kind", "error", "no kind of Kubernetes and none made here", "kind: Nodes"),
    Code("unknown-field", "error", "no object of that kind has such a field", "field: sttaus.phase"),
    Code("unknown-cluster-field", "error", "no fact about the cluster has that name", "{{ cluster.runai.relaese }}"),
    Code("unknown-table", "error", "the pack has no such table", "table: size"),
    Code("unknown-row", "error", "the table has no such row", 'row: "2.26"'),
    Code("unknown-column", "error", "the table has no such column", "column: cpus"),
    Code("table-type", "error", "a test needs a column of another type", "version: {table: sizes, …, column: cpu}"),
    Code("unknown-param", "error", "the rule has no such param", "{{ params.cpu }}"),
    Code("unused-param", "error", "a param that nothing in the rule uses", "params: {cpu: 8}"),
    Code("unknown-distribution", "error", "no distribution of Kubernetes that is told apart", "distribution: [opneshift]"),
    Code("unknown-feature", "error", "no feature that is told apart", "feature: [inferense]"),
    Code("unknown-rule", "error", "no rule has that id", "only_if_passed: [RAI-TST-009]"),
    Code("unknown-doc", "error", "the pack has no such page under docs/", "docs: [sizes]"),
    Code("unknown-line", "error", "checklist.yaml has no such line", "checklist: node-sise"),
    Code("unknown-fixture", "error", "the pack has no such file under fixtures/", "fixture: small-node"),
    Code("unknown-signature", "error", "no pack has such a signature under signatures/", "signature equals: nccl-timout"),
    Code("signature-line", "error", "a signature finds a line that it must not, or misses one", "matches: [another line]"),
    Code("loop", "error", "only_if_passed or replaces leads back to the rule itself", "only_if_passed: [RAI-TST-001]"),
    # --- Words
    Code("bad-template", "error", "{{ … }} that is written wrongly", "{{ found | upper }}"),
    Code(
        "unknown-variable", "error", "{{ … }} names what is not known when the message is said", "{{ status.allocatable.cpus }}"
    ),
    Code("plural", "error", "a plural in brackets", "node(s)"),
    # --- Sense
    Code("contradiction", "error", "two conditions that no object can meet together", "equals: a and equals: b"),
    Code("duplicate-condition", "error", "the same condition twice", "the same line copied"),
    Code("always-true", "error", "a condition that everything meets", "matches: '.*'"),
    Code("never-met", "error", "a condition that nothing can meet", "conditions[type=Ready].status equals: true"),
    Code(
        "never-passes",
        "warning",
        "expect that no object of where can meet",
        "where: phase equals: Failed, expect: phase equals: Running",
    ),
    Code(
        "unreachable-case",
        "error",
        "a case that another one always comes before, or that no finding can meet",
        "the same when twice",
    ),
    # --- Examples
    Code(
        "missing-examples",
        "error",
        "no fail, no pass or not_applicable, or no unknown among the examples",
        "three times result: pass",
    ),
    Code("bad-object", "error", "an object that the API server would refuse", "{kind: Node}"),
    Code(
        "impossible-result",
        "error",
        "a result that the rule cannot give on these objects",
        "result: blocked without only_if_passed",
    ),
    Code(
        "not-looked-at",
        "error",
        "not_collected names a kind that the rule does not look at",
        "not_collected: [Pod] in a rule about nodes",
    ),
    Code("duplicate-name", "error", "two examples of a rule have the same name", "name: small twice"),
    Code("duplicate-object", "error", "the same object twice in one example", "Node a, Node a"),
    # --- Commands
    Code("risk", "error", "a command changes something, and its risk says read only", "kubectl delete …, risk: read only"),
    Code("prints-secret", "error", "a command prints what is secret", "kubectl get secret x -o yaml"),
    Code("open-placeholder", "error", "a gap in a command that nobody fills", "kubectl describe node <node>"),
    # --- Packs
    Code("no-pack", "error", "a folder of rules without pack.yaml", "rules/ alone"),
    Code("engine", "error", "the pack is for another version of the program", 'engine: ">=9"'),
    Code("bad-doc", "error", "a page under docs/ without title or source", "# Title is missing"),
    Code("damaged-pack", "error", "a packed file of rules that is not whole", "a file cut short"),
    Code("collect", "error", "the collector would not take this", "collect: {…}"),
    Code("missing-column", "error", "a table that stands in for another lacks a column that rules use", "sizes without cpu"),
    Code("column-type", "error", "a column of a table that stands in for another has another type", "cpu: text"),
    Code(
        "logic",
        "error",
        "a site may not change the logic of a rule, only enabled, severity and params",
        "changes: [{rule: …, expect: …}]",
    ),
    Code("own-rule", "error", "a pack changes a rule of its own", "changes of a rule in the same pack"),
    Code("bad-param", "error", "a rule cannot take the value that a site gives to a param", "params: {cpu: many}"),
    Code("duplicate-entry", "error", "two entries are about the same", "the same suppression twice"),
    Code("bad-fingerprint", "error", "no fingerprint of a finding", "fingerprint: abc"),
    Code("too-long", "error", "a suppression for longer than a year", "until: 2036-01-01"),
    # --- Remarks
    Code(
        "capped-severity",
        "warning",
        "the source of a value is too weak for the severity of the rule",
        "severity: high on a third-party figure",
    ),
    Code("stale", "warning", "nobody has changed the rule for 18 months", "changed: 2024-01-01"),
    Code("no-replacement", "warning", "a deprecated rule that no other one replaces", "status: deprecated"),
    Code("duplicate-title", "warning", "two rules have the same title", "title: Nodes are small twice"),
    Code("long-title", "warning", "a title of more than 100 characters", "a title like a message"),
    Code(
        "harmless",
        "warning",
        "a command that only looks has another risk than read only",
        "kubectl get …, risk: changes the cluster",
    ),
    Code("not-set", "warning", "a negative test on a label or annotation that does not say what counts where it is not set",
         "{annotation: acme.example/managed, not_equals: true}"),
    Code("unchecked-fix", "warning", "a fix whose last command changes something", "kubectl scale … comes last"),
    Code("unused-doc", "warning", "a page under docs/ that no rule names", "docs/old.md"),
    Code("dead-link", "warning", "a page links to one that is not there", "[sizes](sizes.md)"),
    Code("spent-entry", "warning", "an entry of suppressions.yaml whose last day is over", "until: 2020-01-01"),
    Code("unused-table", "warning", "a table that no rule asks", "tables/old.yaml"),
    Code(
        "unanswered-line",
        "warning",
        "a line of the checklist that no rule answers and nobody asks",
        "- {id: node-size, title: …}",
    ),
    Code("unknown-replaced", "note", "replaces names a rule that is not there", "replaces: RAI-TST-000"),
    Code(
        "unchecked-kind",
        "note",
        "the maker of a kind publishes no fields, so paths into it are not checked",
        "kind: RunaiConfig.run.ai",
    ),
)
_LEVELS: dict[str, Level] = {code.name: code.level for code in CODES}


def level_of(code: str) -> Level:
    """Return how bad a mistake is; one that the table lacks is an error."""
    return _LEVELS.get(code, "error")
