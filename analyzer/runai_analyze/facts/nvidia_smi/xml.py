"""``nvidia-smi -q -x``: the XML of every driver generation.

The parser resolves no entity and refuses every declaration of one; the DOCTYPE line that nvidia-smi always prints names only a
file, which is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

from .output import MIG_COUNT, MOST_DEVICES, SmiOutput, count_of, device_of, error_line, value_of

_MAX_DEPTH = 40  # nvidia-smi nests seven deep
START = re.compile(r"<\?xml|<!DOCTYPE\s+nvidia_smi_log|<nvidia_smi_log")
_END = "</nvidia_smi_log>"


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
            if len(self.gpus) >= MOST_DEVICES:
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
            gpu[MIG_COUNT] = str(int(gpu.get(MIG_COUNT, "0")) + 1)
        elif path and value and "mig_device" not in path and path[0] not in ("processes", "accounted_processes"):
            gpu.setdefault(".".join(path), value)


def parse_xml(text: str) -> SmiOutput:
    """Read ``nvidia-smi -q -x``; of cut output, what stands before the cut."""
    reader, problem = _Reader(), ""
    try:
        _parse(_document(text), reader)
    except _RefusedError as error:
        return SmiOutput(form="xml", error=f"the XML was refused: {error}", complete=False)
    except expat.ExpatError as error:
        problem = str(error)
    devices = tuple(device_of(index, values) for index, values in enumerate(reader.gpus[: reader.finished]))
    return SmiOutput(
        form="xml",
        driver_version=reader.log.get("driver_version", ""),
        cuda_version=value_of(reader.log.get("cuda_version", "")),
        attached=count_of(reader.log.get("attached_gpus", "")),
        devices=devices,
        error=error_line(text[:2_000] if devices else text),
        complete=not problem,
    )


def _document(text: str) -> bytes:
    """Return the XML document inside the text: kubectl may print before it, and anything may follow."""
    match = START.search(text)
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
