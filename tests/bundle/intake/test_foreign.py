"""A bundle of another tool from end to end: what it is, what it lacks, and that nothing secret comes out of it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.intake import ForeignBundle, Format, Intake, Match, Member, spool, told
from runai_analyze.bundle.limits import Limits, Problems
from runai_analyze.bundle.members import members_of
from runai_analyze.cli import main
from runai_analyze.errors import BundleError

from tests.bundle.intake.member import intake, secret

PLANTED = "Pl4nted-And-Never-Shown"
INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {"name": "x", "namespace": "runai"},
    "spec": {"tls": [{"hosts": ["gpu.acme.example"], "secretName": "tls"}]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Loose files with a Secret's value, one in a container's variable, and one in a container's arguments."""
    containers = [{"name": "c", "env": [{"name": "DB_PASSWORD", "value": PLANTED}], "args": ["--password", PLANTED]}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "runai"}, "spec": {"containers": containers}}
    write(tmp_path, "all.yaml", pod, secret("reg", password=PLANTED))
    return tmp_path


def write(folder: Path, name: str, *objects: dict[str, Any]) -> None:
    (folder / name).write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def test_no_secret_reaches_a_report_and_the_customer_is_told(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("out")
    result = CliRunner().invoke(main, [str(folder), "-o", str(out), "--format", "json,html"])
    assert result.exit_code == 1, result.output
    written = [path.read_text(errors="replace") for path in out.iterdir() if path.is_file()] + [result.output]
    assert not any(PLANTED in text for text in written)
    report = json.loads((out / "report.json").read_text())
    status = {outcome["rule"]: outcome["status"] for outcome in report["outcomes"]}
    assert status["RAI-SEC-001"] == "fail"
    values = "The bundle holds 1 value of 1 Secret: runai/reg (1). They were dropped on reading; "
    assert f"{values}the customer should know (RAI-SEC-001)." in report["notes"]
    assert any(note.startswith("In 2 places of other objects the bundle holds what may be a secret") for note in report["notes"])
    assert report["bundle"]["problems"] == []


def test_what_names_a_certificate_is_known_though_it_comes_later(tmp_path: Path) -> None:
    pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    write(tmp_path, "a.yaml", secret("tls", "kubernetes.io/tls", tls_crt=pem), INGRESS)
    bundle = open_bundle(tmp_path)
    rows = [record.body for record in bundle.records(None) if record.area == "certificate"]
    assert [(row["name"], row["referenced_by"]) for row in rows] == [("tls", ["Ingress runai/x"])]


def test_certificates_are_as_well_known_as_secrets(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", secret("tls", "kubernetes.io/tls", tls_crt="12 bytes long"), INGRESS)
    gaps = open_bundle(tmp_path).coverage("Certificate", "made", ["runai"])
    assert ("certificates", "runai-collect") in {(gap.what, gap.command) for gap in gaps}


@pytest.mark.parametrize(
    ("moment", "age"),
    [
        (datetime(2026, 11, 20, 10, 1, 30, tzinfo=UTC), "90s"),
        (datetime(2026, 11, 20, 10, 5, 30, tzinfo=UTC), "5m30s"),
        (datetime(2026, 11, 20, 15, 20, tzinfo=UTC), "5h20m"),
        (datetime(2026, 11, 25, 12, tzinfo=UTC), "5d2h"),
        (datetime(2026, 12, 20, 10, tzinfo=UTC), "30d"),
        (datetime(2029, 11, 19, 10, tzinfo=UTC), "3y"),
        (datetime(2026, 11, 20, 9, tzinfo=UTC), ""),
        (None, ""),
    ],
)
def test_ages_are_those_at_the_capture(moment: datetime | None, age: str) -> None:
    into, row = intake(), {"created": "2026-11-20T10:00:00Z"}
    into.time(moment)
    told.complete(row, "secret", into)
    assert row == {"age": age}


def test_a_full_temporary_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file behind the spool is one that no byte can be written to: /dev/full answers as a full disk does."""
    made = spool.Spool()
    made._file.close()
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr(made, "_file", full)
        with pytest.raises(BundleError, match=r"does not fit into the temporary folder .*: No space left on device"):
            made.add("object", "Pod", "", b"{}" * 100, "a.json")


def test_more_objects_than_any_cluster_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MOST", 2)
    made = spool.Spool()
    for number in range(2):
        made.add("object", "Pod", "", b"{}", f"{number}.json")
    with pytest.raises(BundleError, match="more than 2 objects and logs"):
        made.add("object", "Pod", "", b"{}", "3.json")


def test_it_is_a_foreign_bundle(folder: Path) -> None:
    bundle = open_bundle(folder)
    assert isinstance(bundle, ForeignBundle)
    assert bundle.info.holder == "a folder of loose files"


def collected(folder: Path, *objects: dict[str, Any]) -> ForeignBundle:
    """Return a bundle of a tool that asks for all Secrets and Ingresses."""
    write(folder, "a.yaml", *objects)

    def finish(names: Sequence[str], into: Intake) -> None:
        into.collected("secrets", "Secret")
        into.collected("ingresses", "Ingress", "networking.k8s.io")

    def take(member: Member, into: Intake) -> None:
        into.objects(member)

    form = Format("test", "a test bundle", lambda names: Match(), take, finish)
    problems = Problems(200)
    return ForeignBundle(members_of(folder, Limits(), problems), form, Match(), Limits(), problems)


@pytest.mark.parametrize(
    ("content", "gaps"),
    [
        ("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", []),
        ("12 bytes long", ["the certificate of runai/tls"]),
        ("***HIDDEN***", ["the certificate of runai/tls"]),
    ],
)
def test_a_certificate_that_was_hidden_is_unknown(tmp_path: Path, content: str, gaps: list[str]) -> None:
    bundle = collected(tmp_path, secret("tls", "kubernetes.io/tls", tls_crt=content), INGRESS)
    assert [gap.what for gap in bundle.coverage("Certificate", "made", ["runai"])] == gaps


def test_all_secrets_tell_all_releases_of_helm(tmp_path: Path) -> None:
    assert collected(tmp_path, secret()).coverage("HelmRelease", "made", ()) == ()
