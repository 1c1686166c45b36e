"""What is read, as data: kinds, ConfigMaps, certificates, containers to ask, logs, limits. No I/O."""

from fnmatch import fnmatchcase
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple
from urllib.parse import quote

from . import layout


class Limits(NamedTuple):
    """The bounds of one run. Times in seconds, sizes in bytes."""

    page: int = 500                 # objects a list page; 500 is kubectl's own figure and keeps a page near 4 MB of pods
    first_page: int = 100           # what the first page of a list asks for: nobody knows yet how large its objects are
    page_target: int = 2 << 20      # bytes at which the next pages of a list aim; one of twice as many is asked for anew
    list_workers: int = 4           # the API server charges lists by size: no more in parallel
    exec_workers: int = 8
    requests_per_second: int = 100  # twice what one kubelet may send (kubeAPIQPS of Kubernetes 1.27 and later); retries count
    request_timeout: float = 60.0   # silence on a socket; the API server itself gives up after 60
    request_total: float = 180.0    # one answer, however slowly it drips
    answer: int = 16 << 20          # no answer is read beyond this: twice the largest object that etcd can be set up for
    values: int = 180000            # of one page: in memory each takes up to 300 bytes; an object alone may have twice as many
    attempts: int = 5
    preflight: float = 2.0          # seconds in which questions of what is refused are put, before the long part
    check: float = 30.0             # the same when nothing else is wanted
    preflight_answer: float = 5.0   # and in which their answers must have come: a dead server is seen early
    refusals: int = 5               # kinds refused in a namespace before the others are not asked there
    exec_timeout: float = 30.0
    exec_output: int = 2 << 20      # nvidia-smi -q -x of sixteen GPUs is about 300 KB
    log_lines: int = 2000
    log_bytes: int = 2 << 20        # the newest bytes of one container's log
    log_read: int = 64 << 20        # read of one log before giving up
    log_total: int = 256 << 20
    log_line: int = 64 << 10
    log_pods_healthy: int = 3       # pods an owner
    log_pods_unhealthy: int = 5
    log_pods: int = 600
    referenced_certificates: int = 300
    probe_workers: int = 8
    probe_timeout: float = 5.0      # of each phase: connection, TLS, HTTP
    probe_total: float = 10.0       # of one endpoint, its name resolution in it
    probes: int = 40
    deadline: float = 900.0
    archive: int = 2 << 30          # bytes of the bundle

    def fitted(self) -> "Limits":
        """Return limits whose pages and logs are small beside a small bundle, so that much of everything finds room in it."""
        return self._replace(first_page=max(1, min(self.first_page, self.archive >> 15)),
                             page_target=min(self.page_target, self.archive // 16),
                             log_bytes=min(self.log_bytes, self.archive // 8))


def quoted(name: str) -> str:
    """Return a name as one part of a path: whatever it is, it leads to no other path."""
    return quote(name, safe="", errors="replace")


class Kind(NamedTuple):
    """One kind to list. ``version`` is asked only when discovery fails; else the server's preferred version is used."""

    group: str
    plural: str
    version: str
    kind: str
    namespaced: bool
    page: int = 0                   # objects a page; 0 is the limit's own

    def path(self, namespace: str = "") -> str:
        """Return the API path of its list: of one namespace, or of the whole cluster."""
        root = "/apis/%s/%s" % (self.group, self.version) if self.group else "/api/" + self.version
        return "%s/namespaces/%s/%s" % (root, quoted(namespace), self.plural) if namespace else "%s/%s" % (root, self.plural)


NAMESPACES = Kind("", "namespaces", "v1", "Namespace", False)
POD = Kind("", "pods", "v1", "Pod", True)
SECRET = Kind("", "secrets", "v1", "Secret", True)      # in no list of objects

# The first two are read first; then the custom kinds of EARLY_GROUPS, then these, then the other custom kinds: what is cheap and
# tells most comes first, so that a short deadline costs least.
KINDS: Tuple[Kind, ...] = (
    Kind("", "nodes", "v1", "Node", False),
    NAMESPACES,
    POD,
    Kind("", "events", "v1", "Event", True),
    Kind("", "configmaps", "v1", "ConfigMap", True, 50),        # up to 1 MiB each
    Kind("apps", "deployments", "v1", "Deployment", True),
    Kind("apps", "daemonsets", "v1", "DaemonSet", True),
    Kind("apps", "statefulsets", "v1", "StatefulSet", True),
    Kind("apps", "replicasets", "v1", "ReplicaSet", True),
    Kind("apiextensions.k8s.io", "customresourcedefinitions", "v1", "CustomResourceDefinition", False, 20),  # up to 1 MB each
    Kind("apiregistration.k8s.io", "apiservices", "v1", "APIService", False),
    Kind("storage.k8s.io", "storageclasses", "v1", "StorageClass", False),
    Kind("storage.k8s.io", "csidrivers", "v1", "CSIDriver", False),
    Kind("storage.k8s.io", "volumeattachments", "v1", "VolumeAttachment", False),
    Kind("networking.k8s.io", "ingressclasses", "v1", "IngressClass", False),
    Kind("networking.k8s.io", "ingresses", "v1", "Ingress", True),
    Kind("networking.k8s.io", "networkpolicies", "v1", "NetworkPolicy", True),
    Kind("", "services", "v1", "Service", True),
    Kind("discovery.k8s.io", "endpointslices", "v1", "EndpointSlice", True),
    Kind("", "persistentvolumes", "v1", "PersistentVolume", False),
    Kind("", "persistentvolumeclaims", "v1", "PersistentVolumeClaim", True),
    Kind("", "resourcequotas", "v1", "ResourceQuota", True),
    Kind("", "limitranges", "v1", "LimitRange", True),
    Kind("batch", "jobs", "v1", "Job", True),
    Kind("batch", "cronjobs", "v1", "CronJob", True),
    Kind("autoscaling", "horizontalpodautoscalers", "v2", "HorizontalPodAutoscaler", True),
    Kind("policy", "poddisruptionbudgets", "v1", "PodDisruptionBudget", True),
    Kind("scheduling.k8s.io", "priorityclasses", "v1", "PriorityClass", False),
    Kind("node.k8s.io", "runtimeclasses", "v1", "RuntimeClass", False),
    Kind("admissionregistration.k8s.io", "validatingwebhookconfigurations", "v1", "ValidatingWebhookConfiguration", False),
    Kind("admissionregistration.k8s.io", "mutatingwebhookconfigurations", "v1", "MutatingWebhookConfiguration", False),
    Kind("certificates.k8s.io", "certificatesigningrequests", "v1", "CertificateSigningRequest", False),
)

# Leases are read of this namespace alone: the heartbeat of each node. Every other lease is somebody's leader election.
NODE_LEASES = Kind("coordination.k8s.io", "leases", "v1", "Lease", True)
NODE_LEASE_NAMESPACE = "kube-node-lease"

# Every kind of these API groups is listed, found through discovery.
CUSTOM_GROUPS: FrozenSet[str] = frozenset((
    "run.ai", "scheduling.run.ai", "kai.scheduler", "nvidia.com", "optimization.nvidia.com", "resource.nvidia.com",
    "nfd.k8s-sigs.io", "mellanox.com", "kubeflow.org", "monitoring.coreos.com", "leaderworkerset.x-k8s.io",
    "gateway.networking.k8s.io", "cert-manager.io", "config.openshift.io", "resource.k8s.io"))
CUSTOM_GROUP_ENDINGS: Tuple[str, ...] = (".run.ai", ".kai.scheduler", ".knative.dev")

# CRDs of these groups keep their whole schemas; of all others a digest of each schema stands.
WHOLE_SCHEMAS: FrozenSet[str] = frozenset(("run.ai", "scheduling.run.ai", "nvidia.com", "kai.scheduler"))
EARLY_GROUPS: Tuple[str, ...] = ("run.ai", "kai.scheduler", "nvidia.com")       # and all whose names end so


class Extra(NamedTuple):
    """What a plan file adds. ``configmaps`` and ``logs`` are patterns of shells of NAMESPACE/NAME."""

    name: str = ""
    sha256: str = ""
    kinds: Tuple[Kind, ...] = ()
    groups: Tuple[str, ...] = ()
    configmaps: Tuple[str, ...] = ()        # kept with their data
    logs: Tuple[str, ...] = ()              # pods whose logs are read like Run:ai's


def custom_group(group: str, extra: Extra = Extra()) -> bool:  # noqa: B008 - it cannot be changed
    """Return whether every kind of an API group is read."""
    return group in CUSTOM_GROUPS or group in extra.groups or group.endswith(CUSTOM_GROUP_ENDINGS)


RUNAI_NAMESPACES: Tuple[str, ...] = ("runai", "runai-backend", "runai-reservation", "runai-scale-adjust")
# Where containers with nvidia-smi stand: the only namespaces in which a role grants exec.
EXEC_NAMESPACES: Tuple[str, ...] = ("gpu-operator", "nvidia-gpu-operator", "gpu-operator-resources", "nvidia-dra-driver-gpu")
GPU_NAMESPACES: Tuple[str, ...] = EXEC_NAMESPACES + ("nvidia-network-operator",)
# A container is NVIDIA's, as its name says, in these namespaces, and in that which the status of one of these cluster-wide kinds
# names as the GPU Operator's: everywhere else a user may have made it.
SMI_NAMESPACES: Tuple[str, ...] = GPU_NAMESPACES + ("kube-system", "nvidia-device-plugin", "gpu-resources")
OPERATOR_KINDS: Tuple[Tuple[str, str], ...] = (("nvidia.com", "ClusterPolicy"), ("nvidia.com", "NVIDIADriver"))
LOG_NAMESPACES: Tuple[str, ...] = RUNAI_NAMESPACES + GPU_NAMESPACES     # in which logs of healthy pods are read too
# Tried one by one where namespaces cannot be listed, after the context's own.
KNOWN_NAMESPACES: Tuple[str, ...] = RUNAI_NAMESPACES + GPU_NAMESPACES + ("knative-serving", "knative-operator", "kourier-system",
                                                                      "monitoring", "kubeflow", "mpi-operator", "lws-system")


# ConfigMaps that are kept with their data, as patterns of shells of NAMESPACE/NAME; of every other one the key names, sizes and
# keyed digests stand.
CONFIGMAPS_WITH_DATA: Tuple[str, ...] = (
    "runai/runai-public", "knative-serving/config-*", "kube-system/coredns", "kube-system/rke2-coredns-rke2-coredns",
    "kube-system/kube-dns", "kube-system/kubeadm-config", "openshift-dns/dns-default") + tuple([
        "%s/*%s*" % (namespace, word) for namespace in ("gpu-operator", "nvidia-gpu-operator", "gpu-operator-resources")
        for word in ("device-plugin", "plugin-config", "mig-parted", "mig-config", "time-slicing", "mps", "sharing")])


def configmap_with_data(namespace: str, name: str, more: Tuple[str, ...] = ()) -> bool:
    """Return whether a ConfigMap is kept with its data; ``more`` are the patterns of a plan file."""
    return matches(CONFIGMAPS_WITH_DATA + more, namespace, name)


def matches(patterns: Tuple[str, ...], namespace: str, name: str) -> bool:
    """Return whether NAMESPACE/NAME fits one of the patterns."""
    return any(fnmatchcase("%s/%s" % (namespace, name), pattern) for pattern in patterns)


# TLS and CA Secrets of Run:ai, by namespace and name (Run:ai 2.13 to 2.25 installation guides). Beside them those that an
# Ingress or a Gateway names. They are read whole, one by one; only public certificates leave memory.
CERTIFICATE_SECRETS: Tuple[Tuple[str, str], ...] = (
    ("runai", "runai-cluster-domain-tls-secret"),
    ("runai", "runai-cluster-domain-star-tls-secret"),
    ("runai", "runai-cluster-inference-tls-secret"),
    ("knative-serving", "runai-cluster-inference-tls-secret"),
    ("runai-backend", "runai-backend-tls"),
    ("runai", "runai-ca-cert"),
    ("runai-backend", "runai-ca-cert"),
    ("openshift-monitoring", "runai-ca-cert"),
    ("runai", "runai-cluster-git-ca"))


class SmiContainer(NamedTuple):
    """A container that may have nvidia-smi."""

    name: str
    program: str = "nvidia-smi"     # how it is called there
    pod_word: str = ""              # what the pod's name must hold


# In the order in which they are asked: the driver's own first. Programs are started as plain argv, never through a shell:
# recent images hold none (dcgm-exporter 4.6.0 and later are distroless).
SMI_CONTAINERS: Tuple[SmiContainer, ...] = (
    SmiContainer("nvidia-driver-ctr"),
    SmiContainer("nvidia-device-plugin"),
    SmiContainer("nvidia-dcgm-exporter"),
    SmiContainer("nvidia-dcgm"),
    SmiContainer("gpu-feature-discovery"),
    SmiContainer("nvidia-mig-manager"),
    SmiContainer("gpus", pod_word="nvidia-dra-driver"),
    SmiContainer("nvidia-device-plugin-ctr"),
    SmiContainer("nvidia-gpu-device-plugin", program="/usr/local/nvidia/bin/nvidia-smi"),
)
# With --exec-host: chroot into the host, or into the driver's own root, where these containers mount it. The folders of the host
# are those in which the GPU Operator's validator looks.
SMI_HOST_CONTAINERS: Tuple[str, ...] = ("nvidia-container-toolkit-ctr", "nvidia-device-plugin", "nvidia-mig-manager")
SMI_HOST_PROGRAMS: Tuple[Tuple[str, ...], ...] = tuple([
    ("chroot", "/host", folder + "/nvidia-smi")
    for folder in ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/lib/wsl/lib", "/opt/bin")
] + [("chroot", "/driver-root", "nvidia-smi")])
SMI_USER_PODS = 3               # with --exec-user-pods: pods of users that are asked on a node at most, after all others
SMI_TIMEOUTS = 2                # containers of a node in which nvidia-smi hung, before the others are not asked
SMI_QUERY: Tuple[str, ...] = ("-q", "-x")
SMI_TABLE: Tuple[str, ...] = ()
SMI_TOPOLOGY: Tuple[str, ...] = ("topo", "-m")

# A node with one of these labels (any value but "false"), or with one of these resources, should have GPUs.
GPU_LABELS: Tuple[str, ...] = (
    "nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-10de.present", "feature.node.kubernetes.io/pci-0302_10de.present",
    "feature.node.kubernetes.io/pci-0300_10de.present", "cloud.google.com/gke-accelerator", "k8s.amazonaws.com/accelerator",
    "kubernetes.azure.com/accelerator",
)
GPU_RESOURCES: Tuple[str, ...] = ("nvidia.com/gpu", "nvidia.com/mig-")
GPU_DRIVER = "nvidia-driver-ctr"        # a node with this container, running or not, should have GPUs too

# Where nvidia-smi did not answer, in this order: the exporter's page, through the API server (pods/proxy, so not with --no-exec);
# the logs of the validator's init containers, which print nvidia-smi's table; labels and ResourceSlices, which are read anyway.
DCGM_CONTAINER, DCGM_PORT = "nvidia-dcgm-exporter", 9400
DCGM_PATH = "/api/v1/namespaces/%s/pods/%s:%d/proxy/metrics"
LOG_CONTAINERS: Tuple[str, ...] = ("nvidia-operator-validator", "nvidia-container-toolkit-ctr")    # and those of SMI_CONTAINERS
VALIDATOR, VALIDATIONS = "nvidia-operator-validator", ("driver-validation", "toolkit-validation")
GPU_TELLING_LABELS = ("nvidia.com/gpu.product", "nvidia.com/cuda.driver-version.full", "nvidia.com/gpu.count")
GPU_SLICES = "gpu.nvidia.com"           # the driver whose ResourceSlices tell of GPUs


# What is run of kubectl or oc, beside `kubectl exec` of the programs above. Inside a pod without a kubeconfig nothing is: the API
# server is asked directly, as the pod's service account.
KUBECTL_CONFIG: Tuple[str, ...] = ("config", "view", "--minify", "-o", "json")
KUBECTL_PROXY: Tuple[str, ...] = ("proxy", "--reject-methods=POST,PUT,PATCH,DELETE")
KUBECTL_EXEC: Tuple[str, ...] = ("exec", "-n", "NAMESPACE", "POD", "-c", "CONTAINER", "--")     # capitals stand for others


# What is read beside lists. Of Secrets a table of names is asked for, and one whole for its certificate alone.
TEXTS: Tuple[Tuple[str, str, str], ...] = (("version", "/version", layout.VERSION), ("livez", "/livez?verbose", layout.LIVEZ),
                                           ("readyz", "/readyz?verbose", layout.READYZ))
DISCOVERY: Tuple[str, ...] = ("/api", "/apis")              # and, of a server older than 1.26, each group and version of them
NAMESPACE_PATH = "/api/v1/namespaces/%s"
NAMESPACE_QUERY = "?fieldSelector=metadata.name%%3D%s"      # the one of the list, where it may be listed and not read
HELM_SELECTOR = (("labelSelector", "owner=helm"),)
HELM_PREFIX = "sh.helm.release.v1."     # how the names of Helm's own Secrets begin; a label anybody can set
HELM_LABELS: Tuple[str, ...] = ("name", "owner", "status", "version", "modifiedAt")     # those that Helm 3 sets itself
LOG_PATH = "/api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true&tailLines=%d"
LOG_CHECK = ("/api/v1/namespaces/%s/pods/%s/log", "tailLines=1&limitBytes=1")       # one byte shows whether it is allowed


# What a user must be allowed for a bundle in which nothing is refused, as one line says it.
RIGHTS = "list every kind in the whole cluster, get pods/log and create pods/exec"


class Options(NamedTuple):
    """What a person asked for on the command line, beside where the cluster is."""

    namespaces: Tuple[str, ...] = ()
    exec_: bool = True
    logs: bool = True
    secrets: bool = True
    certificates: bool = True
    limits: Limits = Limits()
    exclude: Tuple[str, ...] = ()   # kinds, namespaces and paths that are left out
    only: Tuple[str, ...] = ()      # when given, the only ones that are read
    since: float = 0.0              # logs of this many seconds back; 0: all there is
    user_pods: bool = False         # run nvidia-smi also in users' workloads
    host: bool = False              # run nvidia-smi also through chroot into the host that a system container mounts
    probe: bool = False             # connect from here to the endpoints that Run:ai needs
    extra: Extra = Extra()          # what a plan file adds

    def log_path(self, namespace: str, pod: str, container: str) -> str:
        """Return the API path of the newest lines of a container's log."""
        path = LOG_PATH % (quoted(namespace), quoted(pod), quoted(str(container)), self.limits.log_lines)
        return path + ("&sinceSeconds=%d" % self.since if self.since else "")

    def record(self) -> Dict[str, object]:
        """Return what bundle.json says about this run."""
        return {
            "namespaces": list(self.namespaces), "exec": self.exec_, "logs": self.logs, "secrets": self.secrets,
            "certificates": self.certificates, "exclude": list(self.exclude), "only": list(self.only),
            "since_seconds": self.since, "exec_user_pods": self.user_pods, "exec_host": self.host, "probe": self.probe,
            "plan_file": {"name": self.extra.name, "sha256": self.extra.sha256} if self.extra.name else None,
            "log_lines": self.limits.log_lines, "deadline_seconds": self.limits.deadline,
            "max_size_bytes": self.limits.archive, "concurrency": self.limits.list_workers,
            "requests_per_second": self.limits.requests_per_second,
        }


class Target(NamedTuple):
    """One planned kind beside what discovery said: ``version`` is what to list; ``absent`` is why it cannot be, else ""."""

    kind: Kind
    absent: str = ""
    certain: bool = True            # of ``absent``: known not to be served, or only not known


def targets(served: Optional[List[Kind]], stale_groups: FrozenSet[str],
            extra: Extra = Extra()) -> List[Target]:  # noqa: B008 - it cannot be changed
    """Return every kind to list, in the order in which they are read.
    ``served`` is in the server's order of preference. None: discovery failed; built-in kinds are tried at their own version."""
    named = {(kind.group, kind.plural): kind for kind in extra.kinds + KINDS}
    planned = list(KINDS) + [kind for key, kind in sorted(named.items()) if kind not in KINDS]
    if served is None:
        return [Target(kind) for kind in planned]
    best: Dict[Tuple[str, str], Kind] = {}
    for kind in served:
        best.setdefault((kind.group, kind.plural), kind)
    found = [_built_in(kind, best.get((kind.group, kind.plural)), stale_groups) for kind in planned]
    custom = [Target(best[key]) for key in sorted(best) if custom_group(key[0], extra) and key not in named]
    early = [target for target in custom if ("." + target.kind.group).endswith(tuple(["." + group for group in EARLY_GROUPS]))]
    return found[:2] + early + found[2:] + [target for target in custom if target not in early]


def _built_in(kind: Kind, resource: Optional[Kind], stale_groups: FrozenSet[str]) -> Target:
    if resource is not None:
        return Target(kind._replace(version=resource.version, namespaced=resource.namespaced))
    if kind.group in stale_groups:
        return Target(kind, "discovery of this API group failed", False)
    if stale_groups:
        return Target(kind, "discovery was not complete, and did not list it", False)
    return Target(kind, "not served by this cluster", True)
