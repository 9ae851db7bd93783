"""The examples in docstrings, and the page made from them."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["definitions", "script", "table"])
def test_examples(module: str) -> None:
    """Each example has the output that it shows."""
    failed, tried = doctest.testmod(importlib.import_module(f"kafkalyst.{module}"))
    assert tried > 0
    assert failed == 0
