"""The check of what a run would lack, on a site that is well: what it reads it keeps nowhere."""

import os
import tempfile
from http.client import HTTPConnection
from pathlib import Path

import pytest
from runai_collect import plan
from runai_collect.check import check
from runai_collect.client import Client, Stop
from runai_collect.progress import Progress

from tests.collector.fault_server import limits, site


def test_nothing_is_written_not_even_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check that is killed leaves nothing, and one on a disk that is full works."""
    opened: list[str] = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    true_open = os.open
    monkeypatch.setattr(os, "open", lambda path, *more: opened.append(str(path)) or true_open(path, *more))
    options, stop = plan.Options(limits=limits()), Stop()
    with site() as server:
        client = Client(lambda timeout: HTTPConnection("127.0.0.1", server.server_port, timeout=timeout), options.limits, stop)
        assert check(client, options, stop, Progress(True), "default", False)
    assert capsys.readouterr().out.startswith("Nothing is refused")
    assert opened == [os.devnull]
