"""The verdict and what is said before it."""

from typing import Any

import pytest
from runai_analyze.model import Missing, ReleaseFit, Severity, Status, Step, Unknown
from runai_analyze.report.verdict import can_run, no_figures, notes, verdict

from .sample import bundle, finding, outcome, rule

CRITICAL = rule("RAI-A-001", Severity.CRITICAL, fix="Mend it.")
HIGH = rule("RAI-B-001", Severity.HIGH)
FAILED = outcome(CRITICAL, Status.FAIL, findings=(finding(CRITICAL, "broken"),))
RISK = outcome(HIGH, Status.FAIL, findings=(finding(HIGH, "bad"),))
_MEDIUM = rule("RAI-D-001", Severity.MEDIUM)
MEDIUM = outcome(_MEDIUM, Status.FAIL, findings=(finding(_MEDIUM, "meh"),))
UNKNOWN_RISK = outcome(HIGH, Status.UNKNOWN)
UNSEEN = outcome(CRITICAL, Status.UNKNOWN)
PASSED = outcome(HIGH, Status.PASS)
INSTALLED: dict[str, Any] = {"runai": {"installed": True, "release": "2.25"}}
ABSENT: dict[str, Any] = {"runai": {"installed": False, "release": Unknown(Missing("release", "not given"))}}


@pytest.mark.parametrize(
    ("outcomes", "state", "answer"),
    [
        ([PASSED, RISK], "complete", "yes"),
        ([FAILED, UNSEEN], "complete", "no"),
        ([UNSEEN, PASSED], "complete", "unknown"),
        ([PASSED], "cut", "unknown"),
        ([FAILED], "cut", "no"),
        ([outcome(CRITICAL, Status.ERROR)], "complete", "unknown"),
    ],
)
def test_can_run(outcomes: list[Any], state: str, answer: str) -> None:
    assert can_run(outcomes, bundle(state=state)) == answer


@pytest.mark.parametrize(
    ("outcomes", "cluster", "words"),
    [
        (
            [FAILED],
            INSTALLED,
            "Run:ai 2.25 is installed on atlas but cannot work as it should. One thing stops it, and it has a known fix.",
        ),
        ([FAILED], ABSENT, "Run:ai cannot be installed on atlas yet. One thing stands in the way, and it has a known fix."),
        ([PASSED], INSTALLED, "Nothing that was looked at stops Run:ai 2.25 on atlas. No risk was found either."),
        (
            [RISK],
            INSTALLED,
            "Nothing seen stops Run:ai 2.25 on atlas outright, but one thing is broken or misses a documented requirement.",
        ),
        ([MEDIUM], INSTALLED, "Nothing that was looked at stops Run:ai 2.25 on atlas. One risk should be dealt with."),
        (
            [UNSEEN],
            ABSENT,
            "Whether Run:ai could be installed on atlas is not known: nothing seen stops it, "
            "but one check that could show a blocker had no data.",
        ),
    ],
)
def test_the_verdict_in_words(outcomes: list[Any], cluster: dict[str, Any], words: str) -> None:
    assert verdict(outcomes, bundle(), cluster, "atlas") == words


def test_no_fix_is_promised_where_there_is_none() -> None:
    bare = rule("RAI-C-001", Severity.CRITICAL)
    text = verdict([FAILED, outcome(bare, Status.FAIL, findings=(finding(bare, "x"),))], bundle(), INSTALLED, "atlas")
    assert text.endswith("Two things stop it.")


def test_a_cut_bundle_is_said_first() -> None:
    said = notes(bundle(state="cut", captured=None), "Judged for another release.")
    assert said[0].startswith("This bundle is cut")
    assert said[1] == "Judged for another release."


def test_a_bundle_of_refusals_says_so() -> None:
    steps = (Step("a", "", "", "forbidden"), Step("b", "", "", "ok"))
    assert notes(bundle(steps=steps), "")[0].startswith("The API server refused 1 of 2 reads")
    assert notes(bundle(state="cut", steps=steps), "")[0].startswith("This bundle is cut")


def test_before_an_installation_the_verdict_speaks_of_it() -> None:
    assert (
        verdict([PASSED], bundle(), ABSENT, "x")
        == "Nothing that was looked at stops an installation of Run:ai on x. No risk was found either."
    )


def test_a_whole_bundle_needs_no_note() -> None:
    assert notes(bundle(steps=()), "") == ()


def test_an_unknown_state_counts_as_incomplete() -> None:
    assert "not checked" in notes(bundle(state="half"), "")[0]
    assert can_run([PASSED], bundle(state="half")) == "unknown"


@pytest.mark.parametrize(
    ("others", "state", "words"),
    [
        ([RISK, RISK], "complete", "One thing certainly stops it; 2 more are serious."),
        ([PASSED, UNKNOWN_RISK], "complete", "One thing certainly stops it; 1 check had no data."),
        ([RISK, UNSEEN], "complete", "At least one thing stops it; 1 more is serious and 1 check had no data."),
        ([RISK], "cut", "At least one thing stops it; 1 more is serious."),
        ([MEDIUM], "complete", "One thing stops it, and it has a known fix."),
    ],
)
def test_a_blocker_promises_no_more_than_is_known(others: list[Any], state: str, words: str) -> None:
    assert verdict([FAILED, *others], bundle(state=state), INSTALLED, "atlas").endswith(f"work as it should. {words}")


def test_a_release_without_figures_is_not_judged() -> None:
    fits = tuple(ReleaseFit(release, "yes", ()) for release in ("3.0", "2.25", "2.5"))
    cluster = {"runai": {"installed": True, "release": "9.9"}}
    unjudged = no_figures(cluster, fits)
    assert unjudged == "the rules hold no figures for Run:ai 9.9 (known: 2.5 … 3.0)"
    assert can_run([PASSED], bundle(), unjudged) == "unknown"
    assert verdict([PASSED], bundle(), cluster, "atlas", unjudged).endswith(f"nothing seen stops it, but {unjudged}.")
    assert notes(bundle(steps=()), "", unjudged)[0].startswith("The rules hold no figures for Run:ai 9.9")


def test_a_release_with_figures_or_none_at_all_needs_no_such_word() -> None:
    here = ReleaseFit("2.25", "yes", (), current=True)
    assert no_figures(INSTALLED, (here,)) == ""
    assert no_figures(ABSENT, (ReleaseFit("2.25", "yes", ()),)) == ""


def test_what_a_bundle_says_of_itself_stands_at_the_top() -> None:
    assert notes(bundle(notes=("Two bundles were read as one.",)), "")[0] == "Two bundles were read as one."
