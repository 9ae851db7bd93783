"""The examples in docstrings, and the page that is made of these."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["definitions", "script", "table"])
def test_examples(module: str) -> None:
    """Each does what it shows."""
    failed, tried = doctest.testmod(importlib.import_module(f"kafkalyst.{module}"))
    assert tried > 0
    assert failed == 0
