"""Who else tells of a node's GPUs, where nvidia-smi did not answer: the DCGM exporter's page, the validator's logs, labels and
ResourceSlices."""

import re
from functools import partial
from typing import Dict, List, NamedTuple, Tuple
from urllib.parse import quote

from . import layout, plan
from .client import ApiError, Tally
from .gpu_signs import GpuNode, Told
from .logs import Tail, clean_log
from .redact_text import redact_text
from .steps import Session
from .summary import counted

_METRIC = re.compile(r"^DCGM_FI_DEV_(\w+)\{(.*)\}\s+(\d+)", re.M)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_TABLE_GPU = re.compile(r"\|\s+\d+\s+(\S[^|]*?)\s+(?:On|Off|N/A|WDDM|TCC)\s+\|.*\n.*/\s*(\d+)MiB\s*\|")
_FAILURES = 3           # of exporters in a namespace, before the others are not asked: each may take a minute


class Other(NamedTuple):
    """How one of these sources answered: ``status`` as of a step, and what it tells, one row a GPU."""

    source: str
    status: str
    told: List[Told]
    message: str = ""
    member: str = ""


def ask_others(session: Session, name: str, node: GpuNode, step_id: str, tally: Tally, failures: Dict[str, int]) -> List[Other]:
    """Ask the exporter, and the validator's logs when that told nothing; labels and ResourceSlices are there already.
    ``failures`` counts by namespace how often exporters could not be asked, and grows."""
    others: List[Other] = []
    texts: List[Tuple[str, str, List[Tuple[int, str]]]] = []
    for source, file, read, understand in (
            ("the DCGM exporter", layout.DCGM_METRICS, partial(_read_page, session, node, tally, failures), read_metrics),
            ("the validator's logs", layout.VALIDATOR_LOG, partial(_read_validator, session, node, tally), read_table)):
        try:
            member = layout.node_member(name, file)
            left_out = session.filter.path(member)
            if left_out:
                raise ApiError("skipped", left_out)
            text = read()
            text, found, _ = clean_log(text, 0, text.count("\n") + 2, session.limits.log_line)
            texts.append((member, text, found))
            others.append(Other(source, "ok", understand(text), "", member))
        except ApiError as error:
            others.append(Other(source, error.status, [], redact_text(error.message)[0]))
        if others[-1].told:
            break
    for member, text, found in texts:       # only now: what is cut short is done again as a whole
        session.write_text(member, text, found, step_id)
    return others + [Other(source, "ok", node.told[source]) for source in sorted(node.told)]


def told_words(others: List[Other]) -> str:
    """Return what the first that told something told, "" when none did."""
    for other in others:
        if other.told:
            what = ", ".join([words % value for field, words in (("model", "%s"), ("driver", "driver %s"), ("memory", "%d MiB"))
                              for value in sorted({getattr(told, field) for told in other.told}) if value])
            return "%s according to %s%s" % (counted(len(other.told), "GPU"), other.source, what and ": " + what)
    return ""


def _read_page(session: Session, node: GpuNode, tally: Tally, failures: Dict[str, int]) -> str:
    """Return the exporter's page, and on its first line where it is from. Raises ApiError."""
    namespace, path = node.pages[0] if node.pages else ("", "")
    if not path:
        raise ApiError("not_found", "no pod of it runs on this node")
    if not session.options.exec_ or failures.get(namespace, 0) >= _FAILURES:
        raise ApiError("skipped", "GET %s: %s" % (path, "it failed on other nodes" if session.options.exec_ else "--no-exec"))
    try:
        page = b"".join(session.client.stream(path, tally, session.limits.exec_output)).decode("utf-8", "backslashreplace")
        if "DCGM_FI_" not in page:
            raise ApiError("error", "the answer is no page of a DCGM exporter")
    except ApiError as error:
        failures[namespace] = failures.get(namespace, 0) + (_FAILURES if error.status == "forbidden" else 1)
        raise ApiError(error.status, "GET %s: %s" % (path, error.message))
    return "# GET %s\n%s" % (path, page)


def read_metrics(text: str) -> List[Told]:
    """Return the GPUs on a DCGM exporter's page (Prometheus text), in its order."""
    gpus = {}  # type: Dict[str, Dict[str, str]]
    for metric, labels, value in _METRIC.findall(text):
        known = dict(_LABEL.findall(labels))
        gpus.setdefault(known.get("UUID", ""), known).setdefault(metric if "GPU_I_ID" not in known else "", value)
    return [Told(gpu.get("modelName", ""), gpu.get("DCGM_FI_DRIVER_VERSION", ""),
                 sum(int(gpu.get("FB_" + part, 0)) for part in ("USED", "FREE", "RESERVED"))) for gpu in gpus.values()]


def _read_validator(session: Session, node: GpuNode, tally: Tally) -> str:
    """Return the logs of the validator's checks, one behind the other. Raises ApiError."""
    if not session.options.logs:
        raise ApiError("skipped", "--no-logs")
    texts = []
    for pod in node.validators:
        for container in [container for container, _ in pod.containers if container in plan.VALIDATIONS]:
            tail = Tail(session.limits.log_bytes)
            path = session.options.log_path(quote(pod.namespace), quote(pod.name), container)
            for part in session.client.stream(path, tally, session.limits.log_read):
                tail.add(part)
            texts.append("==> %s/%s %s <==\n%s" % (pod.namespace, pod.name, container, tail.text()))
    if not texts:
        raise ApiError("not_found", "its checks have not run on this node")
    return "\n".join(texts)


def read_table(text: str) -> List[Told]:
    """Return the GPUs of the last table of nvidia-smi in a text."""
    driver, _, table = text.rpartition("Driver Version:")[2].strip().partition(" ")
    return [Told(model, driver, int(memory)) for model, memory in _TABLE_GPU.findall(table)]
