"""Reading nvidia-smi: real files of every driver generation, and what broken or hostile ones give.

The corpus values were read out of the files by eye.
"""

import time
from pathlib import Path

import pytest
from runai_analyze.facts.nvidia_smi import parse_smi, parse_table, parse_xml

HEAD = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n'


def log(*gpus: str, top: str = "") -> str:
    body = "".join(f'<gpu id="{number}">{gpu}</gpu>' for number, gpu in enumerate(gpus))
    top += f"<driver_version>580.95.05</driver_version><attached_gpus>{len(gpus)}</attached_gpus>"
    return f"{HEAD}<nvidia_smi_log>{top}{body}</nvidia_smi_log>"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "driver", "cuda", "attached", "products"),
    [
        ("aicr-gpu.xml", "570.86.15", "12.8", 8, ["NVIDIA H100 80GB HBM3"] * 8),
        ("k8s-ai-conformance-kops-secure-access-1.xml", "580.105.08", "13.0", 1, ["NVIDIA L4"]),
        ("nvidia-smi-exporter-nvidia-smi-3.xml", "460.27.04", "11.2", 2, ["GeForce GTX 1080"] * 2),
        ("nvidia-smi-rest-smi_test_1.xml", "436.48", "10.1", 1, ["GeForce GTX 1050"]),
        ("nvidia-smi-rest-smi_test_3.xml", "440.59", "10.2", 1, ["GeForce GTX 1060 6GB"]),
        ("nvidia-smi-rest-smi_test_5.xml", "440.59", "10.2", 1, ["GeForce GT 730"]),
        ("nvidia-smi-rest-smi_test_7.xml", "418.56", "10.1", 1, ["GeForce GTX 1050 Ti"]),
        ("telegraf-3090-v13.xml", "590.44.01", "13.1", 1, ["NVIDIA GeForce RTX 3090"]),
        ("telegraf-a100-sxm4-v12.xml", "535.54.03", "12.2", 4, ["NVIDIA A100-SXM4-80GB"]),
        ("telegraf-a10g.xml", "515.105.01", "11.7", 1, ["NVIDIA A10G"]),
        ("telegraf-dual_a5000-v13.xml", "590.44.01", "13.1", 2, ["NVIDIA RTX A5000"] * 2),
        ("telegraf-gt-1030.xml", "470.74", "11.4", 1, ["NVIDIA GeForce GT 1030"]),
        ("telegraf-gtx-1070-ti.xml", "", "", None, ["GeForce GTX 1070 Ti"]),
        ("telegraf-quadro-p400.xml", "418.43", "10.1", 1, ["Quadro P400"]),
        ("telegraf-rtx-3060-v12.xml", "570.124.04", "12.8", 1, ["NVIDIA GeForce RTX 3060"]),
        ("telegraf-rtx-4000-sff-ada-v13.xml", "595.84", "13.2", 1, ["NVIDIA RTX 4000 SFF Ada Generation"]),
        ("telegraf-tesla-t4.xml", "515.105.01", "11.7", 1, ["Tesla T4"]),
        ("telegraf-tesla_p4.xml", "513.46", "11.6", 1, ["GRID P4-1Q"]),
    ],
)
def test_real_xml(corpus: Path, name: str, driver: str, cuda: str, attached: int | None, products: list[str]) -> None:
    output = parse_smi((corpus / "nvidia-smi-xml" / name).read_text())
    assert (output.driver_version, output.cuda_version, output.attached) == (driver, cuda, attached)
    assert [device.product for device in output.devices] == products
    assert (output.error, output.complete) == ("", True)
    assert not any(device.errors for device in output.devices)


@pytest.mark.corpus
def test_every_real_xml_is_in_the_table_above(corpus: Path) -> None:
    (mark,) = [mark for mark in test_real_xml.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    assert {path.name for path in (corpus / "nvidia-smi-xml").iterdir()} == {row[0] for row in mark.args[1]}


@pytest.mark.corpus
def test_details_of_real_xml(corpus: Path) -> None:
    (a100,) = parse_smi((corpus / "nvidia-smi-xml" / "telegraf-a100-sxm4-v12.xml").read_text()).devices
    assert (a100.mig_mode, a100.mig_devices, a100.ecc_uncorrected, a100.temperature) == ("Enabled", 4, 0, 27)
    assert a100.uuid == "GPU-513536b6-7d19-9063-b049-1e69664bb298"
    h100 = parse_smi((corpus / "nvidia-smi-xml" / "aicr-gpu.xml").read_text()).devices
    assert [device.temperature for device in h100][:2] == [33, 32]
    assert h100[1].uuid == "GPU-7b151767-dab0-1c03-7c90-5231f72b47b2"
    assert (h100[0].mig_mode, h100[0].ecc_uncorrected) == ("Disabled", 0)


@pytest.mark.corpus
def test_cut_real_xml_gives_what_stands_before_the_cut(corpus: Path) -> None:
    output = parse_smi((corpus / "nvidia-smi-truncated" / "telegraf-a100-sxm4-v12-cut55.xml").read_text())
    assert (output.driver_version, output.attached, output.complete, output.devices) == ("535.54.03", 4, False, ())


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "driver", "cuda", "products", "mig"),
    [
        ("thamada-gls-A100SXMx4.txt", "555.42.02", "12.5", ["NVIDIA A100-SXM4-80GB"] * 4, 0),
        ("thamada-gls-A40x10.txt", "550.127.05", "12.4", ["NVIDIA A40"] * 10, 0),
        ("nvidia_gpu_exporter-h100-mig-590.48.01-idle.txt", "590.48.01", "13.1", ["NVIDIA H100 80GB HBM3"], 4),
        ("cloud-native-docs-kubernetes_index-L337.txt", "450.80.02", "11.0", ["A100-SXM4-40GB"], 0),
        ("LISA-nvidia-smi.txt", "560.94", "12.6", ["NVIDIA GeForce RTX 3060"], 0),
        ("website-tutorials_labs_local-fake-gpu-L669.txt", "470.129.06", "11.4", ["Tesla-K80"], 0),
    ],
)
def test_real_tables(corpus: Path, name: str, driver: str, cuda: str, products: list[str], mig: int) -> None:
    output = parse_smi((corpus / "nvidia-smi-table" / name).read_text())
    assert (output.driver_version, output.cuda_version) == (driver, cuda)
    assert [device.product for device in output.devices] == products
    assert sum(device.mig_devices for device in output.devices) == mig


@pytest.mark.corpus
def test_a_real_error_text(corpus: Path) -> None:
    text = (corpus / "nvidia-smi-errors" / "cloud-native-docs-container-toolkit_troubleshooting-L134.txt").read_text()
    assert parse_smi(text).error == "Failed to initialize NVML: Unknown Error"


def test_cells_that_could_not_be_read_are_named() -> None:
    gpu = (
        "<product_name>X</product_name><temperature><gpu_temp>ERR!</gpu_temp></temperature><fan_speed>[Unknown Error]</fan_speed>"
    )
    (device,) = parse_xml(log(gpu)).devices
    assert device.errors == ("fan_speed", "temperature.gpu_temp")
    assert device.temperature is None


def test_memory_errors_are_summed_as_each_generation_writes_them() -> None:
    new = "<ecc_errors><volatile><sram_uncorrectable_parity>1</sram_uncorrectable_parity><dram_correctable>9</dram_correctable>"
    new += "<dram_uncorrectable>2</dram_uncorrectable></volatile>"
    new += "<aggregate><dram_uncorrectable>7</dram_uncorrectable></aggregate></ecc_errors>"
    old = "<ecc_errors><volatile><single_bit><total>9</total></single_bit>"
    old += "<double_bit><l1_cache>3</l1_cache><total>4</total></double_bit></volatile></ecc_errors>"
    none = "<ecc_errors><volatile><dram_uncorrectable>N/A</dram_uncorrectable></volatile></ecc_errors>"
    assert [(one.ecc_uncorrected, one.ecc_aggregate) for one in parse_xml(log(new, old, none)).devices] == [
        (3, 7),
        (4, None),
        (None, None),
    ]


def test_text_before_and_after_the_xml_is_passed_over() -> None:
    output = parse_smi(
        "Defaulted container driver out of: driver\n" + log("<product_name>X</product_name>") + "\ncommand terminated <x>"
    )
    assert (output.count, output.complete, output.error) == (1, True, "")


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><nvidia_smi_log>&b;</nvidia_smi_log>',
        '<?xml version="1.0"?><!DOCTYPE nvidia_smi_log [<!ENTITY x SYSTEM "file:///etc/passwd">]><nvidia_smi_log>&x;</nvidia_smi_log>',
        '<?xml version="1.0"?><!DOCTYPE nvidia_smi_log [<!ENTITY % p "x">]><nvidia_smi_log/>',
        "<nvidia_smi_log>" + "<a>" * 100 + "</a>" * 100 + "</nvidia_smi_log>",
        "<nvidia_smi_log>" + "<gpu/>" * 2000 + "</nvidia_smi_log>",
    ],
)
def test_xml_that_nvidia_smi_never_prints_is_refused(text: str) -> None:
    output = parse_smi(text)
    assert output.error.startswith("the XML was refused: ")
    assert (output.devices, output.complete) == ((), False)


def test_an_external_dtd_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text('<!ENTITY e "from the file">')
    text = f'<!DOCTYPE nvidia_smi_log SYSTEM "file://{tmp_path}/x.dtd">'
    text += "<nvidia_smi_log><driver_version>&e;</driver_version></nvidia_smi_log>"
    assert "from the file" not in repr(parse_smi(text))


DEAD = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that it is installed and running."


@pytest.mark.parametrize(
    ("text", "error", "count"),
    [
        (f"{DEAD}\n", DEAD, None),
        ("No devices were found\n", "No devices were found", 0),
        ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183\n", "", None),
        ("Unable to determine the device handle for GPU0000:0F:00.0: Unknown Error\n", "", None),
    ],
)
def test_error_texts(text: str, error: str, count: int | None) -> None:
    output = parse_smi(text)
    assert (output.error, output.count, output.readable) == (error or text.splitlines()[0], count, True)


def test_other_text_says_nothing() -> None:
    assert not parse_smi("bash: nvidia-smi: command not found").readable
    assert not parse_smi("").readable


def test_err_cells_of_the_plain_table() -> None:
    text = """
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:18:00.0 Off |                    0 |
| N/A   31C    P0             70W /  700W |       1MiB /  81559MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA H100 80GB HBM3         ERR! |   00000000:2A:00.0 Off |                 ERR! |
|ERR!  ERR! ERR!            ERR! /  ERR!  |       1MiB /  81559MiB |    ERR!      Default |
|                                         |                        |                 ERR! |
+-----------------------------------------+------------------------+----------------------+
"""
    good, bad = parse_table(text).devices
    assert (good.errors, good.temperature, good.ecc_uncorrected, good.mig_mode) == ((), 31, 0, "Disabled")
    assert bad.errors == ("ecc", "fan_temperature_power", "mig", "name", "utilization")
    assert (bad.product, bad.temperature) == ("NVIDIA H100 80GB HBM3", None)


def test_a_long_hostile_text_is_read_in_time() -> None:
    parse_smi("|  0  " + "x " * 200_000 + "NVIDIA-SMI 1" + " " * 200_000)
    parse_smi("NVIDIA-SMI " * 100_000)


def test_mig_devices_of_a_long_table_are_counted_in_one_pass() -> None:
    gpu = "|   {0}  NVIDIA A100-SXM4-40GB          On  |   00000000:07:00.0 Off |                   On |"
    mig = "|  {0}    1   0   0  |     25MiB / 20096MiB    | 42      0 |  3   0    2    0    0 |"
    lines = [gpu.format(number) for number in range(1000)] + ["| MIG devices: |"]
    lines += [mig.format(number % 1000) for number in range(20_000)] + ["| Processes: |", mig.format(3)]
    started = time.process_time()
    output = parse_table("\n".join(lines))
    assert [device.mig_devices for device in output.devices] == [20] * 1000
    assert time.process_time() - started < 3
