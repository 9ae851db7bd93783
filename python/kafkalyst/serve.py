"""`kafkalyst serve`: applies a folder of scripts, and keeps its continuous queries running until SIGTERM."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from kafkalyst.errors import describe
from kafkalyst.owners import full_id, is_of_cluster, own
from kafkalyst.queries import resume

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The columns of SHOW QUERIES that the endpoint shows.
SHOWN = ("query_id", "sink", "sources", "state", "rows", "rows_per_second", "lag", "error")
POLL_SECONDS = 1.0
# If the last look at the queries is older, the driver does not answer.
STALE_SECONDS = 60.0
RETRY_SECONDS = 60.0
OVERDUE = 3


class Health:
    """The endpoint of `/health` and `/ready`: 200 or 503, and the queries as JSON. Makes no calls to Spark itself.

    Args:
        address: `host:port`; without a host 127.0.0.1, and with port 0 any free one, see `port`.

    Raises:
        OSError: when the address cannot be used, for example because another process has the port.
        ValueError: for a port that is not a number.
    """

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._queries: list[dict[str, Any]] = []
        self._looked: float | None = None
        health = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answers one request."""
                answer = health.answer(self.path)
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(answer[1]).encode() + b"\n")

            def log_message(self, format: str, *arguments: Any) -> None:
                """Nothing: probes come every few seconds."""

        self._server = ThreadingHTTPServer((host or "127.0.0.1", int(port)), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="health", daemon=True).start()

    def saw(self, queries: list[dict[str, Any]]) -> None:
        """Stores the current state of the queries."""
        self._queries, self._looked = queries, time.monotonic()

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and body for a path."""
        if path not in ("/health", "/ready"):
            return 404, {"paths": ["/health", "/ready"]}
        fresh = self._looked is not None and time.monotonic() - self._looked < STALE_SECONDS
        failed = [query["query_id"] for query in self._queries if query["state"] == "FAILED"]
        fine = fresh and (path == "/ready" or not failed)
        return 200 if fine else 503, {"ok": fine, "failed": failed, "queries": self._queries}

    def stop(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()


def end_on_sigterm() -> None:
    """Makes SIGTERM end the process at once, with code 143; a container's first process ignores it by default."""
    # An exception could leave half of an answer from the JVM for the next call.
    signal.signal(signal.SIGTERM, lambda number, _: os._exit(128 + number))


def keep_running(spark: SparkSession, health: Health | None, limit: float, out: Callable[[str], object]) -> int:
    """Starts the catalog's queries, watches them, and stops them all on SIGTERM or Ctrl-C.

    The engine restarts a query that fails, by `spark.kafkalyst.query.restart.*`; one that stays FAILED is retried once
    a minute.

    Args:
        spark: the session.
        health: gets the state of the queries; None for no endpoint.
        limit: seconds that stopping may take; then the process ends with code 3, whatever still runs.
        out: called with lines for people.

    Returns:
        The exit code: 0, or 1 if a query was FAILED at the end.

    Raises:
        PySparkException: when the catalog cannot be read at the start. Later failures are told to `out`.
    """
    # A list, because an Event's own lock could already be held by what the signal interrupts.
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda given, _: signals.append(given))
    threading.Thread(target=_end_in_time, args=(signals, limit), name="watchdog", daemon=True).start()
    resume(spark).collect()
    failed: dict[str, str] = {}
    refused: dict[str, str] = {}
    tried = time.monotonic()
    while not signals:
        time.sleep(POLL_SECONDS)
        if signals:
            break
        try:
            rows = [{name: row[name] for name in SHOWN} for row in own(spark)]
        except Exception as error:  # e.g. of the metastore; the endpoint then answers 503, as its data grows old
            out(f"SHOW QUERIES failed, and is tried again: {describe(error).splitlines()[0]}")
            continue
        for row in rows:
            if row["state"] == "FAILED" and failed.get(row["query_id"]) != row["error"]:
                out(f"{row['query_id']} failed: {row['error']}")
        failed = {row["query_id"]: row["error"] for row in rows if row["state"] == "FAILED"}
        if health:
            health.saw(rows)
        if failed and not signals and time.monotonic() - tried > RETRY_SECONDS:
            tried = time.monotonic()
            refused = _retry(spark, rows, refused, out)
    out("stopping")
    try:
        for query in spark.streams.active:
            query.stop()
    except Exception as error:  # SIGTERM to the whole process group, as by systemd and timeout, ends the JVM too
        out(f"Spark has ended by itself: {describe(error).splitlines()[0]}")
    if health:
        health.stop()
    return 1 if failed else 0


def _retry(
    spark: SparkSession, rows: list[dict[str, Any]], before: dict[str, str], out: Callable[[str], object]
) -> dict[str, str]:
    """Resumes the FAILED queries one by one, because RESUME ALL would also start those that users paused.

    Args:
        spark: the session.
        rows: of SHOW QUERIES.
        before: the result of the last call: an error is told once.
        out: called with lines for people.

    Returns:
        The errors of the queries that could not be resumed, by their ids.
    """
    ids = [row["query_id"] for row in rows]
    refused = {}
    for row in rows:
        if row["state"] != "FAILED":
            continue
        # Queries of several catalogs may have one id, also such of other applications, which are not among the rows.
        full = full_id(spark, row)
        name = full if is_of_cluster(spark, full) or ids.count(row["query_id"]) > 1 else row["query_id"]
        try:
            spark.sql(f"RESUME `{name}`").collect()
        except Exception as error:
            refused[name] = describe(error).splitlines()[0]
            if before.get(name) != refused[name]:
                out(f"RESUME `{name}` failed, and is tried again: {refused[name]}")
    return refused


def _end_in_time(signals: list[int], limit: float) -> None:
    """Ends the process this long after a signal: a call to Spark that hangs does not see the signal."""
    while not signals:
        time.sleep(POLL_SECONDS)
    time.sleep(limit)
    os._exit(OVERDUE)
