"""Secret values planted all over a cluster, which no bundle, report or log may ever show.

`plants(seed)` gives the same row for the same seed; a test draws a seed, and prints it on failure. `plant_search.Needles` finds a
plant in any text; `plant_controls.controls()` are the values that a redactor hides by mistake.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import LAST_APPLIED, Apply, Log, NvidiaSmi, Object, Patch, Thing
from tests.plant_values import Value, Values


@dataclass(frozen=True)
class Plant:
    """One secret: where it stands in the cluster, and the things that put it there."""

    id: str
    where: str
    value: Value
    things: tuple[Thing, ...]


Make = Callable[[str], Sequence[Thing]]


def plants(seed: int) -> tuple[Plant, ...]:
    values = Values(seed)
    rows = [*_secrets(values), *_configs(values), *_containers(values), *_annotations(values)]
    rows += [*_customs(values), *_others(values), *_logs(values)]
    return tuple(Plant(name, where, value, tuple(make(value.text))) for name, where, value, make in rows)


Row = tuple[str, str, Value, Make]


def _secrets(of: Values) -> Iterable[Row]:
    def plain(name: str, key: str, kind: str = "Opaque", **rest: Any) -> Make:
        return lambda text: [Apply(on.secret(name, {key: text}, kind, **rest))]

    def applied(text: str) -> Sequence[Thing]:
        again = json.dumps({"apiVersion": "v1", "kind": "Secret", "stringData": {"password": text}})
        return [Apply(on.secret("applied", {"password": text}, annotations={LAST_APPLIED: again}))]

    where = "Secret"
    yield "secret-opaque", where, of.password(), plain("opaque", "password")
    yield "secret-awkward", where, of.awkward(), plain("awkward", "password")
    yield "secret-last-applied", where, of.password(), applied
    yield "secret-docker", where, of.docker_config(), plain("docker", ".dockerconfigjson", "kubernetes.io/dockerconfigjson")
    yield "secret-gcp", where, of.service_account(), plain("gcp", "key.json")
    yield "secret-ssh", where, of.pem("OPENSSH PRIVATE KEY"), plain("ssh", "ssh-privatekey", "kubernetes.io/ssh-auth")
    yield "secret-htpasswd", where, of.htpasswd(), plain("htpasswd", "auth")
    owner = {"owner": "helm", "name": "app", "version": "1", "status": "deployed"}
    yield (
        "secret-helm",
        where,
        of.helm_release(),
        lambda text: [Apply(_labelled(on.secret("sh.helm.release.v1.app.v1", {"release": text}, "helm.sh/release.v1"), owner))],
    )
    yield (
        "secret-annotation",
        where,
        of.jwt(),
        lambda text: [Apply(on.secret("dockercfg", {"key": "x"}, annotations={"openshift.io/token-secret.value": text}))],
    )
    yield (
        "secret-tls-key",
        where,
        of.tls_key(),
        lambda text: [
            Apply(
                on.secret("web-tls", {"tls.crt": of.certificate(text, "web.example.com"), "tls.key": text}, "kubernetes.io/tls")
            ),
            Apply(on.ingress("web", "web-tls")),
        ],
    )
    yield (
        "secret-key-in-certificate",
        where,
        of.tls_key(),
        lambda text: [
            Apply(on.secret("mixed-tls", {"tls.crt": of.certificate(text, "mixed.example.com") + text, "tls.key": text})),
            Apply(on.ingress("mixed", "mixed-tls")),
        ],
    )
    yield (
        "secret-beside-certificate",
        where,
        of.password(),
        lambda text: [
            Apply(
                on.secret(
                    "more-tls", {"tls.crt": text, "ca.crt": text, "keystore-password": text}, annotations={LAST_APPLIED: text}
                )
            ),
            Apply(on.ingress("more", "more-tls")),
        ],
    )


def _configs(of: Values) -> Iterable[Row]:
    def plain(name: str, key: str) -> Make:
        return lambda text: [Apply(on.config(name, {key: text}))]

    def allowed(namespace: str, name: str, key: str, before: str = "") -> Make:
        return lambda text: [Patch(on.made("v1", "ConfigMap", name, namespace), {"data": {key: before + text}})]

    where = "ConfigMap"
    yield "config-key", where, of.password(), plain("db", "DB_PASSWORD")
    yield (
        "config-yaml",
        where,
        of.password(),
        lambda text: [Apply(on.config("yaml", {"app.yaml": f"db:\n  user: app\n  password: {text}\n"}))],
    )
    yield "config-kubeconfig", where, of.kubeconfig(), plain("kube", "kubeconfig")
    yield "config-ec-key", where, of.pem("EC PRIVATE KEY", 3), plain("ec", "server.key")
    yield "config-rsa-key", where, of.pem("RSA PRIVATE KEY", 24), plain("rsa", "id_rsa")
    yield "config-htpasswd", where, of.htpasswd(), plain("htpasswd", ".htpasswd")
    yield (
        "config-binary",
        where,
        of.base64(),
        lambda text: [Apply(on.made("v1", "ConfigMap", "binary", binaryData={"blob": text}))],
    )
    yield "config-runai-public", where, of.password(), allowed(on.RUNAI, "runai-public", "values", "adminPassword: ")
    yield (
        "config-knative-url",
        where,
        of.password(),
        lambda text: [
            Patch(
                on.made("v1", "ConfigMap", "config-features", "knative-serving"),
                {"data": {"proxy-url": f"http://app:{text}@proxy.example.com:3128"}},
            )
        ],
    )
    yield "config-knative-docker", where, of.docker_auth(), allowed("knative-serving", "config-features", "registry-auth")


def _containers(of: Values) -> Iterable[Row]:
    def env(name: str, before: str = "", after: str = "") -> Make:
        return lambda text: [Apply(on.env_pod("env-" + name.lower().replace("_", "-"), **{name: before + text + after}))]

    def args(name: str, *argv: str) -> Make:
        return lambda text: [Apply(on.pod(name, {"args": [part.replace("VALUE", text) for part in argv]}))]

    def command(name: str, script: str) -> Make:
        return lambda text: [Apply(on.pod(name, {"command": ["/bin/sh", "-c", script.replace("VALUE", text)]}))]

    where = "env"
    yield "env-ngc", where, of.nvapi(), env("NGC_API_KEY")
    yield "env-hugging-face", where, of.hugging_face(), env("HF_TOKEN")
    yield "env-client-secret", where, of.password(), env("CLIENT_SECRET")
    yield "env-encryption-key", where, of.password(), env("ENCRYPTION_KEY")
    yield "env-session-key", where, of.password(), env("SESSION_KEY")
    yield "env-db-passwd", where, of.password(), env("DB_PASSWD")
    yield "env-credentials", where, of.password(), env("APP_CREDENTIALS")
    yield "env-password", where, of.awkward(), env("DB_PASSWORD")
    yield "env-passphrase", where, of.spaced(), env("KEY_PASSPHRASE")
    yield "env-github", where, of.github(), env("GH_PAT")
    yield "env-shape-only", where, of.github(), env("UPSTREAM")
    yield "env-aws-id", where, of.aws_id(), env("AWS_ACCESS_KEY_ID")
    yield "env-aws-secret", where, of.aws_secret(), env("AWS_SECRET_ACCESS_KEY")
    yield "env-license", where, of.license_key(), env("NLS_LICENSE_KEY")
    yield "env-lower-camel", where, of.password(), env("apiToken")
    yield "env-proxy", where, of.password(), env("HTTPS_PROXY", "http://proxyuser:", "@proxy.example.com:3128")
    yield "env-mysql-url", where, of.password(), env("DATABASE_URL", "mysql://app:", "@mysql.example.com:3306/app?tls=true")
    yield "env-mongodb-url", where, of.password(), env("MONGO", "mongodb+srv://app:", "@mongo.example.com/?retryWrites=true")
    yield (
        "env-azure",
        where,
        of.account_key(),
        env("STORAGE", "DefaultEndpointsProtocol=https;AccountName=demo;AccountKey=", ";EndpointSuffix=core.windows.net"),
    )
    yield "env-ado", where, of.password(), env("CONNECTION", "Server=db.example.com;User Id=app;Password=", ";Encrypt=true")
    yield "env-json", where, of.service_account(), env("GOOGLE_CREDENTIALS_JSON")
    yield (
        "env-init-container",
        where,
        of.gitlab(),
        lambda text: [
            Apply(
                on.pod("init", initContainers=[{"name": "init", "image": "i:1", "env": [{"name": "GIT_TOKEN", "value": text}]}])
            )
        ],
    )
    yield (
        "env-deployment",
        where,
        of.slack(),
        lambda text: [Apply(_deployment("env-deployment", {"env": [{"name": "SLACK_BOT_TOKEN", "value": text}]}))],
    )
    yield (
        "env-cron-job",
        where,
        of.password(),
        lambda text: [Apply(_cron_job("env-cron-job", {"env": [{"name": "SMTP_PASS", "value": text}]}))],
    )
    where = "args"
    yield "args-equals", where, of.password(), args("args-equals", "serve", "--password=VALUE", "--port=8080")
    yield "args-separate", where, of.password(), args("args-separate", "serve", "--password", "VALUE", "--port", "8080")
    yield "args-separate-awkward", where, of.awkward(), args("args-separate-awkward", "--api-key", "VALUE")
    yield "args-token", where, of.jwt(), args("args-token", "--oidc-client-token=VALUE")
    yield "args-redis-url", where, of.password(), args("args-redis-url", "--redis", "redis://:VALUE@redis.example.com/0")
    yield (
        "args-header",
        where,
        of.password(),
        args("args-header", "curl", "-H", "Authorization: Bearer VALUE", "https://api.example.com"),
    )
    yield (
        "args-curl-user",
        where,
        of.password(),
        command("args-curl-user", "curl -s -u admin:VALUE https://api.example.com/health"),
    )
    yield (
        "args-shell-export",
        where,
        of.password(),
        command("args-shell-export", "export PGPASSWORD=VALUE; exec psql -h db -U app"),
    )
    yield "args-mysql", where, of.password(), command("args-mysql", "mysqldump -h db -u root -pVALUE app > /backup/app.sql")
    yield "args-here-document", where, of.pem(), command("args-here-document", "cat > /key.pem <<END\nVALUE\nEND\nexec serve")
    probe = {"path": "/", "port": 80}
    yield (
        "probe-header",
        "probe",
        of.basic(),
        lambda text: [
            Apply(
                on.pod(
                    "probe",
                    {
                        "livenessProbe": {
                            "httpGet": {**probe, "httpHeaders": [{"name": "Authorization", "value": f"Basic {text}"}]}
                        }
                    },
                )
            )
        ],
    )
    hook = ["/bin/sh", "-c"]
    yield (
        "hook-command",
        "probe",
        of.password(),
        lambda text: [
            Apply(
                on.pod(
                    "hook",
                    {"lifecycle": {"preStop": {"exec": {"command": [*hook, f"redis-cli -a {text} --no-auth-warning save"]}}}},
                )
            )
        ],
    )


def _annotations(of: Values) -> Iterable[Row]:
    def annotated(name: str, key: str, make: Callable[[str], str]) -> Make:
        return lambda text: [Apply(on.pod(name, annotations={key: make(text)}))]

    def applied(text: str) -> str:
        return json.dumps(on.env_pod("again", API_TOKEN=text, PLAIN="yes")) + "\n"

    where = "annotation"
    yield (
        "annotation-pgpassword",
        where,
        of.password(),
        annotated("noted", "example.com/command", lambda text: f"PGPASSWORD={text} psql -h db"),
    )
    yield "annotation-last-applied", where, of.password(), annotated("applied", LAST_APPLIED, applied)
    yield "annotation-kapp", where, of.password(), annotated("kapp", "kapp.k14s.io/original", applied)
    yield "annotation-snippet", where, of.basic(), lambda text: [
        Apply(on.ingress("snippet", "none", annotations={
            "nginx.ingress.kubernetes.io/configuration-snippet": f'proxy_set_header Authorization "Basic {text}";\nlocation = /x;'
        }))
    ]  # fmt: skip
    yield (
        "annotation-node-args",
        where,
        of.password(),
        lambda text: [
            on.node_patch({"rke2.io/node-args": json.dumps(["server", "--token", text, "--server", "https://10.0.0.1:9345"])})
        ],
    )
    yield "annotation-node-token", where, of.password(), lambda text: [on.node_patch({"example.com/join-token": text})]
    yield "annotation-presigned", where, of.presigned(), annotated("presigned", "example.com/model-source", str)


def _customs(of: Values) -> Iterable[Row]:
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


def _others(of: Values) -> Iterable[Row]:
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
        lambda text: [Apply(on.pod("ended", status=_ended(f"FATAL: config: {{Host:db Password:{text} Port:5432}}")))],
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
        lambda text: [Apply(_volume("planted", {"accountKey": text, "share": "data"}))],
    )
    yield (
        "webhook-url",
        "other object",
        of.password(),
        lambda text: [Apply(_webhook("planted.example.com", f"https://hook:{text}@127.0.0.1:1/validate"))],
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


def _logs(of: Values) -> Iterable[Row]:
    def text_log(before: str, after: str = "", container: str = "text", previous: bool = False) -> Make:
        return lambda text: [Log(container, before + text + after + "\n", previous)]

    def json_log(make: Callable[[str], Any]) -> Make:
        return lambda text: [Log("json", json.dumps(make(text)) + "\n")]

    where = "log"
    yield "log-bearer", where, of.password(), text_log("GET /api Authorization: Bearer ", " 401")
    yield "log-basic", where, of.basic(), text_log("> Authorization: Basic ")
    yield "log-token", where, of.password(), text_log("callback?state=1&token=", "&next=/home")
    yield "log-password-end", where, of.password(), text_log("connecting with user=app password=")
    yield "log-password-quoted", where, of.awkward(), lambda text: [Log("text", f"password={json.dumps(text)} retry=1\n")]
    yield "log-ado", where, of.password(), text_log("Server=db;Password=", ";Encrypt=true")
    yield "log-postgres", where, of.password(), text_log("dial postgres://app:", "@db.example.com refused")
    yield (
        "log-postgres-db",
        where,
        of.password(),
        text_log("dial postgresql://app:", "@db.example.com:5432/app?sslmode=require refused"),
    )
    yield "log-amqp", where, of.password(), text_log("broker amqps://app:", "@mq.example.com:5671/vhost up")
    yield "log-aws", where, of.aws_id(), text_log("using credential ", " from environment")
    yield "log-jwt", where, of.jwt(), text_log("session for ", " refreshed")
    yield "log-nvapi", where, of.nvapi(), text_log("login nvcr.io with ")
    yield "log-github", where, of.github(), text_log("remote: https://x-access-token:", "@github.com/example/app.git")
    yield "log-google", where, of.google_key(), text_log("maps key ", " accepted")
    yield "log-cookie", where, of.password(), text_log("Set-Cookie: session=", "; Path=/; HttpOnly; Secure")
    yield "log-presigned", where, of.presigned(), text_log("GET ", " 403")
    yield "log-slack-hook", where, of.slack_hook(), text_log("post ", ": 404 no_team")
    yield "log-go-struct", where, of.password(), text_log("config &{User:app ClientSecret:", " Port:5432}")
    yield "log-python-dict", where, of.password(), text_log("{'user': 'app', 'password': '", "', 'port': 5432}")
    yield "log-argument", where, of.password(), text_log("exec: agent --server https://rancher --token ", " --node")
    yield "log-previous", where, of.password(), text_log("panic: SECRET_KEY=", previous=True)
    yield "log-json", where, of.awkward(), json_log(lambda text: {"level": "info", "msg": "login", "password": text})
    yield "log-json-nested", where, of.password(), json_log(lambda text: {"msg": json.dumps({"auth": {"client_secret": text}})})
    yield "log-json-header", where, of.password(), json_log(lambda text: {"headers": {"X-Auth-Token": [text], "Accept": ["*/*"]}})
    yield "log-json-pem", where, of.pem("RSA PRIVATE KEY"), json_log(lambda text: {"msg": "loaded " + text})
    yield "log-pem", where, of.pem("EC PRIVATE KEY", 3), lambda text: [Log("pem", "read key:\n" + text + "done\n")]
    yield (
        "log-pem-stamped",
        where,
        of.pem(),
        lambda text: [Log("pem", "".join(f"I1201 10:00:00.1 main.go:7] {line}\n" for line in text.splitlines()))],
    )
    yield "log-pem-headless", where, of.pem(), lambda text: [Log("headless", text.split("\n", 2)[2] + "started\n")]
    yield (
        "log-long-line",
        where,
        of.password(),
        lambda text: [Log("long", json.dumps({"pad": "x y " * 60_000, "password": text}) + "\n")],
    )


def _labelled(body: Object, labels: dict[str, str]) -> Object:
    body["metadata"]["labels"] = labels
    return body


def _deployment(name: str, container: Object) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "i:1", **container}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    status = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1, "observedGeneration": 1}
    return on.made("apps/v1", "Deployment", name, spec=spec, status=status)


def _cron_job(name: str, container: Object) -> Object:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1", **container}]}
    return on.made(
        "batch/v1", "CronJob", name, spec={"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    )


def _volume(name: str, attributes: dict[str, str]) -> Object:
    csi = {"driver": "file.csi.azure.com", "volumeHandle": name, "volumeAttributes": attributes}
    return on.made(
        "v1", "PersistentVolume", name, "", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "csi": csi}
    )


def _webhook(name: str, url: str) -> Object:
    """Never asked: it matches no resource that exists."""
    rule = {"apiGroups": ["none.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}
    hook = {"name": name, "clientConfig": {"url": url}, "rules": [rule], "sideEffects": "None", "admissionReviewVersions": ["v1"]}
    return on.made(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        name,
        "",
        webhooks=[{**hook, "failurePolicy": "Ignore"}],
    )


def _ended(message: str) -> Object:
    state = {
        "terminated": {
            "exitCode": 1,
            "reason": "Error",
            "message": message,
            "startedAt": "2026-12-01T09:00:00Z",
            "finishedAt": "2026-12-01T09:01:00Z",
        }
    }
    image = {"image": "i:1", "imageID": "i@sha256:" + "0" * 64}
    return {
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "ready": False, "restartCount": 1, "state": state, "lastState": state, **image}],
    }


def _smi_xml(process: str) -> str:
    info = f"<process_info><pid>4242</pid><type>C</type><process_name>{process}</process_name><used_memory>1024 MiB</used_memory></process_info>"
    gpu = f'<gpu id="00000000:07:00.0"><product_name>NVIDIA H100 80GB HBM3</product_name><processes>{info}</processes></gpu>'
    versions = "<driver_version>580.95.05</driver_version><cuda_version>13.0</cuda_version><attached_gpus>1</attached_gpus>"
    return f'<?xml version="1.0" ?>\n<nvidia_smi_log>{versions}{gpu}</nvidia_smi_log>\n'
