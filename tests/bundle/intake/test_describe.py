"""Nodes and pods out of what ``kubectl describe`` prints."""

import time
from typing import Any

from runai_analyze.bundle.intake.describe import describe
from runai_analyze.bundle.intake.described import NOT_SHOWN

NODE = """\
Name:               gpu-1
Roles:              control-plane,worker
Labels:             kubernetes.io/os=linux
                    node-role.kubernetes.io/worker=
                    nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3
Annotations:        csi.volume.kubernetes.io/nodeid: {"csi.nfs":"gpu-1"}
                    long:
                      %s...
                    node.alpha.kubernetes.io/ttl: 0
CreationTimestamp:  Tue, 15 Apr 2025 07:13:48 +0200
Taints:             nvidia.com/gpu=present:NoSchedule
                    node.kubernetes.io/unschedulable:NoSchedule
Unschedulable:      true
Lease:
  HolderIdentity:  gpu-1
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason            Message
  ----             ------  -----------------                 ------------------                ------            -------
  Ready            False   Thu, 29 May 2025 11:54:06 +0200   Tue, 15 Apr 2025 07:14:02 +0200   KubeletNotReady   PLEG is ill
Addresses:
  InternalIP:  172.18.0.3
Capacity:
  cpu:             32
  nvidia.com/gpu:  8
Allocatable:
  cpu:             31
  nvidia.com/gpu:  7
System Info:
  Kernel Version:             5.15.0-1
  OS Image:                   Ubuntu 22.04.5 LTS
  Container Runtime Version:  containerd://1.7.18
  Kubelet Version:            v1.31.2
  Kube-Proxy Version:
PodCIDR:                      10.244.1.0/24
Non-terminated Pods:          (1 in total)
  Namespace                   Name        CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------                   ----        ------------  ----------  ---------------  -------------  ---
  default                     a           50m (0%%)      0 (0%%)      0 (0%%)           0 (0%%)         44d
Events:
  Type     Reason        Age                  From     Message
  ----     ------        ----                 ----     -------
  Warning  NodeNotReady  5m (x12 over 40m)    kubelet  Node gpu-1 status is now: NodeNotReady
""" % ("x" * 135)  # fmt: skip

POD = """\
Name:                 trainer-0
Namespace:            runai-team-a
Priority:             50
Priority Class Name:  train
Service Account:      default
Node:                 gpu-1/172.18.0.3
Start Time:           Mon, 27 Jan 2025 07:27:45 +0100
Labels:               app=trainer
Annotations:          <none>
Status:               Running
IP:                   10.244.0.47
IPs:
  IP:           10.244.0.47
Controlled By:  ReplicaSet/trainer-5d4
Containers:
  main:
    Container ID:   containerd://5d9b
    Image:          nvcr.io/nvidia/pytorch:24.01-py3
    Image ID:
    Port:           80/TCP
    Host Port:      0/TCP
    Command:
      sh
      -c
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Message:      first line
Node:  not-a-node
    Exit Code:    137
      Started:      Mon, 27 Jan 2025 07:33:35 +0100
      Finished:     Mon, 27 Jan 2025 07:33:36 +0100
    Ready:          False
    Restart Count:  6
    Limits:
      nvidia.com/gpu:  1
    Liveness:       http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3
    Environment:
      TOKEN:    <set to the key 'token' in secret 'api'>  Optional: false
      MODE:     fast
      POD_IP:    (v1:status.podIP)
    Mounts:
      /data from data (ro)
Conditions:
  Type              Status
  Ready             False
  PodScheduled      True
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data
    ReadOnly:   false
QoS Class:                   BestEffort
Node-Selectors:              nvidia.com/gpu.present=true
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             nvidia.com/gpu=present:NoSchedule
Events:                      <none>
"""


def one(text: str) -> dict[str, Any]:
    (found,) = [found for found in describe(text) if found.kind != "Event"]
    assert found.body is not None, found.problem
    return found.body


def test_a_node_is_told_nearly_in_full() -> None:
    node = one(NODE)
    assert node["metadata"]["labels"] == {
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/worker": "",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    }
    assert node["metadata"]["creationTimestamp"] == "2025-04-15T05:13:48Z"
    assert node["spec"] == {
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        ],
        "unschedulable": True,
        "podCIDR": "10.244.1.0/24",
    }
    assert node["status"]["capacity"] == {"cpu": "32", "nvidia.com/gpu": "8"}
    assert node["status"]["allocatable"] == {"cpu": "31", "nvidia.com/gpu": "7"}
    assert node["status"]["nodeInfo"] == {
        "kernelVersion": "5.15.0-1",
        "osImage": "Ubuntu 22.04.5 LTS",
        "containerRuntimeVersion": "containerd://1.7.18",
        "kubeletVersion": "v1.31.2",
    }
    assert node["status"]["conditions"] == [
        {
            "type": "Ready",
            "status": "False",
            "lastHeartbeatTime": "2025-05-29T09:54:06Z",
            "lastTransitionTime": "2025-04-15T05:14:02Z",
            "reason": "KubeletNotReady",
            "message": "PLEG is ill",
        }
    ]


def test_what_a_description_never_shows_is_marked() -> None:
    node, pod = one(NODE), one(POD)
    assert node["status"]["images"] == NOT_SHOWN
    assert node["metadata"]["uid"] == NOT_SHOWN
    assert pod["spec"]["securityContext"] == pod["spec"]["hostNetwork"] == pod["spec"]["schedulerName"] == NOT_SHOWN
    container = pod["spec"]["containers"][0]
    assert container["securityContext"] == container["imagePullPolicy"] == container["livenessProbe"] == NOT_SHOWN
    assert "readinessProbe" not in container


def test_annotations_that_were_cut_are_unknown() -> None:
    assert one(NODE)["metadata"]["annotations"] == {
        "csi.volume.kubernetes.io/nodeid": '{"csi.nfs":"gpu-1"}',
        "long": NOT_SHOWN,
        "node.alpha.kubernetes.io/ttl": "0",
    }


def test_a_pod_says_who_runs_it_and_how_its_containers_are() -> None:
    pod = one(POD)
    assert pod["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"
    assert pod["metadata"]["ownerReferences"][0]["apiVersion"] == "apps/v1"
    assert pod["spec"]["nodeName"] == "gpu-1"
    assert pod["spec"]["priorityClassName"] == "train"
    assert pod["spec"]["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert pod["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    assert pod["spec"]["tolerations"] == [
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 300},
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule", "operator": "Equal"},
    ]
    (status,) = pod["status"]["containerStatuses"]
    assert status["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert (status["ready"], status["restartCount"]) == (False, 6)
    assert status["lastState"]["terminated"]["reason"] == "Error"
    (container,) = pod["spec"]["containers"]
    assert container["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert container["command"] == ["sh", "-c"]
    assert container["volumeMounts"] == [{"mountPath": "/data", "name": "data", "readOnly": True}]


def test_environment_variables_keep_where_they_come_from() -> None:
    assert one(POD)["spec"]["containers"][0]["env"] == [
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "api", "key": "token"}}},
        {"name": "MODE", "value": "fast"},
        {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    ]


def test_a_message_of_several_lines_is_no_field() -> None:
    assert one(POD)["spec"]["nodeName"] == "gpu-1"
    assert one(POD)["status"]["conditions"][0]["status"] == "False"


def test_events_stand_under_what_they_are_about() -> None:
    (event,) = [found.body for found in describe(NODE) if found.kind == "Event" and found.body]
    assert event["involvedObject"] == {"apiVersion": "v1", "kind": "Node", "name": "gpu-1"}
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "NodeNotReady", 12)
    assert event["message"] == "Node gpu-1 status is now: NodeNotReady"
    assert event["lastTimestamp"] == NOT_SHOWN


def test_several_objects_in_a_text_have_their_lines() -> None:
    found = [one for one in describe(f"{NODE}\n\n{POD}") if one.kind != "Event"]
    assert [(one.kind, one.line) for one in found] == [("Node", 1), ("Pod", NODE.count("\n") + 3)]


def test_half_of_a_description_is_a_problem() -> None:
    for text, lacking in ((NODE[: NODE.index("Allocatable:")], "Allocatable"), (POD[: POD.index("Tolerations")], "Tolerations")):
        (found,) = describe(text)
        assert found.body is None
        assert lacking in found.problem


def test_no_start_of_a_description_shows_what_the_whole_has_not() -> None:
    for text in (NODE, POD):
        whole = one(text)
        for end in range(0, len(text), 7):
            for found in describe(text[:end]):
                if found.body and found.kind != "Event":
                    assert differing(found.body, whole) <= {NOT_SHOWN}, text[end - 40 : end]


def differing(part: Any, whole: Any) -> set[str]:
    """Return what stands in an object in place of what the whole one has."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return {found for key in part.keys() | whole.keys() for found in differing(part.get(key), whole.get(key))}
    return set() if part == whole else {str(part)}


def test_other_kinds_are_said_to_be_passed_over() -> None:
    (found,) = describe("Name:   a\nNamespace:  b\nLabels:  <none>\nSelector:  a=b\nReplicas:  1 desired\nPod Template:\n")
    assert (found.body, found.problem) == (
        None,
        "it describes a workload; of descriptions only those of nodes and pods are read",
    )


def test_ten_megabytes_take_seconds_not_minutes() -> None:
    start = time.monotonic()
    count = sum(1 for found in describe(f"{POD}\n\n" * 4600) if found.body)
    noise = list(describe("Name: a\nNamespace: b\n" + "x: " * 3_500_000))
    deep = list(describe("Name: a\nRoles: b\n" + "\n".join(" " * (number % 50) + "a:" for number in range(500_000))))
    assert (count, noise[0].body, deep[0].body) == (4600, None, None)
    assert time.monotonic() - start < 60
