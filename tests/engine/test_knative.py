"""The sample rule of the rule language with its four examples, through the facts that examples get, and by hand."""

from pathlib import Path

import pytest
from runai_analyze.engine.examples import run_examples
from runai_analyze.facts import example_facts
from runai_analyze.ruleset import Pack

from tests.engine.facts import SomeFacts, run_rule, thing
from tests.ruleset.packs import load_rule

RULE = """\
id: RAI-INF-901
title: Knative feature flags that Run:ai inference needs are off
severity: high
area: inference
status: stable
revision: 1
changed: 2026-12-01
owner: inference
applies_to: {needs_namespace: knative-serving}
for_each:
  kind: ConfigMap
  namespace: knative-serving
  name: config-features
  if_none: fail
  none_message: ConfigMap knative-serving/config-features does not exist although the namespace does.
expect:
  - field: data
    equals: enabled
    ignore_case: true
    keys: [kubernetes.podspec-schedulername, kubernetes.podspec-affinity, kubernetes.podspec-tolerations]
    because: Without the flag Knative refuses pods that Run:ai schedules.
message: "Knative flags not enabled: {{ failed_keys | join }}"
fix:
  text: Patch the ConfigMap, or the KnativeServing resource when the Knative operator owns it.
  commands:
    - {run: "kubectl get configmap config-features -n knative-serving -o yaml", risk: read only, run_by: customer}
examples:
  - name: flags on
    given:
      - {kind: Namespace, metadata: {name: knative-serving}}
      - kind: ConfigMap
        metadata: {name: config-features, namespace: knative-serving}
        data:
          kubernetes.podspec-schedulername: enabled
          kubernetes.podspec-affinity: Enabled
          kubernetes.podspec-tolerations: enabled
    result: pass
  - name: only the _example block, which names every flag as text
    given:
      - {kind: Namespace, metadata: {name: knative-serving}}
      - kind: ConfigMap
        metadata: {name: config-features, namespace: knative-serving}
        data: {_example: 'kubernetes.podspec-affinity: "enabled"'}
    result: fail
  - name: Knative is not installed
    given: []
    result: not_applicable
  - name: ConfigMaps could not be read
    given: [{kind: Namespace, metadata: {name: knative-serving}}]
    not_collected: [ConfigMap]
    result: unknown
"""
NAMESPACE = thing("knative-serving", "Namespace")
FLAG = "kubernetes.podspec-"


def flags(**values: str) -> dict[str, object]:
    return thing("config-features", "ConfigMap", "knative-serving", data={f"{FLAG}{key}": value for key, value in values.items()})


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return load_rule(tmp_path, RULE.replace("RAI-INF-901", "RAI-TST-001"))


def test_all_four_examples_come_out_as_written(pack: Pack) -> None:
    results = list(run_examples(pack, lambda e, kinds: example_facts(e.given, e.cluster, e.not_collected, e.bundle_time, kinds)))
    assert [example.result for _, example, _ in results] == ["pass", "fail", "not_applicable", "unknown"]
    assert [difference for _, _, difference in results] == [None] * 4


def test_the_finding_names_the_keys_and_proves_each(tmp_path: Path) -> None:
    given = [NAMESPACE, flags(schedulername="enabled", affinity="disabled")]
    outcome = run_rule(tmp_path, RULE.replace("RAI-INF-901", "RAI-TST-001"), SomeFacts(given))
    (finding,) = outcome.findings
    assert finding.message == "Knative flags not enabled: kubernetes.podspec-affinity, kubernetes.podspec-tolerations"
    assert [(row.path, row.found, row.wanted, row.because) for row in finding.evidence] == [
        (f'data["{FLAG}affinity"]', "disabled", "enabled", "Without the flag Knative refuses pods that Run:ai schedules."),
        (f'data["{FLAG}tolerations"]', "not set", "enabled", "Without the flag Knative refuses pods that Run:ai schedules."),
    ]
    assert str(finding.subject) == "ConfigMap knative-serving/config-features"
    assert outcome.rule.commands[0].run == "kubectl get configmap config-features -n knative-serving -o yaml"


def test_none_at_all_is_a_finding_only_where_the_namespace_is(tmp_path: Path) -> None:
    rule = RULE.replace("RAI-INF-901", "RAI-TST-001")
    outcome = run_rule(tmp_path, rule, SomeFacts([NAMESPACE]))
    assert outcome.status.value == "fail"
    assert outcome.message == "ConfigMap knative-serving/config-features does not exist although the namespace does."
    assert run_rule(tmp_path, rule, SomeFacts([])).message == "Namespace knative-serving does not exist."
