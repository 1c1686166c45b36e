"""Three-valued logic: True, False, and None for unknown."""

from __future__ import annotations

from collections.abc import Iterable

Answer = bool | None


def all_of(answers: Iterable[Answer]) -> Answer:
    """AND: false beats unknown beats true; true of nothing."""
    result: Answer = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def any_of(answers: Iterable[Answer]) -> Answer:
    """OR: true beats unknown beats false; false of nothing."""
    result: Answer = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


def negate(answer: Answer) -> Answer:
    """NOT: unknown stays unknown."""
    return None if answer is None else not answer
