"""What any output of nvidia-smi says, whatever its form: the GPUs and the driver, and what could not be read of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

MOST_DEVICES = 1024
MIG_COUNT = "#mig"  # no element can be called so
# Texts that nvidia-smi prints in place of a value (nvidia-smi manual page, return values and diagnostics).
BAD_CELLS = ("ERR!", "Unknown Error", "GPU is lost", "GPU requires reset")
# Texts that it prints in place of everything.
_ERROR_LINES = (
    "NVIDIA-SMI has failed because",
    "NVIDIA-SMI couldn't find libnvidia-ml.so",
    "Failed to initialize NVML",
    "Unable to determine the device handle",
    "No devices were found",
    "Insufficient Permissions",
    "GPU is lost",
    "ERROR: Option ",
)
_NOTHING = frozenset(("", "N/A", "[N/A]", "None", "Not Supported", "[Not Supported]", "[Unknown Error]"))
_LONGEST_ERROR = 300

Form = Literal["xml", "query", "table", "list", "csv", "processes", "version", "topology", "nvlink", "monitor", "error", ""]


@dataclass(frozen=True)
class Device:
    """One GPU as nvidia-smi saw it. None and empty: not printed, or ``N/A`` on this model."""

    index: int
    product: str = ""
    uuid: str = ""
    errors: tuple[str, ...] = ()  # the cells that read ERR! or Unknown Error
    ecc_uncorrected: int | None = None  # volatile: since the driver was loaded
    ecc_aggregate: int | None = None  # over the life of the GPU
    temperature: int | None = None  # °C
    mig_mode: str = ""  # Enabled, Disabled; empty where the model has no MIG
    mig_devices: int | None = 0  # None: MIG is on, and this form does not show them
    bus_id: str = ""  # 00000000:06:00.0
    memory: int | None = None  # MiB of the whole card
    retired_pages: int | None = None  # for errors of two bits; models before Ampere
    retirement_pending: bool | None = None  # pages wait for a restart to be retired
    remapping_pending: bool | None = None  # rows wait for a reset to be remapped; from Ampere on
    remapping_failed: bool | None = None  # no spare row is left: the card has to be replaced
    recovery_action: str = ""  # what the driver asks for: Reset, Reboot …; empty when nothing, or an older driver


@dataclass(frozen=True)
class SmiOutput:
    """One output of nvidia-smi. ``form`` is how it was printed, empty when it was not recognised.

    ``error`` is nvidia-smi's own message; ``complete`` is false when the output ends in the middle; ``problems`` say what stands
    there and could not be read, a line each.
    """

    driver_version: str = ""
    cuda_version: str = ""
    attached: int | None = None
    devices: tuple[Device, ...] = ()
    error: str = ""
    complete: bool = True
    problems: tuple[str, ...] = ()
    form: Form = ""

    @property
    def readable(self) -> bool:
        """Whether the output says anything about GPUs or the driver."""
        return bool(self.driver_version or self.devices or self.error or self.attached is not None)

    @property
    def count(self) -> int | None:
        """The GPUs that answered; of output that was cut or is partly unreadable, only what it says itself. None: nothing."""
        if self.devices and self.complete and not self.problems:
            return len(self.devices)
        if self.attached is not None:
            return self.attached
        return 0 if self.error.startswith("No devices were found") else None


def device_of(index: int, values: Mapping[str, str]) -> Device:
    """Return a GPU out of the values of its section, by their dotted path in the XML (``fb_memory_usage.total``)."""
    action = value_of(values.get("gpu_recovery_action", ""))
    return Device(
        index=index,
        product=value_of(values.get("product_name", "")),
        uuid=value_of(values.get("uuid", "")),
        errors=tuple(sorted(path for path, value in values.items() if any(bad in value for bad in BAD_CELLS))),
        ecc_uncorrected=_uncorrected(values, "ecc_errors.volatile."),
        ecc_aggregate=_uncorrected(values, "ecc_errors.aggregate."),
        temperature=number_of(values.get("temperature.gpu_temp", "")),
        mig_mode=value_of(values.get("mig_mode.current_mig", "")),
        mig_devices=int(values.get(MIG_COUNT, "0")),
        bus_id=values.get("pci.pci_bus_id", ""),
        memory=number_of(values.get("fb_memory_usage.total", "")),
        retired_pages=number_of(values.get("retired_pages.double_bit_retirement.retired_count", "")),
        retirement_pending=_yes(values.get("retired_pages.pending_retirement") or values.get("retired_pages.pending_blacklist")),
        remapping_pending=_yes(values.get("remapped_rows.remapped_row_pending")),
        remapping_failed=_yes(values.get("remapped_rows.remapped_row_failure")),
        recovery_action=action,
    )


def _uncorrected(values: Mapping[str, str], prefix: str) -> int | None:
    """Sum the uncorrectable errors: ``double_bit.total`` up to driver 450, ``…_uncorrectable…`` since."""
    totals = [
        number_of(value)
        for path, value in values.items()
        if path.startswith(prefix) and ("uncorrectable" in path or path.endswith("double_bit.total"))
    ]
    known = [total for total in totals if total is not None]
    return sum(known) if known else None


def _yes(text: str | None) -> bool | None:
    return {"yes": True, "no": False}.get((text or "").lower())


def value_of(text: str) -> str:
    """Return a value as printed; empty for the many ways in which nvidia-smi says that there is none."""
    return "" if text in _NOTHING else text


def number_of(text: str) -> int | None:
    """Return the whole number that a value begins with (``81559 MiB``); None where it begins otherwise."""
    match = re.match(r"\d{1,12}\b", text, re.ASCII)
    return int(match.group()) if match else None


def count_of(text: str) -> int | None:
    """Return a number of GPUs; None for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def error_line(text: str) -> str:
    """Return nvidia-smi's own error message: the first line that holds one of the known texts, cut at 300 characters."""
    for line in text.splitlines():
        if any(known in line for known in _ERROR_LINES) and not line.lstrip().startswith("<"):
            return line.strip()[:_LONGEST_ERROR]
    return ""
