"""Facts about storage classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..model import Unknown
from .reading import dig, text, unknown

_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
# Parts of provisioner names, by what the driver's own documentation says about ReadWriteMany for file systems.
_SHARED = (
    "nfs", "cephfs", "efs.csi.aws.com", "fsx.csi.aws.com", "fsx.openzfs", "file.csi.azure.com", "kubernetes.io/azure-file", "filestore.csi",
    "lustre", "spectrumscale", "gpfs", "weka", "beegfs", "glusterfs", "juicefs", "isilon", "powerscale", "quobyte", "vast",
    "panfs", "manila", "gcsfuse", "hammerspace", "fss.csi.oraclecloud.com", "smb.csi", "qumulo", "ddn", "moosefs",
)  # fmt: skip
_SINGLE = (
    "ebs.csi.aws.com", "kubernetes.io/aws-ebs", "disk.csi.azure.com", "kubernetes.io/azure-disk", "pd.csi.storage.gke.io", "kubernetes.io/gce-pd",
    "rbd.csi.ceph.com", "kubernetes.io/rbd", "local-path", "no-provisioner", "hostpath", "topolvm", "openebs.io/local", "lvm", "csi.vsphere.vmware.com",
    "cinder", "blockvolume.csi.oraclecloud.com", "disk.csi", "zfs.csi", "kubernetes.io/vsphere-volume",
)  # fmt: skip


def storage_facts(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``facts`` of a StorageClass."""
    return {"default": is_default(body), "shared": shared(text(body.get("provisioner")))}


def is_default(body: Mapping[str, Any]) -> bool:
    """Tell whether the class is annotated as the default one."""
    annotations = dig(body, "metadata", "annotations")
    return any(text(dig(annotations, key)).lower() == "true" for key in _DEFAULT)


def shared(provisioner: str) -> Literal["yes", "no"] | Unknown:
    """Tell whether volumes of the provisioner can be mounted on many nodes; Unknown for those in neither list."""
    name = provisioner.lower()
    if any(part in name for part in _SHARED):
        return "yes"
    if any(part in name for part in _SINGLE):
        return "no"
    return unknown("whether the storage can be shared", f"the provisioner {provisioner[:100] or '(none)'} is in no list of this program")
