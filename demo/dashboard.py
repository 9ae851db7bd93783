"""The demo's dashboard: joins arriving orders with a table, sums them per minute, and prints live for ten seconds.

python demo/dashboard.py (the broker's address in KAFKALYST_KAFKA, the registry's in KAFKALYST_REGISTRY)
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from produce import CUSTOMERS, STATUSES

import kafkalyst
from kafkalyst import serdes
from kafkalyst.live import live
from kafkalyst.table import render
from kafkalyst.top import lines, statuses

SECONDS = 10
PATIENCE_SECONDS = 60
ORDERS_PER_SECOND = 50
TOPIC = "shop.live_orders"
FOLDER = Path(__file__).resolve().parent


@contextlib.contextmanager
def orders(kafka: str) -> Iterator[None]:
    """Produces orders at a steady rate while the block runs."""
    ended = threading.Event()
    dice = random.Random(7)

    def order() -> tuple[bytes, bytes]:
        value = {"amount": dice.randint(99, 29999) / 100, "status": dice.choice(STATUSES)}
        return dice.choice(CUSTOMERS).encode(), json.dumps(value).encode()

    def produce() -> None:
        while not ended.wait(0.2):
            serdes.produce(kafka, TOPIC, [order() for _ in range(ORDERS_PER_SECOND // 5)])

    thread = threading.Thread(target=produce, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def main() -> int:
    """Runs dashboard.sql and shows the last statement's table as it changes."""
    root = sys.argv[1]
    conf: dict[str, Any] = {
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.sql.shuffle.partitions": 1,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{root}/dashboard",
        "spark.kafkalyst.query.checkpoint.root": f"{root}/dashboard-checkpoints",
    }
    spark = kafkalyst.session(**conf)
    kafkalyst.run_script(spark, FOLDER / "dashboard.sql")
    print(f"\nRevenue per minute and country, as it changes, for {SECONDS} seconds:\n", flush=True)
    seen: dict[tuple[int, str], tuple[object, ...]] = {}
    began = None
    waited = time.monotonic()
    view = spark.sql("SELECT WINDOWSTART AS start, country, orders, revenue FROM revenue EMIT CHANGES")
    with orders(os.environ["KAFKALYST_KAFKA"]), contextlib.closing(live(spark, view)) as batches:
        for rows in batches:
            seen.update({(row["start"], row["country"]): tuple(row) for row in rows})
            if rows:
                began = began or time.monotonic()
                show(sorted(seen.values(), key=lambda row: (-int(str(row[0])), str(row[1]))))
            if time.monotonic() - (began or waited) > (SECONDS if began else PATIENCE_SECONDS):
                break
    print("\nkafkalyst top --once\n")
    for line in lines(statuses(f"{root}/dashboard-checkpoints"), time.time()):
        print(line)
    spark.sql("TERMINATE ALL")
    spark.stop()
    return 0 if began else 1


def show(rows: list[tuple[object, ...]]) -> None:
    """Prints the current table: on a terminal in place of the last one, otherwise as a line."""
    if sys.stdout.isatty():
        shown = [(minute(start), *others) for start, *others in rows]
        print("\x1b[2J\x1b[H" + "\n".join(render(["minute", "country", "orders", "revenue"], shown)), flush=True)
    else:
        newest = [row for row in rows if row[0] == rows[0][0]]
        texts = [f"{country} {revenue}" for _, country, _, revenue in newest]
        print(f"{minute(rows[0][0])}  {sum(int(str(row[2])) for row in newest)} orders: {', '.join(texts)}", flush=True)


def minute(start: object) -> str:
    """A window's start, in milliseconds, as a time of day."""
    return datetime.datetime.fromtimestamp(int(str(start)) / 1000, datetime.timezone.utc).strftime("%H:%M")


if __name__ == "__main__":
    sys.exit(main())
