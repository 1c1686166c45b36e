"""What is said at the end."""

import json

import pytest
from runai_collect import layout
from runai_collect.as_json import summary_json
from runai_collect.summary import incomplete, summary_text
from runai_collect.writer import Hit, Step, Totals

TOTALS = Totals(2_345_678, "ab" * 32, 42)


def said(*steps: Step, state: str = "complete", hits: tuple[Hit, ...] = (), blocked: bool = False) -> str:
    return summary_text("b.tgz", TOTALS, state, list(steps), list(hits), blocked, "python3 x.pyz")


def test_a_complete_bundle() -> None:
    text = said(
        Step("list:core/v1/pods", "GET", "cluster", "ok", objects=12), Step("nvidia-smi:n1", "exec", "node", "ok", objects=1)
    )
    assert "12 objects, nvidia-smi of 1 node, 0 logs" in text
    assert "nothing that was asked for" in text
    assert "2.3 MB, 42 files, SHA-256 " + "ab" * 32 in text
    assert "Nothing was sent anywhere" in text
    assert "the right to" not in text


def test_refusals_of_one_sort_stand_on_one_line() -> None:
    whole = [Step(f"list:core/v1/{name}", "GET", "cluster", "forbidden", 403, name) for name in (*"abcdef", "pods", "nodes")]
    some = [
        Step(f"list:apps/v1/{kind}@{place}", "GET", "namespace", "forbidden", 403, place, namespace=place)
        for kind in ("deployments", "x")
        for place in ("runai", "team", "a")
    ]
    names = [Step(f"secrets@{place}", "GET", "namespace", "forbidden", 403, "no") for place in ("runai", "team")]
    assert [line for line in said(*whole, *some, *names).splitlines() if "refused" in line] == [
        "  refused: 8 kinds in the whole cluster: nodes, pods, a, b, c, d and 2 more",
        "  refused: 2 kinds in 3 namespaces (a, runai, team): deployments, x",
        "  refused: names of Secrets in 2 namespaces: runai, team",
    ]


def test_who_was_refused_something_is_told_what_rights_it_takes() -> None:
    text = said(Step("log:runai/a/main", "GET", "namespace", "forbidden", 403, "no"))
    assert "  refused: 1 log: runai/a/main\n" in text
    assert "list every kind in the whole cluster, get pods/log and create pods/exec" in text


def test_what_was_left_out_says_why_and_is_not_missing() -> None:
    text = said(
        Step("list:core/v1/pods", "GET", "cluster", "skipped", message="restricted to namespaces runai"),
        Step("list:core/v1/pods@runai", "GET", "namespace", "ok", objects=2, namespace="runai"),
        Step("nvidia-smi:n1", "exec", "node", "skipped", message="restricted to namespaces runai"),
        Step("logs@gpu-operator", "GET", "namespace", "skipped", message="others of the same workload were read"),
        Step("logs@runai", "GET", "namespace", "skipped", message="others of the same workload were read"),
        Step("certificates", "GET", "cluster", "skipped", message="--no-certificates"),
    )
    missing, left_out = text.split("Left out:\n")
    assert missing.endswith("Missing: nothing that was asked for.\n")
    assert left_out.splitlines()[:4] == [
        "  certificates (--no-certificates)",
        "  1 kind of other namespaces: pods (restricted to namespaces runai)",
        "  logs of more pods in 2 namespaces: gpu-operator, runai (others of the same workload were read)",
        "  nvidia-smi on 1 node: n1 (restricted to namespaces runai)",
    ]


def test_a_node_that_nobody_could_be_asked_on_is_missing() -> None:
    text = said(Step("nvidia-smi:n1", "exec", "node", "not_found", message="no running pod on this node has nvidia-smi"))
    assert "  nobody to ask: nvidia-smi on 1 node: n1 (no running pod on this node has nvidia-smi)\n" in text


def test_what_the_deadline_cut_off_is_missing() -> None:
    text = said(Step("list:core/v1/pods", "GET", "cluster", "skipped", message="deadline"), state="deadline")
    assert "  not reached: 1 kind in the whole cluster: pods (deadline)\n" in text


def test_what_failed_says_why() -> None:
    assert "failed: nvidia-smi on 1 node: n1 (boom)" in said(Step("nvidia-smi:n1", "exec", "node", "error", None, "boom"))


def test_a_bundle_that_was_cut_says_so() -> None:
    assert "not complete (interrupted)" in said(state="interrupted")


def test_a_blocked_bundle_names_the_place_and_never_the_secret() -> None:
    text = said(hits=(Hit("logs/a.log", "jwt"),), blocked=True)
    assert "  logs/a.log: jwt" in text
    assert "--keep-despite-scan" in text


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("ok", False),
        ("empty", False),
        ("not_found", False),
        ("skipped", False),
        ("forbidden", True),
        ("timeout", True),
        ("error", True),
        ("truncated", True),
    ],
)
def test_what_makes_a_bundle_incomplete(status: str, expected: bool) -> None:
    assert incomplete([Step("x", "GET", "cluster", status)]) is expected


LEFT_OUT = "left out on request: objects of the namespaces team-a (--exclude)"


def test_what_was_excluded_is_left_out_and_not_missing() -> None:
    steps = [
        Step("list:core/v1/pods", "GET", "cluster", "truncated", 200, LEFT_OUT, objects=3),
        Step("list:core/v1/events", "GET", "cluster", "skipped", message="left out on request: --exclude events"),
        Step("log:team-a/p/main", "GET", "namespace", "skipped", message="left out on request: --exclude logs/team-*"),
    ]
    assert not incomplete(steps)
    assert said(*steps).split("Left out:\n")[1].splitlines()[:3] == [
        "  1 kind in the whole cluster: events (left out on request: --exclude events)",
        f"  {LEFT_OUT.partition(': ')[2]}: 1 kind: pods",
        "  1 log: team-a/p/main (left out on request: --exclude logs/team-*)",
    ]


ODD = [
    Step(
        f"list:core/v1/{name}", "GET", "cluster", "truncated", 200, f"9 {layout.ODD}{', '.join(f'X {name}{n}' for n in range(4))}"
    )
    for name in ("pods", "nodes")
]


def rows(*steps: Step) -> list[str]:
    return [line for line in said(*steps).splitlines() if line.startswith("  ") and "To read all" not in line]


def test_what_lacks_objects_of_some_namespaces_is_not_said_to_be_left_out_whole() -> None:
    steps = [Step(f"list:core/v1/{name}", "GET", "cluster", "truncated", 200, LEFT_OUT) for name in ("pods", "namespaces")]
    assert rows(*steps, Step("helm", "GET", "cluster", "truncated", 200, LEFT_OUT)) == [
        "  objects of the namespaces team-a (--exclude): Helm releases of the whole cluster",
        "  objects of the namespaces team-a (--exclude): 2 kinds: namespaces, pods",
    ]


def test_what_is_of_other_namespaces_is_one_line_without_names() -> None:
    words = "restricted to namespaces runai"
    steps = [Step(f"certificate:{name}", "GET", "namespace", "skipped", message=words) for name in ("a/x", "b/y", "c/z", "d/z")]
    assert rows(*steps, Step("secrets", "GET", "cluster", "skipped", message=words)) == [
        f"  4 certificates of other namespaces ({words})",
        f"  names of Secrets of other namespaces ({words})",
    ]


def test_many_logs_are_counted_by_namespace() -> None:
    names = [f"{space}/pod-{number}/main" for space in ("runai", "gpu-operator") for number in range(34)]
    steps = [Step(f"log:{name}", "GET", "namespace", "skipped", message="deadline") for name in names]
    assert rows(*steps) == ["  not reached: 68 logs: gpu-operator 34, runai 34 (deadline)"]


@pytest.mark.parametrize(
    ("message", "row"),
    [
        ("its share of the deadline", "not reached: nvidia-smi on 1 node: n1 (its share of the deadline)"),
        (
            "not all pods were read: its share of --max-size",
            "not reached: nvidia-smi on 1 node: n1 (not all pods were read: its share of --max-size)",
        ),
        ("not all pods were read", "nvidia-smi on 1 node: n1 (not all pods were read)"),
        ("restricted to namespaces deadline", "nvidia-smi on 1 node: n1 (restricted to namespaces deadline)"),
    ],
)
def test_what_a_limit_took_is_not_reached(message: str, row: str) -> None:
    assert rows(Step("nvidia-smi:n1", "exec", "node", "skipped", message=message)) == ["  " + row]


def test_what_had_no_room_names_the_option() -> None:
    words = "no room was left for it: --max-size"
    assert rows(Step("logs", "GET", "cluster", "truncated", message=words)) == [f"  cut: logs ({words})"]


@pytest.mark.parametrize("status", ["error", "skipped", "truncated", "timeout"])
def test_a_row_is_one_line_whatever_its_message(status: str) -> None:
    text = said(Step("nvidia-smi:n1", "exec", "node", status, message="one\n two\r\n\tthree"))
    assert "n1 (one two three)\n" in text


def test_how_to_look_inside_is_said_as_it_can_be_typed() -> None:
    text = summary_text("my b.tgz", TOTALS, "complete", [], [], False, "python3 x.pyz")
    assert text.endswith("To look inside: python3 x.pyz inspect 'my b.tgz'")


def test_a_wish_that_fits_nothing_is_told() -> None:
    step = Step("wish:--exclude logs/x", "", "cluster", "skipped", message="nothing that was read fits it")
    assert rows(step) == ["  1 option: --exclude logs/x (nothing that was read fits it)"]


def test_up_to_five_odd_objects_are_named() -> None:
    (line,) = [line for line in said(*ODD).splitlines() if "odd shape, or not to be redacted" in line]
    assert line.endswith("redacted: X nodes0, X nodes1, X nodes2, X nodes3, X pods0 and 3 more")


def test_the_summary_for_programs() -> None:
    steps = [
        Step("list:core/v1/pods", "GET", "cluster", "ok", objects=12),
        Step("list:core/v1/nodes", "GET", "cluster", "forbidden", 403, "no"),
        Step("logs", "GET", "cluster", "skipped", message="--no-logs"),
        ODD[1],
    ]
    found = summary_json("b.tgz", TOTALS, "complete", steps, [Hit("logs/a.log", "jwt")], 4)
    assert json.loads(json.dumps(found)) == {
        "bundle": "b.tgz",
        "bytes": 2_345_678,
        "sha256": "ab" * 32,
        "files": 42,
        "state": "complete",
        "exit_code": 4,
        "objects": 12,
        "steps": {"ok": 1, "forbidden": 1, "skipped": 1, "truncated": 1},
        "missing": [
            {
                "why": "cut",
                "what": "1 kind in the whole cluster: nodes (9 objects were of an odd shape or could not be redacted, and were "
                "left out)",
            },
            {"why": "refused", "what": "1 kind in the whole cluster: nodes"},
        ],
        "left_out": [{"why": "left out", "what": "logs (--no-logs)"}],
        "odd": ["X nodes0", "X nodes1", "X nodes2", "X nodes3"],
        "hits": [{"member": "logs/a.log", "shape": "jwt"}],
    }


@pytest.mark.parametrize("status", ["timeout", "error", "not_found"])
def test_an_endpoint_that_does_not_answer_is_found_and_not_missing(status: str) -> None:
    """A site without a way to the internet that probes has a complete bundle."""
    probe = Step("probe:quay.io:443", "HEAD https://quay.io:443/", "host", status, message="tcp: no answer in time")
    assert "Missing: nothing that was asked for." in said(probe)
    assert incomplete([probe]) is False
