"""The fields of custom kinds, from the definitions that their makers publish: custom_kinds.json says which and of which releases.

A test module makes the file (``python -m tests.make_field_dictionary``). A shape is a JSON schema of names and types alone; where
it holds another, that one's number stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from runai_analyze.ruleset.mistakes import closest

Shape = Mapping[str, Any]


def custom_kind(kind: str) -> Shape | None:
    """Return the shape of ``Kind.group``; None when its maker publishes none."""
    number = _data()["kinds"].get(kind)
    return None if number is None else custom_shape(number)


def custom_kinds() -> tuple[str, ...]:
    """Return the kinds whose makers publish a shape, as ``Kind.group``, sorted."""
    return tuple(sorted(_data()["kinds"]))


def custom_shape(number: int) -> Shape:
    """Return a shape by its number."""
    shape: Shape = _data()["shapes"][number]
    return shape


def custom_kind_meant(kind: str) -> str:
    """Return the ``Kind.group`` that was probably meant by one that is not known; empty when none is close."""
    known = _data()["kinds"]
    word, _, _ = kind.partition(".")
    same = sorted(name for name in known if name.partition(".")[0] == word)
    return closest(kind, same, 1) if same else closest(kind, known, 85)


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads((Path(__file__).parent / "custom_kinds.json").read_bytes())
    return data
