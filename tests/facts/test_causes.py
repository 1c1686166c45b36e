"""What messages say is wrong. The messages are those of real clusters, names changed."""

import re

import pytest
from runai_analyze.facts.causes import CAUSES, IMAGE, PLACE, SIGNS, causes_of, image_in, what_about
from runai_analyze.facts.kinds import fields_of

PULL = 'Failed to pull image "nvcr.io/nvidia/driver:580": '


@pytest.mark.parametrize(
    ("reason", "message", "causes"),
    [
        ("Failed", PULL + 'code = NotFound desc = failed to resolve reference "nvcr.io/x": not found', ["image-not-found"]),
        ("Failed", PULL + "rpc error: code = Unknown desc = manifest unknown: manifest unknown", ["image-not-found"]),
        (
            "Failed",
            PULL + "Error from daemon: pull access denied for x, repository does not exist or may require 'docker login'",
            ["unauthorized", "image-not-found"],
        ),
        (
            "Failed",
            PULL + "failed to authorize: failed to fetch oauth token: unexpected status: 401 Unauthorized",
            ["unauthorized"],
        ),
        ("Failed", PULL + "dial tcp: lookup nvcr.io on 10.96.0.10:53: no such host", ["dns"]),
        ("Failed", PULL + 'Get "https://nvcr.io/v2/": net/http: TLS handshake timeout', ["timeout"]),
        ("Failed", PULL + "dial tcp 10.1.1.1:443: i/o timeout", ["timeout"]),
        ("Failed", PULL + "dial tcp 10.1.1.1:443: connect: connection refused", ["connection"]),
        ("Failed", PULL + "tls: failed to verify certificate: x509: certificate signed by unknown authority", ["tls"]),
        ("Failed", PULL + "http: server gave HTTP response to HTTPS client", ["tls"]),
        ("Failed", PULL + "toomanyrequests: You have reached your pull rate limit.", ["rate-limit"]),
        ("Failed", PULL + "no match for platform in manifest: not found", ["image-not-found", "wrong-platform"]),
        ("Failed", PULL + "write /var/lib/containerd/x: no space left on device", ["no-space"]),
        (
            "InspectFailed",
            'Failed to apply default image tag "X:Y": couldn\'t parse image reference "X:Y": invalid',
            ["bad-image-name"],
        ),
        ("ErrImageNeverPull", 'Container image "x" is not present with pull policy of Never', ["never-pull"]),
        ("BackOff", 'Back-off pulling image "nvcr.io/nvidia/driver:580"', []),  # says that it waits, and not why
        ("Failed", "Error: ImagePullBackOff", []),
        ("BackOff", "Back-off restarting failed container driver in pod a_b(0)", ["crash"]),
        (
            "FailedScheduling",
            "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available",
            ["no-gpu"],
        ),
        (
            "FailedScheduling",
            "0/9 nodes are available: 2 Insufficient cpu, 3 Insufficient memory, 4 node(s) had untolerated taint {a: b}.",
            ["no-cpu", "no-memory", "taint"],
        ),
        ("FailedScheduling", "0/5 nodes are available: 1 node(s) didn't match pod anti-affinity rules", ["affinity"]),
        ("FailedScheduling", "0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector.", ["affinity"]),
        ("FailedScheduling", "0/5 nodes are available: 5 node(s) had volume node affinity conflict.", ["volume"]),
        ("FailedScheduling", "0/6 nodes are available: 6 pod has unbound immediate PersistentVolumeClaims.", ["volume"]),
        ("FailedScheduling", 'persistentvolumeclaim "data" not found', ["missing-claim", "volume"]),
        ("FailedScheduling", "0/3 nodes are available: 3 node(s) were unschedulable.", ["cordoned"]),
        ("FailedScheduling", "no nodes available to schedule pods", ["no-node"]),
        (
            "FailedScheduling",
            "0/1 nodes are available: 1 node(s) had taint {node.kubernetes.io/not-ready: }, that the pod didn't tolerate.",
            ["taint", "node-not-ready"],
        ),
        (
            "Unschedulable",
            "Resources were found for 1 pods while 2 are required for gang scheduling. Additional pods cannot be scheduled: "
            "no nodes with enough resources were found: 5 node(s) didn't have enough resources: GPUs.",
            ["no-gpu", "gang"],
        ),
        ("Unschedulable", "team-a quota has reached the allowable limit of GPUs. Limit is 8 GPUs", ["quota"]),
        ("FailedMount", 'MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found', ["missing-secret", "volume"]),
        ("FailedMount", 'MountVolume.SetUp failed for volume "c" : configmap "conf" not found', ["missing-configmap", "volume"]),
        ("FailedCreate", 'Error creating: pods "x-" is forbidden: exceeded quota: q, requested: cpu=1', ["quota"]),
        (
            "FailedCreate",
            'Error creating: pods "c-" is forbidden: service account kube-system/c was not found, retry after it is created',
            ["missing-service-account"],
        ),
        ("FailedCreate", 'pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged', ["pod-security"]),
        (
            "FailedCreate",
            'failed calling webhook "w.run.ai": Post "https://w": context deadline exceeded',
            ["timeout", "webhook"],
        ),
        ("FailedCreatePodSandBox", 'failed to get sandbox runtime: no runtime for "nvidia" is configured', ["no-runtime"]),
        ("Failed", "Error: CDI device injection failed: unresolvable CDI devices management.nvidia.com/gpu=GPU-0", ["cdi"]),
        ("FailedCreatePodSandBox", 'plugin type="calico" failed (add): failed to setup network for sandbox "0"', ["network"]),
        ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500", ["probe"]),
        ("Evicted", "The node was low on resource: ephemeral-storage.", ["evicted"]),
        ("NodeNotReady", "Node n1 status is now: NodeNotReady", ["node-not-ready"]),
        ("Scheduled", "Successfully assigned a/b to n1", []),
    ],
)
def test_causes(reason: str, message: str, causes: list[str]) -> None:
    assert causes_of(reason, message) == causes


def test_words_about_images_mean_nothing_in_other_events() -> None:
    assert causes_of("FailedMount", "the thing was not found") == ["volume"]
    assert causes_of("Unhealthy", "Readiness probe failed: 403 Forbidden") == ["probe"]


def test_what_an_event_is_about() -> None:
    assert what_about("Failed", PULL) == IMAGE
    assert what_about("Pulled", 'Container image "x" already present on machine') == IMAGE
    assert what_about("FailedScheduling", "0/1 nodes are available") == PLACE
    assert what_about("BackOff", "Back-off restarting failed container") == ""


@pytest.mark.parametrize(
    ("message", "image"),
    [
        (PULL, "nvcr.io/nvidia/driver:580"),
        ('Back-off pulling image "reg.example:5000/a@sha256:00"', "reg.example:5000/a@sha256:00"),
        ("Error: ImagePullBackOff", ""),
        (f'image "{"x" * 501}"', ""),
    ],
)
def test_the_image_in_a_message(message: str, image: str) -> None:
    assert image_in(message) == image


def test_the_table_of_kinds_names_every_cause_and_no_other() -> None:
    (row,) = (field for field in fields_of("EventGroup") if field.path == "causes")
    assert set(re.findall(r"[a-z-]+", row.meaning.partition(": ")[2])) == set(CAUSES)


def test_words_are_in_small_letters_as_messages_are_compared() -> None:
    assert all(word == word.lower() for sign in SIGNS for word in sign.words)
