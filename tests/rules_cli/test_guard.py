"""No command of runai-rules ends in a traceback."""

import click
import pytest
from click.testing import CliRunner
from runai_analyze.errors import UserError
from runai_analyze.rules_cli.guard import Tools


def ended(error: Exception) -> tuple[int, str]:
    @click.command()
    def broken() -> None:
        raise error

    result = CliRunner().invoke(Tools(commands={"broken": broken}), ["broken"])
    return result.exit_code, result.stderr


@pytest.mark.parametrize("error", [ValueError("not a path\nat all"), KeyError("x"), RecursionError("too deep")])
def test_a_fault_of_the_program_is_said_in_one_line(error: Exception) -> None:
    code, said = ended(error)
    assert (code, said.count("\n")) == (5, 1)
    assert said.startswith(f"runai-rules: a fault of this program, please report it: {type(error).__name__}: ")


def test_what_a_person_can_mend_keeps_its_words() -> None:
    assert ended(UserError("no bundle", "take another")) == (2, "runai-rules: no bundle (take another)\n")
    assert ended(PermissionError(13, "Permission denied", "acme")) == (2, "runai-rules: acme: Permission denied\n")
