"""Which continuous queries are of this application: in a cluster's catalog, all applications see all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kafkalyst.session import CATALOG_CLASS, CATALOGS

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

RUNNING = ("RUNNING", "RESTARTING")
SESSION_CATALOG = "spark_catalog"


def running(spark: SparkSession) -> int:
    """How many continuous queries run in the session's application, wait for a restart, or are to be taken over."""
    # Spark runs a job for a command's rows if it has to filter them.
    shown = [row for row in spark.sql("SHOW QUERIES EXTENDED").collect() if row["state"] in RUNNING]
    return sum(row["state"] != "RUNNING" or row["owner"] is None or row["here"] for row in shown)


def own(spark: SparkSession) -> list[Row]:
    """The rows of SHOW QUERIES EXTENDED, without queries of a cluster's catalog that other applications run or ran."""
    rows = spark.sql("SHOW QUERIES EXTENDED").collect()
    return [row for row in rows if row["here"] or not is_of_cluster(spark, full_id(spark, row))]


def is_of_cluster(spark: SparkSession, query: str) -> bool:
    """Whether a full id is of a query into a cluster's catalog."""
    return spark.conf.get(CATALOGS + query.partition(".")[0], None) == CATALOG_CLASS


def full_id(spark: SparkSession, row: Mapping[str, Any] | Row) -> str:
    """A query's id behind its catalog's name, by its row of SHOW QUERIES."""
    first = str(row["sink"]).partition(".")[0].strip("`")
    is_catalog = spark.conf.get(CATALOGS + first, None) is not None
    return f"{first if is_catalog else SESSION_CATALOG}.{row['query_id']}"
