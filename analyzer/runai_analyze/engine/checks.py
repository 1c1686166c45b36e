"""A test as one function of whatever a path leads to: absent, hidden, unknown or a value. What every object is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from runai_analyze.engine.logic import Answer
from runai_analyze.engine.operators import SEES_INSIDE, Operator, bare_operator
from runai_analyze.engine.values import as_text, hides
from runai_analyze.model import Unknown
from runai_analyze.objects.paths import ABSENT, REDACTED
from runai_analyze.ruleset.rule import Test

Check = Callable[[object], Answer]
_NUMBERS = (int, float, bool)
_POSITIVE = {"equals": True, "one_of": True, "not_equals": False, "not_one_of": False}


def make_check(test: Test, wanted: object, bundle_time: datetime | None, absent: Answer) -> Check:
    """Return the test with ``absent`` as the answer where the field is not set; unknown for what is hidden or not known.

    Raises ValueError when the argument, which may come out of the bundle, is nothing that the test can use.
    """
    operator = bare_operator(test, wanted, bundle_time)
    texts = texts_wanted(test, wanted)
    if texts is not None:
        return _among(texts, _POSITIVE[test.name], operator, absent)
    whole = test.name not in SEES_INSIDE

    def check(value: object) -> Answer:
        if value.__class__ is str:
            return None if REDACTED in value else operator(value)
        return absent if value is ABSENT else _of_others(value, operator, whole)

    return check


def texts_wanted(test: Test, wanted: object) -> frozenset[str] | None:
    """Return the texts that a text must be among, or not, where the test asks nothing else of a text; None for other tests."""
    listed = isinstance(wanted, list | tuple)
    if test.name not in _POSITIVE or test.ignore_case or (listed and test.name in ("equals", "not_equals")):
        return None
    texts = frozenset(as_text(one) for one in (wanted if isinstance(wanted, list | tuple) else (wanted,)))
    return None if any(REDACTED in text for text in texts) else texts


def _among(texts: frozenset[str], positive: bool, operator: Operator, absent: Answer) -> Check:
    """Return the test for equality with texts: one look into a set. A hidden text is never among them."""

    def check(value: object) -> Answer:
        if value.__class__ is str:
            if value in texts:
                return positive
            return None if REDACTED in value else not positive
        return absent if value is ABSENT else _of_others(value, operator, whole=True)

    return check


def _of_others(value: object, operator: Operator, whole: bool) -> Answer:
    """Return the answer for what is no text. ``whole``: what holds anything hidden, at any depth, is unknown altogether."""
    if value.__class__ in _NUMBERS:
        return operator(value)
    if isinstance(value, Unknown):
        return None
    if whole and isinstance(value, list | tuple | Mapping) and hides(value):
        return None
    return operator(value)
