"""Sends dead letters back to the topics that they came from, once the cause of the errors is fixed.

A letter itself names the topic that it came from, and any writer to the dead letter topic can forge one. So letters are
sent only to topics that the caller names.

Needs the extra `kafkalyst[serdes]`.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkalyst import markers
from kafkalyst.extras import needed

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message, Producer

PREFIX = "kafkalyst.dlq."
SUFFIX = "-dlq"  # of the dead letter topic, unless an object names another
TIMEOUT_SECONDS = 10
# librdkafka's "any partition".
BY_KEY = -1
# Records that are sent in one transaction, together with the position behind them.
BATCH = 1000
GROUP = "kafkalyst-replay"
# Kafka's rule for names of topics.
TOPIC = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")
MOST_TOPICS = 1000
# How long readers wait for the transaction of a run that is killed.
TRANSACTION_MS = 180_000
COMMIT_SECONDS = 60
_Headers = list[tuple[str, bytes | None]]


class ReplayError(RuntimeError):
    """Records could not be read or written; records that were committed before are done."""


@dataclass(frozen=True)
class Letter:
    """A dead letter as the record that it was.

    A row that could not be written had no place: its partition, offset and timestamp are -1.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    error: str
    key: bytes | None
    value: bytes | None
    headers: _Headers


@dataclass
class Replayed:
    """The result of a run: numbers of records sent, by topic, not dead letters, and for other topics, by topic.

    `elsewhere` has the first 1000 topics, so that forged letters do not fill the memory; `further` is the number of
    letters for others.
    """

    sent: Counter[str] = field(default_factory=Counter)
    strange: int = 0
    elsewhere: Counter[str] = field(default_factory=Counter)
    further: int = 0


def letter(key: bytes | None, value: bytes | None, headers: _Headers | None) -> Letter | None:
    """The original record, without Kafkalyst's headers; None if it is not a dead letter of a topic.

    Kafkalyst appends its headers, so a letter that was itself made from a dead letter keeps the earlier ones.
    """
    headers = headers or []
    start = max((i for i, (name, _) in enumerate(headers) if name == f"{PREFIX}topic"), default=None)
    if start is None:
        return None
    texts: dict[str, list[str]] = {}
    for name, text in headers[start:]:
        texts.setdefault(name.removeprefix(PREFIX), []).append((text or b"").decode(errors="replace"))
    try:
        place = [int(texts[name][0]) for name in ("partition", "offset", "timestamp") if name in texts]
    except ValueError:
        return None
    if len(place) not in (0, 3) or not (place or "error" in texts):
        return None
    partition, offset, timestamp = place or (BY_KEY, -1, -1)
    if not TOPIC.fullmatch(texts["topic"][0]):
        return None
    if not ((0 <= partition < 2**31 or not place) and abs(offset) < 2**63 and abs(timestamp) < 2**63):
        return None
    reasons = [f"{side}: {error}" for side, error in zip(texts.get("side", []), texts.get("error", []), strict=False)]
    return Letter(texts["topic"][0], partition, offset, timestamp, "; ".join(reasons), key, value, headers[:start])


def replay(
    kafka: str,
    topic: str,
    limit: int | None = None,
    dry_run: bool = False,
    again: bool = False,
    to: str | Collection[str] | None = None,
    client: Mapping[str, object] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Replayed:
    """Sends the dead letters of a topic to where they were read: same partition, key, value, headers and timestamp.

    Where there is no such partition any more, and for rows that could not be written, the key chooses the partition.

    A consumer group for each topic of `to` records what was sent there, so the next run continues behind it:
    `kafkalyst-replay` for the topic whose dead letters go to `<its name>-dlq`, `kafkalyst-replay-<topic>` for others.
    A run ends at the end that the topic had at its start. Each 1000 letters and their positions are one transaction, so
    no run sends a letter that an earlier one, even if killed, has sent. A run ends an earlier one that is still at work
    on the same topic. It returns when reads of committed records see what it sent, or after 10 seconds.

    Args:
        kafka: brokers, `host:port,…`.
        topic: the dead letter topic.
        limit: the most letters to send; None for all.
        dry_run: sends and records nothing; `progress` is called for each letter.
        again: begins at the topic's start, whatever was sent before.
        to: topics that letters may be sent to, or one; by default the one whose dead letters go to `<its name>-dlq`.
            Letters for other topics are counted and skipped: send them later with their topic.
        client: further properties of librdkafka's clients, as for security.
        progress: called with lines of text for people.

    Raises:
        ReplayError: when another replay of the topic begins meanwhile, when a topic or partition does not exist, when
            the broker does not answer or refuses, for an unknown client property, and when `to` is missing and the dead
            letter topic's name does not imply a topic.
        ValueError: for a limit below 0.
        MissingExtraError: when confluent-kafka is not installed.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit is {limit}; it is the most letters to send")
    to = [to] if isinstance(to, str) else to
    if to is None and (name := topic.removesuffix(SUFFIX)) not in (topic, ""):
        to = [name]
    if not to:
        raise ReplayError(f"{topic} does not end with {SUFFIX}, so say which topics its letters may go to: to, --to")
    with needed("serdes", "Replaying dead letters"):
        import confluent_kafka as ck

    common = {**(client or {}), "bootstrap.servers": kafka, "log_level": "0"}
    reading = {"enable.partition.eof": "true", "enable.auto.commit": "false", "isolation.level": "read_committed"}
    consumers: dict[str, Consumer] = {}
    former = None
    try:
        for name in to:
            consumers[name] = ck.Consumer({**common, **reading, "group.id": _group(topic, name)})
        # Earlier versions kept one position for all topics. Now it is that of the topic with these dead letters.
        if not topic.endswith(SUFFIX):
            former = ck.Consumer({**common, **reading, "group.id": GROUP})
        # Where the key chooses the partition, it is that of Java's producers, and so of INSERT.
        sending = {
            "transactional.id": f"{GROUP}-{topic}",
            "transaction.timeout.ms": str(TRANSACTION_MS),
            "linger.ms": "10",
            "partitioner": "murmur2_random",
        }
        producer = None if dry_run else ck.Producer({**common, **sending})
        return _Run(consumers, former, producer, progress).through(topic, limit, again)
    # A fatal error of the producer is raised as it is.
    except (ck.KafkaException, ck.KafkaError) as error:
        cause = error if isinstance(error, ck.KafkaError) else error.args[0]
        if _is_fenced(cause):
            raise _overtaken(topic) from error
        raise ReplayError(f"{topic}: {cause.str()}") from error
    finally:
        for consumer in (*consumers.values(), *filter(None, [former])):
            consumer.close()


def _group(letters: str, to: str) -> str:
    """The consumer group for letters to that topic; REPLAY has the same."""
    return GROUP if letters == f"{to}{SUFFIX}" else f"{GROUP}-{to}"


def _is_fenced(error: Any) -> bool:
    """Whether another producer with the same transactional id has begun."""
    from confluent_kafka import KafkaError

    fenced = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}
    return error.code() in fenced


def _overtaken(topic: str) -> ReplayError:
    return ReplayError(f"{topic}: another replay of the topic began meanwhile and goes on; run one at a time")


class _Run:
    """One run over a dead letter topic.

    `consumers` has the position of each topic that letters go to; the first one reads. `former` has that of earlier
    versions, where it may be that of these topics.
    """

    def __init__(
        self,
        consumers: Mapping[str, Consumer],
        former: Consumer | None,
        producer: Producer | None,
        progress: Callable[[str], None],
    ) -> None:
        self.consumers = consumers
        self.former = former
        self.consumer = next(iter(consumers.values()))
        self.producer = producer
        self.progress = progress
        self.done = Replayed()
        self.failures: list[str] = []
        # The last offset that the run has written, by topic and partition.
        self.last: dict[tuple[str, int], int] = {}
        self.is_open = False
        self.is_overtaken = False
        self.known: dict[str, set[int]] = {}
        self.seen = 0
        self.noted: dict[str, dict[int, int]] = {}

    def through(self, topic: str, limit: int | None, again: bool) -> Replayed:
        """Processes every letter up to the current end; leaves no transaction open."""
        import confluent_kafka as ck

        if self.producer is not None:
            # Before the position is read: an earlier run can record nothing any more.
            self.producer.init_transactions(COMMIT_SECONDS)
        try:
            return self.process(topic, limit, again)
        except SystemError as lost:
            # The client loses a fatal error that another callback follows; any call of a transaction raises it again.
            if self.producer is not None:
                self.is_open = True
                try:
                    self.producer.begin_transaction()
                except ck.KafkaException as error:
                    if error.args[0].fatal():
                        raise
            raise lost
        finally:
            if self.producer is not None and self.is_open:
                with contextlib.suppress(ck.KafkaException, ck.KafkaError):
                    self.producer.abort_transaction(TIMEOUT_SECONDS)

    def process(self, topic: str, limit: int | None, again: bool) -> Replayed:
        """Sends the letters in transactions of at most BATCH."""
        from confluent_kafka import TopicPartition

        behind: dict[int, int] = {}
        for message in self.messages(topic, again, limit):
            found = letter(message.key(), message.value(), message.headers())
            if found is None:
                self.done.strange += 1
            elif found.topic not in self.consumers:
                self.skip(found.topic)
            # The position of another topic may be before that of the letter's topic.
            elif again or message.offset() >= self.noted[found.topic][message.partition()]:
                self.send(found)
            behind[message.partition()] = message.offset() + 1
            self.seen += 1
            if self.seen % BATCH == 0:
                self.note([TopicPartition(topic, *place) for place in behind.items()])
        self.note([TopicPartition(topic, *place) for place in behind.items()])
        markers.wait(self.consumer, self.last, self.progress)
        return self.done

    def messages(self, topic: str, again: bool, limit: int | None) -> Iterator[Message]:
        """The records from the first committed offset up to the current end."""
        from confluent_kafka import KafkaError, TopicPartition

        places = [TopicPartition(topic, p) for p in self.partitions(topic)]

        def committed(by: Consumer) -> dict[int, int]:
            # Without a committed offset it is negative.
            return {place.partition: place.offset for place in by.committed(places, TIMEOUT_SECONDS)}

        earlier = committed(self.former) if self.former else {}
        for to, consumer in self.consumers.items():
            own = committed(consumer)
            self.noted[to] = {p: at if at >= 0 else earlier.get(p, at) for p, at in own.items()}
        ends: dict[int, int] = {}
        starts = []
        for place in places:
            low, high = self.consumer.get_watermark_offsets(place, TIMEOUT_SECONDS)
            start = low if again else max(low, min(at[place.partition] for at in self.noted.values()))
            if start < high:
                ends[place.partition] = high
                starts.append(TopicPartition(topic, place.partition, start))
        self.consumer.assign(starts)
        patience = time.monotonic() + TIMEOUT_SECONDS
        while ends and (limit is None or self.done.sent.total() < limit):
            message = self.consumer.poll(0.5)
            if message is None:
                if time.monotonic() > patience:
                    raise ReplayError(f"{topic}: no record came within {TIMEOUT_SECONDS} s")
                continue
            patience = time.monotonic() + TIMEOUT_SECONDS
            end = ends.get(message.partition())
            if message.error() is not None and message.error().code() != KafkaError._PARTITION_EOF:
                raise ReplayError(f"{topic}: {message.error().str()}")
            # Offsets after the last record may have no record, as transaction markers do: only EOF reports the end.
            is_record = message.error() is None and end is not None and message.offset() < end
            if is_record:
                yield message
            if end is not None and (not is_record or message.offset() + 1 >= end):
                del ends[message.partition()]

    def skip(self, topic: str) -> None:
        """Counts a letter for another topic."""
        if topic in self.done.elsewhere or len(self.done.elsewhere) < MOST_TOPICS:
            self.done.elsewhere[topic] += 1
        else:
            self.done.further += 1

    def send(self, found: Letter) -> None:
        """Hands one letter to the producer."""
        place = f"{found.topic}, "
        place += f"partition {found.partition}, offset {found.offset}" if found.partition >= 0 else "a row not written"
        partition = found.partition if found.partition in self.partitions(found.topic) else BY_KEY
        if self.producer is None:
            self.progress(f"would send {place}: {found.error}")
        else:
            self.produce(self.producer, found, partition, place)
        self.done.sent[found.topic] += 1

    def produce(self, producer: Producer, found: Letter, partition: int, place: str) -> None:
        """Puts one letter into the producer's queue; waits while the queue is full."""
        stamp: dict[str, Any] = {} if found.timestamp < 0 else {"timestamp": found.timestamp}

        def delivered(error: object, message: Message) -> None:
            if error is None:
                self.last[message.topic(), message.partition()] = message.offset()
            else:
                self.is_overtaken |= _is_fenced(error)
                self.failures.append(f"{place}: {error}")

        self.open(producer)
        while True:
            try:
                producer.produce(
                    found.topic,
                    found.value,
                    found.key,
                    partition,
                    on_delivery=delivered,
                    headers=found.headers,
                    **stamp,
                )
                return
            except BufferError:
                producer.poll(1)

    def partitions(self, topic: str) -> set[int]:
        """The partitions of a topic; requested once, and by the consumer, which does not create topics."""
        if topic not in self.known:
            found = self.consumer.list_topics(topic, TIMEOUT_SECONDS).topics[topic]
            if found.error is not None:
                raise ReplayError(f"{topic}: {found.error.str()}")
            self.known[topic] = set(found.partitions)
        return self.known[topic]

    def open(self, producer: Producer) -> None:
        """Begins a transaction unless one is open."""
        if not self.is_open:
            producer.begin_transaction()
            self.is_open = True

    def note(self, behind: list[Any]) -> None:
        """Commits the sent records and the position behind them."""
        if self.producer is None or not behind:
            return
        missing = self.producer.flush(COMMIT_SECONDS)
        if self.is_overtaken:
            raise _overtaken(behind[0].topic)
        if self.failures or missing:
            first = self.failures[0] if self.failures else "no answer within 60 s"
            raise ReplayError(f"{len(self.failures) + missing} records not delivered; {first}")
        for to, consumer in self.consumers.items():
            # A run from the start may end before the offsets that an earlier run committed.
            further = [place for place in behind if place.offset > self.noted[to][place.partition]]
            if further:
                self.open(self.producer)
                group = consumer.consumer_group_metadata()
                self.producer.send_offsets_to_transaction(further, group, COMMIT_SECONDS)
        if self.is_open:
            self.producer.commit_transaction(COMMIT_SECONDS)
            self.is_open = False
        self.progress(", ".join(f"{count} to {name}" for name, count in sorted(self.done.sent.items())))
