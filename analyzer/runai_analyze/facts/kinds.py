"""The one table of the made kinds and of the facts on Kubernetes kinds: what a rule may name, its type and its meaning.

``runai-rules facts KIND`` prints it, and the linter checks ``cluster.X`` and ``facts.X`` against it. A test holds it against what
the facts really make.
"""

from __future__ import annotations

from .field import Field
from .field import fields as _fields
from .kinds_pods import CONTAINER, EVENT_GROUP
from .kinds_texts import HELM_RELEASE, IMAGE, LOG_LINE

CLUSTER = _fields(
    "Cluster",
    ("name", "text", "the cluster's name in the customer's kubeconfig"),
    ("kubernetes.version", "text", "gitVersion of the API server, with the vendor's suffix: v1.33.5-eks-3025e55"),
    ("kubernetes.minor", "text", "major.minor: 1.33"),
    ("distribution.name", "text", "vanilla openshift eks gke aks oke rke2 rke1 k3s kind minikube microk8s talos bcm tanzu"),
    ("openshift.version", "text", "last completed version of ClusterVersion; absent where this is not OpenShift"),
    ("runai.version", "text", "2.25.14, or what --runai-version says; absent when Run:ai is not installed"),
    ("runai.release", "text", "2.25; unknown when Run:ai is not installed and --runai-version was not given"),
    ("runai.source", "text", "where the version comes from: bundle or option"),
    ("runai.bundle_version", "text", "the version that the bundle shows, also when the option names another"),
    ("runai.installed", "bool", "a RunaiConfig, runai-public or the operator is there"),
    ("runai.namespace_exists", "bool", "the namespace runai exists"),
    ("runai.url", "text", "the cluster URL in RunaiConfig"),
    ("runai.url_host", "text", "its host"),
    ("runai.url_scheme", "text", "its scheme; absent when the URL is a bare host"),
    ("runai.url_is_ip", "bool", "its host is an IP address"),
    ("runai.control_plane_url", "text", "the control plane's URL in RunaiConfig"),
    ("runai.control_plane_host", "text", "its host"),
    ("runai.control_plane_here", "bool", "the namespace runai-backend holds workloads"),
    ("gpu_operator.installed", "bool", "the Deployment of the NVIDIA GPU Operator is there"),
    ("gpu_operator.version", "text", "25.10.1"),
    ("gpu_operator.namespace", "text", "where it runs"),
    ("gpu_operator.managed_driver", "bool", "ClusterPolicy lets the operator install the driver; absent without a ClusterPolicy"),
    ("driver.versions", "list", "the different driver versions on the GPU nodes"),
    ("knative.installed", "bool", "Knative Serving is there"),
    ("knative.version", "text", "the version of Serving"),
    ("training_operator.installed", "bool", "the Kubeflow Training Operator is there"),
    ("training_operator.version", "text", "its version; unknown when its image tag names a commit"),
    ("mpi_operator.installed", "bool", "the MPI Operator is there"),
    ("mpi_operator.version", "text", "its version"),
    ("mpi_operator.crd_version", "text", "the version in which MPIJobs are stored: v2beta1; absent without the CRD"),
    ("lws.installed", "bool", "LeaderWorkerSet is there"),
    ("lws.version", "text", "its version"),
    ("prometheus.installed", "bool", "the Prometheus Operator, or a Prometheus beside Run:ai's own, is there"),
    ("prometheus.version", "text", "the customer's Prometheus; Run:ai's own where there is no other"),
    ("prometheus.operator_installed", "bool", "the Prometheus Operator is there"),
    ("prometheus.operator_version", "text", "its version"),
    ("prometheus.stack_version", "text", "the chart version of kube-prometheus-stack; absent when it was installed otherwise"),
    ("prometheus_adapter.installed", "bool", "the Prometheus adapter is there"),
    ("hpa_autoscaler.installed", "bool", "the HPA extension of Knative is there"),
    (
        "features",
        "list",
        "what is installed or planned: inference distributed mpi multinode-inference autoscaling control-plane openshift",
    ),
    ("planned", "list", "what --planned named"),
    ("nodes.total", "number", "all nodes"),
    ("nodes.ready", "number", "nodes that are Ready"),
    ("nodes.gpu", "number", "nodes that should have GPUs"),
    ("nodes.gpu_os", "list", "the different operating systems on them, as facts.os_family of Node names them"),
    ("nodes.control_plane", "number", "nodes with a control-plane role"),
    ("nodes.worker", "number", "nodes that are no control plane, or take pods all the same"),
    ("nodes.system", "number", "nodes for Run:ai's services (see facts.runai_system of Node)"),
    ("gpus.capacity", "number", "GPUs and MIG devices in the nodes' capacity"),
    ("gpus.allocatable", "number", "GPUs and MIG devices that are allocatable"),
    ("ingress.classes", "list", "names of the IngressClasses"),
    ("ingress.default_classes", "list", "those annotated as default"),
    ("storage.classes", "list", "names of the StorageClasses"),
    ("storage.default_classes", "list", "those annotated as default"),
    (
        "storage.shared_classes",
        "list",
        "those whose volumes many nodes can mount; unknown when only unknown provisioners are there",
    ),
    ("single_node", "bool", "the cluster has one node"),
)
GPU_NODE = _fields(
    "GpuNode",
    ("metadata.name", "text", "the node"),
    ("pci.present", "bool", "Node Feature Discovery saw an NVIDIA device on the PCI bus"),
    ("nvidia_smi.answered", "bool", "nvidia-smi ran on the node, with or without success"),
    ("nvidia_smi.ok", "bool", "it listed GPUs and reported no error"),
    ("nvidia_smi.exit_code", "number", "its exit code"),
    ("nvidia_smi.error", "text", "its error message; absent when there is none"),
    ("nvidia_smi.count", "number", "the GPUs that it listed"),
    ("nvidia_smi.driver_version", "text", "580.105.08"),
    ("nvidia_smi.cuda_version", "text", "13.0"),
    ("labels.count", "number", "label nvidia.com/gpu.count"),
    ("labels.product", "text", "label nvidia.com/gpu.product"),
    ("labels.replicas", "number", "label nvidia.com/gpu.replicas"),
    ("labels.mig_strategy", "text", "label nvidia.com/mig.strategy"),
    ("capacity", "number", "GPUs and MIG devices in the node's capacity"),
    ("allocatable", "number", "GPUs and MIG devices that are allocatable"),
    ("requested", "number", "what the pods on the node hold of them"),
    ("expected", "number", "what allocatable should show, with MIG and sharing counted"),
    ("mig.enabled", "bool", "a GPU of the node is cut into MIG devices"),
    ("mig.instances", "number", "the MIG devices"),
    ("topology.gpu_links", "list", "the different links between its GPUs: NV18, or PIX PXB PHB NODE SYS; none with one GPU"),
    ("sharing", "bool", "time slicing or MPS offers a GPU several times"),
    ("model", "text", "the product as nvidia-smi or the label names it"),
    ("gap", "text", "the first stage at which GPUs are lost; absent when none is"),
)
GPU_DEVICE = _fields(
    "GpuDevice",
    ("metadata.name", "text", "node/index"),
    ("node", "text", "the node"),
    ("index", "number", "its place in nvidia-smi's list"),
    ("uuid", "text", "GPU-…"),
    ("product", "text", "NVIDIA H100 80GB HBM3"),
    ("errors", "list", "the cells that read ERR! or Unknown Error"),
    ("ecc.uncorrected", "number", "uncorrectable memory errors since the driver was loaded; absent on models without ECC"),
    ("ecc.aggregate_uncorrected", "number", "the same over the GPU's life"),
    ("temperature", "number", "°C"),
    ("mig_mode", "text", "Enabled or Disabled; absent on models without MIG"),
    ("bus_id", "text", "its place on the PCI bus: 00000000:06:00.0"),
    ("memory", "text", "of the whole card, as a quantity: 81559Mi"),
    ("retired_pages.double_bit", "number", "memory pages retired for errors of two bits; absent on models from Ampere on"),
    ("retired_pages.pending", "bool", "pages wait for a restart to be retired"),
    ("remapped_rows.pending", "bool", "memory rows wait for a reset to be remapped; absent on models before Ampere"),
    ("remapped_rows.failed", "bool", "no spare row is left, the card has to be replaced"),
    ("recovery_action", "text", "what the driver asks for: Reset, Reboot; absent when nothing, and from older drivers (560)"),
)
HOST = _fields(
    "Host",
    ("metadata.name", "text", "the machine; its node's name where it is a node of the cluster"),
    ("os", "text", "Ubuntu 22.04.4 LTS"),
    ("kernel", "text", "5.15.0-105-generic"),
    ("driver.module", "text", "version of the NVIDIA kernel module that is loaded; absent when none is"),
    ("driver.library", "text", "version of the library that nvidia-smi uses"),
    ("driver.mismatch", "bool", "the two versions differ, or nvidia-smi says so"),
    ("modules.nvidia", "bool", "the kernel module nvidia is loaded"),
    ("modules.nouveau", "bool", "the kernel module nouveau is loaded"),
    ("xids.codes", "list", "the Xid errors in the kernel's log, each number once"),
    ("xids.grave", "list", "those after which a GPU needs a reset or a replacement, and its place on the bus: 79 on 0000:3b:00"),
    ("xids.lines", "list", "the newest line of each, the grave ones first"),
    ("memory_kills", "number", "lines in the kernel's log about processes that were killed because memory ran out"),
    ("secure_boot", "bool", "Secure Boot is on"),
    ("clock.synchronized", "bool", "the clock follows a time server"),
    ("disks.used", "number", "per cent of the fullest disk that are in use"),
    ("proxies", "list", "proxy variables of the shell and of services, each with where it is set"),
    ("runtime.nvidia", "bool", "the settings of the container runtime name NVIDIA's"),
    ("runtime.default", "text", "the default runtime in them; absent when they name none"),
)
CERTIFICATE = _fields(
    "Certificate",
    ("metadata.namespace", "text", "of its Secret"),
    ("metadata.name", "text", "of its Secret"),
    ("key", "text", "the key of the Secret: tls.crt"),
    ("subject", "text", "RFC 4514"),
    ("issuer", "text", "RFC 4514"),
    ("dns_names", "list", "subject alternative names, DNS and IP"),
    ("is_ca", "bool", "it may sign others"),
    ("not_before", "time", "valid from"),
    ("not_after", "time", "valid until"),
    ("self_signed", "bool", "it signed itself"),
    ("chain_length", "number", "certificates in the key, the leaf counted"),
    ("chain_complete", "bool", "each is signed by the next one; a leaf alone only when it signed itself"),
    ("private_key", "text", "yes or no: the Secret holds a private key"),
    ("key_matches", "text", "yes or no: it belongs to the certificate"),
    ("expected_hosts", "list", "the hosts that Run:ai, Ingresses and Gateways expect it to cover; none for keys beside tls.crt"),
    ("uncovered_hosts", "list", "those that none of its names is valid for; a wildcard stands for one label"),
    ("referenced_by", "list", "the objects that name its Secret"),
)
OTHERS = (
    *_fields(
        "RunaiDependency",
        ("metadata.name", "text", "prometheus"),
        ("required", "bool", "it stands under required"),
        ("available", "bool", "Run:ai found it"),
        ("reason", "text", "why not"),
    ),
    *_fields(
        "CollectionProblem",
        ("metadata.name", "text", "the step, or the member of the bundle"),
        (
            "status",
            "text",
            "forbidden timeout error skipped truncated damaged not_planned; exposed: values of a Secret stood in it",
        ),
        ("message", "text", "what happened"),
        ("about", "text", "the kind that is lacking; absent when it is no list"),
    ),
)
REAL = (
    *_fields(
        "Node",
        ("facts.gpu", "bool", "it should have GPUs: a label, a resource or nvidia-smi says so"),
        ("facts.control_plane", "bool", "it has a control-plane role"),
        (
            "facts.runai_system",
            "bool",
            "label runai-system; where no node has it, schedulable nodes that are neither GPU nor control plane, else all",
        ),
        ("facts.worker", "bool", "it is no control plane, or takes pods all the same"),
        ("facts.ready", "bool", "condition Ready is True"),
        (
            "facts.os_family",
            "text",
            "ubuntu rhel rhcos cos amazon-linux bottlerocket oracle-linux sles debian flatcar windows talos other",
        ),
        ("facts.os_version", "text", "22.04.4"),
        ("facts.runtime.name", "text", "containerd cri-o docker"),
        ("facts.runtime.version", "text", "1.7.13"),
        ("facts.capacity.cpu", "number", "cores of the machine"),
        ("facts.capacity.memory", "number", "bytes of memory that its kernel sees: a machine sold as 16 GiB shows about 15.6"),
        ("facts.capacity.ephemeral_storage", "number", "bytes of the file system that containers and logs stand on"),
        ("facts.allocatable.cpu", "number", "cores that pods may have"),
        ("facts.allocatable.memory", "number", "bytes of memory that pods may have"),
        ("facts.allocatable.ephemeral_storage", "number", "bytes of that file system that pods may have"),
        ("facts.huge_pages", "number", "bytes of memory set aside as huge pages, which allocatable memory lacks too"),
        ("facts.reserved.cpu", "number", "cores kept back for the system and the kubelet: capacity without allocatable"),
        ("facts.reserved.memory", "number", "bytes kept back: capacity without allocatable and huge pages"),
        ("facts.reserved.ephemeral_storage", "number", "bytes kept back of that file system"),
        ("facts.reserved_share.cpu", "number", "percent of the capacity that is kept back: 6.25"),
        ("facts.reserved_share.memory", "number", "percent of the capacity that is kept back"),
        ("facts.reserved_share.ephemeral_storage", "number", "percent of the capacity that is kept back"),
    ),
    *(
        field
        for kind in ("Deployment", "StatefulSet", "DaemonSet")
        for field in _fields(
            kind,
            ("facts.desired", "number", "pods that should run"),
            ("facts.ready", "number", "pods that are ready"),
            ("facts.images", "list", "images of all containers"),
            ("facts.pull_failing", "bool", "one of its pods was seen to wait for an image that cannot be pulled"),
            ("facts.proxy.http", "text", "HTTP_PROXY; facts.proxy is absent when no proxy is set"),
            ("facts.proxy.https", "text", "HTTPS_PROXY"),
            ("facts.proxy.no_proxy", "list", "the entries of NO_PROXY"),
            ("facts.proxy.covers_cluster", "bool", "NO_PROXY holds .svc, .cluster.local and the cluster's known addresses"),
            ("facts.proxy.missing", "list", "what it does not hold"),
        )
    ),
    *_fields(
        "Namespace",
        ("facts.runai_project", "bool", "label runai/queue, or name runai-<project>"),
        ("facts.system", "bool", "it belongs to Kubernetes or its platform"),
    ),
    *_fields(
        "Pod",
        ("facts.waiting_reasons", "list", "why containers wait: ImagePullBackOff"),
        ("facts.restarts", "number", "of all containers together"),
        ("facts.images", "list", "images of all containers"),
        ("facts.unready_reason", "text", "why it is not ready; absent when it is, or has ended well"),
    ),
    *_fields(
        "IngressClass",
        ("facts.default", "bool", "annotated as default"),
        ("facts.controller.known", "bool", "this program knows the controller's workload"),
        ("facts.controller.found", "bool", "the workload is there; unknown when the controller is not known"),
        ("facts.controller.ready", "bool", "all its pods are ready"),
        ("facts.controller.workload", "text", "Deployment ns/name; absent when not found"),
    ),
    *_fields(
        "StorageClass",
        ("facts.default", "bool", "annotated as default"),
        ("facts.shared", "text", "yes or no: many nodes can mount a volume, by the provisioner"),
    ),
    *_fields(
        "CustomResourceDefinition",
        ("facts.stored_versions", "list", "status.storedVersions"),
        ("facts.served_versions", "list", "versions that are served"),
    ),
    *_fields(
        "Secret",
        ("facts.key_count", "number", "how many keys it has"),
        ("facts.age", "text", "its age as kubectl prints it"),
    ),
    *_fields(
        "ConfigMap",
        ("facts.keys", "list", "the names of its keys, where its data was not collected"),
        (
            "facts.parsed",
            "mapping",
            'what its keys hold as YAML or JSON: facts.parsed["config.yaml"].server.port; unknown with the reason where a key '
            "cannot be read (plain text, several documents, aliases, too long)",
        ),
    ),
)
FIELDS: tuple[Field, ...] = (
    *CLUSTER,
    *CONTAINER,
    *EVENT_GROUP,
    *GPU_NODE,
    *GPU_DEVICE,
    *HOST,
    *CERTIFICATE,
    *IMAGE,
    *HELM_RELEASE,
    *LOG_LINE,
    *OTHERS,
    *REAL,
)


# What one object of a made kind is; a new made kind has its line here.
MADE_MEANINGS = {
    "Cluster": "the cluster as a whole: versions, distribution, what is installed; there is exactly one",
    "Container": "one container of a pod, also those that initialise it and stand beside it",
    "EventGroup": "events that say the same about the same owner, folded into one, with how often and whether it still is so",
    "GpuNode": "one node that should have GPUs, with how many of them each layer sees",
    "GpuDevice": "one GPU that nvidia-smi lists",
    "Host": "one machine whose own files are there: from runai-collect node, a bug report of NVIDIA or a sos report",
    "Certificate": "one leaf certificate in a Secret, with the hosts that it is expected to cover",
    "Image": "one image reference that containers or workloads name, with who names it and whether it can be pulled",
    "HelmRelease": "one release that Helm installed, by its newest revision",
    "LogLine": "the lines of one container's log that match one known message (signatures/ of a pack), as far as logs were read",
    "RunaiDependency": "one line of what Run:ai says about the programs that it depends on",
    "CollectionProblem": "one thing that the bundle should hold and does not, or that could not be read",
}


# What every object of a made kind has beside its name and namespace, so that a message may say it unlooked at.
ALWAYS = {
    "Container": frozenset(("container", "owner.kind", "owner.name", "type")),
    "EventGroup": frozenset(
        ("count", "first", "last", "message", "object_count", "objects", "owner.kind", "owner.name", "reason")
    ),
    "HelmRelease": frozenset(("revision", "status")),
    "Image": frozenset(("containers", "namespaces", "reference")),
    "LogLine": frozenset(("container", "count", "namespace", "pod", "signature", "text", "title")),
}


def fields_of(kind: str) -> tuple[Field, ...]:
    """Return the fields of a made kind, or the facts on a Kubernetes kind; empty for kinds that have none."""
    return tuple(field for field in FIELDS if field.kind == kind)


def cluster_paths() -> frozenset[str]:
    """Return every path that ``cluster.`` may be followed by in a rule: ``runai.release``."""
    return frozenset(field.path for field in CLUSTER)


# apiVersion of kinds that rules name, for examples that leave it out.
_API_VERSIONS = {
    "v1": "Node Namespace Pod Event Service Endpoints ConfigMap Secret PersistentVolume PersistentVolumeClaim ResourceQuota "
    "LimitRange ServiceAccount ReplicationController",
    "apps/v1": "Deployment StatefulSet DaemonSet ReplicaSet",
    "batch/v1": "Job CronJob",
    "networking.k8s.io/v1": "Ingress IngressClass NetworkPolicy",
    "storage.k8s.io/v1": "StorageClass CSIDriver CSINode VolumeAttachment",
    "scheduling.k8s.io/v1": "PriorityClass",
    "node.k8s.io/v1": "RuntimeClass",
    "policy/v1": "PodDisruptionBudget",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "discovery.k8s.io/v1": "EndpointSlice",
    "coordination.k8s.io/v1": "Lease",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "admissionregistration.k8s.io/v1": "ValidatingWebhookConfiguration MutatingWebhookConfiguration",
    "rbac.authorization.k8s.io/v1": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "run.ai/v1": "RunaiConfig",
    "run.ai/v1alpha1": "NodePool",
    "run.ai/v2": "Project",
    "scheduling.run.ai/v2": "Queue Department",
    "scheduling.run.ai/v2alpha2": "PodGroup",
    "nvidia.com/v1": "ClusterPolicy",
    "nvidia.com/v1alpha1": "NVIDIADriver",
    "mellanox.com/v1alpha1": "NicClusterPolicy",
    "monitoring.coreos.com/v1": "Prometheus ServiceMonitor PodMonitor Alertmanager PrometheusRule",
    "operator.knative.dev/v1beta1": "KnativeServing",
    "kubeflow.org/v2beta1": "MPIJob",
    "kubeflow.org/v1": "PyTorchJob TFJob XGBoostJob JAXJob",
    "leaderworkerset.x-k8s.io/v1": "LeaderWorkerSet",
    "gateway.networking.k8s.io/v1": "Gateway GatewayClass HTTPRoute",
    "config.openshift.io/v1": "ClusterVersion ClusterOperator Infrastructure",
    "made/v1": " ".join(MADE_MEANINGS),
}
_BY_KIND = {kind: version for version, kinds in _API_VERSIONS.items() for kind in kinds.split()}


def api_version_of(kind: str) -> str:
    """Return the apiVersion of a kind by its bare name; ``v1`` for one that is in no list here."""
    return _BY_KIND.get(kind, "v1")
