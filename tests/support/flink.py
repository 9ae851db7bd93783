"""Flink's own SQL, in a JVM of its own: what it writes, and what it reads."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    MapType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

ROOT = Path(__file__).resolve().parent.parent.parent
JARS = ROOT / "build" / "benchmarks" / "flink"
PROGRAM = ROOT / "tests" / "compat" / "FlinkSession.java"
OPENS = ("java.util", "java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "sun.nio.ch")

# A value in the form in which values of Flink and Spark are compared.
Value = Any


class FlinkError(Exception):
    """Flink refused a statement, or failed in it."""


class Flink:
    """One session."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log

    def run(self, statement: str) -> list[list[Value]]:
        """Runs a statement to its end; the rows of a SELECT, each with the kind of its change before its values."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(base64.b64encode(statement.encode()).decode() + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"Flink has ended: {self._log.read_text(errors='replace')[-3000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise FlinkError(f"{statement[:200]} …: {answer['error'].rpartition(' < ')[2]}")
        return [[row[0], *(_known(value) for value in row[1:])] for row in answer["rows"]]


@contextmanager
def session(log: Path, more: Path) -> Iterator[Flink]:
    """Starts a session with the classes in a folder; its messages go to the file."""
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENS]
    classes = os.pathsep.join(str(path) for path in [*sorted(JARS.glob("*.jar")), more])
    options = ["-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", *opens]
    with log.open("w") as messages:
        process = subprocess.Popen(
            ["java", *options, "-cp", classes, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
        )
    try:
        yield Flink(process, log)
    finally:
        process.kill()
        process.wait()


def messages(folder: Path, text: str) -> Path:
    """Compiles messages of Protobuf; returns the folder of their classes."""
    (folder / "messages.proto").write_text(text, encoding="utf-8")
    compiler = next((JARS.parent / "proto").glob("protoc-*.exe"))
    compiler.chmod(0o755)
    (folder / "classes").mkdir()
    library = next(JARS.glob("protobuf-java-*.jar"))
    _compile([compiler, f"-I{folder}", f"--java_out={folder}", "messages.proto"])
    _compile(["javac", "-nowarn", "-cp", library, "-d", folder / "classes", *folder.glob("*/*.java")])
    return folder / "classes"


def _compile(command: list[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _known(value: Any) -> Value:
    """A value of the program's answer: numbers of any scale and width are equal, and entries of MAPs have an order."""
    if isinstance(value, str):
        kind, text = value.split(":", 1)
        if kind == "f":
            return f"f:{float(text)!r}"
        return f"{kind}:{_plain(Decimal(text))}" if kind in "nli" else _time(text) if kind == "t" else value
    if isinstance(value, list):
        return [_known(element) for element in value]
    if isinstance(value, dict):
        return {"map": sorted(([_known(key), _known(of)] for key, of in value["map"]), key=json.dumps)}
    return value


def of_spark(df: DataFrame) -> list[list[Value]]:
    """The same of the rows of a query of Spark's."""
    exact = [_exact(field) for field in df.schema.fields]
    rows = df.select(*exact).collect()
    return [[_of(value, field.dataType) for value, field in zip(row, df.schema.fields, strict=True)] for row in rows]


def _exact(field: StructField) -> Column:
    """A column whose values Python can have: its own dates begin in the year 1."""
    column = F.col(f"`{field.name}`")
    if isinstance(field.dataType, DateType):
        return column.cast("string")
    is_time = isinstance(field.dataType, TimestampType | TimestampNTZType)
    return F.unix_micros(column.cast("timestamp")) if is_time else column


def _of(value: Any, kind: DataType) -> Value:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(kind, TimestampType | TimestampNTZType):
        micros = value if isinstance(value, int) else _micros(value, kind)
        return f"{'l' if isinstance(kind, TimestampNTZType) else 'i'}:{_plain(Decimal(micros) / 1_000_000)}"
    if isinstance(kind, DateType):
        return f"t:{value}"
    if isinstance(kind, StructType):
        return [_of(of, field.dataType) for of, field in zip(value, kind.fields, strict=True)]
    if isinstance(kind, ArrayType):
        return [_of(element, kind.elementType) for element in value]
    if isinstance(kind, MapType):
        pairs = ([_of(key, kind.keyType), _of(of, kind.valueType)] for key, of in value.items())
        return {"map": sorted(pairs, key=json.dumps)}
    if isinstance(value, float):
        return f"f:{value!r}"
    if isinstance(value, int | Decimal):
        return f"n:{_plain(Decimal(value))}"
    if isinstance(value, bytes | bytearray):
        return f"b:{bytes(value).hex()}"
    return _time(value.isoformat()) if isinstance(value, time) else f"s:{value}"


def _micros(time_: datetime, kind: DataType) -> int:
    """Python has times with a zone in its own."""
    at = time_.replace(tzinfo=timezone.utc) if isinstance(kind, TimestampNTZType) else time_.astimezone(timezone.utc)
    return (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _time(text: str) -> str:
    """A date, or a time of the day with its seconds."""
    with_seconds = text + ":00" if text.count(":") == 1 else text
    return "t:" + (with_seconds.rstrip("0").rstrip(".") if "." in with_seconds else with_seconds)
