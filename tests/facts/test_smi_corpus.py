"""Every real output of nvidia-smi in the corpus: what is read of it, or the problem that says why not."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.facts.nvidia_smi import parse_nvlink, parse_smi, parse_topology

TABLE: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "smi_corpus.yaml").read_text())
ROWS = [pytest.param(folder, name, row, id=f"{folder}/{name}") for folder, rows in TABLE.items() for name, row in rows.items()]
COUNTS = {
    "nvidia-smi-csv": 33,
    "nvidia-smi-errors": 8,
    "nvidia-smi-L": 30,
    "nvidia-smi-mon": 10,
    "nvidia-smi-nvlink": 6,
    "nvidia-smi-q": 23,
    "nvidia-smi-table": 38,
    "nvidia-smi-topo": 5,
    "nvidia-smi-truncated": 5,
    "nvidia-smi-version": 3,
    "nvidia-smi-xml": 18,
}


def read(corpus: Path, folder: str, name: str) -> str:
    return (corpus / folder / name).read_text(encoding="utf-8", errors="replace")


def test_as_many_files_as_are_known() -> None:
    assert {folder: len(rows) for folder, rows in TABLE.items()} == COUNTS


@pytest.mark.corpus
def test_every_file_is_in_the_table(corpus: Path) -> None:
    for folder, rows in TABLE.items():
        assert {path.name for path in (corpus / folder).iterdir()} == set(rows)


@pytest.mark.corpus
@pytest.mark.parametrize(("folder", "name", "row"), ROWS)
def test_every_file_is_read_or_its_problem_named(corpus: Path, folder: str, name: str, row: dict[str, Any]) -> None:
    output = parse_smi(read(corpus, folder, name))
    assert (output.form, output.driver_version, output.count) == (row["form"], row.get("driver", ""), row["gpus"])
    assert (output.complete, bool(output.problems)) == (not row.get("cut", False), row.get("problem", False))
    assert output.form or output.problems


@pytest.mark.corpus
@pytest.mark.parametrize(("folder", "name", "row"), ROWS)
def test_the_table_agrees_with_plain_counts(corpus: Path, folder: str, name: str, row: dict[str, Any]) -> None:
    """Counts that need no parser: the lines of GPUs in a form, and the version that the head names."""
    text = read(corpus, folder, name)
    patterns = {
        "query": r"^GPU [0-9A-F]{8}:",
        "table": r"^.{0,20}\|\s+\d+\s+\S.*\|\s*[0-9A-F]{8}:[0-9A-F]{2}",
        "xml": r"<gpu id=",
        "list": r"GPU \d+: \S.*\(UUID: GPU-",
    }
    if row["form"] in patterns and row["gpus"] is not None and not row.get("cut"):
        lines = re.findall(patterns[row["form"]] + ".*", text, re.MULTILINE)
        if row["form"] == "list" and "xxxx" not in text:  # a GPU that two containers share is listed twice
            lines = sorted(set(re.findall(r"GPU-[0-9a-f-]{20,}(?=\))(?<!MIG-GPU)", "\n".join(lines))))
        assert len(lines) == row["gpus"]
    head = re.search(r"(?:Driver Version|DRIVER version|<driver_version>)[ :]{0,45}([0-9x.]+)", text)
    if head and row["form"] in ("query", "table", "xml", "version"):
        assert row["driver"] == head.group(1)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "index", "field", "value"),
    [
        ("nvidia-smi-q/gpud-mock-NormalQueryOutput.txt", 0, "uuid", "GPU-51ae0086-e1ac-4a20-f062-9caa44e4df6d"),
        ("nvidia-smi-q/gpud-mock-NormalQueryOutput.txt", 0, "bus_id", "00000000:06:00.0"),
        ("nvidia-smi-q/azurehpc-health-checks-bad_nvsmi8_output.txt", 0, "retired_pages", 5),
        ("nvidia-smi-q/azurehpc-health-checks-bad_nvsmi8_output.txt", 1, "retired_pages", 61),
        ("nvidia-smi-q/azurehpc-health-checks-bad_nvsmi8_output.txt", 1, "retirement_pending", True),
        ("nvidia-smi-q/azurehpc-health-checks-bad_nvsmi8_output.txt", 2, "retirement_pending", False),
        ("nvidia-smi-q/nvidia_gpu_exporter-h100-mig-590.48.01-idle.txt", 0, "mig_devices", 4),
        ("nvidia-smi-q/nvidia_gpu_exporter-h100-mig-590.48.01-idle.txt", 0, "memory", 81559),
        ("nvidia-smi-q/nvidia_gpu_exporter-h100-mig-590.48.01-idle.txt", 0, "temperature", 42),
        ("nvidia-smi-q/nvidia_gpu_exporter-h100-mig-590.48.01-idle.txt", 0, "ecc_uncorrected", 0),
        ("nvidia-smi-q/thamada-gls-A100SXMx4-a.txt", 0, "remapping_failed", False),
        ("nvidia-smi-q/thamada-gls-A100SXMx4-a.txt", 0, "retired_pages", None),
        ("nvidia-smi-table/LISA-nvidia-smi.txt", 0, "memory", 12288),
        ("nvidia-smi-table/LISA-nvidia-smi.txt", 0, "bus_id", "00000000:07:00.0"),
        ("nvidia-smi-table/cloud-native-docs-openshift_mig-ocp-L794.txt", 3, "temperature", 30),
        ("nvidia-smi-table/cloud-native-docs-openshift_mig-ocp-L794.txt", 4, "bus_id", "00000000:9D:00.0"),
        ("nvidia-smi-table/cloud-native-docs-openshift_mig-ocp-L794.txt", 4, "mig_devices", 2),
        ("nvidia-smi-L/cloud-native-docs-kubernetes_index-L562.txt", 0, "mig_devices", 3),
        ("nvidia-smi-L/insights-core-nvidia_smi_l_input_3.txt", 7, "uuid", "GPU-9f690c37-bb84-1e1a-1e4a-3dbfd1b1015c"),
        ("nvidia-smi-csv/k8s-ai-conformance-v1.35_openshift_driver-runtime-management-L60.txt", 1, "index", 1),
        ("nvidia-smi-csv/nvidia-smi-exporter-nvidia-smi-1.csv", 1, "uuid", "GPU-683c6e09-3969-31a5-b7ca-cc88252b7fce"),
        ("nvidia-smi-csv/nvidia_gpu_exporter-h100-mig-590.48.01-query-gpu-idle.csv", 0, "mig_devices", None),
        ("nvidia-smi-csv/nvidia_gpu_exporter-h100-mig-590.48.01-query-gpu-idle.csv", 0, "mig_mode", "Enabled"),
        ("nvidia-smi-csv/vertex-output_ubuntu_20.04_v465.27.txt", 0, "memory", 7979),
        ("nvidia-smi-xml/aicr-gpu.xml", 0, "memory", 81559),
        ("nvidia-smi-xml/aicr-gpu.xml", 0, "remapping_pending", False),
        ("nvidia-smi-xml/telegraf-dual_a5000-v13.xml", 0, "bus_id", "00000000:81:00.0"),
    ],
)
def test_values_read_by_hand(corpus: Path, name: str, index: int, field: str, value: object) -> None:
    assert getattr(parse_smi(read(corpus, *name.split("/"))).devices[index], field) == value


@pytest.mark.corpus
def test_real_topologies(corpus: Path) -> None:
    eight = parse_topology(read(corpus, "nvidia-smi-topo", "dranet-site_content_docs_user_gke-rdma-L410.txt"))
    assert (len(eight.gpus), len(eight.nics), eight.gpu_links) == (8, 8, ("NV18",))
    assert (eight.links["GPU0", "NIC0"], eight.links["GPU2", "NIC0"], eight.links["GPU0", "NIC4"]) == ("PIX", "NODE", "SYS")
    assert (eight.numa["GPU0"], eight.problem) == ("0", "")
    alone = parse_topology(read(corpus, "nvidia-smi-topo", "nvidia_gpu_exporter-h100-80gb-hbm3-590.48.01-topo-m.txt"))
    assert (alone.gpus, alone.gpu_links, alone.numa) == (("GPU0",), (), {"GPU0": "0"})
    failed = parse_topology(read(corpus, "nvidia-smi-topo", "nvidia_gpu_exporter-win-geforce-rtx-2080-super-591.86-topo-m.txt"))
    assert failed.problem.startswith("ERROR: Option -m is missing its value.")


@pytest.mark.corpus
def test_real_nvlinks(corpus: Path) -> None:
    a100 = parse_nvlink(read(corpus, "nvidia-smi-nvlink", "gpud-fabric-manager-nvidia-smi.nvlink.status.a100.txt"))
    assert (len(a100), a100[0]) == (8, [25.0] * 12)
    h100 = parse_nvlink(read(corpus, "nvidia-smi-nvlink", "nvidia_gpu_exporter-h100-80gb-hbm3-590.48.01-nvlink-s.txt"))
    assert h100 == {0: [26.562] * 18}
    down = parse_nvlink(read(corpus, "nvidia-smi-nvlink", "azurehpc-health-checks-bad_nvlink_status.txt"))
    assert down == {6: "NVML: Unable to retrieve NVLink information as all links are inactive"}


@pytest.mark.corpus
def test_what_another_vendor_prints_is_not_taken_for_it(corpus: Path) -> None:
    for name in ("thamada-gls-MI300X_x4.txt", "thamada-gls-MI300X_x4-a.txt"):
        output = parse_smi(read(corpus, "other-smi", name))
        assert (output.readable, output.problems) == (False, ("no output of nvidia-smi that is known",))


def test_a_matrix_that_is_cut_says_which_gpus_are_lacking() -> None:
    assert parse_topology("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-3\t0\n").problem == "the matrix has no line for GPU1"
