"""runai-analyze as a person meets it: what it prints, writes and ends with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze import cli
from runai_analyze.engine import run as run_module
from runai_analyze.engine.logic import Answer
from runai_analyze.errors import Exit, UserError
from runai_analyze.model import Item, Report
from runai_analyze.report.pdf import PdfUnavailable

ROOT = Path(__file__).parent.parent
BROKEN = ROOT / "samples" / "broken-site.tgz"
HEALTHY = ROOT / "samples" / "healthy.tgz"


def run(*arguments: object) -> Result:
    """Run the program in this process."""
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


def test_a_site_with_faults_ends_with_1(tmp_path: Path) -> None:
    result = run(BROKEN, "-o", tmp_path / "out", "--format", "json,html")
    assert result.exit_code == Exit.FINDINGS
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".runai-analyze.json", "report.html", "report.json"]
    assert str(tmp_path / "out" / "report.html") in result.stderr


def test_a_healthy_site_ends_with_0(tmp_path: Path) -> None:
    assert run(HEALTHY, "-o", tmp_path, "--format", "json").exit_code == Exit.CLEAN


def test_fail_on_never(tmp_path: Path) -> None:
    assert run(BROKEN, "-o", tmp_path, "--format", "json", "--fail-on", "never").exit_code == Exit.CLEAN


def test_strict_makes_unknown_answers_count(tmp_path: Path) -> None:
    result = run(ROOT / "samples" / "pre-install.tgz", "-o", tmp_path, "--format", "json", "--fail-on", "never", "--strict")
    assert json.loads((tmp_path / "report.json").read_bytes())["counts"]["unknown"] > 0
    assert result.exit_code == Exit.INCOMPLETE


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    result = run(HEALTHY, "-o", tmp_path, "--format", "json", "--quiet")
    assert (result.output, result.stderr) == ("", "")


def test_the_option_beats_the_bundle_and_the_report_says_so(tmp_path: Path) -> None:
    run(HEALTHY, "-o", tmp_path, "--format", "json", "--runai-version", "2.24")
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["checklist"]["release"] == "2.24"
    assert any("2.24" in note and "2.25" in note for note in report["notes"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "docx"], "'docx' is none of html, pdf, json"),
        (["--planned", "gpu"], "'gpu' is none of inference, distributed, autoscaling, mpi"),
        (["--runai-version", "latest"], "'latest' is not a version such as 2.25"),
        (["--fail-on", "bad"], "'bad' is not one of"),
    ],
)
def test_usage(arguments: list[str], words: str) -> None:
    result = run(BROKEN, *arguments)
    assert result.exit_code == Exit.USAGE
    assert words in result.stderr


def test_a_missing_bundle_is_one_line(tmp_path: Path) -> None:
    result = run(tmp_path / "none.tgz", "-o", tmp_path / "out")
    assert result.exit_code == Exit.BUNDLE
    assert result.stderr.count("\n") == 1
    assert "none.tgz" in result.stderr


def test_wrong_rules_show_every_line(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text('name: site\nversion: 1.0.0\nengine: ">=0.1"\nchangelog: [first]\n')
    (tmp_path / "SITE-X-001.yaml").write_text("id: SITE-X-001\ntitel: wrong\n")
    result = run(BROKEN, "--rules", tmp_path, "-o", tmp_path / "out")
    assert result.exit_code == Exit.RULES
    assert "SITE-X-001.yaml:2:1" in result.stderr
    assert "title" in result.stderr


def test_without_pango_the_html_still_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render = cli.render

    def no_pdf(report: Report, name: str) -> bytes:
        if name == "pdf":
            raise PdfUnavailable("Pango is missing", "apt-get install libpango-1.0-0")
        return render(report, name)

    monkeypatch.setattr(cli, "render", no_pdf)
    result = run(HEALTHY, "-o", tmp_path)
    assert result.exit_code == Exit.INCOMPLETE
    assert "runai-analyze: no PDF: Pango is missing (apt-get install libpango-1.0-0)" in result.stderr
    assert (tmp_path / "report.html").is_file()


def test_a_strangers_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("mine")
    result = run(HEALTHY, "-o", tmp_path, "--format", "json")
    assert result.exit_code == Exit.USAGE
    assert (tmp_path / "report.json").read_text() == "mine"


@pytest.mark.parametrize(("name", "stem"), [("a/b.tgz", "b"), ("b.tar.gz", "b"), ("b.tar", "b"), (".tgz", "bundle")])
def test_the_folder_is_named_after_the_bundle(name: str, stem: str) -> None:
    assert cli.bundle_stem(Path(name)) == stem


def test_one_line_holds_message_and_hint() -> None:
    assert cli.one_line(UserError("broken", "mend it")) == "broken (mend it)"


def test_a_rule_that_breaks_is_seen_and_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = run_module.RuleRun._expect_of

    def broken(self: run_module.RuleRun, item: Item, selected: Answer) -> None:
        if self.rule.id == "RAI-NOD-009":
            raise ZeroDivisionError("a bug of ours")
        judge(self, item, selected)

    monkeypatch.setattr(run_module.RuleRun, "_expect_of", broken)
    result = run(HEALTHY, "-o", tmp_path, "--format", "json,html")
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert result.exit_code == Exit.INCOMPLETE
    assert [outcome["rule"] for outcome in report["outcomes"] if outcome["status"] == "error"] == ["RAI-NOD-009"]
    assert report["counts"]["pass"] > 50
    assert "ZeroDivisionError" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("formats", ["", ","])
def test_no_format_is_a_mistake(formats: str) -> None:
    assert run(HEALTHY, "--format", formats).exit_code == Exit.USAGE


def test_a_bad_bundle_leaves_no_folder(tmp_path: Path) -> None:
    assert run(tmp_path / "none.tgz", "-o", tmp_path / "out").exit_code == Exit.BUNDLE
    assert not (tmp_path / "out").exists()


def test_what_a_terminal_would_obey_is_spelled_out(tmp_path: Path) -> None:
    bundle = tmp_path / "a\x1b[2J\u202eb\n.tgz"
    bundle.write_bytes(b"")
    result = run(bundle, "-o", tmp_path / "out")
    assert result.stderr.count("\n") == 1
    assert r"a‹U+001B›[2J‹U+202E›b\n.tgz" in result.stderr
    assert cli.bundle_stem(bundle) == "a_[2J_b_"


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), Exit.INTERRUPTED), (ZeroDivisionError("oh"), Exit.INCOMPLETE)])
def test_a_crash_is_no_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException, code: Exit) -> None:
    def broken(job: cli.Job, *rest: object) -> Exit:
        raise error

    monkeypatch.setattr(cli, "run", broken)
    result = run(HEALTHY, "-o", tmp_path)
    assert result.exit_code == code
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("lost", ["2>&-", "2>/dev/full", "1>&- 2>&-"])
def test_lost_output_never_matters(tmp_path: Path, lost: str) -> None:
    code = "from runai_analyze.cli import main; main()"
    command = f'"{sys.executable}" -c "{code}" "{HEALTHY}" -o "{tmp_path}" --format json {lost}'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == Exit.CLEAN
    assert (tmp_path / "report.json").is_file()


def test_explain_runs_no_rule_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--explain-bundle", BROKEN)
    assert result.exit_code == Exit.CLEAN
    assert result.stdout.startswith("broken-site.tgz: a bundle of runai-collect, format 1 (runai-collect 0.1.0), made 2026-")
    assert list(tmp_path.iterdir()) == []


def test_explain_as_json() -> None:
    found = json.loads(run("--explain-bundle", BROKEN, "--format", "json").stdout)
    assert (found["cluster"], found["kinds"]["Node"], found["parts"][0]["file"]) == ("acme-gpu", 10, "broken-site.tgz")


def test_explain_lets_no_name_command_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "pod.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod\x1b[2J", "metadata": {"name": "a", "namespace": "n\x1b]0;x"}}))
    result = run("--explain-bundle", tmp_path)
    assert result.exit_code == Exit.CLEAN
    assert "\x1b" not in result.stdout


def test_convert_writes_one_file_and_says_so(tmp_path: Path) -> None:
    result = run("--convert", tmp_path / "out.tgz", BROKEN)
    assert (result.exit_code, [path.name for path in tmp_path.iterdir()]) == (Exit.CLEAN, ["out.tgz"])
    assert f"{tmp_path / 'out.tgz'}: 108 files, " in result.stderr


def test_convert_never_replaces(tmp_path: Path) -> None:
    (tmp_path / "out.tgz").write_text("mine")
    result = run("--convert", tmp_path / "out.tgz", tmp_path / "none.tgz")
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.USAGE, 1)
    assert "is not replaced" in result.stderr
    assert (tmp_path / "out.tgz").read_text() == "mine"


def test_explain_and_convert_exclude_each_other(tmp_path: Path) -> None:
    assert run("--explain-bundle", "--convert", tmp_path / "out.tgz", BROKEN).exit_code == Exit.USAGE


def test_bundles_of_two_clusters_are_refused_by_what_tells_them_apart(tmp_path: Path) -> None:
    result = run(BROKEN, HEALTHY, "-o", tmp_path / "out", "--format", "json")
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.BUNDLE, 1)
    assert "broken-site.tgz and healthy.tgz are of two clusters: " in result.stderr


def test_a_bundle_and_loose_files_of_its_cluster_become_one(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "more", "namespace": "runai"}}
    (tmp_path / "more" / "quota.json").write_text(json.dumps(quota))
    result = run(HEALTHY, tmp_path / "more", "-o", tmp_path / "out", "--format", "json")
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert result.exit_code == Exit.CLEAN
    assert report["notes"][:2] == [
        "2 bundles were read as one: healthy.tgz, more. Of what stands in more than one of them the newest counts.",
        "Nothing in more tells of which cluster it is: that it is of this one is taken from you.",
    ]


def test_standard_input() -> None:
    result = CliRunner().invoke(cli.main, ["--explain-bundle", "-"], input=HEALTHY.read_bytes())
    assert result.stdout.startswith("standard input: a bundle of runai-collect, format 1 ")
