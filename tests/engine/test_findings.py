"""Findings: words, evidence, cases, groups, fingerprints, bounds."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate
from runai_analyze.model import Missing, ObjectRef, Unknown

from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, thing
from tests.ruleset.packs import load_rule

POD = thing(
    "web-1",
    "Pod",
    "shop",
    metadata={"creationTimestamp": "2026-11-06T11:00:00Z"},
    spec={"containers": [{"name": "a", "image": "r/x:1"}, {"name": "b", "image": "r/y:2"}], "nodeName": "n1"},
    status={"phase": "Pending", "secret": "«redacted:password»"},
)
EACH_POD = (
    "for_each: {kind: Pod, where: [{field: 'spec.containers[*].image', exists: true}, {field: spec.nodeName, exists: true}, "
    "{field: spec.hostname, when_absent: pass, equals: x}]}\nexpect: [{field: status.phase, equals: Running}]"
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ metadata.namespace }}/{{ metadata.name }}", "shop/web-1"),
        ("{{ spec.containers[*].image | join }}", "r/x:1, r/y:2"),
        ("{{ spec.containers[*].image }}", "r/x:1, r/y:2"),
        ("{{ spec.containers[*].image | count }} images", "2 images"),
        ("made {{ metadata.creationTimestamp | ago }}", "made 25 days ago"),
        ("{{ found }} instead of {{ wanted }}", "Pending instead of Running"),
        ("on {{ spec.nodeName }}", "on n1"),
        ("{{ spec.hostname }}", "not set"),
        ("in {{ cluster.name }} with {{ cluster.kubernetes.version }}", "in acme with unknown"),
        ("{{ cluster.features | join }}", "inference, mpi"),
        ("at most {{ params.most }}", "at most 5"),
        ("{}{0}{{metadata.name}}%s", "{}{0}web-1%s"),
    ],
)
def test_message(tmp_path: Path, template: str, text: str) -> None:
    cluster = {"name": "acme", "features": ["inference", "mpi"], "kubernetes": {"version": Unknown(Missing("v", "gone"))}}
    more = "params: {most: 5}\n" if "params" in template else ""
    (finding,) = run_rule(tmp_path, rule_text(EACH_POD, template, more), SomeFacts([POD], cluster)).findings
    assert finding.message == text


def test_hostile_values_stay_text(tmp_path: Path) -> None:
    nasty = "{{ cluster.name }}\x1b[31m<script>\n" + "x" * 500
    (finding,) = run_rule(
        tmp_path,
        rule_text(EACH_POD, "{{ spec.nodeName }}"),
        SomeFacts([thing("a", "Pod", "b", spec={"nodeName": nasty, "containers": [{"image": "i"}]})]),
    ).findings
    assert finding.message.startswith("{{ cluster.name }} [31m<script> xxx")
    assert finding.message.endswith("x…")
    assert len(finding.message) == 200


def test_evidence_and_show(tmp_path: Path) -> None:
    rule = rule_text(EACH_POD, more='show: {Node: spec.nodeName, Images: "{{ spec.containers[*].image | count }} of them"}\n')
    (finding,) = run_rule(tmp_path, rule, SomeFacts([POD])).findings
    (row,) = finding.evidence
    assert (row.subject, row.path, row.found, row.wanted) == (
        ObjectRef("Pod", "web-1", "shop", "member", 1),
        "status.phase",
        "Pending",
        "Running",
    )
    assert finding.show == (("Node", "n1"), ("Images", "2 of them"))


def test_evidence_of_several_values_names_only_those_that_fail(tmp_path: Path) -> None:
    rule = rule_text("for_each: {kind: Pod}\nexpect: [{field: 'spec.containers[*].image', starts_with: r/y}]")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([POD])).findings
    assert [(row.path, row.found) for row in finding.evidence] == [("spec.containers[0].image", "r/x:1")]


def test_a_negated_condition_says_so(tmp_path: Path) -> None:
    rule = rule_text("for_each: {kind: Pod}\nexpect: [{none_of: [{field: status.phase, equals: Pending}], because: it waits}]")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([POD])).findings
    assert [(row.found, row.wanted, row.because) for row in finding.evidence] == [("Pending", "anything but Pending", "it waits")]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("{field: status.phase, exists: false}", "no value"),
        ("{field: status.none, exists: true}", "any value"),
        ("{field: status.none, min_length: 1}", "any value"),
        ("{field: status.phase, min_length: 9}", "at least 9 characters, elements or keys"),
        ("{none_of: [{field: status.phase, min_length: 1}]}", "no value"),
        ("{none_of: [{field: status.phase, contains: end}]}", "without end"),
        ("{none_of: [{field: status.phase, matches: P.*g}]}", "does not match P.*g"),
        ("{none_of: [{field: status.phase, one_of: [Pending, Failed]}]}", "none of Pending, Failed"),
        ("{none_of: [{field: status.cores, at_least: 2}]}", "less than 2"),
        ("{field: status.phase, equals: Running, wanted: a running pod}", "a running pod"),
        ("{none_of: [{field: status.phase, matches: P.*g, wanted: a running pod}]}", "a running pod"),
        ("{field: status.until, after: bundle_time}", "after 2026-12-01 (when the bundle was made)"),
        ("{field: status.until, after: bundle_time + 30d}", "after 2026-12-31 (30 days after the bundle was made)"),
        ("{field: status.until, after: bundle_time - 36h}", "after 2026-11-30 00:00 UTC (36 hours before the bundle was made)"),
        ("{field: status.until, after: '2027-01-01'}", "after 2027-01-01"),
        ("{field: status.phase, equals_field: status.cores}", "the same as status.cores (4)"),
        ("{field: status.phase, equals_field: status.none}", "the same as status.none (not set)"),
    ],
)
def test_what_was_wanted_is_said_in_words(tmp_path: Path, condition: str, wanted: str) -> None:
    rule = rule_text(f"for_each: {{kind: Gadget.example.com}}\nexpect: [{condition}]")
    status = {"phase": "Pending", "cores": 4, "until": "2020-01-01T00:00:00Z"}
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(status=status)])).findings
    assert finding.evidence[0].wanted == wanted


@pytest.mark.parametrize(("names", "message"), [(["a"], "Gadget a waits"), (["a", "b", "c"], "3 Gadgets, among them a, wait")])
def test_one_and_several_are_said_with_their_own_words(tmp_path: Path, names: list[str], message: str) -> None:
    words = "{{ count | Gadget | # Gadgets, among them }} {{ metadata.name }}{{ count | | , }} {{ count | waits | wait }}"
    things = [thing(name, spec={"x": 1}) for name in names]
    rule = expect_rule("{field: spec.x, at_least: 8}", message=words, more="group_by: spec.x\n")
    assert run_rule(tmp_path, rule, SomeFacts(things)).findings[0].message == message


@pytest.mark.parametrize(("value", "message"), [(1, "has 1 GPU"), ("1", "has 1 GPU"), (4, "has 4 GPUs"), (0, "has 0 GPUs")])
def test_a_number_of_the_object_has_both_words_too(tmp_path: Path, value: object, message: str) -> None:
    rule = expect_rule("{field: spec.x, at_least: 8}", message="has {{ spec.x | # GPU | # GPUs }}")
    assert run_rule(tmp_path, rule, SomeFacts([thing(spec={"x": value})])).findings[0].message == message


def test_a_time_is_said_without_its_letters_and_seconds(tmp_path: Path) -> None:
    rule = expect_rule("{field: spec.until, after: bundle_time}", message="until {{ spec.until }}")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(spec={"until": "2026-11-20T16:08:54.123Z"})])).findings
    assert (finding.message, finding.evidence[0].found) == ("until 2026-11-20 16:08 UTC", "2026-11-20 16:08 UTC")


def test_a_rule_that_is_not_about_this_cluster_says_why(tmp_path: Path) -> None:
    where = "where: [{field: runai.installed, equals: true}, {field: nodes.total, more_than: 5}]"
    rule = rule_text(f"for_each: {{kind: Cluster, {where}}}\nexpect: [{{field: name, equals: x}}]")
    outcome = run_rule(tmp_path, rule, SomeFacts([], {"name": "a", "runai": {"installed": True}, "nodes": {"total": 3}}))
    assert (outcome.status.value, outcome.message) == ("not_applicable", "nodes.total is 3; the rule is for more than 5.")


def test_seen_leaves_out_lists_that_are_empty_where_others_are_not(tmp_path: Path) -> None:
    rule = expect_rule("{none_of: [{field: errors, contains: bad}]}", more="checklist: node-size\n")
    assert run_rule(tmp_path, rule, SomeFacts([thing(errors=[]), thing("b", errors=["odd"])])).seen == "odd"
    assert run_rule(tmp_path, rule, SomeFacts([thing(errors=[])])).seen == "an empty list"


def test_an_empty_text_reads_as_empty(tmp_path: Path) -> None:
    (finding,) = run_rule(tmp_path, expect_rule("{field: spec.x, min_length: 1}"), SomeFacts([thing(spec={"x": ""})])).findings
    assert (finding.evidence[0].found, finding.evidence[0].wanted) == ("empty", "any value")


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("namespace: [runai, 'runai-*']", "There is no Pod in namespace runai or runai-*."),
        ("namespace: runai, name: [a, b]", "There is no Pod a or b in namespace runai."),
        ("namespace: [x, y, z]", "There is no Pod in namespace x, y or z."),
        ("namespace: runai, name: a", "There is no Pod runai/a."),
        ("where: [{field: spec.nodeName, equals: x}], namespace: n", "There is no Pod that the rule is about in namespace n."),
        ("name: a", "There is no Pod a."),
    ],
)
def test_nothing_to_look_at_is_said_in_words(tmp_path: Path, selection: str, message: str) -> None:
    rule = rule_text(f"for_each: {{kind: Pod, {selection}}}\nexpect: [{{field: status.phase, equals: Running}}]")
    assert run_rule(tmp_path, rule, SomeFacts([])).message == message


def test_a_reported_object_is_proved_by_what_matched(tmp_path: Path) -> None:
    rule = rule_text(
        "report_each: {kind: Pod, where: [{any_of: [{field: status.phase, equals: Pending}, "
        "{field: spec.nodeName, equals: n2}]}]}"
    )
    (finding,) = run_rule(tmp_path, rule, SomeFacts([POD])).findings
    assert [(row.path, row.found) for row in finding.evidence] == [("status.phase", "Pending")]


def test_a_made_object_names_the_real_one(tmp_path: Path) -> None:
    body = thing("n1", "GpuNode", apiVersion="made/v1", nvidia_smi={"count": 7}, capacity=8)
    origins = {"": ObjectRef("Node", "n1", "", "nodes", 4), "nvidia_smi": ObjectRef("File", "nvidia-smi.xml", "", "nodes/n1", 0)}
    rule = rule_text(
        "for_each: {kind: GpuNode}\nexpect: [{field: nvidia_smi.count, at_least: 8}, {field: capacity, at_least: 9}]"
    )
    (finding,) = run_rule(tmp_path, rule, SomeFacts([body], origins=origins)).findings
    assert [str(row.subject) for row in finding.evidence] == ["File nvidia-smi.xml", "Node n1"]


CASES = """cases:
  - {when: [{field: spec.x, equals: vague}], message: never}
  - {when: [{field: spec.x, less_than: 2}], message: "tiny: {{ spec.x }}", severity: critical, fix: Replace it.}
  - {when: [{field: spec.x, less_than: 4}], message: "small: {{ spec.x }}", severity: low}
"""


def test_the_first_case_that_is_met_wins(tmp_path: Path) -> None:
    nodes = [thing(f"n{x}", spec={"x": x}) for x in (1, 3, 5)]
    outcome = run_rule(tmp_path, expect_rule("{field: spec.x, at_least: 8}", more=CASES), SomeFacts(nodes))
    assert [(finding.message, finding.severity.word, finding.fix) for finding in outcome.findings] == [
        ("tiny: 1", "critical", "Replace it."),
        ("wrong", "high", ""),
        ("small: 3", "low", ""),
    ]
    assert outcome.severity.word == "critical"


def pods(*nodes: str) -> list[dict[str, Any]]:
    return [
        thing(f"p{number}", "Pod", "x", spec={"nodeName": node}, status={"phase": "Failed"}) for number, node in enumerate(nodes)
    ]


GROUPED = rule_text(
    "report_each: {kind: Pod, where: [{field: status.phase, equals: Failed}]}",
    "{{ count }} pods failed on {{ spec.nodeName }}",
    "group_by: spec.nodeName\n",
)


def test_findings_of_a_group_are_one(tmp_path: Path) -> None:
    outcome = run_rule(tmp_path, GROUPED, SomeFacts(pods("n1", "n2", "n1")))
    assert [finding.message for finding in outcome.findings] == ["2 pods failed on n1", "1 pods failed on n2"]
    assert [row.subject.name for row in outcome.findings[0].evidence] == ["p0", "p2"]
    assert outcome.message == "2 pods failed on n1 (and 1 more)"


def test_a_group_of_many_is_bounded(tmp_path: Path) -> None:
    (finding,) = run_rule(tmp_path, GROUPED, SomeFacts(pods(*["n1"] * 300))).findings
    assert finding.message == "300 pods failed on n1"
    assert len(finding.evidence) == 50
    assert finding.evidence[-1].found == "and 251 more"


def test_findings_of_a_rule_are_bounded(tmp_path: Path) -> None:
    rule = rule_text("report_each: {kind: Pod, where: [{field: status.phase, equals: Failed}]}", "{{ metadata.name }}")
    outcome = run_rule(tmp_path, rule, SomeFacts(pods(*["n"] * 1234)))
    assert len(outcome.findings) == 1000
    assert outcome.message == "p0 (and 1,233 more, of which 999 are listed)"


def test_a_fingerprint_hangs_on_rule_and_subject_and_not_on_words(tmp_path: Path) -> None:
    def fingerprint(rule: str, name: str) -> str:
        (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(name, spec={"x": 1})])).findings
        return finding.fingerprint

    rule = expect_rule("{field: spec.x, at_least: 8}")
    assert fingerprint(rule, "a") == fingerprint(rule.replace("wrong", "other words").replace("at_least: 8", "at_least: 9"), "a")
    assert fingerprint(rule, "a") != fingerprint(rule, "b")
    assert len(fingerprint(rule, "a")) == 16


def test_two_objects_of_one_name_have_two_fingerprints(tmp_path: Path) -> None:
    twins = [thing("tls", "Certificate", "x", apiVersion="made/v1", key=key, self_signed=True) for key in ("a", "b")]
    outcome = run_rule(
        tmp_path, rule_text("report_each: {kind: Certificate, where: [{field: self_signed, equals: true}]}"), SomeFacts(twins)
    )
    assert len({finding.fingerprint for finding in outcome.findings}) == 2


@pytest.mark.parametrize(
    ("conditions", "severity"),
    [
        ("{field: spec.x, at_least: %(documented)s}", "high"),
        ("{field: spec.x, at_least: %(derived)s}", "low"),
        ("{field: spec.x, one_of: %(third_party)s}", "low"),
        ("{field: spec.x, at_least: %(derived)s}, {field: spec.x, at_least: %(documented)s}", "high"),
        ("{any_of: [{field: spec.x, at_least: %(derived)s}, {field: spec.x, at_least: %(documented)s}]}", "low"),
        ("{all_of: [{field: spec.x, at_least: %(derived)s}, {field: spec.x, at_least: %(documented)s}]}", "high"),
        ("{none_of: [{field: spec.x, less_than: %(derived)s}]}", "low"),
    ],
)
def test_a_weak_source_caps_the_severity(tmp_path: Path, conditions: str, severity: str) -> None:
    cells = {"documented": "cpu", "derived": "memory", "third_party": "flags"}
    named = {name: f"{{table: racks, row: '2.25', column: {column}}}" for name, column in cells.items()}
    rule = rule_text(f"for_each: {{kind: Gadget.example.com}}\nexpect: [{conditions % named}]")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(spec={"x": 1})])).findings
    assert finding.severity.word == severity


def test_pass_says_at_what_and_how_many(tmp_path: Path) -> None:
    nodes = [thing(name, spec={"x": x}) for name, x in (("a", "8"), ("b", "9"), ("c", "8"))]
    plain = run_rule(tmp_path, expect_rule("{field: spec.x, at_least: 8}", more="checklist: node-size\n"), SomeFacts(nodes))
    assert (plain.message, plain.looked_at, plain.seen) == ("3 Gadgets looked at, all as expected.", 3, "x 8, 9")
    own = expect_rule("{field: spec.x, at_least: 8}", more='pass_message: "{{ count }} nodes like {{ metadata.name }}"\n')
    assert run_rule(tmp_path, own, SomeFacts(nodes)).message == "3 nodes like a"


def test_the_order_is_worst_first_then_by_subject_whatever_the_order_of_the_bundle(tmp_path: Path) -> None:
    nodes = [thing(name, spec={"x": 1}) for name in ("c", "a", "b")]
    pack = load_rule(tmp_path, expect_rule("{field: spec.x, at_least: 8}"))
    there, back = evaluate(pack, SomeFacts(nodes)), evaluate(pack, SomeFacts(nodes[::-1]))
    assert there == back
    assert [finding.subject.name for finding in there[0].findings] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("condition", "seen"),
    [
        ("{field: spec.version, exists: true}", "v1.35.4"),
        ("{field: spec.version, exists: true}, {field: spec.list, exists: true}", "v1.35.4"),
        ("{field: 'spec.list[*]', exists: true}", "a, b"),
        ("{field: spec.map, exists: true, keys: [one, two]}", "enabled"),
        ("{field: spec.none, exists: false}", ""),
        ("{field: 'spec.racks[*]', at_least: 1}", "racks 3, 4, 10"),
        ("{field: spec.replicas, at_least: 1}", "replicas 4"),
        ("{field: spec.yes, equals: true}", ""),
    ],
)
def test_seen_is_the_value_that_the_checklist_shows(tmp_path: Path, condition: str, seen: str) -> None:
    spec = {"version": "v1.35.4", "list": ["a", "b"], "map": {"one": "enabled", "two": "enabled"}, "yes": True}
    spec |= {"racks": ["4", "10", 3], "replicas": 4}
    rule = rule_text(f"for_each: {{kind: Gadget.example.com}}\nexpect: [{condition}]", more="checklist: node-size\n")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(spec=spec)]))
    assert (outcome.status.value, outcome.seen) == ("pass", seen)


def test_where_nothing_is_asked_the_evidence_is_that_the_object_is_there(tmp_path: Path) -> None:
    (finding,) = run_rule(tmp_path, rule_text("report_each: {kind: Gadget.example.com}"), SomeFacts([thing("a")])).findings
    (row,) = finding.evidence
    assert (str(row.subject), row.subject.member, row.subject.line) == ("Gadget a", "member", 1)
    assert (row.found, row.wanted) == ("exists", "no such object")


def test_groups_are_told_apart_by_their_values_and_not_by_what_is_shown_of_them(tmp_path: Path) -> None:
    rule = expect_rule("{field: spec.ok, equals: yes}", message="{{ count }} of them", more="group_by: spec.x\n")
    values: list[Any] = ["x" * 250 + "a", "x" * 250 + "b", "x" * 250 + "a", "66696128Ki", "66696129Ki", None, "not set"]
    things = [thing(str(number), spec={} if value is None else {"x": value}) for number, value in enumerate(values)]
    findings = run_rule(tmp_path, rule, SomeFacts(things)).findings
    assert sorted(finding.message for finding in findings) == ["1 of them"] * 5 + ["2 of them"]


def test_where_a_met_condition_is_the_fault_the_evidence_wants_something_else(tmp_path: Path) -> None:
    where = "[{field: size, equals: 0}, {field: mode, one_of: [a, b]}, {none_of: [{field: owner, exists: true}]}]"
    rule = rule_text(f"report_each: {{kind: Gadget.example.com, where: {where}}}", "{{ found }}, wanted {{ wanted }}")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing("a", size=0, mode="b")])).findings
    assert [(row.found, row.wanted) for row in finding.evidence] == [
        ("0", "anything but 0"), ("b", "none of a, b"), ("not set", "any value"),
    ]
    assert finding.message == "0, wanted anything but 0"
