"""Where the old kube-apiserver comes from, and what is said and done where Debian's source is not to be had."""

import json
import stat
from pathlib import Path

import pytest

from tests.cluster.building import MissingBinariesError
from tests.cluster.old_module import MODULE, _go_mod
from tests.cluster.old_server import NoSourceError, _described_packages, _fetch, _mirrors, _unpack, find_old_server


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(stat.S_IRWXU)


@pytest.fixture
def debian(tmp_path: Path) -> dict[str, str]:
    """An environment with an apt that knows a mirror, and fetches what the test puts into its script."""
    targets = "http://deb.debian.invalid/debian/\nhttp://deb.debian.invalid/debian-security/\nhttps://packages.invalid/node\n"
    program(tmp_path / "bin", "apt-get", f'case "$1" in indextargets) printf "{targets}";; esac')
    program(tmp_path / "bin", "dpkg-deb", "exit 0")
    return {"HOME": str(tmp_path), "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}


def test_where_there_is_no_debian_one_line_says_so_and_the_module_is_next(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(MissingBinariesError, match="install Go"):
        find_old_server(said.append, {"HOME": str(tmp_path), "PATH": str(tmp_path)})
    (line,) = [line for line in said if "stands in" in line]
    assert line == f"no Kubernetes v1.20.2 from Debian's source, {MODULE} stands in: this is no Debian"


def test_a_failed_try_leaves_only_the_lock(tmp_path: Path) -> None:
    with pytest.raises(MissingBinariesError):
        find_old_server(environ={"HOME": str(tmp_path), "PATH": str(tmp_path)})
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"lock"}


def test_the_source_is_asked_of_the_mirror_that_apt_is_configured_with(debian: dict[str, str], tmp_path: Path) -> None:
    assert _mirrors(debian) == ["http://deb.debian.invalid/debian/"]
    (tmp_path / "build").mkdir()
    _fetch(tmp_path / "build", debian)
    lines = (tmp_path / "build" / "sources.list").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["deb", "deb-src"]
    assert {line.split(" ", 2)[-1].split("] ")[-1] for line in lines} == {"http://deb.debian.invalid/debian/ bookworm main"}


def test_the_source_of_another_release_is_not_taken(debian: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "kubernetes_1.32.3.orig.tar.gz").touch()
    with pytest.raises(NoSourceError, match="another release"):
        _unpack(tmp_path, debian)


def test_what_apt_complains_of_is_said(debian: dict[str, str], tmp_path: Path) -> None:
    program(tmp_path / "bin", "apt-get", "echo 'W: slow' >&2; echo 'E: no such mirror' >&2; exit 100")
    with pytest.raises(NoSourceError, match="apt-get failed: E: no such mirror"):
        _mirrors(debian)


def test_the_packages_of_the_openapi_are_those_with_the_mark(tmp_path: Path) -> None:
    for name, mark in (
        ("staging/src/k8s.io/api/core/v1", "true"),
        ("pkg/apis/abac/v0", "true"),
        ("pkg/apis/core", "false"),
        ("staging/src/k8s.io/sample-apiserver/pkg", "true"),
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "doc.go").write_text(f"// +k8s:openapi-gen={mark}\n\npackage x\n")
    assert _described_packages(tmp_path) == ["k8s.io/kubernetes/pkg/apis/abac/v0", "k8s.io/kubernetes/vendor/k8s.io/api/core/v1"]


def test_staging_modules_are_taken_in_the_version_that_was_released_with_the_server(tmp_path: Path) -> None:
    released = "module k8s.io/kubernetes\n\nrequire (\n\tgo.etcd.io/etcd v3.5.13\n\tk8s.io/api v0.0.0\n)\n\n"
    (tmp_path / "go.mod").write_text(released + "replace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n")
    program(tmp_path / "bin", "go", f"echo '{json.dumps({'GoMod': str(tmp_path / 'go.mod')})}'")
    lines = _go_mod(str(tmp_path / "bin" / "go"), {}).splitlines()
    assert f"require k8s.io/kubernetes {MODULE}" in lines
    assert f"replace k8s.io/api => k8s.io/api {MODULE.replace('v1.', 'v0.')}" in lines
    assert "\tgo.etcd.io/etcd v3.5.13" in lines
