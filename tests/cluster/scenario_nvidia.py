"""What nvidia-smi answers in the driver pods of a scenario: scenarios/nvidia-smi, rendered into the fake kubelet's folder."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from tests.cluster.scenario_data import FOLDER, uuid_of

CONTAINER = "nvidia-driver-ctr"
QUESTIONS = {"query.xml": ["nvidia-smi", "-q", "-x"], "table.txt": ["nvidia-smi"], "topo.txt": ["nvidia-smi", "topo", "-m"]}


def write_answers(folder: Path, node: str, output: str) -> None:
    """Writes exec.json of one driver container (`folder`: <kubelet>/<namespace>/<pod>/nvidia-driver-ctr), in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / "exec.new"
    unfinished.write_text(json.dumps(answers(node, output)), encoding="utf-8")
    unfinished.rename(folder / "exec.json")


def answers(node: str, output: str) -> list[dict[str, Any]]:
    """What the fake kubelet wants: an entry a question, with stdout, stderr and exit code."""
    described = _outputs()[output]
    return [{"argv": argv, **_answer(name, node, described)} for name, argv in QUESTIONS.items()]


def render(name: str, node: str, output: str) -> str:
    """One output as text; `name` is query.xml, table.txt or topo.txt."""
    text: str = _answer(name, node, _outputs()[output])["stdout"]
    return text


def _answer(name: str, node: str, described: dict[str, Any]) -> dict[str, Any]:
    if "says" in described:
        return {"stdout": described["says"], "stderr": "", "exit_code": described["exit_code"]}
    stdout = _environment().get_template(f"nvidia-smi/{name}.j2").render(node=node, gpus=_gpus(node, described), **described)
    warning = described["warning"] if name == "query.xml" else ""
    return {"stdout": stdout, "stderr": warning, "exit_code": described["exit_code"]}


def _gpus(node: str, described: dict[str, Any]) -> list[dict[str, Any]]:
    """The GPUs that the driver still sees, each with what differs from one to the other."""
    buses = described["buses"]
    return [
        {
            "index": index,
            "minor": index,
            "bus": bus,
            "uuid": f"GPU-{uuid_of((node, index))}",
            "serial": str(1650000000000 + int(uuid_of(("serial", node, index))[:8], 16)),
            "temperature": 31 + (index * 3) % 7,
            "power": 68 + (index * 5) % 9,
            "sick": index in described["sick"],
        }
        for index, bus in enumerate(buses)
        if index not in described["lost"]
    ]


@lru_cache
def _outputs() -> dict[str, dict[str, Any]]:
    described = yaml.safe_load((FOLDER / "nvidia-smi" / "outputs.yaml").read_text(encoding="utf-8"))
    return {name: one if "says" in one else {**described["defaults"], **one} for name, one in described["outputs"].items()}


@lru_cache
def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(FOLDER)
    return jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True)
