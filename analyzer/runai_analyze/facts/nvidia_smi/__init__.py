"""Reading what nvidia-smi printed: ``-q -x``, ``-q``, the plain table, ``-L``, CSV, ``--version``, ``topo -m``, its error texts.

The text comes from the customer's node and may be anything. What stands there and cannot be read is a problem, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .comma import header_of, parse_csv
from .listing import parse_list, parse_version
from .output import Device, SmiOutput, error_line
from .query import START as QUERY_START
from .query import parse_query
from .table import parse_table
from .topology import Topology, parse_nvlink, parse_topology
from .xml import START as XML_START
from .xml import parse_xml

__all__ = ["Device", "SmiOutput", "Topology", "parse_nvlink", "parse_smi", "parse_table", "parse_topology", "parse_xml"]

_MONITOR = re.compile(r"^# gpu\s+(?:pwr|pid)\b", re.MULTILINE)
_NVLINK = re.compile(r"^\s+Link \d{1,3}: |[Nn][Vv][Ll]ink (?:information|queries)|support N[Vv][Ll]ink", re.MULTILINE)
_TOPOLOGY = re.compile(r"^\s*(?:\x1b\[4m)?GPU0\b.{0,20000}CPU Affinity", re.MULTILINE)
_NOTHING = "no output of nvidia-smi that is known"


def parse_smi(text: str) -> SmiOutput:
    """Read any output of nvidia-smi; text around it is passed over.

    ``form`` is empty and ``problems`` says so where none is recognised; outputs that do not say which GPUs there are (processes,
    topology, NVLink, monitoring, version) have their form and no devices.
    """
    for recognised, parse in _FORMS:
        if recognised(text):
            return parse(text)
    for read in (parse_table, parse_list, parse_version):
        output = read(text)
        if output.form:
            return output
    error = error_line(text)
    if error:
        return SmiOutput(error=error, form="error")
    output = parse_csv(text)
    return output if output.form else SmiOutput(problems=(_NOTHING,))


def _topology(text: str) -> SmiOutput:
    problem = parse_topology(text).problem
    return SmiOutput(problems=(problem,) if problem else (), form="topology")


_FORMS: tuple[tuple[Callable[[str], object], Callable[[str], SmiOutput]], ...] = (
    (XML_START.search, parse_xml),
    (QUERY_START.search, parse_query),
    (_TOPOLOGY.search, _topology),
    (_NVLINK.search, lambda text: SmiOutput(form="nvlink")),
    (_MONITOR.search, lambda text: SmiOutput(form="monitor")),
    (header_of, parse_csv),
)
