"""A kube-apiserver of 2021, as old sites still run it: built once from Debian's own source package with Debian's own Go.

Nothing is installed: packages are unpacked in a folder of their own, which is deleted afterwards. Where Debian's source is not to
be had, the oldest release that can be built as a Go module stands in (`MODULE`), and one line says so.
"""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.cluster.binaries import Binaries, find_binaries
from tests.cluster.building import Say, build_once, cache_folder, linker_flags, run_build
from tests.cluster.old_module import MODULE, build_module

RELEASE = "v1.20.2"
RECIPE = 1  # counts the changes of what is done here: another number is another place in the cache
BUILD_DATE = "2021-01-13T13:20:00Z"  # of that release
SUITE = "bookworm"  # the last Debian with this source, and with a Go that builds it
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
GO = "golang-1.19"
# The vendored 1.0.1 crashes on the first map that it walks through when Go is 1.18 or newer (seen with 1.19.8).
REFLECT = "golang-github-modern-go-reflect2-dev"
KUBERNETES = "k8s.io/kubernetes"
OPENAPI = "pkg/generated/openapi"  # the one generated package that the sources lack


class NoSourceError(Exception):
    """Debian's source is not to be had; the message says why."""


def find_old_binaries(say: Say = lambda line: None, environ: Mapping[str, str] = os.environ) -> Binaries:
    """The programs of the test cluster with an old kube-apiserver, built where it was not yet. Raises MissingBinariesError."""
    return replace(find_binaries(say, environ), kube_apiserver=find_old_server(say, environ))


def find_old_server(say: Say = lambda line: None, environ: Mapping[str, str] = os.environ) -> Path:
    """kube-apiserver 1.20.2, else that of MODULE. Raises MissingBinariesError."""
    path = _place(RELEASE, environ)
    try:
        return build_once(path, lambda place: _build(place, say, environ), say)
    except NoSourceError as error:
        say(f"no Kubernetes {RELEASE} from Debian's source, {MODULE} stands in: {error}")
    return build_once(_place(MODULE, environ), lambda place: build_module(place, say, environ), say)


def _place(release: str, environ: Mapping[str, str]) -> Path:
    return cache_folder(environ) / f"kube-apiserver-{release}-{RECIPE}-{platform.machine()}" / "kube-apiserver"


def _build(place: Path, say: Say, environ: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="build-", dir=place.parent) as name:
        folder = Path(name)
        say(f"kube-apiserver: building Kubernetes {RELEASE} from Debian's source (the first time 3 to 8 minutes)")
        _fetch(folder, environ)
        _unpack(folder, environ)
        _compile(folder, place, say, environ)


def _fetch(folder: Path, environ: Mapping[str, str]) -> None:
    """Source and packages, from the mirror that apt is configured with, with lists of its own. Raises NoSourceError."""
    if not all(shutil.which(program, path=environ.get("PATH", "")) for program in ("apt-get", "dpkg-deb", "tar")):
        raise NoSourceError("this is no Debian")
    (folder / "lists" / "partial").mkdir(parents=True)
    (folder / "archives" / "partial").mkdir(parents=True)
    keys = f"[signed-by={KEYS}] " if KEYS.is_file() else ""
    lines = [f"{kind} {keys}{mirror} {SUITE} main\n" for mirror in _mirrors(environ) for kind in ("deb", "deb-src")]
    if not lines:
        raise NoSourceError("apt has no mirror of Debian")
    (folder / "sources.list").write_text("".join(lines))
    apt = ["apt-get", "--quiet", *(f"--option={option}" for option in _apt_options(folder))]
    _run([*apt, "update"], folder, environ)
    _run([*apt, "source", "--download-only", "kubernetes"], folder, environ)
    _run([*apt, "download", f"{GO}-go", f"{GO}-src", REFLECT], folder, environ)


def _mirrors(environ: Mapping[str, str]) -> list[str]:
    """Debian's mirrors that apt is configured with, by the name that the folder has on each; not those of security updates."""
    lines = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], Path("/"), environ)
    return sorted({line for line in lines.split() if line.rstrip("/").endswith("/debian")})


def _apt_options(folder: Path) -> list[str]:
    places = {"Etc::SourceList": "sources.list", "Etc::SourceParts": "none", "State::Lists": "lists", "Cache": "."}
    unneeded = ("deb::DEP-11", "deb::DEP-11-icons-small", "deb::DEP-11-icons", "deb::Translations", "deb::Contents-deb")
    return [
        *(f"Dir::{name}={folder / place}" for name, place in places.items()),
        *(f"Acquire::IndexTargets::{name}::DefaultEnabled=false" for name in unneeded),
        "APT::Sandbox::User=root",  # apt's own user may not write here
    ]


def _unpack(folder: Path, environ: Mapping[str, str]) -> None:
    """The tree where Go looks for it, Debian's Go beside it, and the library that has to be newer."""
    archive = next(folder.glob(f"kubernetes_*really{RELEASE.removeprefix('v')}.orig.tar.gz"), None)
    if archive is None:
        raise NoSourceError(f"the source of {SUITE} is that of another release")
    tree = folder / "src" / KUBERNETES
    tree.mkdir(parents=True)
    _run(["tar", "--extract", "--file", str(archive), "--strip-components=1", "--directory", str(tree)], folder, environ)
    for package in folder.glob("*.deb"):
        _run(["dpkg-deb", "--extract", str(package), str(folder / "debian")], folder, environ)
    old, new = tree / "vendor/github.com/modern-go/reflect2", folder / "debian/usr/share/gocode/src/github.com/modern-go/reflect2"
    shutil.rmtree(old)
    shutil.copytree(new, old)


def _compile(folder: Path, place: Path, say: Say, environ: Mapping[str, str]) -> None:
    tree, root = folder / "src" / KUBERNETES, folder / "debian/usr/lib" / GO.replace("golang", "go")
    places = {"GOROOT": str(root), "GOPATH": str(folder), "GOCACHE": str(folder / "cache"), "HOME": str(folder)}
    modes = {"GO111MODULE": "off", "GOPROXY": "off", "CGO_ENABLED": "0"}
    environment = {"PATH": f"{root / 'bin'}:{environ.get('PATH', os.defpath)}", **places, **modes}
    flags = linker_flags(RELEASE, BUILD_DATE, f"{KUBERNETES}/vendor/k8s.io")
    build = [str(root / "bin" / "go"), "build", "-v", "-ldflags", flags, "-o"]
    generator = folder / "openapi-gen"
    run_build([*build, str(generator), "./vendor/k8s.io/kube-openapi/cmd/openapi-gen"], tree, generator.name, say, environment)
    report, licence = folder / "violations", "vendor/k8s.io/code-generator/hack/boilerplate.go.txt"
    options = ["-i", ",".join(_described_packages(tree)), "-p", f"{KUBERNETES}/{OPENAPI}", "-O", "zz_generated.openapi"]
    run_build([str(generator), *options, "-h", licence, "-r", str(report)], tree, generator.name, say, environment)
    run_build([*build, str(place), "./cmd/kube-apiserver"], tree, "kube-apiserver", say, environment)


def _described_packages(tree: Path) -> list[str]:
    """The packages whose types stand in the server's OpenAPI, by the mark in one of their files."""
    mark = re.compile(r"^// \+k8s:openapi-gen=true", re.MULTILINE)
    sources = (path for top in ("pkg", "staging/src") for path in (tree / top).rglob("*.go"))
    folders = {path.parent for path in sources if mark.search(path.read_text(encoding="utf-8"))}
    names = sorted(str(folder.relative_to(tree)) for folder in folders)
    examples = ("staging/src/k8s.io/code-generator/", "staging/src/k8s.io/sample-apiserver/")
    return [f"{KUBERNETES}/{name.replace('staging/src/', 'vendor/')}" for name in names if not name.startswith(examples)]


def _run(command: list[str], folder: Path, environ: Mapping[str, str]) -> str:
    """What a program of Debian prints. Raises NoSourceError with its last line of complaint."""
    plain = {**environ, "LC_ALL": "C"}
    done = subprocess.run(command, cwd=folder, env=plain, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoSourceError(f"{command[0]} failed: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}")
    return done.stdout
