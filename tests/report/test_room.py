"""Page one of the PDF shows as many of the findings to mend first as have room."""

from runai_analyze.model import Severity, Status
from runai_analyze.report.room import fitting
from runai_analyze.report.view import build_view

from .sample import LONG, finding, outcome, rule, sample

SHORT = ("The certificate has expired", "Browsers refuse the address.", False)
WIDE = ("x" * 150, "y" * 150, True)


def test_five_short_ones_fit() -> None:
    assert fitting([SHORT] * 5, "Run:ai cannot run here.", "", 0) == 5


def test_two_always_fit_and_long_ones_leave_no_room_for_more() -> None:
    assert fitting([WIDE] * 5, "v" * 220, "l" * 240, 2) == 2
    assert fitting([WIDE], "v" * 220, "l" * 240, 2) == 1


def test_the_screen_has_room_for_all() -> None:
    of = [rule(f"R{i}", Severity.HIGH, title=LONG, impact=LONG) for i in range(9)]
    report = sample(given=[outcome(it, Status.FAIL, LONG, findings=(finding(it, LONG),)) for it in of])
    assert [len(build_view(report, paper).first) for paper in (False, True)] == [5, 3]
