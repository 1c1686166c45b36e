"""The part of the table of kinds that is about images, Helm releases and lines of logs."""

from __future__ import annotations

from .field import fields

IMAGE = fields(
    "Image",
    ("metadata.name", "text", "the reference as it is written"),
    ("reference", "text", "the same: nvcr.io/nvidia/driver:580.105.08-ubuntu24.04"),
    ("registry", "text", "where it is pulled from, with the port; docker.io where none is written"),
    ("port", "number", "the registry's port; absent when none is written"),
    ("repository", "text", "nvidia/driver; with library/ before Docker's own images"),
    ("tag", "text", "latest where neither tag nor digest is written; absent when only a digest is"),
    ("digest", "text", "sha256:…; absent when none is written"),
    ("by_tag", "bool", "only a tag names it: what it stands for can change"),
    ("problem", "text", "why no container runtime takes the reference; absent when one does"),
    ("containers", "number", "containers of pods that name it, also those that have ended"),
    ("namespaces", "list", "of the pods and workloads that name it"),
    ("workloads", "list", "the Deployments, StatefulSets and DaemonSets that name it: Deployment runai/scheduler"),
    ("pull_failing", "bool", "a container was seen to wait because it cannot be pulled"),
    ("pull_message", "text", "what the kubelet says of that; absent when nothing"),
    (
        "known_component",
        "text",
        "runai gpu-operator network-operator nfd knative training-operator mpi-operator lws prometheus ingress-nginx "
        "kai-scheduler cert-manager; absent for others",
    ),
)
HELM_RELEASE = fields(
    "HelmRelease",
    ("metadata.name", "text", "of the release"),
    ("metadata.namespace", "text", "where it is installed"),
    ("revision", "number", "of the newest revision"),
    ("status", "text", "its word: deployed failed uninstalled uninstalling pending-install pending-upgrade pending-rollback"),
    ("deployed_revision", "number", "the newest that is deployed; absent when none is"),
    ("revisions", "number", "how many revisions are kept"),
    ("updated", "time", "when the newest changed; absent where Helm did not note it"),
    ("charts", "list", "label helm.sh/chart of its workloads, those of charts inside of charts too: gpu-operator-v25.10.1"),
    ("chart", "text", "the name of its chart, by those labels; unknown when they do not tell: gpu-operator"),
    ("chart_version", "text", "25.10.1"),
    ("app_version", "text", "label app.kubernetes.io/version of the workloads of that chart; absent when they have none"),
)
LOG_LINE = fields(
    "LogLine",
    ("metadata.name", "text", "POD/CONTAINER; with .previous for the run before"),
    ("metadata.namespace", "text", "of the pod"),
    ("signature", "text", "id of the signature that the lines match (signatures/ of a pack)"),
    ("title", "text", "what the signature says of them"),
    ("component", "text", "whose message it is"),
    ("namespace", "text", "of the pod"),
    ("pod", "text", "its name"),
    ("container", "text", "whose log it is"),
    ("previous", "bool", "it is the log of the container's run before this one"),
    ("count", "number", "how many lines of this log match"),
    ("line", "number", "the newest of them: its line in the bundle's file"),
    ("text", "text", "the newest of them, without its time, cut at 500 characters"),
    ("time", "time", "when the newest was written"),
    ("first", "time", "when the oldest of them was written"),
    ("last", "time", "the same as time"),
)
