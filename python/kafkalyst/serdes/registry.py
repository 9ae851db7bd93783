"""A schema registry over Confluent's REST API: schemas by id, GUID and subject, kept once they are known."""

from __future__ import annotations

import base64
import json
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

TIMEOUT_SECONDS = 10
NOT_FOUND = 404
MEDIA = "application/vnd.schemaregistry.v1+json"
T = TypeVar("T")


class RegistryError(RuntimeError):
    """The registry answered with an error, or not at all. `status` is the HTTP status, 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Reference:
    """A schema that another one imports: `name` is how it is called there, `subject` and `version` where it is."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True)
class Schema:
    """The text of a schema, its type (AVRO, JSON or PROTOBUF), and what it refers to."""

    text: str
    type: str = "AVRO"
    references: tuple[Reference, ...] = ()

    def body(self) -> dict[str, Any]:
        """As the registry takes it."""
        body: dict[str, Any] = {"schema": self.text}
        if self.type != "AVRO":  # older registries know the field only for the others
            body["schemaType"] = self.type
        if self.references:
            body["references"] = [vars(reference) for reference in self.references]
        return body


class Registry:
    """The client; one serves all threads of a process.

    Args:
        url: address, with the path of the Confluent API if it has one; `https://user:password@host` logs in.
        user_info: `user:password` for HTTP basic authentication, in place of that in the address.
        token: a bearer token, or a function that gives the one of now.
        tls: for an own authority or a client certificate; Python's default otherwise.
        timeout: seconds for one answer.
    """

    def __init__(
        self,
        url: str,
        *,
        user_info: str | None = None,
        token: str | Callable[[], str] | None = None,
        tls: ssl.SSLContext | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        parts = urllib.parse.urlsplit(url.rstrip("/"))
        if user_info is None and parts.username is not None:
            user_info = urllib.parse.unquote(parts.netloc.rpartition("@")[0])
        self._url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self._user_info = user_info
        self._token = token
        self._tls = tls
        self._timeout = timeout
        self._known: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.Lock()

    def by_id(self, schema_id: int) -> Schema:
        """The schema of an id. Raises RegistryError, its `status` 404 where there is none."""
        return self._kept(("id", schema_id), lambda: _schema(self.call("GET", f"/schemas/ids/{schema_id}")))

    def by_guid(self, guid: str) -> Schema:
        """The schema of a GUID, as headers name it. Raises RegistryError."""
        return self._kept(("guid", guid), lambda: _schema(self.call("GET", f"/schemas/guids/{guid}")))

    def latest(self, subject: str) -> tuple[int, Schema]:
        """A subject's latest schema with its id, asked for anew each time. Raises RegistryError."""
        answer = self.call("GET", f"/subjects/{_quoted(subject)}/versions/latest")
        return int(answer["id"]), _schema(answer)

    def version(self, subject: str, version: int) -> Schema:
        """The schema of a subject's version. Raises RegistryError."""
        path = f"/subjects/{_quoted(subject)}/versions/{version}"
        return self._kept(("version", subject, version), lambda: _schema(self.call("GET", path)))

    def register(self, subject: str, schema: Schema) -> int:
        """Registers a schema unless it exists; returns its id. Raises RegistryError, `status` 409: not compatible."""
        path = f"/subjects/{_quoted(subject)}/versions"
        return self._kept(("register", subject, schema), lambda: int(self.call("POST", path, schema.body())["id"]))

    def lookup(self, subject: str, schema: Schema) -> int:
        """The id of a subject's schema. Raises RegistryError; `status` 404 means that the subject does not have it."""
        path = f"/subjects/{_quoted(subject)}"
        return self._kept(("lookup", subject, schema), lambda: int(self.call("POST", path, schema.body())["id"]))

    def imports(self, schema: Schema) -> dict[str, Schema]:
        """All that a schema refers to, by the names used for them, each behind what it needs itself."""
        found: dict[str, Schema] = {}
        for reference in schema.references:
            if reference.name not in found:
                referred = self.version(reference.subject, reference.version)
                found.update({name: s for name, s in self.imports(referred).items() if name not in found})
                found[reference.name] = referred
        return found

    def call(self, method: str, path: str, body: object = None) -> Any:
        """One request; the answer's JSON. Raises RegistryError with the registry's own text."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": MEDIA, "Accept": f"{MEDIA}, application/json"}
        request_ = urllib.request.Request(f"{self._url}{path}", data, headers, method=method)
        token = self._token() if callable(self._token) else self._token
        # A redirect to another host must not take the login along.
        if token:
            request_.add_unredirected_header("Authorization", f"Bearer {token}")
        elif self._user_info:
            login = base64.b64encode(self._user_info.encode()).decode()
            request_.add_unredirected_header("Authorization", f"Basic {login}")
        try:
            with urllib.request.urlopen(request_, timeout=self._timeout, context=self._tls) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise RegistryError(f"{method} {path}: {error.code} {text}", error.code) from error
        except (OSError, ValueError) as error:
            raise RegistryError(f"{method} {path}: no answer from {self._url}: {error}") from error

    def _kept(self, key: tuple[Any, ...], ask: Callable[[], T]) -> T:
        """What is immutable is asked for once, also where several threads need it at the same time."""
        if key not in self._known:
            with self._lock:
                if key not in self._known:
                    self._known[key] = ask()
        known: T = self._known[key]
        return known


def request(registry: str, method: str, path: str, body: object = None) -> Any:
    """One call of the Confluent API at an address; the answer's JSON. Raises RegistryError."""
    return Registry(registry).call(method, path, body)


def register(registry: str, subject: str, schema: object) -> int:
    """Registers an Avro schema under a subject; its id. Raises RegistryError."""
    return Registry(registry).register(subject, Schema(json.dumps(schema)))


def _schema(answer: dict[str, Any]) -> Schema:
    references: Sequence[dict[str, Any]] = answer.get("references") or ()
    return Schema(
        answer["schema"],
        answer.get("schemaType") or "AVRO",
        tuple(Reference(r["name"], r["subject"], int(r["version"])) for r in references),
    )


def _quoted(subject: str) -> str:
    return urllib.parse.quote(subject, safe="")
