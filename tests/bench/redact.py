"""Measure the redactor in MB/s of one core: on objects (with and without JSON), and on logs. CPU time, best of three.

No two objects and no two lines are alike, as in a cluster: every line has a time of its own, as the kubelet writes it, and
numbers, hashes and addresses differ. So no memory of what was seen before makes the figures better than a customer's."""

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any

from runai_collect.logs import clean_log
from runai_collect.redact import redact_object

Object = dict[str, Any]
ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
WORDS = [
    "pod", "node", "worker", "scheduler", "bind", "reconcile", "queue", "workload", "training", "inference", "department",
    "project", "quota", "preempt", "gang", "cache", "sync", "lease", "leader", "election", "watch", "informer", "retry",
    "backoff", "timeout", "connection", "pool", "replica", "volume", "mount", "image", "pull", "start", "stop", "probe",
    "ready", "healthy", "evict", "drain", "taint", "allocate", "gpu", "memory", "device", "plugin", "driver", "validate",
    "metrics", "scrape", "export", "webhook", "admit", "patch"
]  # fmt: skip

VARIABLES = [f"{first}_{second}".upper() for first in WORDS[:20] for second in WORDS[20:40]]


class Dice(random.Random):
    """Random pieces of names, numbers and sentences."""

    def hexes(self, count: int) -> str:
        return f"{self.getrandbits(4 * count):0{count}x}"

    def uid(self) -> str:
        return "-".join(self.hexes(count) for count in (8, 4, 4, 4, 12))

    def word(self) -> str:
        return self.choice(WORDS)

    def name(self) -> str:
        return f"{self.word()}-{self.word()}-{self.hexes(9)}-{self.hexes(5)}"

    def address(self) -> str:
        return f"10.{self.randrange(256)}.{self.randrange(256)}.{self.randrange(256)}"

    def sentence(self) -> str:
        return " ".join(self.choices(WORDS, k=self.randrange(4, 10)))

    def moment(self) -> str:
        hour, minute, second = self.randrange(24), self.randrange(60), self.randrange(60)
        return f"2026-11-{self.randrange(1, 31):02}T{hour:02}:{minute:02}:{second:02}.{self.randrange(10**9):09}Z"

    def text(self, count: int) -> str:
        return "".join(self.choices(ALNUM, k=count))


def metadata(dice: Dice, managed: int) -> Object:
    """Labels, annotations and ``managed`` bytes of managedFields: of real pods they are 38 %, of events 28 %, of nodes 26 %."""
    fields: Object = {}
    while managed > 0:
        fields[f'k:{{"name":"{dice.word()}"}}'] = {".": {}, "f:" + dice.word(): {}, "f:" + dice.word(): {"f:" + dice.word(): {}}}
        managed -= 60
    times = {"operation": "Update", "apiVersion": "v1", "time": "2026-11-30T12:00:00Z"}
    return {
        "name": dice.name(),
        "namespace": f"runai-{dice.word()}-{dice.randrange(40)}",
        "uid": dice.uid(),
        "resourceVersion": str(dice.randrange(10**9)),
        "creationTimestamp": dice.moment(),
        "managedFields": [{"manager": name, **times, "fieldsV1": {"f:spec": fields}} for name in ("kubelet",)],
    }


def labelled(dice: Dice, managed: int) -> Object:
    labels = {
        "app.kubernetes.io/name": dice.word(),
        "pod-template-hash": dice.hexes(10),
        "project": dice.word(),
        "runai/workload-id": dice.uid(),
    }
    annotations = {
        "checksum/config": dice.hexes(64),
        "cni.projectcalico.org/podIP": dice.address() + "/32",
        "runai/calculated-status": dice.choice(("Running", "Pending", "Failed")),
        "user": f"{dice.word()}@example.com",
    }
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": dice.name(), "uid": dice.uid(), "controller": True}
    return {**metadata(dice, managed), "labels": labels, "annotations": annotations, "ownerReferences": [owner]}


def pod_spec(dice: Dice) -> Object:
    """Two containers with variables, of which some only look like secrets and one in ten pods has one."""
    env: list[Object] = [{"name": name, "value": dice.sentence()[:40]} for name in dice.sample(VARIABLES, 12)]
    env += [
        {"name": "TOKENIZERS_PARALLELISM", "value": "false"},
        {"name": "DATABASE_POOL_SIZE", "value": str(dice.randrange(99))},
        {"name": "MODEL_URI", "value": f"s3://models/{dice.word()}/{dice.hexes(8)}.bin"},
        {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": dice.name(), "key": "password"}}},
        {"name": "POD_IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}},
    ]
    if dice.random() < 0.1:
        env.append({"name": "HF_TOKEN", "value": "hf_" + dice.text(34)})
    token = {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    container = {
        "image": f"registry.example.com/{dice.word()}/{dice.word()}@sha256:{dice.hexes(64)}",
        "imagePullPolicy": "IfNotPresent",
        "resources": {
            "limits": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"},
            "requests": {"cpu": f"{dice.randrange(4000)}m"},
        },
        "volumeMounts": [{"mountPath": f"/mnt/{dice.word()}", "name": dice.name()} for _ in range(3)],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8081, "scheme": "HTTP"}, "periodSeconds": 10},
    }
    args = [
        "--leader-elect",
        f"--metrics-bind-address=:{dice.randrange(9999)}",
        "--zap-log-level",
        dice.word(),
        f"--shard={dice.hexes(6)}",
    ]
    return {
        "containers": [
            {"name": "main", "env": env, "args": args, **container},
            {
                "name": "sidecar",
                "command": ["/bin/sh", "-c", f"while true; do echo {dice.word()}; sleep {dice.randrange(99)}; done"],
                **container,
            },
        ],
        "nodeName": f"gpu-{dice.hexes(5)}",
        "serviceAccountName": "default",
        "imagePullSecrets": [{"name": "runai-reg-creds"}],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "volumes": [
            {"name": dice.name(), "projected": {"defaultMode": 420, "sources": [token]}},
            {"name": dice.name(), "emptyDir": {}},
        ],
    }


def pod(dice: Dice) -> Object:
    state = {"running": {"startedAt": dice.moment()}}
    status = {
        "phase": "Running",
        "podIP": dice.address(),
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": dice.moment()} for kind in ("Ready", "Initialized")
        ],
        "containerStatuses": [
            {
                "name": name,
                "ready": True,
                "restartCount": dice.randrange(5),
                "state": state,
                "containerID": "containerd://" + dice.hexes(64),
                "imageID": "registry.example.com/x@sha256:" + dice.hexes(64),
            }
            for name in ("main", "sidecar")
        ],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": labelled(dice, 3300), "spec": pod_spec(dice), "status": status}


def deployment(dice: Dice) -> Object:
    spec = {"replicas": dice.randrange(9), "template": {"metadata": {"labels": {"app": dice.word()}}, "spec": pod_spec(dice)}}
    value: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": labelled(dice, 5000), "spec": spec}
    value["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = json.dumps({"spec": spec})
    return value


def node(dice: Dice) -> Object:
    labels = {f"feature.node.kubernetes.io/cpu-cpuid.{word.upper()}": "true" for word in dice.sample(WORDS, 40)}
    images = [
        {
            "names": [f"registry.example.com/{dice.word()}@sha256:{dice.hexes(64)}", f"registry.example.com/{dice.name()}"],
            "sizeBytes": dice.randrange(10**9),
        }
        for _ in range(30)
    ]
    status = {
        "capacity": {"nvidia.com/gpu": "8"},
        "images": images,
        "addresses": [{"address": dice.address(), "type": "InternalIP"}],
    }
    value = {"apiVersion": "v1", "kind": "Node", "metadata": labelled(dice, 3400), "status": status}
    value["metadata"]["labels"].update(labels)
    return value


def event(dice: Dice) -> Object:
    about = {"kind": "Pod", "namespace": dice.word(), "name": dice.name(), "uid": dice.uid(), "apiVersion": "v1"}
    message = dice.choice(
        (
            f'Failed to pull image "registry.example.com/{dice.name()}": rpc error: code = NotFound desc = {dice.sentence()}',
            f"0/{dice.randrange(900)} nodes are available: {dice.randrange(90)} Insufficient nvidia.com/gpu. {dice.sentence()}.",
            f'MountVolume.SetUp failed for volume "{dice.name()}" : secret "{dice.name()}" not found',
            f"Readiness probe failed: Get http://{dice.address()}:8080/ready: dial tcp: {dice.sentence()}",
        )
    )
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata(dice, 160),
        "involvedObject": about,
        "message": message,
        "reason": "Failed",
        "type": "Warning",
        "count": dice.randrange(99),
        "source": {"component": "kubelet", "host": dice.name()},
    }


def custom(dice: Dice) -> Object:
    items = {f"{dice.word()}_{at}".upper(): {"value": dice.sentence()} for at in range(10)}
    spec = {
        "environmentVariables": {"items": items},
        "compute": {"gpuDevicesRequest": dice.randrange(8)},
        "image": dice.name(),
        "secretName": dice.name(),
        "tokenTTLSeconds": 3600,
        "values": f"replicas: {dice.randrange(9)}\nname: {dice.name()}\n",
    }
    return {"apiVersion": "run.ai/v2alpha1", "kind": "TrainingWorkload", "metadata": labelled(dice, 800), "spec": spec}


def objects(dice: Dice, size: int) -> list[str]:
    """Objects of a cluster as JSON, of ``size`` bytes in all."""
    makers = (pod, pod, pod, deployment, node, event, event, event, custom)
    texts: list[str] = []
    while size > 0:
        texts.append(json.dumps(dice.choice(makers)(dice), separators=(",", ":")))
        size -= len(texts[-1])
    return texts


def klog(dice: Dice) -> str:
    return (
        f"{dice.choice('IIIIWE')}1130 12:{dice.randrange(60):02}:{dice.randrange(60):02}.{dice.randrange(10**6):06}       1 "
        f'{dice.word()}.go:{dice.randrange(999)}] "{dice.sentence()}" pod="{dice.word()}/{dice.name()}" node="g-{dice.hexes(4)}"'
    )


def zap(dice: Dice) -> str:
    return json.dumps(
        {
            "level": "info",
            "ts": dice.random() * 1e9,
            "logger": dice.word(),
            "msg": dice.sentence(),
            "controller": dice.word(),
            "namespace": dice.word(),
            "name": dice.name(),
            "reconcileID": dice.uid(),
            "duration": f"{dice.random():.3f}s",
        }
    )


def logfmt(dice: Dice) -> str:
    return (
        f"ts={dice.moment()} caller={dice.word()}.go:{dice.randrange(999)} level=info component={dice.word()} "
        f'msg="{dice.sentence()}" '
        f"duration={dice.randrange(999)}ms samples={dice.randrange(10**6)}"
        + (f" ulid={dice.text(26).upper()}" if dice.random() < 0.25 else "")
    )


def nginx(dice: Dice) -> str:
    return (
        f'{dice.address()} - - [30/Nov/2026:12:{dice.randrange(60):02}:00 +0000] "GET /api/v1/{dice.word()}/{dice.uid()}?limit='
        f'{dice.randrange(500)} HTTP/1.1" 200 {dice.randrange(99999)} "-" "Mozilla/5.0 (X11; Linux x86_64)" {dice.random():.3f}'
    )


def java(dice: Dice) -> str:
    return (
        f"2026-11-30 12:00:{dice.randrange(60):02},{dice.randrange(999):03} INFO  [executor-thread-{dice.randrange(99)}] "
        f"(io.example.{dice.word()}.{dice.word().title()}Service) {dice.sentence()} id={dice.uid()}"
    )


def python(dice: Dice) -> str:
    path = f"/usr/lib/python3.11/site-packages/{dice.word()}/{dice.word()}.py"
    return f'  File "{path}", line {dice.randrange(999)}, in {dice.word()}_{dice.word()}'


def nccl(dice: Dice) -> str:
    return (
        f"worker-{dice.randrange(99)}:{dice.randrange(9999)}:{dice.randrange(9999)} [{dice.randrange(8)}] NCCL INFO "
        f"Channel {dice.randrange(24):02}/0 : {dice.randrange(64)}[{dice.hexes(5)}] -> {dice.randrange(64)}[{dice.hexes(5)}] "
        "via P2P/IPC/read"
    )


def wordy(dice: Dice) -> str:
    """A line with a word of secrets that is none."""
    return dice.choice(
        (
            f"generated {dice.randrange(4096)} tokens in {dice.random():.2f} s, tokens_per_second={dice.random() * 99:.1f}",
            f"authentication: oidc user {dice.word()}@example.com from {dice.address()} session started, {dice.sentence()}",
            f'cache key "{dice.word()}/{dice.name()}" not found, {dice.sentence()}',
            f'failed to get secret "{dice.name()}" in namespace "{dice.word()}": not found',
            f"token expired {dice.randrange(99)} minutes ago, {dice.sentence()}, trace_id={dice.hexes(32)}",
            f"max_tokens={dice.randrange(4096)} tokenizer=Llama-{dice.randrange(9)}-7b primary_key={dice.randrange(999)}",
        )
    )


def secret(dice: Dice) -> str:
    return dice.choice(
        (
            f"connecting as app password={dice.text(20)}",
            f"GET /x Authorization: Bearer {dice.text(30)}",
            f"dial postgres://app:{dice.text(20)}@db.example.com/x",
            f'{{"token":"{dice.text(40)}"}}',
        )
    )


def log(dice: Dice, size: int) -> str:
    """A log of ``size`` bytes with a time before each line; one line in 20 talks of secrets, one in 500 holds one."""
    kinds = (klog, klog, zap, zap, logfmt, nginx, java, python, nccl)
    lines: list[str] = []
    while size > 0:
        chance = dice.random()
        make = secret if chance < 0.002 else wordy if chance < 0.05 else dice.choice(kinds)
        lines.append(f"{dice.moment()} {make(dice)}")
        size -= len(lines[-1]) + 1
    return "\n".join(lines) + "\n"


def best(size: int, rounds: Callable[[], Callable[[], object]]) -> float:
    """Return MB/s of the best of three runs, each on texts or objects that were made for it alone."""
    spent = []
    for _ in range(3):
        work = rounds()
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return size / 1e6 / min(spent)


def main(arguments: list[str] | None = None) -> None:
    """Make, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench redact", description=__doc__)
    parser.add_argument("--size", type=int, default=10, help="MB of objects, and of logs")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    size, dice = options.size * 10**6, Dice(options.seed)

    def parsed() -> Callable[[], object]:
        values = [json.loads(text) for text in objects(dice, size)]
        return lambda: [redact_object(value) for value in values]

    def parsed_and_written() -> Callable[[], object]:
        texts = objects(dice, size)
        return lambda: [json.dumps(redact_object(json.loads(text))[0]) for text in texts]

    def cleaned() -> Callable[[], object]:
        texts = [log(dice, size // 10) for _ in range(10)]
        return lambda: [clean_log(text, 0, 10**9, 1 << 16) for text in texts]

    print(f"objects                    {best(size, parsed):6.1f} MB/s")
    print(f"objects, JSON in and out   {best(size, parsed_and_written):6.1f} MB/s")
    print(f"logs                       {best(size, cleaned):6.1f} MB/s")
