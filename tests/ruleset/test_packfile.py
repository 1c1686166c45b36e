"""pack.yaml: name, version, range of the program, and what must be collected; the collector itself judges the last."""

import json
from pathlib import Path

import pytest
from runai_analyze.authoring.pack import collect_plan, plan_text
from runai_analyze.ruleset.archive import read_files
from runai_analyze.ruleset.packs import read_pack_head
from runai_collect.planfile import read_plan_file

from tests.ruleset.sites import ACME, printed, write_site

COLLECT = """\
collect:
  kinds: [{group: acme.example, plural: widgets, version: v1, kind: Widget, namespaced: true}]
  groups: more.acme.example
  configmaps: [acme-system/settings-*]
  logs: [{namespace: acme-*, pod: api-*}]
"""


def test_the_head_of_a_pack(tmp_path: Path) -> None:
    head = read_pack_head(read_files(write_site(tmp_path, pack=ACME.replace("[first]", "[first, second]"))[1]))
    assert (head.name, head.version, head.engine, head.changelog) == ("acme", "1.2", ">=0.1", ("first", "second"))
    assert (str(head), dict(head.collect), head.fits) == ("acme 1.2", {}, True)


def test_what_is_to_be_collected_is_a_plan_file_of_the_collector(tmp_path: Path) -> None:
    site = write_site(tmp_path, pack=ACME + COLLECT)[1]
    plan = tmp_path / "plan.json"
    plan.write_text(plan_text(collect_plan([site, site])))
    extra = read_plan_file(str(plan))
    assert [kind.plural for kind in extra.kinds] == ["widgets"]
    assert (extra.kinds[0].namespaced, extra.groups) == (True, ("more.acme.example",))
    assert (extra.configmaps, extra.logs) == (("acme-system/settings-*",), ("acme-*/api-*",))
    assert json.loads(plan.read_text())["kinds"][0]["kind"] == "Widget"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("plural: widgets", "plural: Widgets", "6:11: collect the collector does not take this: plural: 'Widgets' is none"),
        ("acme-system/settings-*", "'*/*'", "8:16: collect the collector does not take this: */* would take those of every team"),
        ("pod: api-*", "pods: api-*", '9:30: unknown-key "pods" is no key of a collected log; did you mean "pod"?'),
        ("namespaced: true", "namespaced: maybe", "6:89: wrong-type namespaced must be true or false"),
        ("  groups: ", "  group: ", '7:3: unknown-key "group" is no key of collect; did you mean "groups"?'),
        ("acme.example, plural: widgets", "'', plural: secrets", "6:11: collect the collector does not take this: secrets are"),
        ("more.acme.example", "apps", "7:11: collect the collector does not take this: "),
    ],
)
def test_what_the_collector_would_refuse_is_a_mistake_at_its_place(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in COLLECT
    said = printed(tmp_path, pack=ACME + COLLECT.replace(right, wrong, 1))
    assert any(line.startswith(f"pack.yaml:{message}") for line in said), said


def test_no_more_entries_than_the_collector_takes(tmp_path: Path) -> None:
    many = ", ".join(f"g{number}.acme.example" for number in range(201))
    (said,) = printed(tmp_path, pack=f"{ACME}collect:\n  groups: [{many}]\n")
    assert said.startswith("pack.yaml:6:11: collect groups has 201 entries; the collector takes at most 200")
