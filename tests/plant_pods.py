"""Plants in pods: variables, arguments, probes, annotations, and what they log."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import LAST_APPLIED, Apply, Log, Make, Row
from tests.plant_values import Values


def in_containers(of: Values) -> Iterable[Row]:
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
        lambda text: [Apply(on.deployment("env-deployment", {"env": [{"name": "SLACK_BOT_TOKEN", "value": text}]}))],
    )
    yield (
        "env-cron-job",
        where,
        of.password(),
        lambda text: [Apply(on.cron_job("env-cron-job", {"env": [{"name": "SMTP_PASS", "value": text}]}))],
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


def in_annotations(of: Values) -> Iterable[Row]:
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


def in_logs(of: Values) -> Iterable[Row]:
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
