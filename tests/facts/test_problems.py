"""The made kind CollectionProblem."""

import pytest
from runai_analyze.facts.problems import failed
from runai_analyze.model import Step


@pytest.mark.parametrize(
    ("id_", "status", "is_problem"),
    [
        ("list:core/v1/pods", "ok", False),
        ("list:core/v1/pods", "empty", False),
        ("certificate:runai/x", "not_found", False),
        ("list:core/v1/pods", "truncated", True),
        ("secrets", "skipped", True),
        ("logs", "skipped", True),
        ("logs@runai", "skipped", False),
        ("logs@runai", "forbidden", True),
    ],
)
def test_which_steps_are_problems(id_: str, status: str, is_problem: bool) -> None:
    assert failed(Step(id_, "", "", status)) is is_problem
