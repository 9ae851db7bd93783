"""The optional parts of the package: the modules of each extra, and the error that names a missing extra."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

# Top-level modules by the extra that installs them, as in pyproject.toml.
MODULES = {
    "spark": ("pyspark",),
    "cli": ("antlr4",),
    "serdes": ("confluent_kafka", "fastavro", "google", "jsonschema"),
    "plot": ("matplotlib",),
}


class MissingExtraError(ImportError):
    """A feature needs a package of an extra that is not installed; the message has the command that installs it."""


@contextlib.contextmanager
def needed(extra: str, feature: str) -> Iterator[None]:
    """Wraps the imports of one feature: the error for a missing package has the command that installs its extra.

    Args:
        extra: a key of `MODULES`.
        feature: what needs it, as the subject of a sentence.

    Raises:
        MissingExtraError: in place of the ModuleNotFoundError of one of the extra's modules.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        name = (missing.name or "").split(".")[0]
        if name not in MODULES[extra]:
            raise
        raise MissingExtraError(f"{feature} needs {name}: pip install 'kafkalyst[{extra}]'", name=name) from missing
