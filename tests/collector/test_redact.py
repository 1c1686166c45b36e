"""Secrets in objects: what is hidden, where, and what must stay."""

import base64
import json
from typing import Any

import pytest
from runai_collect.layout import marker
from runai_collect.redact import CannotRedactError, redact_object

VALUE = "Zx81-fR4nKenst3in"


def hidden(value: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    clean, rows = redact_object(json.loads(json.dumps(value)))
    return clean, [(row.where, row.rule) for row in rows]


def container(**fields: Any) -> dict[str, Any]:
    return {"kind": "Pod", "spec": {"containers": [{"name": "c", **fields}]}}


def test_env_lists_keep_name_and_lose_the_value() -> None:
    clean, rows = hidden(container(env=[{"name": "NGC_API_KEY", "value": VALUE}, {"name": "RUN_AS_USER", "value": "1000"}]))
    assert clean["spec"]["containers"][0]["env"] == [
        {"name": "NGC_API_KEY", "value": marker("key")},
        {"name": "RUN_AS_USER", "value": "1000"},
    ]
    assert rows == [("spec.containers[0].env[0].value", "key")]


def test_env_maps_of_workloads() -> None:
    clean, rows = hidden(
        {"kind": "TrainingWorkload", "spec": {"environmentVariables": {"items": {"HF_TOKEN": {"value": VALUE}}}}}
    )
    assert clean["spec"]["environmentVariables"]["items"]["HF_TOKEN"] == {"value": marker("token")}
    assert rows[0] == ("spec.environmentVariables.items.HF_TOKEN.value", "token")


@pytest.mark.parametrize(
    "args",
    [
        ["--password", VALUE],
        ["--password=" + VALUE],
        ["-u", "admin:" + VALUE],
        ["redis-cli", "-a", VALUE],
        ["mysql", "-p" + VALUE],
        ["sh", "-c", "PGPASSWORD=" + VALUE + " psql"],
        ["sh", "-c", "curl -H 'Authorization: Bearer " + VALUE + "' https://x"],
        ["--dsn", "postgres://app:" + VALUE + "@db/app"],
        ["docker", "login", "-u", "robot", "-p", VALUE],
        ["wandb", "login", VALUE],
        ["vault", "kv", "put", "secret/x", "value=" + VALUE],
        ["ipmitool", "-U", "ADMIN", "-P", VALUE],
        ["curl", "-H", "Authorization:", "Basic", VALUE],
        ["--password", "-" + VALUE],
        ["--pat", VALUE],
        ["-H", "X-Api-Key:", VALUE],
        ["https://outlook.office.com/webhook/" + VALUE],
    ],
)
def test_arguments(args: list[str]) -> None:
    clean, rows = hidden(container(args=args))
    assert VALUE not in json.dumps(clean)
    assert rows


@pytest.mark.parametrize(
    "args",
    [
        ["--user", "1000"],
        ["docker", "run", "-p", "8080:80"],
        ["--token-ttl", "3600"],
        ["--secret-name", "tls"],
        ["mysql", "--port=3306"],
    ],
)
def test_arguments_that_stay(args: list[str]) -> None:
    clean, rows = hidden(container(args=args))
    assert clean["spec"]["containers"][0]["args"] == args
    assert rows == []


@pytest.mark.parametrize("name", ["token", "secret", "secretKey", "clientSecret", "apiToken", "privateKey", "userKey"])
def test_what_stands_deeper_under_a_secrets_name(name: str) -> None:
    assert VALUE not in json.dumps(hidden({"spec": {name: {"a": VALUE, "b": [{"c": VALUE}]}}})[0])


@pytest.mark.parametrize(
    "pair",
    [
        {"key": "password", "val": VALUE},
        {"name": "pw", "stringValue": VALUE},
        {"name": "token", "default": VALUE},
        {"name": "PASSWORD", "data": VALUE},
        {"name": "password", "args": [VALUE]},
        {"id": "password", "value": VALUE},
        {"parameter": "password", "value": VALUE},
        {"k": "password", "v": VALUE},
        {"name": "PASSWORD", "value": {"value": {"x": VALUE}}},
    ],
)
def test_pairs_of_a_name_and_a_value(pair: dict[str, Any]) -> None:
    assert VALUE not in json.dumps(hidden({"spec": {"x": [pair]}})[0])


def test_pairs_within_pairs_take_no_longer_than_they_are_deep() -> None:
    """Each level once was looked through twice, so 2^140 times in all."""
    value: dict[str, Any] = {"x": VALUE}
    for _ in range(140):
        value = {"name": "PASSWORD", "value": value}
    assert VALUE not in json.dumps(hidden(value)[0])


def test_containers_called_after_a_secret_keep_their_arguments() -> None:
    pod = container(image="x", args=["run", "--port=80"])
    pod["spec"]["containers"][0]["name"] = "auth-token"
    assert hidden(pod) == (pod, [])


def test_parameters_of_a_storage_class() -> None:
    clean, _ = hidden(
        {"kind": "StorageClass", "parameters": {"userKey": VALUE, "key": VALUE, "keyring": VALUE, "fsType": "ext4"}}
    )
    assert clean["parameters"] == {**dict.fromkeys(("userKey", "key", "keyring"), marker("opaque")), "fsType": "ext4"}


def test_credentials_keep_names_but_not_what_a_machine_made() -> None:
    clean, _ = hidden({"spec": {"credentials": {"id": VALUE, "url": "https://x.example.com", "name": "db"}}})
    assert clean["spec"]["credentials"] == {"id": marker("opaque"), "url": "https://x.example.com", "name": "db"}


def test_names_that_are_secrets_themselves() -> None:
    annotations = {"example.com/password=" + VALUE: "", "ghp_" + "a1" * 18: "y"}
    clean, _ = hidden({"metadata": {"annotations": annotations}})
    assert clean["metadata"]["annotations"] == {"example.com/password=" + marker("password"): "", marker("github-token"): "y"}


def test_counts_of_secrets_and_names_of_secrets_stay() -> None:
    quota = {"kind": "ResourceQuota", "spec": {"hard": {"secrets": "1000k"}}}
    ingress = {"metadata": {"annotations": {"nginx.ingress.kubernetes.io/auth-secret": "basic-auth"}}}
    monitor = {"spec": {"secrets": ["prometheus-k8s-tls", "kube-etcd-client-certs", "etcdcerts"]}}
    assert [hidden(value)[1] for value in (quota, ingress, monitor)] == [[], [], []]


def test_a_block_called_auth_keeps_how_to_log_in_but_no_secret() -> None:
    spec = {"auth": {"realm": "runai", "flow": "browser", "clientSecret": VALUE, "other": VALUE.replace("-", "")}}
    clean, _ = hidden({"spec": json.loads(json.dumps(spec))})
    assert clean["spec"]["auth"] == {
        "realm": "runai", "flow": "browser", "clientSecret": marker("secret"), "other": marker("opaque")
    }  # fmt: skip


def test_a_password_that_is_a_number_is_hidden_and_a_number_of_tokens_is_not() -> None:
    clean, _ = hidden({"spec": {"password": 12345678, "tokens": 4096, "passwordLength": 12}})
    assert clean["spec"] == {"password": marker("password"), "tokens": 4096, "passwordLength": 12}


def test_an_argument_with_a_password_of_several_words_loses_all_of_them() -> None:
    clean, rows = hidden(container(args=["--password=correct horse battery", "--token-ttl=3600", "--max-tokens=4096"]))
    assert clean["spec"]["containers"][0]["args"] == [f"--password={marker('password')}", "--token-ttl=3600", "--max-tokens=4096"]
    assert rows == [("spec.containers[0].args[0]", "password")]


def test_references_to_secrets_stay() -> None:
    pod = {
        "kind": "Pod",
        "spec": {
            "imagePullSecrets": [{"name": "runai-reg-creds"}],
            "serviceAccountName": "x",
            "automountServiceAccountToken": False,
            "securityContext": {"runAsUser": 1000},
            "volumes": [
                {"name": "v", "secret": {"secretName": "tls", "items": [{"key": "tls.key", "path": "k"}], "defaultMode": 420}},
                {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}}]}},
            ],
            "containers": [
                {"name": "c", "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]}
            ],
        },
    }
    clean, rows = hidden(pod)
    assert clean == pod
    assert rows == []


def test_a_secrets_manifest_loses_every_value_wherever_it_stands() -> None:
    secret = {"kind": "Secret", "data": {"a": "Zm9v"}, "stringData": {"b": VALUE}}
    clean, _ = hidden({"kind": "App", "spec": {"objects": [secret], "text": json.dumps(secret)}})
    assert clean["spec"]["objects"][0] == {
        "kind": "Secret",
        "data": {"a": marker("secret-object")},
        "stringData": {"b": marker("secret-object")},
    }
    assert VALUE not in json.dumps(clean)


def test_binary_data_of_configmaps_is_hidden() -> None:
    clean, rows = hidden({"kind": "ConfigMap", "binaryData": {"blob": "AAAA"}, "data": {"a": "b"}})
    assert (clean["binaryData"], clean["data"]) == ({"blob": marker("binary-data")}, {"a": "b"})
    assert rows == [("binaryData.blob", "binary-data")]


def test_last_applied_keeps_its_api_version_alone() -> None:
    applied = json.dumps({"apiVersion": "apps/v1", "spec": {"password": VALUE}})
    clean, _ = hidden(
        {"kind": "Deployment", "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied}}}
    )
    assert json.loads(clean["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]) == {
        "apiVersion": "apps/v1"
    }


def test_other_copies_of_objects_in_annotations_are_hidden() -> None:
    annotations = {"kapp.k14s.io/original": "{}" + VALUE, "example.com/last-applied": VALUE}
    clean, _ = hidden({"kind": "Service", "metadata": {"annotations": annotations}})
    assert set(clean["metadata"]["annotations"].values()) == {marker("annotation")}


def test_managed_fields_keep_who_wrote_which_version_when() -> None:
    entry = {"manager": "helm", "operation": "Update", "apiVersion": "batch/v1beta1", "time": "2026-01-01T00:00:00Z"}
    clean, _ = hidden(
        {"kind": "CronJob", "metadata": {"managedFields": [{**entry, "fieldsV1": {"f:spec": {}}, "subresource": "status"}]}}
    )
    assert clean["metadata"]["managedFields"] == [entry]


def test_json_inside_of_a_string_is_opened_and_stays_json() -> None:
    clean, rows = hidden({"kind": "ConfigMap", "data": {"c.json": json.dumps({"db": {"password": VALUE, "port": 5432}})}})
    assert json.loads(clean["data"]["c.json"]) == {"db": {"password": marker("password"), "port": 5432}}
    assert rows == [("data.c.json.db.password", "password")]


def test_docker_configuration_in_json_and_in_base64() -> None:
    config = json.dumps({"auths": {"nvcr.io": {"username": "$oauthtoken", "password": VALUE, "auth": "JG9hdXRo"}}})
    clean, _ = hidden({"kind": "X", "spec": {"a": config, "b": base64.b64encode(config.encode()).decode()}})
    auth = json.loads(clean["spec"]["a"])["auths"]["nvcr.io"]
    assert auth == {"username": "$oauthtoken", "password": marker("password"), "auth": marker("auth")}
    assert clean["spec"]["b"] == marker("base64")


def test_schemas_keep_fields_called_password_but_not_their_defaults() -> None:
    schema = {"properties": {"password": {"type": "string", "description": "The password", "default": VALUE}}}
    clean, rows = hidden({"kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}})
    field = clean["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["password"]
    assert field == {"type": "string", "description": "The password", "default": marker("password")}
    assert len(rows) == 1


def test_a_default_that_is_a_map_is_looked_through() -> None:
    schema = {
        "properties": {"spec": {"type": "object", "default": {"password": VALUE}, "properties": {"default": {"type": "string"}}}}
    }
    clean, _ = hidden({"kind": "CustomResourceDefinition", "spec": {"openAPIV3Schema": schema}})
    spec = clean["spec"]["openAPIV3Schema"]["properties"]["spec"]
    assert (spec["default"], spec["properties"]) == ({"password": marker("password")}, {"default": {"type": "string"}})


def test_conditions_of_an_operand_called_encryption_key_stay() -> None:
    status = {"operands": {"encryption-key": {"ready": True, "reason": "Deployed", "lastTransitionTime": "2026-01-01T00:00:00Z"}}}
    assert hidden({"kind": "RunaiConfig", "status": status})[0]["status"] == status


def test_image_digests_and_certificates_stay() -> None:
    pod = {
        "kind": "Pod",
        "status": {"imageID": "docker-pullable://nvcr.io/x@sha256:" + "a" * 64},
        "spec": {"caBundle": base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").decode()},
    }
    assert hidden(pod) == (pod, [])


def test_an_object_that_is_too_deep_is_refused() -> None:
    value: dict[str, Any] = {}
    for _ in range(400):
        value = {"a": value}
    with pytest.raises(CannotRedactError):
        redact_object(value)


def test_a_shape_that_was_not_foreseen_is_refused_not_written() -> None:
    with pytest.raises(CannotRedactError):
        redact_object({"kind": "Pod", "metadata": {"managedFields": [None]}})


def test_whatever_fails_in_a_rule_costs_the_object_and_not_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError("no such group")

    monkeypatch.setattr("runai_collect.redact.redact_text", fail)
    with pytest.raises(CannotRedactError, match="IndexError"):
        redact_object({"kind": "ConfigMap", "data": {"a": "token: x\ntoken: y"}})


@pytest.mark.parametrize(
    "script",
    [
        "git clone https://bot:Tok3n123@git.bank/r && export API_TOKEN=SLANT01aB SECRET_KEY=SLANT02aB && python train.py",
        "export DB_PASSWORD=SLANT01aB; curl -H 'Authorization: Bearer abcDEF0123456789xyz' https://x",
        "mysql -pTok3n123 -h db; export DB_PASS=SLANT01aB",
        "curl -u me:Tok3n123 https://x --data password=SLANT01aB",
    ],
)
def test_a_known_shape_in_an_argument_keeps_nothing_else_there_from_being_hidden(script: str) -> None:
    pod = {"kind": "Pod", "spec": {"containers": [{"name": "a", "command": ["/bin/sh", "-c", script]}]}}
    text = json.dumps(redact_object(pod)[0])
    assert "SLANT" not in text
    assert "Tok3n123" not in text


SECRET = "Zq55Kx9vBmW3tYp4"


@pytest.mark.parametrize(
    ("command", "args"),
    [(["redis-cli", "-a"], [SECRET]), (["mysql"], ["-uroot", "-p" + SECRET]), (["app", "--password"], [SECRET, "--port=80"])],
)
def test_arguments_behind_a_command_of_its_own_hide_the_same_each_time(command: list[str], args: list[str]) -> None:
    """What was found clean by itself the first time must not be taken for clean behind another word the second time."""
    for _ in range(2):
        value, hidden = redact_object({"command": list(command), "args": list(args)})
        assert value["command"] == command
        assert SECRET not in json.dumps(value)
        assert [entry.where for entry in hidden] == [f"args[{[SECRET in text for text in args].index(True)}]"]


@pytest.mark.parametrize("pair", [["DB_PASSWORD", SECRET], ["X-Auth-Token", SECRET]])
def test_the_second_of_a_pair_is_a_value(pair: list[str]) -> None:
    assert SECRET not in json.dumps(redact_object({"headers": pair, "env": [pair]})[0])


def test_a_list_of_names_is_none_of_pairs() -> None:
    value = {"optional": ["DB_PASSWORD", "DB_USER"], "methods": ["password", "token"], "set": ["A", "B"]}
    assert redact_object(json.loads(json.dumps(value))) == (value, [])


def test_a_key_in_lines_is_hidden_line_by_line() -> None:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", SECRET * 4, SECRET[:9], "-----END RSA PRIVATE KEY-----", "and more"]
    value = redact_object({"lines": list(lines)})[0]["lines"]
    assert SECRET[:9] not in json.dumps(value)
    assert value[4:] == lines[4:]


def test_the_private_parts_of_a_web_key_are_hidden() -> None:
    value, hidden = redact_object({"jwk": {"kty": "EC", "crv": "P-256", "x": "a", "d": "short"}})
    assert value == {"jwk": {"kty": "EC", "crv": "P-256", "x": "a", "d": "«redacted:private-key»"}}
    assert hidden == [("jwk.d", "private-key")]


def test_where_something_was_hidden_holds_no_secret_of_a_key() -> None:
    password, token = "Zq77Kx9vBmW3", "hvs." + "A1b2" * 8
    value = {
        "kind": "X",
        "spec": {f"https://u:{password}@git.example.com": {"token": "abc123def"}, token: [{"token": "a1b2c3d4e5"}]},
    }
    value["data"] = {"kind": "Secret", "data": {token: "x"}}
    changed, hidden = redact_object(value)
    assert len(hidden) == 6
    assert not any(secret in text for secret in (password, token) for text in (str(changed), str(hidden)))
    assert hidden[0].where == "spec.https://«redacted:url-userinfo»@git.example.com.token"


def test_two_keys_with_secrets_stay_two() -> None:
    changed, _ = redact_object({"kind": "X", "spec": {"password=Abc123DefG": {"a": 1}, "password=Abc123DefH": {"b": 2}}})
    assert sorted(changed["spec"].values(), key=str) == [{"a": 1}, {"b": 2}]
