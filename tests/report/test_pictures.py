"""The support matrix as bands and the way of the GPUs: the numbers behind the pictures."""

import pytest
from runai_analyze.model import GpuNodeRow, ReleaseFit
from runai_analyze.report.bands import matrix
from runai_analyze.report.gpus import first_gap, gpu_view
from runai_analyze.report.grid import grid

from .sample import gpus, releases


def fit(release: str, wanted: str, found: str = "1.33", component: str = "kubernetes") -> ReleaseFit:
    return ReleaseFit(release, "yes", ((component, found, wanted, "yes"),))


def test_bands_lie_on_one_axis() -> None:
    picture = matrix([fit("2.25", "1.33 - 1.35"), fit("2.22", "1.31 - 1.33")])
    assert picture is not None
    assert [label for label, _, _ in picture.ticks] == ["1.31", "1.32", "1.33", "1.34", "1.35"]
    assert [(band.left, band.width) for band in picture.bands] == [(40.0, 60.0), (0.0, 60.0)]
    assert (picture.here, picture.here_label) == (50.0, "1.33")


@pytest.mark.parametrize("wanted", [">=1.31 <=1.33", "1.31.0 – 1.33.9", "≥ 1.31, ≤ 1.33", "1.31 to 1.33"])
def test_ranges_are_read_as_people_write_them(wanted: str) -> None:
    picture = matrix([fit("2.22", wanted)])
    assert picture is not None
    assert [label for label, _, _ in picture.ticks] == ["1.31", "1.32", "1.33"]


def test_a_range_that_is_not_stated_has_no_band() -> None:
    picture = matrix([fit("2.26", "", "1.40"), fit("2.25", "1.33 - 1.35", "1.40")])
    assert picture is not None
    assert picture.bands[0].left is None
    assert [label for label, _, _ in picture.ticks][-1] == "1.40"


def test_openshift_has_its_own_axis() -> None:
    picture = matrix([fit("2.25", "4.17 - 4.20", "4.18.3", "openshift")])
    assert picture is not None
    assert (picture.component, picture.here_label) == ("openshift", "4.18")


def test_without_ranges_there_is_no_picture() -> None:
    assert matrix([]) is None
    assert matrix([fit("2.26", "")]) is None


def test_a_range_from_a_hostile_table_stays_small() -> None:
    picture = matrix([fit("2.25", "1.1 - 1.999"), fit("2.24", "1.1 - 99999999.9")])
    assert picture is not None
    assert len(picture.ticks) < 61


def test_the_first_gap_of_a_row_is_marked_and_the_rest_is_its_consequence() -> None:
    view = gpu_view(gpus(), 100)
    assert view is not None
    lines = {line.row.node: line for line in view.lines}
    assert [cell.kind for cell in lines["gpu-06"].cells] == ["", "gap", "after", "after", "after", "after", "after"]
    assert [cell.value for cell in lines["gpu-08"].cells] == ["4", "?", "?", "4", "4", "4", "1"]
    assert [cell.kind for cell in lines["gpu-01"].cells] == [""] * 7


def test_sums_say_what_was_not_seen() -> None:
    view = gpu_view(gpus(), 100)
    assert view is not None
    assert [cell.value for cell in view.sums] == ["32", "24 + ?", "24 + ?", "32", "28", "27", "14"]
    assert view.say == (
        "8 GPU nodes, 27 GPUs of 28 allocatable: 2 nodes lose GPUs on the way and 1 node was not seen at every step."
    )


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        ("nvidia-smi fails: no capacity", "nvidia_smi"),
        ("nvidia-smi sees 3 GPUs, the label nvidia.com/gpu.count says 4", "nvidia_smi"),
        ("4 expected, capacity shows 3", "capacity"),
        ("capacity shows 4, allocatable 3", "allocatable"),
        ("labels: GPU Feature Discovery says 3", "labels"),
        ("one GPU fell off the bus", "nvidia_smi"),
        ("", ""),
    ],
)
def test_the_first_gap_is_read_from_its_words_or_its_numbers(words: str, stage: str) -> None:
    assert first_gap(GpuNodeRow("n", 4, 4, 3, 4, 4, 4, 0, gap=words)) == stage


def test_a_node_without_gpus_loses_them_where_none_is_seen_first() -> None:
    assert first_gap(GpuNodeRow("n", None, None, None, None, 0, 0, 0, gap="the node offers no GPU")) == "capacity"


def test_a_stage_that_no_node_shows_has_no_column() -> None:
    view = gpu_view([GpuNodeRow("n", None, None, 4, 4, 4, 4, 0)], 10)
    assert view is not None
    assert ([title for _, title, _ in view.stages], view.left_out) == (
        ["nvidia-smi", "Labels", "Capacity", "Allocatable", "Requested"],
        ("PCI", "Driver"),
    )


def test_rows_are_cut_and_sums_are_not() -> None:
    view = gpu_view(gpus(), 3)
    assert view is not None
    assert (len(view.lines), view.more, view.sums[0].value) == (3, 5, "32")


def test_the_sample_matrix_has_a_band_for_every_release_that_states_one() -> None:
    picture = matrix(releases())
    assert picture is not None
    assert [band.left is not None for band in picture.bands] == [False, True, True, True, True, True]


def test_the_grid_has_a_cell_for_every_component_and_release() -> None:
    table = grid(releases(), 10)
    assert table.columns == (("Kubernetes", "1.35"), ("GPU Operator", "25.10"))
    assert [(fit.release, [cell.answer for cell in cells]) for fit, cells in table.rows][:2] == [
        ("2.26", ["unknown", "yes"]),
        ("2.25", ["yes", "yes"]),
    ]


def test_the_grid_keeps_the_release_at_hand_when_it_is_cut() -> None:
    table = grid(releases(), 1)
    assert ([fit.release for fit, _ in table.rows], table.more) == (["2.26", "2.25"], 4)


def test_ranges_and_exceptions_of_a_component_share_a_cell() -> None:
    parts = (("gpu operator", "1.10.1", ">=1.9", "yes"), ("gpu operator", "1.10.1", "not 1.10", "no"))
    ((_, (cell,)),) = grid([ReleaseFit("2.9", "no", parts)], 10).rows
    assert (cell.wanted, cell.answer) == (">=1.9; not 1.10", "no")
