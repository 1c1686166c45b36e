"""Every block of the format's table: a key that it does not have, a key that it lacks, a value of each other form."""

import pytest
from runai_analyze.ruleset.blocks import read_block
from runai_analyze.ruleset.format import BLOCKS, Key
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, Source

KEYS = [(block, key) for block, keys in BLOCKS.items() for key in keys]
CHOSEN = [(block, key) for block, key in KEYS if key.choices]
TEXT, LIST, MAP = Scalar("x", True, 1, 8), Items([Scalar("x", True, 1, 9)], 1, 8), Fields({}, {}, 1, 8)
# Which of a text, a list and a map may stand where, by the form of the key.
FITS = {
    "text": {"text"},
    "texts": {"text", "list"},
    "yes/no": set(),
    "number": set(),
    "block": {"map"},
    "blocks": {"list"},
    "conditions": {"list"},
    "argument": {"text", "list", "map"},
    "map": {"map"},
    "names": {"text", "list", "map"},
    "object": {"map"},
    "objects": {"list"},
}


def problems(block: str, name: str, value: Node) -> list[str]:
    source = Source("x.yaml", [f"{name}: x"])
    read_block(source, Fields({name: value}, {name: Scalar(name, True, 1, 1)}, 1, 1), block)
    return [f"{mistake.place}: {mistake.code} {mistake.message}" for mistake in source.mistakes]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_key_that_is_none(block: str) -> None:
    name = f"{BLOCKS[block][0].name}x"
    said = next(line for line in problems(block, name, TEXT) if "unknown-key" in line)
    assert said.startswith(f'x.yaml:1:1: unknown-key "{name}" is no key of ')
    assert said.endswith(f'; did you mean "{BLOCKS[block][0].name}"?') or len(BLOCKS[block][0].name) < 3


@pytest.mark.parametrize(("block", "key"), KEYS, ids=lambda value: value if isinstance(value, str) else value.name)
def test_a_value_of_another_form(block: str, key: Key) -> None:
    for form, value in (("text", TEXT), ("list", LIST), ("map", MAP)):
        wrong = [line for line in problems(block, key.name, value) if "wrong-type" in line]
        assert bool(wrong) == (form not in FITS[key.form])
        assert all(line.startswith(f"x.yaml:1:8: wrong-type {key.name} must be ") for line in wrong)


@pytest.mark.parametrize("block", [name for name, keys in BLOCKS.items() if any(key.required for key in keys)])
def test_a_key_that_is_lacking(block: str) -> None:
    source = Source("x.yaml", ["{}"])
    read_block(source, Fields({}, {}, 1, 1), block)
    (mistake,) = source.mistakes
    assert mistake.code == "missing-key"
    for key in BLOCKS[block]:
        assert (f"{key.name} ({key.help})" in mistake.message) == key.required


@pytest.mark.parametrize(("block", "key"), CHOSEN, ids=lambda value: getattr(value, "name", value))
def test_a_word_that_may_not_stand_there(block: str, key: Key) -> None:
    said = " ".join(problems(block, key.name, Scalar(f"{key.choices[0]}x", True, 1, 8)))
    assert f'wrong-word {key.name} is "{key.choices[0]}x", must be one of {", ".join(key.choices)}' in said
    assert f'did you mean "{key.choices[0]}"?' in said
