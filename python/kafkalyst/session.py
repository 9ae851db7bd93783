"""Sessions with the extension: a new local one, or the user's own builder."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkalyst.extras import needed
from kafkalyst.resources import conf_dir, jars_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSION = "io.kafkalyst.KafkalystExtensions"
EXTENSIONS = "spark.sql.extensions"
JARS = "spark.jars"
BROKERS = "spark.kafkalyst.bootstrap.servers"
CATALOGS = "spark.sql.catalog."
CATALOG_CLASS = "io.kafkalyst.KafkaCatalog"
REGISTRY = "spark.kafkalyst.schema.registry.url"
DRIVER_OPTIONS = "spark.driver.extraJavaOptions"
REDACTION = "spark.redaction.regex"
MASTER = "spark.master"
SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
PARTITIONS = "spark.sql.shuffle.partitions"
# Names of secrets in Spark's, Kafka's and the registry's settings, and users in addresses.
LOGIN = "://[^/ ]*@"
SECRETS = (
    "(?i)secret|password|passphrase|pwd|token|credential(?!s?[.]source)|access[.]?key|api[._-]?key|user[.]info|jaas|keystore[.]key"
    "|" + LOGIN
)

# What `configure()` and `session()` may set besides the addresses and the catalog, and why.
CONFIGURED = {
    MASTER: "no other was set",
    EXTENSIONS: "the language",
    JARS: "Kafkalyst's jar and Spark's Kafka connector",
    REDACTION: "hides logins in Spark's UI and event log",
    DRIVER_OPTIONS: "what is logged",
    PARTITIONS: "with a local master a shuffle has a task per core, not 200",
}
# What they have set in this process, with the values; `check()` lists it.
_set_here: dict[str, str] = {}
# Settings that have an effect only when Spark starts.
AT_START = (EXTENSIONS, JARS, MASTER, REDACTION, DRIVER_OPTIONS, PARTITIONS)
NOT_LOADED = (
    "Spark was started in this Python process without Kafkalyst, whose jar and extension must be there from its start. "
    "Restart the process (in a notebook: the kernel) and call kafkalyst.session() before anything else starts Spark."
)


def session(
    kafka: str | None = None,
    registry: str | None = None,
    catalog: str | None = "kafka",
    conf: Mapping[str, object] | None = None,
    **more: object,
) -> SparkSession:
    """Starts a local session with the extension and its jars, or returns the running one.

    A running session keeps its settings, except those in `conf`; addresses that it lacks are set. With a local master a
    shuffle has as many partitions as there are cores, unless `spark.sql.shuffle.partitions` is set.

    Args:
        kafka: brokers, `host:port,…`; the environment's KAFKALYST_KAFKA when absent.
        registry: URL of the schema registry; the environment's KAFKALYST_REGISTRY when absent.
        catalog: the name of the cluster as a catalog, `SELECT … FROM kafka.topic`; None for no catalog.
        conf: further Spark settings by their full names: `session(conf={"spark.sql.shuffle.partitions": 2})`.
        more: the same as keywords, for `session(**settings)`.

    Raises:
        MissingExtraError: when PySpark is not installed.
        RuntimeError: when the jars do not support the version of the installed PySpark, and when Spark was started in
            this process without the extension.
        ValueError: when the running session has another address than `kafka` or `registry`.
    """
    with needed("spark", "A session"):
        from pyspark.sql import SparkSession

    conf = {**(conf or {}), **more}
    builder: SparkSession.Builder = SparkSession.Builder()
    for name, value in conf.items():
        builder = builder.config(name, _text(value))
    connect = "spark.remote" in conf or "SPARK_REMOTE" in os.environ  # with `local…` it is the master
    running = None if connect else _running()
    if running is not None:
        _verify(running)
        _refuse_others(running, kafka, registry)
    kafka = kafka or (None if BROKERS in conf else os.environ.get("KAFKALYST_KAFKA"))
    registry = registry or (None if REGISTRY in conf else os.environ.get("KAFKALYST_REGISTRY"))
    builder = configure(builder, kafka, registry, catalog)
    if not connect:
        if _given(builder, MASTER) is None:
            builder = _set(builder, MASTER, "local[*]")
        cores = local_cores(str(_given(builder, MASTER)))
        if cores and _given(builder, PARTITIONS) is None:
            builder = _set(builder, PARTITIONS, str(cores))
        if _given(builder, DRIVER_OPTIONS) is None:
            builder = _set(builder, DRIVER_OPTIONS, f"-Dlog4j2.configurationFile={conf_dir() / 'log4j2.properties'}")
    if not _is_remote(builder):
        _start_without_secrets(builder)
    if running is not None:
        for name in builder._options.keys() - conf.keys():
            if name in AT_START or running.conf.get(name, None) is not None:
                del builder._options[name]
        return builder.getOrCreate()
    found = builder.getOrCreate()
    if not connect:
        try:
            _verify(found)
        except RuntimeError:
            found.stop()
            raise
    return found


def _verify(session: SparkSession) -> None:
    """Checks that the extension is loaded: if Spark cannot load one, it only logs a warning."""
    from pyspark.errors import AnalysisException

    try:
        session.sql("SELECT kafkalyst_version()")  # analysed, but not run
    except AnalysisException as error:
        raise RuntimeError(NOT_LOADED) from error


def _running() -> SparkSession | None:
    """The session of the Spark that runs in this process; None if there is none."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    return None if SparkContext._active_spark_context is None else SparkSession.Builder().getOrCreate()


def _refuse_others(running: SparkSession, kafka: str | None, registry: str | None) -> None:
    """Refuses other addresses: a second call must not send a running session's queries to other servers."""
    for name, value in ((BROKERS, kafka), (REGISTRY, registry)):
        present = running.conf.get(name, None)
        if value and present not in (None, value):
            raise ValueError(
                _without_logins(
                    f"The running session already has {name}={present}; not replaced by {value}. "
                    f"Stop it first, or use its newSession() and SET {name}."
                )
            )


def catalog_in(folder: str | None) -> dict[str, object]:
    """The settings of a catalog in a folder: Hive's, in its embedded database, for one application at a time.

    Raises:
        RuntimeError: when another process uses it.
    """
    if folder is None:
        return {}
    path = Path(folder).absolute()
    path.mkdir(parents=True, exist_ok=True)
    _require_free(path)
    database = f"jdbc:derby:;databaseName={path}/metastore;create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": database,
        "spark.sql.warehouse.dir": str(path / "warehouse"),
    }


def in_memory(session: SparkSession) -> bool:
    """Whether the session catalog is Spark's own, which is forgotten when its application ends."""
    return session.conf.get("spark.sql.catalogImplementation", "in-memory") == "in-memory"


def _require_free(catalog: Path) -> None:
    """Fails if another process uses the database of a catalog; Hive would retry for minutes and not say why.

    Raises:
        RuntimeError: when the database is in use.
    """
    with needed("spark", "A session"):
        from pyspark import SparkContext

    lock = catalog / "metastore" / "dbex.lck"  # Derby's: the process that uses the database holds a lock on it
    if SparkContext._gateway is not None or not lock.is_file():  # this process' own JVM may have the lock
        return
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    with lock.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RuntimeError(
                f"The catalog in {catalog} is in use by another process, such as `kafkalyst serve`. Stop that process "
                f"first. Meanwhile `kafkalyst top --catalog {shlex.quote(str(catalog))}` shows its queries."
            ) from error


def local_cores(master: str) -> int:
    """The cores of a local master, such as `local[4]`; 0 for any other."""
    found = re.fullmatch(r"local(?:\[\s*(\*|\d+)\s*(?:,.*)?\])?", master)
    if found is None:
        return 0
    return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)


def _start_without_secrets(builder: SparkSession.Builder) -> None:
    """Starts the JVM before Spark does, because Spark would show every setting in the machine's list of processes.

    The JVM gets secret settings over its connection when the session begins, together with the others.
    """
    from pyspark import SparkConf, SparkContext

    hidden = {name for name, value in builder._options.items() if is_secret(name, str(value))}
    if hidden and "PYSPARK_GATEWAY_PORT" not in os.environ:
        shown = SparkConf(loadDefaults=False)
        shown.setAll([(name, str(value)) for name, value in builder._options.items() if name not in hidden])
        SparkContext._ensure_initialized(conf=shown)


def configure(
    builder: SparkSession.Builder,
    kafka: str | None = None,
    registry: str | None = None,
    catalog: str | None = "kafka",
) -> SparkSession.Builder:
    """Adds the extension, its jars and the addresses to what a builder, spark-submit or spark-defaults already set.

    For a remote session the server has the extension, the jars and the catalog, so only the addresses are set.

    Args:
        builder: a `SparkSession.builder`, classic or Connect.
        kafka: brokers, `host:port,…`.
        registry: URL of the schema registry, with the path of its Confluent API if it has one.
        catalog: the name of the cluster as a catalog, unless that name is set already; None for no catalog.

    Returns:
        The same builder.

    Raises:
        TypeError: when `builder` is not a session builder.
        ValueError: when the builder already has another address than the one given.
        RuntimeError: when the jars do not support the version of the installed PySpark.
    """
    if not isinstance(getattr(builder, "_options", None), dict) or not callable(getattr(builder, "getOrCreate", None)):
        raise TypeError(
            f"configure() takes a SparkSession builder, not {type(builder).__name__}; "
            "pass `SparkSession.builder`, before getOrCreate()."
        )
    if not _is_remote(builder):
        import pyspark

        _append(builder, EXTENSIONS, [EXTENSION])
        _append(builder, JARS, [str(jar) for jar in jars_for(pyspark.__version__)])
        if catalog and _given(builder, CATALOGS + catalog) is None:
            builder.config(CATALOGS + catalog, CATALOG_CLASS)
    for name, value in ((BROKERS, kafka), (REGISTRY, registry)):
        present = builder._options.get(name)
        if value and present not in (None, value):
            raise ValueError(_without_logins(f"The builder already has {name}={present}; not replaced by {value}."))
        if value:
            builder.config(name, value)
    # Before the session starts: Spark's UI and event log use it to hide secret settings.
    if not _is_remote(builder) and _given(builder, REDACTION) is None:
        _set(builder, REDACTION, SECRETS)
    return builder


def is_secret(name: str, value: str) -> bool:
    """Whether a setting is secret by its name or has a login in an address.

    Settings that start the JVM are not secret.
    """
    if name == REDACTION or name.startswith(("spark.driver.", "spark.jars", "spark.submit.")):
        return False
    return bool(re.search(SECRETS, name) or re.search(LOGIN, value))


def _without_logins(text: str) -> str:
    """The text without the logins of its addresses."""
    return re.sub(LOGIN, "://*****@", text)


def _set(builder: SparkSession.Builder, name: str, value: str) -> SparkSession.Builder:
    """Sets what the user has not set, and records it for `check()`."""
    _set_here[name] = value
    return builder.config(name, value)


def configured(session: SparkSession) -> dict[str, str]:
    """The session's settings that `configure()` and `session()` of this process have set, each with its reason."""
    ours = {name for name, value in _set_here.items() if session.conf.get(name, None) == value}
    return {name: reason for name, reason in CONFIGURED.items() if name in ours}


def _append(builder: SparkSession.Builder, name: str, values: list[str]) -> None:
    """Adds missing values to a comma-separated setting; jars with the same file name are equal."""
    present = [part.strip() for part in (_given(builder, name) or "").split(",") if part.strip()]
    names = {Path(part).name for part in present}
    if missing := [value for value in values if Path(value).name not in names]:
        _set(builder, name, ",".join(present + missing))


def _is_remote(builder: SparkSession.Builder) -> bool:
    """Whether the session will use a running Connect server (`local…` starts a new one)."""
    remote = str(builder._options.get("spark.remote") or os.environ.get("SPARK_REMOTE") or "local")
    return not remote.startswith("local")


def _given(builder: SparkSession.Builder, name: str) -> str | None:
    """A setting as Spark would find it: from the builder, spark-submit, PYSPARK_SUBMIT_ARGS or spark-defaults."""
    return str(builder._options[name]) if name in builder._options else preset(name)


def preset(name: str) -> str | None:
    """A setting as Spark would find it without a builder: from spark-submit, PYSPARK_SUBMIT_ARGS or spark-defaults."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()  # spark-submit has started it; only then does SparkConf see its settings
        return SparkConf().get(name)
    arguments = shlex.split(os.environ.get(SUBMIT_ARGUMENTS, ""))
    defaults = _defaults_file()
    for option, value in itertools.pairwise(arguments):
        if option == "--conf" and value.startswith(f"{name}="):
            return value.removeprefix(f"{name}=")
        if (option, name) in (("--jars", JARS), ("--master", MASTER)):
            return value
        if option == "--properties-file":
            defaults = Path(value)
    return _properties(defaults).get(name) if defaults.is_file() else None


def submit_with_properties(path: str) -> None:
    """Makes the JVM of this process read its settings from a file, so that they are not on a command line.

    Raises:
        FileNotFoundError: when the file does not exist.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"No properties file {path}")
    rest = os.environ.get(SUBMIT_ARGUMENTS, "pyspark-shell")
    os.environ[SUBMIT_ARGUMENTS] = f"--properties-file {shlex.quote(path)} {rest}"


def _defaults_file() -> Path:
    folder = os.environ.get("SPARK_CONF_DIR")
    if folder is None and "SPARK_HOME" in os.environ:
        folder = os.path.join(os.environ["SPARK_HOME"], "conf")
    return Path(folder or "conf-not-set") / "spark-defaults.conf"


def _properties(path: Path) -> dict[str, str]:
    """The settings of a file: a line is `name value`, `name=value` or `name: value`."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [re.fullmatch(r"([^\s=:]+)\s*[=:]?\s*(.*)", line) for line in lines if not line.startswith(("#", "!"))]
    return {pair[1]: pair[2] for pair in pairs if pair}


def _text(value: object) -> Any:
    """The value in Spark's spelling: booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
