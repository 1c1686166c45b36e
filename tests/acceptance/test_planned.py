"""--plan is true: whatever a run asks the API server, or runs in a pod, stands in the plan for the same options."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from tests.acceptance.programs import collect, run
from tests.acceptance.site import Site

pytestmark = pytest.mark.cluster

OPTIONS = (
    (),
    ("-n", "runai", "-n", "gpu-operator", "--since", "2h", "--log-lines", "50"),
    ("--exclude", "events", "--exclude", "kube-*", "--no-certificates", "--no-exec"),
    ("--only", "nodes", "--only", "projects.run.ai"),
)


@dataclass(frozen=True)
class Planned:
    """What was planned, and what the API server was asked."""

    plan: dict[str, Any]
    asked: list[dict[str, Any]]

    def plans(self, entry: dict[str, Any]) -> bool:
        """Whether a request stands in the plan: its path, and of Secrets what is asked for and as what it is to come."""
        path, query = urlsplit(entry["path"]).path, dict(parse_qsl(urlsplit(entry["path"]).query))
        for row in self.plan["requests"]:
            templates = [row["path"], *([row["in_namespace"]] if "in_namespace" in row else [])]
            if any(pattern(template).fullmatch(path) for template in templates):
                accept = next((value for key, value in entry["headers"].items() if key.lower() == "accept"), "")
                if "secrets" not in path or (
                    row.get("accept", "application/json") == accept and row.get("query", {}).items() <= query.items()
                ):
                    return entry["method"] == "GET"
        return False


def pattern(template: str) -> "re.Pattern[str]":
    """A path of the plan: capitals stand for any one name, * for letters."""
    text = re.escape(urlsplit(template).path).replace(r"\*", "[a-z.]+")
    return re.compile(re.sub("NAMESPACE|PLURAL|VERSION|GROUP|CONTAINER|POD|PORT|NAME", "[^/:]+", text))


@pytest.fixture(scope="module")
def planned(site: Site, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Planned]:
    found = {}
    with site.changed("healthy") as cluster:
        for options in OPTIONS:
            folder = tmp_path_factory.mktemp("planned")
            cluster.clear_recording()
            assert collect(runai_collect, folder / "b.tgz", cluster.environment(), *options).path.exists()
            said = run([*runai_collect, "--plan", "--json", *options], {"PATH": "/none"}, folder, 60)
            found[options] = Planned(json.loads(said.stdout), cluster.recording())
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_every_request_is_planned(planned: dict[tuple[str, ...], Planned], options: tuple[str, ...]) -> None:
    found = planned[options]
    assert len(found.asked) > 5
    odd = [entry for entry in found.asked if "/exec?" not in entry["path"] and not found.plans(entry)]
    assert [(entry["method"], entry["path"], entry["headers"]) for entry in odd] == []


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_every_program_is_planned(planned: dict[tuple[str, ...], Planned], options: tuple[str, ...]) -> None:
    found = planned[options]
    allowed = {(row["container"], tuple(argv)) for row in found.plan["exec"] for argv in row["argv"]}
    queries = [parse_qs(urlsplit(entry["path"]).query) for entry in found.asked if "/exec?" in entry["path"]]
    assert {(query["container"][0], tuple(query["command"])) for query in queries} <= allowed
    assert bool(queries) == (options in OPTIONS[:2])


def test_every_request_of_the_plan_that_this_cluster_can_answer_was_asked(planned: dict[tuple[str, ...], Planned]) -> None:
    """Nothing stands in the plan that is not done: but for what other servers need, and what was not refused here."""
    found = planned[()]
    asked = [urlsplit(entry["path"]).path for entry in found.asked]
    lists = [
        row["path"]
        for row in found.plan["requests"]
        if not re.search("PLURAL|GROUP|/api/VERSION|/secrets/|POD|NAMESPACE", row["path"])
    ]
    assert [path for path in lists if not any(pattern(path).fullmatch(one) for one in asked)] == []
