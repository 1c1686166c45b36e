"""--plan: what a run with these options reads, and what never is, from the data that the run itself goes by. Asks no cluster."""

import json
import textwrap
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any, Dict, List, Tuple

from . import __version__, endpoints, layout, names, node_plan, plan, planfile, shapes
from .client import METADATA, TABLE
from .filters import Filter, filter_of
from .readme import resource

Rows = List[Dict[str, Any]]
# Limits that are bytes; those that may be fractions are seconds, the others are counts.
_BYTES = ("page_target", "answer", "exec_output", "log_bytes", "log_read", "log_total", "log_line", "archive")


def plan_json(options: plan.Options) -> str:
    """Return the plan as one JSON document."""
    return json.dumps(plan_document(options), indent=1) + "\n"


def plan_text(options: plan.Options) -> str:
    """Return the plan for a person, in lines of 100 columns."""
    document = plan_document(options)
    lines = ["%s: what a run with these options reads" % document["collector"]]
    for block in resource("planned.txt").split("\n\n"):
        head, _, note = block.strip().partition("\n")
        key, _, title = head.partition(" ")
        if key and document[key]:
            lines += ["", title] + _filled(note, "  ")
            entries = _limits(options.limits) if key == "limits" else _entries(document[key])
            lines += [line for entry in entries for line in _filled(entry, "  - ")]
    return "\n".join(lines) + "\n"


def plan_document(options: plan.Options) -> Dict[str, Any]:
    """Return the plan for programs: requests, programs run in pods and here, rules, limits, and what never is done."""
    filters = filter_of(options)
    pods = not filters.kind(plan.POD)
    return {
        "collector": "runai-collect " + __version__,
        "options": options.record(),
        "requests": _server(options) + _objects(options, filters) + _secrets(options, filters) + _of_pods(options, pods),
        "exec": _exec(options) if options.exec_ and pods else [],
        "commands": [["kubectl"] + list(way) for way in (plan.KUBECTL_CONFIG, plan.KUBECTL_PROXY, plan.KUBECTL_EXEC)] + [
            ["python3", "-ISc", "(ends these should this program be killed)"]],
        "configmaps_with_data": plan.CONFIGMAPS_WITH_DATA,
        "configmaps_of_plan_file": options.extra.configmaps,
        "logs": _log_rules(options) if options.logs and pods else [],
        "gpu_nodes": {"labels": plan.GPU_LABELS, "resources": plan.GPU_RESOURCES, "container": plan.GPU_DRIVER,
                      "nvidia_namespaces": list(plan.SMI_NAMESPACES) + ["that in the status of each %s.%s" % pair[::-1]
                                                                        for pair in plan.OPERATOR_KINDS]},
        "probes": [end.host for end in endpoints.PROBE_ENDPOINTS] + ["%s %s (%s)" % field for field in endpoints.PROBE_FIELDS]
        if options.probe else [],
        "probe_sends": _probe_sends() if options.probe else [],
        "hidden": {"named_like": sorted(names.WORDS), "looks_like": sorted({shape.rule for shape in shapes.SHAPES})},
        "limits": options.limits._asdict(),
        "left_out": ["--exclude " + wish for wish in options.exclude] + ["all but --only " + wish for wish in options.only],
        "node": {"programs": [" ".join(way) for command in node_plan.COMMANDS for way in command.ways],
                 "files": [pattern for part in sorted(node_plan.FILES) for pattern in node_plan.FILES[part]],
                 "proxy_variables_of": node_plan.PROXY_FILES},
        "never": _never(options),
    }


def _probe_sends() -> List[str]:
    from .probe import proxies
    return list(endpoints.PROBE_SENDS) + ["here: " + one for one in proxies() or ["no proxy is named"]]


def _row(path: str, why: str = "", **more: Any) -> Dict[str, Any]:
    return dict({"path": path, "why": why}, **more)


def _server(options: plan.Options) -> Rows:
    rows = [_row(path) for path in [path for _, path, _ in plan.TEXTS] + list(plan.DISCOVERY)]
    rows += [_row(path, "of a server older than 1.26") for path in ("/api/VERSION", "/apis/GROUP/VERSION")]
    if options.namespaces:
        return rows + [_row(plan.NAMESPACE_PATH % "NAMESPACE", "those of -n"),
                       _row(plan.NAMESPACES.path() + plan.NAMESPACE_QUERY % "NAMESPACE", "those of -n, where that is refused")]
    one = "where they cannot be listed: the context's own, and known ones"
    return rows + [_row(plan.NAMESPACES.path()), _row(plan.NAMESPACE_PATH % "NAMESPACE", one)]


def _objects(options: plan.Options, filters: Filter) -> Rows:
    """Return the lists; ``in_namespace`` is where one is asked that is refused in the whole cluster."""
    found: Rows = []
    groups = sorted(plan.CUSTOM_GROUPS) + ["*" + ending for ending in plan.CUSTOM_GROUP_ENDINGS] + list(options.extra.groups)
    custom = [plan.Kind(group, plural, "", "", True) for wanted in groups for plural, group in _custom(wanted, options)]
    for kind in plan.KINDS + options.extra.kinds + tuple(custom):
        added = kind in options.extra.kinds or kind.group in options.extra.groups
        more = {"plan_file": options.extra.name} if added else {}
        shown = kind._replace(version="VERSION") if kind.group else kind
        if kind == plan.NAMESPACES or filters.list(kind):
            continue
        if not kind.namespaced:
            found.append(_row(shown.path(), **more))
        elif options.namespaces and kind.kind:
            found.append(_row(shown.path("NAMESPACE"), "those of -n", **more))
        else:       # of a custom group nobody knows yet which kinds are namespaced
            found.append(_row(shown.path(), in_namespace=shown.path("NAMESPACE"), **more))
    lease = plan.NODE_LEASES._replace(version="VERSION").path(plan.NODE_LEASE_NAMESPACE)
    unwanted = filters.list(plan.NODE_LEASES) or filters.namespace(plan.NODE_LEASE_NAMESPACE)
    return found + ([] if unwanted else [_row(lease, "the heartbeat of each node")])


def _custom(group: str, options: plan.Options) -> List[Tuple[str, str]]:
    """Return (plural, group) of what of a custom group, or of all of an ending ("*.run.ai"), may be read; PLURAL is any."""
    named = [wish[len("kind:"):].split(".", 1) for wish in options.only if wish.startswith("kind:")]
    found = [(pair[0].replace("*", "PLURAL"), pair[1]) for pair in named if len(pair) == 2 and fnmatchcase(pair[1], group)]
    return sorted(found) if named else [("PLURAL", group)]


def _secrets(options: plan.Options, filters: Filter) -> Rows:
    if not options.secrets or filters.kind(plan.SECRET):
        return []
    place, rows = plan.SECRET.path("NAMESPACE"), []  # type: str, Rows
    if not filters.folder(layout.SECRETS):
        what, one = "name, type, key count and age", " of one Secret, before the long part, to see whether it is allowed"
        paths = [(place, what)] + ([] if options.namespaces else [(plan.SECRET.path(), what + one)])
        paths += [(place + "/NAME", what + one)] if options.certificates else []
        rows += [_row(path, why, accept=TABLE, query={"includeObject": "None"}) for path, why in paths]
    if not filters.folder(layout.HELM):
        what = "the labels %s of Helm's releases" % ", ".join(plan.HELM_LABELS)
        rows += [_row(path, what, accept=METADATA, query=dict(plan.HELM_SELECTOR))
                 for path in ([] if options.namespaces else [plan.SECRET.path()]) + [place]]
    if options.certificates and not filters.folder(layout.CERTIFICATES):
        rows += [_row("%s/%s" % (plan.SECRET.path(pair[0]), pair[1]), "whole, into memory, for its public certificate")
                 for pair in plan.CERTIFICATE_SECRETS if not filters.namespace(pair[0])]
        why = "whole, into memory, for its public certificate, if an Ingress or a Gateway names it and it is of type " \
            "kubernetes.io/tls: %d at most"
        rows.append(_row(place + "/NAME", why % options.limits.referenced_certificates))
    return rows


def _of_pods(options: plan.Options, pods: bool) -> Rows:
    if not pods:
        return []
    log = options.log_path("NAMESPACE", "POD", "CONTAINER")
    rows = [_row("?".join(plan.LOG_CHECK) % ("NAMESPACE", "POD"), "of one pod of those below, before the long part"), _row(log),
            _row(log + "&previous=true", "of containers that ran before")] if options.logs else []
    page = plan.DCGM_PATH.replace("%d", "%s") % ("NAMESPACE", "POD", "PORT")
    more = [_row("/api/v1/namespaces/NAMESPACE/pods/POD", "by kubectl, before exec"),
            _row("/api/v1/namespaces/NAMESPACE/pods/POD/exec", "in a pod without kubectl: a WebSocket; else kubectl opens it"),
            _row(page, "of %s, where nvidia-smi does not answer" % plan.DCGM_CONTAINER)]
    return rows + (more if options.exec_ else [])


def _exec(options: plan.Options) -> Rows:
    ways = (plan.SMI_QUERY, plan.SMI_TABLE, plan.SMI_TOPOLOGY)
    rows: List[Tuple[Tuple[str, ...], str, str, str]] = [
        ((known.program,), known.name, "pods named *%s*" % known.pod_word if known.pod_word else "", "")
        for known in plan.SMI_CONTAINERS]
    if options.host:
        rows += [(program, " or ".join(plan.SMI_HOST_CONTAINERS), "", "--exec-host") for program in plan.SMI_HOST_PROGRAMS]
    if options.user_pods:
        rows.append((("nvidia-smi",), "*", "%d pods of a node that ask for GPUs" % plan.SMI_USER_PODS, "--exec-user-pods"))
    return [{"container": name, "pods": pods, "option": option, "argv": [list(program + way) for way in ways]}
            for program, name, pods, option in rows]


def _log_rules(options: plan.Options) -> List[str]:
    limits = options.limits
    containers = [known.name for known in plan.SMI_CONTAINERS] + list(plan.LOG_CONTAINERS)
    since = ", not older than %d seconds" % options.since if options.since else ""
    return ["of each workload in %s, and of each of NVIDIA's with a container %s: %d pods, %d that are not healthy" % (
        ", ".join(plan.LOG_NAMESPACES), ", ".join(containers), limits.log_pods_healthy,
        limits.log_pods_unhealthy)] + [
        "the same of %s (%s)" % (pattern, options.extra.name) for pattern in options.extra.logs] + [
        "of each workload elsewhere: %d pods that are not healthy" % limits.log_pods_unhealthy,
        "of %d pods at most, of each container the newest %d lines and %d bytes%s" % (
            limits.log_pods, limits.log_lines, limits.log_bytes, since)]


def _never(options: plan.Options) -> List[str]:
    refused = plan.KUBECTL_PROXY[-1].partition("=")[2].replace(",", ", ")
    return ["another verb than GET: the proxy refuses %s, and exec is opened for the programs above alone" % refused,
            "a value of a Secret in any file; %s as objects, whatever a plan file asks for" % ", ".join(planfile.NEVER),
            "a shell, terminal or input in a pod; a file written there; an object created or changed in the cluster",
            "anything sent but to the API server%s; the bundle stays here, mode 0600" % (
                " and, for --probe, what is said above" if options.probe else "")]


def _entries(value: Any) -> List[str]:
    if isinstance(value, dict):
        listed = {key: value[key] if isinstance(value[key], (list, tuple)) else [value[key]] for key in value}
        return ["%s: %s" % (key.replace("_", " "), ", ".join([str(one) for one in listed[key]])) for key in value]
    said: List[str] = []
    for note, same in groupby([_said(entry) for entry in value], lambda entry: entry[1]):
        group = [first for first, _ in same]        # a note is said once of all that it is about
        said += ["%s  %s" % (", ".join(group), note)] if note else group
    return said


def _limits(limits: plan.Limits) -> List[str]:
    given, usual = limits._asdict(), plan.Limits()._asdict()
    return ["%s: %d%s" % (name.replace("_", " "), given[name], " bytes" if name in _BYTES else " seconds" if isinstance(
        usual[name], float) else "") for name in given]


def _said(value: Any) -> Tuple[str, str]:
    """Return an entry of the plan as a person reads it, and a note about it."""
    if not isinstance(value, dict):
        return " ".join(value) if isinstance(value, list) else str(value), ""
    if "argv" in value:
        place = ", ".join([one for one in (value["container"], value["pods"], value["option"]) if one])
        return "%s: %s" % (place, ", ".join([" ".join(argv) for argv in value["argv"]])), ""
    place, _, plural = value["path"].rpartition("/")
    path = "%s/[namespaces/NAMESPACE/]%s" % (place, plural) if "in_namespace" in value else value["path"]
    query = " ".join(["%s=%s" % pair for pair in sorted(value.get("query", {}).items())])
    notes = [value["why"], "added by " + value["plan_file"] if "plan_file" in value else "", query, value.get("accept", "")]
    return path, "; ".join([note for note in notes if note])


def _filled(text: str, indent: str) -> List[str]:
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent="      ", break_long_words=False,
                         break_on_hyphens=False)
