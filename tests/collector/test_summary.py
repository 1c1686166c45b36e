"""What is said at the end."""

import pytest
from runai_collect.summary import incomplete, summary_text
from runai_collect.writer import Hit, Step, Totals

TOTALS = Totals(2_345_678, "ab" * 32, 42)


def said(*steps: Step, state: str = "complete", hits: tuple[Hit, ...] = (), blocked: bool = False) -> str:
    return summary_text("b.tgz", TOTALS, state, list(steps), list(hits), blocked)


def test_a_complete_bundle() -> None:
    text = said(
        Step("list:core/v1/pods", "GET", "cluster", "ok", objects=12), Step("nvidia-smi:n1", "exec", "node", "ok", objects=1)
    )
    assert "12 objects, nvidia-smi of 1 nodes" in text
    assert "nothing that was asked for" in text
    assert "2.3 MB, 42 files, SHA-256 " + "ab" * 32 in text
    assert "Nothing was sent anywhere" in text


def test_refusals_of_one_sort_stand_on_one_line() -> None:
    text = said(*[Step(f"list:core/v1/k{number}", "GET", "cluster", "forbidden", 403, "no") for number in range(9)])
    assert [line for line in text.splitlines() if "refused" in line] == [
        "  refused: core/v1/k0, core/v1/k1, core/v1/k2, core/v1/k3, core/v1/k4, core/v1/k5 and 3 more"
    ]


def test_what_failed_says_why() -> None:
    assert "failed: nvidia-smi of n1 (boom)" in said(Step("nvidia-smi:n1", "exec", "node", "error", None, "boom"))


def test_a_bundle_that_was_cut_says_so() -> None:
    assert "not complete (interrupted)" in said(state="interrupted")


def test_a_blocked_bundle_names_the_place_and_never_the_secret() -> None:
    text = said(hits=(Hit("logs/a.log", "jwt"),), blocked=True)
    assert "  logs/a.log: jwt" in text
    assert "--keep-despite-scan" in text


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("ok", False),
        ("empty", False),
        ("not_found", False),
        ("skipped", False),
        ("forbidden", True),
        ("timeout", True),
        ("error", True),
        ("truncated", True),
    ],
)
def test_what_makes_a_bundle_incomplete(status: str, expected: bool) -> None:
    assert incomplete([Step("x", "GET", "cluster", status)]) is expected
