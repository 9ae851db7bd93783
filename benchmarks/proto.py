"""A row as a Protobuf message, compiled for Flink and Spark by hand, which read it by the user's own class."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import grpc_tools

PACKAGE = "bench"
MESSAGE = f"{PACKAGE}.Row"
Columns = Mapping[str, str | dict[str, str]]
TYPES = {
    "BIGINT": "int64",
    "STRING": "string",
    "DECIMAL": "Decimal",
    "INT": "int32",
    "DOUBLE": "double",
    "BOOLEAN": "bool",
    "TIMESTAMP": "google.protobuf.Timestamp",
    "FLOAT": "float",
}
# The fields of nested messages, as Flink declares them.
WITHIN: Columns = {"DECIMAL": {"value": "BYTES"}, "TIMESTAMP": {"seconds": "BIGINT", "nanos": "INT"}}


def base(kind: object) -> str:
    """A type without its precision and scale."""
    return str(kind).partition("(")[0]


def seen_by_flink(columns: Columns) -> dict[str, str | dict[str, str]]:
    """The columns, with nested messages as ROWs."""
    return {name: WITHIN.get(base(kind), kind) for name, kind in columns.items()}


def compiled(columns: Columns, folder: Path, jars: Sequence[Path], sources: Sequence[Path]) -> Path:
    """Compiles the message and the sources that use it; returns the folder of the classes."""
    classes = folder / "classes"
    classes.mkdir(parents=True, exist_ok=True)
    fields = "".join(f"  {TYPES[base(kind)]} {name} = {n};\n" for n, (name, kind) in enumerate(columns.items(), 1))
    (folder / "row.proto").write_text(
        'syntax = "proto3";\nimport "google/protobuf/timestamp.proto";\n'
        f'package {PACKAGE};\noption java_package = "{PACKAGE}";\noption java_multiple_files = true;\n'
        f"message Decimal {{ bytes value = 1; }}\nmessage Row {{\n{fields}}}\n",
        encoding="utf-8",
    )
    compiler = next(folder.glob("protoc-*.exe"))
    compiler.chmod(0o755)
    known = Path(grpc_tools.__file__).parent / "_proto"
    run([compiler, f"-I{folder}", f"-I{known}", f"--java_out={folder}", "row.proto"])
    path = os.pathsep.join(map(str, jars))
    run(["javac", "-nowarn", "-cp", path, "-d", classes, *(folder / PACKAGE).glob("*.java"), *sources])
    return classes


def run(command: Sequence[str | Path]) -> None:
    """Runs a compiler; raises its output as the error."""
    subprocess.run(command, check=True, timeout=120)
