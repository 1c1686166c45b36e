"""Proxy variables, and whether NO_PROXY keeps the cluster's own traffic off the proxy."""

from typing import Any

from .helpers import deployment, is_unknown, item_of, node

SERVICE = {"kind": "Service", "metadata": {"namespace": "default", "name": "kubernetes"}, "spec": {"clusterIP": "10.96.0.1"}}
GOOD = ".svc,.cluster.local,10.96.0.0/12,10.244.0.0/16"


def proxy(env: dict[str, Any], *others: dict[str, Any], **options: Any) -> Any:
    body = deployment("runai", "x", "x:1")
    body["spec"]["template"]["spec"]["containers"][0]["env"] = [
        {"name": name, **(value if isinstance(value, dict) else {"value": value})} for name, value in env.items()
    ]
    return item_of("Deployment", body, SERVICE, node(podCIDR="10.244.3.0/24"), *others, **options)["facts"].get("proxy")


def test_without_proxy_there_is_nothing() -> None:
    assert proxy({"NO_PROXY": GOOD, "OTHER": "x"}) is None


def test_a_no_proxy_that_covers_the_cluster() -> None:
    assert proxy({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": GOOD}) == {
        "https": "http://proxy:3128",
        "no_proxy": [".svc", ".cluster.local", "10.96.0.0/12", "10.244.0.0/16"],
        "covers_cluster": True,
        "missing": [],
    }


def test_names_may_be_written_as_go_and_curl_read_them() -> None:
    found = proxy({"http_proxy": "http://p", "no_proxy": " *.svc , cluster.local,10.0.0.0/8"})
    assert (found["http"], found["covers_cluster"]) == ("http://p", True)


def test_what_is_missing_is_named() -> None:
    found = proxy({"HTTPS_PROXY": "http://p", "NO_PROXY": "localhost,.svc,10.96.0.1"})
    assert (found["covers_cluster"], found["missing"]) == (False, [".cluster.local", "10.244.3.0/24"])
    assert proxy({"HTTPS_PROXY": "http://p"})["missing"] == [".svc", ".cluster.local", "10.96.0.1", "10.244.3.0/24"]


def test_ranges_come_from_the_control_plane_where_it_is_seen() -> None:
    server = {
        "kind": "Pod",
        "metadata": {"namespace": "kube-system", "name": "kube-apiserver-cp1"},
        "spec": {"containers": [{"command": ["kube-apiserver", "--service-cluster-ip-range=10.96.0.0/12,fd00::/108"]}]},
    }
    manager = {
        "kind": "Pod",
        "metadata": {"namespace": "kube-system", "name": "kube-controller-manager-cp1"},
        "spec": {"containers": [{"args": ["--cluster-cidr=10.244.0.0/16"]}]},
    }
    others = [
        {
            **server,
            "metadata": {"namespace": "kube-system", "name": "other"},
            "spec": {"containers": [{"args": ["--cluster-cidr=1.0.0.0/8"]}]},
        },
        {
            **server,
            "metadata": {"namespace": "a", "name": "kube-apiserver"},
            "spec": {"containers": [{"args": ["--cluster-cidr=2.0.0.0/8"]}]},
        },
    ]
    found = proxy({"HTTPS_PROXY": "http://p", "NO_PROXY": ".svc,.cluster.local"}, server, manager, *others)
    assert found["missing"] == ["10.96.0.1", "10.96.0.0/12", "fd00::/108", "10.244.0.0/16"]


def test_what_is_hidden_or_stands_elsewhere_is_unknown() -> None:
    for value in ({"valueFrom": {"configMapKeyRef": {"name": "x", "key": "y"}}}, ".svc,«redacted:url»"):
        found = proxy({"HTTPS_PROXY": "http://p", "NO_PROXY": value})
        assert is_unknown(found["covers_cluster"])
        assert is_unknown(found["missing"])


def test_without_the_api_servers_address_coverage_is_unknown_but_a_lack_is_known() -> None:
    assert is_unknown(proxy({"HTTPS_PROXY": "http://p", "NO_PROXY": GOOD}, not_collected=["Service"])["covers_cluster"])
    assert proxy({"HTTPS_PROXY": "http://p", "NO_PROXY": ".svc"}, not_collected=["Service"])["covers_cluster"] is False
