"""The plural names of the kinds that Kubernetes and OpenShift serve themselves, as paths and commands use them.

From the API reference of Kubernetes 1.20 to 1.35 and of OpenShift 4; custom kinds say themselves what they are.
"""

from __future__ import annotations

from collections.abc import Mapping

_KINDS = {
    "": "Node Namespace Pod Service Endpoints ConfigMap Secret ServiceAccount Event PersistentVolume PersistentVolumeClaim "
    "ReplicationController ResourceQuota LimitRange PodTemplate ComponentStatus",
    "apps": "Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision",
    "batch": "Job CronJob",
    "autoscaling": "HorizontalPodAutoscaler",
    "networking.k8s.io": "Ingress IngressClass NetworkPolicy IPAddress ServiceCIDR",
    "storage.k8s.io": "StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
    "scheduling.k8s.io": "PriorityClass",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodDisruptionBudget PodSecurityPolicy",
    "rbac.authorization.k8s.io": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "admissionregistration.k8s.io": "ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy "
    "ValidatingAdmissionPolicyBinding",
    "certificates.k8s.io": "CertificateSigningRequest",
    "coordination.k8s.io": "Lease",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate ResourceSlice DeviceClass",
    "config.openshift.io": "APIServer Authentication Build ClusterOperator ClusterVersion Console DNS FeatureGate Image "
    "ImageContentPolicy Infrastructure Ingress Network Node OAuth OperatorHub Project Proxy Scheduler",
    "route.openshift.io": "Route",
    "apps.openshift.io": "DeploymentConfig",
    "security.openshift.io": "SecurityContextConstraints",
    "machineconfiguration.openshift.io": "MachineConfig MachineConfigPool KubeletConfig ContainerRuntimeConfig",
    "machine.openshift.io": "Machine MachineSet MachineHealthCheck",
    "operators.coreos.com": "CatalogSource ClusterServiceVersion InstallPlan OperatorGroup Subscription",
}
# Where the plural is not the kind in small letters with an s, or es after s and x and ch.
_ODD = {
    "Endpoints": "endpoints",
    "ComponentStatus": "componentstatuses",
    "NetworkPolicy": "networkpolicies",
    "PodSecurityPolicy": "podsecuritypolicies",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "CSIStorageCapacity": "csistoragecapacities",
    "ImageContentPolicy": "imagecontentpolicies",
    "Proxy": "proxies",
    "SecurityContextConstraints": "securitycontextconstraints",
    "DNS": "dnses",
}
# The kinds that have no namespace, of those that a bundle may hold namespace by namespace.
_NO_NAMESPACE = (
    "Node Namespace PersistentVolume StorageClass IngressClass PriorityClass RuntimeClass CSIDriver CSINode VolumeAttachment "
    "VolumeAttributesClass IPAddress ServiceCIDR ClusterRole ClusterRoleBinding CustomResourceDefinition APIService "
    "ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
    "CertificateSigningRequest PodSecurityPolicy FlowSchema PriorityLevelConfiguration DeviceClass ResourceSlice ComponentStatus"
)
CLUSTER_SCOPED = frozenset(_NO_NAMESPACE.split())


def plural_of(kind: str) -> str:
    """Return the plural name of a kind: ``networkpolicies`` of ``NetworkPolicy``."""
    lower = kind.lower()
    if kind in _ODD:
        return _ODD[kind]
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return f"{lower[:-1]}ies"
    return f"{lower}es" if lower.endswith(("s", "x", "ch")) else f"{lower}s"


_BY_PLURAL: Mapping[tuple[str, str], str] = {
    (plural_of(kind), group): kind for group, kinds in _KINDS.items() for kind in kinds.split()
}


def kind_of(plural: str, group: str) -> str:
    """Return the kind of a plural name; empty where this program does not know it, as of custom kinds."""
    return _BY_PLURAL.get((plural.lower(), group), "")


def groups_of(plural: str) -> tuple[str, ...]:
    """Return the groups that have such a plural name, Kubernetes' own first: for formats that leave the group out."""
    return tuple(group for name, group in _BY_PLURAL if name == plural.lower())
