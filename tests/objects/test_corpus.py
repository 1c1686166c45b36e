"""Quantities, versions, images and times in the objects of real clusters: how many there are, and that each of them is read.

The counts are of different texts in each folder of the corpus; the values were read by hand.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.objects.images import parse_image
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.objects.times import parse_time
from runai_analyze.objects.versions import parse_version

pytestmark = pytest.mark.corpus
AMOUNTS = {"capacity", "allocatable", "limits", "requests", "hard", "used"}
TIMES = {
    "creationTimestamp", "lastHeartbeatTime", "lastTransitionTime", "lastUpdateTime", "startTime", "startedAt", "finishedAt",
    "firstTimestamp", "lastTimestamp", "eventTime", "lastProbeTime", "completionTime", "startedTime",
}  # fmt: skip
VERSIONS = {"kubeletVersion", "kubeProxyVersion", "gitVersion", "kernelVersion"}
READERS: Mapping[str, Callable[[str], object]] = {
    "image": parse_image, "quantity": parse_quantity, "time": parse_time, "version": parse_version
}  # fmt: skip
# Folder: files, and how many different images, quantities, times and versions they hold.
COUNTS = {
    "k8s-cr": (22, 11, 11, 25, 0),
    "k8s-events": (17, 0, 0, 672, 0),
    "k8s-mixed": (10, 0, 2, 0, 0),
    "k8s-nodes": (36, 0, 106, 174, 67),
    "k8s-pods": (26, 148, 45, 435, 0),
    "k8s-storageclass": (7, 0, 0, 7, 0),
    "k8s-version": (7, 0, 0, 0, 7),
    "k8s-workloads": (12, 15, 10, 29, 0),
    "openshift-clusteroperators": (2, 0, 0, 82, 0),
    "openshift-clusterversion": (10, 53, 0, 120, 0),
    "runai-kai": (24, 5, 17, 0, 0),
}
# Helm and Kustomize templates, which are no YAML before they are filled.
TEMPLATES = 5


class Loader(yaml.CSafeLoader):
    """The safe loader that leaves times as they are written."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for letter, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (what it is, text) of all that an object holds."""
    if isinstance(value, list):
        for one in value:
            yield from texts(one)
    for key, one in value.items() if isinstance(value, dict) else ():
        if key in AMOUNTS and isinstance(one, dict):
            yield from (("quantity", str(amount)) for amount in one.values() if isinstance(amount, str | int | float))
        if isinstance(one, str) and one:
            yield from _plain(key, one)
        yield from texts(one)


def _plain(key: str, text: str) -> Iterator[tuple[str, str]]:
    if key == "image":
        yield "image", text
    elif key in TIMES:
        yield "time", text
    elif key in VERSIONS:
        yield "version", text
    elif key == "containerRuntimeVersion":
        yield "version", text.partition("://")[2]


def test_all_of_them_are_read(corpus: Path) -> None:
    unread, templates, found = [], 0, {}
    for folder in COUNTS:
        kinds: dict[str, set[str]] = defaultdict(set)
        files = 0
        for path in sorted((corpus / folder).iterdir()):
            if path.suffix not in (".yaml", ".yml", ".json"):
                continue
            try:
                content = path.read_text()
                documents = [json.loads(content)] if path.suffix == ".json" else list(yaml.load_all(content, Loader))
            except yaml.YAMLError:
                templates += 1
                continue
            files += 1
            for kind, text in texts(documents):
                kinds[kind].add(text)
        unread += [(folder, kind, text) for kind, all_of in kinds.items() for text in sorted(all_of) if not _is_read(kind, text)]
        found[folder] = (files, *(len(kinds[kind]) for kind in ("image", "quantity", "time", "version")))
    assert unread == []
    assert (found, templates) == (COUNTS, TEMPLATES)


def _is_read(kind: str, text: str) -> bool:
    try:
        READERS[kind](text)
    except ValueError:
        return False
    return True


# A dozen of each that stand in the corpus, worked out by hand: 16064760Ki is 16064760 * 1024 bytes.
QUANTITIES = {
    "16064760Ki": 16_450_314_240,
    "1574Mi": 1_650_458_624,
    "15360": 15_360,
    "187149698763": 187_149_698_763,
    "1055761844Ki": 1_081_100_128_256,
    "3500m": Fraction(7, 2),
    "11500m": Fraction(23, 2),
    "100m": Fraction(1, 10),
    "10": 10,
    "101430960Ki": 103_865_303_040,
    "10486240Ki": 10_737_909_760,
    "41407468Ki": 42_401_247_232,
}


@pytest.mark.parametrize("text", QUANTITIES)
def test_quantities_read_by_hand(corpus: Path, text: str) -> None:
    assert f'"{text}"' in _text(corpus / "k8s-nodes") or f": {text}\n" in _text(corpus / "k8s-nodes")
    assert parse_quantity(text) == QUANTITIES[text]


def _text(folder: Path) -> str:
    return "".join(path.read_text("utf-8", "replace") for path in sorted(folder.iterdir()))
