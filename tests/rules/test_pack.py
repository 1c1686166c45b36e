"""The pack that ships: clean, proven by its examples, and complete against the checklist."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import yaml
from runai_analyze.engine.examples import run_examples
from runai_analyze.facts import example_facts
from runai_analyze.model import Facts, Severity
from runai_analyze.ruleset import Pack, Rule, default_pack, load_packs, read_packs
from runai_analyze.ruleset.format import TEST_NAMES
from runai_analyze.ruleset.rule import Example

FOLDER = default_pack()
PACK = load_packs([FOLDER])
FILES = sorted(path for path in FOLDER.glob("*/*.yaml") if path.parent.name not in ("tables", "signatures"))
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in FILES}
BY_ID = {rule.id: rule for rule in PACK.rules}
# The lines of section 5 of the requirements that objects show: what the pack must at least look at.
AREAS = {
    "kubernetes",
    "security",
    "nodes",
    "gpu",
    "network",
    "certificates",
    "monitoring",
    "training",
    "inference",
    "storage",
    "images",
    "runai",
}
# Changes something: none of these may stand in a command that is said to be read only.
CHANGES = re.compile(r"\b(apply|delete|patch|label|annotate|create|edit|replace|scale|drain|cordon|install|upgrade|restart)\b")
# Not on the prerequisites page: nodes that fell ill, what the support matrix alone names (LeaderWorkerSet), what logs say, and an
# upgrade that was cut off.
WITHOUT_LINE = {
    "RAI-NOD-009", "RAI-NOD-010", "RAI-INF-007", "RAI-GPU-014", "RAI-NET-012", "RAI-RUN-010", "RAI-TRN-007", "RAI-SEC-001"
}  # fmt: skip
# Without these Run:ai cannot be installed or does not run.
BLOCKERS = {"RAI-GPU-001", "RAI-MON-001", "RAI-NET-001", "RAI-PSA-001", "RAI-RUN-001"}


def make_facts(example: Example, kinds: frozenset[tuple[str, str | None]]) -> Facts:
    return example_facts(example.given, example.cluster, example.not_collected, example.bundle_time, kinds)


def differences() -> Iterator[tuple[str, str]]:
    for rule, example, difference in run_examples(PACK, make_facts):
        if difference is not None:
            yield f"{rule.id}: {example.name}", "\n".join(difference.lines)


def test_there_is_no_mistake_in_the_pack() -> None:
    _, mistakes = read_packs([FOLDER])
    assert [str(mistake) for mistake in mistakes] == []


def test_every_example_comes_out_as_written() -> None:
    assert list(differences()) == []


def test_a_rule_stands_in_one_file_in_the_folder_of_its_area_and_its_id_is_used_once() -> None:
    assert len(FILES) == len(PACK.rules) >= 36
    assert Counter(rule.id for rule in PACK.rules).most_common(1)[0][1] == 1
    assert {path.stem: path.parent.name for path in FILES} == {rule.id: rule.area for rule in PACK.rules}
    assert {rule.area for rule in PACK.rules} == AREAS


def test_every_line_of_the_checklist_has_a_rule_or_a_question() -> None:
    lines = [line for section in PACK.checklist for line in section.lines]
    answered = {rule.checklist for rule in PACK.rules}
    assert [line.id for line in lines if not line.ask and line.id not in answered] == []
    assert {rule.id for rule in PACK.rules if not rule.checklist} == WITHOUT_LINE


def test_every_extract_of_the_documentation_is_used() -> None:
    assert {name for rule in PACK.rules for name in rule.docs} == set(PACK.docs)


@pytest.mark.parametrize("rule", PACK.rules, ids=lambda rule: rule.id)
def test_a_rule_says_what_it_means_and_what_to_do(rule: Rule) -> None:
    assert rule.impact.endswith(".")
    assert rule.impact.count(". ") == 0, "one sentence"
    assert rule.fix.endswith(".")
    assert rule.docs
    assert rule.commands
    assert rule.commands[-1].risk.startswith("read only"), "the last command checks without changing anything"


@pytest.mark.parametrize("rule", PACK.rules, ids=lambda rule: rule.id)
def test_a_command_does_what_its_risk_says(rule: Rule) -> None:
    for command in rule.commands:
        changes = bool(CHANGES.search(command.run))
        assert changes != command.risk.startswith("read only"), command.run
        assert not re.search(r"get secrets?\b.*(-o|--output)", command.run), "values of Secrets are not asked for"


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "version: {table:" in text])
def test_a_version_rule_shows_a_suffix_and_a_release_that_is_not_listed(name: str) -> None:
    examples: list[dict[str, Any]] = yaml.safe_load(TEXTS[name])["examples"]
    versions = [str(value) for example in examples for value in _versions(example)]
    assert any(re.search(r"\d[-+]\w", version) for version in versions), "an example with the suffix of a vendor"
    assert any(example["result"] == "unknown" for example in examples), "a release without a figure"


def _versions(example: dict[str, Any]) -> Iterator[Any]:
    for part in ((example.get("cluster") or {}).values(), (thing.get("spec") for thing in example["given"])):
        yield from (block["version"] for block in part if isinstance(block, dict) and "version" in block)


def test_an_unlisted_release_never_makes_a_version_rule_fail() -> None:
    """Every rule that asks a table for a range, where everything is of the wrong version and the release is of the future."""
    wrong = {"installed": True, "operator_installed": True, "version": "0.0.1", "crd_version": "v2beta1"}
    names = ("gpu_operator", "knative", "training_operator", "mpi_operator", "lws", "prometheus", "openshift", "kubernetes")
    for distribution in ("vanilla", "openshift"):
        cluster = dict.fromkeys(names, wrong) | {"distribution": {"name": distribution}, "runai": {"release": "9.9"}}
        example = Example("the future", (), "unknown", cluster | {"planned": ["inference", "distributed"]})
        for rule in (BY_ID[name] for name, text in TEXTS.items() if "version: {table:" in text):
            alone = next(run_examples(_alone(rule, example), make_facts))[2]
            assert alone is None or alone.lines[1] == "+ result: not_applicable", (rule.id, alone)


def _alone(rule: Rule, example: Example) -> Pack:
    return replace(PACK, rules=(replace(rule, examples=(example,)),))


def test_the_readme_names_every_test_and_block() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in TEST_NAMES if f"`{name}`" not in text] == []
    blocks = (
        "applies_to",
        "only_if_passed",
        "for_each",
        "report_each",
        "count",
        "where",
        "if_none",
        "cases",
        "show",
        "fix",
        "docs",
    )
    assert [name for name in blocks if f"`{name}" not in text] == []


def test_only_what_keeps_runai_from_running_is_a_blocker() -> None:

    assert {rule.id for rule in PACK.rules if rule.severity is Severity.CRITICAL} == BLOCKERS
    assert Severity.INFO not in {rule.severity for rule in PACK.rules}
