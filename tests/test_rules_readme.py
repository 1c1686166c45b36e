"""rules/README.md is true: its tables are the program's own, and its tutorial runs from the first command to the last."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from runai_analyze.authoring.reference import PARTS
from runai_analyze.cli import main as analyze
from runai_analyze.facts.kinds import MADE_MEANINGS
from runai_analyze.rules_cli import main as rules

from tests.make_rules_reference import PAGE, PAGES, made

ROOT = Path(__file__).parent.parent
TEXT = PAGE.read_text(encoding="utf-8")
TUTORIAL = TEXT.partition("## Your first rule")[2].partition("\n## ")[0]
PROGRAMS = {"runai-rules": rules, "runai-analyze": analyze}
# A block of the tutorial with the remark before it, which a reader does not see.
_BLOCK = re.compile(r"(?:<!-- (?P<remark>[^\n]*) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```\n", re.DOTALL)


def test_the_tables_are_those_of_the_program() -> None:
    both = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert made(both) == both, "python -m tests.make_rules_reference writes them anew"
    for name in (*PARTS, "commands"):
        assert both.count(f"<!-- made from the program: {name} -->") == 1


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield the blocks of the tutorial in their order: its remark, its language, its text."""
    for match in _BLOCK.finditer(TUTORIAL):
        yield match["remark"] or "", match["language"], match["text"]


def consoles(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console block with the lines that it prints; ``…`` stands for any number of lines."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.splitlines()


def fits(shown: list[str], printed: list[str]) -> bool:
    """Return whether what was printed is what the page shows; ``…`` in a line stands for any text."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else f"{re.escape(line).replace('…', '.*')}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed)) is not None


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "samples" / "broken-site.tgz", "bundle.tgz")
    file, ran = Path(), []
    for remark, language, text in steps():
        if remark.startswith("file: "):
            file = Path(remark.removeprefix("file: "))
            file.write_text(text)
        elif language == "console":
            whole = file.read_text()
            change = re.fullmatch(r"change: (.*) to (.*)", remark)
            if change:
                assert change[1] in whole
                file.write_text(whole.replace(change[1], change[2], 1))
            for command, shown in consoles(text):
                name, *arguments = shlex.split(command)
                result = CliRunner().invoke(PROGRAMS[name], arguments, catch_exceptions=False)
                assert fits(shown, result.output.splitlines()), f"$ {command}\n{result.output}"
                assert result.exit_code == (4 if change else 0), command
                ran.append(arguments[0] if name == "runai-rules" else name)
            if change:
                file.write_text(whole)
    assert ran == ["new", "lint", "lint", "test", "cover", "try", "explain", "pack", "runai-analyze", "new", "new", "schema"]


def test_the_rule_of_the_tutorial_is_the_one_that_new_wrote_with_better_words(tmp_path: Path) -> None:
    (shown,) = (yaml.safe_load(text) for remark, _, text in steps() if remark.startswith("file: acme/"))
    (pod,) = (text for remark, _, text in steps() if remark == "file: pod.yaml")
    arguments = ["new", str(tmp_path / "acme"), "--from-object", "-", "--yes"]
    assert CliRunner().invoke(rules, arguments, input=pod).exit_code == 0
    (path,) = tmp_path.glob("acme/*/*.yaml")
    written = yaml.safe_load(path.read_text())
    assert path.name == "ACME-KUB-001.yaml"
    condition = shown["report_each"]["where"][0]
    condition.pop("because")
    assert shown["report_each"] == written["report_each"]
    same = ("id", "severity", "area", "status", "revision", "owner", "message", "fix")
    assert {key: shown[key] for key in same} == {key: written[key] for key in same}
    assert [example["result"] for example in shown["examples"]] == [example["result"] for example in written["examples"]]


def test_every_kind_that_the_program_makes_is_recommended_for_some_fault() -> None:
    table = TEXT.partition("| The fault shows in | Look at |")[2].partition("\n\n")[0]
    named = {kind for kind in MADE_MEANINGS if f"`{kind}`" in table}
    assert named == MADE_MEANINGS.keys() - {"RunaiDependency", "CollectionProblem"}  # what the shipped rules say is all there is


def test_links_and_names_of_sections_lead_somewhere() -> None:
    titles = set(re.findall(r"^## (.+)$", TEXT, re.MULTILINE))
    assert {"Severity", "Every test", "Paths and conditions"} <= titles
    assert all((PAGE.parent / name).is_file() for name in re.findall(r"\]\((\w+\.md)\)", TEXT))
