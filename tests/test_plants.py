"""The plants themselves: enough of them, repeatable, and found in every coding."""

import base64
import json

import pytest

from tests.plant_controls import controls
from tests.plant_search import Needles
from tests.plants import plants


def test_the_same_seed_makes_the_same_plants_and_another_seed_shares_none() -> None:
    first, again, other = plants(1), plants(1), plants(2)
    assert [plant.value for plant in first] == [plant.value for plant in again]
    assert not {secret for plant in first for secret in plant.value.secrets} & {
        secret for plant in other for secret in plant.value.secrets
    }


def test_there_are_more_than_forty_plants_with_names_of_their_own() -> None:
    names = [plant.id for plant in plants(3)]
    assert len(names) == len(set(names))
    assert len(names) >= 40


def test_a_plant_is_found_in_the_things_that_carry_it_unless_base64_or_gzip_hides_it() -> None:
    for plant in plants(4):
        carried = json.dumps([repr(thing) for thing in plant.things]).encode()
        assert Needles([plant]).find(carried, "things"), plant.id


def test_a_value_is_found_plain_and_cut_and_in_base64_at_any_place_and_twice() -> None:
    plant = next(plant for plant in plants(5) if plant.id == "secret-opaque")
    needles, text = Needles([plant]), plant.value.text
    for place in range(4):
        once = base64.b64encode(b"x" * place + text.encode() + b"rest")
        twice = base64.b64encode(b"y" * place + once)
        for content in (text.encode(), text[:12].encode(), text[-12:].encode(), once, twice, text.encode().hex().encode()):
            assert needles.find(b"before" + content + b"after", "here"), content


def test_nothing_is_found_where_nothing_is() -> None:
    needles = Needles(plants(6))
    assert needles.find(json.dumps([repr(control) for control in controls()]).encode(), "controls") == []
    assert needles.find(repr(plants(7)).encode(), "plants of another run") == []


def test_each_control_stands_in_its_carrier() -> None:
    assert all(control.expected is not None for control in controls())


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_every_row_can_be_searched_for(first: int) -> None:
    """A value without one plain piece could not be found; in some runs an AWS key was such a one."""
    for seed in range(first, first + 100):
        Needles(plants(seed))
