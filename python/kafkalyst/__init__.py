"""Kafka topics as tables in spark.sql: sessions, checks and scripts for the Kafkalyst extension.

Everything else is SQL: once a session has the extension, `spark.sql` is the interface, classic and Connect alike.
"""

from kafkalyst import errors, functions, replay
from kafkalyst.apply import import_script
from kafkalyst.check import check
from kafkalyst.definitions import create_stream, create_table
from kafkalyst.errors import KafkalystError
from kafkalyst.extras import MissingExtraError
from kafkalyst.inventory import doctor, export
from kafkalyst.local import LocalServers, LocalServersError
from kafkalyst.queries import plot_lag, resume
from kafkalyst.resources import version
from kafkalyst.script import ScriptError, Statement, run_script, split
from kafkalyst.session import configure, session
from kafkalyst.topics import TopicDescription, describe

__version__ = version()

__all__ = [
    "KafkalystError",
    "LocalServers",
    "LocalServersError",
    "MissingExtraError",
    "ScriptError",
    "Statement",
    "TopicDescription",
    "__version__",
    "check",
    "configure",
    "create_stream",
    "create_table",
    "describe",
    "doctor",
    "errors",
    "export",
    "functions",
    "import_script",
    "plot_lag",
    "replay",
    "resume",
    "run_script",
    "session",
    "split",
]
