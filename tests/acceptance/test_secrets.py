"""Secrets stay in the cluster: planted ones are in no bundle, report or log, and the wire shows how little was read at all."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.acceptance.bundles import Bundle, text_of
from tests.acceptance.planting import plant
from tests.acceptance.programs import Analyzed, Collected, analyze, collect
from tests.acceptance.site import Site
from tests.plant_controls import CONTROL_LOG, Control, controls
from tests.plant_objects import LOG_CONTAINERS, LOG_POD, NODE, RUNAI, Apply
from tests.plant_search import Hit, Needles
from tests.plants import Plant, plants

pytestmark = pytest.mark.cluster

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
HELM_LABEL = "owner=helm"
SECRETS = re.compile(r"/api/v1(?:/namespaces/([^/]+))?/secrets(?:/([^/]+))?$")


@dataclass(frozen=True)
class Planted:
    """One run of both programs over a healthy cluster full of plants, and what went over the wire meanwhile."""

    seed: int
    plants: tuple[Plant, ...]
    needles: Needles
    collected: Collected
    analyzed: Analyzed
    recording: list[dict[str, Any]]
    audit: list[dict[str, Any]]

    @property
    def bundle(self) -> Bundle:
        return self.collected.bundle

    def check(self, texts: Iterable[tuple[str, bytes]], where: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Fails with the ids of the plants that are seen, never with their values, and with the seed that repeats them."""
        hits = [hit for place, content in texts for hit in self.needles.find(content, place)]
        if hits:
            hits += [hit for place, content in where.items() for hit in self.needles.find(content, place)]
        assert not hits, f"with RUNAI_PLANT_SEED={self.seed}:\n" + "\n".join(_say(hit) for hit in hits)


@pytest.fixture(scope="module")
def planted(site: Site, plant_seed: int, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Planted:
    folder = tmp_path_factory.mktemp("planted")
    all_plants = plants(plant_seed)
    needles = Needles(all_plants)
    with site.changed("healthy") as cluster:
        plant(cluster, all_plants, controls())
        needles.add("the token of the kubeconfig", [cluster.token("admin")])
        cluster.clear_recording()
        before = len(cluster.audit())
        (folder / "tmp").mkdir()
        environment = {**cluster.environment(), "TMPDIR": str(folder / "tmp")}
        collected = collect(runai_collect, folder / "planted.tgz", environment)
        recording, audit = cluster.recording(), cluster.audit()[before:]
    analyzed = analyze(collected.path, folder / "report", "--format", "html,pdf,json")
    return Planted(plant_seed, all_plants, needles, collected, analyzed, recording, audit)


def test_the_plants_were_there_to_be_found(planted: Planted) -> None:
    """What carries a plant is in the bundle, or the search would prove nothing."""
    bundle = planted.bundle
    rows = {
        folder: {(row["namespace"], row["name"]) for row in bundle.rows(f"{folder}/")} for folder in ("secrets", "configmaps")
    }
    there = {(body["kind"], body["metadata"].get("namespace"), body["metadata"]["name"]) for body in bundle.rows("resources/")}
    there |= {("Secret", *name) for name in rows["secrets"]} | {("ConfigMap", *name) for name in rows["configmaps"]}
    wanted = {_identity(thing.body) for one in planted.plants for thing in one.things if isinstance(thing, Apply)}
    assert wanted - there == set()
    logs = {f"logs/{RUNAI}/{LOG_POD}/{container}.log" for container in LOG_CONTAINERS} | {
        f"logs/{RUNAI}/{LOG_POD}/text.previous.log"
    }
    assert logs - set(bundle.members) == set()
    assert f"nodes/{NODE}/nvidia-smi.xml" in bundle.members


def test_no_plant_is_in_the_bundle(planted: Planted) -> None:
    """Names, headers and contents: the uncompressed archive; the members one by one only to say where."""
    planted.check([("the archive", planted.bundle.raw)], where=planted.bundle.members)


def test_no_plant_is_in_the_report(planted: Planted) -> None:
    pdf = planted.analyzed.read("report.pdf")
    files = [(path.name, path.read_bytes()) for path in sorted(planted.analyzed.folder.iterdir())]
    planted.check([*files, ("text of the PDF", text_of(pdf).encode())])


def test_no_plant_is_in_what_the_programs_say(planted: Planted) -> None:
    runs = (("runai-collect", planted.collected.run), ("runai-analyze", planted.analyzed.run))
    planted.check([(f"{stream} of {name}", getattr(run, stream)) for name, run in runs for stream in ("stdout", "stderr")])


def test_no_other_file_was_left_behind(planted: Planted) -> None:
    """No log and no temporary file, neither beside the bundle and the report nor where temporary files go; kept are the rules."""
    folder = planted.collected.path.parent
    assert sorted(path.name for path in folder.iterdir()) == [".cache", "planted.tgz", "report", "tmp"]
    assert list((folder / "tmp").iterdir()) == []
    kept = [path for path in (folder / ".cache").rglob("*") if path.is_file()]
    assert {path.relative_to(folder / ".cache").parts[0] for path in kept} == {"runai-analyze"}
    planted.check([(str(path.relative_to(folder)), path.read_bytes()) for path in kept])


@pytest.mark.parametrize("control", controls(), ids=lambda control: control.id)
def test_what_is_no_secret_survives(planted: Planted, control: Control) -> None:
    metadata = control.carrier["metadata"]
    found: Any = planted.bundle.object(control.carrier["kind"], metadata["name"], metadata.get("namespace"))
    for step in control.path:
        found = found[step]
    assert found == control.expected


def test_lines_of_a_log_that_are_no_secret_survive(planted: Planted) -> None:
    log = planted.bundle.members[f"logs/{RUNAI}/{LOG_POD}/text.log"].decode()
    assert [line for line in CONTROL_LOG.splitlines() if line not in log] == []


def test_secrets_were_listed_as_tables_without_objects(planted: Planted) -> None:
    lists = [entry for entry in _secret_reads(planted.recording) if not entry["name"] and HELM_LABEL not in entry["query"]]
    assert lists
    for entry in lists:
        assert entry["accept"].startswith(TABLE), entry
        assert parse_qs(entry["query"])["includeObject"] == ["None"], entry
        assert entry["kind"] in ("Table", "Status", None), entry


def test_of_helm_secrets_only_the_metadata_crossed_the_wire(planted: Planted) -> None:
    for entry in _secret_reads(planted.recording):
        if HELM_LABEL in entry["query"]:
            assert "as=PartialObjectMetadataList" in entry["accept"].split(",")[0], entry
            assert entry["kind"] in ("PartialObjectMetadataList", "Status", None), entry


def test_the_secrets_read_whole_are_those_of_the_plan_and_of_ingresses(planted: Planted) -> None:
    reads = [entry for entry in _secret_reads(planted.recording) if entry["name"]]
    assert {_full_name(entry) for entry in reads} == _planned_certificates(planted.bundle)
    there = {_full_name(row) for row in planted.bundle.rows("secrets/")}
    answered = {_full_name(entry) for entry in reads if entry["kind"] == "Secret"}
    assert answered == _planned_certificates(planted.bundle) & there
    assert 3 <= len(answered) < len(there)


def test_the_audit_log_knows_no_other_read_of_a_secret(planted: Planted) -> None:
    """The API server's own word: nothing went past the proxy."""
    events = [event for event in planted.audit if event.get("objectRef", {}).get("resource") == "secrets"]
    recorded = {urlsplit(entry["path"]).path for entry in planted.recording}
    assert events
    assert {event["verb"] for event in events} == {"get", "list"}
    assert {urlsplit(event["requestURI"]).path for event in events} <= recorded


def test_nothing_but_get_and_exec_crossed_the_wire(planted: Planted) -> None:
    others = [(entry["method"], entry["path"]) for entry in planted.recording if entry["method"] != "GET"]
    assert [path for method, path in others if method != "POST" or not urlsplit(path).path.endswith("/exec")] == []
    # a WebSocket's exec is a GET too; the server's own bookkeeping is nobody's request
    asked = [event for event in planted.audit if event["user"]["username"] == "admin"]
    assert asked
    assert {event["verb"] for event in asked if event.get("objectRef", {}).get("subresource") != "exec"} == {"get", "list"}


def test_exec_ran_nothing_but_nvidia_smi(planted: Planted) -> None:
    paths = [urlsplit(entry["path"]) for entry in planted.recording]
    commands = [parse_qs(path.query)["command"] for path in paths if path.path.endswith("/exec")]
    assert commands
    assert [argv for argv in commands if not any(part.endswith("nvidia-smi") for part in argv[:3])] == []


def _secret_reads(recording: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every request for Secrets: namespace, name ("" for a list), query, the Accept header sent, the kind of the answer."""
    for entry in recording:
        url = urlsplit(entry["path"])
        match = SECRETS.match(url.path)
        if match:
            headers = {name.lower(): value for name, value in entry["headers"].items()}
            where = {"namespace": match[1] or "", "name": match[2] or "", "query": url.query.replace("%3D", "=")}
            yield {**where, "accept": headers.get("accept", ""), "kind": entry["kind"]}


def _planned_certificates(bundle: Bundle) -> set[str]:
    """The Secrets that may be read whole: Run:ai's own, by the installation guides, and those for TLS that Ingresses and
    Gateways name."""
    names: set[str] = set()
    for body in bundle.rows("resources/networking.k8s.io/"):
        for tls in body.get("spec", {}).get("tls", []):
            names.add(f"{body['metadata']['namespace']}/{tls['secretName']}")
    for body in bundle.rows("resources/gateway.networking.k8s.io/"):
        for listener in body.get("spec", {}).get("listeners", []):
            for reference in listener.get("tls", {}).get("certificateRefs", []):
                names.add(f"{reference.get('namespace', body['metadata']['namespace'])}/{reference['name']}")
    others = {_full_name(row) for row in bundle.rows("secrets/") if row["type"] != "kubernetes.io/tls"}
    namespaces = {row["metadata"]["name"] for row in bundle.rows("resources/core/v1/namespaces/")}
    return {name for name in names - others | set(RUNAI_CERTIFICATES) if name.split("/")[0] in namespaces}


RUNAI_CERTIFICATES = (
    "runai/runai-cluster-domain-tls-secret",
    "runai/runai-cluster-domain-star-tls-secret",
    "runai/runai-cluster-inference-tls-secret",
    "runai/runai-ca-cert",
    "runai/runai-cluster-git-ca",
    "runai-backend/runai-backend-tls",
    "runai-backend/runai-ca-cert",
    "knative-serving/runai-cluster-inference-tls-secret",
    "openshift-monitoring/runai-ca-cert",
)


def _full_name(row: dict[str, Any]) -> str:
    return f"{row['namespace']}/{row['name']}"


def _identity(body: dict[str, Any]) -> tuple[str, str | None, str]:
    return body["kind"], body["metadata"].get("namespace"), body["metadata"]["name"]


def _say(hit: Hit) -> str:
    return f"{hit.plant} ({hit.coding}) in {hit.place}"
