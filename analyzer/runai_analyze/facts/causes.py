"""What the message of an event says is wrong, in one word: a table of the words that kubelet, scheduler and registries use.

The words are those of the programs themselves, in small letters: the kubelet (pkg/kubelet/events, images, volumemanager), the
scheduler's plugins (``ErrReason…`` of pkg/scheduler/framework/plugins), KAI Scheduler's and so Run:ai's, the API server's
admission (quota, PodSecurity, webhooks), containerd and CRI-O for what registries answer (error codes of the OCI distribution
specification: MANIFEST_UNKNOWN, UNAUTHORIZED, DENIED, TOOMANYREQUESTS), and Go's net and crypto/x509 packages for names,
connections and certificates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Sign:
    """A cause, by words in the message (parts joined by ``…`` must all be there), or by the reason of the event alone.

    ``about``: an image, a place to run; empty: anything.
    """

    cause: str
    words: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    about: str = ""


IMAGE, PLACE = "image", "place"
# Of several causes in a message the first one of this table is told first.
SIGNS = (
    Sign("bad-image-name", ("invalidimagename", "couldn't parse image", "invalid reference format"), ("InspectFailed",), IMAGE),
    Sign("never-pull", ("errimageneverpull", "is not present with pull policy of never"), ("ErrImageNeverPull",), IMAGE),
    Sign("rate-limit", ("toomanyrequests", "too many requests"), (), IMAGE),
    Sign(
        "unauthorized",
        (
            "unauthorized",
            "authentication required",
            "authorization failed",
            "no basic auth credentials",
            "pull access denied",
            "requested access to the resource is denied",
            "403 forbidden",
            "insufficient_scope",
        ),
        (),
        IMAGE,
    ),
    Sign("image-not-found", ("not found", "manifest unknown", "name unknown", "does not exist"), (), IMAGE),
    Sign("wrong-platform", ("no match for platform", "no matching manifest for"), (), IMAGE),
    Sign("no-space", ("no space left on device",)),
    Sign("dns", ("no such host", "server misbehaving", "temporary failure in name resolution")),
    Sign("tls", ("x509: ", "tls: ", "server gave http response to https client")),
    Sign("timeout", ("i/o timeout", "context deadline exceeded", "tls handshake timeout", "awaiting headers", "timed out")),
    Sign("connection", ("connection refused", "connection reset", "no route to host", "network is unreachable")),
    Sign("no-gpu", ("insufficient nvidia.com/", "enough resources: gpu"), (), PLACE),
    Sign("no-cpu", ("insufficient cpu", "enough resources: cpu"), (), PLACE),
    Sign("no-memory", ("insufficient memory", "enough resources: memory"), (), PLACE),
    Sign("no-storage", ("insufficient ephemeral-storage", "did not have enough free storage"), (), PLACE),
    Sign("taint", ("untolerated taint", "had taint", "had taints", "that the pod didn't tolerate"), (), PLACE),
    Sign("affinity", ("node affinity/selector", "pod affinity", "anti-affinity", "node selector", "topology spread"), (), PLACE),
    Sign("cordoned", ("were unschedulable",), (), PLACE),
    Sign("too-many-pods", ("too many pods",), (), PLACE),
    Sign("gang", ("required for gang scheduling",), (), PLACE),
    Sign("missing-claim", ('persistentvolumeclaim "…" not found',)),
    Sign("volume", ("volume node affinity conflict", "persistentvolumeclaim"), (), PLACE),
    Sign("no-node", ("no nodes available to schedule pods",), (), PLACE),
    Sign("node-not-ready", ("nodenotready", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"), (), PLACE),
    Sign("missing-secret", ('secret "…" not found', "references non-existent secret")),
    Sign("missing-configmap", ('configmap "…" not found', "references non-existent config key")),
    Sign("missing-service-account", ("service account…not found", 'serviceaccount "…" not found')),
    Sign("volume", (), ("FailedMount", "FailedAttachVolume", "FailedMapVolume", "ProvisioningFailed", "VolumeResizeFailed")),
    Sign("quota", ("exceeded quota", "failed quota", "insufficient quota", "over quota", "quota has reached the allowable")),
    Sign("pod-security", ("violates podsecurity", "unable to validate against any security context constraint")),
    Sign("webhook", ("failed calling webhook", "admission webhook")),
    Sign("no-runtime", ('no runtime for "',)),
    Sign("cdi", ("unresolvable cdi devices",)),
    Sign("network", ("networkplugin", "cni", "failed to setup network for sandbox"), ("NetworkNotReady",)),
    Sign("probe", (), ("Unhealthy", "ProbeWarning")),
    Sign("crash", ("restarting failed container",), ("CrashLoopBackOff",)),
    Sign("oom", ("oomkilled",), ("OOMKilling", "SystemOOM")),
    Sign("evicted", (), ("Evicted", "EvictionThresholdMet", "TaintManagerEviction")),
    Sign("node-not-ready", (), ("NodeNotReady",)),
)
CAUSES = tuple(dict.fromkeys(sign.cause for sign in SIGNS))

_PULLING = ("pull image", "pulling image", "errimagepull", "imagepullbackoff", "errimageneverpull", "invalidimagename")
_IMAGE_REASONS = ("ErrImageNeverPull", "InspectFailed", "Pulling", "Pulled")
_PLACE_REASONS = ("FailedScheduling", "Unschedulable", "NotTriggerScaleUp")
_IMAGE = re.compile(r'image "([^"\s]{1,500})"')


def causes_of(reason: str, message: str) -> list[str]:
    """Return the causes that a message names, the most telling one first; empty when it names none."""
    said, about = message.lower(), what_about(reason, message)
    found = (sign.cause for sign in SIGNS if sign.about in ("", about) and _shows(sign, reason, said))
    return list(dict.fromkeys(found))


def _shows(sign: Sign, reason: str, said: str) -> bool:
    return reason in sign.reasons or any(all(part in said for part in word.split("…")) for word in sign.words)


def what_about(reason: str, message: str) -> str:
    """Tell what an event is about: an image, a place to run, or something else (empty)."""
    if reason in _PLACE_REASONS:
        return PLACE
    said = message[:200].lower()
    return IMAGE if reason in _IMAGE_REASONS or any(word in said for word in _PULLING) else ""


def image_in(message: str) -> str:
    """Return the image that a message of the kubelet names; empty when it names none."""
    match = _IMAGE.search(message)
    return match[1] if match else ""
