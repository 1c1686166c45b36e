"""yaml-language-server, which editors use for YAML: installed once from npm, and spoken to as an editor does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cluster.building import build_once, cache_folder

VERSION = "1.25.0"
_SECONDS = 60
_SETTINGS = {
    "yaml": {
        "validate": True,
        "hover": True,
        "completion": True,
        "schemaStore": {"enable": False},
        "kubernetesCRDStore": {"enable": False},
    },
    "editor": {"tabSize": 2},
    "http": {},
    "[yaml]": {},
}


class MissingServerError(Exception):
    """The server is not there and could not be installed."""


def find_server() -> Path:
    """Return the program, installed into the cache where it was not there yet. Raises MissingServerError."""
    marker = cache_folder(os.environ, f"yaml-language-server-{VERSION}") / "installed"
    if not shutil.which("node") or (not marker.is_file() and not shutil.which("npm")):
        raise MissingServerError("no yaml-language-server: install Node.js, which also brings npm")
    build_once(marker, lambda place: _install(marker.parent, place), lambda line: None)
    return marker.parent / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"


def _install(folder: Path, marker: Path) -> None:
    command = [
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        str(folder),
        f"yaml-language-server@{VERSION}",
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode:
        raise MissingServerError(f"no yaml-language-server: npm could not install it: {result.stderr.strip()[-300:]}")
    marker.touch()


class Server:
    """A running server. ``diagnostics`` holds what it last said about each document."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Return the answer to a request."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        return self._read_until(lambda message: message.get("id") == number and "method" not in message)["result"]

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def open(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Open a document as an editor does, and return what the server finds wrong with it."""
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.diagnostics.pop(path.as_uri(), None)
        self.tell("textDocument/didOpen", {"textDocument": document})
        self._read_until(lambda message: path.as_uri() in self.diagnostics)
        return self.diagnostics[path.as_uri()]

    def complete(self, path: Path, line: int, character: int) -> dict[str, dict[str, Any]]:
        """Return what is proposed at a place (both count from 0), by its label."""
        answer = self.ask("textDocument/completion", _at(path, line, character))
        return {item["label"]: item for item in (answer["items"] if isinstance(answer, dict) else answer or ())}

    def hover(self, path: Path, line: int, character: int) -> str:
        """Return the help that is shown at a place."""
        answer = self.ask("textDocument/hover", _at(path, line, character))
        return str(answer["contents"]["value"]) if answer else ""

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read_until(self, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._read()
            if "method" in message and "id" in message:  # the server asks too
                self._send({"id": message["id"], "result": _answer(message)})
            elif message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
            if done(message):
                return message

    def _read(self) -> dict[str, Any]:
        output = self._process.stdout
        assert output is not None
        length = 0
        while line := output.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise AssertionError("yaml-language-server ended")
        message: dict[str, Any] = json.loads(output.read(length))
        return message


def _at(path: Path, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}


def _answer(message: dict[str, Any]) -> Any:
    if message["method"] != "workspace/configuration":
        return None
    return [_SETTINGS.get(item.get("section", ""), {}) for item in message["params"]["items"]]


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server that looks at a folder; it ends with the block."""
    command = ["node", str(find_server()), "--stdio"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        server = Server(process)
        capabilities = {
            "workspace": {"configuration": True},
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": True}},
                "hover": {"contentFormat": ["markdown"]},
            },
        }
        server.ask("initialize", {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": capabilities})
        server.tell("initialized", {})
        server.tell("workspace/didChangeConfiguration", {"settings": _SETTINGS})
        yield server
    finally:
        process.kill()
        process.wait(timeout=_SECONDS)
