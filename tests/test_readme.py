"""What the README says is true: its commands run, its tables are the programs' own, its first rule passes."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from runai_analyze.bundle.formats import FORMATS as FOREIGN
from runai_analyze.cli import FORMATS, main
from runai_analyze.errors import Exit
from runai_collect import options as collect_options
from runai_collect.cli import main as collect_main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


def section(title: str) -> str:
    """Return the text under a heading, up to the next one of any level."""
    match = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert match, f"no section {title!r}"
    return match[1]


def rows(title: str) -> list[list[str]]:
    """Return the cells of the first table under a heading, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def flags(cell: str) -> set[str]:
    """Return the option names in a table cell."""
    return set(re.findall(r"`(-{1,2}[a-z][a-z-]*)`", cell))


def rules(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run runai-rules in the checkout."""
    code = "from runai_analyze.rules_cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)


def consoles() -> list[list[str]]:
    """Return every command of the README's console blocks, as words, without comments."""
    blocks = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    return [shlex.split(line[2:], comments=True) for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_options_of_runai_analyze() -> None:
    told = set().union(*(flags(row[0]) for row in rows("Options of runai-analyze")))
    context = main.make_context("runai-analyze", [], resilient_parsing=True)
    options = [param for param in main.get_params(context) if isinstance(param, click.Option)]
    assert told == {name for option in options for name in option.opts}


def test_options_of_runai_collect() -> None:
    told = set().union(*(flags(row[0]) for row in rows("Options of runai-collect")))
    parser = collect_options.build_parser()
    assert told == {name for action in parser._actions for name in action.option_strings}


def test_exit_codes_of_runai_analyze() -> None:
    assert [int(row[0]) for row in rows("Exit codes of runai-analyze")] == [int(code) for code in Exit]


def test_every_format_is_told_and_how_it_is_tried() -> None:
    told = {row[0].partition(" (")[0]: row[1] for row in rows("What runai-analyze reads")}
    assert {form.name: "imitations" if form.imitation else "real files" for form in FOREIGN}.items() <= told.items()


def test_formats_are_those_of_the_program() -> None:
    (row,) = [row for row in rows("Options of runai-analyze") if "`--format`" in row[0]]
    assert [name for name in FORMATS if f"`{name}`" in row[1]] == list(FORMATS)


@pytest.mark.parametrize("words", consoles(), ids=" ".join)
def test_commands(words: list[str], tmp_path: Path) -> None:
    program, *arguments = [words[0].removeprefix(".venv/bin/"), *words[1:]]
    if program == "make":
        subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, check=True, capture_output=True)
    elif program == "runai-analyze":
        context = main.make_context("runai-analyze", arguments)
        assert all((ROOT / bundle).is_file() for bundle in context.params["bundles"])
    elif program == "runai-rules":
        assert rules(*arguments).returncode == 0
    elif words[:2] == ["python3", "runai-collect.pyz"] and len(words) > 2:
        bundle = shutil.copy(ROOT / "samples" / "healthy.tgz", tmp_path / "bundle.tgz")
        given = [str(bundle) if word == "BUNDLE" else word for word in words[2:]]
        if given[0] in collect_options.COMMANDS:
            assert collect_main(given) == 0
        else:
            collect_options.build_parser().parse_args(given)
    else:
        assert " ".join(words) in ("python3 runai-collect.pyz", "python3 -m venv .venv", ".venv/bin/pip install .")


def test_packages_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[a-z0-9-]+", line)[0] for line in project["dependencies"]]  # type: ignore[index]
    assert [row[0].strip("`") for row in rows("What it is built with, and why")] == names


def test_folders_exist() -> None:
    for row in rows("Where things are"):
        assert (ROOT / row[0].strip("`")).is_dir()


def test_the_first_rule_is_right(tmp_path: Path) -> None:
    block, pack = re.findall(r"```yaml\n(.*?)```", section("A first rule"), re.DOTALL)
    name = re.search(r"^id: (\S+)", block, re.MULTILINE)[1]  # type: ignore[index]
    folder = tmp_path / "rules" / "site"
    folder.mkdir(parents=True)
    (folder / f"{name}.yaml").write_text(block)
    (tmp_path / "rules" / "pack.yaml").write_text(pack)
    for command in ("lint", "test"):
        result = rules(command, str(tmp_path / "rules"))
        assert result.returncode == 0, result.stdout + result.stderr
