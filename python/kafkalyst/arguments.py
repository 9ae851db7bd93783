"""The arguments of the command line, and their types, which raise ArgumentTypeError for argparse to report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from kafkalyst.fetch import REPOSITORY
from kafkalyst.resources import version
from kafkalyst.script import FORMATS
from kafkalyst.session import is_secret


def setting(text: str) -> str:
    """A setting as it was given."""
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    return text


def address(text: str) -> str:
    """An address as it was given."""
    port = text.rpartition(":")[2]
    if ":" not in text or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form host:port")
    return text


def seconds(text: str) -> float:
    """A number of seconds, 0 or more."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def count(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)


def client(settings: Sequence[str], file: str | None) -> dict[str, str]:
    """Properties of a Kafka client: those of a file, one `name=value` in each line, and those given as arguments.

    Raises:
        ValueError: for a secret among the arguments, which all users of the machine can see, or a line of another
            form.
        OSError: when the file cannot be read.
    """
    given = dict(setting.split("=", 1) for setting in settings)
    for name, value in given.items():
        if is_secret(name, value):
            raise ValueError(f"--client {name}=… shows a secret in the list of processes; write it into --client-file.")
    kept = {}
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines() if file else [], 1):
        if line.strip() and not line.lstrip().startswith("#"):
            name, equals, value = line.partition("=")
            if not equals:
                raise ValueError(f"{file}, line {number} is not of the form name=value.")
            kept[name.strip()] = value.strip()
    return kept | given


def parser() -> argparse.ArgumentParser:
    """The parser of the command line; `command` of its result is the command's name."""
    words = argparse.ArgumentParser("kafkalyst", description="Kafka topics as tables in spark.sql.")
    words.add_argument("--version", action="version", version=f"kafkalyst {version()}")
    commands = words.add_subparsers(dest="command", required=True, metavar="command")
    settings = argparse.ArgumentParser(add_help=False)
    settings.add_argument("--kafka", metavar="HOST:PORT", help="brokers; by default $KAFKALYST_KAFKA")
    settings.add_argument("--registry", metavar="URL", help="schema registry; by default $KAFKALYST_REGISTRY")
    settings.add_argument(
        "--spark-conf",
        metavar="NAME=VALUE",
        type=setting,
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

    catalog = "keep catalog, checkpoints and tables in this folder, so that they outlive the command; it is for one "
    catalog += "process at a time: stop `serve` first, and look at it meanwhile by `top`"
    settings.add_argument("--catalog", metavar="DIR", help=catalog)

    run = commands.add_parser("run", parents=[settings], help="run a script of statements")
    run.add_argument("file", help="a script in UTF-8; - reads standard input")
    run.add_argument("--wait", action="store_true", help="let the continuous queries run until Ctrl-C")
    serve = commands.add_parser("serve", parents=[settings], help="apply scripts and keep their queries running")
    serve.add_argument("path", help="a script, or a folder of .sql")
    serve.add_argument("--dry-run", action="store_true", help="only show what would be created or replaced, as a diff")
    serve.add_argument(
        "--state",
        metavar="FILE",
        help="record of what was applied; by default kafkalyst-applied.json in --catalog, or beside the scripts",
    )
    serve.add_argument("--health", metavar="HOST:PORT", type=address, help="answer GET /health and /ready there")
    serve.add_argument(
        "--stop-seconds",
        metavar="N",
        type=seconds,
        default=25.0,
        help="seconds to stop in after SIGTERM; 25 by default",
    )
    sql = commands.add_parser("sql", parents=[settings], help="type statements; Tab completes, history is kept")
    sql.add_argument("-e", "--execute", metavar="STATEMENTS", help="run these, and do not wait for others")
    sql.add_argument(
        "--format", choices=FORMATS, default="table", help="of results: csv and json have all rows, no more"
    )
    commands.add_parser("resume", parents=[settings], help="bring back the continuous queries of the catalog")
    live = commands.add_parser("top", help="show the continuous queries, from the files beside their checkpoints")
    live.add_argument(
        "--checkpoints", metavar="DIR", help="a folder of this machine; by default _kafkalyst in the warehouse"
    )
    live.add_argument("--catalog", metavar="DIR", help="the folder that run or resume were given")
    live.add_argument("--once", action="store_true", help="print once and end")
    live.add_argument("--seconds", metavar="N", type=seconds, default=1.0, help="seconds between updates; 1 by default")
    commands.add_parser("check", parents=[settings], help="check that everything is installed and reachable")
    commands.add_parser("doctor", parents=[settings], help="list what is left over or broken; changes nothing")
    out = commands.add_parser("export", parents=[settings], help="print all definitions as a script for import")
    out.add_argument("--database", metavar="NAME", help="only the definitions of this database")
    into = commands.add_parser(
        "import", parents=[settings], help="create what an exported script has and the catalog lacks"
    )
    into.add_argument("file", help="a script that export wrote")
    again = commands.add_parser("replay", help="send dead letters to the topics that they came from")
    again.add_argument("topic", help="the dead letter topic")
    again.add_argument("--kafka", metavar="HOST:PORT", help="brokers; by default $KAFKALYST_KAFKA")
    again.add_argument(
        "--to",
        metavar="TOPIC",
        action="append",
        help="a topic that letters may be sent to, can be repeated; by default the one whose name precedes -dlq",
    )
    again.add_argument("--limit", metavar="N", type=count, help="send at most N letters")
    again.add_argument("--dry-run", action="store_true", help="only show what would be sent")
    again.add_argument("--again", action="store_true", help="begin at the topic's start, whatever was sent before")
    again.add_argument(
        "--client",
        metavar="NAME=VALUE",
        type=setting,
        action="append",
        default=[],
        help="a property of librdkafka's clients, such as security.protocol=SSL; no secrets",
    )
    again.add_argument(
        "--client-file",
        metavar="FILE",
        help="a file of such properties, one name=value in each line, for secrets such as sasl.password",
    )
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
    return words
