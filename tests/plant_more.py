"""A second row of plants: the same kinds of leak in other words, so that a redactor cannot live on the first row alone."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import Apply, Log, Make, Row, Thing
from tests.plant_values import Values


def in_more_commands(of: Values) -> Iterable[Row]:
    def command(name: str, *argv: str) -> Make:
        return lambda text: [Apply(on.pod(f"more-{name}", {"command": [part.replace("VALUE", text) for part in argv]}))]

    def script(name: str, text: str) -> Make:
        return command(name, "bash", "-ec", text)

    where = "args"
    yield "more-helm-set", where, of.password(), command("helm-set", "helm", "upgrade", "app", "--set", "auth.password=VALUE")
    yield "more-java", where, of.password(), command("java", "java", "-Dspring.datasource.password=VALUE", "-jar", "app.jar")
    yield "more-literal", where, of.password(), command("literal", "kubectl", "create", "--from-literal=api-key=VALUE")
    yield (
        "more-docker-login",
        where,
        of.password(),
        script("docker-login", "docker login -u robot --password VALUE r.example.com"),
    )
    yield "more-piped", where, of.password(), script("piped", "echo VALUE | docker login -u robot --password-stdin r.example.com")
    yield "more-sshpass", where, of.password(), script("sshpass", "sshpass -p VALUE ssh admin@bastion.example.com")
    yield "more-curl-user", where, of.password(), command("curl-user", "curl", "--user", "admin:VALUE", "https://api.example.com")
    yield "more-curl-header", where, of.password(), script("curl-header", "curl -H 'X-Api-Key: VALUE' https://api.example.com")
    yield "more-private-token", where, of.password(), script("private-token", 'curl --header "PRIVATE-TOKEN: VALUE" https://git')
    yield "more-quoted", where, of.spaced(), script("quoted", "export PGPASSWORD='VALUE'; psql -h db")
    yield "more-inline-env", where, of.password(), script("inline-env", "WANDB_API_KEY=VALUE python train.py")
    yield "more-json-argument", where, of.awkward(), _json_argument
    yield "more-vault", where, of.uuid_secret(), command("vault", "vault", "write", "auth/approle/login", "secret_id=VALUE")
    yield (
        "more-redis-probe",
        "probe",
        of.password(),
        lambda text: [Apply(on.pod("more-probe", {"readinessProbe": {"exec": {"command": ["redis-cli", "-a", text, "ping"]}}}))],
    )


def in_more_texts(of: Values) -> Iterable[Row]:
    """Configuration of other programs inside one field of a custom resource."""

    def spec(name: str, make: Callable[[str], Any]) -> Make:
        return lambda text: [Apply(on.custom(f"more-{name}", make(text)))]

    def file(name: str, before: str, after: str = "\n") -> Make:
        return spec(name, lambda text: {"files": {"settings": before + text + after}})

    where = "custom resource"
    yield "more-properties", where, of.password(), file("properties", "db.user=app\ndb.password=")
    yield "more-ini", where, of.password(), file("ini", "[db]\nuser = app\npassword = ")
    yield "more-toml", where, of.password(), file("toml", '[db]\nuser = "app"\npassword = "', '"\nport = 5432\n')
    yield "more-xml", where, of.password(), file("xml", "<db><user>app</user><password>", "</password></db>\n")
    yield "more-netrc", where, of.password(), file("netrc", "machine git.example.com login robot password ")
    yield "more-npmrc", where, of.password(), file("npmrc", "//registry.example.com/:_authToken=")
    yield "more-pip", where, of.password(), file("pip", "[global]\nindex-url = https://robot:", "@pypi.example.com/simple\n")
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="'
    yield "more-jaas", where, of.password(), file("jaas", f"sasl.jaas.config={jaas}", '";\n')
    yield (
        "more-env-strings",
        where,
        of.password(),
        spec("env-strings", lambda text: {"environment": [f"DB_PASSWORD={text}", "A=b"]}),
    )
    yield "more-pod-template", where, of.password(), spec("pod-template", lambda text: {
        "template": {"spec": {"containers": [{"name": "main", "env": [{"name": "WANDB_API_KEY", "value": text}]}]}}
    })  # fmt: skip
    yield "more-camel", where, of.password(), spec("camel", lambda text: {"oidc": {"clientId": "x", "refreshToken": text}})
    yield "more-snake", where, of.password(), spec("snake", lambda text: {"wandb": {"entity": "x", "api_key": text}})
    yield "more-dsn", where, of.password(), spec("dsn", lambda text: {"sentry": {"dsn": f"https://{text}@sentry.example.com/42"}})
    yield "more-encrypted-key", where, of.pem("ENCRYPTED PRIVATE KEY"), spec("encrypted-key", lambda text: {"tls": {"pem": text}})
    yield "more-openai", where, of.prefixed("sk-proj-", 48), spec("openai", lambda text: {"llm": {"value": text}})
    yield "more-stripe", where, of.prefixed("sk_live_", 32), spec("stripe", lambda text: {"billing": {"value": text}})


def in_more_places(of: Values) -> Iterable[Row]:
    yield (
        "more-waiting",
        "status",
        of.password(),
        lambda text: [
            Apply(on.pod("more-waiting", status=_waiting(f"failed to pull: GET https://robot:{text}@r.example.com/token: 401")))
        ],
    )
    url = "nginx.ingress.kubernetes.io/auth-url"
    yield (
        "more-auth-url",
        "annotation",
        of.password(),
        lambda text: [
            Apply(on.ingress("auth-url", "none", annotations={url: f"https://sso.example.com/verify?access_token={text}&x=1"}))
        ],
    )
    yield (
        "more-crlf-key",
        "annotation",
        of.pem(),
        lambda text: [Apply(on.pod("more-crlf-key", annotations={"example.com/key": text.replace("\n", "\r\n")}))],
    )
    yield (
        "more-one-line-key",
        "env",
        of.pem("RSA PRIVATE KEY"),
        lambda text: [Apply(on.env_pod("more-one-line-key", SETTINGS=text.replace("\n", " ")))],
    )
    yield (
        "more-escaped-key",
        "env",
        of.pem("EC PRIVATE KEY", 3),
        lambda text: [Apply(on.env_pod("more-escaped-key", SETTINGS=text.replace("\n", "\\n")))],
    )


def in_more_logs(of: Values) -> Iterable[Row]:
    def line(before: str, after: str = "") -> Make:
        return lambda text: [Log("text", before + text + after + "\n")]

    where = "log"
    yield "more-log-api-key", where, of.password(), line("GET /v1/models?limit=5&api_key=", "&x=1 200")
    yield "more-log-header", where, of.password(), line("< X-Api-Key: ")
    yield "more-log-token-scheme", where, of.password(), line('headers={"Authorization":"Token ', '"} status=403')
    yield "more-log-sql", where, of.password(), line("ALTER USER app WITH PASSWORD '", "' VALID UNTIL 'infinity';")
    yield "more-log-sql-by", where, of.password(), line("CREATE USER app IDENTIFIED BY '", "';")
    yield "more-log-dsn", where, of.password(), line("open host=db user=app password='", "' sslmode=disable")
    yield "more-log-go-map", where, of.password(), line("config map[password:", " user:app]")
    yield "more-log-java", where, of.password(), line("Credentials(username=app, password=", ", realm=x)")
    yield "more-log-colour", where, of.password(), line("\x1b[36mpassword\x1b[0m=\x1b[32m", "\x1b[0m")
    yield "more-log-encoded", where, of.password(), line("body: user%3Dapp%26password%3D", "%26x%3D1")
    yield "more-log-cookie", where, of.password(), line("Cookie: theme=dark; JSESSIONID=", "; lang=en")
    yield (
        "more-log-aws-signature",
        where,
        of.password(),
        line("Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261201/eu-west-1/s3/aws4_request, Signature="),
    )
    yield "more-log-secret-key", where, of.aws_secret(), line("aws secret access key: ", " loaded")
    yield "more-log-german", where, of.password(), line("Anmeldung mit Passwort: ", " fehlgeschlagen")
    yield "more-log-camel", where, of.password(), lambda text: [Log("json", json.dumps({"refreshToken": text, "n": 1}) + "\n")]
    yield (
        "more-log-list",
        where,
        of.password(),
        lambda text: [Log("json", json.dumps({"args": ["--token", text, "--v=4"]}) + "\n")],
    )
    yield "more-log-pgp", where, of.pem("PGP PRIVATE KEY BLOCK"), lambda text: [Log("pem", text)]


def _json_argument(text: str) -> Sequence[Thing]:
    return [Apply(on.pod("more-json-argument", {"args": ["--config", json.dumps({"user": "app", "password": text})]}))]


def _waiting(message: str) -> dict[str, Any]:
    state = {"waiting": {"reason": "ImagePullBackOff", "message": message}}
    status = {"name": "main", "ready": False, "restartCount": 0, "state": state, "image": "i:1", "imageID": ""}
    return {"phase": "Pending", "containerStatuses": [status]}
