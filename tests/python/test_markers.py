"""What a replay waits for after its last commit, without a broker."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from kafkalyst import markers


class Reader:
    """A consumer whose partitions end at the next of these offsets."""

    def __init__(self, *stable: int | Exception) -> None:
        self.stable = list(stable)

    def get_watermark_offsets(self, _: Any, timeout: float) -> tuple[int, int]:
        """The next offset, as the end of a partition."""
        assert timeout > 0
        found = self.stable.pop(0) if len(self.stable) > 1 else self.stable[0]
        if isinstance(found, Exception):
            raise found
        return 0, found


def waited(reader: Any) -> list[str]:
    """Waits for the record at offset 5; what it says."""
    told: list[str] = []
    markers.wait(reader, {("t", 0): 5}, told.append)
    return told


def test_waits_until_the_records_are_read() -> None:
    """The last stable offset has to pass the record."""
    reader = Reader(3, 5, 6, 7)
    assert waited(reader) == []
    assert reader.stable == [7]


def test_an_open_transaction_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with a warning, as the records are committed."""
    monkeypatch.setattr(markers, "PATIENCE_SECONDS", 0)
    assert waited(Reader(3)) == ["t: what was sent is committed, but not yet visible"]


def test_a_broker_that_does_not_say_ends_the_wait() -> None:
    """So does an error of the broker."""
    (told,) = waited(Reader(KafkaException(KafkaError(KafkaError._TRANSPORT))))
    assert "perhaps not yet visible" in told
