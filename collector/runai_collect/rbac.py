"""The least that must be allowed for a collection, as YAML for whoever approves it: made from the plan's own data."""

import json
import shlex
import textwrap
from argparse import ArgumentTypeError
from typing import Iterable, List, NamedTuple, Sequence, Tuple

from . import __version__, plan
from .progress import program
from .readme import resource

TIERS = ("base", "+secrets", "+exec")
# Those of CUSTOM_GROUP_ENDINGS that are known, for RBAC grants no endings (CRDs of Run:ai 2.7 to 2.25, of Knative Serving and
# its operator).
ENDING_GROUPS: Tuple[str, ...] = ("engine.run.ai", "serving.knative.dev", "networking.internal.knative.dev",
                                  "autoscaling.internal.knative.dev", "caching.internal.knative.dev", "operator.knative.dev")
ACCOUNT = "runai-collect"       # the ServiceAccount, and the namespace that is made for it
_API = "rbac.authorization.k8s.io"
_FLAGS = {"+secrets": " --no-secrets", "+exec": " --no-exec"}
_HEAD, _BASE, _LEASES, _SECRETS, _CERTIFICATES, _EXEC = range(6)    # the parts of rbac.txt


class Rule(NamedTuple):
    """One rule of a role. ``names`` restricts it to these objects."""

    groups: Sequence[str]
    resources: Sequence[str]
    verbs: Sequence[str]
    names: Sequence[str] = ()


class Role(NamedTuple):
    """A role of one namespace, or of the cluster (""); it is bound to the account. ``comment`` is a part of rbac.txt."""

    name: str
    namespace: str
    comment: int
    rules: Sequence[Rule]


def read_tiers(text: str) -> Tuple[str, ...]:
    """Return the tiers that a text such as "+secrets", "+secrets+exec" or "all" names; base always is.
    Raises ArgumentTypeError."""
    asked = {"+" + word for word in text.replace("base", "", 1).split("+") if word}
    if not text or not (asked <= set(TIERS) or text == "all"):
        raise ArgumentTypeError("%r is not base, +secrets, +exec, +secrets+exec or all" % text)
    return tuple(tier for tier in TIERS if tier == "base" or tier in asked or text == "all")


def manifest(tiers: Iterable[str], certificates: Sequence[Tuple[str, str]] = (),
             options: plan.Options = plan.Options()) -> str:  # noqa: B008 - it cannot be changed
    """Return the YAML of the account with the rights of some tiers. ``certificates`` are (namespace, name) of more Secrets to
    read whole. Of the ``options`` that the run is to have too these count: -n, --no-logs, --plan-file."""
    chosen = [tier for tier in TIERS if tier == "base" or tier in tiers]
    same = "".join([" -n " + name for name in options.namespaces]) + ("" if options.logs else " --no-logs")
    same += " --plan-file " + shlex.quote(options.extra.name) if options.extra.name else ""
    asked = "all" if len(chosen) == len(TIERS) else "".join(chosen[1:]) or "base"
    values = {"version": __version__, "program": program(), "account": ACCOUNT, "tiers": ", ".join(chosen),
              "endings": ", ".join(plan.CUSTOM_GROUP_ENDINGS),
              "asked": asked + "".join([" --certificate %s/%s" % pair for pair in certificates]) + same,
              "flags": "".join([_FLAGS[tier] for tier in TIERS[1:] if tier not in chosen]) + same}
    texts = [textwrap.indent(part, "# ", lambda line: True).replace("# \n", "#\n")
             for part in resource("rbac.txt").format(**values).split("==\n")]
    parts = [texts[_HEAD] + _object("v1", "Namespace", ACCOUNT), _object("v1", "ServiceAccount", ACCOUNT, ACCOUNT)]
    for role in _roles(chosen, certificates, options):
        parts.extend([texts[role.comment] + _role(role), _binding(role)])
        texts[role.comment] = ""        # said once
    return "---\n".join(parts)


def _roles(tiers: Sequence[str], certificates: Sequence[Tuple[str, str]], options: plan.Options) -> List[Role]:
    named = options.namespaces
    kinds = plan.KINDS + options.extra.kinds
    custom = Rule(sorted(plan.CUSTOM_GROUPS | set(options.extra.groups)) + list(ENDING_GROUPS), ["*"], ["list"])
    wide = [kind for kind in kinds if not named or (not kind.namespaced and kind.plural != "namespaces")]
    log = [Rule([""], ["pods/log"], ["get"])] if options.logs else []
    narrow = _lists([kind for kind in kinds if kind.namespaced]) + [Rule([""], ["namespaces"], ["get"])] + log
    found = [Role(ACCOUNT, "", _BASE, _lists(wide) + [custom] + ([] if named else log))]
    found += [Role(ACCOUNT, place, _BASE, narrow) for place in named]
    found.append(Role(ACCOUNT + "-leases", plan.NODE_LEASE_NAMESPACE, _LEASES, _lists([plan.NODE_LEASES])))
    if "+secrets" in tiers:
        found += [Role(ACCOUNT + "-secrets", place, _SECRETS, [Rule([""], ["secrets"], ["list"])]) for place in named or [""]]
        secrets = sorted(set(plan.CERTIFICATE_SECRETS) | set(certificates))
        found += [Role(ACCOUNT + "-certificates", place, _CERTIFICATES, [
            Rule([""], ["secrets"], ["get"], [name for namespace, name in secrets if namespace == place])])
            for place in sorted({namespace for namespace, _ in secrets if not named or namespace in named})]
    if "+exec" in tiers:
        rules = [Rule([""], ["pods", "pods/proxy"], ["get"]), Rule([""], ["pods/exec"], ["get", "create"])]
        found += [Role(ACCOUNT + "-exec", place, _EXEC, rules) for place in plan.EXEC_NAMESPACES if not named or place in named]
    return found


def _lists(kinds: Sequence[plan.Kind]) -> List[Rule]:
    return [Rule([group], [kind.plural for kind in kinds if kind.group == group], ["list"])
            for group in sorted({kind.group for kind in kinds})]


def _role(role: Role) -> str:
    return _object(_API + "/v1", "Role" if role.namespace else "ClusterRole", role.name, role.namespace) + "rules:\n" + "".join(
        ["  - " + "\n    ".join(_fields(rule)) + "\n" for rule in role.rules])


def _fields(rule: Rule) -> List[str]:
    rows = [("apiGroups", rule.groups), ("resources", rule.resources), ("resourceNames", rule.names), ("verbs", rule.verbs)]
    # JSON is YAML, and a name such as "1e5" stays one.
    return [textwrap.fill("%s: %s" % (key, json.dumps(list(values))), 120, subsequent_indent=" " * 6, break_on_hyphens=False)
            for key, values in rows if values]


def _binding(role: Role) -> str:
    sort = "Role" if role.namespace else "ClusterRole"
    subject = json.dumps({"kind": "ServiceAccount", "name": ACCOUNT, "namespace": ACCOUNT})
    return _object(_API + "/v1", sort + "Binding", role.name, role.namespace) + "roleRef: %s\nsubjects: [%s]\n" % (
        json.dumps({"apiGroup": _API, "kind": sort, "name": role.name}), subject)


def _object(version: str, kind: str, name: str, namespace: str = "") -> str:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return "apiVersion: %s\nkind: %s\nmetadata: %s\n" % (version, kind, json.dumps(metadata))
