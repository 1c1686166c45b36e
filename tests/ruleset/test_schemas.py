"""Fields of built-in kinds: what no object has is refused, what an object may have is not."""

import pytest
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.schemas import path_problem


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("Node", 'status.allocatable["nvidia.com/gpu"]'),
        ("Node", "status.conditions[type=Ready].status"),
        ("Node", "spec.taints[*].effect"),
        ("Pod", "spec.containers[*].resources.limits.memory"),
        ("Pod", "status.containerStatuses[*].state.waiting.reason"),
        ("Deployment", "spec.template.spec.containers[name=x].env[name=HTTP_PROXY].value"),
        ("ConfigMap", "data[*]"),
        ("Ingress", "spec.rules[*].http.paths[*].backend.service.port.number"),
        ("StorageClass", "parameters.type"),
        ("CustomResourceDefinition", "spec.versions[*].schema.openAPIV3Schema.properties.spec.type"),
        ("ResourceQuota", "spec.scopeSelector.matchExpressions[*].values"),
        ("ValidatingWebhookConfiguration", "webhooks[*].failurePolicy"),
        ("HorizontalPodAutoscaler", "spec.metrics[*].type"),
        ("Event", "involvedObject.kind"),
        ("NoSuchKind", "anything.goes"),
        ("PodSecurityPolicy", "spec.old"),
    ],
)
def test_there_is_such_a_path(kind: str, path: str) -> None:
    assert path_problem(kind, compile_path(path)) == ""


@pytest.mark.parametrize(
    ("kind", "path", "problem"),
    [
        ("Node", "metadata.lables.x", 'Node has no field "metadata.lables"; did you mean "labels"?'),
        ("Pod", "spec.containers.image", '"spec.containers" of a Pod is a list: write spec.containers[*].image'),
        ("Pod", "spec.containers[*].imag", 'Pod has no field "spec.containers.imag"; did you mean "image"?'),
        ("Pod", "spec.nodeName.x", '"spec.nodeName" of a Pod is a single value, without fields'),
        ("Pod", "spec.nodeName[*]", '"spec.nodeName" of a Pod is no list'),
        ("ConfigMap", "data.x.y", '"data.x" of a ConfigMap is a single value, without fields; write data["x.y"]'),
        (
            "Node",
            "status.conditions[tpye=Ready].status",
            'an element of "status.conditions" has no field "tpye"; did you mean "type"?',
        ),
    ],
)
def test_there_is_no_such_path(kind: str, path: str, problem: str) -> None:
    assert path_problem(kind, compile_path(path)) == problem
