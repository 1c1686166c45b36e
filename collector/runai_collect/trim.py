"""CustomResourceDefinitions without their schemas: names, versions and conditions stay, of each schema a digest. Pure."""

import hashlib
import json
from typing import Any, Dict

from . import plan


def trim_crd(crd: Dict[str, Any]) -> Dict[str, Any]:
    """Return a CRD with each schema replaced by its SHA-256, whole when its group is one of ``plan.WHOLE_SCHEMAS``.
    Takes v1 and v1beta1 (one schema for all versions, ``spec.validation``)."""
    spec = crd.get("spec") or {}
    if spec.get("group") in plan.WHOLE_SCHEMAS:
        return crd
    for version in spec.get("versions") or []:
        if "schema" in version:
            version["schema"] = _digest(version["schema"])
    if "validation" in spec:
        spec["validation"] = _digest(spec["validation"])
    return crd


def _digest(schema: Any) -> Dict[str, str]:
    text = json.dumps(schema, sort_keys=True, separators=(",", ":"))
    return {"sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}
