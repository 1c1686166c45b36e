"""The site that misbehaves as told, for the tests of every module that reads it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.collector.fault_server import Program, Site, read_directly, site
from tests.collector.test_collect import Bundle


@pytest.fixture
def server() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture
def program(server: Site, tmp_path: Path) -> Program:
    return Program(server, tmp_path)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    with site() as one:
        return read_directly(one, tmp_path_factory.mktemp("healthy"))
