"""Facts about ingress classes: the default one, and the controller that should serve each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import ObjectRef, Unknown
from .gaps import Gaps
from .index import Index, Seen, uses_image
from .reading import dig, labels_of, text, tree, unknown
from .workloads import desired, ready

_DEFAULT = "ingressclass.kubernetes.io/is-default-class"
_Controller = tuple[str, tuple[str, ...], tuple[str, ...]]
# The start of spec.controller; the ends of images and the values of app.kubernetes.io/name by which its workload is known.
_CONTROLLERS: tuple[_Controller, ...] = (
    ("k8s.io/ingress-nginx", ("ingress-nginx/controller", "nginx-ingress-controller"), ("ingress-nginx", "rke2-ingress-nginx")),
    ("nginx.org/ingress-controller", ("nginx/nginx-ingress", "nginx-ic/nginx-plus-ingress"), ("nginx-ingress",)),
    ("haproxy.org/ingress-controller", ("haproxytech/kubernetes-ingress",), ("kubernetes-ingress",)),
    ("haproxy-ingress.github.io/controller", ("/haproxy-ingress",), ("haproxy-ingress",)),
    ("traefik.io/ingress-controller", ("traefik",), ("traefik",)),
    ("openshift.io/ingress-to-route", (), ()),
    ("istio.io/ingress-controller", ("istio/pilot",), ("istiod",)),
    ("projectcontour.io/", ("projectcontour/contour",), ("contour",)),
    ("ingress-controllers.konghq.com/kong", ("kong/kubernetes-ingress-controller",), ("ingress",)),
    ("ingress.k8s.aws/alb", ("aws-load-balancer-controller",), ("aws-load-balancer-controller",)),
    ("cilium.io/ingress-controller", ("cilium/operator-generic", "cilium/operator"), ("cilium-operator",)),
    ("webapprouting.kubernetes.azure.com/nginx", ("ingress/nginx-ingress-controller",), ()),
    ("kgateway.dev/", ("kgateway",), ("kgateway",)),
)
_OPENSHIFT_ROUTER = "openshift-ingress"
_WORKLOADS = (("Deployment", "apps"), ("DaemonSet", "apps"))


def controller_facts(body: Mapping[str, Any], index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``facts.controller`` of an IngressClass."""
    return tree(_controller(text(dig(body, "spec", "controller")), index, gaps))


def ingress_class_origins(body: Mapping[str, Any], index: Index) -> dict[str, ObjectRef]:
    """Return where the facts of an IngressClass come from: those about its controller from the workload, where there is one."""
    known = _known(text(dig(body, "spec", "controller")))
    best = _workload(known, index) if known else None
    return {"facts.controller": best.ref} if best else {}


def is_default(body: Mapping[str, Any]) -> bool:
    """Tell whether the class is annotated as the default one."""
    return text(dig(body, "metadata", "annotations", _DEFAULT)).lower() == "true"


def _controller(controller: str, index: Index, gaps: Gaps) -> dict[str, Any]:
    known = _known(controller)
    if known is None:
        shown = controller[:100] or "(none)"
        return {
            "known": False,
            **_all(unknown("the ingress controller's workload", f"the controller {shown} is in no list of this program")),
        }
    best = _workload(known, index)
    if best:
        return {"known": True, "found": True, "ready": _is_ready(best), "workload": str(best.ref)}
    gap = gaps.of(*_WORKLOADS)
    return {"known": True, **_all(gap)} if gap else {"known": True, "found": False, "ready": False}


def _known(controller: str) -> _Controller | None:
    return next((entry for entry in _CONTROLLERS if controller.startswith(entry[0])), None)


def _workload(known: _Controller, index: Index) -> Seen | None:
    """Return the workload of a controller; of several the one that is ready."""
    matches = (seen for seen in index.workloads() if _serves(seen, known))
    return max(matches, key=lambda seen: (_is_ready(seen), seen.ref.kind, seen.namespace, seen.name), default=None)


def _all(value: Unknown) -> dict[str, Unknown]:
    return dict.fromkeys(("found", "ready", "workload"), value)


def _serves(seen: Seen, known: _Controller) -> bool:
    controller, images, names = known
    if controller == "openshift.io/ingress-to-route":
        return seen.namespace == _OPENSHIFT_ROUTER and seen.name.startswith("router-")
    labels = labels_of(seen.body)
    component = text(labels.get("app.kubernetes.io/component"))
    by_label = labels.get("app.kubernetes.io/name") in names and component in (
        "",
        "controller",
        "ingress-controller",
        "app",
        "istiod",
    )
    return (bool(images) and uses_image(seen, *images)) or by_label


def _is_ready(seen: Seen) -> bool:
    return 0 < desired(seen.body) <= ready(seen.body)
