"""The made kind CollectionProblem."""

from types import SimpleNamespace
from typing import cast

import pytest
from runai_analyze.bundle.source import Source
from runai_analyze.facts.problems import collection_problems, failed
from runai_analyze.model import BundleInfo, Step

from tests.bundle.intake.member import secret, taken


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


def test_secrets_with_values_are_problems() -> None:
    into = taken(secret("reg-creds", token="Planted-Value-17"), name="secrets.yaml")
    info = BundleInfo("a", 0, "", 0, "x", None, "complete", exposed=tuple(into.exposed))
    (item,) = collection_problems(cast("Source", SimpleNamespace(info=info)), (), ())
    assert {key: item.body[key] for key in ("metadata", "status", "message", "about")} == {
        "metadata": {"name": "runai/reg-creds"},
        "status": "exposed",
        "message": "1 of its values stood in secrets.yaml",
        "about": "Secret",
    }
