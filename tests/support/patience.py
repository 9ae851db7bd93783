"""How long tests wait.

Limits only end what hangs: several suites share a machine that may be slow, so no test is meant to come near them.
"""

from __future__ import annotations

# For what is to come; shorter than the five minutes of real-time mode's batches, before whose end records must come.
PATIENCE_SECONDS = 240

# For a program that a test starts.
PROGRAM_SECONDS = 600
