"""The way to the cluster: the customer's kubectl or oc, or, inside a pod, its service account; and the login there."""

import os
import shutil
from typing import TYPE_CHECKING, Callable, Optional, Union

from .client import Answer, ApiError, Client, Stop, StoppedError, Tally, UnreachableError
from .kubectl import Config, Kubectl, missing_files
from .plan import Limits

if TYPE_CHECKING:
    from .inpod import InPod

Cluster = Union[Kubectl, "InPod"]
LOGIN_SECONDS = 30.0            # a login plug-in that says nothing for so long hangs; one that speaks has a person to wait for
LOGIN_ROUNDS = 10


def open_cluster(kubectl: str, kubeconfig: str, context: str, limits: Limits, stop: Stop, say: Callable[[str], None]) -> Cluster:
    """Return the way to the cluster, as a context manager: what was asked for; else kubectl or oc with the kubeconfig that there
    is; else the pod's service account. Raises UnreachableError when there is no way."""
    paths = [shutil.which(name) for name in ([kubectl] if kubectl else ["kubectl", "oc"])]
    found = next((path for path in paths if path), None)
    if "KUBERNETES_SERVICE_HOST" in os.environ and not (kubectl or kubeconfig or context) and (not found or missing_files("")):
        from .inpod import InPod, is_pod
        if is_pod():
            return InPod(limits, stop)
    if found:
        return Kubectl(found, kubeconfig, context, limits, stop, say)
    if kubectl:
        why = "is no program that can be run; name another" if os.path.exists(kubectl) else "was not found; name it"
        raise UnreachableError("%s %s with --kubectl PATH" % (kubectl, why))
    raise UnreachableError(
        "kubectl (or oc) was not found; name it with --kubectl PATH, or run in a pod that has a service account")


def log_in(client: Client, cluster: Cluster, config: Config) -> Optional[Answer]:
    """Read /version: the first answer shows whether there is a cluster and a login. None: no right to read it.
    Raises UnreachableError."""
    client = client.bounded(request_timeout=LOGIN_SECONDS)
    rounds = LOGIN_ROUNDS
    while True:
        rounds -= 1
        try:
            return client.get("/version", Tally())
        except StoppedError as error:
            if str(error) != "deadline" or not config.plugin:
                raise
            raise _unreachable(ApiError("timeout", "the deadline came first"), cluster, config)
        except ApiError as error:
            if error.code == 403:
                return None
            if error.status != "timeout" or not cluster.heard or not rounds:
                raise _unreachable(error, cluster, config)


def _unreachable(error: ApiError, cluster: Cluster, config: Config) -> UnreachableError:
    from .advice import login_failure
    return UnreachableError(login_failure(error, cluster.heard, config))
