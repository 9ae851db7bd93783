package io.kafkalyst.commands
package topics

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.clients.{Connector, Consumers, Producers, SentOffsets, TopicAdmin, Uninterrupted}
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.metadata.DeadLetterHeaders
import io.kafkalyst.write.WriteErrors
import org.apache.kafka.clients.consumer.{ConsumerConfig, ConsumerGroupMetadata, ConsumerRecord, OffsetAndMetadata}
import org.apache.kafka.clients.producer.{ProducerConfig, ProducerRecord}
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.header.Header
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{LongType, StringType}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * REPLAY name: sends an object's dead letters back to the topic where they were read, with the same partition, key,
 * value, headers and timestamp, up to the current end of the dead letter topic. Each topic that letters go to has a
 * position of its own, committed under a consumer group that `kafkalyst replay` uses, too; the next run continues
 * there, or with FROM BEGINNING at the topic's start. Each 1,000 letters and their positions are one transaction, so a
 * run that is killed or overtaken sends no letter twice. A run fences an earlier one that is still at work.
 *
 * Anyone may write dead letters, and each names its own target topic, so letters for topics that are not the object's
 * are skipped. They wait for a REPLAY of an object over their topic.
 *
 * Errors: READ_ONLY_SOURCE, DEAD_LETTER_TOPIC_MISSING, WRITE_FAILED, REPLAY_FAILED, REPLAY_OVERTAKEN.
 */
final case class Replay(parts: Seq[String], fromBeginning: Boolean, limit: Option[Long]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output("dead_letter_topic" -> StringType, "sent" -> LongType, "passed_over" -> LongType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val found = Commands.find(store, parts)
    Commands.writable(found, "REPLAY")
    store.reserved.refuse(found.topic.topics, "be written")
    Connector.require()
    val (client, letters) = (store.settings(found.name).clientProperties, found.topic.deadLetters)
    if (TopicAdmin(client).find(letters).isEmpty)
      throw KafkalystException("DEAD_LETTER_TOPIC_MISSING", "object" -> found.name.toString, "topic" -> letters)
    val (sent, passed) = new ReplayRun(client, letters, topicsOf(store, found)).through(fromBeginning, limit)
    Seq(Row(letters, sent, passed))
  }

  /** The topics that the object reads; for a pattern, those that exist. */
  private def topicsOf(store: ObjectStore, of: StoredObject): Set[String] =
    if (of.topic.pattern.isEmpty) of.topic.topics.toSet
    else TopicAdmin(store.settings(of.name).clientProperties).listed().map(_.name)
      .filter(t => of.topic.reads(t) && !store.reserved.contains(t)).toSet
}

private final class ReplayRun(client: Map[String, String], letters: String, to: Set[String]) {
  import ReplayRun._

  private val committed = client + (ConsumerConfig.ISOLATION_LEVEL_CONFIG -> "read_committed")
  private val properties = Consumers.properties((committed: Map[String, Object]).asJava, isOpen = false)
  private val consumer = Consumers.acquire(properties)
  private val producer =
    try Producers.transactional(
        Map(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> longest) ++ client,
        ReplayRun.id(letters)
      )
    catch {
      case e: Exception =>
        Consumers.discard(consumer)
        throw e
    }
  private val offsets = new SentOffsets
  private val partitions = mutable.Map.empty[String, Int]
  private val had = mutable.Set.empty[String]
  // By topic that letters go to, the offsets behind those that earlier runs sent.
  private var noted = Map.empty[String, Map[TopicPartition, Long]]
  private var (sent, passed, seen) = (0L, 0L, 0L)
  private var isOpen = false

  /** The numbers of letters sent and of records skipped. */
  def through(fromBeginning: Boolean, limit: Option[Long]): (Long, Long) =
    try {
      // Before the position is read: an earlier run can record nothing any more.
      told(producer.initTransactions())
      val ends = start(fromBeginning)
      val behind = mutable.Map.empty[TopicPartition, OffsetAndMetadata]
      def isDone = limit.exists(sent >= _) || ends.forall { case (p, end) => consumer.position(p) >= end }
      var until = System.nanoTime() + patience.toNanos
      while (!isDone) {
        val records = consumer.poll(pollTime)
        if (!records.isEmpty) until = System.nanoTime() + patience.toNanos
        else if (System.nanoTime() > until) throw failed(s"no record came within ${patience.toSeconds} s")
        records.asScala.iterator.takeWhile(_ => !limit.exists(sent >= _)).filter(r =>
          r.offset < ends(placeOf(r))
        ).foreach { r =>
          take(r, fromBeginning)
          seen += 1
          behind(placeOf(r)) = new OffsetAndMetadata(r.offset + 1)
          if (seen % batch == 0) note(behind)
        }
      }
      note(behind)
      offsets.awaitVisible(client)
      (sent, passed)
    } catch { case e: KafkaException => throw Consumers.failed(e, letters, properties) }
    finally {
      // Readers of the sink wait for an open transaction.
      if (isOpen) Uninterrupted(Try(producer.abortTransaction()))
      try Producers.discard(producer)
      finally Consumers.discard(consumer)
    }

  /** Seeks the consumer behind the records that earlier runs saw for all topics; returns the partitions' ends. */
  private def start(fromBeginning: Boolean): Map[TopicPartition, Long] = {
    val admin = TopicAdmin(committed)
    val offsets = admin.offsets(letters).map { case (p, ends) => new TopicPartition(letters, p) -> ends }
    val found = admin.committed(to.map(groupOf(letters, _)) ++ former(letters), letters)
    def at(group: String) = found.getOrElse(group, Map.empty).map { case (p, at) =>
      new TopicPartition(letters, p) -> at
    }
    val earlier = former(letters).fold(Map.empty[TopicPartition, Long])(at)
    noted = to.map(topic => topic -> (earlier ++ at(groupOf(letters, topic)))).toMap
    val starts = offsets.map { case (p, (first, _)) =>
      val next = noted.values.map(_.getOrElse(p, first)).minOption
      p -> (if (fromBeginning) first else next.fold(first)(math.max(first, _)))
    }
    val ends = offsets.collect { case (p, (_, end)) if starts(p) < end => p -> end }
    consumer.assign(ends.keys.toSeq.asJava)
    ends.keys.foreach(p => consumer.seek(p, starts(p)))
    ends
  }

  private def take(record: ConsumerRecord[ByteBuffer, ByteBuffer], again: Boolean): Unit =
    DeadLetter.of(record.headers.toArray.toSeq).filter(letter => to(letter.topic)) match {
      case None => passed += 1
      // The position of another topic is before that of the letter's topic.
      case Some(letter) if !again && noted(letter.topic).get(placeOf(record)).exists(record.offset < _) =>
      case Some(letter) =>
        had += letter.topic
        val count = partitions.getOrElseUpdate(letter.topic, told(producer.partitionsFor(letter.topic).size))
        open()
        told(producer.send(
          new ProducerRecord(
            letter.topic,
            // A topic may have fewer partitions now, and a row that could not be written had none: the key chooses it.
            letter.partition.filter(_ < count).map(Int.box).orNull,
            letter.timestamp.filter(_ >= 0).map(Long.box).orNull,
            Consumers.bytes(record.key).orNull,
            Consumers.bytes(record.value).orNull,
            letter.headers.asJava
          ),
          offsets
        ))
        sent += 1
    }

  private def note(behind: mutable.Map[TopicPartition, OffsetAndMetadata]): Unit = if (behind.nonEmpty) {
    // A limited run from the beginning may end before a committed position, which must not go back. A pattern may have
    // thousands of topics without a letter: they get no group each.
    val further =
      noted.filter { case (topic, at) => to.size == 1 || had(topic) || at.nonEmpty }.map { case (topic, at) =>
        groupOf(letters, topic) -> behind.filter { case (p, next) => at.get(p).forall(_ < next.offset) }
      }.filter(_._2.nonEmpty)
    if (further.nonEmpty) open()
    if (isOpen) told {
      further.foreach { case (group, offsets) =>
        producer.sendOffsetsToTransaction(offsets.asJava, new ConsumerGroupMetadata(group))
      }
      // Fails if one of the letters has not been sent.
      producer.commitTransaction()
      isOpen = false
    }
    behind.clear()
  }

  private def open(): Unit = if (!isOpen) {
    told(producer.beginTransaction())
    isOpen = true
  }

  private def told[T](action: => T): T =
    try action
    catch {
      case e: KafkaException if Producers.isFenced(e) =>
        throw KafkalystException.caused(Redaction.cause(e, client), "REPLAY_OVERTAKEN", "topic" -> letters)
      case e: KafkaException => WriteErrors.fail(to.mkString(", "), None, client)(e)
    }

  private def failed(reason: String) = KafkalystException("REPLAY_FAILED", "topic" -> letters, "reason" -> reason)
}

private object ReplayRun {

  private val prefix = "kafkalyst-replay"
  private val suffix = "-dlq"

  def id(letters: String): String = s"$prefix-$letters"

  /**
   * The consumer group for letters to that topic, shared with `kafkalyst replay`: a dead letter topic may have letters
   * of several objects.
   */
  def groupOf(letters: String, topic: String): String = if (letters == s"$topic$suffix") prefix else s"$prefix-$topic"

  /** The group in which earlier versions kept one position for all topics; None if it is now a topic's own. */
  def former(letters: String): Option[String] = Option.unless(letters.endsWith(suffix))(prefix)

  val batch = 1000

  /** How long readers wait for the transaction of a run that is killed, in milliseconds. */
  val longest = "180000"
  val patience: Duration = Duration.ofSeconds(30)
  val pollTime: Duration = Duration.ofMillis(200)

  def placeOf(record: ConsumerRecord[_, _]): TopicPartition = new TopicPartition(record.topic, record.partition)
}

/**
 * Where a dead letter was read, and its record's own headers. A row that could not be written has no partition and no
 * timestamp.
 */
private final case class DeadLetter(
    topic: String,
    partition: Option[Int],
    timestamp: Option[Long],
    headers: Seq[Header]
)

private object DeadLetter {

  /** None if the record is not a dead letter. Headers of earlier dead-lettering belong to the record itself. */
  def of(headers: Seq[Header]): Option[DeadLetter] = {
    def named(name: String)(h: Header) = h.key == DeadLetterHeaders.prefix + name
    val (own, ours) = headers.splitAt(headers.lastIndexWhere(named(DeadLetterHeaders.topic)).max(0))
    def text(name: String) = ours.find(named(name)).flatMap(h => Option(h.value)).map(new String(_, UTF_8))
    val place = Seq(DeadLetterHeaders.partition, DeadLetterHeaders.offset, DeadLetterHeaders.timestamp).map(text)
    val numbers = place.map(_.flatMap(_.toLongOption))
    for {
      topic <- text(DeadLetterHeaders.topic)
      Seq(partition, _, timestamp) <- Option.when(place.map(_.isEmpty) == numbers.map(_.isEmpty))(numbers)
      if partition.forall(p => p >= 0 && p.isValidInt)
      if partition.nonEmpty || text(DeadLetterHeaders.error).nonEmpty
    } yield DeadLetter(topic, partition.map(_.toInt), timestamp, own)
  }
}
