"""What lint found, as JSON, SARIF and workflow commands of GitHub."""

import json
from pathlib import Path

from runai_analyze.authoring.lint import as_github, as_json, as_sarif, as_text
from runai_analyze.ruleset.codes import CODES
from runai_analyze.ruleset.mistakes import Mistake

ERROR = Mistake("rules/a b.yaml", 3, 11, "wrong-word", 'severity is "x: 100%",\nmust be one of high', "severity: x")
WARNING = Mistake("rules/b.yaml", 7, 10, "stale", "nobody has changed this rule", "changed: 2020-01-01")
NOTE = Mistake("/elsewhere/c,d.yaml", 1, 1, "unchecked-kind", "not checked")
FOUND = (ERROR, WARNING, NOTE)
HERE = Path("/home/me")


def test_text() -> None:
    assert as_text((ERROR, NOTE)) == (
        'rules/a b.yaml:3:11: wrong-word severity is "x: 100%",\nmust be one of high\n    severity: x\n              ^\n'
        "/elsewhere/c,d.yaml:1:1: note: unchecked-kind not checked"
    )


def test_json_has_every_field() -> None:
    rows = json.loads(as_json(FOUND))
    assert rows[0] == {
        "file": "rules/a b.yaml",
        "line": 3,
        "column": 11,
        "level": "error",
        "code": "wrong-word",
        "message": 'severity is "x: 100%",\nmust be one of high',
        "source": "severity: x",
    }
    assert [row["level"] for row in rows] == ["error", "warning", "note"]
    assert json.loads(as_json(())) == []


def test_json_holds_nothing_that_drives_a_terminal() -> None:
    assert as_json((Mistake("a\x1b\u202e.yaml", 1, 1, "no-file", "x"),)).isascii()


def test_workflow_commands_are_escaped() -> None:
    """The escapes are those of actions/toolkit: % CR LF in a message, and also : and , in a property."""
    assert as_github(FOUND, HERE).split("\n") == [
        '::error file=rules/a b.yaml,line=3,col=11,title=wrong-word::severity is "x: 100%25",%0Amust be one of high',
        "::warning file=rules/b.yaml,line=7,col=10,title=stale::nobody has changed this rule",
        "::notice file=/elsewhere/c%2Cd.yaml,line=1,col=1,title=unchecked-kind::not checked",
    ]


def test_a_file_below_is_named_by_its_way_from_here() -> None:
    inside = Mistake("/home/me/rules/x.yaml", 1, 1, "empty", "the file is empty")
    assert as_github((inside,), HERE).startswith("::error file=rules/x.yaml,")


def test_sarif() -> None:
    """SARIF 2.1.0, 3.13 to 3.52: what is required of a log, a run, a tool, a rule, a result and a place."""
    log = json.loads(as_sarif(FOUND, HERE, "1.2"))
    assert (log["version"], log["$schema"].rpartition("/")[2]) == ("2.1.0", "sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"], run["columnKind"]) == ("runai-rules lint", "1.2", "unicodeCodePoints")
    assert [rule["id"] for rule in driver["rules"]] == [code.name for code in CODES]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
    assert {rule["defaultConfiguration"]["level"] for rule in driver["rules"]} == {"error", "warning", "note"}
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    for result, mistake in zip(run["results"], FOUND, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == mistake.code
        assert result["message"] == {"text": mistake.message}
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "rules/a%20b.yaml",
        "rules/b.yaml",
        "file:///elsewhere/c%2Cd.yaml",
    ]
    assert places[0]["region"] == {"startLine": 3, "startColumn": 11, "snippet": {"text": "severity: x"}}
    assert places[2]["region"] == {"startLine": 1, "startColumn": 1}


def test_a_code_that_the_table_lacks_has_no_index() -> None:
    (result,) = json.loads(as_sarif((Mistake("x", 1, 1, "new-code", "y"),), HERE, "1"))["runs"][0]["results"]
    assert (result["ruleId"], result["level"], "ruleIndex" in result) == ("new-code", "error", False)
