"""A client of a schema registry with Confluent's REST API: schemas by id, GUID and subject, with a cache."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

TIMEOUT_SECONDS = 10
NOT_FOUND = 404
NOT_FOUND_CODES = (40401, 40402, 40403)
RETRIES = 3
RETRY_SECONDS = 0.2
SHOWN = 500
LARGEST_BYTES = 32 << 20
MEDIA = "application/vnd.schemaregistry.v1+json"
T = TypeVar("T")


class RegistryError(RuntimeError):
    """The registry answered with an error, or not at all.

    Attributes:
        status: the HTTP status, 0 without an answer.
        code: the registry's own number of the error, such as 40403; 0 without one.
    """

    def __init__(self, message: str, status: int = 0, code: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    @property
    def is_not_found(self) -> bool:
        """Whether the registry does not know the schema; other 404s, as for a wrong path, do not count."""
        return self.status == NOT_FOUND and self.code in NOT_FOUND_CODES


@dataclass(frozen=True)
class Reference:
    """A schema that another one imports: `name` is its name in the importing schema."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True)
class Schema:
    """The text of a schema, its type (AVRO, JSON or PROTOBUF), and its references."""

    text: str
    type: str = "AVRO"
    references: tuple[Reference, ...] = ()

    def body(self) -> dict[str, Any]:
        """The body of a request to the registry."""
        body: dict[str, Any] = {"schema": self.text}
        if self.type != "AVRO":  # older registries know the field only for the others
            body["schemaType"] = self.type
        if self.references:
            body["references"] = [vars(reference) for reference in self.references]
        return body


class Registry:
    """The client; one serves all threads of a process.

    Args:
        url: address, with the path of the Confluent API if it has one; `https://user:password@host` logs in. Several
            addresses, separated by commas, are tried in turn.
        user_info: `user:password` for HTTP basic authentication, instead of the login in the address.
        token: a bearer token, or a function that returns the current one.
        tls: for a private authority or a client certificate; Python's default otherwise.
        timeout: seconds after which a call fails if the registry does not answer, retries included. Answers of 408, 429
            and 5xx and broken connections are retried three times.
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
        self._addresses = [_address(one.strip(), user_info) for one in url.split(",") if one.strip()]
        self._token = token
        self._tls = tls
        self._timeout = timeout
        self._known: dict[tuple[Any, ...], Any] = {}
        self._asked: dict[tuple[Any, ...], threading.Lock] = {}
        self._lock = threading.Lock()

    def by_id(self, schema_id: int) -> Schema:
        """The schema of an id. Raises RegistryError; `status` 404 means that there is none."""
        return self._kept(("id", schema_id), lambda: self._ask(_schema, "GET", f"/schemas/ids/{schema_id}"))

    def by_guid(self, guid: str) -> Schema:
        """The schema of a GUID, as in headers. Raises RegistryError."""
        return self._kept(("guid", guid), lambda: self._ask(_schema, "GET", f"/schemas/guids/{guid}"))

    def latest(self, subject: str) -> tuple[int, Schema]:
        """A subject's latest schema with its id, not cached. Raises RegistryError."""
        path = f"/subjects/{_quoted(subject)}/versions/latest"
        return self._ask(lambda answer: (_id(answer), _schema(answer)), "GET", path)

    def version(self, subject: str, version: int) -> Schema:
        """The schema of a subject's version. Raises RegistryError."""
        path = f"/subjects/{_quoted(subject)}/versions/{version}"
        return self._kept(("version", subject, version), lambda: self._ask(_schema, "GET", path))

    def register(self, subject: str, schema: Schema) -> int:
        """Registers a schema unless it exists; returns its id. Raises RegistryError, `status` 409: not compatible."""
        path = f"/subjects/{_quoted(subject)}/versions"
        return self._kept(("register", subject, schema), lambda: self._ask(_id, "POST", path, schema.body()))

    def lookup(self, subject: str, schema: Schema) -> int:
        """The id of a subject's schema. Raises RegistryError; `status` 404 means that the subject does not have it."""
        path = f"/subjects/{_quoted(subject)}"
        return self._kept(("lookup", subject, schema), lambda: self._ask(_id, "POST", path, schema.body()))

    def version_of(self, subject: str, schema: Schema) -> int:
        """The version of a subject's schema. Raises RegistryError; `status` 404: the subject does not have it."""
        path = f"/subjects/{_quoted(subject)}"

        def read(answer: Any) -> int:
            return int(answer["version"])

        return self._kept(("version_of", subject, schema), lambda: self._ask(read, "POST", path, schema.body()))

    def imports(self, schema: Schema) -> dict[str, Schema]:
        """All that a schema refers to, by the names used for them, each behind what it needs itself.

        Raises RegistryError, also for schemas that refer to each other in a circle.
        """
        found: dict[str, Schema] = {}
        self._import(schema, found, frozenset())
        return found

    def _import(self, schema: Schema, found: dict[str, Schema], within: frozenset[Reference]) -> None:
        """Adds what a schema refers to; `within` are the references that led to it."""
        for reference in schema.references:
            if reference in within:
                raise RegistryError(f"{reference.subject}, version {reference.version} refers to itself")
            if reference.name not in found:
                referred = self.version(reference.subject, reference.version)
                self._import(referred, found, within | {reference})
                found.setdefault(reference.name, referred)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """One request; the answer's JSON. Raises RegistryError with the registry's own text."""
        end = time.monotonic() + self._timeout
        failed = RegistryError(f"{method} {path}: the address is empty")
        for attempt in range(1 + RETRIES):
            for address in self._addresses:
                try:
                    answer = self._send(address, method, path, body, max(0.1, end - time.monotonic()))
                except RegistryError as error:
                    failed = error
                    if not _passes(error):
                        raise
                else:
                    # The address that answered is tried first from now on.
                    self._addresses = [address, *(other for other in self._addresses if other != address)]
                    return answer
            pause = RETRY_SECONDS * 2**attempt
            if attempt == RETRIES or time.monotonic() + pause > end:
                break
            time.sleep(pause)
        raise failed

    def _send(self, address: tuple[str, str | None], method: str, path: str, body: object, timeout: float) -> Any:
        """One request to one address."""
        url, user_info = address
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": MEDIA, "Accept": f"{MEDIA}, application/json"}
        token = (self._token() if callable(self._token) else self._token) or ""
        try:
            request_ = urllib.request.Request(f"{url}{path}", data, headers, method=method)
            # A redirect to another host must not get the login.
            if token:
                request_.add_unredirected_header("Authorization", f"Bearer {token.strip()}")
            elif user_info:
                login = base64.b64encode(user_info.encode()).decode()
                request_.add_unredirected_header("Authorization", f"Basic {login}")
            _check_login(request_)
            with urllib.request.urlopen(request_, timeout=timeout, context=self._tls) as answer:
                return json.loads(_body(answer, time.monotonic() + timeout))
        except urllib.error.HTTPError as error:
            with error:
                text = _text(error)
            raise RegistryError(f"{method} {path}: {error.code} {text[:SHOWN]}", error.code, _code(text)) from error
        except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise RegistryError(f"{method} {path}: no answer from {url}: {reason}") from error

    def _ask(self, read: Callable[[Any], T], method: str, path: str, body: object = None) -> T:
        """The result read from an answer. Raises RegistryError, also for an answer of another form."""
        answer = self.call(method, path, body)
        try:
            return read(answer)
        except (AttributeError, TypeError, LookupError, ValueError) as error:
            shown = json.dumps(answer)[:SHOWN]
            raise RegistryError(f"{method} {path}: not the answer of a schema registry: {shown}") from error

    def _kept(self, key: tuple[Any, ...], ask: Callable[[], T]) -> T:
        """Caches an immutable answer; one request, even if several threads need it at the same time."""
        if key not in self._known:
            with self._lock:
                own = self._asked.setdefault(key, threading.Lock())
            try:
                with own:
                    if key not in self._known:
                        self._known[key] = ask()
            finally:
                self._asked.pop(key, None)
        known: T = self._known[key]
        return known


def _body(answer: http.client.HTTPResponse, end: float) -> bytes:
    """The whole body. A timeout of the socket is one of each read, so a registry that drips would never end."""
    parts, size = [], 0
    while part := answer.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST_BYTES:
            raise ValueError(f"the answer is larger than {LARGEST_BYTES} bytes")
        if time.monotonic() > end:
            raise TimeoutError("the answer did not end in time")
    return b"".join(parts)


def _check_login(of: urllib.request.Request) -> None:
    """Refuses a bad login here, because Python's own error would show its value."""
    if any(c in "\r\n" or ord(c) > 255 for c in of.get_header("Authorization", "")):
        raise ValueError("the login has a line break or a character that no header has")


def request(registry: str, method: str, path: str, body: object = None) -> Any:
    """One call of the Confluent API at an address; returns the answer's JSON. Raises RegistryError."""
    return Registry(registry).call(method, path, body)


def register(registry: str, subject: str, schema: object) -> int:
    """Registers an Avro schema under a subject; returns its id. Raises RegistryError."""
    return Registry(registry).register(subject, Schema(json.dumps(schema)))


def _address(url: str, user_info: str | None) -> tuple[str, str | None]:
    """An address without its login, and the login."""
    parts = urllib.parse.urlsplit(url.rstrip("/"))
    if user_info is None and parts.username is not None:
        user_info = urllib.parse.unquote(parts.netloc.rpartition("@")[0])
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])), user_info


def _passes(error: RegistryError) -> bool:
    """Whether a retry may succeed."""
    passing = error.status in (408, 429) or (error.status >= 500 and error.status != 501)
    broken = isinstance(error.__cause__, OSError | http.client.HTTPException)
    return passing or (error.status == 0 and broken)


def _text(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(LARGEST_BYTES).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def _code(text: str) -> int:
    """The registry's own number of an error."""
    try:
        return int(json.loads(text)["error_code"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return 0


def _id(answer: dict[str, Any]) -> int:
    return int(answer["id"])


def _schema(answer: dict[str, Any]) -> Schema:
    references: Sequence[dict[str, Any]] = answer.get("references") or ()
    if not isinstance(answer["schema"], str):
        raise TypeError("schema")
    return Schema(
        answer["schema"],
        answer.get("schemaType") or "AVRO",
        tuple(Reference(r["name"], r["subject"], int(r["version"])) for r in references),
    )


def _quoted(subject: str) -> str:
    return urllib.parse.quote(subject, safe="")
