"""What the command line takes, and what of it becomes the plan's options and stands in the bundle."""

import json
import sys
from pathlib import Path

import pytest
from runai_collect import plan
from runai_collect.advice import warning
from runai_collect.cli import main
from runai_collect.options import COMMANDS, build_parser, read_options
from runai_collect.preflight import Missing

GIVEN = (
    "-n runai -n gpu-operator --exclude events --exclude logs/a/* --only runai --no-exec --no-logs --no-secrets "
    "--no-certificates --exec-user-pods --exec-host --probe --log-lines 7 --since 2d --deadline 1m --max-size 200M "
    "--concurrency 2 --qps 9"
)


def options(*arguments: str) -> plan.Options:
    return read_options(build_parser().parse_args(arguments))


def test_unless_told_it_is_the_plan_as_it_stands() -> None:
    assert options() == plan.Options()


def test_every_option_stands_in_the_bundle() -> None:
    told = options(*GIVEN.split()).record()
    assert json.loads(json.dumps(told)) == {
        "namespaces": ["gpu-operator", "runai"],
        "exclude": ["kind:events", "path:logs/a/*"],
        "only": ["namespace:runai"],
        "plan_file": None,
        "exec": False,
        "logs": False,
        "secrets": False,
        "certificates": False,
        "exec_user_pods": True,
        "exec_host": True,
        "probe": True,
        "log_lines": 7,
        "since_seconds": 172800.0,
        "deadline_seconds": 60.0,
        "max_size_bytes": 209715200,
        "concurrency": 2,
        "requests_per_second": 9,
    }


def test_every_field_of_the_options_is_changed_by_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "extra.json").write_text("{}")
    given = options(*GIVEN.split(), "--plan-file", str(tmp_path / "extra.json"))
    assert [name for name in plan.Options._fields if getattr(given, name) == getattr(plan.Options(), name)] == []


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("90s", 90.0), ("15m", 900.0), ("2h", 7200.0), ("3d", 259200.0)])
def test_times(text: str, seconds: float) -> None:
    assert build_parser().parse_args(["--deadline", text]).deadline == seconds


@pytest.mark.parametrize(("text", "size"), [("64K", 65536), ("200M", 209715200), ("1g", 1073741824), ("2GiB", 2147483648)])
def test_sizes(text: str, size: int) -> None:
    assert build_parser().parse_args(["--max-size", text]).max_size == size


@pytest.mark.parametrize(
    "argument",
    [
        "--deadline=soon",
        "--deadline=0",
        "--since=-1h",
        "--since=²d",
        "--log-lines=-1",
        "--log-lines=²",
        "--log-lines=1000001",
        "--max-size=200",
        "--max-size=1K",
        "--max-size=0M",
        "--concurrency=0",
        "--concurrency=17",
        "--qps=0",
        "--qps=201",
        "--qps=1.5",
    ],
)
def test_values_that_are_none(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        build_parser().parse_args([argument])
    assert caught.value.code == 2
    assert argument.partition("=")[2] in capsys.readouterr().err


def test_the_help_fits_a_terminal_and_tells_each_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = build_parser()
    assert all(len(line) <= 80 for line in parser.format_help().splitlines())
    assert all(action.help for action in parser._actions)
    assert all(f"runai-collect {name}" in " ".join(parser.format_help().split()) for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_has_a_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: runai-collect {name}")


def test_times_are_named_as_the_help_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["--since", "5x"])
    assert "'5x' is not a time such as 90s, 15m, 6h or 2d" in capsys.readouterr().err


def test_roles_are_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--rbac", "base", "--json"])
    assert caught.value.code == 2
    assert "--rbac prints YAML" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("started", "typed"),
    [
        ("runai-collect.pyz", "python3 runai-collect.pyz"),
        ("/opt/my tools/a%b.pyz", "python3 '/opt/my tools/a%b.pyz'"),
        ("/usr/bin/runai-collect", "runai-collect"),
    ],
)
def test_it_calls_itself_as_it_was_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], started: str, typed: str
) -> None:
    monkeypatch.setattr(sys, "argv", [started])
    text = " ".join(build_parser().format_help().split())
    assert text.startswith(f"usage: {typed} [options]")
    assert f"{typed} inspect (what is in a bundle" in text
    assert f"create pods/exec: {typed} --rbac prints the roles" in text
    assert main(["--rbac", "base"]) == 0
    assert f"#      {typed} --rbac base > runai-collect-rbac.yaml\n" in capsys.readouterr().out
    missing = [Missing("base", "list in the whole cluster", "forbidden", "pods")]
    assert f"the roles that {typed} --rbac +secrets+exec prints" in warning(missing, plan.Options())[-1]
