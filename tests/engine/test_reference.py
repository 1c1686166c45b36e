"""The compiled engine against a slow, obvious one, on random rules and objects: the same answers, always."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate
from runai_analyze.model import Missing, Unknown
from runai_analyze.ruleset import load_packs

from tests.engine.facts import SomeFacts, rule_text, thing
from tests.ruleset.packs import write_pack

GONE = Unknown(Missing("", "gone"))
HIDDEN = "«redacted:x»"
RULES_A_SEED = 40
SEEDS = range(6)

# A condition is {"field", test, "when_absent"?} or {group: [conditions]}, as in the YAML; an object is a body.


def reference_values(body: Any, path: str) -> list[Any]:
    """Return what a path leads to: values, "absent" as None, unknown as GONE."""
    values = [body]
    for step in path.split("."):
        name, fan, _ = step.partition("[*]")
        found = []
        for value in values:
            if value is None or value is GONE:
                found.append(value)
            elif not isinstance(value, dict):
                found.append(GONE)
            elif not fan:
                found.append(value.get(name))
            else:
                inner = value.get(name)
                if isinstance(inner, list):
                    found += inner or [None]
                else:
                    found.append(inner if inner is None else GONE)
        values = found
    return values


def reference_test(value: Any, name: str, wanted: Any, when_absent: str | None) -> bool | None:
    """Return what one test says about one value."""
    if value is None:
        if when_absent:
            return {"pass": True, "fail": False, "unknown": None}[when_absent]
        return name == "exists" and wanted is False
    if value is GONE or value == HIDDEN:
        return None
    if name == "exists":
        return bool(wanted)
    if isinstance(value, dict | list):
        return {"not_equals": True, "equals": False, "one_of": False, "at_least": None}[name]
    text = str(value)
    if name == "equals":
        return text == str(wanted)
    if name == "not_equals":
        return text != str(wanted)
    if name == "one_of":
        return text in map(str, wanted)
    return float(text) >= wanted if text.lstrip("-").isdigit() else None


def reference_and(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def reference_or(answers: list[bool | None]) -> bool | None:
    return True if True in answers else None if None in answers else False


def reference_judge(condition: dict[str, Any], body: Any, every: bool, negated: bool = False) -> bool | None:
    """Return the answer of a condition; ``every``: the rule says ``expect``, so all elements must meet it."""
    for group in ("all_of", "any_of", "none_of"):
        if group in condition:
            turned = negated != (group == "none_of")
            answers = [reference_judge(member, body, every, turned) for member in condition[group]]
            if group == "all_of":
                return reference_and(answers)
            answer = reference_or(answers)
            return answer if group == "any_of" or answer is None else not answer
    name = next(key for key in condition if key not in ("field", "when_absent"))
    answers = [
        reference_test(value, name, condition[name], condition.get("when_absent"))
        for value in reference_values(body, condition["field"])
    ]
    return reference_and(answers) if every and not negated else reference_or(answers)


def reference_status(mode: str, where: list[dict[str, Any]], expect: list[dict[str, Any]], bodies: list[Any]) -> str:
    """Return the outcome of a rule with these conditions on these objects, all of which were collected."""
    verdicts = []
    for body in bodies:
        selected = reference_and([reference_judge(condition, body, every=False) for condition in where])
        if mode == "report_each":
            verdicts.append(None if selected is None else not selected)
        elif selected is None:
            verdicts.append(None)
        elif selected:
            verdicts.append(reference_and([reference_judge(condition, body, every=True) for condition in expect]))
    if False in verdicts:
        return "fail"
    if None in verdicts:
        return "unknown"
    return "pass" if verdicts or mode == "report_each" else "not_applicable"


def random_value(rng: random.Random) -> Any:
    return rng.choice(["a", "b", "1", 1, 5, "5", -3, "", GONE, HIDDEN, [], ["a"], {"x": "a"}, None])


def random_body(rng: random.Random) -> dict[str, Any]:
    def some(names: str) -> dict[str, Any]:
        return {name: random_value(rng) for name in names if rng.random() < 0.7}

    lists = [some("xy") for _ in range(rng.randrange(4))]
    shape = rng.choice([lists, lists, lists, None, GONE, "text", []])
    return thing(spec={**some("xyz"), "list": shape, "deep": rng.choice([{"list": lists}, None, GONE, "text"])})


def random_condition(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    if depth < 2 and rng.random() < 0.35:
        group = rng.choice(["all_of", "any_of", "none_of"])
        return {group: [random_condition(rng, depth + 1) for _ in range(rng.randint(1, 3))]}
    path = rng.choice(["spec.x", "spec.y", "spec.z", "spec.list[*].x", "spec.list[*].y", "spec.deep.list[*].x", "spec.deep.x"])
    name, wanted = rng.choice(
        [
            ("equals", "a"),
            ("equals", "5"),
            ("not_equals", "a"),
            ("one_of", ["a", "1"]),
            ("exists", True),
            ("exists", False),
            ("at_least", 2),
        ]
    )
    condition = {"field": path, name: wanted}
    if rng.random() < 0.3:
        condition["when_absent"] = rng.choice(["pass", "fail", "unknown"])
    return condition


@pytest.mark.parametrize("seed", SEEDS)
def test_same_answers(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    drafts = {}
    write_pack(tmp_path, rule="")
    (tmp_path / "nodes").mkdir()
    for number in range(RULES_A_SEED):
        mode = rng.choice(["for_each", "for_each", "report_each"])
        where = [random_condition(rng) for _ in range(rng.randint(1, 2))]
        expect = [random_condition(rng) for _ in range(rng.randint(1, 2))] if mode == "for_each" else []
        name = f"RAI-TST-{number:03}"
        # JSON is YAML: what stands in a rule file is exactly what the reference reads.
        text = f"{mode}: {{kind: Gadget.example.com, where: {json.dumps(where)}}}\n" + (
            f"expect: {json.dumps(expect)}" if expect else ""
        )
        (tmp_path / "nodes" / f"{name}.yaml").write_text(rule_text(text).replace("RAI-TST-001", name))
        drafts[name] = (mode, where, expect)
    pack = load_packs([tmp_path])
    seen = set()
    for _ in range(25):
        bodies = [random_body(rng) for _ in range(rng.randrange(4))]
        for outcome in evaluate(pack, SomeFacts(bodies)):
            wanted = reference_status(*drafts[outcome.rule.id], bodies)
            assert outcome.status.value == wanted, (drafts[outcome.rule.id], bodies)
            seen.add(wanted)
            assert bool(outcome.findings) == (wanted == "fail")
            assert all(finding.evidence for finding in outcome.findings)
            assert bool(outcome.missing) or wanted != "unknown"
    assert seen == {"pass", "fail", "unknown", "not_applicable"}
