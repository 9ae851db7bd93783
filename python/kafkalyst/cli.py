"""The command line `kafkalyst`: run, serve, sql, resume, top, check, doctor, export, import, replay, local."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kafkalyst import arguments, local
from kafkalyst.apply import import_script
from kafkalyst.check import check
from kafkalyst.errors import describe
from kafkalyst.fetch import REPOSITORY, fetch
from kafkalyst.inventory import doctor, export
from kafkalyst.notices import Notices
from kafkalyst.queries import resume, wait
from kafkalyst.resources import servers_dir, version
from kafkalyst.script import FORMATS, read_script, run_text
from kafkalyst.session import catalog_in, preset, session, submit_with_properties
from kafkalyst.table import plain, render
from kafkalyst.top import top

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECT_PORT = 15002
CONNECT_SECONDS = 5


def main(words: Sequence[str] | None = None) -> int:
    """Runs one command; the result is the process's exit code: 0, 1 for a failure, 2 for wrong usage."""
    options = _parser().parse_args(words)
    try:
        return int(options.command(options))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        print(f"error: {plain(describe(error))}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.file == "-" else read_script(options.file)
    with _session(options) as spark:
        run_text(spark, text, options.file, _say)
        active = spark.streams.active
        if active and options.wait:
            _wait(spark, len(active))
            return _failed(spark)
        if active and not options.remote:
            stop = "query stops" if len(active) == 1 else "queries stop"
            them = "it" if len(active) == 1 else "them"
            print(f"\n{len(active)} continuous {stop} when this command ends. Use --wait to keep {them} running.")
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
        elif not options.remote:
            _wait(spark, len(rows))
        return _failed(spark)


def _serve(options: argparse.Namespace) -> int:
    from kafkalyst import apply, serve

    path = Path(options.path)
    folder = Path(options.catalog) if options.catalog else path if path.is_dir() else path.parent
    applied = apply.Applied(Path(options.state) if options.state else folder / "kafkalyst-applied.json")
    apply.scripts(path)  # before Spark starts, which takes seconds
    serve.end_on_sigterm()

    with _session(options) as spark:
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
    """The exit code: 1 if queries are FAILED; prints each of them with its reason."""
    failed = spark.sql("SHOW QUERIES").where("state = 'FAILED'").collect()
    for row in failed:
        print(f"error: {plain(row['query_id'])} failed: {plain(row['error'])}", file=sys.stderr)
    return 1 if failed else 0


def _wait(spark: SparkSession, count: int) -> None:
    run, them = ("query runs", "it") if count == 1 else ("queries run", "them")
    print(f"\n{count} continuous {run}; Ctrl-C ends {them}, and kafkalyst resume brings {them} back.", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        wait(spark)


def _top(options: argparse.Namespace) -> int:
    catalog = Path(options.catalog) / "warehouse" if options.catalog else Path("spark-warehouse")
    with contextlib.suppress(KeyboardInterrupt):
        top(options.checkpoints or catalog / "_kafkalyst", options.once, options.seconds)
    return 0


def _sql(options: argparse.Namespace) -> int:
    from kafkalyst.shell import run_shell

    with _session(options) as spark:
        if options.execute is None:
            return run_shell(spark, options.format)
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
    for name, count in sorted(done.elsewhere.items()):
        print(f"{count} skipped: they are for topic {plain(name)}; add --to {plain(name)}")
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
        print(f"export KAFKALYST_KAFKA={addresses['kafka']} KAFKALYST_REGISTRY={addresses['registry']}")
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("kafkalyst", description="Kafka topics as tables in spark.sql.")
    parser.add_argument("--version", action="version", version=f"kafkalyst {version()}")
    commands = parser.add_subparsers(required=True, metavar="command")
    settings = argparse.ArgumentParser(add_help=False)
    settings.add_argument("--kafka", metavar="HOST:PORT", help="brokers; by default $KAFKALYST_KAFKA")
    settings.add_argument("--registry", metavar="URL", help="schema registry; by default $KAFKALYST_REGISTRY")
    settings.add_argument(
        "--spark-conf",
        metavar="NAME=VALUE",
        type=arguments.setting,
        action="append",
        default=[],
        help="a setting of Spark or Kafkalyst, can be repeated; others see it in the list of processes",
    )
    settings.add_argument(
        "--properties-file",
        metavar="FILE",
        help="settings of Spark and Kafkalyst, as spark-submit takes it, instead of spark-defaults.conf",
    )
    levels = ["error", "warn", "info", "debug"]
    settings.add_argument(
        "--log-level", choices=levels, help="what Spark and the engine log on stderr; by default warnings of the engine"
    )
    settings.add_argument(
        "--remote", metavar="sc://HOST:PORT", help="a Spark Connect server instead of a local session"
    )

    catalog = "keep catalog, checkpoints and tables in this folder, so that they outlive the command"
    settings.add_argument("--catalog", metavar="DIR", help=catalog)

    run = commands.add_parser("run", parents=[settings], help="run a script of statements")
    run.add_argument("file", help="a script in UTF-8; - reads standard input")
    run.add_argument("--wait", action="store_true", help="let the continuous queries run until Ctrl-C")
    run.set_defaults(command=_run)
    serve = commands.add_parser("serve", parents=[settings], help="apply scripts and keep their queries running")
    serve.add_argument("path", help="a script, or a folder of .sql")
    serve.add_argument("--dry-run", action="store_true", help="only show what would be created or replaced, as a diff")
    serve.add_argument(
        "--state", metavar="FILE", help="record of what was applied; by default kafkalyst-applied.json in --catalog"
    )
    serve.add_argument(
        "--health", metavar="HOST:PORT", type=arguments.address, help="answer GET /health and /ready there"
    )
    serve.add_argument(
        "--stop-seconds",
        metavar="N",
        type=arguments.seconds,
        default=25.0,
        help="seconds to stop in after SIGTERM; 25 by default",
    )
    serve.set_defaults(command=_serve)
    sql = commands.add_parser("sql", parents=[settings], help="type statements; Tab completes, history is kept")
    sql.add_argument("-e", "--execute", metavar="STATEMENTS", help="run these, and do not wait for others")
    sql.add_argument(
        "--format", choices=FORMATS, default="table", help="of results: csv and json have all rows, no more"
    )
    sql.set_defaults(command=_sql)
    back = commands.add_parser("resume", parents=[settings], help="bring back the continuous queries of the catalog")
    back.set_defaults(command=_resume)
    live = commands.add_parser("top", help="show the continuous queries, from the files beside their checkpoints")
    live.add_argument("--checkpoints", metavar="DIR", help="by default _kafkalyst in the warehouse")
    live.add_argument("--catalog", metavar="DIR", help="the folder that run or resume were given")
    live.add_argument("--once", action="store_true", help="print once and end")
    live.add_argument(
        "--seconds", metavar="N", type=arguments.seconds, default=1.0, help="seconds between updates; 1 by default"
    )
    live.set_defaults(command=_top)
    looks = commands.add_parser("check", parents=[settings], help="check that everything is installed and reachable")
    looks.set_defaults(command=_check)
    left = commands.add_parser("doctor", parents=[settings], help="list what is left over or broken; changes nothing")
    left.set_defaults(command=_doctor)
    out = commands.add_parser("export", parents=[settings], help="print all definitions as a script for import")
    out.add_argument("--database", metavar="NAME", help="only the definitions of this database")
    out.set_defaults(command=_export)
    into = commands.add_parser(
        "import", parents=[settings], help="create what an exported script has and the catalog lacks"
    )
    into.add_argument("file", help="a script that export wrote")
    into.set_defaults(command=_import)
    again = commands.add_parser("replay", help="send dead letters to the topics that they came from")
    again.add_argument("topic", help="the dead letter topic")
    again.add_argument("--kafka", metavar="HOST:PORT", help="brokers; by default $KAFKALYST_KAFKA")
    again.add_argument(
        "--to",
        metavar="TOPIC",
        action="append",
        help="a topic that letters may be sent to, can be repeated; by default the one whose name precedes -dlq",
    )
    again.add_argument("--limit", metavar="N", type=arguments.count, help="send at most N letters")
    again.add_argument("--dry-run", action="store_true", help="only show what would be sent")
    again.add_argument("--again", action="store_true", help="begin at the topic's start, whatever was sent before")
    again.add_argument(
        "--client",
        metavar="NAME=VALUE",
        type=arguments.setting,
        action="append",
        default=[],
        help="a property of librdkafka's clients, such as security.protocol=SSL; no secrets",
    )
    again.add_argument(
        "--client-file",
        metavar="FILE",
        help="a file of such properties, one name=value in each line, for secrets such as sasl.password",
    )
    again.set_defaults(command=_replay)
    servers = commands.add_parser(
        "local",
        help="a broker and a registry on this machine",
        description="A broker and a registry on this machine. They belong to the current folder, whose "
        ".local/servers.json names them: another folder has its own. Needs Java 17 or 21 (JAVA_HOME or PATH). `fetch` "
        "downloads them (165 MB), once for all folders; a checkout has its own from `make setup`.",
    )
    servers.add_argument("action", choices=["up", "down", "status", "fetch"])
    servers.add_argument(
        "--repository", metavar="URL", default=REPOSITORY, help="a mirror of Maven Central, for `fetch`"
    )
    servers.add_argument("--print-env", action="store_true", help="print the addresses as an export for a shell")
    servers.set_defaults(command=_local)
    return parser


if __name__ == "__main__":
    sys.exit(main())
