"""Plants in Secrets and ConfigMaps."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tests import plant_objects as on
from tests.plant_objects import LAST_APPLIED, Apply, Make, Patch, Row, Thing
from tests.plant_values import Values


def in_secrets(of: Values) -> Iterable[Row]:
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
        lambda text: [Apply(on.labelled(on.secret("sh.helm.release.v1.app.v1", {"release": text}, "helm.sh/release.v1"), owner))],
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


def in_configs(of: Values) -> Iterable[Row]:
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
