"""sos reports. The reports are imitations, made after the layout that sos 4 writes."""

import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import Source, open_bundle
from runai_analyze.facts import build_facts

TOP = "sosreport-cp1-2024-05-21-abcdefg/"
INFO = "sos_commands/kubernetes/cluster-info/"
SECRET = "cGxhbnRlZC12YWx1ZS0xNw=="


def listed(*objects: dict[str, Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects]})


def thing(kind: str, name: str, namespace: str = "", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


# File, command, exit code, content.
COMMANDS = [
    (INFO + "kubectl_get_-o_json_nodes", "kubectl get -o json nodes", 0, listed(thing("Node", "cp1"), thing("Node", "g1"))),
    (INFO + "runai/kubectl_get_-o_json_--namespace_runai_pods", "kubectl get -o json --namespace runai pods", 0,
     listed(thing("Pod", "a", "runai", spec={"containers": []}))),
    (INFO + "runai/kubectl_get_-o_json_--namespace_runai_services", "kubectl get -o json --namespace runai services", 1,
     "Error from server (Forbidden): services is forbidden\n"),
    (INFO + "runai/kubectl_get_-o_json_--namespace_runai_events", "kubectl get -o json --namespace runai events", 0, listed()),
    (INFO + "runai/kubectl_get_-o_json_--namespace_runai_secrets", "kubectl get -o json --namespace runai secrets", 0,
     listed(thing("Secret", "s", "runai", type="Opaque", data={"password": SECRET}))),
    (INFO + "runai/podlogs/a/kubectl_--namespace_runai_logs_a_-c_main", "kubectl --namespace runai logs a -c main", 0, "hello\n"),
    ("sos_commands/nvidia/nvidia-smi_--list-gpus", "nvidia-smi --list-gpus", 0,
     "GPU 0: Tesla T4 (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n"),
    ("sos_commands/nvidia/nvidia-smi_-q", "nvidia-smi -q", 9, "NVIDIA-SMI has failed because it couldn't communicate\n"),
    ("sos_commands/kernel/lsmod", "lsmod", 0, "Module Size Used by\nnouveau 2334720 0\n"),
    ("sos_commands/kernel/dmesg", "dmesg", 0, "[1] eth0 up\n[7] NVRM: Xid (PCI:0000:3b:00): 48, x\n"),
    ("sos_commands/date/date_--utc", "date --utc", 0, "Tue May 21 10:21:05 UTC 2024\n"),
    ("sos_commands/host/hostname", "hostname", 0, "cp1\n"),
]  # fmt: skip


def report(manifest: bool = True, without: tuple[str, ...] = (), truncated: tuple[str, ...] = ()) -> dict[str, str]:
    commands = [
        {"filepath": path, "exec": line, "return_code": code, "truncated": path in truncated} for path, line, code, _ in COMMANDS
    ]
    told = {"components": {"report": {"plugins": {"kubernetes": {"commands": commands}, "host": {}}}}}
    files = {path: content for path, _, _, content in COMMANDS if path not in without}
    files |= {"sos_logs/sos.log": "x\n", "etc/os-release": 'PRETTY_NAME="Red Hat Enterprise Linux 9.4"\n'}
    return files | ({"sos_reports/manifest.json": json.dumps(told)} if manifest else {})


def write(folder: Path, *reports: tuple[str, dict[str, str]]) -> Path:
    for top, files in reports:
        for name, content in files.items():
            path = folder / "tree" / top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    with tarfile.open(folder / "sos.tar.xz", "w:xz") as archive:
        for path in sorted((folder / "tree").iterdir()):
            archive.add(path, path.name)
    return folder / "sos.tar.xz"


@pytest.fixture
def bundle(tmp_path: Path) -> Source:
    return open_bundle(write(tmp_path, (TOP, report())))


def names(bundle: Source, kind: str) -> list[str]:
    return sorted(record.body["metadata"]["name"] for record in bundle.records(frozenset([(kind, "")])))


def test_what_it_is_and_when_it_was_made(bundle: Source) -> None:
    assert (bundle.info.holder, bundle.info.captured) == ("a sos report", datetime(2024, 5, 21, 10, 21, 5, tzinfo=UTC))


def test_lists_that_are_whole(bundle: Source) -> None:
    assert (names(bundle, "Node"), names(bundle, "Pod")) == (["cp1", "g1"], ["a"])
    assert not bundle.coverage("Node", "", ())
    assert not bundle.coverage("Pod", "", ("runai",))
    assert not bundle.coverage("Event", "", ("runai",))
    assert bundle.coverage("Pod", "", ("default",))[0].reason == "a sos report does not hold it"


def test_what_a_failed_command_printed_is_no_data(bundle: Source) -> None:
    (services,) = bundle.coverage("Service", "", ("runai",))
    assert "the command ended with exit code 1" in services.reason
    assert services.command == "kubectl get services -n runai -o yaml"
    facts = build_facts(bundle, frozenset([("GpuDevice", "made")]))
    assert [item.body["product"] for item in facts.made("GpuDevice")] == ["Tesla T4"]


def test_a_list_that_sos_cut_is_not_whole(tmp_path: Path) -> None:
    found = open_bundle(write(tmp_path, (TOP, report(truncated=(INFO + "kubectl_get_-o_json_nodes",)))))
    assert "its output was cut" in found.coverage("Node", "", ())[0].reason


def test_values_of_secrets_are_dropped(bundle: Source) -> None:
    assert bundle.info.exposed[0].name == "s"
    assert not any(SECRET in str(record.body) for record in bundle.records(None))


def test_logs(bundle: Source) -> None:
    assert [(log.namespace, log.pod, log.container, log.data) for log in bundle.logs()] == [("runai", "a", "main", b"hello\n")]


def test_what_it_tells_of_the_machine(bundle: Source) -> None:
    (host,) = build_facts(bundle, frozenset([("Host", "made")])).made("Host")
    assert (host.ref.name, host.body["os"]) == ("cp1", "Red Hat Enterprise Linux 9.4")
    assert (host.body["modules"], host.body["xids"]["grave"]) == ({"nvidia": False, "nouveau": True}, ["48 on 0000:3b:00"])
    assert host.origins["xids"].member == TOP + "sos_commands/kernel/dmesg"


def test_without_the_manifest_no_list_is_known_to_be_whole(tmp_path: Path) -> None:
    found = open_bundle(write(tmp_path, (TOP, report(manifest=False))))
    assert names(found, "Node") == ["cp1", "g1"]
    assert found.coverage("Node", "", ())
    (host,) = build_facts(found, frozenset([("Host", "made")])).made("Host")
    assert (host.ref.name, host.body["os"]) == ("cp1", "Red Hat Enterprise Linux 9.4")


def test_reports_of_several_machines_in_one_archive(tmp_path: Path) -> None:
    other = {name: content for name, content in report().items() if "kubernetes" not in name}
    other["sos_commands/host/hostname"] = "g1\n"
    path = write(tmp_path, (TOP, report()), (TOP.replace("cp1", "g1"), other))
    facts = build_facts(open_bundle(path), frozenset([("Host", "made")]))
    assert [item.ref.name for item in facts.made("Host")] == ["cp1", "g1"]
