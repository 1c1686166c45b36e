"""troubleshoot's own program, built once from its Go module: the tests let it look at the test cluster."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.building import Say, build_once, cache_folder, download_module, find_go, run_build

MODULE, VERSION = "github.com/replicatedhq/troubleshoot", "v0.133.0"
# Of its Makefile: without them it wants the C libraries of container storage.
TAGS = "netgo containers_image_ostree_stub exclude_graphdriver_devicemapper exclude_graphdriver_btrfs containers_image_openpgp"


def find_support_bundle(say: Say = lambda line: None, environ: Mapping[str, str] = os.environ) -> Path:
    """The program, from the cache or built anew (6 CPU minutes, 0.5 GB of modules). Raises MissingBinariesError."""
    path = cache_folder(environ) / f"support-bundle-{VERSION}" / "support-bundle"
    if path.is_file():
        return path
    go = find_go("support-bundle", environ)
    return build_once(path, lambda place: _build(go, place, say, environ), say)


def _build(go: str, place: Path, say: Say, environ: Mapping[str, str]) -> None:
    """In the module's own folder, so that its own go.sum and replaces hold."""
    folder = Path(download_module(go, f"{MODULE}@{VERSION}", "support-bundle", environ)["Dir"])
    options = ["-v", "-buildvcs=false", "-mod=readonly", "-tags", TAGS, "-ldflags", "-s -w", "-o", str(place)]
    say(f"support-bundle: building {MODULE} {VERSION} with Go")
    settings = {**environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    run_build([go, "build", *options, "./cmd/troubleshoot"], folder, "support-bundle", say, settings)
