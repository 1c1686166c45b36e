"""What --probe connects to: nothing that the plan does not name, by release and kind of control plane."""

from typing import Any

import pytest
from runai_collect.endpoints import PROBE_CONTROL_PLANE, PROBE_ENDPOINTS, PROBE_RELEASE, choose, notes

CONFIG: dict[str, Any] = {
    "kind": "RunaiConfig",
    "metadata": {"name": "runai", "namespace": "runai"},
    "spec": {
        "__internal": {
            "global": {"clusterURL": "https://gpu.acme.example", "controlPlane": {"url": "https://runai.acme.example:8443"}}
        }
    },
    "status": {"version": "2.25.3"},
}
OLD_SPEC = {"global": {"clusterURL": "http://gpu.acme.example/"}, "controlPlane": {"url": "app.run.ai"}}
OLD_CONFIG = {**CONFIG, "spec": OLD_SPEC, "status": {}}


def hosts(*found: tuple[str, str]) -> set[str]:
    return {endpoint.host for endpoint in choose(found, 100)}


def test_the_urls_of_both_shapes_of_runaiconfig_are_found() -> None:
    assert sorted(notes(CONFIG)) == [
        ("cluster URL", "https://gpu.acme.example"),
        ("control plane", "https://runai.acme.example:8443"),
        ("release", "2.25.3"),
    ]
    assert sorted(notes(OLD_CONFIG)) == [("cluster URL", "http://gpu.acme.example/"), ("control plane", "app.run.ai")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "ConfigMap", "data": {"cluster-version": "2.18.55", "other": "x"}}, [("release", "2.18.55")]),
        ({"kind": "Ingress", "spec": {"rules": [{"host": "a.example"}, {}, {"host": "*.a.example"}]}},
         [("Ingress of Run:ai", "a.example"), ("Ingress of Run:ai", "*.a.example")]),
        ({"kind": "Gateway", "spec": {"listeners": [{"hostname": "b.example"}, {"port": 80}]}},
         [("Gateway of Run:ai", "b.example")]),
        ({"kind": "RunaiConfig", "spec": {"__internal": "odd", "global": [{"clusterURL": 7}]}}, []),
        ({"kind": "RunaiConfig", "spec": None}, []),
        ({"kind": "Pod", "spec": {"rules": [{"host": "c.example"}]}}, []),
    ],
)  # fmt: skip
def test_the_fields_of_the_plan_are_read(value: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert list(notes({**value, "metadata": {"namespace": "runai"}})) == expected
    assert list(notes({**value, "metadata": {"namespace": "default"}})) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://gpu.acme.example", ("gpu.acme.example", 443, True)),
        ("http://GPU.acme.example/x?y=z", ("gpu.acme.example", 80, False)),
        ("https://user:secret@gpu.acme.example:8443/", ("gpu.acme.example", 8443, True)),
        ("gpu.acme.example", ("gpu.acme.example", 443, True)),
        ("10.20.0.10", ("10.20.0.10", 443, True)),
        ("https://[fd00::1]:6443", ("fd00::1", 6443, True)),
    ],
)
def test_an_address_is_host_port_and_tls(text: str, expected: tuple[str, int, bool]) -> None:
    assert expected in [endpoint[:3] for endpoint in choose([("cluster URL", text)], 100)]


@pytest.mark.parametrize("text", ["*.gpu.acme.example", "a b", "https://a:x", "https://", "-x", "a\0b", "https://[::", "ä"])
def test_what_is_no_address_is_left_alone(text: str) -> None:
    assert len(choose([("cluster URL", text)], 100)) == len({one.host for one in PROBE_ENDPOINTS})


def test_each_release_needs_its_own_hosts() -> None:
    """The tables of the network requirements: Google until 2.16, JFrog until 2.24, NGC from 2.25 on."""
    registries = {"runai-charts.storage.googleapis.com", "runai.jfrog.io", "gcr.io", "nvcr.io", "helm.ngc.nvidia.com"}
    for release, expected in (
        ("2.5.1", {"runai-charts.storage.googleapis.com", "gcr.io"}),
        ("v2.16.9", {"runai-charts.storage.googleapis.com", "gcr.io"}),
        ("2.17", {"runai.jfrog.io", "gcr.io"}),
        ("2.24.82", {"runai.jfrog.io", "gcr.io"}),
        ("2.25.0", {"nvcr.io", "helm.ngc.nvidia.com"}),
        ("3.0.1", {"nvcr.io", "helm.ngc.nvidia.com"}),
        ("unknown", registries),
    ):
        assert hosts((PROBE_RELEASE, release)) & registries == expected, release
    assert hosts((PROBE_RELEASE, "2.9.1"), (PROBE_RELEASE, "2.25.1")) & registries == {"nvcr.io", "helm.ngc.nvidia.com"}


def test_saas_and_self_hosted_need_other_hosts() -> None:
    saas, own = hosts((PROBE_CONTROL_PLANE, "https://acme.run.ai")), hosts((PROBE_CONTROL_PLANE, "https://runai.acme.example"))
    assert {"app.run.ai", "runai-prod.auth0.com", "acme.run.ai", "quay.io"} <= saas
    assert {"huggingface.co", "runai.acme.example", "quay.io"} <= own
    assert "huggingface.co" not in saas
    assert not {"app.run.ai", "runailabs.com"} & own
    assert {"app.run.ai", "huggingface.co"} <= hosts()
    assert "app.run.ai" not in hosts((PROBE_CONTROL_PLANE, "https://notrun.ai"))


def test_one_address_is_named_once_with_all_that_it_is() -> None:
    urls = [("cluster URL", "https://a.example/"), ("cluster URL", "https://a.example")]
    found = choose([("Ingress of Run:ai", "a.example"), *urls], 100)
    assert [one for one in found if one.host == "a.example"] == [("a.example", 443, True, ("Ingress of Run:ai", "cluster URL"))]
    assert found == sorted(found)


def test_their_number_is_bounded() -> None:
    assert len(choose([("Ingress of Run:ai", f"h{n}.example") for n in range(1000)], 40)) == 40
