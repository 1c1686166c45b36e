"""Names that announce a secret, and those that only look so."""

import pytest
from runai_collect.names import harmless_value, names_object, secret_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("NGC_API_KEY", "key"),
        ("CLIENT_SECRET", "secret"),
        ("ENCRYPTION_KEY", "key"),
        ("SESSION_KEY", "key"),
        ("DB_PASSWD", "password"),
        ("APP_CREDENTIALS", "credential"),
        ("adminPassword", "password"),
        ("PGPASSWORD", "password"),
        ("MYSQL_PWD", "password"),
        ("REDISCLI_AUTH", "auth"),
        ("HF_TOKEN", "token"),
        ("authToken", "token"),
        ("apikey", "key"),
        ("S3.ACCESS_KEY", "key"),
        ("AccountKey", "key"),
        ("PASSWORD_PROD", "password"),
        ("DB_PASSWORD_2", "password"),
        ("API_KEY_V2", "key"),
        (".dockerconfigjson", "credential"),
        ("restuserkey", "key"),
        ("secret_id", "secret"),
        ("client-key-data", "key"),
        ("Passwort", "password"),
        ("NGCAPIKey", "key"),
        ("JSESSIONID", "cookie"),
        ("GITHUB_PAT", "token"),
        ("LDAP_BINDPW", "password"),
        ("MAILPASS", "password"),
        ("CONTRASENA", "password"),
        ("SECRETID", "secret"),
        ("secrets", "secret-or-name"),
        ("SSH_PUBLIC_KEY_PASS", "password"),
    ],
)
def test_announces(name: str, family: str) -> None:
    assert secret_family(name) == family


@pytest.mark.parametrize(
    "name",
    [
        "runAsUser",
        "RUN_AS_USER",
        "DATABASE_POOL_SIZE",
        "TOKENIZERS_PARALLELISM",
        "HTTP_USER_AGENT",
        "NO_PROXY",
        "secretName",
        "secretKeyRef",
        "keyCount",
        "topologyKey",
        "key",
        "keys",
        "name",
        "imagePullSecrets",
        "imagePullSecret",
        "tlsSecret",
        "existingSecret",
        "passwordFile",
        "PASSWORD_FILE",
        "tokenExpirationSeconds",
        "max_tokens_per_second",
        "publicKey",
        "SSH_PUBLIC_KEY",
        "ttlSecondsAfterFinished",
        "authorizationPolicy",
        "bypass",
        "compass",
        "author",
        "monkey",
        "keyboard",
        "AUTH_SERVICE_URL",
        "secretRef",
        "tokenReviews",
        "matchLabelKeys",
        "labelKey",
        "password-stdin",
        "discovery-token-ca-cert-hash-algorithm",
        "passthrough",
        "checksum/secret-version",
    ],
)
def test_announces_nothing(name: str) -> None:
    assert secret_family(name) in ("", "opaque")


@pytest.mark.parametrize(
    ("family", "value"),
    [
        ("password", ""),
        ("password", "$(DB_PASSWORD)"),
        ("key", "/etc/tls/tls.key"),
        ("auth", "basic"),
        ("token", "true"),
        ("token", "4096"),
        ("secret", "«redacted:secret»"),
        ("password", "***HIDDEN***"),
        ("key", "{{ .Values.key }}"),
        ("password", "${PASSWORD}"),
    ],
)
def test_values_that_are_no_secret(family: str, value: str) -> None:
    assert harmless_value(family, value)


@pytest.mark.parametrize(
    ("family", "value"),
    [
        ("password", "hunter2"),
        ("password", "12345678"),
        ("password", "/Zm9vYmFy"),
        ("auth", "dXNlcjpwYXNz"),
        ("token", "123456789012"),
        ("key", '{{ default "hunter2" .x }}'),
        ("password", "$ecret"),
    ],
)
def test_values_that_may_be_secrets(family: str, value: str) -> None:
    assert not harmless_value(family, value)


@pytest.mark.parametrize(
    "name",
    [
        "ACCESSKEYID",
        "AWS_ACCESS_KEY_ID",
        "APITOKENPROD",
        "RUNAI_LICENSE",
        "SALT",
        "VAULT_UNSEAL",
        "PASSWORD_FILE_CONTENT",
        "HASH_KEY",
    ],
)
def test_names_that_may_announce_a_secret_do_for_what_a_machine_made(name: str) -> None:
    assert secret_family(name) == "opaque"
    assert not harmless_value("opaque", "Zx81fR4nKenst3in")
    for value in ("runai-tls", "Apache-2.0", "nvidia.com/gpu", "RSA-OAEP-256", "/run/Secrets1/Key", "RunaiCaCertificate", "3600"):
        assert harmless_value("opaque", value)


def test_an_annotation_may_name_a_secret_as_an_object() -> None:
    assert names_object("secret", "runai/basic-auth")
    assert not names_object("secret", "Zm9v/YmFy+")
    assert not names_object("password", "runai/basic-auth")
