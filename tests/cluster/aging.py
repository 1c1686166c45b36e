"""Makes a bundle older than it is: what only a server can set (creation, field managers, its own events) is moved back in time.

    age_bundle(Path("fresh.tgz"), Path("old.tgz"), days=25)

The capture time stays, so that all ages grow by these days. Times that a scenario wrote itself (status, leases) stay too.
"""

import datetime
import gzip
import hashlib
import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

Object = dict[str, Any]

SERVER_CONDITIONS = ("CustomResourceDefinition", "APIService")  # kinds whose conditions the server writes
TIME_FORMATS = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ")
AGE_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def age_bundle(source: Path, target: Path, *, days: float) -> None:
    """Writes `target`, the bundle `source` with its objects `days` older and a manifest that is right again."""
    older = datetime.timedelta(days=days)
    changed: dict[str, Object] = {}  # member path -> bytes, sha256
    with (
        tarfile.open(source, "r:gz") as read,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,  # no name, no time: the same bytes whenever it is made
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as written,
    ):
        for member in read:
            opened = read.extractfile(member)
            if opened is None:  # a folder
                written.addfile(member)
                continue
            path = member.name.split("/", 1)[1]
            content = _aged(path, opened.read(), older, changed)
            changed[path] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            member.size = len(content)
            written.addfile(member, io.BytesIO(content))
    target.chmod(0o600)


def _aged(path: str, content: bytes, older: datetime.timedelta, changed: dict[str, Object]) -> bytes:
    if path == "manifest.json":
        manifest = json.loads(content)
        manifest["members"] = [{**one, **changed.get(one["path"], {})} for one in manifest["members"]]
        return _dumped(manifest)
    if path.startswith("resources/"):
        return b"".join(_dumped(_aged_object(json.loads(line), older)) + b"\n" for line in content.splitlines())
    if path.startswith("secrets/"):
        return b"".join(_dumped(_aged_row(json.loads(line), older)) + b"\n" for line in content.splitlines())
    return content


def _aged_object(obj: Object, older: datetime.timedelta) -> Object:
    metadata = dict(obj["metadata"])
    if "creationTimestamp" in metadata:
        metadata["creationTimestamp"] = _moved(metadata["creationTimestamp"], older)
    if "managedFields" in metadata:
        entries = metadata["managedFields"]
        metadata["managedFields"] = [{**one, "time": _moved(one["time"], older)} if "time" in one else one for one in entries]
    aged = {**obj, "metadata": metadata}
    if obj["kind"] in SERVER_CONDITIONS and "conditions" in obj.get("status", {}):
        aged["status"] = {**obj["status"], "conditions": [_aged_condition(one, older) for one in obj["status"]["conditions"]]}
    return aged


def _aged_condition(condition: Object, older: datetime.timedelta) -> Object:
    changed = condition.get("lastTransitionTime")
    return {**condition, "lastTransitionTime": _moved(changed, older)} if changed else condition


def _aged_row(row: Object, older: datetime.timedelta) -> Object:
    """A Secret's age stands there as kubectl prints it, such as 25d or 4m10s."""
    if not isinstance(row.get("age"), str):
        return row
    parts = re.findall(r"(\d+)([smhd])", row["age"])
    seconds = sum(int(number) * AGE_UNITS[unit] for number, unit in parts) + older.total_seconds()
    return {**row, "age": f"{int(seconds // AGE_UNITS['d'])}d"}


def _moved(text: str, older: datetime.timedelta) -> str:
    for form in TIME_FORMATS:
        try:
            moment = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        return (moment - older).strftime(form)
    raise ValueError(f"not a time of Kubernetes: {text}")


def _dumped(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
