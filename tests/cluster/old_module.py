"""The oldest kube-apiserver that can be built as a Go module: stands in where the older one of Debian is not to be had."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.building import Say, download_module, find_go, linker_flags, run_build

MODULE = "v1.31.0"  # before it k8s.io/legacy-cloud-providers is needed, which not every module proxy has
BUILD_DATE = "2024-08-13T07:29:29Z"  # of that release
KUBERNETES = "k8s.io/kubernetes"
MAIN = """package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
"""


def build_module(place: Path, say: Say, environ: Mapping[str, str]) -> None:
    """Builds kube-apiserver at `place`. Raises MissingBinariesError."""
    go = find_go("old test cluster", environ)
    environment = {**environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    with tempfile.TemporaryDirectory(prefix="build-", dir=place.parent) as name:
        folder = Path(name)
        (folder / "main.go").write_text(MAIN)
        (folder / "go.mod").write_text(_go_mod(go, environment))
        say(f"kube-apiserver: building Kubernetes {MODULE} with Go (the first time 3 to 8 minutes)")
        options = ["-v", "-mod=mod", "-buildvcs=false", "-ldflags", linker_flags(MODULE, BUILD_DATE), "-o", str(place)]
        run_build([go, "build", *options, "."], folder, "kube-apiserver", say, environment)


def _go_mod(go: str, environment: Mapping[str, str]) -> str:
    """The requirements of the release; its staging modules, which it names by path, in the version that was released with it."""
    released = Path(download_module(go, f"{KUBERNETES}@{MODULE}", "old test cluster", environment)["GoMod"]).read_text()
    version = MODULE.replace("v1.", "v0.", 1)
    staged = re.findall(r"^\s*(k8s\.io/\S+) => \./staging/", released, re.MULTILINE)
    replaced = "".join(f"replace {name} => {name} {version}\n" for name in staged)
    needed = "\n".join(re.findall(r"^require \([^)]*\)", released, re.MULTILINE))
    return f"module oldserver\n\ngo 1.21\n\nrequire {KUBERNETES} {MODULE}\n{needed}\n{replaced}"
