"""The rule format, as one table: which keys each block has, what may stand there, and what it means.

Validation reads it and there is no second copy.
"""

from __future__ import annotations

from runai_analyze.ruleset.format_packs import PACK_BLOCKS
from runai_analyze.ruleset.format_signatures import SIGNATURE_BLOCKS
from runai_analyze.ruleset.keys import SEVERITIES as SEVERITIES
from runai_analyze.ruleset.keys import Form as Form
from runai_analyze.ruleset.keys import Key as Key
from runai_analyze.ruleset.vocabulary import AREAS

RESULTS = ("pass", "fail", "unknown", "not_applicable", "blocked")
SELECTIONS = ("for_each", "report_each", "count")
# What a reader goes by when he decides whether a command can do harm.
RISKS = ("read only", "changes the cluster")
GROUPS = ("any_of", "all_of", "none_of")
CONFIDENCES = ("documented", "third_party", "derived", "uncertain", "unknown")

TESTS = (
    Key("equals", "argument", "the value reads the same as the argument; numbers are compared as numbers"),
    Key("not_equals", "argument", "the value is there and differs"),
    Key("one_of", "argument", "the value is one of the list"),
    Key("not_one_of", "argument", "the value is there and is none of the list"),
    Key("exists", "argument", "the field is set (true) or not set (false)"),
    Key("contains", "argument", "the text holds the argument, the list has it as an element, the map as a key"),
    Key("starts_with", "argument", "the text starts with the argument"),
    Key("ends_with", "argument", "the text ends with the argument"),
    Key("matches", "argument", "the regular expression is found somewhere in the text"),
    Key("at_least", "argument", "number or Kubernetes quantity, at least so much"),
    Key("at_most", "argument", "number or Kubernetes quantity, at most so much"),
    Key("more_than", "argument", "number or Kubernetes quantity, more than that"),
    Key("less_than", "argument", "number or Kubernetes quantity, less than that"),
    Key("version", "argument", 'the version is in the range: "1.33 - 1.35", ">=1.33 <1.36", "1.9 || 22.9"'),
    Key("after", "argument", "the time is later: bundle_time + 30d, or an RFC 3339 time"),
    Key("before", "argument", "the time is earlier"),
    Key("covers_host", "argument", "a certificate with these names is valid for the host"),
    Key("equals_field", "argument", "the value reads the same as another field of the object"),
    Key("min_length", "argument", "the text, list or map has at least so many characters, elements or keys"),
    Key("similar_to", "argument", "the text says nearly the same: names, numbers, addresses and times in it do not matter"),
)
TEST_NAMES = tuple(test.name for test in TESTS)
_TEST_OPTIONS = (
    Key("because", "text", "why it is expected; printed with the evidence"),
    Key("wanted", "text", "what is wanted, in words for the evidence, where the test itself reads badly"),
    Key("tolerance", "text", "for at_least and at_most: a share by which the value may miss the argument, 6%"),
    Key("ignore_case", "yes/no", "upper and lower case do not matter"),
    Key("score", "number", "for similar_to: how similar the text must be, 50 to 100 percent; 85 when not written"),
)

BLOCKS: dict[str, tuple[Key, ...]] = {
    "rule": (
        Key("id", "text", "<PACK>-<AREA>-<NNN>, never used twice, equal to the file's name; RAI: the shipped one", required=True),
        Key("title", "text", "the fault, as a headline", required=True),
        Key("severity", "text", "how bad it is", required=True, choices=SEVERITIES),
        Key("area", "text", "the part of the product", required=True, choices=AREAS),
        Key("status", "text", "how far the rule is", required=True, choices=("draft", "test", "stable", "deprecated")),
        Key("revision", "number", "counts the changes of the logic", required=True),
        Key("changed", "text", "the day of the last change, 2026-12-01", required=True),
        Key("owner", "text", "who answers for it", required=True),
        Key("replaces", "texts", "ids of rules that this one replaces"),
        Key("applies_to", "block", "where the rule applies", block="applies_to"),
        Key("only_if_passed", "texts", "rules that must not have failed; a failure blocks this rule"),
        Key("checklist", "text", "the line of checklist.yaml that the rule answers"),
        Key("for_each", "block", "every matching object must meet expect", block="selection"),
        Key("report_each", "block", "every matching object is a finding", block="selection"),
        Key("count", "block", "the number of matching objects must meet expect_count", block="selection"),
        Key("expect", "conditions", "what every object of for_each must meet"),
        Key("expect_count", "block", "one test on the number", block="expect_count"),
        Key("message", "text", "what is wrong, with {{ paths }}", required=True),
        Key("pass_message", "text", "what is right"),
        Key("impact", "text", "what it means for the customer"),
        Key("show", "map", "evidence columns: a title and a path or text with {{ paths }}"),
        Key("cases", "blocks", "other wordings for some of the findings", block="case"),
        Key("group_by", "texts", "paths: findings with the same values are one finding"),
        Key("fix", "block", "what to do", required=True, block="fix"),
        Key("docs", "texts", "extracts under docs/"),
        Key("kb", "texts", "knowledge base numbers"),
        Key("internal_note", "text", "not in the customer's edition"),
        Key("params", "map", "values that a site may change"),
        Key(
            "examples",
            "blocks",
            "what must come out of which objects: a fail, a pass or not_applicable, an unknown",
            block="example",
        ),
    ),
    "applies_to": (
        Key("runai", "text", "range of Run:ai releases"),
        Key("kubernetes", "text", "range of Kubernetes versions"),
        Key("distribution", "names", "any of these distributions"),
        Key("feature", "names", "any of these is installed or planned"),
        Key("needs_namespace", "names", "these namespaces exist"),
        Key("needs_crd", "names", "these CustomResourceDefinitions exist (plural.group)"),
    ),
    "not": (Key("not", "texts", "none of these", required=True),),
    "selection": (
        Key("kind", "text", "Kind, or Kind.group of a custom resource", required=True),
        Key("namespace", "texts", "only in these namespaces; * and ? are wildcards"),
        Key("name", "texts", "only with these names; * and ? are wildcards"),
        Key("where", "conditions", "only objects that meet these"),
        Key("if_none", "text", "the result when nothing matches", choices=("fail", "not_applicable")),
        Key("none_message", "text", "what to say when nothing matches and that is a failure"),
    ),
    "condition": (
        Key("field", "text", "path into the object"),
        Key("label", "text", "name of a label"),
        Key("annotation", "text", "name of an annotation"),
        *TESTS,
        *_TEST_OPTIONS,
        Key("when_absent", "text", "what a field that is not set counts as: pass as met, fail as not met",
            choices=("pass", "fail", "unknown")),
        Key("ask", "text", "with when_absent: unknown, the question to the customer when the field is not set"),
        Key("keys", "argument", "the field is a map: test each of these keys"),
        Key("any_of", "conditions", "at least one of these is met"),
        Key("all_of", "conditions", "each of these is met"),
        Key("none_of", "conditions", "none of these is met"),
    ),
    "expect_count": (*TESTS, *_TEST_OPTIONS),
    "cell": (
        Key("table", "text", "name of a table of the pack", required=True),
        Key("row", "text", "the row's key: text, {{ cluster.X }} or {{ params.X }}", required=True),
        Key("column", "text", "name of the column", required=True),
    ),
    "case": (
        Key("when", "conditions", "which findings", required=True),
        Key("message", "text", "what is wrong, with {{ paths }}", required=True),
        Key("severity", "text", "another severity", choices=SEVERITIES),
        Key("fix", "text", "another fix"),
        Key("kb", "texts", "other knowledge base numbers"),
    ),
    "fix": (
        Key("text", "text", "what to do, in words", required=True),
        Key("commands", "blocks", "commands, with their risk", block="command"),
    ),
    "command": (
        Key("run", "text", "the command", required=True),
        Key("risk", "text", "what can happen, in words: read only, or changes the cluster (what)", required=True, begins=RISKS),
        Key("run_by", "text", "who runs it", required=True, choices=("customer", "support")),
    ),
    "example": (
        Key("name", "text", "what is special about it", required=True),
        Key("given", "objects", "the objects of the bundle, as kubectl shows them"),
        Key("fixture", "text", "in place of given: fixtures/NAME.yaml of the pack, as kubectl get -o yaml prints it"),
        Key("cluster", "object", "fields of the Cluster object; what is not named is unknown"),
        Key("not_collected", "texts", "kinds that could not be read"),
        Key("bundle_time", "text", "capture time, RFC 3339"),
        Key("result", "text", "the outcome", required=True, choices=RESULTS),
        Key("message_contains", "text", "part of the message"),
    ),
    "table": (
        Key("table", "text", "the name, equal to the name of the file", required=True),
        Key("key", "text", "what the rows are, in words", required=True),
        Key("updated", "text", "the day of the last change", required=True),
        Key("columns", "map", "the columns and the type of their values", required=True),
        Key("rows", "map", "the rows", required=True),
    ),
    "table cell": (
        Key("value", "texts", "the value; null: unknown", required=True),
        Key("confidence", "text", "how good the source is", required=True, choices=CONFIDENCES),
        Key("source", "text", "where it stands"),
        Key("note", "text", "what else is known"),
    ),
    "checklist": (Key("checklist", "blocks", "the sections", required=True, block="section"),),
    "section": (
        Key("section", "text", "its title", required=True),
        Key("lines", "blocks", "its lines", required=True, block="line"),
    ),
    "line": (
        Key("id", "text", "its name for rules", required=True),
        Key("title", "text", "the requirement", required=True),
        Key("optional", "yes/no", "Run:ai runs without it"),
        Key("feature", "text", "only when this is installed or planned"),
        Key("ask", "text", "the question to the customer, where no object shows the answer"),
    ),
    **PACK_BLOCKS,
    **SIGNATURE_BLOCKS,
}
COLUMN_TYPES = ("range", "version", "quantity", "number", "text", "list", "yes/no", "duration")
