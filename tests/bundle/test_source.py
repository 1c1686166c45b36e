"""Kinds and groups as bundles name them."""

import pytest
from runai_analyze.bundle.source import group_of, wanted


@pytest.mark.parametrize(
    ("api_version", "group"),
    [("v1", ""), ("apps/v1", "apps"), ("serving.knative.dev/v1", "serving.knative.dev"), (None, ""), (5, "")],
)
def test_groups(api_version: object, group: str) -> None:
    assert group_of(api_version) == group


def test_a_kind_is_wanted_with_its_group_or_with_any() -> None:
    assert wanted(frozenset([("Pod", "")]), "Pod", "")
    assert wanted(frozenset([("Service", None)]), "Service", "serving.knative.dev")
    assert not wanted(frozenset([("Service", "")]), "Service", "serving.knative.dev")
