"""Support bundles of rancher's support-bundle-kit (Harvester, Longhorn).

Layout: source of rancher/support-bundle-kit v0.0.79; older bundles have ``yamls/cluster/kubernetes/…``, so kinds are taken from
the objects. A kind of which there are no objects has no file, nor has one that could not be listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from ...objects.times import parse_time
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..kinds import CLUSTER_SCOPED, plural_of

_ABOUT, _ERRORS = "metadata.yaml", "bundleGenerationError.log"
_TOP = re.compile(r"((?:[^/]+/)?)(?:yamls/(?:cluster|namespaced)/.+\.yaml|logs/[^/]+/[^/]+/[^/]+\.log|nodes/[^/]+\.zip(?:/.*)?)")
_LIST = re.compile(r"yamls/(?:cluster|namespaced/(?P<namespace>[^/]+))/(?P<version>.+)/(?P<plural>[^/]+)\.yaml")
_POD_LOG = re.compile(r"logs/([^/]+)/([^/]+)/([^/]+)\.log(\.1)?")


def _match(names: Sequence[str]) -> Match | None:
    found = [match.group(1) for name in names if (match := _TOP.fullmatch(name))]
    has = set(names)
    top = next((one for one in found if one + _ABOUT in has or one + _ERRORS in has), None)
    if top is None:
        return None
    yamls = any(name.startswith(top + "yamls/") for name in names)
    return Match(top, 2 + (top + _ERRORS in has) + 2 * yamls)


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    intake.nulls = True


def _take(member: Member, intake: Intake) -> None:
    if found := _LIST.fullmatch(member.name):
        _list(member, found["namespace"] or "", intake)
    elif found := _POD_LOG.fullmatch(member.name):
        intake.log(member, found[1], found[2], found[3], bool(found[4]))
    elif member.name == _ABOUT:
        _about(member, intake)
    elif member.name == _ERRORS:
        _errors(member, intake)


def _list(member: Member, namespace: str, intake: Intake) -> None:
    taken = intake.objects(member)
    for kind, group in sorted({(one.kind, one.group) for one in taken}):
        plural = plural_of(kind)
        if namespace and kind not in CLUSTER_SCOPED:
            intake.collected(plural, kind, group, namespace)
        elif not namespace and all(not one.namespace for one in taken):
            intake.collected(plural, kind, group)


def _about(member: Member, intake: Intake) -> None:
    value = intake.document(member)
    if not isinstance(value, dict):
        return
    about = {str(key).lower(): told for key, told in value.items()}
    version = about.get("kubernetesversion")
    if isinstance(version, str) and version and version != "null":
        intake.version = {"gitVersion": version}
    with suppress(ValueError):
        intake.time(parse_time(str(about.get("bundlecreatedat"))))


def _errors(member: Member, intake: Intake) -> None:
    """What the tool could not do is text for people; which kinds it concerns they have to read themselves."""
    lines = [line for line in member.read().decode("utf-8", "replace").splitlines() if line.strip()]
    for line in lines[:20]:
        intake.problems.add(member.name, f"the tool noted: {line}", "what it names is not in the bundle")


def _finish(names: Sequence[str], intake: Intake) -> None:
    """What has no file has no objects, or could not be listed, or was not asked for: nobody can tell which."""


FORMAT = Format("rancher support bundle", "a rancher support bundle", _match, _take, _finish, imitation=True, begin=_begin)
