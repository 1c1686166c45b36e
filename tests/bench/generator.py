"""Clusters of any size with planted faults: the scenario `healthy` with many more nodes, pods, events and logs.

`SIZES` are S, M and L. The objects come as lines of JSON, made from templates by replacing words, so that 150,000 pods take
seconds and no memory; the same size and seed give the same bytes. Half of the users' pods stand in one namespace, half of the
events are one event again and again, and `Grown.planted` says which objects were made faulty.
"""

import copy
import json
import random
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Object = dict[str, Any]

SAMPLE = Path(__file__).parents[2] / "samples" / "healthy.tgz"
MODEL_NODE = "gpu-1"  # of the sample; every node that is added is like it
DAEMONS = (
    "nvidia-driver-daemonset",
    "nvidia-device-plugin-daemonset",
    "nvidia-dcgm-exporter",
    "nvidia-operator-validator",
    "runai-container-toolkit",
    "kube-proxy",
    "calico-node",
)  # which of its pods every node gets
CROWDED = "runai-team-a"  # the namespace that holds half of the users' pods
GPUS = 8


class Size(NamedTuple):
    """How much is added to the sample. `smi`: of how many nodes nvidia-smi is in a bundle, the others were left out."""

    nodes: int
    pods: int
    events: int
    logs: int
    smi: int


SIZES = {
    "S": Size(10, 300, 500, 20, 10),
    "M": Size(500, 15_000, 20_000, 100, 200),
    "L": Size(5_000, 150_000, 100_000, 500, 400),
}


class Planted(NamedTuple):
    """An object that was made faulty, and how."""

    kind: str
    namespace: str
    name: str
    fault: str


class Sample(NamedTuple):
    """The sample bundle: its manifest, every member as it is, and the objects by kind."""

    manifest: Object
    members: dict[str, bytes]
    objects: dict[str, list[Object]]


def read_sample(path: Path = SAMPLE) -> Sample:
    """Return what is in a bundle of ours."""
    members: dict[str, bytes] = {}
    with tarfile.open(path) as archive:
        for entry in archive:
            content = archive.extractfile(entry)
            assert content is not None
            members[entry.name.split("/", 1)[1]] = content.read()
    objects: dict[str, list[Object]] = {}
    for name in sorted(members):
        if name.startswith("resources/"):
            for row in members[name].splitlines():
                parsed = json.loads(row)
                objects.setdefault(parsed["kind"], []).append(parsed)
    return Sample(json.loads(members["manifest.json"]), members, objects)


class Grown:
    """What a size adds to the sample. Every iterator gives lines of JSON and may be asked for again."""

    def __init__(self, size: Size, sample: Sample, seed: int = 1) -> None:
        self.size = size
        self._sample = sample
        self._seed = seed
        self.nodes = [_node_name(number) for number in range(size.nodes)]
        self.namespaces = [f"svc-{number:04}" for number in range(max(1, size.nodes // 10))]
        self._broken_node, self._short_node, self._full_node = self.nodes[-1], self.nodes[-2], self.nodes[-3]
        daemons = {_daemon(pod) for pod in self._model_pods()}
        self.users = size.pods - size.nodes * len(daemons)
        self.planted = [
            Planted("Node", "", self._broken_node, "not ready"),
            Planted("Node", "", self._short_node, "allocatable GPUs below capacity"),
            Planted("Node", "", self._full_node, "short of memory"),
            Planted("Pod", CROWDED, _user_pod(0), "image cannot be pulled"),
        ]

    def namespace_lines(self) -> Iterator[str]:
        model = next(one for one in self._sample.objects["Namespace"] if one["metadata"]["name"] == "default")
        template = Template(
            model,
            lambda made: made["metadata"].update(
                name="@NAME@",
                uid="@UID@",
                labels={"kubernetes.io/metadata.name": "@NAME@", "pod-security.kubernetes.io/enforce": "privileged"},
            ),
        )
        dice = self._dice("namespaces")
        for name in self.namespaces:
            yield template.line({"@NAME@": name, "@UID@": _uid(dice)})

    def node_lines(self) -> Iterator[str]:
        model = next(one for one in self._sample.objects["Node"] if one["metadata"]["name"] == MODEL_NODE)
        template = Template(model, _mark_node)
        dice = self._dice("nodes")
        for name in self.nodes:
            line = template.line({"@NAME@": name, "@UID@": _uid(dice)})
            if name in (self._broken_node, self._short_node, self._full_node):
                line = json.dumps(self._faulty_node(json.loads(line)), separators=(",", ":"))
            yield line

    def pod_lines(self) -> Iterator[str]:
        dice = self._dice("pods")
        models = [(_daemon(pod), Template(pod, _mark_pod)) for pod in self._model_pods()]
        for node in self.nodes:
            for daemon, template in models:
                yield template.line({"@NAME@": _pod_name(daemon, node), "@NODE@": node, "@UID@": _uid(dice), "@IP@": _ip(dice)})
        yield from self._user_pods(dice)

    def _user_pods(self, dice: random.Random) -> Iterator[str]:
        templates = [Template(_user_model(shape), lambda made: None) for shape in range(6)]
        for number in range(self.users):
            namespace = CROWDED if number % 2 == 0 else self.namespaces[number % len(self.namespaces)]
            words = {
                "@NAME@": _user_pod(number),
                "@NAMESPACE@": namespace,
                "@NODE@": dice.choice(self.nodes),
                "@UID@": _uid(dice),
                "@IP@": _ip(dice),
                "@HASH@": f"{dice.getrandbits(256):064x}",
                "@NUMBER@": str(number),
                "@LEVEL@": f"{dice.random():.9f}",
            }
            line = templates[number % len(templates)].line(words)
            yield _changed(line, _cannot_pull) if number == 0 else line

    def event_lines(self) -> Iterator[str]:
        """Half of them one event of one pod again and again (its name is another each time), the others of many objects."""
        dice = self._dice("events")
        template = Template(_event_model(), lambda made: None)
        for number in range(self.size.events):
            repeated = number < self.size.events // 2
            pod = _user_pod(0 if repeated else dice.randrange(max(1, self.users)))
            reason, message = _FAILED_MOUNT if repeated else dice.choice(_REASONS)
            yield template.line(
                {
                    "@NAME@": f"{pod}.{dice.getrandbits(60):015x}",
                    "@POD@": pod,
                    "@NAMESPACE@": CROWDED,
                    "@UID@": _uid(dice),
                    "@REASON@": reason,
                    "@MESSAGE@": message,
                    "@NODE@": dice.choice(self.nodes),
                }
            )

    def logs(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield namespace, pod, container and the text of a log of 2,000 lines."""
        dice = self._dice("logs")
        names = [
            _pod_name(_daemon(pod), node)
            for node in self.nodes
            for pod in self._model_pods()
            if _daemon(pod).startswith("runai/")
        ]
        for number in range(self.size.logs):
            name = names[number] if number < len(names) else f"runai-worker-{number:05}"
            yield "runai", name, "main", log_text(dice, 2000)

    def nvidia_smi(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield node and files of each node that answered nvidia-smi."""
        dice = self._dice("nvidia-smi")
        folder = f"nodes/{MODEL_NODE}/"
        files = {name[len(folder) :]: text.decode() for name, text in self._sample.members.items() if name.startswith(folder)}
        for node in self.nodes[: self.size.smi]:
            own = f"{dice.getrandbits(32):08x}"
            yield (
                node,
                {
                    name: text.replace("GPU-", f"GPU-{own}").replace(f'"node": "{MODEL_NODE}"', f'"node": "{node}"').encode()
                    for name, text in sorted(files.items())
                },
            )

    def _model_pods(self) -> list[Object]:
        pods = [pod for pod in self._sample.objects["Pod"] if pod["spec"].get("nodeName") == MODEL_NODE]
        return [pod for pod in pods if _daemon(pod).split("/")[1] in DAEMONS]

    def _faulty_node(self, node: Object) -> Object:
        conditions = {one["type"]: one for one in node["status"]["conditions"]}
        if node["metadata"]["name"] == self._short_node:
            node["status"]["allocatable"]["nvidia.com/gpu"] = str(GPUS - 2)
        elif node["metadata"]["name"] == self._full_node:
            conditions["MemoryPressure"].update(status="True", reason="KubeletHasInsufficientMemory")
        else:
            conditions["Ready"].update(status="False", reason="KubeletNotReady", message="network plugin is not ready")
        return node

    def _dice(self, what: str) -> random.Random:
        return random.Random(f"{self._seed} {what}")


class Template:
    """An object with words to replace, as one line of JSON."""

    def __init__(self, model: Object, mark: Callable[[Object], None]) -> None:
        made = copy.deepcopy(model)
        mark(made)
        self._line = json.dumps(made, sort_keys=True, separators=(",", ":"))

    def line(self, words: dict[str, str]) -> str:
        line = self._line
        for word, value in words.items():
            line = line.replace(word, value)
        return line


def log_text(dice: random.Random, lines: int) -> str:
    """A log as the kubelet gives it with timestamps: several programs' formats, no two lines alike."""
    rows = []
    for number in range(lines):
        stamp = f"2026-11-30T{10 + number // 3600 % 10:02}:{number // 60 % 60:02}:{number % 60:02}.{dice.randrange(10**9):09}Z "
        shape = _LOG_SHAPES[dice.randrange(len(_LOG_SHAPES))]
        rows.append(
            stamp
            + shape
            % {
                "number": dice.randrange(10**6),
                "hex": f"{dice.getrandbits(64):016x}",
                "ip": _ip(dice),
                "float": dice.random(),
                "pod": _user_pod(dice.randrange(50_000)),
            }
        )
    return "\n".join(rows) + "\n"


_LOG_SHAPES = (
    'I1130 10:14:%(number)06d 1 reconciler.go:224] "Reconciling" controller="workload" name="%(pod)s" reconcileID="%(hex)s"',
    '{"level":"info","ts":"2026-11-30T10:14:03.%(number)06dZ","logger":"scheduler","msg":"allocated","pod":"%(pod)s","score":%(float)f}',
    'time="2026-11-30T10:14:03Z" level=debug msg="sync finished" queue=team-a took=%(float)fs pending=%(number)d',
    '%(ip)s - - [30/Nov/2026:10:14:03 +0000] "GET /api/v1/clusters/%(hex)s HTTP/1.1" 200 %(number)d "-" "Go-http-client/2.0"',
    "2026-11-30 10:14:03,%(number)03d INFO  [worker-%(number)d] com.example.Loop - fetched %(number)d rows from %(ip)s",
    "node-7:%(number)d:%(number)d [0] NCCL INFO Channel 00/08 : 0 1 2 3 via P2P/CUMEM comm 0x%(hex)s rank 0",
    '{"level":"error","ts":1764497643.%(number)d,"caller":"retry.go:88","error":"dial tcp %(ip)s:443: i/o timeout","attempt":3}',
    "W1130 10:14:%(number)06d 1 reflector.go:569] factory.go:160: watch of *v1.Pod ended with: too old resource version",
)

_FAILED_MOUNT = ("FailedMount", 'MountVolume.SetUp failed for volume \\"shared-data\\" : rpc error: code = DeadlineExceeded')
_REASONS = (
    ("Pulled", 'Successfully pulled image \\"registry.acme.example/research/train:2.4\\" in 12.4s (12.4s including waiting)'),
    ("Created", "Created container: main"),
    ("Started", "Started container main"),
    ("Scheduled", "Successfully assigned @NAMESPACE@/@POD@ to @NODE@"),
)


def _mark_node(node: Object) -> None:
    node["metadata"].update(name="@NAME@", uid="@UID@")
    node["metadata"]["labels"]["kubernetes.io/hostname"] = "@NAME@"
    for address in node["status"]["addresses"]:
        if address["type"] == "Hostname":
            address["address"] = "@NAME@"


def _mark_pod(pod: Object) -> None:
    pod["metadata"].update(name="@NAME@", uid="@UID@")
    pod["spec"]["nodeName"] = "@NODE@"
    pod["status"].update(podIP="@IP@", podIPs=[{"ip": "@IP@"}])


def _changed(line: str, change: Callable[[Object], None]) -> str:
    made = json.loads(line)
    change(made)
    return json.dumps(made, separators=(",", ":"))


def _cannot_pull(pod: Object) -> None:
    pod["status"]["phase"] = "Pending"
    for one in pod["status"]["conditions"]:
        if one["type"] in ("Ready", "ContainersReady"):
            one["status"] = "False"
    for one in pod["status"]["containerStatuses"]:
        one.update(
            ready=False,
            started=False,
            lastState={},
            restartCount=0,
            state={"waiting": {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{one["image"]}": not found'}},
        )


_TIME = "2026-11-30T09:00:00Z"


def _user_model(shape: int) -> Object:
    """A user's pod of about 8 kB, as the API server gives it; the six shapes differ in containers, volumes and environment."""
    env = [
        {"name": f"{word}_{index}", "value": f"{word.lower()}-@LEVEL@-{index}"}
        for index, word in enumerate(("DATA_ROOT", "BATCH_SIZE", "NCCL_DEBUG", "WORLD_SIZE", "OMP_NUM_THREADS") * (3 + shape % 3))
    ]
    mounts = [{"mountPath": f"/mnt/{word}", "name": word} for word in ("shared-data", "checkpoints", "dshm", "config")]
    token = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access-x7k2p", "readOnly": True}
    names = ["main", "metrics-sidecar", "istio-proxy"][: 1 + shape % 3]
    images = {name: f"registry.acme.example/research/{name}:{shape}.4" for name in names}
    limits = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}
    containers = [
        {
            "name": name,
            "image": images[name],
            "imagePullPolicy": "IfNotPresent",
            "env": env,
            "volumeMounts": [*mounts, token],
            "command": ["python", "-m", "train"],
            "args": ["--steps", "@NUMBER@", "--config", "/mnt/config/train.yaml", "--lr=@LEVEL@"],
            "resources": {"limits": limits, "requests": limits}
            if name == "main"
            else {"requests": {"cpu": "100m", "memory": "128Mi"}},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "readinessProbe": {
                "httpGet": {"path": "/ready", "port": 8080, "scheme": "HTTP"},
                "periodSeconds": 10,
                "failureThreshold": 3,
                "successThreshold": 1,
                "timeoutSeconds": 1,
            },
        }
        for name in names
    ]
    fields = {
        "f:metadata": {"f:labels": {".": {}, "f:workloadName": {}, "f:project": {}}},
        "f:spec": {
            "f:containers": {
                _by_name(name): {
                    ".": {},
                    "f:image": {},
                    "f:name": {},
                    "f:env": {_by_name(one["name"]): {".": {}, "f:name": {}, "f:value": {}} for one in env},
                }
                for name in names
            }
        },
    }
    ready = [
        {"lastProbeTime": None, "lastTransitionTime": _TIME, "status": "True", "type": kind}
        for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "@NAME@",
            "namespace": "@NAMESPACE@",
            "uid": "@UID@",
            "creationTimestamp": _TIME,
            "resourceVersion": "9@NUMBER@",
            "annotations": {
                "pod-group-name": "pg-@NAME@",
                "runai-calculated-status": "Running",
                "workloadId": "@UID@",
                "prometheus.io/scrape": "true",
                "cni.projectcalico.org/podIP": "@IP@/32",
            },
            "labels": {"workloadName": "@NAME@", "project": "team-a", "runai/queue": "team-a", "app.kubernetes.io/name": "train"},
            "managedFields": [
                {
                    "apiVersion": "v1",
                    "fieldsType": "FieldsV1",
                    "fieldsV1": fields,
                    "manager": "workload-controller",
                    "operation": "Update",
                    "time": _TIME,
                },
                {
                    "apiVersion": "v1",
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:status": {"f:conditions": {}, "f:phase": {}}},
                    "manager": "kubelet",
                    "operation": "Update",
                    "subresource": "status",
                    "time": _TIME,
                },
            ],
        },
        "spec": {
            "nodeName": "@NODE@",
            "schedulerName": "runai-scheduler",
            "serviceAccount": "default",
            "serviceAccountName": "default",
            "containers": containers,
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "restartPolicy": "Always",
            "preemptionPolicy": "PreemptLowerPriority",
            "priority": 50,
            "priorityClassName": "train",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists", "tolerationSeconds": 300}
                for key in ("not-ready", "unreachable")
            ],
            "volumes": [
                {"name": "shared-data", "persistentVolumeClaim": {"claimName": "shared-data"}},
                {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints-@NUMBER@"}},
                {"name": "dshm", "emptyDir": {"medium": "Memory"}},
                {"name": "config", "configMap": {"name": "train-config"}},
                {
                    "name": "kube-api-access-x7k2p",
                    "projected": {
                        "defaultMode": 420,
                        "sources": [
                            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                        ],
                    },
                },
            ],
        },
        "status": {
            "phase": "Running",
            "hostIP": "10.0.0.7",
            "podIP": "@IP@",
            "podIPs": [{"ip": "@IP@"}],
            "qosClass": "Burstable",
            "startTime": _TIME,
            "conditions": ready,
            "containerStatuses": [
                {
                    "name": name,
                    "image": images[name],
                    "imageID": f"{images[name].split(':')[0]}@sha256:@HASH@",
                    "lastState": {},
                    "containerID": "containerd://@HASH@",
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": _TIME}},
                }
                for name in names
            ],
        },
    }


def _by_name(name: str) -> str:
    return json.dumps({"name": name}, separators=(",", ":")).join(("k:", ""))


def _event_model() -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "count": 1,
        "eventTime": None,
        "firstTimestamp": _TIME,
        "lastTimestamp": _TIME,
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": "@POD@", "namespace": "@NAMESPACE@"},
        "message": "@MESSAGE@",
        "reason": "@REASON@",
        "type": "Normal",
        "reportingComponent": "",
        "reportingInstance": "",
        "source": {"component": "kubelet", "host": "@NODE@"},
        "metadata": {
            "name": "@NAME@",
            "namespace": "@NAMESPACE@",
            "uid": "@UID@",
            "creationTimestamp": _TIME,
            "managedFields": [{"apiVersion": "v1", "manager": "kubelet", "operation": "Update", "time": _TIME}],
        },
    }


def _daemon(pod: Object) -> str:
    owners = pod["metadata"].get("ownerReferences") or [{"name": "none"}]
    return f"{pod['metadata']['namespace']}/{owners[0].get('name')}"


def _pod_name(daemon: str, node: str) -> str:
    return f"{daemon.split('/')[1]}-{zlib.crc32(f'{daemon} {node}'.encode()):07x}"


def _user_pod(number: int) -> str:
    """Names of the shapes that Run:ai, Deployments, Jobs and StatefulSets give."""
    shapes = (
        "resnet-train-%d-0-0",
        "notebook-%d-7c9d8f6b5-x2v4q",
        "llm-finetune-worker-%d",
        "infer-%d-00001-deployment-6f7b9c-kd8sv",
    )
    return shapes[number % 4] % number


def _node_name(number: int) -> str:
    shapes = ("dgx-h100-rack%02d-%05d", "ip-10-%d-%d.eu-west-1.compute.internal", "gpu-pool-%02d-vm-%05d")
    return shapes[number % 3] % (number % 97, number)


def _ip(dice: random.Random) -> str:
    return f"10.{dice.randrange(256)}.{dice.randrange(256)}.{dice.randrange(1, 255)}"


def _uid(dice: random.Random) -> str:
    text = f"{dice.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
