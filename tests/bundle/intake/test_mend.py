"""Values as their writers damaged them."""

import pytest
from runai_analyze.bundle.intake.mend import mend

from tests.bundle.intake.member import bodies, taken


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1e6, 1000000),
        (1.00072e09, 1000720000),
        (0.5, 0.5),
        (True, True),
        ("null", "null"),
        ("***HIDDEN***", "«redacted:hidden-by-writer»"),
        ("http://***HIDDEN***:80", "http://«redacted:hidden-by-writer»:80"),
    ],
)
def test_any_writer(written: object, meant: object) -> None:
    found = mend({"a": [written]}, nulls=False)["a"][0]
    assert (found, type(found)) == (meant, type(meant))


def test_a_writer_that_has_null_for_what_is_empty() -> None:
    assert mend({"podIP": "null", "args": ["null", "x"], "b": None}, nulls=True) == {"args": ["", "x"], "b": None}


def test_files_are_mended() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\ndata: {p: '***HIDDEN***', n: 1e+06}\n"
    (body,) = bodies(taken(text))
    assert body["data"] == {"p": "«redacted:hidden-by-writer»", "n": 1000000}
    assert type(body["data"]["n"]) is int


def test_files_of_a_writer_with_nulls() -> None:
    text = 'apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {podCIDR: "null"}\n'
    (body,) = bodies(taken(text, nulls=True))
    assert body["spec"] == {}


def test_a_value_in_yaml_of_which_nothing_but_the_sign_is_left() -> None:
    data = "data:\n  p: ***HIDDEN***\n  q: ***HIDDEN***:5000/x\n"
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\n" + data
    (body,) = bodies(taken(text))
    assert body["data"] == {"p": "«redacted:hidden-by-writer»", "q": "«redacted:hidden-by-writer»:5000/x"}
