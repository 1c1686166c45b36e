"""Rules in plain English: whole explanations of each kind of selection, and that every shipped rule has one."""

from pathlib import Path

import pytest
from runai_analyze.authoring.explain import explain, head
from runai_analyze.authoring.words import PHRASES
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.format import TEST_NAMES

from tests.ruleset.packs import RULE, load_rule

SHIPPED = load_packs([default_pack()])
EXAMPLES = RULE[RULE.index("examples:") :]
HEAD = RULE[: RULE.index("for_each:")]


def explained(folder: Path, blocks: str, release: str = "") -> str:
    """Return the explanation of a rule with these blocks, sections under their titles."""
    pack = load_rule(folder, f"{HEAD}{blocks}\n{EXAMPLES}")
    sections = explain(pack.rules[0], pack, release)
    return "\n".join(line for section in sections for line in (f"# {section.title}", *section.lines))


FOR_EACH = """\
applies_to: {runai: ">=2.20", distribution: [eks, gke], needs_namespace: runai, feature: {not: [mpi]}}
for_each:
  kind: Node
  name: "w*"
  where:
    - {label: team, one_of: [blue, red], ignore_case: true}
expect:
  - field: status.allocatable.memory
    at_least: {table: racks, row: "{{ cluster.runai.release }}", column: memory}
    tolerance: 6%
    because: Smaller ones swap.
  - any_of:
      - {field: facts.ready, equals: true}
      - {field: "spec.taints[*].key", exists: true}
      - {field: metadata.annotations, equals: "on", keys: [a, b], when_absent: unknown, ask: Is it on?}
group_by: status.nodeInfo.osImage
message: "{{ count | # node is | # nodes are }} small: {{ found }}"
pass_message: All are large
impact: Pods wait.
show: {System: status.nodeInfo.osImage}
cases:
  - {when: [{field: facts.ready, equals: true}], message: Small but ready, severity: low, fix: Wait.}
fix:
  text: Buy larger ones.
  commands: [{run: "kubectl get node {{ metadata.name }}", risk: read only, run_by: customer}]
"""


def test_for_each(tmp_path: Path) -> None:
    assert (
        explained(tmp_path, FOR_EACH)
        == """\
# When it applies
- Run:ai is a release in the range >=2.20.
- The distribution is eks or gke.
- mpi is neither installed nor planned.
- There is the namespace runai.
# What it looks at
Every Node named w*.
Only where:
- label team is blue or red (upper and lower case do not matter)
# What must hold
- status.allocatable.memory is at least the value in column memory of table racks for your Run:ai release (2.25: 20Gi) \
(6 % less is fine)
  Why: Smaller ones swap.
  Where it is not set, that is a fault.
- at least one of these is met:
  - facts.ready is true
    Where it is not set, that is a fault.
  - every spec.taints[*].key is set
  - each of the keys a and b of metadata.annotations is on
    Where it is not set, the answer is unknown. The customer is asked: "Is it on?"
If there is none at all, the rule does not apply.
# What is said
If this is met, "Small but ready" (severity low):
  - facts.ready is true
  Then: Wait.
Else, when it fails: "<count> nodes are small: <found>"
Findings with the same status.nodeInfo.osImage are one.
Shown beside it: System.
When all is well: "All are large"
# How bad it is
high: a documented requirement is not met, or a service is broken.
Pods wait.
A figure of the table whose source is third-party or derived makes it low, an uncertain one info.
# What the customer does
Buy larger ones.
- Run by customer, read only:
  $ kubectl get node NAME
# When the answer is unknown
- Nodes were not collected, were forbidden, or the bundle was cut. Ask for:
  $ kubectl get nodes -o yaml
- The bundle does not say the Run:ai release, the distribution, what is installed or which namespaces there are.
- Table racks has no value in column memory for the cluster's runai.release, or that is not known.
- A field is not set of which the rule says that this is unknown.
- A value that it needs was hidden by the collector, or a fact could not be computed.
# What the fields mean
- facts.ready: condition Ready is True
# What the examples prove
- large: pass
- small: fail
- not seen: unknown"""
    )


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ("2.25", "is at least 20Gi (table racks, row 2.25, derived: never worse than low) (6 % less is fine)"),
        ("2.25.7", "is at least 20Gi (table racks, row 2.25, derived: never worse than low) (6 % less is fine)"),
        ("2.19", "of table racks, which says nothing for 2.19: the answer is unknown (6 % less is fine)"),
    ],
)
def test_a_release_resolves_tables_and_ranges(tmp_path: Path, release: str, said: str) -> None:
    text = explained(tmp_path, FOR_EACH, release)
    assert said in text
    fits = "2.19 is not: the rule does not apply" if release == "2.19" else f"{release} is"
    assert f"- Run:ai is a release in the range >=2.20 ({fits})." in text


def test_what_is_no_release_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a version"):
        explained(tmp_path, FOR_EACH, "latest")


REPORT_EACH = """\
only_if_passed: RAI-TST-001
report_each:
  kind: Certificate
  where:
    - {field: not_after, before: bundle_time + 30d}
    - none_of:
        - {field: issuer, matches: "^CN=old"}
        - {field: dns_names, contains: [a.example, b.example]}
      because: The old one is known.
message: "{{ metadata.name }} ends {{ not_after }}"
fix: {text: Renew it.}
"""


def test_report_each(tmp_path: Path) -> None:
    blocks = REPORT_EACH.replace("only_if_passed: RAI-TST-001\n", "")
    text = explained(tmp_path, blocks).partition("# How bad")[0]
    assert (
        text
        == """\
# When it applies
Always.
# What it looks at
Every Certificate: one leaf certificate in a Secret, with the hosts that it is expected to cover.
# What is a fault
Each Certificate where:
- not_after is earlier than 30d after the bundle was made
- none of these is met:
  Why: The old one is known.
  - issuer matches the pattern ^CN=old
  - dns_names contains a.example and b.example
None: all is well.
# What is said
When it fails: "<metadata.name> ends <not_after>"
"""
    )


COUNT = """\
params: {least: "3"}
count:
  kind: Pod
  namespace: [runai, runai-backend]
  where: [{field: facts.restarts, more_than: "{{ params.least }}", when_absent: pass}]
  if_none: fail
  none_message: There is no pod
expect_count: {at_most: 5, wanted: a few at most}
message: "{{ count }} pods restart"
fix: {text: Look.}
"""


def test_count(tmp_path: Path) -> None:
    text = explained(tmp_path, COUNT)
    assert (
        text.partition("# What is said")[0]
        == """\
# When it applies
Always.
# What it looks at
How many Pods in the namespace runai or runai-backend there are.
Counted are those where:
- facts.restarts is more than 3 (param least, which a site may change)
  Where it is not set, this counts as met.
# What must hold
- The number is at most 5 (in words: a few at most).
If there is none at all, that is a fault: "There is no pod"
"""
    )
    assert "# What the fields mean\n- facts.restarts: of all containers together\n" in text


def test_head() -> None:
    rule = next(rule for rule in SHIPPED.rules if rule.id == "RAI-KUB-001")
    assert head(rule)[0] == f"RAI-KUB-001: {rule.title}"
    assert head(rule)[1].startswith("high, area kubernetes, stable, revision ")


def test_a_prerequisite_is_named_with_its_title() -> None:
    rule = next(rule for rule in SHIPPED.rules if rule.id == "RAI-NOD-012")
    scope = explain(rule, SHIPPED)[0].lines[-1]
    assert scope == (
        "- RAI-NOD-015 (The whole cluster is one node) did not fail. If it failed, this rule is blocked and stands under it."
    )


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=lambda rule: rule.id)
@pytest.mark.parametrize("release", ["", "2.25", "2.5"])
def test_every_shipped_rule_has_its_words(rule, release: str) -> None:  # type: ignore[no-untyped-def]
    sections = {section.title: section.lines for section in explain(rule, SHIPPED, release)}
    assert {"When it applies", "What it looks at", "What is said", "How bad it is", "What the customer does"} <= sections.keys()
    assert {"What must hold", "What is a fault"} & sections.keys()
    assert not [line for lines in sections.values() for line in lines if "{}" in line or "{{" in line or not line.strip()]


def test_every_test_of_the_format_has_its_words() -> None:
    assert set(TEST_NAMES) <= set(PHRASES)
