"""Every secret of the corpus in every place where it can stand: none survives. Every harmless value in every place: all stay."""

import json
import random
import re
from collections.abc import Iterator

import pytest
from runai_collect import hints, named, redact_text, shapes

from tests.collector.redact_places import NAMED, PLAIN, SECTIONS, Row, places, rows
from tests.plant_search import Needles
from tests.plant_values import Value
from tests.plants import Plant

SECRETS = [row for section in SECTIONS for row in rows("secrets", section)]
HARMLESS = [row for section in SECTIONS[1:] for row in rows("harmless", section)]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    """What a changed redactor found clean must not be taken for clean by the whole one."""
    yield
    for memory in (hints.CLEAN, hints.HARMLESS, hints._PLAIN, hints._HINTED):
        memory.clear()


def survives(value: Value, text: str) -> bool:
    """Whether a part of the value can be read in the text: whole, or cut, or in base64 or hexadecimal."""
    return any(piece in text for piece in value.secrets) or bool(Needles([Plant("it", "", value, ())]).find(text.encode(), "it"))


def leaks(row: Row, seed: int) -> list[str]:
    found = []
    for place, put in places(row):
        value = row.filled(random.Random(f"{seed} {row.id} {place}"))
        if survives(value, put(value.text)):
            found.append(place)
    return found


def test_the_corpora_are_as_large_as_they_must_be() -> None:
    assert len(SECRETS) >= 80
    assert len(HARMLESS) >= 60
    assert min(len(NAMED), len(PLAIN)) >= 10


def test_every_row_holds_something_that_can_be_looked_for() -> None:
    assert [row.id for row in SECRETS if not row.filled(random.Random(1)).secrets] == []


@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.id)
def test_no_secret_survives_anywhere(row: Row) -> None:
    assert leaks(row, 1) == []


@pytest.mark.parametrize("row", HARMLESS, ids=lambda row: row.id)
def test_no_harmless_value_is_hidden_anywhere(row: Row) -> None:
    """In base64 it cannot be read, and nothing is hidden; elsewhere it stands as it was put in, but for what JSON escapes."""
    wrong = []
    for place, put in places(row):
        shown, plain = put(row.template), re.escape(row.template)
        whole = "base64" in place or json.loads(f'"{"".join(re.findall(plain, shown)[:1])}"') if '"' not in plain else True
        if "redacted:" in shown or not whole:
            wrong.append(f"{place}: {shown}")
    assert wrong == []


@pytest.mark.parametrize("seed", range(2, 42))
def test_random_secrets_do_not_survive_either(seed: int) -> None:
    dice = random.Random(seed)
    for row in dice.sample(SECRETS, 12):
        place, put = dice.choice(list(places(row)))
        value = row.filled(dice)
        assert not survives(value, put(value.text)), (row.id, place, value.text)


@pytest.mark.parametrize("at", range(len(shapes.SHAPES)))
def test_no_shape_could_be_taken_away(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = list(shapes.SHAPES)
    fewer[at] = fewer[at]._replace(pattern=re.compile("(?!)"))
    for module in (hints, redact_text):
        monkeypatch.setattr(module, "SHAPES", tuple(fewer))
    assert any(leaks(row, 1) for row in SECRETS if not row.name)


@pytest.mark.parametrize("at", range(len(named._FORMS)))
def test_no_notation_of_a_name_and_a_value_could_be_taken_away(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = list(named._FORMS)
    fewer[at] = (fewer[at][0], re.compile("(?!)"))
    monkeypatch.setattr(named, "_FORMS", tuple(fewer))
    assert any(leaks(row, 1) for row in SECRETS)


@pytest.mark.parametrize("seed", range(30))
def test_of_two_secrets_in_one_text_neither_survives(seed: int) -> None:
    """One that is known by its form, and one by its name: finding the first must not end the search."""
    dice = random.Random(f"two {seed}")
    shaped = [row for row in rows("secrets", "values") if "\n" not in row.template and not re.search("[{ ]['\"]|=", row.template)]
    for place, put in PLAIN.items():
        one, two = dice.choice(shaped).filled(dice), Row("two", "", "{A16}").filled(dice)
        for text in (f"{one.text} --password={two.text}", f"--password={two.text} {one.text}"):
            shown = put(text)
            assert not survives(one, shown), (place, text)
            assert not survives(two, shown), (place, text)
