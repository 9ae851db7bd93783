"""How long tests wait.

The limits only end tests that hang. Several suites share a machine that may be slow, so no test should come near them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

# For records to arrive; shorter than real-time mode's batches of five minutes, within which they must arrive.
PATIENCE_SECONDS = 240

# For a program that a test starts.
PROGRAM_SECONDS = 600


@contextmanager
def ends(seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Asserts that a block does not hang: what it waits for must take longer than this, or for ever."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds, f"it took {took:.0f} s"
