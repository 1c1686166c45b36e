"""What an option of the collector left out is unknown, never wrong; and it is asked for as another bundle without the option."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from runai_analyze.model import Report, Status
from runai_analyze.pipeline import Options, analyze

from tests.bundle import leaving

SAMPLES = Path(__file__).parents[2] / "samples"
HEALTHY = SAMPLES / "healthy.tgz"


@cache
def report(*options: str, site: str = "healthy") -> Report:
    """The report on a site as a collection with these options shows it."""
    bundle = leaving.read(SAMPLES / f"{site}.tgz")
    for option in options:
        leaving.OPTIONS[option](bundle)
    with TemporaryDirectory() as folder:
        return analyze(leaving.write(bundle, Path(folder) / "b.tgz"), Options(), lambda name: None)


def answers(*options: str, site: str = "healthy") -> dict[str, Status]:
    return {it.rule.id: it.status for it in report(*options, site=site).outcomes}


CHOICES = [(option,) for option in leaving.OPTIONS] + [tuple(leaving.OPTIONS)[:4], ("-n runai", "--no-secrets", "--no-exec")]


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_what_was_left_out_is_never_a_fault(options: tuple[str, ...]) -> None:
    assert Status.FAIL not in answers().values()
    wrong = {"fail", "error"}
    assert {rule: status for rule, status in answers(*options).items() if status.value in wrong} == {}


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_what_was_left_out_never_passes(options: tuple[str, ...]) -> None:
    whole, part = answers(site="broken-site"), answers(*options, site="broken-site")
    assert [rule for rule, status in part.items() if status is Status.PASS and whole[rule] is not Status.PASS] == []
    looked_at = {it.rule.id: it.looked_at for it in report().outcomes}
    passed = [it for it in report(*options).outcomes if it.status is Status.PASS]
    assert [it.rule.id for it in passed if it.looked_at != looked_at[it.rule.id]] == []


def test_secrets_left_out_leave_what_needs_them_unknown() -> None:
    found = answers("--no-secrets")
    assert answers()["RAI-TLS-001"] is Status.PASS
    assert (found["RAI-TLS-001"], found["RAI-IMG-001"]) == (Status.UNKNOWN, Status.UNKNOWN)


@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("--no-secrets", "collected without --no-secrets (of Secrets only names, types and public certificates are taken)"),
        ("--no-certificates", "collected without --no-certificates (of the TLS Secrets only the public certificates are taken)"),
        ("--no-exec", "collected without --no-exec (nvidia-smi then answers on each GPU node)"),
        ("--no-logs", "collected without --no-logs (of logs the newest lines are taken, with secrets hidden)"),
        ("-n runai", "collected without -n"),
    ],
)
def test_what_was_left_out_is_asked_for_in_one_line(option: str, asked: str) -> None:
    assert report(option).request.commands == ((f"another bundle, {asked}", "runai-collect"),)


@cache
def judged_for(release: str) -> Report:
    return analyze(HEALTHY, Options(runai_version=release), lambda name: None)


@pytest.mark.parametrize("release", ["9.9", "2.52"])
def test_a_release_that_the_rules_do_not_know_is_not_judged(release: str) -> None:
    made = judged_for(release)
    words = f"no figures for Run:ai {release} (known: 2.5 … 3.0)"
    assert made.can_run == "unknown"
    assert words in made.verdict
    assert words in made.notes[0]
