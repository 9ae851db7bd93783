"""The types of the command line's arguments; each raises ArgumentTypeError, which argparse reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

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
