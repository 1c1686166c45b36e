"""The least that must be allowed for a collection, as YAML for whoever approves it: made from the plan's own data."""

import json
import textwrap
from typing import Iterable, List, NamedTuple, Sequence, Tuple

from . import __version__, plan

TIERS = ("base", "+secrets", "+exec")
ACCOUNT = "runai-collect"       # the ServiceAccount, and the namespace that is made for it
_API = "rbac.authorization.k8s.io"
_FLAGS = {"+secrets": " --no-secrets", "+exec": " --no-exec"}

_HEAD = """\
What runai-collect {version} must be allowed: {tiers}. Printed by runai-collect --rbac {asked}
from the data that --plan prints. It reads; beyond get and list stands create of pods/exec alone, in +exec.

1. Create it. A namespace that this cluster lacks is reported (not found); all the rest is created, and nothing is missing.
     runai-collect --rbac {asked} > runai-collect-rbac.yaml
     kubectl apply -f runai-collect-rbac.yaml
2. Make a kubeconfig with nothing but its token, good for one hour.
     umask 077
     kubectl config view --minify --flatten --raw > admin.kubeconfig
     token=$(kubectl -n {account} create token {account} --duration=1h)
     kubectl --kubeconfig=admin.kubeconfig config set-credentials {account} --token="$token"
     kubectl --kubeconfig=admin.kubeconfig config set-context --current --user={account}
     kubectl --kubeconfig=admin.kubeconfig config view --minify --flatten --raw > {account}.kubeconfig
     rm admin.kubeconfig
   Before Kubernetes 1.24 the token stands in a Secret: kubectl -n {account} describe secret prints it.
3. Collect.
     runai-collect --kubeconfig {account}.kubeconfig{flags}
4. Delete everything again.
     kubectl delete --ignore-not-found -f runai-collect-rbac.yaml
     rm {account}.kubeconfig runai-collect-rbac.yaml
"""
_BASE = """\
base: lists of the kinds that --plan names, and logs. Who holds the token reads these whole: the data of every ConfigMap, the
arguments and environment variables of every pod, every log. runai-collect keeps the data of a few ConfigMaps only, and hides
what looks like a secret; RBAC cannot do that. /version, /livez, /readyz, /api and /apis need no rule: they are open to every
account (system:public-info-viewer, system:discovery). Groups that end in {endings} are read too,
but RBAC knows no endings: of those that are not named here the lists are refused, and the bundle says so."""
_SECRETS = """\
+secrets: the names of all Secrets, and the public certificates of a few. RBAC has no right to names alone: who holds the token
can list every Secret with its values. runai-collect asks for tables of name, type, key count and age, and for Helm's labels; no
value crosses the network."""
_CERTIFICATES = """\
+secrets: these are read whole; only public certificates leave the memory of the machine that runs runai-collect. Those that
Ingresses and Gateways name besides: one --certificate NAMESPACE/NAME more for each. This shows those of Ingresses:
kubectl get ingress -A -o jsonpath='{range .items[*]}{.metadata.namespace}: {.spec.tls[*].secretName}{"\\n"}{end}'"""
_EXEC = """\
+exec: nvidia-smi in the pods that have it (get as well: kubectl looks at the pod first, and opens exec with get or create by
version), or the page of the DCGM exporter. Who holds the token can run any program in any container here; the driver's are
privileged: that is root on each GPU node. Never bind this cluster-wide. NVIDIA pods elsewhere (kube-system of GKE and EKS): copy
the Role and its binding there, or do without."""


class Rule(NamedTuple):
    """One rule of a role. ``names`` restricts it to these objects."""

    groups: Sequence[str]
    resources: Sequence[str]
    verbs: Sequence[str]
    names: Sequence[str] = ()


class Role(NamedTuple):
    """A role and its binding to the account: of one namespace, or of the cluster (""); ``comment`` says what it lets do."""

    name: str
    namespace: str
    comment: str
    rules: Sequence[Rule]


def read_tiers(text: str) -> Tuple[str, ...]:
    """Return the tiers that a text such as "+secrets", "+secrets+exec" or "all" names; base always is. Raises ValueError."""
    asked = ["+" + word for word in text.replace("base", "", 1).split("+") if word]
    if not text or not set(asked) <= set(TIERS) | {"+all"} or ("+all" in asked and text != "all"):
        raise ValueError("%r is not base, +secrets, +exec, +secrets+exec or all" % text)
    return tuple(tier for tier in TIERS if tier == "base" or tier in asked or text == "all")


def manifest(tiers: Iterable[str], certificates: Sequence[Tuple[str, str]] = (), namespaces: Sequence[str] = ()) -> str:
    """Return the YAML of the account with the rights of some tiers. ``certificates`` are (namespace, name) of more Secrets to
    read whole; ``namespaces`` are those of -n when the run is to have it too: what is of others is then not granted."""
    chosen = [tier for tier in TIERS if tier == "base" or tier in tiers]
    flags = "".join([_FLAGS[tier] for tier in TIERS[1:] if tier not in chosen] + [" -n " + name for name in namespaces])
    asked = "all" if len(chosen) == len(TIERS) else "".join(chosen[1:]) or "base"
    asked += "".join([" --certificate %s/%s" % pair for pair in certificates] + [" -n " + name for name in namespaces])
    head = _HEAD.format(version=__version__, tiers=", ".join(chosen), asked=asked, flags=flags, account=ACCOUNT)
    parts = [_comment(head) + _object("v1", "Namespace", ACCOUNT), _object("v1", "ServiceAccount", ACCOUNT, ACCOUNT)]
    for role in roles(chosen, certificates, namespaces):
        parts.extend(_role(role))
    return "---\n".join(parts)


def roles(tiers: Iterable[str], certificates: Sequence[Tuple[str, str]] = (), namespaces: Sequence[str] = ()) -> List[Role]:
    """Return the roles of some tiers, as ``manifest`` prints them."""
    found = _base(namespaces)
    if "+secrets" in tiers:
        listing = [Rule([""], ["secrets"], ["list"])]
        found += [Role(ACCOUNT + "-secrets", name, _comment(_SECRETS), listing) for name in namespaces or [""]]
        wanted = sorted(set(plan.CERTIFICATE_SECRETS) | set(certificates))
        for place in sorted({namespace for namespace, _ in wanted if not namespaces or namespace in namespaces}):
            rule = Rule([""], ["secrets"], ["get"], [name for namespace, name in wanted if namespace == place])
            found.append(Role(ACCOUNT + "-certificates", place, _comment(_CERTIFICATES), [rule]))
    if "+exec" in tiers:
        rules = [Rule([""], ["pods", "pods/proxy"], ["get"]), Rule([""], ["pods/exec"], ["get", "create"])]
        found += [Role(ACCOUNT + "-exec", place, _comment(_EXEC), rules) for place in plan.EXEC_NAMESPACES
                  if not namespaces or place in namespaces]
    return _said_once(found)


def _base(namespaces: Sequence[str]) -> List[Role]:
    anywhere = [kind for kind in plan.KINDS if not namespaces or (not kind.namespaced and kind.plural != "namespaces")]
    custom = sorted(plan.CUSTOM_GROUPS) + list(plan.ENDING_GROUPS)
    within = [Rule([""], ["pods/log"], ["get"])]
    if namespaces:
        within += _lists([kind for kind in plan.KINDS if kind.namespaced]) + [Rule([""], ["namespaces"], ["get"])]
    comment = _comment(_BASE.format(endings=", ".join(plan.CUSTOM_GROUP_ENDINGS)))
    wide = _lists(anywhere) + [Rule(custom, ["*"], ["list"])]
    found = [Role(ACCOUNT, "", comment, wide + ([] if namespaces else within))]
    found += [Role(ACCOUNT, name, comment, within) for name in namespaces]
    heartbeat = _comment("base: the heartbeat of each node.")
    return found + [Role(ACCOUNT + "-leases", plan.NODE_LEASE_NAMESPACE, heartbeat, _lists([plan.NODE_LEASES]))]


def _lists(kinds: Sequence[plan.Kind]) -> List[Rule]:
    groups = sorted({kind.group for kind in kinds})
    return [Rule([group], [kind.plural for kind in kinds if kind.group == group], ["list"]) for group in groups]


def _said_once(found: List[Role]) -> List[Role]:
    seen = [role.comment for role in found]
    return [role._replace(comment="") if role.comment in seen[:index] else role for index, role in enumerate(found)]


def _role(role: Role) -> List[str]:
    """Return the documents of a role and of its binding."""
    sort = "Role" if role.namespace else "ClusterRole"
    rules = "".join(["  - " + "\n    ".join(_fields(rule)) + "\n" for rule in role.rules])
    binding = _object(_API + "/v1", sort + "Binding", role.name, role.namespace)
    binding += "roleRef: %s\n" % json.dumps({"apiGroup": _API, "kind": sort, "name": role.name})
    binding += "subjects: [%s]\n" % json.dumps({"kind": "ServiceAccount", "name": ACCOUNT, "namespace": ACCOUNT})
    return [role.comment + _object(_API + "/v1", sort, role.name, role.namespace) + "rules:\n" + rules, binding]


def _fields(rule: Rule) -> List[str]:
    rows = [("apiGroups", rule.groups), ("resources", rule.resources), ("resourceNames", rule.names), ("verbs", rule.verbs)]
    # JSON is YAML, and a name such as "1e5" stays one.
    return [textwrap.fill("%s: %s" % (key, json.dumps(list(values))), 120, subsequent_indent=" " * 6, break_on_hyphens=False)
            for key, values in rows if values]


def _object(version: str, kind: str, name: str, namespace: str = "") -> str:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return "apiVersion: %s\nkind: %s\nmetadata: %s\n" % (version, kind, json.dumps(metadata))


def _comment(text: str) -> str:
    return "".join([("# " + line).rstrip() + "\n" for line in text.splitlines()])
