"""The engine against a second evaluator that was written from the design alone, on random rules and objects: the same outcomes,
findings, severities and numbers, always. A difference is settled by the design, and its case stays as a test of its own."""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import checks, conditions, environment, evaluate, lanes, leaf, run
from runai_analyze.model import Outcome
from runai_analyze.ruleset import Pack, read_packs

from tests.engine.facts import SomeFacts, rule_text
from tests.engine.random_rules import random_body, random_rule, random_world, table_text, used_params
from tests.engine.reference import Found, Verdict, in_order, verdict
from tests.engine.reference_values import SEVERITIES
from tests.ruleset.packs import write_pack

RULES, BUNDLES = 25, 8  # of one seed
SEEDS = range(20)  # 500 rules
LONG = range(1000, 1400)


def written(name: str, rule: Mapping[str, Any]) -> str:
    """Return a rule as its file. JSON is YAML: what stands there is exactly what the reference reads."""
    mode = next(key for key in ("for_each", "report_each", "count") if key in rule)
    counted = "{{ count }} " if mode == "count" or "group_by" in rule else ""
    more = "".join(f"{key}: {json.dumps(rule[key])}\n" for key in ("group_by", "only_if_passed") if key in rule)
    cases = [{**case, "message": f"case {number} {counted}"} for number, case in enumerate(rule.get("cases", ()), start=1)]
    more += f"cases: {json.dumps(cases)}\n" if cases else ""
    more += f"params: {json.dumps(params)}\n" if (params := used_params(rule)) else ""
    blocks = "".join(f"{key}: {json.dumps(rule[key])}\n" for key in (mode, "expect", "expect_count") if key in rule)
    return (
        rule_text(blocks, f"case 0 {counted}", more)
        .replace("id: RAI-TST-001", f"id: {name}")
        .replace("severity: high", f"severity: {rule['severity']}")
    )


def make_pack(folder: Path, rules: Mapping[str, Mapping[str, Any]]) -> tuple[Pack, list[str]]:
    """Return the pack of the rules, and the ids of those that are without mistakes: chance also writes what makes no sense."""
    write_pack(folder, rule="", **{"tables/racks": table_text()})
    (folder / "nodes").mkdir()
    for name, rule in rules.items():
        (folder / "nodes" / f"{name}.yaml").write_text(written(name, rule))
    pack, _ = read_packs([folder])
    return pack, [rule.id for rule in pack.rules]


def as_verdict(outcome: Outcome) -> Verdict:
    """Return what the engine said in the words of the reference."""
    found = []
    for finding in outcome.findings:
        objects = {row.subject.name for row in finding.evidence if row.subject.line}
        found.append(
            Found(
                frozenset(objects),
                SEVERITIES[finding.severity.word],
                int(finding.message.split()[1] if finding.message.startswith("case") else 0),
            )
        )
    return Verdict(outcome.status.value, tuple(sorted(found, key=str)))


def expected(rules: Mapping[str, Mapping[str, Any]], bodies: Sequence[Any], uncollected: bool, world: Any) -> dict[str, Verdict]:
    alone = {name: verdict(rule, bodies, uncollected, world) for name, rule in rules.items()}
    return in_order(rules, alone)


def compare(folder: Path, seed: int) -> Counter[str]:
    """Compare all rules of a seed on all its bundles; returns how often each outcome came out."""
    rng = random.Random(seed)
    rules: dict[str, dict[str, Any]] = {}
    for number in range(RULES):
        rules[f"RAI-TST-{number:03}"] = random_rule(rng, list(rules))
    pack, good = make_pack(folder, rules)
    rules = {name: rules[name] for name in good}
    statuses: Counter[str] = Counter(rules=len(rules))
    for _ in range(BUNDLES):
        world, cluster = random_world(rng)
        bodies = [random_body(rng, number) for number in range(rng.randrange(5))]
        uncollected = rng.random() < 0.2
        facts = SomeFacts(bodies, cluster, ["Gadget"] if uncollected else [], world.bundle_time)
        wanted = expected(rules, bodies, uncollected, world)
        for outcome in evaluate(pack, facts):
            rule, right = rules[outcome.rule.id], wanted[outcome.rule.id]
            check(rule, outcome, right, (seed, outcome.rule.id, json.dumps(rule), bodies, cluster, uncollected))
            statuses[right.status] += 1
    return statuses


def compare_some(folder: Path, seeds: int) -> Counter[str]:
    return sum((compare(folder / str(seed), seed) for seed in range(seeds)), Counter())


def check(rule: Mapping[str, Any], outcome: Outcome, right: Verdict, case: object) -> None:
    """Hold one outcome against what it should be, and to what every outcome must show."""
    said = as_verdict(outcome)
    assert said.status == right.status, case
    if said.status == "fail":
        counted = any(not found.objects for found in right.found)
        found = tuple(Found(frozenset(), one.severity, one.case) for one in said.found) if counted else said.found
        assert found == tuple(sorted(right.found, key=str)), case
        assert all(finding.evidence for finding in outcome.findings), case
        if "count" in rule and rule["count"].get("if_none") is None:
            assert outcome.findings[0].message == f"case 0 {right.matched}", case
    assert bool(outcome.missing) or said.status != "unknown", case
    assert bool(outcome.findings) == (said.status == "fail"), case


@pytest.mark.parametrize("seed", SEEDS)
def test_the_engine_answers_as_the_reference(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", LONG)
def test_the_engine_answers_as_the_reference_for_long(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, seed)


def test_chance_brings_every_outcome(tmp_path: Path) -> None:
    """Else the comparison would hold without saying anything."""
    seen = compare_some(tmp_path, 4)
    assert seen["rules"] > 80
    for status in ("pass", "fail", "unknown", "not_applicable", "blocked"):
        assert seen[status] > 10, seen


_EACH_VALUE = leaf._each_value
SABOTAGE: dict[str, tuple[object, str, object]] = {
    "absent is true": (leaf, "_ABSENT_ANSWERS", {**leaf._ABSENT_ANSWERS, "": True}),
    "none_of is any_of": (conditions, "negate", lambda answer: answer),
    "unknown is not: false": (conditions, "negate", lambda answer: not answer),
    "one element is enough in expect": (leaf, "_each_value", lambda values, check, decides: _EACH_VALUE(values, check, True)),
    "no source is weak": (environment, "_CAPS", {}),
    "rules that begin with the same field are all left out": (lanes._Switch, "those_for", lambda self, item: ()),
    "a hidden text is a text": (checks, "REDACTED", "never"),
    "unknown objects do not count": (run.Gaps, "add", lambda self, missing: None),
}


@pytest.mark.parametrize("what", SABOTAGE)
def test_what_is_broken_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """The comparison is worth something only when it fails for an engine that is wrong."""
    monkeypatch.setattr(*SABOTAGE[what])
    with pytest.raises(AssertionError):
        compare_some(tmp_path, 5)
