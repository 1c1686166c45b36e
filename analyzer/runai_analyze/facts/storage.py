"""Facts about storage classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..model import Unknown
from .reading import dig, text, unknown

_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
# Parts of provisioner names, by what the driver's own documentation says about ReadWriteMany for file systems.
_SHARED = (
    "beegfs",
    "cephfs",
    "ddn",
    "efs.csi.aws.com",
    "file.csi.azure.com",
    "filestore.csi",
    "fss.csi.oraclecloud.com",
    "fsx.csi.aws.com",
    "fsx.openzfs",
    "gcsfuse",
    "glusterfs",
    "gpfs",
    "hammerspace",
    "isilon",
    "juicefs",
    "kubernetes.io/azure-file",
    "lustre",
    "manila",
    "moosefs",
    "nfs",
    "panfs",
    "powerscale",
    "quobyte",
    "qumulo",
    "smb.csi",
    "spectrumscale",
    "vast",
    "weka",
)
_SINGLE = (
    "blockvolume.csi.oraclecloud.com",
    "cinder",
    "csi.vsphere.vmware.com",
    "disk.csi",
    "ebs.csi.aws.com",
    "hostpath",
    "kubernetes.io/aws-ebs",
    "kubernetes.io/azure-disk",
    "kubernetes.io/gce-pd",
    "kubernetes.io/rbd",
    "kubernetes.io/vsphere-volume",
    "local-path",
    "lvm",
    "no-provisioner",
    "openebs.io/local",
    "pd.csi.storage.gke.io",
    "rbd.csi.ceph.com",
    "topolvm",
    "zfs.csi",
)


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
    return unknown(
        "whether the storage can be shared", f"the provisioner {provisioner[:100] or '(none)'} is in no list of this program"
    )
