"""Where the programs of the test cluster come from, and what is said where they are missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cluster.binaries import KUBELET, SOURCES, Binaries, _build, find_binaries
from tests.cluster.building import MissingBinariesError


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    return path


def test_without_go_and_assets_one_line_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingBinariesError) as error:
        find_binaries(environ={"HOME": str(tmp_path), "PATH": str(tmp_path)})
    assert "install Go" in str(error.value)
    assert "KUBEBUILDER_ASSETS" in str(error.value)
    assert "\n" not in str(error.value)


def test_assets_are_honoured_and_leave_the_kubelet_out(tmp_path: Path) -> None:
    etcd, server = (program(tmp_path / "assets" / name) for name in ("etcd", "kube-apiserver"))
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path), "KUBEBUILDER_ASSETS": str(tmp_path / "assets")}
    found = find_binaries(environ=environ)
    assert (found.etcd, found.kube_apiserver, found.kubelet) == (etcd, server, None)


def test_incomplete_assets_are_named(tmp_path: Path) -> None:
    program(tmp_path / "etcd")
    environ = {"HOME": str(tmp_path), "PATH": "", "KUBEBUILDER_ASSETS": str(tmp_path)}
    with pytest.raises(MissingBinariesError, match="holds no kube-apiserver"):
        find_binaries(environ=environ)


@pytest.mark.cluster
def test_found_programs_are_of_the_cache_and_not_built_again(cluster_binaries: Binaries) -> None:
    said: list[str] = []
    assert find_binaries(said.append) == cluster_binaries
    assert said == []


@pytest.mark.cluster
def test_a_build_that_fails_tells_why_and_leaves_nothing(tmp_path: Path) -> None:
    go = program(tmp_path / "go")
    go.write_text("#!/bin/sh\necho 'kubelet/main.go:9:2: undefined: nothing' >&2\nexit 1\n")
    go.chmod(0o755)
    with pytest.raises(MissingBinariesError, match="undefined: nothing"):
        _build(str(go), KUBELET, tmp_path / "out" / "fake-kubelet", lambda line: None, {})
    assert not (tmp_path / "out" / "fake-kubelet").exists()


@pytest.mark.cluster
@pytest.mark.skipif(shutil.which("go") is None, reason="no Go: the fake kubelet's source cannot be vetted")
def test_the_fake_kubelet_is_vetted_and_formatted() -> None:
    subprocess.run(["go", "vet", "-mod=readonly", "./kubelet"], cwd=SOURCES, check=True)
    assert subprocess.check_output(["gofmt", "-l", "kubelet"], cwd=SOURCES) == b""


def test_every_staging_module_of_the_release_is_replaced() -> None:
    """k8s.io/kubernetes requires its staging modules at v0.0.0, which nobody serves."""
    lines = [line.split() for line in (SOURCES / "go.mod").read_text().splitlines()]
    replaced = {line[0]: line[3] for line in lines if len(line) == 4 and line[1] == "=>"}
    zero = {line[0] for line in lines if len(line) >= 2 and line[1] == "v0.0.0"}
    assert set(replaced.values()) == {"v0.35.4"}
    assert zero <= set(replaced)
