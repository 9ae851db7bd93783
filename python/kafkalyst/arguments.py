"""The types of the command line's arguments; each raises ArgumentTypeError, which argparse reports."""

from __future__ import annotations

import argparse


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
