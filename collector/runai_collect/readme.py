"""README.txt of a bundle: what it is, what was left out, how to look inside."""

from . import __version__, plan

_TEXT = """\
{name}

This is a support bundle of a Kubernetes cluster with Run:ai, made by runai-collect {version}. It was written to this machine
only;
nothing was sent anywhere, and nothing was changed in the cluster.

What is in it
  bundle.json       when and how it was made
  cluster/          version, health and API list of the API server
  resources/        objects of the cluster, one a line (JSON Lines)
  configmaps/       every ConfigMap by key name and size; data of a few that are needed (see below)
  secrets/, helm/   names, types and ages of Secrets, labels of Helm releases: never a value
  certificates/     public TLS certificates
  nodes/            nvidia-smi of the GPU nodes
  logs/             the newest lines of the logs of Run:ai, the GPU Operator and unhealthy pods
  redactions/       where something was hidden and by which rule, never what
  manifest.json     every request with its outcome, every file with its checksum

What is not
  Values of Secrets were not read, but for the TLS and CA Secrets that Ingresses, Gateways and Run:ai use; of those only public
  certificates were kept. Passwords, tokens, keys and the like in objects and logs stand as \u00abredacted:RULE\u00bb.
  ConfigMaps kept with their data, as patterns of namespace/name:
{configmaps}
{left_out}
How to look inside
  tar -tzf {name}.tgz
  tar -xzOf {name}.tgz {name}/manifest.json
"""


def readme_text(name: str, options: plan.Options) -> str:
    """Return the README of the bundle ``name``."""
    patterns = "\n".join(["    %s/%s" % pattern for pattern in plan.CONFIGMAPS_WITH_DATA])
    return _TEXT.format(name=name, version=__version__, configmaps=patterns, left_out=_left_out(options))


def _left_out(options: plan.Options) -> str:
    """Return what the person who ran the collector left out, as lines."""
    wishes = (
        (not options.exec_, "nvidia-smi was not run (--no-exec)."),
        (not options.logs, "No logs were read (--no-logs)."),
        (not options.secrets, "Neither names of Secrets nor certificates were read (--no-secrets)."),
        (not options.certificates, "No Secret was read whole (--no-certificates)."),
        (bool(options.namespaces), "Namespaced objects were read of %s only (-n)." % ", ".join(options.namespaces)),
    )
    return "".join(["  %s\n" % text for wanted, text in wishes if wanted])
