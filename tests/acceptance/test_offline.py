"""The analyzer needs no network, and the same bundle gives the same bytes whatever the surroundings are."""

import subprocess
from pathlib import Path

import pytest

from tests.acceptance.programs import Analyzed, Collected, analyze

pytestmark = pytest.mark.cluster

ALONE = ("unshare", "-rn")  # a namespace with no network at all, not even a loopback that is up
FILES = ("report.html", "report.pdf", "report.json")

HERE = {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "1"}
ELSEWHERE = {
    "LC_ALL": "tr_TR.ISO-8859-9",
    "LANG": "de_DE.UTF-8",
    "TZ": "Pacific/Kiritimati",
    "PYTHONHASHSEED": "4242",
    "COLUMNS": "40",
}


@pytest.fixture(scope="module")
def offline(broken_site: Collected, tmp_path_factory: pytest.TempPathFactory) -> Analyzed:
    folder = tmp_path_factory.mktemp("offline")
    return analyze(broken_site.path, folder / "report", "--format", "html,pdf,json", before=ALONE, **HERE)


@pytest.fixture(scope="module")
def elsewhere(broken_site: Collected, tmp_path_factory: pytest.TempPathFactory) -> Analyzed:
    folder = tmp_path_factory.mktemp("elsewhere")
    return analyze(broken_site.path, folder / "report", "--format", "html,pdf,json", **ELSEWHERE)


def test_there_is_really_no_network(tmp_path: Path) -> None:
    links = subprocess.run([*ALONE, "cat", "/proc/net/route"], capture_output=True, text=True, check=False)
    assert links.returncode == 0, f"unshare was refused: {links.stderr}"
    assert len(links.stdout.splitlines()) <= 1, "there is a route"


def test_the_analyzer_works_without_a_network(offline: Analyzed) -> None:
    assert offline.run.code == 1, offline.run  # broken-site has findings; 5 would be: a format could not be written
    assert all(len(offline.read(name)) > 10_000 for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_another_locale_time_zone_and_hash_seed_give_the_same_bytes(offline: Analyzed, elsewhere: Analyzed, name: str) -> None:
    assert elsewhere.run.code == offline.run.code, elsewhere.run
    assert offline.read(name) == elsewhere.read(name)


def test_the_html_asks_nobody_for_anything(offline: Analyzed) -> None:
    """No address that a browser would fetch by itself: only links that a person may click."""
    page = offline.read("report.html").decode()
    for loading in ('src="http', "src='http", "@import", 'url("http', "url(http", '<link rel="stylesheet"', "srcset="):
        assert loading not in page
