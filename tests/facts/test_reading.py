"""Small readers: a wrong type is the same as nothing there."""

import pytest
from runai_analyze.facts.reading import chart_version, dig, hidden, image_path, image_tag, tree, version_text, whole


def test_dig_ends_where_the_way_ends() -> None:
    assert dig({"a": {"b": 1}}, "a", "b") == 1
    assert dig({"a": [1]}, "a", "b") is None
    assert dig("text", "a") is None


@pytest.mark.parametrize(
    ("value", "number"), [(8, 8), ("8", 8), ("1k", 1000), ("1500m", None), (True, None), ("eight", None), (None, None), (-1, -1)]
)
def test_whole_numbers(value: object, number: int | None) -> None:
    assert whole(value) == number


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v25.10.1", "25.10.1"),
        ("25.3.4-ubi9", "25.3.4"),
        ("v1.33.5-eks-3025e55", "1.33.5"),
        ("v1-5a5f92d", None),
        ("latest", None),
        ("", None),
        (7, None),
    ],
)
def test_versions(text: object, version: str | None) -> None:
    assert version_text(text) == version


@pytest.mark.parametrize(
    ("chart", "version"),
    [
        ("gpu-operator-v25.10.1", "25.10.1"),
        ("kube-prometheus-stack-76.0.0", "76.0.0"),
        ("gpu-operator-certified.v25.10.1", "25.10.1"),
        ("runai-cluster-2.25.14-rc.1", "2.25.14"),
        ("no-version", None),
    ],
)
def test_chart_versions(chart: str, version: str | None) -> None:
    assert chart_version(chart) == version


@pytest.mark.parametrize(
    ("image", "path", "tag"),
    [
        ("nvcr.io/nvidia/gpu-operator:v25.10.1", "nvcr.io/nvidia/gpu-operator", "v25.10.1"),
        ("registry:5000/a/b", "registry:5000/a/b", ""),
        ("registry:5000/a/b:1@sha256:00", "registry:5000/a/b", "1"),
        ("a@sha256:00", "a", ""),
        (None, "", ""),
    ],
)
def test_images(image: object, path: str, tag: str) -> None:
    assert (image_path(image), image_tag(image)) == (path, tag)


def test_redacted_text_is_hidden() -> None:
    assert hidden("http://user:«redacted:url»@proxy")
    assert not hidden("http://proxy")
    assert not hidden(None)


def test_a_tree_drops_what_is_none_but_not_what_is_false() -> None:
    assert tree({"a": None, "b": {"c": None, "d": False}, "e": 0}) == {"b": {"d": False}, "e": 0}
