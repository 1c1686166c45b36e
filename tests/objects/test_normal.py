"""Messages that say the same read the same, and those that say something else do not."""

import random
import time

import pytest
from runai_analyze.objects.normal import LONGEST_TEXT, normalise


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Back-off restarting failed container", "back-off restarting failed container"),
        ("  Two\n\tlines  ", "two lines"),
        ("took 5m30s", "took <n>"),
        ("took 1.5s of 300ms", "took <n> of <n>"),
        ("exit code 137", "exit code <n>"),
        ("needs 16Gi, has 15.6Gi", "needs <n>, has <n>"),
        ("0/12 nodes are available: 3 Insufficient cpu", "<n>/<n> nodes are available: <n> insufficient cpu"),
        ("dial tcp 10.0.0.1:443: i/o timeout", "dial tcp <ip>:<n>: i/o timeout"),
        ("dial tcp [fd00:10:96::1]:443: refused", "dial tcp [<ip>]:<n>: refused"),
        ("listen on ::1", "listen on <ip>"),
        ("registry.acme.example:5000/app:v1.2.3", "registry.acme.example:<n>/app:<n>"),
        ("pod 2f6b8c1e-0d1a-4b6f-9f57-0a1b2c3d4e5f gone", "pod <id> gone"),
        ("image@sha256:" + "ab12" * 16, "image@sha<n>:<id>"),
        ("commit 4da5ab1", "commit <id>"),
        ("added facade", "added facade"),
        ("at 0xdeadbeef", "at <id>"),
        ("NVRM: Xid (PCI:0000:3b:00.0): 79", "nvrm: xid (pci:<id>): <n>"),
        ("mac 02:42:ac:11:00:02", "mac <id>"),
        ("GPU-2f6b8c1e-0d1a-4b6f-9f57-0a1b2c3d4e5f", "gpu-<id>"),
        ("pod runai-scheduler-5d8f9c7b6-x2zqp", "pod runai-scheduler-<id>"),
        ("pod dcgm-exporter-k8vwz failed", "pod dcgm-exporter-<id> failed"),
        ("secure-https", "secure-https"),
        ("pod train-0", "pod train-<n>"),
        ("node worker-12", "node worker-<n>"),
        ("node dgx01.acme.example", "node dgx<n>.acme.example"),
        ("GPU H100 and K8s v1", "gpu h100 and k8s <n>"),
        ("node ip-10-0-1-23.ec2.internal", "node ip-<ip>.ec2.internal"),
        ("node gke-prod-gpu-pool-1a2b3c4d-x9zz", "node gke-prod-gpu-pool-<id>"),
        ("node aks-gpu-31804392-vmss00000a", "node aks-gpu-<id>"),
        ("job-28543210-vqx7z", "job-<n>-<id>"),
        ("2026-11-30T22:02:44.123456789Z lost", "<time> lost"),
        ("2026-11-30 22:02:44 +0000 UTC lost", "<time> lost"),
        ("2026/11/30 22:02:44 lost", "<time> lost"),
        ("Nov 30 22:02:44 host", "<time> host"),
        ("E1130 22:02:44.123456       1 main.go:42] lost", "<time> <n> main.go:<n>] lost"),
        ("expires 2026-11-30", "expires <time>"),
        ("", ""),
    ],
)
def test_what_differs_becomes_a_placeholder(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_two_pull_errors_of_two_pods_are_one() -> None:
    first = 'Back-off pulling image "nvcr.io/nvidia/driver:580.105.08" of pod nvidia-driver-x2zqp on 10.1.2.3'
    second = 'Back-off pulling image "nvcr.io/nvidia/driver:570.86.15"  of pod nvidia-driver-9kwtb on 10.1.2.4'
    assert normalise(first) == normalise(second)


def test_what_says_something_else_stays_different() -> None:
    assert normalise("image not found") != normalise("unauthorized")
    assert normalise("Insufficient cpu") != normalise("Insufficient memory")


def test_a_placeholder_is_left_as_it_is() -> None:
    once = normalise("pod a-5d8f9c7b6-x2zqp at 10.0.0.1:443 on 2026-11-30T22:02:44Z took 5m")
    assert normalise(once) == once


@pytest.mark.parametrize("piece", ["1", "1.", "a", "-", "a-", "1a", "::", ":1", "0:", "f", "b-", "4-", " 1", "2026-11-30 ", "é"])
def test_the_time_grows_with_the_length_and_not_faster(piece: str) -> None:
    text = piece * (2 * LONGEST_TEXT)
    start = time.perf_counter()
    normalise(text)
    assert time.perf_counter() - start < 0.3  # it takes a few milliseconds; a quadratic pattern takes seconds


def test_any_text_gives_some_text() -> None:
    draw = random.Random(4)
    for _ in range(500):
        text = "".join(draw.choice("0123456789abcdefghijklmnopqrstuvwxyz.:-/ TZ\n«»\x00é") for _ in range(draw.randrange(80)))
        assert normalise(text) == normalise(text.upper().lower())
