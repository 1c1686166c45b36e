"""The collector as customers have it: from the wheel, and as one file on the oldest and the newest Python of this machine."""

import json
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.acceptance.programs import ROOT, Collected, build_pyz, pythons
from tests.acceptance.site import SCENARIOS, WAYS, Site

COMPLETE = 0


@pytest.fixture(scope="module", params=SCENARIOS)
def scenario(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def ways(site: Site, scenario: str) -> dict[str, Collected]:
    """The bundles of one scenario, by the way they were collected."""
    return site.collected(scenario)


@pytest.mark.cluster
def test_every_way_ends_with_a_complete_bundle(ways: dict[str, Collected]) -> None:
    assert set(ways) == set(WAYS)
    for way, collected in ways.items():
        assert collected.run.code == COMPLETE, f"{way}: {collected.run}"
        assert collected.bundle.manifest["state"] == "complete", way


@pytest.mark.cluster
def test_every_way_finds_the_same_things(ways: dict[str, Collected]) -> None:
    first, *others = (collected.bundle.names() for collected in ways.values())
    assert sum(len(names) for names in first.values()) > 100
    for names in others:
        assert names == first


@pytest.mark.cluster
def test_the_first_and_last_members_and_every_digest_are_right(ways: dict[str, Collected]) -> None:
    for collected in ways.values():
        members = collected.bundle.members
        assert (next(iter(members)), list(members)[-1]) == ("bundle.json", "manifest.json")
        listed = {row["path"]: (row["bytes"], row["sha256"]) for row in collected.bundle.manifest["members"]}
        assert listed == {
            name: (len(content), sha256(content).hexdigest()) for name, content in members.items() if name != "manifest.json"
        }


@pytest.mark.cluster
def test_only_its_owner_may_read_the_bundle(ways: dict[str, Collected]) -> None:
    assert {stat.S_IMODE(collected.path.stat().st_mode) for collected in ways.values()} == {0o600}


@pytest.mark.cluster
def test_the_program_says_what_is_in_it_and_that_nothing_was_sent(ways: dict[str, Collected]) -> None:
    for way, collected in ways.items():
        said = (collected.run.stdout + collected.run.stderr).decode()
        assert sha256(collected.path.read_bytes()).hexdigest() in said, way
        assert "sent" in said.lower(), way


@pytest.mark.cluster
def test_what_the_server_holds_is_in_the_bundle(site: Site, scenario: str, ways: dict[str, Collected]) -> None:
    """Counted by asking the API server itself."""
    bundle, client = ways["wheel"].bundle, site.show(scenario).client
    for path, kind in (("/api/v1/nodes", "Node"), ("/api/v1/pods", "Pod"), ("/apis/apps/v1/deployments", "Deployment")):
        there = sorted(item["metadata"]["name"] for item in client.list(path))
        assert sorted(body["metadata"]["name"] for body in bundle.rows("resources/") if body["kind"] == kind) == there
        assert there


@pytest.mark.cluster
def test_nvidia_smi_answered_on_every_gpu_node_of_healthy(healthy: Collected) -> None:
    bundle = healthy.bundle
    gpu_nodes = [
        body["metadata"]["name"]
        for body in bundle.rows("resources/core/v1/nodes/")
        if "nvidia.com/gpu" in body["status"]["capacity"]
    ]
    assert len(gpu_nodes) == 4
    for node in gpu_nodes:
        assert bundle.members[f"nodes/{node}/nvidia-smi.xml"].count(b"<gpu id=") == 8
        assert json.loads(bundle.members[f"nodes/{node}/source.json"])["answered_by"] is not None


def test_the_machine_has_more_than_one_python() -> None:
    """Where it has only one, oldest and newest are the same and the .pyz is tried less than it should."""
    assert len(pythons()) >= 1
    assert min(pythons()) >= (3, 6)


def test_the_pyz_is_the_same_from_any_python(tmp_path: Path) -> None:
    found = pythons()
    builders = {found[min(found)], found[max(found)], sys.executable}
    built = {build_pyz(tmp_path / f"{number}.pyz", python).read_bytes() for number, python in enumerate(sorted(builders))}
    assert len(built) == 1


def test_vermin_holds_the_collector_to_python_3_6() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    command = [str(vermin), "--quiet", "--no-tips", "--target=3.6-", "--violations", str(ROOT / "collector" / "runai_collect")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
