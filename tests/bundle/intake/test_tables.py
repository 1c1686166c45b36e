"""Nodes and pods out of the tables of ``kubectl get``."""

from typing import Any

from runai_analyze.bundle.intake.described import NOT_SHOWN
from runai_analyze.bundle.intake.tables import is_table, tables

NODES = """\
NAME    STATUS                     ROLES           AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION   CONTAINER-RUNTIME
cp-1    Ready                      control-plane   36h   v1.35.3   10.24.10.16   <none>        Ubuntu 22.04.5 LTS   5.15.0-173       containerd://2.2.2
gpu-1   NotReady,SchedulingDisabled   <none>   21h   v1.34.1   10.24.10.18   <none>        Ubuntu 22.04.5 LTS   5.15.0-173       containerd://1.7.28
"""  # noqa: E501 - as kubectl prints it
PODS = """\
NAMESPACE   NAME          READY   STATUS                  RESTARTS        AGE
runai       agent-0       1/1     Running                 87 (3h37m ago)  27d
runai       scheduler-0   1/2     CrashLoopBackOff        4               27d
runai       setup-0       0/1     Init:ImagePullBackOff   0               27d
runai       done-0        0/1     Completed               0               27d
"""


def bodies(text: str, namespace: str = "") -> list[dict[str, Any]]:
    found = tables(text, namespace).found
    assert not [one.problem for one in found if one.problem]
    return [one.body for one in found if one.body]


def test_nodes_of_a_wide_table() -> None:
    control, gpu = bodies(NODES)
    assert [node["metadata"]["name"] for node in (control, gpu)] == ["cp-1", "gpu-1"]
    assert control["status"]["conditions"] == [{"type": "Ready", "status": "True", "reason": NOT_SHOWN}]
    assert gpu["status"]["conditions"][0]["status"] == "False"
    assert (control["spec"]["unschedulable"], gpu["spec"]["unschedulable"]) == (None, True)
    assert gpu["status"]["nodeInfo"] == {
        "kubeletVersion": "v1.34.1",
        "osImage": "Ubuntu 22.04.5 LTS",
        "kernelVersion": "5.15.0-173",
        "containerRuntimeVersion": "containerd://1.7.28",
    }
    assert gpu["status"]["addresses"] == [{"type": "InternalIP", "address": "10.24.10.18"}]


def test_what_a_table_does_not_show_is_marked() -> None:
    node = bodies(NODES)[0]
    assert node["metadata"]["labels"] == node["spec"]["taints"] == node["status"]["capacity"] == NOT_SHOWN
    pod = bodies(PODS)[0]
    assert pod["metadata"]["labels"] == pod["spec"]["containers"] == pod["spec"]["nodeName"] == NOT_SHOWN


def test_pods_say_what_their_containers_wait_for() -> None:
    agent, scheduler, setup, done = bodies(PODS)
    assert (agent["status"]["phase"], agent["status"]["containerStatuses"][0]["restartCount"]) == ("Running", 87)
    assert agent["status"]["conditions"][0]["status"] == "True"
    assert scheduler["status"]["containerStatuses"][0]["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert scheduler["status"]["conditions"][0]["status"] == "False"
    assert setup["status"]["initContainerStatuses"][0]["state"] == {"waiting": {"reason": "ImagePullBackOff"}}
    assert done["status"]["phase"] == NOT_SHOWN
    assert done["status"]["containerStatuses"][0]["state"] == {"terminated": {"reason": "Completed", "exitCode": 0}}


def test_labels_stand_in_tables_that_were_asked_for_them() -> None:
    text = "NAME   READY   STATUS    RESTARTS   AGE   LABELS\na      1/1     Running   0          1d    app=a,tier=\n"
    (pod,) = bodies(text, "x")
    assert pod["metadata"]["labels"] == {"app": "a", "tier": ""}


def test_custom_columns_of_nodes() -> None:
    text = "NAME    CPUs   RAM        GPU-cap   GPU-aloc   OS                   K8S       RUNTIME\n"
    (node,) = bodies(text + "gpu-1   64     527955Mi   8         7          Ubuntu 22.04.5 LTS   v1.31.2   containerd://1.7.18\n")
    assert node["status"]["capacity"] == {"cpu": "64", "memory": "527955Mi", "nvidia.com/gpu": "8"}
    assert node["status"]["allocatable"] == {"nvidia.com/gpu": "7"}
    assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.31.2"
    assert node["status"]["conditions"] == NOT_SHOWN


def test_a_prompt_says_the_namespace() -> None:
    text = "$ kubectl get pods -n runai\nNAME   READY   STATUS    RESTARTS   AGE\na      1/1     Running   0          1d\n"
    assert bodies(text)[0]["metadata"]["namespace"] == "runai"


def test_pods_of_no_namespace_are_a_problem() -> None:
    (found,) = tables("NAME   READY   STATUS    RESTARTS   AGE\na      1/1     Running   0          1d\n").found
    assert (found.body, found.problem, found.kind) == (None, "the table does not say of which namespace its pods are", "Pod")


def test_text_after_a_table_is_no_row() -> None:
    table = "NAME   READY   STATUS    RESTARTS   AGE\na      1/1     Running   0          1d\n"
    text = f"$ kubectl get pods -n x\n\n{table}\nall is well\n"
    assert [body["metadata"]["name"] for body in bodies(text)] == ["a"]


def test_rows_that_do_not_fit_are_problems() -> None:
    found = tables("NAME      READY   STATUS    RESTARTS   AGE\nNo pods were found at this time of day\n", "x").found
    assert [one.body for one in found] == [None]


def test_tables_of_other_kinds_are_named() -> None:
    found = tables("NAME   STATUS   AGE\ndefault   Active   1d\n")
    assert (found.found, found.others) == ((), ("NAME STATUS AGE",))


def test_events() -> None:
    text = """\
LAST SEEN               TYPE      REASON    OBJECT                MESSAGE
2m                      Normal    Pulled    pod/agent-0           Image is present
4m (x26 over 9m)        Warning   BackOff   pod/agent-0           Back-off restarting failed container
5m                      Warning   Odd       project/a             of a kind whose group nobody tells
6m                      Warning   NotReady  node/gpu-1            Node is not ready
"""
    pulled, back_off, node = bodies(text, "runai")
    assert (pulled["type"], pulled["count"], back_off["count"]) == ("Normal", 1, 26)
    assert back_off["involvedObject"] == {"kind": "Pod", "apiVersion": "v1", "name": "agent-0", "namespace": "runai"}
    assert back_off["message"] == "Back-off restarting failed container"
    assert node["involvedObject"] == {"kind": "Node", "apiVersion": "v1", "name": "gpu-1"}
    assert back_off["lastTimestamp"] == NOT_SHOWN


def test_what_is_no_table() -> None:
    assert not is_table("NAME\nnothing\n")
    assert not is_table("apiVersion: v1\nkind: Pod\n")
    assert not is_table("")
