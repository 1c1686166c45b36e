"""Values that look like secrets by their names and are none: a redactor that hides them makes a bundle useless."""

from dataclasses import dataclass
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import Object


@dataclass(frozen=True)
class Control:
    """A value that is no secret: it must stand in the bundle, in the carrier's object at `path`, exactly as it is here."""

    id: str
    carrier: Object
    path: tuple[str | int, ...]

    @property
    def expected(self) -> Any:
        found: Any = self.carrier
        for step in self.path:
            found = found[step]
        return found


def controls() -> tuple[Control, ...]:
    """What looks like a secret by its name or its neighbours, and is none."""
    env = {
        "RUN_AS_USER": "1000",
        "DATABASE_POOL_SIZE": "20",
        "TOKENIZERS_PARALLELISM": "false",
        "MAX_TOKENS": "4096",
        "MY_USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64) demo/1.0",
        "NO_PROXY": "localhost,127.0.0.1,10.0.0.0/8,.svc,.cluster.local,kubernetes.default",
        "HTTP_PROXY": "http://proxy.example.com:3128",
        "PASSWORD_FILE": "/run/secrets/db/password",
        "PRIMARY_KEY_COLUMN": "id",
        "AWS_REGION": "eu-west-1",
        "TOKENIZER_MODE": "auto",
        "PAD_TOKEN_ID": "0",
        "KEYCLOAK_URL": "https://sso.example.com/auth",
        "TLS_SECRET_NAME": "web-tls",
        "GOOGLE_APPLICATION_CREDENTIALS": "/etc/gcp/key.json",
        "AUTH_ENABLED": "true",
        "SSH_AUTH_SOCK": "/tmp/ssh.sock",
        "MONKEY_PATCH": "gevent",
        "MODEL_URI": "s3://models/llama/weights.bin",
    }
    reference = {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-credentials", "key": "password"}}}
    container: Object = {
        "env": [*({"name": key, "value": value} for key, value in env.items()), reference],
        "args": [
            "--token-ttl=24h",
            "--password-file",
            "/run/secrets/db/password",
            "--authorization-mode=Node,RBAC",
            "server = x;",
        ],
        "image": "registry.example.com/tokenizer@sha256:" + "5e" * 32,
    }
    token = {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607, "audience": "vault"}}
    pod = on.pod("controls", container)
    pod["metadata"]["annotations"] = {
        "nginx.ingress.kubernetes.io/auth-secret": "planted/basic-auth",
        "example.com/config": "location = /x;",
    }
    pod["spec"].update(
        imagePullSecrets=[{"name": "runai-reg-creds"}],
        serviceAccountName="default",
        automountServiceAccountToken=False,
        tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        volumes=[{"name": "token", "projected": {"sources": [token]}}, {"name": "tls", "secret": {"secretName": "web-tls"}}],
        securityContext={"runAsUser": 1000, "fsGroup": 2000},
    )
    spec = {
        "tokenTTLSeconds": 3600,
        "passwordSecretRef": {"name": "db-credentials", "key": "password"},
        "secretName": "db-credentials",
        "maxTokens": 4096,
        "keyRotationEnabled": True,
        "authentication": {"enabled": True, "type": "oidc", "issuerUrl": "https://sso.example.com/realms/runai"},
    }
    custom = on.custom(
        "controls",
        spec,
        {"conditions": [{"type": "TokenValid", "reason": "TokenExpired", "message": "token expired 3 days ago"}]},
    )
    event = on.event(
        "controls",
        'Unable to retrieve some image pull secrets (regcred); pulling may not succeed. secret "a" not found',
    )
    main = ("spec", "containers", 0)
    paths: list[tuple[str, Object, tuple[str | int, ...]]] = [
        *(
            (f"env-{entry['name'].lower()}", pod, (*main, "env", place, "value"))
            for place, entry in enumerate(container["env"][:-1])
        ),
        ("env-secret-reference", pod, (*main, "env", len(env), "valueFrom")),
        *((f"args-{place}", pod, (*main, "args", place)) for place in range(len(container["args"]))),
        ("image-digest", pod, (*main, "image")),
        *((f"annotation-{key}", pod, ("metadata", "annotations", key)) for key in pod["metadata"]["annotations"]),
        *((f"pod-{key}", pod, ("spec", key)) for key in ("imagePullSecrets", "automountServiceAccountToken", "securityContext")),
        ("toleration-key", pod, ("spec", "tolerations", 0, "key")),
        ("token-volume", pod, ("spec", "volumes", 0, "projected", "sources", 0, "serviceAccountToken")),
        ("secret-volume", pod, ("spec", "volumes", 1, "secret", "secretName")),
        *((f"custom-{key}", custom, ("spec", key)) for key in spec),
        ("custom-condition", custom, ("status", "conditions")),
        ("event-message", event, ("message",)),
    ]
    return tuple(Control(name, carrier, path) for name, carrier, path in paths)


CONTROL_LOG = (
    "server = x;\n"
    "location = /x;\n"
    "token expired at 2026-12-01T10:00:00Z, 3 tokens left\n"
    "password authentication is disabled\n"
    "max_tokens=4096 pool_size=20 user=app keyspace=main\n"
    "generated 128 tokens in 3.2 s, tokens_per_second=35.2 keyboard=us\n"
    "authentication: oidc, authorization: RBAC, secret web-tls mounted at /etc/tls\n"
    "sha256:5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e pulled\n"
    "pod planted/db-credentials-7f9c6d5b4-x2x9q uid 0d9a5e52-53a4-4f3c-9d0f-2f6f8f1f8a11 ready\n"
)
