"""How long tests wait.

The limits only end tests that hang. Several suites share a machine that may be slow, so no test should come near them.
"""

from __future__ import annotations

# For records to arrive; shorter than real-time mode's batches of five minutes, within which they must arrive.
PATIENCE_SECONDS = 240

# For a program that a test starts.
PROGRAM_SECONDS = 600
