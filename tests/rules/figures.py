"""The figures of the vendor's pages, copied by hand once more, apart from the tables that they hold to account.

Each range by its two ends, so that a slip in the syntax of a range shows too. Source: the prerequisites page (from 2.25 on the
support matrix and the system requirements) of each release.
"""

# release: (lowest, highest) Kubernetes minor version; None: no lower bound is known
KUBERNETES = {
    "2.5": ("1.19", "1.24"),
    "2.7": ("1.21", "1.24"),
    "2.8": ("1.21", "1.24"),
    "2.9": ("1.21", "1.26"),
    "2.10": ("1.21", "1.26"),
    "2.11": ("1.23", "1.27"),
    "2.12": ("1.23", "1.27"),
    "2.13": ("1.23", "1.28"),
    "2.14": ("1.23", "1.27"),
    "2.15": ("1.25", "1.28"),
    "2.16": ("1.26", "1.28"),
    "2.17": ("1.27", "1.29"),
    "2.18": ("1.28", "1.30"),
    "2.19": ("1.28", "1.31"),
    "2.20": ("1.29", "1.32"),
    "2.21": ("1.30", "1.32"),
    "2.22": ("1.31", "1.33"),
    "2.23": ("1.31", "1.34"),
    "2.24": ("1.33", "1.35"),
    "2.25": ("1.33", "1.35"),
    "2.26": (None, "1.36"),
}
OPENSHIFT = {
    "2.5": ("4.6", "4.10"),
    "2.7": ("4.8", "4.10"),
    "2.8": ("4.8", "4.10"),
    "2.9": ("4.8", "4.11"),
    "2.10": ("4.8", "4.11"),
    "2.11": ("4.10", "4.12"),
    "2.12": ("4.10", "4.12"),
    "2.13": ("4.10", "4.13"),
    "2.14": ("4.10", "4.12"),
    "2.15": ("4.11", "4.13"),
    "2.16": ("4.11", "4.14"),
    "2.17": ("4.12", "4.15"),
    "2.18": ("4.12", "4.16"),
    "2.19": ("4.12", "4.17"),
    "2.20": ("4.14", "4.17"),
    "2.22": ("4.15", "4.19"),
    "2.23": ("4.16", "4.19"),
    "2.24": ("4.17", "4.20"),
    "2.25": ("4.18", "4.21"),
}
GPU_OPERATOR = {
    "2.13": ("22.9", "23.3"),
    "2.14": ("22.9", "23.3"),
    "2.15": ("22.9", "23.3"),
    "2.16": ("22.9", "24.6"),
    "2.17": ("22.9", "24.6"),
    "2.18": ("22.9", "24.6"),
    "2.19": ("22.9", "24.6"),
    "2.20": ("22.9", "25.3"),
    "2.21": ("24.9", "25.3"),
    "2.24": ("25.3", "25.10"),
    "2.25": ("25.10", "26.3"),
    "3.0": ("25.10", "26.7.1"),
}
KNATIVE = {
    "2.8": ("1.4", "1.8"),
    "2.9": ("1.4", "1.8"),
    "2.10": ("1.4", "1.8"),
    "2.12": ("1.4", "1.8"),
    "2.13": ("1.4", "1.8"),
    "2.14": ("1.4", "1.8"),
    "2.15": ("1.4", "1.12"),
    "2.16": ("1.4", "1.12"),
    "2.17": ("1.4", "1.12"),
    "2.18": ("1.10", "1.15"),
    "2.19": ("1.10", "1.15"),
    "2.20": ("1.11", "1.16"),
    "2.21": ("1.11", "1.16"),
    "2.22": (None, "1.18"),
    "2.24": ("1.11", "1.18"),
    "2.25": ("1.19", "1.21"),
    "3.0": ("1.21", "1.23"),
}

# (release, column, version, inside): what no pair of ends says
SINGLE = [
    # GPU Operator of the older releases: two islands, with forbidden water between
    ("2.5", "gpu_operator", "1.9.1", True),
    ("2.5", "gpu_operator", "1.8.2", False),
    ("2.7", "gpu_operator", "1.9.0", True),
    ("2.7", "gpu_operator", "1.11.1", False),
    ("2.7", "gpu_operator", "22.9.2", True),
    ("2.7", "gpu_operator", "23.3.0", False),
    ("2.9", "gpu_operator", "22.9.0", True),
    ("2.9", "gpu_operator", "22.9.1", False),
    ("2.9", "gpu_operator", "1.9.0", True),
    ("2.12", "gpu_operator", "23.6.1", True),
    ("2.12", "gpu_operator", "1.11.0", False),
    ("2.13", "gpu_operator_forbidden", "1.10.1", True),
    ("2.13", "gpu_operator_forbidden", "1.11.1", True),
    ("2.13", "gpu_operator_forbidden", "22.9.1", False),
    ("2.9", "gpu_operator_forbidden", "22.9.1", True),
    ("2.9", "gpu_operator_forbidden", "22.9.0", False),
    ("2.17", "gpu_operator_forbidden", "1.11.0", True),
    # Training Operator
    ("2.13", "training_operator", "1.5.0", True),
    ("2.13", "training_operator", "1.4.0", False),
    ("2.15", "training_operator", "1.5.0", True),
    ("2.16", "training_operator", "1.7.0", True),
    ("2.16", "training_operator", "1.6.0", False),
    ("2.18", "training_operator", "1.7.0", True),
    ("2.18", "training_operator", "1.8.1", False),
    ("2.19", "training_operator", "1.8.0", False),
    ("2.20", "training_operator", "1.8.1", True),
    ("2.20", "training_operator", "1.7.0", False),
    ("2.25", "training_operator", "1.9.2", True),
    ("2.25", "training_operator", "1.9.1", False),
    ("3.0", "training_operator", "1.9.4", True),
    # MPI Operator
    ("2.13", "mpi_operator", "0.4.0", True),
    ("2.13", "mpi_operator", "0.3.0", False),
    ("2.9", "mpi_operator", "0.3.0", True),
    ("2.20", "mpi_operator", "0.6.0", True),
    ("2.20", "mpi_operator", "0.5.0", False),
    ("2.25", "mpi_operator", "0.6.0", True),
    ("3.0", "mpi_operator", "0.8.2", True),
    ("3.0", "mpi_operator", "0.8.3", False),
    # the rest
    ("2.25", "prometheus", "3.5.0", True),
    ("2.25", "prometheus", "3.4.2", False),
    ("3.0", "prometheus", "3.13.1", True),
    ("3.0", "prometheus", "3.13.0", False),
    ("2.25", "lws", "0.7.0", True),
    ("2.25", "lws", "0.6.2", False),
    ("2.22", "lws", "0.6.2", True),
    ("2.13", "helm", "3.10.0", True),
    ("2.13", "helm", "3.9.4", False),
    ("2.16", "helm", "3.14.0", True),
    ("2.25", "helm", "3.13.3", False),
]

# (release, column) of the support matrix that nobody states: they must be unknown
UNKNOWN = [
    ("2.21", "openshift"),
    ("2.22", "gpu_operator"),
    ("2.23", "gpu_operator"),
    ("2.23", "knative"),
    ("2.26", "openshift"),
    ("2.26", "gpu_operator"),
    ("3.0", "kubernetes"),
    ("3.0", "openshift"),
    ("2.11", "gpu_operator"),
    ("2.20", "prometheus"),
    ("2.17", "mpi_operator"),
]

# (release, column, confidence): the doubtful ones, which must not raise more than their source carries
CONFIDENCE = [
    ("2.13", "kubernetes", "documented"),
    ("2.25", "gpu_operator", "documented"),
    ("2.8", "kubernetes", "uncertain"),
    ("2.10", "gpu_operator", "uncertain"),
    ("2.11", "kubernetes", "uncertain"),
    ("2.14", "kubernetes", "uncertain"),
    ("2.21", "kubernetes", "third_party"),
    ("2.21", "gpu_operator", "third_party"),
    ("2.22", "kubernetes", "documented"),
    ("2.22", "knative", "third_party"),
    ("2.24", "gpu_operator", "third_party"),
    ("2.24", "knative", "third_party"),
    ("2.24", "helm", "derived"),
    ("2.26", "kubernetes", "derived"),
]

# release: (CPUs, memory in GiB, disk in GB) of each Run:ai system node
SYSTEM_NODES = {
    "2.5": (4, 8, 50),
    "2.9": (4, 8, 50),
    "2.10": (8, 16, 50),
    "2.13": (8, 16, 50),
    "2.18": (8, 16, 50),
    "2.19": (10, 20, 50),
    "2.20": (10, 20, 50),
    "2.25": (10, 20, 50),
}
SYSTEM_NODE_COUNT = {"2.5": 2, "2.13": 2, "2.17": 2, "2.19": 3, "2.25": 3}  # 2.18 states none
WORKER_NODES = {"2.19": (2, 4), "2.20": (2, 4), "2.25": (2, 4)}  # CPUs, GiB; earlier pages state none

FLAGS_2_13 = {
    "kubernetes.podspec-schedulername",
    "kubernetes.podspec-affinity",
    "kubernetes.podspec-tolerations",
    "kubernetes.podspec-volumes-emptydir",
    "kubernetes.podspec-securitycontext",
    "kubernetes.podspec-persistent-volume-claim",
    "kubernetes.podspec-persistent-volume-write",
}
FLAGS_2_20 = FLAGS_2_13 | {
    "kubernetes.containerspec-addcapabilities",
    "kubernetes.podspec-nodeselector",
    "kubernetes.podspec-init-containers",
    "multi-container",
}
FLAGS_2_25_OPENSHIFT = FLAGS_2_20 | {"kubernetes.podspec-fieldref"}
FLAGS_2_25 = FLAGS_2_25_OPENSHIFT | {"kubernetes.podspec-hostipc", "kubernetes.podspec-hostnetwork"}

DISTRIBUTIONS_2_25 = {"vanilla", "openshift", "eks", "gke", "aks", "oke", "rke2"}
NEVER_LISTED = {"k3s", "kind", "minikube", "microk8s", "talos"}
