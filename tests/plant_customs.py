"""Plants in custom resources, events, statuses, other objects, and in what nvidia-smi answers."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import Apply, Make, NvidiaSmi, Row
from tests.plant_values import Values


def in_customs(of: Values) -> Iterable[Row]:
    def spec(name: str, make: Callable[[str], Any]) -> Make:
        return lambda text: [Apply(on.custom(name, make(text)))]

    def status(name: str, make: Callable[[str], Any]) -> Make:
        return lambda text: [Apply(on.custom(name, status=make(text)))]

    where = "custom resource"
    yield "custom-admin-password", where, of.password(), spec("admin-password", lambda text: {"auth": {"adminPassword": text}})
    yield (
        "custom-env-map",
        where,
        of.password(),
        spec("env-map", lambda text: {"environment": {"items": {"DB_PASSWD": {"value": text}}}}),
    )
    yield (
        "custom-env-plain-map",
        where,
        of.hugging_face(),
        spec("env-plain-map", lambda text: {"env": {"HUGGING_FACE_HUB_TOKEN": text}}),
    )
    yield (
        "custom-parameters",
        where,
        of.password(),
        spec("parameters", lambda text: {"parameters": [{"name": "clientSecret", "value": text}]}),
    )
    yield "custom-data", where, of.base64(), spec("data", lambda text: {"data": {"password": text}})
    yield "custom-license", where, of.license_key(), spec("license", lambda text: {"licenseKey": text})
    yield (
        "custom-awkward",
        where,
        of.awkward(),
        spec("awkward", lambda text: {"smtp": {"host": "mail.example.com", "pass": text}}),
    )
    yield "custom-list", where, of.password(), spec("list", lambda text: {"apiKeys": [text], "tokens": {"robot": text}})
    yield (
        "custom-s3",
        where,
        of.aws_secret(),
        spec("s3", lambda text: {"s3": {"bucket": "models", "accessKeyId": "x", "secretKey": text}}),
    )
    yield "custom-embedded-json", where, of.docker_auth(), spec("embedded-json", lambda text: {"pullConfig": text})
    yield (
        "custom-embedded-yaml",
        where,
        of.password(),
        spec("embedded-yaml", lambda text: {"values": f"global:\n  adminPassword: {text}\n"}),
    )
    yield (
        "custom-yaml-quoted",
        where,
        of.awkward(),
        spec("yaml-quoted", lambda text: {"values": f"db:\n  password: {json.dumps(text)}\n"}),
    )
    yield (
        "custom-yaml-block",
        where,
        of.pem("RSA PRIVATE KEY", 8),
        spec("yaml-block", lambda text: {"values": "tls:\n  key: |\n" + "".join(f"    {line}\n" for line in text.splitlines())}),
    )
    yield (
        "custom-cloud-init",
        where,
        of.password(),
        spec("cloud-init", lambda text: {"userData": f"#cloud-config\nchpasswd: {{list: 'root:{text}'}}\npassword: {text}\n"}),
    )
    yield "custom-slack-hook", where, of.slack_hook(), spec("slack-hook", lambda text: {"receiver": {"url": text}})
    yield "custom-teams-hook", where, of.teams_hook(), spec("teams-hook", lambda text: {"receivers": [text]})
    yield "custom-sas", where, of.sas(), spec("sas", lambda text: {"dataset": {"uri": text}})
    yield (
        "custom-header-map",
        where,
        of.password(),
        spec("header-map", lambda text: {"headers": {"X-Api-Key": text, "Accept": "*/*"}}),
    )
    yield (
        "custom-status",
        where,
        of.password(),
        status("status", lambda text: {"message": f"dial postgres://app:{text}@db.example.com: refused"}),
    )
    yield (
        "custom-condition",
        where,
        of.jwt(),
        status("condition", lambda text: {"conditions": [{"type": "Ready", "message": f"401 for token {text}"}]}),
    )
    yield (
        "custom-schema",
        "CRD",
        of.password(),
        lambda text: [
            Apply(
                on.crd(
                    {
                        "properties": {"bootstrapPassword": {"type": "string", "default": text}},
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                )
            )
        ],
    )


def in_others(of: Values) -> Iterable[Row]:
    parameters = {"resturl": "http://heketi.example.com", "restuser": "admin"}
    smi = ("nvidia-smi", "-q", "-x")
    yield (
        "event-bearer",
        "event",
        of.password(),
        lambda text: [Apply(on.event("bearer", f"GET /v2/ failed: Authorization: Bearer {text}, giving up"))],
    )
    yield (
        "event-url",
        "event",
        of.password(),
        lambda text: [Apply(on.event("url", f'pull "https://robot:{text}@registry.example.com/app" failed'))],
    )
    yield (
        "termination-message",
        "status",
        of.password(),
        lambda text: [Apply(on.pod("ended", status=on.ended_pod(f"FATAL: config: {{Host:db Password:{text} Port:5432}}")))],
    )
    yield (
        "pod-condition",
        "status",
        of.password(),
        lambda text: [
            Apply(on.pod("condition", status={"phase": "Failed", "message": f"init failed: --registry-password={text}"}))
        ],
    )
    yield (
        "storage-class",
        "other object",
        of.password(),
        lambda text: [
            Apply(
                on.made(
                    "storage.k8s.io/v1",
                    "StorageClass",
                    "planted",
                    "",
                    provisioner="example.com/nfs",
                    parameters={**parameters, "restuserkey": text},
                )
            )
        ],
    )
    yield (
        "volume-attributes",
        "other object",
        of.account_key(),
        lambda text: [Apply(on.volume("planted", {"accountKey": text, "share": "data"}))],
    )
    yield (
        "service-annotation",
        "other object",
        of.password(),
        lambda text: [Apply(on.service("planted", {"example.com/upstream": f"https://hook:{text}@api.example.com/validate"}))],
    )
    yield (
        "nvidia-smi-process",
        "nvidia-smi",
        of.hugging_face(),
        lambda text: [
            NvidiaSmi(smi, _smi_xml(f"python train.py --hf-token {text}")),
            NvidiaSmi(smi[:1], f"|    0   N/A  N/A   4242   C   python train.py --hf-token {text}   1024MiB |\n"),
        ],
    )


def _smi_xml(process: str) -> str:
    used = "<used_memory>1024 MiB</used_memory>"
    info = f"<process_info><pid>4242</pid><type>C</type><process_name>{process}</process_name>{used}</process_info>"
    gpu = f'<gpu id="00000000:07:00.0"><product_name>NVIDIA H100 80GB HBM3</product_name><processes>{info}</processes></gpu>'
    versions = "<driver_version>580.95.05</driver_version><cuda_version>13.0</cuda_version><attached_gpus>1</attached_gpus>"
    return f'<?xml version="1.0" ?>\n<nvidia_smi_log>{versions}{gpu}</nvidia_smi_log>\n'
