"""What an option of the collector left out is unknown, never wrong; and it is asked for as another bundle without the option."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from runai_analyze.model import Report, Status
from runai_analyze.pipeline import Options, analyze

from tests.bundle import leaving

HEALTHY = Path(__file__).parents[2] / "samples" / "healthy.tgz"


@cache
def report(*options: str) -> Report:
    """The report on the healthy site as a collection with these options shows it."""
    bundle = leaving.read(HEALTHY)
    for option in options:
        leaving.OPTIONS[option](bundle)
    with TemporaryDirectory() as folder:
        return analyze(leaving.write(bundle, Path(folder) / "b.tgz"), Options(), lambda name: None)


def answers(*options: str) -> dict[str, Status]:
    return {it.rule.id: it.status for it in report(*options).outcomes}


CHOICES = [(option,) for option in leaving.OPTIONS] + [tuple(leaving.OPTIONS)[:4], ("-n runai", "--no-secrets", "--no-exec")]


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_what_was_left_out_is_never_a_fault(options: tuple[str, ...]) -> None:
    assert Status.FAIL not in answers().values()
    wrong = {"fail", "error"}
    assert {rule: status for rule, status in answers(*options).items() if status.value in wrong} == {}


def test_secrets_left_out_leave_what_needs_them_unknown() -> None:
    found = answers("--no-secrets")
    assert answers()["RAI-TLS-001"] is Status.PASS
    assert (found["RAI-TLS-001"], found["RAI-IMG-001"]) == (Status.UNKNOWN, Status.UNKNOWN)
