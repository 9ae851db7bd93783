"""Fills two topics: `shop.orders` (Avro, registry) and `foo` (JSON with names that need quotes in SQL).

python demo/produce.py [--orders N] [--kafka HOST:PORT] [--registry URL]
"""

from __future__ import annotations

import argparse
import datetime
import os
import random
import struct
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from kafkalyst import serdes

ORDERS = "shop.orders"
ORDER_PARTITIONS = 4
FOO = "foo"
MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
STATUSES = ["NEW", "PAID", "SHIPPED", "RETURNED"]
CUSTOMERS = ["Ada", "Björn", "Chloé", "Dmitri", "Eun-ji", "Farah", "Grace", "Hiro", "Inês", "Jürgen"]
SKUS = [f"SKU-{number:03d}" for number in range(1, 41)]

ORDER_SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "customer", "type": "string"},
        {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": STATUSES}},
        {"name": "amount", "type": MONEY},
        {"name": "placed_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {
            "name": "items",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Item",
                    "fields": [
                        {"name": "sku", "type": "string"},
                        {"name": "quantity", "type": "int"},
                        {"name": "price", "type": MONEY},
                    ],
                },
            },
        },
        {"name": "note", "type": ["null", "string"], "default": None},
    ],
}

FOO_RECORDS = [
    b'{"@ID": 0, "@NAME": "Foo", "MESSAGE.AMOUNT": 0.0, "SELECT": "bar"}',
    b'{"@ID": 1, "@NAME": "BAZ", "MESSAGE.AMOUNT": 0.25, "SELECT": "qux"}',
    b'{"@ID": 2, "@NAME": "Quux", "MESSAGE.AMOUNT": 7.5, "SELECT": "corge"}',
    b'{"@ID": 3, "@NAME": null, "MESSAGE.AMOUNT": 0.99, "SELECT": "grault"}',
]


def order(number: int, dice: random.Random) -> dict[str, Any]:
    """One order; the same for the same number and seed."""
    items: list[dict[str, Any]] = [
        {"sku": dice.choice(SKUS), "quantity": dice.randint(1, 5), "price": Decimal(dice.randint(99, 19999)).scaleb(-2)}
        for _ in range(dice.randint(1, 4))
    ]
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    return {
        "id": number,
        "customer": dice.choice(CUSTOMERS),
        "status": dice.choices(STATUSES, [10, 55, 30, 5])[0],
        "amount": sum((item["price"] * item["quantity"] for item in items), Decimal(0)),
        "placed_at": start + datetime.timedelta(milliseconds=number * 7919),
        "items": items,
        "note": dice.choice(["leave at the door", "gift", "ring twice"]) if number % 5 == 0 else None,
    }


def orders(count: int, registry: str) -> Iterator[tuple[bytes, bytes]]:
    """Records of `shop.orders`: the id as 8 bytes, big-endian, and the order in the registry's wire format."""
    encode = serdes.avro_encoder(registry, f"{ORDERS}-value", ORDER_SCHEMA)
    dice = random.Random(7)
    for number in range(1, count + 1):
        yield struct.pack(">q", number), encode(order(number, dice))


def fill(kafka: str, registry: str, count: int) -> str:
    """Creates and fills both topics; returns a line about what was written."""
    began = time.monotonic()
    serdes.create_topic(kafka, ORDERS, ORDER_PARTITIONS)
    serdes.create_topic(kafka, FOO)
    serdes.produce(kafka, ORDERS, orders(count, registry))
    serdes.produce(kafka, FOO, ((None, value) for value in FOO_RECORDS))
    seconds = time.monotonic() - began
    return f"{count:,} Avro orders in {ORDERS}, {len(FOO_RECORDS)} JSON records in {FOO} ({seconds:.1f} s)"


def main() -> int:
    """Fills the topics of a running broker."""
    parser = argparse.ArgumentParser(description="Fills the demo's topics.")
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--kafka", default=os.environ.get("KAFKALYST_KAFKA"))
    parser.add_argument("--registry", default=os.environ.get("KAFKALYST_REGISTRY"))
    options = parser.parse_args()
    if not options.kafka or not options.registry:
        parser.error("give --kafka and --registry, or set KAFKALYST_KAFKA and KAFKALYST_REGISTRY")
    print(fill(options.kafka, options.registry, options.orders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
