"""Which kinds and fields there are, so that a rule that names another one is told so.

Kubernetes kinds with their API groups as in Kubernetes 1.37 and the older releases that still run; the fields of made kinds and
of ``facts`` are those that the facts layer makes. A custom kind is written ``Kind.group`` and its fields are not checked.
"""

from __future__ import annotations

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

_MADE_FIELDS = {
    "Cluster": """
        name kubernetes.version kubernetes.minor distribution.name openshift.version
        runai.version runai.release runai.source runai.installed runai.namespace_exists
        runai.url runai.url_host runai.url_scheme runai.url_is_ip runai.control_plane_url runai.control_plane_here
        gpu_operator.installed gpu_operator.version gpu_operator.namespace gpu_operator.managed_driver driver.versions
        knative.installed knative.version training_operator.installed training_operator.version
        mpi_operator.installed mpi_operator.version mpi_operator.crd_version lws.installed lws.version
        prometheus.installed prometheus.operator_installed prometheus.version prometheus.operator_version
        prometheus_adapter.installed hpa_autoscaler.installed features planned
        nodes.total nodes.ready nodes.gpu nodes.control_plane nodes.worker nodes.system gpus.capacity gpus.allocatable
        ingress.classes ingress.default_classes storage.classes storage.default_classes storage.shared_classes single_node""",
    "GpuNode": """
        metadata.name pci.present nvidia_smi.answered nvidia_smi.ok nvidia_smi.exit_code nvidia_smi.error nvidia_smi.count
        nvidia_smi.driver_version nvidia_smi.cuda_version labels.count labels.product labels.replicas labels.mig_strategy
        capacity allocatable requested expected mig.enabled mig.instances sharing model gap""",
    "GpuDevice": "metadata.name node index uuid product errors ecc.uncorrected temperature mig_mode",
    "Certificate": """
        metadata.name metadata.namespace key subject issuer dns_names not_before not_after self_signed chain_length
        chain_complete private_key key_matches expected_hosts referenced_by""",
    "RunaiDependency": "metadata.name required available reason",
    "CollectionProblem": "metadata.name status message kind",
}
MADE_FIELDS = {kind: frozenset(fields.split()) for kind, fields in _MADE_FIELDS.items()}

_WORKLOAD_FACTS = "desired ready images proxy proxy.http proxy.https proxy.no_proxy proxy.covers_cluster proxy.missing"
_FACTS = {
    "Node": "gpu control_plane runai_system worker ready os_family os_version runtime.name runtime.version",
    "Deployment": _WORKLOAD_FACTS,
    "StatefulSet": _WORKLOAD_FACTS,
    "DaemonSet": _WORKLOAD_FACTS,
    "Namespace": "runai_project system",
    "Pod": "waiting_reasons restarts images unready_reason",
    "IngressClass": "default controller.known controller.found controller.ready controller.workload",
    "StorageClass": "default shared",
    "CustomResourceDefinition": "stored_versions served_versions",
    "Secret": "key_count age",
}
FACTS = {kind: frozenset(f"facts.{name}" for name in names.split()) for kind, names in _FACTS.items()}

_COMMON_ROOTS = "apiVersion kind metadata spec status facts"
_ROOTS = {
    "ConfigMap": "data binaryData immutable",
    "Secret": "type",
    "Event": "reason message type count action eventTime firstTimestamp lastTimestamp involvedObject related "
    "reportingComponent reportingInstance series source",
    "Endpoints": "subsets",
    "EndpointSlice": "addressType endpoints ports",
    "ServiceAccount": "secrets imagePullSecrets automountServiceAccountToken",
    "StorageClass": "provisioner parameters reclaimPolicy volumeBindingMode allowVolumeExpansion mountOptions allowedTopologies",
    "VolumeAttributesClass": "driverName parameters",
    "CSIStorageCapacity": "capacity maximumVolumeSize nodeTopology storageClassName",
    "PriorityClass": "value globalDefault description preemptionPolicy",
    "RuntimeClass": "handler overhead scheduling",
    "MutatingWebhookConfiguration": "webhooks",
    "ValidatingWebhookConfiguration": "webhooks",
    "ClusterRole": "rules aggregationRule",
    "Role": "rules",
    "ClusterRoleBinding": "roleRef subjects",
    "RoleBinding": "roleRef subjects",
    "ControllerRevision": "data revision",
    "PodTemplate": "template",
}
ROOTS = {kind: frozenset(f"{_COMMON_ROOTS} {_ROOTS.get(kind, '')}".split()) for kind in GROUP_OF}
_METADATA = (
    "name namespace labels annotations uid creationTimestamp deletionTimestamp deletionGracePeriodSeconds generation "
    "generateName ownerReferences finalizers resourceVersion managedFields selfLink"
)
METADATA = frozenset(_METADATA.split())

_DISTRIBUTIONS = "vanilla openshift eks gke aks oke rke2 rke1 k3s kind minikube microk8s talos bcm tanzu"
DISTRIBUTIONS = frozenset(_DISTRIBUTIONS.split())
FEATURES = frozenset(("inference", "distributed", "mpi", "autoscaling", "openshift"))
