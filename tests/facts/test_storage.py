"""Facts about storage classes."""

import pytest
from runai_analyze.facts.storage import shared

from .helpers import is_unknown, item_of


@pytest.mark.parametrize(
    ("provisioner", "answer"),
    [
        ("nfs.csi.k8s.io", "yes"),
        ("cluster.local/nfs-subdir-external-provisioner", "yes"),
        ("rook-ceph.cephfs.csi.ceph.com", "yes"),
        ("efs.csi.aws.com", "yes"),
        ("file.csi.azure.com", "yes"),
        ("csi.weka.io", "yes"),
        ("lustre.csi.storage.gke.io", "yes"),
        ("ebs.csi.aws.com", "no"),
        ("rook-ceph.rbd.csi.ceph.com", "no"),
        ("rancher.io/local-path", "no"),
        ("kubernetes.io/no-provisioner", "no"),
        ("disk.csi.azure.com", "no"),
        ("pd.csi.storage.gke.io", "no"),
    ],
)
def test_by_provisioner(provisioner: str, answer: str) -> None:
    assert shared(provisioner) == answer


def test_a_provisioner_in_no_list_is_unknown() -> None:
    assert is_unknown(shared("csi.trident.netapp.io"))
    assert is_unknown(shared(""))


@pytest.mark.parametrize(
    ("annotations", "default"), [({"storageclass.kubernetes.io/is-default-class": "true"}, True), ({}, False), (None, False)]
)
def test_the_default_class_is_annotated(annotations: dict[str, str] | None, default: bool) -> None:
    body = {"kind": "StorageClass", "metadata": {"name": "a", "annotations": annotations}, "provisioner": "ebs.csi.aws.com"}
    assert item_of("StorageClass", body)["facts"] == {"default": default, "shared": "no"}
