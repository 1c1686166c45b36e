"""Image references against what Docker's own implementation makes of them."""

import time
from pathlib import Path

import pytest
import yaml
from runai_analyze.objects.images import Image, parse_image

ROWS = yaml.load((Path(__file__).parent / "image_references.yaml").read_bytes(), yaml.CSafeLoader)


@pytest.mark.parametrize(("text", "parts"), [row for row in ROWS if row[1]], ids=[row[0][:60] for row in ROWS if row[1]])
def test_agrees_with_docker(text: str, parts: list[str]) -> None:
    image = parse_image(text)
    assert [image.registry, image.repository, image.tag, image.digest] == parts


@pytest.mark.parametrize("text", [text for text, parts in ROWS if parts is None], ids=lambda text: text[:60])
def test_refuses_what_docker_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        parse_image(text)


def test_there_are_a_hundred_of_real_clusters() -> None:
    assert (len(ROWS), sum(parts is not None for _, parts in ROWS)) == (137, 100)


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("registry.acme.example:5000/app", 5000),
        ("[fd00:10::5]:443/app:1", 443),
        ("localhost:5001/app:dev", 5001),
        ("nvcr.io/nvidia/driver:580", None),
        ("app:5000", None),
    ],
)
def test_the_port_is_that_of_the_registry(text: str, port: int | None) -> None:
    assert parse_image(text).port == port


def test_the_name_is_what_two_versions_share() -> None:
    assert parse_image("busybox:1.36").name == parse_image("docker.io/library/busybox:1.37").name == "docker.io/library/busybox"


def test_says_why() -> None:
    with pytest.raises(ValueError, match='"acme/App" is no repository: it has capital letters'):
        parse_image("acme/App:1")
    assert parse_image("acme/app") == Image("docker.io", "acme/app", "", "")


@pytest.mark.parametrize("piece", ["a-", "a.", "a", "-", "a/", "a:", "a_", "[", "a@"])
def test_the_time_does_not_explode(piece: str) -> None:
    start = time.perf_counter()
    for text in (piece * 500, piece * 1000, f"{piece * 400}!", f"x.example/{piece * 400}!"):
        with pytest.raises(ValueError):
            parse_image(text)
    assert time.perf_counter() - start < 0.5  # it takes a few milliseconds


def test_refuses_a_registry_that_is_no_host_name() -> None:
    with pytest.raises(ValueError, match="is no registry"):  # Docker reads it as a repository of no registry
        parse_image("registry_one.acme.example/app")
