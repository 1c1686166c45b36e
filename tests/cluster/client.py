"""A small client of the Kubernetes API for loading scenarios: standard library, one connection a thread."""

import http.client
import json
import ssl
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

Object = dict[str, Any]

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
MANAGER = "testers"
DISCOVERY_WAIT = 10.0  # seconds until a CustomResourceDefinition just made must be served


@dataclass(frozen=True)
class Response:
    """Any answer, also refusals: header names in lower case, the body as it came."""

    status: int
    headers: dict[str, str]
    body: bytes


class ApiError(Exception):
    """The server's refusal (status >= 400) with the reason of its Status object, "" where it sent none."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status, self.reason, self.message = status, reason, message


class Client:
    """Speaks as one user; may be used from several threads at once."""

    def __init__(self, port: int, authority: Path, token: str) -> None:
        self._port = port
        self._token = token
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._own = threading.local()
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    def request(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Response:
        """One request. A connection that the server closed meanwhile is opened again, once."""
        sent = {"Authorization": f"Bearer {self._token}", "Accept": JSON, **(headers or {})}
        try:
            return self._exchange(method, path, body, sent)
        except ConnectionError:
            return self._exchange(method, path, body, sent)

    def request_object(self, method: str, path: str, body: Any = None, content_type: str = JSON) -> Object:
        """As `request`, JSON both ways. Raises ApiError."""
        encoded = None if body is None else json.dumps(body).encode()
        answer = self.request(method, path, encoded, {"Content-Type": content_type} if encoded else None)
        if answer.status >= 400:
            raise _error(answer)
        parsed: Object = json.loads(answer.body)
        return parsed

    def get(self, path: str) -> Object:
        return self.request_object("GET", path)

    def list(self, path: str, limit: int = 500) -> list[Object]:
        """The items of all pages; `path` may have a query."""
        items: list[Object] = []
        start = ""
        while True:
            query = urlencode({"limit": limit, **({"continue": start} if start else {})})
            page = self.get(f"{path}{'&' if '?' in path else '?'}{query}")
            items += page["items"]
            start = page["metadata"].get("continue", "")
            if not start:
                return items

    def create(self, obj: Object) -> Object:
        return self._when_served("POST", self._collection(obj), obj, JSON)

    def put(self, obj: Object, subresource: str = "") -> Object:
        return self.request_object("PUT", _join(self.path_of(obj), subresource), obj)

    def apply(self, obj: Object, subresource: str = "") -> Object:
        """Server-side apply, by force."""
        query = urlencode({"fieldManager": MANAGER, "force": "true"})
        return self._when_served("PATCH", f"{_join(self.path_of(obj), subresource)}?{query}", obj, APPLY_PATCH)

    def patch(self, path: str, patch: Any, subresource: str = "", content_type: str = MERGE_PATCH) -> Object:
        return self.request_object("PATCH", _join(path, subresource), patch, content_type)

    def delete(self, target: Object | str) -> Object:
        return self.request_object("DELETE", target if isinstance(target, str) else self.path_of(target))

    def load(self, obj: Object) -> Object:
        """Applies the object, then its `status` where the kind has a status subresource (where not, it went with the rest)."""
        made = self.apply(obj)
        if not obj.get("status"):
            return made
        try:
            return self.patch(self.path_of(obj), {"status": obj["status"]}, "status")
        except ApiError as error:
            if error.status != 404:
                raise
            return made

    def serves(self, version: str) -> bool:
        """Whether the server has an API version such as policy/v1beta1."""
        return self.request("GET", _root(version)).status == 200

    def path_of(self, obj: Object) -> str:
        """Where the object lives, found through discovery."""
        return f"{self._collection(obj)}/{quote(obj['metadata']['name'], safe='')}"

    def _when_served(self, method: str, path: str, obj: Object, content_type: str) -> Object:
        """Write an object, waiting for its path: right after a CRD was made anew the server answers 404 without a reason."""
        deadline = time.monotonic() + DISCOVERY_WAIT
        while True:
            try:
                return self.request_object(method, path, obj, content_type)
            except ApiError as error:
                if error.status != 404 or error.reason or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _collection(self, obj: Object) -> str:
        version, kind = obj["apiVersion"], obj["kind"]
        resource, namespaced = self._resource(version, kind)
        namespace = f"/namespaces/{obj['metadata'].get('namespace', 'default')}" if namespaced else ""
        return f"{_root(version)}{namespace}/{resource}"

    def _resource(self, version: str, kind: str) -> tuple[str, bool]:
        deadline = time.monotonic() + DISCOVERY_WAIT
        while (version, kind) not in self._resources:
            self._discover(version)
            if (version, kind) not in self._resources:
                if time.monotonic() > deadline:
                    raise LookupError(f"the server knows no {kind} of {version}")
                time.sleep(0.05)
        return self._resources[version, kind]

    def _discover(self, version: str) -> None:
        answer = self.request("GET", _root(version))
        if answer.status == 200:
            for resource in json.loads(answer.body)["resources"]:
                if "/" not in resource["name"]:
                    self._resources[version, resource["kind"]] = (resource["name"], resource["namespaced"])

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Response:
        connection = self._connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        except BaseException:  # half an exchange leaves a connection that nobody can use
            self._drop()
            raise
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _connection(self) -> http.client.HTTPSConnection:
        if getattr(self._own, "connection", None) is None:
            self._own.connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=60)
        connection: http.client.HTTPSConnection = self._own.connection
        return connection

    def _drop(self) -> None:
        self._connection().close()
        self._own.connection = None


def _root(version: str) -> str:
    return f"/api/{version}" if "/" not in version else f"/apis/{version}"


def _join(path: str, subresource: str) -> str:
    return f"{path}/{subresource}" if subresource else path


def _error(answer: Response) -> ApiError:
    try:
        status = json.loads(answer.body)
        return ApiError(answer.status, status.get("reason", ""), status.get("message", ""))
    except (ValueError, AttributeError):  # some refusals are plain text
        return ApiError(answer.status, "", answer.body[:500].decode(errors="replace"))
