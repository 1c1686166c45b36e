"""README.txt of a bundle: what it is, what it tells, what was left out, how to look inside."""

from . import __version__, plan

_TEXT = """\
{name}

This is a support bundle of a Kubernetes cluster with Run:ai, made by
runai-collect {version}. It was written to one machine only: nothing was sent
anywhere, and nothing was changed in the cluster.

What is in it (a folder that is not there had nothing to hold)
  bundle.json       when and how it was made
  cluster/          version, health and API list of the API server
  resources/        objects of the cluster, one a line (JSON Lines)
  configmaps/       every ConfigMap by key name, size and digest
  secrets/, helm/   names, types, key counts and ages of Secrets, labels of
                    Helm releases: never a value
  certificates/     public TLS certificates, and whether their private key fits
  nodes/            nvidia-smi of the GPU nodes
  logs/             the newest lines of the logs of Run:ai, the GPU Operator and
                    unhealthy pods
  redactions/       where something was hidden and by which rule, never what
  manifest.json     every request with its outcome, every file with its checksum

What it tells about your site
  Names of nodes, hosts, namespaces, projects and users; IP addresses and
  registries; labels and annotations; images, arguments and environment of the
  pods of every namespace; what the programs wrote into these logs.
  To tell less: -n NAMESPACE reads namespaced objects of that namespace only,
  --no-logs reads no logs, --no-exec no nvidia-smi, --no-secrets no names of
  Secrets and no certificates, --no-certificates no Secret whole.

What was done with secrets
{secrets}
  Passwords, tokens, keys and the like in objects and logs stand as
  \u00abredacted:RULE\u00bb. What looks like no secret cannot be known as one: look
  inside before you pass the bundle on.
  A digest shows which values of ConfigMaps are equal within this bundle. It is
  made with a random key that was stored nowhere, so it can be compared with
  nothing else. These ConfigMaps are kept with their data (NAMESPACE/NAME, as
  patterns):
{configmaps}
{left_out}
How to look inside
  tar -tzf {name}.tgz
  tar -xzOf {name}.tgz {name}/manifest.json
"""

# By what was read of Secrets: names and some whole, names alone, nothing.
_WHOLE = """\
  Of Secrets in general only name, type, key count and age crossed the network.
  The TLS and CA Secrets of Run:ai, and those that Ingresses and Gateways name,
  were read whole, private key included, into the memory of the machine that ran
  runai-collect; it kept their public certificates and whether the key fits, and
  wrote the rest nowhere."""
_NAMES = "  Of Secrets only name, type, key count and age crossed the network."
_NOTHING = "  Nothing was read of Secrets."


def readme_text(name: str, options: plan.Options) -> str:
    """Return the README of the bundle ``name``."""
    patterns = "\n".join(["    %s/%s" % pattern for pattern in plan.CONFIGMAPS_WITH_DATA])
    secrets = _NOTHING if not options.secrets else _WHOLE if options.certificates else _NAMES
    return _TEXT.format(name=name, version=__version__, configmaps=patterns, secrets=secrets, left_out=_left_out(options))


def _left_out(options: plan.Options) -> str:
    """Return what the person who ran the collector left out, as a paragraph of its own."""
    wishes = (
        (not options.exec_, "nvidia-smi was not run (--no-exec)."),
        (not options.logs, "No logs were read (--no-logs)."),
        (not options.secrets, "Neither names of Secrets nor certificates were read (--no-secrets)."),
        (not options.certificates, "No Secret was read whole (--no-certificates)."),
        (bool(options.namespaces), "Namespaced objects were read of %s only (-n)." % ", ".join(options.namespaces)),
    )
    lines = "".join(["  %s\n" % text for wanted, text in wishes if wanted])
    return "\nWhat was left out on request\n" + lines if lines else ""
