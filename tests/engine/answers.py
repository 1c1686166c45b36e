"""What the tests of the design share: conditions whose answers are known, and rules made of one condition."""

from pathlib import Path
from typing import Any

from runai_analyze.engine import evaluate
from runai_analyze.model import Missing, Outcome, Unknown
from runai_analyze.ruleset import load_packs

from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, thing
from tests.ruleset.packs import write_pack

GONE = Unknown(Missing("", "could not be computed"))
HIDDEN = "«redacted:password»"
TRUE, FALSE, UNKNOWN = "{field: t, equals: a}", "{field: f, equals: a}", "{field: u, equals: a}"
TRUE_TOO, FALSE_TOO, UNKNOWN_TOO = (test.replace(": ", ": x", 1) for test in (TRUE, FALSE, UNKNOWN))
THREE = {"t": "a", "f": "b", "u": GONE, "xt": "a", "xf": "b", "xu": GONE}  # what each of them is asked of
KIND = "kind: Gadget.example.com"
NEGATIVE = ("not_equals: a", "not_one_of: [a, b]")


def expected(folder: Path, condition: str, *objects: dict[str, Any], **facts: Any) -> Outcome:
    """Return the outcome of a rule that expects one condition of every Gadget."""
    return run_rule(folder, expect_rule(condition), SomeFacts(objects, **facts))


def status(folder: Path, condition: str, **fields: Any) -> str:
    return expected(folder, condition, thing(**fields)).status.value


def found(folder: Path, where: str, *objects: dict[str, Any], **facts: Any) -> Outcome:
    """Return the outcome of a rule that reports every Gadget that meets a condition."""
    return run_rule(folder, rule_text(f"report_each: {{{KIND}, where: [{where}]}}"), SomeFacts(objects, **facts))


def chain(folder: Path, *firsts: str, facts: SomeFacts) -> list[str]:
    """Return the outcomes of rules of which each builds on the one before."""
    write_pack(folder, rule="")
    (folder / "nodes").mkdir()
    for number, condition in enumerate(firsts):
        after = f"only_if_passed: RAI-TST-{number - 1:03}\n" if number else ""
        text = expect_rule(condition, more=after).replace("id: RAI-TST-001", f"id: RAI-TST-{number:03}")
        (folder / "nodes" / f"RAI-TST-{number:03}.yaml").write_text(text)
    return [outcome.status.value for outcome in evaluate(load_packs([folder]), facts)]
