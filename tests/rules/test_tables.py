"""The tables of the pack say what the vendor's pages say."""

import pytest
import yaml
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.objects.versions import VersionRange, parse_range, parse_version
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.rule import Cell

from tests.rules import figures

PACK = load_packs([default_pack()])
RELEASES = ("2.5", *(f"2.{minor}" for minor in range(7, 27)), "3.0")
ENDS = [
    (column, release, *ends)
    for column, pages in (
        ("kubernetes", figures.KUBERNETES),
        ("openshift", figures.OPENSHIFT),
        ("gpu_operator", figures.GPU_OPERATOR),
        ("knative", figures.KNATIVE),
    )
    for release, ends in pages.items()
]


def cell(table: str, release: str, column: str) -> Cell:
    return PACK.tables[table].rows[release][column]


def allowed(release: str, column: str) -> VersionRange:
    value = cell("support-matrix", release, column).value
    assert isinstance(value, str)
    return parse_range(value)


def above(version: str) -> str:
    """The next version of the last number that is written: 1.28 → 1.29."""
    *first, last = version.split(".")
    return ".".join((*first, str(int(last) + 1), "0"))


def below(version: str) -> str:
    *first, last = version.split(".")
    return ".".join((*first, str(int(last) - 1), "99"))


@pytest.mark.parametrize(("column", "release", "lowest", "highest"), ENDS)
def test_a_range_begins_and_ends_where_the_page_says(column: str, release: str, lowest: str | None, highest: str) -> None:
    found = allowed(release, column)
    assert found.contains(parse_version(highest))
    assert found.contains(parse_version(f"{highest}.99"))
    assert not found.contains(parse_version(above(highest)))
    if lowest is not None:
        assert found.contains(parse_version(f"{lowest}.0"))
        assert not found.contains(parse_version(below(lowest)))


@pytest.mark.parametrize(("release", "column", "version", "inside"), figures.SINGLE)
def test_a_version_is_in_or_out_as_the_page_says(release: str, column: str, version: str, inside: bool) -> None:
    assert allowed(release, column).contains(parse_version(version)) is inside


@pytest.mark.parametrize(("release", "column"), figures.UNKNOWN)
def test_what_nobody_states_is_unknown(release: str, column: str) -> None:
    found = cell("support-matrix", release, column)
    assert (found.value, found.confidence) == (None, "unknown")


@pytest.mark.parametrize(("release", "column", "confidence"), figures.CONFIDENCE)
def test_a_doubtful_source_is_marked_as_one(release: str, column: str, confidence: str) -> None:
    assert cell("support-matrix", release, column).confidence == confidence


@pytest.mark.parametrize("name", sorted(PACK.tables))
def test_every_cell_has_its_source(name: str) -> None:
    table = PACK.tables[name]
    assert tuple(table.rows) == RELEASES
    for release, row in table.rows.items():
        assert set(row) == set(table.columns), release
        assert [column for column, one in row.items() if not one.source] == [], release


@pytest.mark.parametrize("name", sorted(PACK.tables))
def test_a_table_is_written_in_the_order_of_the_releases_without_a_release_twice(name: str) -> None:
    text = (default_pack() / "tables" / f"{name}.yaml").read_text()
    written = [line.strip().rstrip(":").strip('"') for line in text.splitlines() if line.startswith('  "')]
    assert tuple(written) == RELEASES
    assert list(yaml.safe_load(text)["rows"]) == written


@pytest.mark.parametrize(("release", "wanted"), figures.SYSTEM_NODES.items())
def test_system_nodes_are_as_large_as_the_page_says(release: str, wanted: tuple[int, int, int]) -> None:
    cpu, memory, disk = (parse_quantity(cell("sizes", release, f"system_{name}").value) for name in ("cpu", "memory", "disk"))
    assert (cpu, memory / 2**30, disk / 10**9) == wanted


@pytest.mark.parametrize(("release", "wanted"), figures.WORKER_NODES.items())
def test_workers_are_as_large_as_the_page_says(release: str, wanted: tuple[int, int]) -> None:
    cpu, memory = (parse_quantity(cell("sizes", release, f"worker_{name}").value) for name in ("cpu", "memory"))
    assert (cpu, memory / 2**30) == wanted


@pytest.mark.parametrize("release", ["2.5", "2.13", "2.17", "2.18"])
def test_earlier_pages_state_no_size_of_workers(release: str) -> None:
    assert cell("sizes", release, "worker_cpu").value is None


@pytest.mark.parametrize(("release", "wanted"), figures.SYSTEM_NODE_COUNT.items())
def test_there_are_as_many_system_nodes_as_the_page_says(release: str, wanted: int) -> None:
    assert parse_quantity(cell("sizes", release, "system_count").value) == wanted


def test_the_control_plane_asks_for_110_gb_of_disk_since_2_9() -> None:
    assert [cell("sizes", release, "control_plane_disk").value for release in ("2.7", "2.9", "2.18", "2.25")] == [
        None,
        "110G",
        "110G",
        "110G",
    ]
    assert (cell("sizes", "2.19", "control_plane_cpu").value, cell("sizes", "2.19", "control_plane_memory").value) == (
        "10",
        "12Gi",
    )


def flags(release: str, column: str) -> set[str]:
    named, on_by_default = (
        cell("knative-flags", release, column).value,
        cell("knative-flags", release, "flags_on_by_default").value,
    )
    return {*(named or ()), *(on_by_default or ())}


def test_the_knative_flags_are_those_of_the_page() -> None:
    assert flags("2.5", "flags") == {"kubernetes.podspec-schedulername"}
    assert flags("2.13", "flags") == figures.FLAGS_2_13
    assert flags("2.20", "flags") == figures.FLAGS_2_20
    assert flags("2.25", "flags") == figures.FLAGS_2_25
    assert flags("2.25", "flags_openshift") == figures.FLAGS_2_25_OPENSHIFT


def test_the_distributions_are_those_of_the_page() -> None:
    assert set(cell("distributions", "2.25", "listed").value or ()) == figures.DISTRIBUTIONS_2_25
    assert {"bcm", "tanzu", "rke1"} <= set(cell("distributions", "2.13", "listed").value or ())
    listed = {name for row in PACK.tables["distributions"].rows.values() for name in row["listed"].value or ()}
    assert listed & figures.NEVER_LISTED == set()


def test_platforms_are_those_of_the_page() -> None:
    assert cell("platforms", "2.13", "gke_os").value == ("ubuntu",)
    assert cell("platforms", "2.19", "gke_os").value == ("ubuntu", "cos")
    assert cell("platforms", "2.19", "architectures").value == ("amd64",)
    assert cell("platforms", "2.21", "architectures").value is None
    assert cell("platforms", "2.22", "architectures").value == ("amd64", "arm64")
    assert cell("platforms", "2.22", "architectures_openshift").value == ("amd64",)
    assert cell("platforms", "2.25", "architectures_openshift").value == ("amd64", "arm64")
    assert cell("platforms", "2.20", "runtimes").value == ("containerd", "cri-o")
    assert cell("platforms", "2.25", "eks_os_refused").value == ("bottlerocket", "amazon-linux")
    assert cell("platforms", "2.20", "eks_os_refused").value is None


def test_pod_security_and_secret_names_change_with_the_release() -> None:
    assert cell("pod-security", "2.14", "projects_openshift").value == ("privileged",)
    assert "restricted" in (cell("pod-security", "2.15", "projects_openshift").value or ())
    assert cell("pod-security", "2.25", "projects").value == ("privileged",)
    assert (cell("secrets", "2.15", "registry").value, cell("secrets", "2.16", "registry").value) == (
        "gcr-secret",
        "runai-reg-creds",
    )
