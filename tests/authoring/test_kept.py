"""Facts that are kept: the same answers, each kind read once."""

from pathlib import Path

from runai_analyze.authoring.kept import KeptFacts
from runai_analyze.authoring.subject import read_subject
from runai_analyze.engine import evaluate
from runai_analyze.ruleset import default_pack, load_packs

from tests.engine.facts import SomeFacts, thing

NODES, GADGETS = ("Node", None), ("Gadget", "example.com")


def test_a_kind_is_read_once() -> None:
    facts = SomeFacts([thing("n", kind="Node"), thing("g")])
    kept = KeptFacts(facts)
    for _ in range(3):
        assert [item.ref.name for item in kept.items(frozenset((NODES,)))] == ["n"]
    assert [item.ref.name for item in kept.items(frozenset((NODES, GADGETS)))] == ["g", "n"]
    assert facts.asked == [frozenset((NODES,)), frozenset((GADGETS,))]


def test_what_is_lacking_is_asked_of_the_facts_behind() -> None:
    kept = KeptFacts(SomeFacts(uncollected=["Node"]))
    assert [gap.reason for gap in kept.coverage("Node", None, ())] == ["forbidden"]
    assert kept.coverage("Pod", None, ()) == ()


def test_the_outcomes_are_those_of_the_facts_behind() -> None:
    pack = load_packs([default_pack()])
    sample = Path(__file__).parents[2] / "samples" / "broken-site.tgz"
    facts = read_subject(sample, pack.rules).facts
    kept = KeptFacts(facts)
    assert [(one.rule.id, one.status, one.message) for one in evaluate(pack, kept)] == [
        (one.rule.id, one.status, one.message) for one in evaluate(pack, facts)
    ]
