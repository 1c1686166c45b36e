"""The report of the pre-install diagnostics: imitated after the tool's source, which draws tables with colours in them."""

from pathlib import Path

from runai_analyze.bundle import ForeignBundle, open_bundle
from runai_analyze.bundle.formats.preinstall import checks
from runai_analyze.bundle.intake.described import NOT_SHOWN
from runai_analyze.pipeline import Options, analyze

PASS, FAIL = "\x1b[32mPASS\x1b[0m", "\x1b[31mFAIL\x1b[0m"
WIDTHS = (30, 6, 62)


def border(widths: tuple[int, ...] = WIDTHS) -> str:
    return "+" + "+".join("-" * (width + 2) for width in widths) + "+"


def row(*cells: str, widths: tuple[int, ...] = WIDTHS) -> str:
    shown = [cell.replace("\x1b[32m", "").replace("\x1b[31m", "").replace("\x1b[0m", "") for cell in cells]
    padded = [cell + " " * (width - len(bare)) for cell, bare, width in zip(cells, shown, widths, strict=True)]
    return "| " + " | ".join(padded) + " |"


def table(*rows: tuple[str, str, str], widths: tuple[int, ...] = WIDTHS) -> list[str]:
    lines = [border(widths), row("TEST NAME", "RESULT", "TEST MESSAGE", widths=widths), border(widths)]
    for name, result, message in rows:
        for place, word in enumerate(message.split("\n")):
            lines.append(row(*((name, result) if not place else ("", "")), word, widths=widths))
        lines.append(border(widths))
    return lines


NODE = "\n".join(
    table(
        ("DNS Resolve Conf", PASS, "nameserver 10.0.0.10"), ("Node Connectivity", FAIL, "failed to ping all"), widths=(18, 6, 22)
    )
)
REPORT = "\n".join(
    table(
        ("Kubernetes Cluster Version", PASS, "v1.27.3"),
        ("Ingress Controller Installed", FAIL, "an ingress controller is not installed in the cluster"),
        ("GPU Nodes", PASS, "gpu-1\ngpu-2"),
        ("Available StorageClasses", PASS, "standard (default)\nfast"),
        ("Pod List", PASS, "kube-system/coredns-1/Running\nrunai/init-0/Pending"),
        ("gpu-1", "", NODE),
    )
)


def opened(tmp_path: Path, text: str = REPORT) -> ForeignBundle:
    path = tmp_path / "runai-diagnostics.txt"
    path.write_text(text)
    bundle = open_bundle(path)
    assert isinstance(bundle, ForeignBundle)
    return bundle


def named(bundle: ForeignBundle, kind: str) -> list[str]:
    return sorted(one.body["metadata"]["name"] for one in bundle.records(None) if one.body["kind"] == kind)


def test_rows_of_several_lines_and_colours() -> None:
    found = {check.name: (check.passed, [word.strip() for word in check.words]) for check in checks(REPORT)}
    assert found["Kubernetes Cluster Version"] == (True, ["v1.27.3"])
    assert found["Ingress Controller Installed"][0] is False
    assert found["GPU Nodes"] == (True, ["gpu-1", "gpu-2"])
    assert found["gpu-1"][0] is None


def test_what_it_lists_becomes_objects_of_which_little_is_known(tmp_path: Path) -> None:
    bundle = opened(tmp_path)
    assert bundle.version == {"gitVersion": "v1.27.3", "major": "1", "minor": "27"}
    assert named(bundle, "Node") == ["gpu-1", "gpu-2"]
    assert named(bundle, "Pod") == ["coredns-1", "init-0"]
    assert named(bundle, "StorageClass") == ["fast", "standard"]
    pod = next(one.body for one in bundle.records(None) if one.body["metadata"]["name"] == "coredns-1")
    assert (pod["status"]["phase"], pod["status"]["conditions"]) == ("Running", NOT_SHOWN)


def test_what_it_asked_for_in_full_is_whole(tmp_path: Path) -> None:
    bundle = opened(tmp_path)
    assert bundle.coverage("StorageClass", "storage.k8s.io", []) == ()
    assert bundle.coverage("IngressClass", "networking.k8s.io", []) == ()  # it asked, and there is none
    assert bundle.coverage("Node", "", []) != ()
    assert bundle.coverage("Pod", "", []) != ()


def test_what_failed_stays_its_word(tmp_path: Path) -> None:
    events = [one.body for one in opened(tmp_path).records(None) if one.body["kind"] == "Event"]
    assert [(event["involvedObject"]["kind"], event["message"]) for event in events] == [
        ("Namespace", "Ingress Controller Installed: an ingress controller is not installed in the cluster"),
        ("Node", "Node Connectivity: failed to ping all"),
    ]
    assert {event["source"]["component"] for event in events} == {"preinstall-diagnostics"}


def test_the_report_says_what_failed_as_the_tools_word(tmp_path: Path) -> None:
    opened(tmp_path)
    report = analyze(tmp_path / "runai-diagnostics.txt", Options())
    (note,) = [note for note in report.notes if "own word" in note]
    assert "2 checks failed: Ingress Controller Installed: an ingress controller is not installed in the cluster; " in note
    assert "Node Connectivity (gpu-1): failed to ping all." in note


def test_a_text_without_a_table_is_a_problem(tmp_path: Path) -> None:
    bundle = opened(tmp_path, "hello\n")
    assert [problem.message for problem in bundle.info.problems] == ["no table of checks is in it"]
