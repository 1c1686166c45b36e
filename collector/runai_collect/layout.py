"""The bundle contract: member paths, field names and closed sets of format 1. Imported by the analyzer; imports nothing.

A bundle is a gzip'd tar with one top folder. ``bundle.json`` is its first member, ``manifest.json`` its last; a bundle without a
readable manifest was cut. A list is a row of members ``0001.jsonl`` …: one object a line, one page of the list a member."""

FORMAT = 1

BUNDLE = "bundle.json"
README = "README.txt"
MANIFEST = "manifest.json"
VERSION = "cluster/version.json"
LIVEZ = "cluster/livez.txt"
READYZ = "cluster/readyz.txt"
DISCOVERY = "cluster/discovery.json"
RESOURCES = "resources/"
CONFIGMAPS = "configmaps/"
SECRETS = "secrets/"
HELM = "helm/"
CERTIFICATES = "certificates/"
NODES = "nodes/"
NODE = "node/"              # of a bundle whose bundle.json says SCOPE_NODE: what runai-collect node read of one machine
SCOPE_NODE = "node"
LOGS = "logs/"
PROBES = "probes/"
REDACTIONS = "redactions/"

NVIDIA_SMI_XML = "nvidia-smi.xml"
NVIDIA_SMI_TEXT = "nvidia-smi.txt"
NVIDIA_SMI_TOPO = "nvidia-smi-topo.txt"
NODE_SOURCE = "source.json"
# Where nvidia-smi did not answer.
DCGM_METRICS = "dcgm-metrics.txt"
VALIDATOR_LOG = "validator.log"
# What nvidia-smi saw where it answered, in source.json: a user's pod has only its own GPUs.
ALL_GPUS = "all of the node's GPUs"
PART_OF_GPUS = "part of the node's GPUs"

# A step says what was asked and how it ended. "There are none" (empty) and "we could not look" are never the same status.
STATUSES = ("ok", "empty", "forbidden", "not_found", "timeout", "error", "skipped", "truncated")
# Of a whole bundle, in its manifest.
STATES = ("complete", "interrupted", "deadline", "size-limit")

# How the message begins of a step that was left out because of -n.
RESTRICTED = "restricted to namespaces "
# How the message begins of a step that was left out, or lacks something, because of --exclude or --only; and how it goes on when
# a list of the whole cluster lacks the objects of some namespaces (names and patterns; both, with "; " between, are possible).
LEFT_OUT = "left out on request: "
WITHOUT = "objects of the namespaces %s (--exclude)"
ONLY_OF = "objects of all namespaces but %s (--only)"

# How the message begins of a step of which ``remove`` took members out (how many of how many follows), and what stands before the
# message that the step had till then.
REMOVED = "removed by the customer: "
BEFORE = "; before: "

# How the message goes on, behind a number, of a step that lacks objects because of what they are; the names of some follow.
ODD = "objects were of an odd shape or could not be redacted, and were left out: "
ODD_SHOWN = 5

# What stands in place of a hidden value: MARKER_START + rule + MARKER_END.
MARKER_START = "\u00abredacted:"
MARKER_END = "\u00bb"


def page(folder: str, number: int) -> str:
    """Return the member name of one page of a list: ``page("secrets/", 1)`` is ``secrets/0001.jsonl``."""
    return "%s%04d.jsonl" % (folder, number)


def resource_folder(group: str, version: str, plural: str) -> str:
    """Return the folder of one kind; the core group, whose name is empty, is written ``core``."""
    return "%s%s/%s/%s/" % (RESOURCES, group or "core", version, plural)


def log_member(namespace: str, pod: str, container: str, previous: bool = False) -> str:
    """Return the member name of one container's log tail."""
    return "%s%s/%s/%s%s.log" % (LOGS, namespace, pod, container, ".previous" if previous else "")


def node_member(node: str, name: str) -> str:
    """Return the member name of one file about a node, ``name`` being one of the ``NVIDIA_SMI_*`` names or ``NODE_SOURCE``."""
    return "%s%s/%s" % (NODES, node, name)


def marker(rule: str) -> str:
    """Return what stands in place of a value that the redaction rule ``rule`` hid."""
    return MARKER_START + rule + MARKER_END
