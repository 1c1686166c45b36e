"""Facts are computed only where a loaded rule names them."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.engine import evaluate
from runai_analyze.facts import build_facts, fields_of
from runai_analyze.facts.enrich import NOT_COMPUTED, Enrichment, makers_of
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.nodes import Roles
from runai_analyze.pipeline import Options, analyze
from runai_analyze.ruleset import Pack, default_pack, load_packs
from runai_analyze.ruleset.needs import needs_of

from tests.bundle.builder import Builder
from tests.ruleset.packs import RULE, load_rule

from .helpers import index_of, node
from .pods import event, pod, waiting

ABOUT_PODS = """\
id: RAI-TST-001
title: Pods restart
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-12-01
owner: tests
report_each:
  kind: KIND
  where:
    - WHERE
message: "{{ metadata.name }}"
fix: {text: Look.}
examples:
  - {name: bad, given: [GIVEN], result: fail}
  - {name: none, given: [], result: pass}
  - {name: not seen, given: [], not_collected: [LIST], result: unknown}
"""


def rule_on(folder: Path, kind: str, where: str, given: str, listed: str = "Pod") -> Pack:
    text = ABOUT_PODS.replace("KIND", kind).replace("WHERE", where).replace("GIVEN", given).replace("LIST", listed)
    return load_rule(folder, text)


def restarting(folder: Path) -> Pack:
    status = "{containerStatuses: [{restartCount: 9}]}"
    given = f"{{kind: Pod, metadata: {{namespace: a, name: p}}, status: {status}}}"
    return rule_on(folder, "Pod", "{field: facts.restarts, more_than: 5}", given)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count every call of a maker of a fact, by kind and fact."""
    calls: Counter[str] = Counter()

    def counting(name: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def count(body: Any) -> Any:
            calls[name] += 1
            return make(body)

        return count

    def makers(*arguments: Any) -> Any:
        return {
            kind: {name: counting(f"{kind[0]}.{name}", make) for name, make in every.items()}
            for kind, every in makers_of(*arguments).items()
        }

    monkeypatch.setattr("runai_analyze.facts.build.makers_of", makers)
    return calls


def bundle(folder: Path) -> Path:
    sick = pod("p", state=waiting("CrashLoopBackOff"), restarts=9)
    builder = Builder().list("Node", "v1", node("n1")).list("Pod", "v1", sick, pod("q"))
    return builder.list("Event", "v1", event("p", "BackOff", "x")).write(folder / "b.tgz")


def outcome_on(pack: Pack, folder: Path) -> Any:
    facts = build_facts(open_bundle(bundle(folder)), pack.kinds, needs=needs_of(pack.rules))
    (outcome,) = evaluate(pack, facts)
    return outcome


def test_of_the_facts_on_pods_only_the_one_that_a_rule_names_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    outcome = outcome_on(restarting(tmp_path / "rules"), tmp_path)
    assert [finding.message for finding in outcome.findings] == ["p"]
    assert calls == {"Pod.restarts": 2}


def test_without_a_rule_on_facts_of_pods_none_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    outcome = outcome_on(load_rule(tmp_path / "rules", RULE), tmp_path)
    assert outcome.status.value == "fail"  # n1 names no cpu
    assert calls == {}


def test_without_rules_on_them_events_and_owners_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("events.EventFold.add", "traces.Traces.add"):
        monkeypatch.setattr(f"runai_analyze.facts.{name}", lambda self, record: pytest.fail("kept"))
    assert outcome_on(restarting(tmp_path / "rules"), tmp_path).status.value == "fail"


def test_for_containers_owners_are_kept_but_neither_pods_nor_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("events.EventFold.add", "traces.pod_state"):
        monkeypatch.setattr(f"runai_analyze.facts.{name}", lambda *given: pytest.fail("kept"))
    given = "{kind: Container, metadata: {namespace: a, name: p}, restarts: 9}"
    pack = rule_on(tmp_path / "rules", "Container", "{field: restarts, more_than: 5}", given)
    assert [finding.subject.name for finding in outcome_on(pack, tmp_path).findings] == ["p"]


def test_whether_events_still_are_so_is_worked_out_only_for_rules_that_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = "{kind: EventGroup, metadata: {namespace: a, name: p}, reason: BackOff, facts: {still_failing: 'yes'}}"
    by_reason = rule_on(tmp_path / "a", "EventGroup", "{field: reason, equals: BackOff}", given, "Event")
    by_state = rule_on(tmp_path / "b", "EventGroup", "{field: facts.still_failing, equals: 'yes'}", given, "Event")
    assert outcome_on(by_state, tmp_path).status.value == "fail"
    monkeypatch.setattr("runai_analyze.facts.events.facts_now", lambda *given: pytest.fail("worked out"))
    assert outcome_on(by_reason, tmp_path).status.value == "fail"


def test_a_fact_that_nobody_needed_reads_as_unknown_and_never_as_absent(tmp_path: Path) -> None:
    pack = restarting(tmp_path / "rules")
    facts = build_facts(open_bundle(bundle(tmp_path)), pack.kinds, needs=frozenset({("Pod", "")}))
    (outcome,) = evaluate(pack, facts)
    assert outcome.status.value == "unknown"
    assert outcome.missing[0].reason == "it was not computed, as no rule that was loaded names it"


def test_a_rule_that_looks_at_all_facts_gets_all() -> None:
    index, gaps = index_of()
    makers = makers_of(index, gaps, Roles(frozenset(), frozenset(), True))
    body = pod("p")
    Enrichment(makers, frozenset({("Pod", "*")})).enrich("Pod", "", body)
    assert (body["facts"]["restarts"], body["facts"]["images"]) == (0, ["nvcr.io/x/y:1"])
    Enrichment(makers, frozenset()).enrich("Pod", "", body)
    assert set(body["facts"].values()) == {NOT_COMPUTED}


def test_what_an_object_itself_calls_facts_does_not_count() -> None:
    index, gaps = index_of()
    assert isinstance(gaps, Gaps)
    enrichment = Enrichment(makers_of(index, gaps, Roles(frozenset(), frozenset(), True)), None)
    for kind, group in (("Pod", ""), ("Lease", "coordination.k8s.io"), ("Pod", "other.example")):
        body = {**pod("p"), "facts": {"restarts": 99}}
        enrichment.enrich(kind, group, body)
        assert body.get("facts", {}).get("restarts") == (0 if (kind, group) == ("Pod", "") else None)


def test_every_fact_of_the_table_has_a_maker() -> None:
    index, gaps = index_of()
    for (kind, _), makers in makers_of(index, gaps, Roles(frozenset(), frozenset(), True)).items():
        named = {field.path.split(".")[1] for field in fields_of(kind) if field.path.startswith("facts.")}
        assert named - set(makers) <= {"keys"}, kind  # the keys of a ConfigMap stand in its row, not in the object
        assert set(makers) <= named, kind


def test_analyze_computes_what_its_rules_name_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    analyze(bundle(tmp_path), Options())
    needed = {f"{kind}.{fact}" for kind, fact in needs_of(load_packs([default_pack()]).rules)}
    assert "Pod.waiting_reasons" in calls
    assert set(calls) <= needed
    assert "Node.reserved" not in needed  # the shipped rules judge what is allocatable


@pytest.mark.parametrize(
    ("kind", "group", "facts"),
    [
        ("StatefulSet", "apps", {"desired": 1, "ready": 0, "images": [], "pull_failing": False}),
        ("DaemonSet", "apps", {"desired": 0, "ready": 0, "images": [], "pull_failing": False}),
        ("CustomResourceDefinition", "apiextensions.k8s.io", {"stored_versions": [], "served_versions": []}),
        ("Namespace", "", {"runai_project": False, "system": False}),
        ("StorageClass", "storage.k8s.io", {"default": False}),
        ("StatefulSet", "other.example", None),
    ],
)
def test_facts_belong_to_a_kind_of_a_group(kind: str, group: str, facts: dict[str, Any] | None) -> None:
    index, gaps = index_of()
    body: dict[str, Any] = {"kind": kind, "metadata": {"name": "x"}}
    Enrichment(makers_of(index, gaps, Roles(frozenset(), frozenset(), True)), None).enrich(kind, group, body)
    found = body.get("facts")
    assert found is facts is None or {name: found[name] for name in facts or {}} == facts
