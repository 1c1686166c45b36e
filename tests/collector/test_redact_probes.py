"""The thirty places in which a widely used collector was found to leak secrets, or to hide what is none."""

import json
from typing import Any

import pytest
from runai_collect.redact import redact_object
from runai_collect.redact_text import redact_text

VALUE = "Zx81fR4nKenst3inQw"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZG1pbiIsIng" + VALUE + "." + VALUE * 2
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{VALUE * 3}\n{VALUE}==\n-----END RSA PRIVATE KEY-----"
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def env(name: str) -> dict[str, Any]:
    return {"kind": "Pod", "spec": {"containers": [{"name": "c", "env": [{"name": name, "value": VALUE}]}]}}


def annotated(name: str, value: str) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"annotations": {name: value}}}


OBJECTS: dict[str, dict[str, Any]] = {
    "env password": env("DB_PASSWORD"),
    "env token": env("API_TOKEN"),
    "env AWS secret key": env("AWS_SECRET_ACCESS_KEY"),
    "env NGC_API_KEY": env("NGC_API_KEY"),
    "env CLIENT_SECRET": env("CLIENT_SECRET"),
    "env ENCRYPTION_KEY": env("ENCRYPTION_KEY"),
    "env SESSION_KEY": env("SESSION_KEY"),
    "env DB_PASSWD": env("DB_PASSWD"),
    "env APP_CREDENTIALS": env("APP_CREDENTIALS"),
    "env in last-applied": annotated(APPLIED, json.dumps(env("DB_PASSWORD"))),
    "argument": {"kind": "Pod", "spec": {"containers": [{"args": ["--password=" + VALUE]}]}},
    "PGPASSWORD in an annotation": annotated("example.com/command", f"PGPASSWORD={VALUE} psql -h db"),
    "ConfigMap key": {"kind": "ConfigMap", "data": {"DB_PASSWORD": VALUE}},
    "YAML in a ConfigMap": {"kind": "ConfigMap", "data": {"app.yaml": f"db:\n  user: app\n  password: {VALUE}\n"}},
    "field of a CR": {"kind": "App", "spec": {"auth": {"adminPassword": VALUE}}},
    "env as a map": {"kind": "TrainingWorkload", "spec": {"environment": {"items": {"DB_PASSWORD": {"value": VALUE}}}}},
    "data.password": {"kind": "App", "data": {"password": VALUE}},
}
TEXTS = {
    "Password with a semicolon": f"Server=db;Password={VALUE};Encrypt=true",
    "http": f"http://user:{VALUE}@proxy.example.com",
    "postgres": f"postgres://app:{VALUE}@db.example.com/app",
    "postgres without a database": f"postgres://app:{VALUE}@db.example.com",
    "redis": f"redis://:{VALUE}@redis.example.com/0",
    "bearer": f"Authorization: Bearer {VALUE}",
    "token=": f"GET /x?token={VALUE}&a=1",
    "password at the end": f"login user=app password={VALUE}",
    "JSON log": json.dumps({"msg": "login", "password": VALUE}),
    "AWS key id": "using AKIA" + "Q7" * 8,
    "PEM": PEM,
    "JWT": "session " + JWT,
    "docker auth": json.dumps({"auths": {"nvcr.io": {"auth": VALUE + "=="}}}),
}
PLAIN_NAMES = {
    "RUN_AS_USER": "1000",
    "DATABASE_POOL_SIZE": "20",
    "TOKENIZERS_PARALLELISM": "false",
    "MY_USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64)",
}


def test_there_are_thirty() -> None:
    assert len(OBJECTS) + len(TEXTS) == 30


@pytest.mark.parametrize("probe", OBJECTS)
def test_objects(probe: str) -> None:
    assert VALUE not in json.dumps(redact_object(json.loads(json.dumps(OBJECTS[probe])))[0])


@pytest.mark.parametrize("probe", TEXTS)
def test_texts(probe: str) -> None:
    for text in (TEXTS[probe], f"start\n{TEXTS[probe]}\nend"):
        changed, found = redact_text(text)
        assert not any(secret in changed for secret in (VALUE, "Q7Q7"))
        assert found
        assert changed.count("\n") == text.count("\n")


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_plain_variables_stay(name: str) -> None:
    pod = {"kind": "Pod", "spec": {"containers": [{"env": [{"name": name, "value": PLAIN_NAMES[name]}]}]}}
    assert redact_object(json.loads(json.dumps(pod))) == (pod, [])


@pytest.mark.parametrize("text", ["server = x;", "location = /x;"])
def test_plain_settings_stay(text: str) -> None:
    assert redact_text(f"{text}\n{text}") == (f"{text}\n{text}", [])
