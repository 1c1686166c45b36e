"""Scenarios as they stand in files: templates to objects, `scenario.yaml`, planted faults, variants. No cluster here."""

import copy
import datetime
import hashlib
import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import yaml

Object = dict[str, Any]
Key = tuple[str, str, str]  # kind, namespace ("" where there is none), name

FOLDER = Path(__file__).with_name("scenarios")
SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # what Kubernetes makes the ends of names of
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class Fault:
    """One planted fault; what the fields mean stands at the head of faults.yaml."""

    id: str
    title: str
    object: Object
    field: str
    change: list[Object] = field(default_factory=list)
    expected_severity: str = ""
    together: bool = True
    hidden_by: str = ""
    needs: Object = field(default_factory=dict)
    options: Object = field(default_factory=dict)

    @property
    def variant(self) -> str | None:
        """The flavour of `healthy` on which alone it exists."""
        return self.needs.get("variant")


@dataclass(frozen=True)
class ScenarioData:
    """A scenario before it is loaded. `objects` are whole manifests; what has a `status` gets it through the API too."""

    name: str
    objects: list[Object]
    options: Object  # of the analyzer: runai_version, planned
    nvidia_smi: dict[str, str]  # node -> folder name of nvidia-smi's output
    certificates: list[Object]
    authority: Object
    logs: dict[str, str]  # namespace or namespace/workload -> text, each line with its time


def read_scenario(name: str, now: datetime.datetime) -> ScenarioData:
    """Renders scenarios/<name>. All times of the objects are before `now`."""
    described = _read(FOLDER / name / "scenario.yaml")
    environment = _environment()
    objects: list[Object] = []
    for part in described["parts"]:
        text = environment.get_template(part).render(described["variables"])
        objects += [one for one in yaml.safe_load_all(text) if one]
    return ScenarioData(
        name=name,
        objects=[with_times(one, now) for one in objects],
        options=described["options"],
        nvidia_smi=described["nvidia_smi"],
        certificates=described["certificates"],
        authority=described.get("authority", {}),
        logs={owner: _log(file, now) for owner, file in described["logs"].items()},
    )


def read_faults(name: str = "broken-site") -> list[Fault]:
    """All planted faults of broken-site, in the order of the file; or those that another scenario has of itself."""
    return [Fault(**one) for one in _read(FOLDER / name / "faults.yaml")["faults"]]


def read_variants() -> dict[str, list[Object]]:
    """Flavours of `healthy`: name -> changes, the same operations as those of faults."""
    variants: dict[str, list[Object]] = _read(FOLDER / "healthy" / "variants.yaml")["variants"]
    return variants


def read_checklist() -> list[Object]:
    """The expected prerequisites checklist of `pre-install`, a dictionary a line; what the keys mean stands in the file."""
    lines: list[Object] = _read(FOLDER / "pre-install" / "checklist.yaml")["lines"]
    return lines


def key_of(obj: Object) -> Key:
    """From a manifest, or from a short {kind, namespace, name}."""
    names = obj.get("metadata", obj)
    return obj["kind"], names.get("namespace", ""), names["name"]


def with_times(value: Any, now: datetime.datetime) -> Any:
    """Replaces strings like `ago:25d` (and `ago-micro:5s`, with microseconds) by that time before `now`, in RFC 3339."""
    if isinstance(value, dict):
        return {name: with_times(one, now) for name, one in value.items()}
    if isinstance(value, list):
        return [with_times(one, now) for one in value]
    found = re.fullmatch(r"ago(-micro)?:(\d+)([smhd])", value) if isinstance(value, str) else None
    return _moment(found, now) if found else value


def _moment(found: re.Match[str], now: datetime.datetime) -> str:
    moment = now - datetime.timedelta(**{UNITS[found[3]]: int(found[2])})
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if found[1] else "%Y-%m-%dT%H:%M:%SZ")


def merged(target: Any, patch: Any) -> Any:
    """JSON merge patch (RFC 7386) of plain data; the arguments stay as they are."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def uuid_of(seed: object) -> str:
    """An invented UUID, always the same for the same seed."""
    return str(uuid.UUID(_digest(seed)[:32]))


def _log(file: str, now: datetime.datetime) -> str:
    lines = (FOLDER / "logs" / file).read_text(encoding="utf-8").splitlines()
    split = (line.split(" ", 1) for line in lines)
    return "".join(f"{with_times(time, now)} {text}\n" for time, text in split)


def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(FOLDER)
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    environment.filters["combine"] = lambda left, right: {**left, **right}
    environment.filters["dedent"] = _dedent
    environment.globals |= {"suffix": _suffix, "digest": _digest, "uuid": uuid_of, "address": _address, "image_id": _image_id}
    return environment


def _dedent(text: str, width: int) -> str:
    return "\n".join(line[width:] for line in text.splitlines())


def _digest(seed: object) -> str:
    return hashlib.sha256(str(seed).encode()).hexdigest()


def _suffix(seed: object, length: int) -> str:
    raw = hashlib.sha256(str(seed).encode()).digest()
    return "".join(SUFFIX_LETTERS[byte % len(SUFFIX_LETTERS)] for byte in raw[:length])


def _address(seed: object) -> str:
    raw = hashlib.sha256(str(seed).encode()).digest()
    return f"10.244.{raw[0]}.{raw[1] % 250 + 2}"


def _image_id(image: str) -> str:
    name = image.split("@")[0]
    name = name.rsplit(":", 1)[0] if ":" in name.rsplit("/", 1)[-1] else name
    return f"{name}@sha256:{_digest(image)}"


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
