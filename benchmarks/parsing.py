"""The cost of the parser: Spark's own SQL files parsed with and without it, and texts of up to 100,000 words."""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import pyspark

import kafkalyst

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "build" / "corpus" / pyspark.__version__ / "sql-tests" / "inputs"
WORDS = (12_500, 25_000, 50_000, 100_000)
TEXTS = {
    "Spark's": "SELECT 'stream', window, {list} FROM t WHERE emit > within",
    "Spark's, with a lambda": "SELECT transform(a, x -> x + 1), {list} FROM t",
    "ours": "SELECT a->b, {list} FROM t WINDOW TUMBLING (SIZE 1 HOUR) EMIT CHANGES",
}


def main() -> None:
    """Prints the ratio of medians, and the time for each thousand words."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=9)
    runs = arguments.parse_args().runs
    spark = kafkalyst.session(
        **{"spark.driver.extraClassPath": str(ROOT / "build" / "classes" / "support"), "spark.ui.enabled": "false"}
    )
    jvm = spark._jvm
    timed = jvm.io.kafkalyst.support.ParseTime.nanos
    parsers = {
        "Spark": jvm.org.apache.spark.sql.execution.SparkSqlParser(),
        "with the front door": spark._jsparkSession.sessionState().sqlParser(),
    }
    texts = jvm.java.util.ArrayList()
    for file in sorted(CORPUS.rglob("*.sql")):
        texts.addAll(jvm.io.kafkalyst.support.RecordingParser.statements(str(file)))
    accepted = jvm.io.kafkalyst.support.ParseTime.accepted(parsers["Spark"], texts)
    for kind, some in (("that Spark accepts", accepted), ("in all, each refused one parsed as ours too", texts)):
        times: dict[str, list[float]] = {name: [] for name in parsers}
        for run in range(runs + 3):
            for name, parser in parsers.items():
                nanos = timed(parser, some)
                if run >= 3:
                    times[name].append(nanos / 1e6)
        plain, ours = (statistics.median(times[name]) for name in parsers)
        print(f"{some.size()} statements of Spark's own files {kind}, median of {runs}:")
        print(f"  {plain:.0f} ms by Spark's parser, {ours:.0f} ms with the front door: {ours / plain:.3f} ×")
    for name, text in TEXTS.items():
        print(f"a text that is {name}, microseconds a word:")
        for count in WORDS:
            one = jvm.java.util.ArrayList()
            one.add(text.format(list=", ".join(f"c{i}" for i in range(count // 2))))
            took = min(timed(parsers["with the front door"], one) for _ in range(3))
            print(f"  {count:>7,} words {took / 1e3 / count:6.1f}")
    spark.stop()


if __name__ == "__main__":
    main()
