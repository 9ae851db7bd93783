"""The markers that end transactions: brokers confirm a commit before they write them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka import Consumer

PATIENCE_SECONDS = 10
TIMEOUT_SECONDS = 10


def wait(consumer: Consumer, last: Mapping[tuple[str, int], int], progress: Callable[[str], None]) -> None:
    """Waits until reads of committed records see committed records, at most 10 seconds and one request.

    Args:
        consumer: reads only committed records, so its end of a partition is before the first open transaction.
        last: the offset of the last record, by topic and partition.
        progress: is told if the wait ends early.
    """
    from confluent_kafka import KafkaException, TopicPartition

    until = time.monotonic() + PATIENCE_SECONDS
    try:
        for place, offset in last.items():
            while consumer.get_watermark_offsets(TopicPartition(*place), TIMEOUT_SECONDS)[1] <= offset:
                if time.monotonic() > until:
                    return progress(f"{place[0]}: what was sent is committed, but not yet visible")
                time.sleep(0.02)
    except KafkaException as error:
        progress(f"what was sent is committed, but perhaps not yet visible: {error}")
