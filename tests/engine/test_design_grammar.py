"""The sentences of the design on the grammar of rules, one after the other, each quoted by the test that proves it."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate

from tests.engine.answers import FALSE, GONE, KIND, TRUE, expected, status
from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, thing
from tests.ruleset.packs import load_rule, mistakes_in, write_pack


def test_if_none(tmp_path: Path) -> None:
    """“`if_none` (fail, not_applicable), `none_message`”"""
    rule = f"for_each: {{{KIND}, name: one, if_none: fail, none_message: It is not there.}}\nexpect: [{TRUE}]"
    outcome = run_rule(tmp_path, rule_text(rule), SomeFacts([]))
    assert (outcome.status.value, outcome.message) == ("fail", "It is not there.")
    (row,) = outcome.findings[0].evidence
    assert (str(row.subject), row.found, row.wanted) == ("Gadget one", "no such object", "exists")


def test_globs(tmp_path: Path) -> None:
    """“`namespace`, `name` (globs)”"""
    rule = rule_text(f"report_each: {{{KIND}, namespace: [team-*, ops], name: web-?}}")
    names = [("web-1", "team-a"), ("web-1", "ops"), ("web-10", "ops"), ("db-1", "team-a"), ("web-2", "other")]
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(name, namespace=namespace) for name, namespace in names]))
    assert [str(finding.subject) for finding in outcome.findings] == ["Gadget ops/web-1", "Gadget team-a/web-1"]


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("{field: x, label: y, equals: a}", "exactly-one"),
        ("{field: x, equals: a, not_equals: b}", "exactly-one"),
        ("{field: x}", "exactly-one"),
        ("{any_of: [{field: x, equals: a}], field: y}", "mixed"),
    ],
)
def test_condition(tmp_path: Path, condition: str, code: str) -> None:
    """“one of `field` `label` `annotation`, exactly one test, …; groups `any_of` `all_of` `none_of`”"""
    assert f" {code} " in "\n".join(mistakes_in(write_pack(tmp_path, expect_rule(condition))))


def test_label_and_annotation(tmp_path: Path) -> None:
    """“one of `field` `label` `annotation`”"""
    metadata = {"labels": {"app.kubernetes.io/name": "a"}, "annotations": {"note": "b"}}
    assert (
        status(tmp_path, "{label: app.kubernetes.io/name, equals: a}, {annotation: note, equals: b}", metadata=metadata) == "pass"
    )
    assert status(tmp_path, "{label: other, equals: a}", metadata=metadata) == "fail"


def test_tolerance(tmp_path: Path) -> None:
    """“optional `because` `tolerance`”"""
    assert (
        status(tmp_path, "{field: x, at_least: 16Gi}", x="15.6Gi"),
        status(tmp_path, "{field: x, at_least: 16Gi, tolerance: 6%}", x="15.6Gi"),
    ) == ("fail", "pass")


def test_keys(tmp_path: Path) -> None:
    """“`keys`: each of the keys of a map is tested, and the message names those that failed”"""
    rule = expect_rule("{field: data, equals: enabled, keys: [a, b, c]}", message="off: {{ failed_keys | join }}")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(data={"a": "enabled", "b": "disabled"})]))
    assert outcome.message == "off: b, c"
    assert [(row.path, row.found) for row in outcome.findings[0].evidence] == [
        ('data["b"]', "disabled"),
        ('data["c"]', "not set"),
    ]


ARGUMENTS = ["'2'", '"{{ cluster.nodes.total }}"', '"{{ params.most }}"', '{table: racks, row: "2.25", column: cpu}']


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_arguments(tmp_path: Path, argument: str) -> None:
    """“arguments of any test and of `expect_count`: a literal, `"{{ cluster.X }}"` or `"{{ params.X }}"`, or `{table: T, row: …,
    column: C}`”"""
    cluster = {"nodes": {"total": 2}}
    more = "params: {most: 2}\n" if "params" in argument else ""
    number = "10" if "table" in argument else "2"
    rule = expect_rule(f"{{field: x, equals: {argument}}}", more=more)
    assert run_rule(tmp_path, rule, SomeFacts([thing(x=number)], cluster)).status.value == "pass"
    assert run_rule(tmp_path, rule, SomeFacts([thing(x="3")], cluster)).status.value == "fail"
    counted = rule_text(f"count: {{{KIND}}}\nexpect_count: {{at_most: {argument}}}", more=more)
    assert run_rule(tmp_path, counted, SomeFacts([thing(str(n)) for n in range(2)], cluster)).status.value == "pass"
    assert run_rule(tmp_path, counted, SomeFacts([thing(str(n)) for n in range(11)], cluster)).status.value == "fail"


@pytest.mark.parametrize(
    ("condition", "cluster", "answer"),
    [
        ('{field: x, exists: "{{ params.most }}"}', {}, "pass"),
        ('{field: x, exists: "{{ cluster.runai.installed }}"}', {"runai": {"installed": True}}, "pass"),
        ('{field: x, exists: "{{ cluster.runai.installed }}"}', {"runai": {"installed": False}}, "fail"),
        ('{field: x, exists: "{{ cluster.runai.installed }}"}', {"runai": {"installed": GONE}}, "unknown"),
        ('{field: x, matches: "{{ cluster.name }}"}', {"name": "^te.t$"}, "pass"),
        ('{field: x, matches: "{{ cluster.name }}"}', {"name": "(["}, "unknown"),
        ('{field: x, matches: {table: words, row: "1", column: pattern}}', {}, "pass"),
        ('{field: x, equals_field: "{{ params.most }}"}', {}, "pass"),
    ],
)
def test_arguments_of_tests_that_take_no_number(tmp_path: Path, condition: str, cluster: dict[str, Any], answer: str) -> None:
    """“arguments of any test”"""
    table = "table: words\nkey: n\nupdated: 2026-12-01\ncolumns: {pattern: text}\nrows:\n  \"1\":\n"
    table += "    pattern: {value: '^t', confidence: documented, source: page}\n"
    value = "y" if "equals_field" in condition else "true"
    rule = expect_rule(condition, more=f"params: {{most: {value}}}\n" if "params" in condition else "")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(x="text", y="text")], cluster), tables__words=table)
    assert outcome.status.value == answer


@pytest.mark.parametrize(
    ("release", "answer"),
    [
        ("2.25", "fail"),
        ("2.25.14", "fail"),
        ("v2.25.1-rke", "fail"),
        ("2.2", "unknown"),
        ("2.26.1", "unknown"),
        ("2.24.3", "unknown"),
    ],
)
def test_table_rows(tmp_path: Path, release: str, answer: str) -> None:
    """“Table rows match by the key's major.minor; a missing row or cell, or an unknown `cluster.X`, makes the test unknown”"""
    rule = expect_rule("{field: x, at_least: {table: racks, row: '{{ cluster.runai.version }}', column: cpu}}")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(x=1)], {"runai": {"version": release}}))
    assert outcome.status.value == answer


def test_unknown_cluster_field(tmp_path: Path) -> None:
    """“an unknown `cluster.X` makes the test unknown”"""
    rule = expect_rule('{field: x, at_least: "{{ cluster.nodes.total }}"}')
    assert run_rule(tmp_path, rule, SomeFacts([thing(x=1)], {"nodes": {"total": GONE}})).status.value == "unknown"
    assert run_rule(tmp_path, rule, SomeFacts([thing(x=1)], {"nodes": {}})).status.value == "unknown"


@pytest.mark.parametrize(("column", "severity"), [("cpu", "high"), ("memory", "low"), ("flags", "low")])
def test_caps(tmp_path: Path, column: str, severity: str) -> None:
    """“a cell's confidence caps the severity by itself”; “a version or size figure whose source is third-party or derived never
    makes a finding above *low*”"""
    test = "one_of" if column == "flags" else "at_least"
    (finding,) = expected(
        tmp_path, f'{{field: x, {test}: {{table: racks, row: "2.25", column: {column}}}}}', thing(x="1")
    ).findings
    assert finding.severity.word == severity


@pytest.mark.parametrize(
    ("wanted", "version", "answer"),
    [
        ("1.33 - 1.35", "1.35.9", "pass"),
        ("1.33 - 1.35", "1.33.0", "pass"),
        ("1.33 - 1.35", "1.36.0", "fail"),
        ("1.33 - 1.35.2", "1.35.2", "pass"),
        ("1.33 - 1.35.2", "1.35.3", "fail"),
        ("1.33 - 1.35.2", "1.35", "unknown"),
        ("1.9", "v1.9.4-eks-1", "pass"),
    ],
)
def test_ranges(tmp_path: Path, wanted: str, version: str, answer: str) -> None:
    """“ranges are inclusive at their own precision”"""
    assert status(tmp_path, f'{{field: x, version: "{wanted}"}}', x=version) == answer


def test_cases(tmp_path: Path) -> None:
    """“`cases` (`when`, first match wins: own message, severity, fix, kb)”"""
    cases = (
        "cases:\n"
        "  - {when: [{field: x, equals: one}], message: first, severity: low, fix: Do one., kb: [KB-1]}\n"
        "  - {when: [{field: x, one_of: [one, two]}], message: second, kb: KB-2}\n"
    )
    things = [thing(name, x=value) for name, value in (("a", "one"), ("b", "two"), ("c", "three"), ("d", GONE))]
    facts = SomeFacts([{**body, "f": "b"} for body in things])
    findings = sorted(
        run_rule(tmp_path, expect_rule(FALSE, message="other", more=cases), facts).findings, key=lambda it: str(it.subject)
    )
    assert [(it.message, it.severity.word, it.fix, it.kb) for it in findings] == [
        ("first", "low", "Do one.", ("KB-1",)),
        ("second", "high", "", ("KB-2",)),
        ("other", "high", "", ()),
        ("other", "high", "", ()),  # unknown is no match
    ]


def test_group_by(tmp_path: Path) -> None:
    """“`group_by`: findings with the same values are one finding”"""
    rule = expect_rule(FALSE, message="{{ count }} on {{ x }}", more="group_by: x\n")
    things = [thing(str(number), f="b", x=value) for number, value in enumerate(["p", "q", "p"])]
    assert sorted(it.message for it in run_rule(tmp_path, rule, SomeFacts(things)).findings) == ["1 on q", "2 on p"]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ list | join }}", "a, b"),
        ("{{ list | count }}", "2"),
        ("{{ when | ago }}", "30 days ago"),
        ("{{ list }} on {{ cluster.name }}", "a, b on acme"),
    ],
)
def test_words(tmp_path: Path, template: str, said: str) -> None:
    """“`{{ path }}` with `join`, `count`, `ago`”"""
    rule = expect_rule(f"{FALSE}, {{field: list, exists: true}}, {{field: when, exists: true}}", message=template)
    body = thing(f="b", list=["a", "b"], when="2026-11-01T11:00:00Z")
    assert run_rule(tmp_path, rule, SomeFacts([body], {"name": "acme"})).findings[0].message == said


def test_unknown_name(tmp_path: Path) -> None:
    """“an unknown name is a lint error”"""
    assert "unknown-variable" in "\n".join(mistakes_in(write_pack(tmp_path, expect_rule(FALSE, message="{{ nothing }}"))))


@pytest.mark.parametrize("result", ["fail", "pass", "unknown"])
def test_proof(tmp_path: Path, result: str) -> None:
    """“`examples[]`: at least one fail, one pass or not applicable, one unknown”"""
    rule = "\n".join(line for line in expect_rule(TRUE).split("\n") if f"result: {result}" not in line)
    assert "missing-examples" in "\n".join(mistakes_in(write_pack(tmp_path, rule)))


@pytest.mark.parametrize("value", ["1.30", "on", "yes", "2026-12-01", "0x10", "010", "1e3"])
def test_scalars_stay_as_written(tmp_path: Path, value: str) -> None:
    """“The loader keeps every scalar as written and the format table decides its type, so `1.30`, `on`, `yes` and dates are no
    traps”"""
    pack = load_rule(tmp_path, expect_rule(f"{{field: x, one_of: [{value}, other]}}"))
    assert evaluate(pack, SomeFacts([thing(x=value)]))[0].status.value == "pass"
