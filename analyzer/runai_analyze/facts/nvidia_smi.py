"""Reading what nvidia-smi printed: the XML of ``-q -x`` of every driver generation, the plain table, and its error texts.

The text comes from the customer's node and may be anything. The XML parser resolves no entity and refuses every declaration of
one; the DOCTYPE line that nvidia-smi always prints names only a file, which is never opened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

_MAX_DEPTH = 40  # nvidia-smi nests seven deep
_MAX_DEVICES = 1024
_MAX_LINE = 300  # of the plain table, which is 91 wide
_MIG_COUNT = "#mig"  # no element can be called so
_START = re.compile(r"<\?xml|<!DOCTYPE\s+nvidia_smi_log|<nvidia_smi_log")
_END = "</nvidia_smi_log>"
# Texts that nvidia-smi prints in place of a value, or of everything (nvidia-smi manual page, return values and diagnostics).
_BAD_CELL = ("ERR!", "Unknown Error", "GPU is lost", "GPU requires reset")
_ERROR_LINES = (
    "NVIDIA-SMI has failed because",
    "NVIDIA-SMI couldn't find libnvidia-ml.so",
    "Failed to initialize NVML",
    "Unable to determine the device handle",
    "No devices were found",
    "Insufficient Permissions",
    "GPU is lost",
)


@dataclass(frozen=True)
class Device:
    """One GPU as nvidia-smi saw it. None: not printed, or ``N/A`` on this model."""

    index: int
    product: str = ""
    uuid: str = ""
    errors: tuple[str, ...] = ()  # the cells that read ERR! or Unknown Error
    ecc_uncorrected: int | None = None  # volatile: since the driver was loaded
    ecc_aggregate: int | None = None  # over the life of the GPU
    temperature: int | None = None  # °C
    mig_mode: str = ""  # Enabled, Disabled; empty where the model has no MIG
    mig_devices: int = 0


@dataclass(frozen=True)
class SmiOutput:
    """One run of nvidia-smi. ``error`` is its own message; ``complete`` is false when the output ends in the middle."""

    driver_version: str = ""
    cuda_version: str = ""
    attached: int | None = None
    devices: tuple[Device, ...] = ()
    error: str = ""
    complete: bool = True

    @property
    def readable(self) -> bool:
        """Whether the output says anything about GPUs or the driver."""
        return bool(self.driver_version or self.devices or self.error or self.attached is not None)

    @property
    def count(self) -> int | None:
        """The GPUs that answered; of cut output only what it says itself. None: it does not say."""
        if self.devices and self.complete:
            return len(self.devices)
        if self.attached is not None:
            return self.attached
        return 0 if self.error.startswith("No devices were found") else None


def parse_smi(text: str) -> SmiOutput:
    """Read the output of ``nvidia-smi -q -x`` or plain ``nvidia-smi``; text around it is passed over."""
    return parse_xml(text) if _START.search(text) else parse_table(text)


# --- XML --------------------------------------------------------------------------------------------------------------------


class _RefusedError(Exception):
    """The XML holds something that nvidia-smi never prints."""


class _Reader:
    """Turns the parser's events into one flat mapping of values for the log and one for each GPU."""

    def __init__(self) -> None:
        self.log: dict[str, str] = {}
        self.gpus: list[dict[str, str]] = []
        self.finished = 0
        self._path: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        self._path.append(name)
        self._text = []
        if len(self._path) > _MAX_DEPTH:
            raise _RefusedError("elements nest too deep")
        if len(self._path) == 2 and name == "gpu":
            if len(self.gpus) >= _MAX_DEVICES:
                raise _RefusedError("too many GPUs")
            self.gpus.append({})

    def end(self, _name: str) -> None:
        value = "".join(self._text).strip()
        self._text = []
        inside = self._path[1:]
        if inside[:1] == ["gpu"] and self.gpus:
            self._keep(self.gpus[-1], inside[1:], value)
            self.finished += len(inside) == 1
        elif len(inside) == 1:
            self.log.setdefault(inside[0], value)
        self._path.pop()

    def data(self, value: str) -> None:
        self._text.append(value)

    @staticmethod
    def _keep(gpu: dict[str, str], path: list[str], value: str) -> None:
        if path == ["mig_devices", "mig_device"]:
            gpu[_MIG_COUNT] = str(int(gpu.get(_MIG_COUNT, "0")) + 1)
        elif path and value and "mig_device" not in path and path[0] not in ("processes", "accounted_processes"):
            gpu.setdefault(".".join(path), value)


def parse_xml(text: str) -> SmiOutput:
    """Read ``nvidia-smi -q -x``; of cut output, what stands before the cut."""
    reader, problem = _Reader(), ""
    try:
        _parse(_document(text), reader)
    except _RefusedError as error:
        return SmiOutput(error=f"the XML was refused: {error}", complete=False)
    except expat.ExpatError as error:
        problem = str(error)
    devices = tuple(_device(index, values) for index, values in enumerate(reader.gpus[: reader.finished]))
    attached = reader.log.get("attached_gpus", "")
    return SmiOutput(
        driver_version=reader.log.get("driver_version", ""),
        cuda_version=_value(reader.log.get("cuda_version", "")),
        attached=int(attached) if attached.isascii() and attached.isdigit() and len(attached) < 6 else None,
        devices=devices,
        error=_error_line(text[:2_000] if devices else text),
        complete=not problem,
    )


def _document(text: str) -> bytes:
    """Return the XML document inside the text: kubectl may print before it, and anything may follow."""
    match = _START.search(text)
    body = text[match.start() :] if match else text
    end = body.find(_END)
    return (body if end < 0 else body[: end + len(_END)]).encode("utf-8", "replace")


def _parse(document: bytes, reader: _Reader) -> None:
    def refuse(*_: object) -> None:
        raise _RefusedError("it declares an entity")

    parser = expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = lambda *_: 0
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.Parse(document, True)


def _device(index: int, values: Mapping[str, str]) -> Device:
    return Device(
        index=index,
        product=values.get("product_name", ""),
        uuid=values.get("uuid", ""),
        errors=tuple(sorted(path for path, value in values.items() if any(bad in value for bad in _BAD_CELL))),
        ecc_uncorrected=_uncorrected(values, "ecc_errors.volatile."),
        ecc_aggregate=_uncorrected(values, "ecc_errors.aggregate."),
        temperature=_number(values.get("temperature.gpu_temp", "")),
        mig_mode=_value(values.get("mig_mode.current_mig", "")),
        mig_devices=int(values.get(_MIG_COUNT, "0")),
    )


def _uncorrected(values: Mapping[str, str], prefix: str) -> int | None:
    """Sum the uncorrectable errors: ``double_bit.total`` up to driver 450, ``…_uncorrectable…`` since."""
    totals = [
        _number(value)
        for path, value in values.items()
        if path.startswith(prefix) and ("uncorrectable" in path or path.endswith("double_bit.total"))
    ]
    known = [total for total in totals if total is not None]
    return sum(known) if known else None


def _value(text: str) -> str:
    return "" if text in ("N/A", "[N/A]", "Not Supported", "[Not Supported]") else text


def _number(text: str) -> int | None:
    match = re.match(r"\d{1,12}\b", text, re.ASCII)
    return int(match.group()) if match else None


# --- The plain table --------------------------------------------------------------------------------------------------------

_HEADER = re.compile(r"NVIDIA-SMI[ ]+\S+.{0,80}?Driver Version:[ ]+(\S+)(?:[ ]+CUDA Version:[ ]+(\S+))?")
_GPU_ROW = re.compile(
    r"\|[ ]{1,6}(\d{1,4})[ ]{1,6}(\S.{0,80}?)[ ]+(?:\S{1,8})[ ]{0,6}\|[ ]{1,6}[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\."
)
_MIG_ROW = re.compile(r"\|[ ]+(\d{1,4})[ ]+\d+[ ]+\d+[ ]+\d+[ ]+\|")
_CELLS = (("name", "bus", "ecc"), ("fan_temperature_power", "memory", "utilization"), ("", "", "mig"))


def parse_table(text: str) -> SmiOutput:
    """Read plain ``nvidia-smi``: versions, the GPUs in order, cells that read ``ERR!``, MIG mode and devices."""
    lines = [line for line in text.splitlines() if len(line) <= _MAX_LINE]
    header = next(filter(None, map(_HEADER.search, lines)), None)
    rows, mig = _table_rows(lines), _mig_devices(lines)
    return SmiOutput(
        driver_version=header.group(1) if header else "",
        cuda_version=_value(header.group(2) or "") if header else "",
        devices=tuple(_table_device(row, mig) for row in rows[:_MAX_DEVICES]),
        error=_error_line(text),
        complete=not header or "Processes:" in text or text.rstrip().endswith("+"),
    )


def _table_rows(lines: list[str]) -> list[list[str]]:
    """Return the (up to three) lines of each GPU's row."""
    rows = []
    for number, line in enumerate(lines):
        if _GPU_ROW.match(line.strip()):
            following = []
            for other in lines[number + 1 : number + 3]:
                if not other.strip().startswith("|"):
                    break
                following.append(other.strip())
            rows.append([line.strip(), *following])
    return rows


def _table_device(row: list[str], mig_devices: Mapping[int, int]) -> Device:
    match = _GPU_ROW.match(row[0])
    assert match is not None
    index = int(match.group(1))
    cells = {
        name: cell.strip()
        for names, line in zip(_CELLS, row, strict=False)
        for name, cell in zip(names, line.strip("|").split("|"), strict=False)
        if name
    }
    temperature = re.search(r"(\d{1,3})C\b", cells.get("fan_temperature_power", ""))
    mig = cells.get("mig", "")
    return Device(
        index=index,
        product=match.group(2).strip(),
        errors=tuple(sorted(name for name, cell in cells.items() if any(bad in cell for bad in _BAD_CELL))),
        ecc_uncorrected=_number(cells.get("ecc", "")),
        temperature=int(temperature.group(1)) if temperature else None,
        mig_mode=mig if mig in ("Enabled", "Disabled") else "",
        mig_devices=mig_devices.get(index, 0),
    )


def _mig_devices(lines: list[str]) -> Counter[int]:
    """Return how many MIG devices each GPU has, by its index; they stand in a section of their own, before the processes."""
    found: Counter[int] = Counter()
    inside = False
    for line in lines:
        if inside and "Processes:" in line:
            break
        inside = inside or "MIG devices:" in line
        if inside and (match := _MIG_ROW.match(line.strip())):
            found[int(match.group(1))] += 1
    return found


def _error_line(text: str) -> str:
    """Return nvidia-smi's own error message: the first line that holds one of the known texts, cut at 300 characters."""
    for line in text.splitlines():
        if any(known in line for known in _ERROR_LINES) and not line.lstrip().startswith("<"):
            return line.strip()[:300]
    return ""
