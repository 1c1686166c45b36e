"""Objects in examples are typed as kubectl types them; the expected values were printed by kubectl 1.36.4."""

import pytest
from runai_analyze.ruleset.nodes import read_yaml
from runai_analyze.ruleset.typed import kubectl_value

SEEN = {
    "y": True,
    "yes": True,
    "on": True,
    "True": True,
    "n": False,
    "No": False,
    "off": False,
    "tRue": "tRue",
    "yEs": "yEs",
    "~": None,
    "": None,
    "Null": None,
    "nUll": "nUll",
    "010": 8,
    "0o10": 8,
    "0777": 511,
    "08": 8,
    "0x1F": 31,
    "-0x1f": -31,
    "0b11": 3,
    "1_000": 1000,
    "1__0": 10,
    "_1": "_1",
    "+5": 5,
    "-0": 0,
    "1e3": 1000,
    "1.5e3": 1500,
    "1.0": 1,
    "1.": 1,
    ".5": 0.5,
    "-.5": -0.5,
    "1.30": 1.3,
    "09.5": 9.5,
    "1e-3": 0.001,
    "0x": "0x",
    "1e": "1e",
    ".e3": ".e3",
    "1,000": "1,000",
    "1:30": "1:30",
    "190:20:30": "190:20:30",
    "2026-12-01": "2026-12-01",
    "2026-12-01T00:00:00Z": "2026-12-01T00:00:00Z",
    '"yes"': "yes",
    "'5'": "5",
    "''": "",
    "9223372036854775807": 9223372036854775807,
}


@pytest.mark.parametrize(("text", "value"), SEEN.items())
def test_scalar(text: str, value: object) -> None:
    _, root = read_yaml("x.yaml", f"v: {text}\n".encode())
    assert root is not None
    found = kubectl_value(root)["v"]
    assert found == value
    assert type(found) is type(value)
