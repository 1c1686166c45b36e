"""Who else tells of a node's GPUs, where nvidia-smi did not answer: the DCGM exporter's page, the validator's logs, labels and
ResourceSlices."""

import re
from typing import Dict, List, Tuple

from . import layout
from .client import ApiError, Tally
from .gpu_signs import Gpu, GpuNode
from .read_logs import read_tail
from .steps import Session
from .summary import counted

_METRIC = re.compile(r"^DCGM_FI_DEV_\w+\{(.*)\}", re.M)
_LABEL = re.compile(r'\b(UUID|modelName|DCGM_FI_DRIVER_VERSION)="([^"]*)"')
_TABLE_GPU = re.compile(r"\| +\d+ +(\S[^|\n]*?) +(?:On|Off|N/A|WDDM|TCC) +\|.*\n.*/ *\d+MiB *\|")
_ROW = 300              # characters of a table's row, and of what a log has before it
# A source that failed so often is not asked on the other nodes: each time may take a minute. How much a failure counts:
_FAILURES, _COUNTS = 3, {"forbidden": 3, "timeout": 1, "error": 1}


def ask_others(session: Session, name: str, node: GpuNode, tally: Tally,
               failed: List[str]) -> Tuple[str, Dict[str, str], Dict[str, str]]:
    """Ask the exporter, and the validator's logs when that told nothing; labels and ResourceSlices are there already. Returns in
    words what the first tells that knows of GPUs ("" when none does); by source why those before it told nothing; and by file
    the texts to keep. ``failed`` has the sources that failed on other nodes, and grows."""
    silent, texts = {}, {}  # type: Dict[str, str], Dict[str, str]
    for source, file, unwanted, paths in (
            ("the DCGM exporter", layout.DCGM_METRICS, "" if session.options.exec_ else "--no-exec", node.pages),
            ("the validator's logs", layout.VALIDATOR_LOG, "" if session.options.logs else "--no-logs", node.checks)):
        tired = "it failed on other nodes" if failed.count(source) >= _FAILURES else ""
        why = unwanted or session.filter.path(layout.node_member(name, file)) or tired
        try:
            if why or not paths:
                raise ApiError("skipped", why or "no pod of it is on this node")
            texts[file] = "\n".join(["# GET %s\n%s" % (path, read_tail(session, path, tally)[0]) for path in paths])
            told = _words(source, read_metrics(texts[file]) or read_table(texts[file]))
            if told:
                return told, silent, texts
            silent[source] = "it tells of no GPU"
        except ApiError as error:
            silent[source] = "%s: %s" % (error.status, error.message)
            failed.extend([source] * _COUNTS.get(error.status, 0))
    return next((_words(source, node.told[source]) for source in sorted(node.told) if node.told[source]), ""), silent, texts


def _words(source: str, gpus: List[Gpu]) -> str:
    """Return how many GPUs a source tells of, their models and drivers, "" when it tells of none."""
    what = sorted({model for model, _ in gpus if model}) + sorted({"driver " + driver for _, driver in gpus if driver})
    return "%s according to %s%s%s" % (counted(len(gpus), "GPU"), source, ": " if what else "", ", ".join(what)) if gpus else ""


def read_metrics(page: str) -> List[Gpu]:
    """Return the GPUs on a DCGM exporter's page (Prometheus text), in its order. Those of MIG devices have the same UUID."""
    rows = [dict(_LABEL.findall(labels)) for labels in _METRIC.findall(page)]
    gpus = {row.get("UUID", ""): (row.get("modelName", ""), row.get("DCGM_FI_DRIVER_VERSION", "")) for row in rows}
    return list(gpus.values())


def read_table(text: str) -> List[Gpu]:
    """Return the GPUs of the last table of nvidia-smi in a text."""
    rows = [row[:_ROW] for row in text.rpartition("Driver Version:")[2].split("\n")]
    driver = rows[0].strip().partition(" ")[0]
    return [(model, driver) for model in _TABLE_GPU.findall("\n".join(rows))]
