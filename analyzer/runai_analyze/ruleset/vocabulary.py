"""Which kinds and fields there are, so that a rule that names another one is told so.

Kubernetes kinds with their API groups as in Kubernetes 1.37 and the older releases that still run; the fields of made kinds and
of ``facts`` are those of the table of the facts layer. A custom kind is written ``Kind.group`` and its fields are not checked.
"""

from __future__ import annotations

from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS

MADE = "made"

_BY_GROUP = {
    "": "ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate "
    "ReplicationController ResourceQuota Secret Service ServiceAccount",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
    "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "coordination.k8s.io": "Lease",
    "discovery.k8s.io": "EndpointSlice",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodDisruptionBudget PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
}
GROUP_OF = {kind: group for group, kinds in _BY_GROUP.items() for kind in kinds.split()}
# Groups that older API servers answer for a built-in kind.
FORMER_GROUPS = {"Ingress": "extensions", "Event": "events.k8s.io", "PodSecurityPolicy": "extensions"}

_CLUSTER_SCOPED = (
    "Namespace Node PersistentVolume MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
    "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration CustomResourceDefinition "
    "APIService "
    "CertificateSigningRequest ClusterTrustBundle FlowSchema PriorityLevelConfiguration IPAddress IngressClass ServiceCIDR "
    "RuntimeClass PodSecurityPolicy ClusterRole ClusterRoleBinding DeviceClass ResourceSlice PriorityClass CSIDriver CSINode "
    "StorageClass VolumeAttachment VolumeAttributesClass"
)
CLUSTER_SCOPED = frozenset(_CLUSTER_SCOPED.split())

# Custom kinds that rules about Run:ai name, by the word alone; and kinds by the short words of kubectl.
CUSTOM_KINDS = {
    name.partition(".")[0]: name
    for name in (
        "RunaiConfig.run.ai",
        "Project.run.ai",
        "Department.scheduling.run.ai",
        "Queue.scheduling.run.ai",
        "NodePool.run.ai",
        "Prometheus.monitoring.coreos.com",
        "PrometheusRule.monitoring.coreos.com",
        "ServiceMonitor.monitoring.coreos.com",
        "ClusterPolicy.nvidia.com",
        "NVIDIADriver.nvidia.com",
        "KnativeServing.operator.knative.dev",
        "Revision.serving.knative.dev",
        "MPIJob.kubeflow.org",
        "PyTorchJob.kubeflow.org",
        "TFJob.kubeflow.org",
        "XGBoostJob.kubeflow.org",
        "LeaderWorkerSet.leaderworkerset.x-k8s.io",
        "ClusterVersion.config.openshift.io",
        "ClusterOperator.config.openshift.io",
        "Route.route.openshift.io",
        "SecurityContextConstraints.security.openshift.io",
        "Issuer.cert-manager.io",
        "ClusterIssuer.cert-manager.io",
        "Gateway.gateway.networking.k8s.io",
    )
}
_SHORT = (
    "cm=ConfigMap ns=Namespace no=Node pv=PersistentVolume pvc=PersistentVolumeClaim po=Pod rc=ReplicationController "
    "quota=ResourceQuota svc=Service sa=ServiceAccount ev=Event ep=Endpoints limits=LimitRange crd=CustomResourceDefinition "
    "ds=DaemonSet deploy=Deployment rs=ReplicaSet sts=StatefulSet hpa=HorizontalPodAutoscaler cj=CronJob ing=Ingress "
    "netpol=NetworkPolicy pdb=PodDisruptionBudget psp=PodSecurityPolicy pc=PriorityClass sc=StorageClass "
    "csr=CertificateSigningRequest"
)
SHORT_KINDS = dict(pair.split("=") for pair in _SHORT.split())

MADE_KINDS = frozenset(MADE_MEANINGS)
_PATHS = {kind: frozenset(field.path for field in FIELDS if field.kind == kind) for kind in {field.kind for field in FIELDS}}
MADE_FIELDS = {kind: paths for kind, paths in _PATHS.items() if kind in MADE_KINDS}
FACTS = {kind: paths for kind, paths in _PATHS.items() if kind not in MADE_KINDS}
# Facts that hold whatever the customer wrote, so that any path may lead on from them.
OPEN_FACTS = frozenset((field.kind, field.path) for field in FIELDS if field.type == "mapping")

_DISTRIBUTIONS = "vanilla openshift eks gke aks oke rke2 rke1 k3s kind minikube microk8s talos bcm tanzu"
DISTRIBUTIONS = frozenset(_DISTRIBUTIONS.split())
_AREAS = "kubernetes security nodes gpu network certificates monitoring training inference storage images runai"
AREAS = tuple(_AREAS.split())
FEATURES = frozenset(("inference", "distributed", "mpi", "multinode-inference", "autoscaling", "control-plane", "openshift"))


def kind_name(kind: str, group: str | None) -> str:
    """Return a kind as schemas know it: with its group where Kubernetes has no such kind."""
    return kind if group in (None, MADE, GROUP_OF.get(kind)) else f"{kind}.{group}"
