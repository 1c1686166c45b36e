"""Which Run:ai releases a cluster could take."""

from typing import Any

import pytest
from runai_analyze.engine import fit_releases
from runai_analyze.model import Missing, ReleaseFit, Unknown
from runai_analyze.ruleset.rule import Cell, Table

GONE = Unknown(Missing("x", "gone"))


def cell(value: str | None, confidence: str = "documented") -> Cell:
    return Cell(value, confidence if value else "unknown", "page")


MATRIX = Table(
    "support-matrix",
    "runai release",
    "2026-12-01",
    dict.fromkeys(("kubernetes", "openshift", "gpu_operator", "gpu_operator_forbidden", "knative", "helm"), "range")
    | {"note": "text"},
    {
        "2.9": {"kubernetes": cell("1.24 - 1.26"), "openshift": cell("4.10 - 4.12"), "gpu_operator": cell(None)},
        "2.24": {"kubernetes": cell("1.32 - 1.34", "derived"), "openshift": cell("4.17 - 4.19"), "gpu_operator": cell(">=24.9")},
        "2.25": {
            "kubernetes": cell("1.33 - 1.35"),
            "openshift": cell("4.18 - 4.20"),
            "gpu_operator": cell("25.3 - 25.10"),
            "gpu_operator_forbidden": cell("25.9"),
            "knative": cell("1.19", "uncertain"),
            "helm": cell(">=3"),
        },
    },
)
VANILLA = {"kubernetes": {"version": "v1.35.4"}, "distribution": {"name": "vanilla"}}


def fits(**cluster: Any) -> list[tuple[str, str]]:
    return [(fit.release, fit.fits) for fit in fit_releases({"support-matrix": MATRIX}, {**VANILLA, **cluster})]


def parts(release: str, **cluster: Any) -> tuple[tuple[str, str, str, str], ...]:
    found: dict[str, ReleaseFit] = {fit.release: fit for fit in fit_releases({"support-matrix": MATRIX}, {**VANILLA, **cluster})}
    return found[release].parts


def test_newest_first_and_the_worst_answer_counts() -> None:
    assert fits() == [("2.25", "yes"), ("2.24", "no"), ("2.9", "no")]


def test_only_what_is_installed_counts() -> None:
    operator = {"installed": True, "version": "24.9.2"}
    assert fits(gpu_operator=operator)[0] == ("2.25", "no")
    assert fits(gpu_operator={**operator, "installed": False})[0] == ("2.25", "yes")
    assert fits(gpu_operator={"installed": GONE, "version": GONE})[0] == ("2.25", "unknown")


def test_parts_say_found_and_wanted() -> None:
    assert parts("2.25", gpu_operator={"installed": True, "version": "25.9.1"}) == (
        ("kubernetes", "v1.35.4", "1.33 - 1.35", "yes"),
        ("gpu operator", "25.9.1", "25.3 - 25.10", "yes"),
        ("gpu operator", "25.9.1", "not 25.9", "no"),
    )
    assert parts("2.24") == (("kubernetes", "v1.35.4", "1.32 - 1.34 (derived)", "no"),)


def test_on_openshift_its_own_version_counts() -> None:
    openshift = {"distribution": {"name": "openshift"}, "openshift": {"version": "4.19.3"}}
    assert parts("2.25", **openshift) == (("openshift", "4.19.3", "4.18 - 4.20", "yes"),)
    unknown = {"distribution": {"name": "openshift"}, "openshift": {"version": GONE}}
    assert parts("2.25", **unknown) == (("openshift", "", "4.18 - 4.20", "unknown"),)


def test_what_nobody_states_is_unknown_and_never_guessed() -> None:
    assert parts("2.9", kubernetes={"version": "v1.25.1"}, gpu_operator={"installed": True, "version": "22.9.1"}) == (
        ("kubernetes", "v1.25.1", "1.24 - 1.26", "yes"),
        ("gpu operator", "22.9.1", "not stated", "unknown"),
    )
    assert parts("2.25", knative={"installed": True, "version": "1.18.0"})[-1] == (
        "knative",
        "1.18.0",
        "1.19 (uncertain)",
        "unknown",
    )
    assert parts("2.25", kubernetes={"version": "latest"}) == (("kubernetes", "latest", "1.33 - 1.35", "unknown"),)


def test_nothing_known_about_the_cluster_is_unknown() -> None:
    assert [fit.fits for fit in fit_releases({"support-matrix": MATRIX}, {})] == ["unknown"] * 3


@pytest.mark.parametrize(("release", "current"), [("2.24", "2.24"), (GONE, None)])
def test_the_release_that_runs_is_marked(release: object, current: str | None) -> None:
    found = fit_releases({"support-matrix": MATRIX}, {**VANILLA, "runai": {"release": release}})
    assert [fit.release for fit in found if fit.current] == ([current] if current else [])


def test_without_a_matrix_there_are_none() -> None:
    assert fit_releases({}, VANILLA) == ()
