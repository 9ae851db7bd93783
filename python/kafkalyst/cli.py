"""The command line `kafkalyst`: run, serve, sql, resume, top, check, doctor, export, import, replay, local."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kafkalyst import arguments, local
from kafkalyst.apply import import_script
from kafkalyst.check import check
from kafkalyst.errors import describe
from kafkalyst.fetch import fetch
from kafkalyst.inventory import doctor, export
from kafkalyst.notices import Notices
from kafkalyst.owners import own, running
from kafkalyst.queries import POLL_SECONDS, resume, wait
from kafkalyst.resources import servers_dir
from kafkalyst.script import read_script, run_text
from kafkalyst.session import catalog_in, in_memory, preset, session, submit_with_properties
from kafkalyst.table import plain, render
from kafkalyst.top import top

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECT_PORT = 15002
CONNECT_SECONDS = 5
SHOWN_TOPICS = 20  # of those that a replay's letters name


def main(words: Sequence[str] | None = None) -> int:
    """Runs one command; the result is the process's exit code: 0, 1 for a failure, 2 for wrong usage."""
    options = arguments.parser().parse_args(words)
    try:
        return COMMANDS[options.command](options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        print(f"error: {plain(describe(error))}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.file == "-" else read_script(options.file)
    with _session(options) as spark:
        run_text(spark, text, options.file, _say)
        count = running(spark)
        if options.wait:
            if count:
                _wait(spark, count)
            return _failed(spark)
        if count and not options.remote:
            stop, them = ("query stops", "it") if count == 1 else ("queries stop", "them")
            print(f"\n{count} continuous {stop} when this command ends. Use --wait to keep {them} running.")
    return 0


def _say(text: str, end: str = "\n") -> None:
    """Writes a result; control characters are escaped on a terminal only."""
    print(plain(text) if sys.stdout.isatty() else text, end=end, flush=True)


def _tell(line: str) -> None:
    """Writes a line for people, with control characters escaped."""
    print(plain(line), flush=True)


def _resume(options: argparse.Namespace) -> int:
    with _session(options) as spark:
        rows = resume(spark).collect()
        for line in render(["query_id", "sink", "state", "error"], rows, width=None):
            print(line, flush=True)
        if not rows:
            print("Nothing to resume: does the catalog outlive its application? See --catalog.")
        elif not options.remote and (count := running(spark)):
            _wait(spark, count)
        return _failed(spark)


def _serve(options: argparse.Namespace) -> int:
    from kafkalyst import apply, serve

    path = Path(options.path)
    folder = Path(options.catalog) if options.catalog else path if path.is_dir() else path.parent
    applied = apply.Applied(Path(options.state) if options.state else folder / "kafkalyst-applied.json")
    apply.scripts(path)  # before Spark starts, which takes seconds
    serve.end_on_sigterm()

    with _session(options) as spark:
        if not options.state and not options.dry_run:
            apply.require_durable(spark)
        steps = apply.plan(spark, path, applied)
        if options.dry_run:
            changes = list(apply.shown(spark, steps, applied))
            _tell("\n".join(changes) or "nothing to do")
            return 0
        health = serve.Health(options.health) if options.health else None
        apply.apply(spark, steps, applied, _tell)
        _tell(
            f"serving {path}" + (f", http://{options.health.rpartition(':')[0]}:{health.port}/health" if health else "")
        )
        return serve.keep_running(spark, health, options.stop_seconds, _tell)


def _failed(spark: SparkSession) -> int:
    """The exit code: 1 if queries of this application are FAILED; prints each of them with its reason."""
    failed = [row for row in own(spark) if row["state"] == "FAILED"]
    for row in failed:
        print(f"error: {plain(row['query_id'])} failed: {plain(row['error'])}", file=sys.stderr)
    return 1 if failed else 0


def _wait(spark: SparkSession, count: int) -> None:
    run, them = ("query runs", "it") if count == 1 else ("queries run", "them")
    back = "" if in_memory(spark) else f", and kafkalyst resume with the same catalog brings {them} back"
    print(f"\n{count} continuous {run}; Ctrl-C ends {them}{back}.", flush=True)
    signals: list[int] = []

    def end(number: int, _: object) -> None:
        if signals:  # the call to Spark hangs
            raise KeyboardInterrupt
        signals.append(number)

    # PySpark's handler calls the JVM, which fails while this thread awaits an answer from it.
    before = signal.signal(signal.SIGINT, end)
    try:
        while not signals and not wait(spark, 0):
            time.sleep(POLL_SECONDS)
    finally:
        signal.signal(signal.SIGINT, before)


def _top(options: argparse.Namespace) -> int:
    catalog = Path(options.catalog) / "warehouse" if options.catalog else Path("spark-warehouse")
    with contextlib.suppress(KeyboardInterrupt):
        top(options.checkpoints or catalog / "_kafkalyst", options.once, options.seconds)
    return 0


def _sql(options: argparse.Namespace) -> int:
    from kafkalyst.shell import run_shell

    with _session(options) as spark:
        if options.execute is None:
            return run_shell(spark, options.format, _say)
        run_text(spark, options.execute, "-e", _say, echo=False, form=options.format)
    return 0


def _check(options: argparse.Namespace) -> int:
    with _session(options) as spark:
        rows = check(spark).collect()
    for line in render(["name", "ok", "found", "fix"], rows, width=None):
        print(line)
    return 0 if all(row["ok"] for row in rows) else 1


def _doctor(options: argparse.Namespace) -> int:
    with _session(options) as spark:
        rows = doctor(spark).collect()
    for line in render(["kind", "name", "found", "suggestion"], rows, width=None):
        print(line)
    return 0


def _export(options: argparse.Namespace) -> int:
    with _session(options) as spark:
        _say(export(spark, options.database), end="")
    return 0


def _import(options: argparse.Namespace) -> int:
    if not Path(options.file).exists() or Path(options.file).is_dir():
        raise FileNotFoundError(f"No script {options.file}")
    with _session(options) as spark:
        import_script(spark, options.file, _tell)
    return 0


def _replay(options: argparse.Namespace) -> int:
    from kafkalyst.replay import replay

    kafka = options.kafka or os.environ.get("KAFKALYST_KAFKA")
    if not kafka:
        raise RuntimeError("No brokers: give --kafka HOST:PORT or set KAFKALYST_KAFKA.")
    done = replay(
        kafka,
        options.topic,
        options.limit,
        options.dry_run,
        options.again,
        options.to,
        arguments.client(options.client, options.client_file),
        lambda line: print(plain(line), file=sys.stderr, flush=True),
    )
    for name, count in sorted(done.sent.items()):
        print(f"{count} {'found for' if options.dry_run else 'sent to'} {name}")
    if done.strange:
        print(f"{done.strange} skipped: not {'a dead letter' if done.strange == 1 else 'dead letters'}")
    named = sorted(done.elsewhere.most_common(SHOWN_TOPICS))
    for name, count in named:
        print(f"{count} skipped: they are for topic {name}; add --to {name}")
    if unnamed := done.elsewhere.total() + done.further - sum(count for _, count in named):
        print(f"{unnamed} skipped: they are for further topics")
    if not done.sent:
        print("nothing to send")
    return 0


def _local(options: argparse.Namespace) -> int:
    def progress(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if options.action == "fetch":
        place = fetch(options.repository, progress)
        if not (servers_dir().resolve() / local.ARCHIVES).exists():
            # Without Java `up` says what to do; a folder that cannot be written stays without archives.
            with contextlib.suppress(local.LocalServersError, OSError):
                local.archive(progress)
        print(place)
        return 0
    if options.action == "down":
        print("stopped" if local.down() else "nothing was running")
        return 0
    if options.action == "up":
        addresses = local.up(progress=progress)
    else:
        running = local.status()
        if running is None:
            print("not running")
            return 1
        addresses = running
    if options.print_env:
        kafka, registry = (shlex.quote(addresses[name]) for name in ("kafka", "registry"))
        print(f"export KAFKALYST_KAFKA={kafka} KAFKALYST_REGISTRY={registry}")
    else:
        print(f"broker   {addresses['kafka']}\nregistry {addresses['registry']}")
    return 0


@contextlib.contextmanager
def _session(options: argparse.Namespace) -> Iterator[SparkSession]:
    """The session of one command. The JVM's stderr from before the session exists is shown only if the start fails."""
    if options.properties_file:
        if options.remote:
            raise ValueError("--properties-file is for a local session: with --remote the server has the settings.")
        submit_with_properties(options.properties_file)
    conf: dict[str, Any] = catalog_in(options.catalog)
    if options.remote:
        _reach(options.remote)
        conf["spark.remote"] = options.remote
    else:
        screen = {"spark.ui.enabled": False, "spark.ui.showConsoleProgress": sys.stderr.isatty()}
        conf.update({name: value for name, value in screen.items() if preset(name) is None})
    conf.update(setting.split("=", 1) for setting in options.spark_conf)
    if options.log_level:
        os.environ["KAFKALYST_LOG_LEVEL"] = options.log_level  # which conf/log4j2.properties reads
    logging.getLogger("SQLQueryContextLogger").disabled = True  # PySpark logs errors that it raises anyway
    with Notices(shown=options.log_level is not None):
        spark = session(kafka=options.kafka, registry=options.registry, **conf)
    try:
        yield spark
    finally:
        if not options.remote:
            with contextlib.suppress(Exception):
                for query in spark.streams.active:  # a query that still runs when Spark stops prints a Java stack
                    query.stop()
        with contextlib.suppress(Exception):  # the JVM may have ended
            spark.stop()


def _reach(remote: str) -> None:
    """Fails at once if no server listens: Connect's client would retry for minutes."""
    place = urlsplit(remote)
    if place.scheme != "sc" or not place.hostname:
        return
    port = place.port or CONNECT_PORT
    try:
        socket.create_connection((place.hostname, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise RuntimeError(f"No Spark Connect server at {place.hostname}:{port} (--remote): {error}") from error


COMMANDS = {
    "run": _run,
    "serve": _serve,
    "sql": _sql,
    "resume": _resume,
    "top": _top,
    "check": _check,
    "doctor": _doctor,
    "export": _export,
    "import": _import,
    "replay": _replay,
    "local": _local,
}


if __name__ == "__main__":
    sys.exit(main())
