"""Where nvidia-smi is run beside NVIDIA's own containers, when a person asks for it: --exec-host and --exec-user-pods."""

from typing import Any, Dict, List, Set, Tuple

from . import plan

Way = Tuple[int, str, Tuple[str, ...]]  # rank, container, program
_FOR_HOST, _FOR_USERS = 1000, 2000      # ranks behind all that are asked without an option


def wished_ways(known: List[Way], containers: Dict[str, Any], running: Set[str], options: plan.Options,
                own: bool) -> Tuple[List[Way], bool]:
    """Return the ways to ask a Pod, and whether it is a user's, which sees its own GPUs alone. ``known`` are every run's."""
    ways = known + [(_FOR_HOST + rank, container, program) for container in plan.SMI_HOST_CONTAINERS
                    for rank, program in enumerate(plan.SMI_HOST_PROGRAMS) if options.host]
    names = [container for _, container, _ in ways]
    if not options.user_pods or (own and not running.isdisjoint(names)):
        return ways, False
    return [(_FOR_USERS, one, ("nvidia-smi",)) for one in sorted(containers)
            if one in names or _holds_gpus(containers[one])], True


def _holds_gpus(container: Dict[str, Any]) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(str(name).startswith(plan.GPU_RESOURCES) and str(limits[name]) != "0" for name in limits)
