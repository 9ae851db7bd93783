package io.kafkalyst.catalog.cluster

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.concurrent.TimeUnit

import io.kafkalyst.clients.{Consumers, Producers, SentOffsets, TopicAdmin, TopicShape}
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model.settings.Settings
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors._
import org.slf4j.LoggerFactory

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * The definitions of a cluster's objects, its named types, and the leases of its continuous queries: the last record of
 * each name in a compacted topic with one partition. A writer takes the topic's transactional id, which fences all
 * other writers, reads to the end, and then decides, so that only one of several concurrent creators of a name
 * succeeds.
 *
 * @param catalog for messages
 */
private[cluster] final class DefinitionTopic(catalog: String, settings: Settings) {
  import DefinitionTopic._

  val topic: String = settings(Settings.catalogTopic)
  private val partition = new TopicPartition(topic, 0)
  // Always read_committed, because records of aborted transactions must not define anything.
  private val client = settings.clientProperties + ("isolation.level" -> "read_committed")
  // Looking up a deleted topic must not create it.
  private val consumes = Consumers.properties(
    (client + (ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG -> "false"): Map[String, Object]).asJava,
    isOpen = false
  )
  private val transactionalId = s"kafkalyst-catalog-$topic"
  private val faults = new CatalogFaults(catalog, topic, client, transactionalId)
  import faults.{denied, failed, isDenied, unusable}

  // Held by a writer throughout. Taken before `reading`, which guards what has been read.
  private val writing = new BrokerLock
  private val reading = new BrokerLock
  @volatile private var known = Known.nothing
  private var next = 0L

  /** The first record that no catalog wrote, and whether any was written by one. */
  private var foreign = Option.empty[Long]
  private var isCatalogs = false
  private var id = ""

  /** Whether `known` is what the topic says; false while it does not exist, or has not been readable yet. */
  private var wasRead = false
  private var isToldDenied = false
  private var readAt = Option.empty[Long]
  private var lastRead = System.nanoTime()

  /** The offset of a record whose commit has not been confirmed. */
  private var unanswered = Option.empty[Long]

  /** Whether that record has been read, which shows that its commit succeeded. */
  private var isSeen = false
  @volatile private var listed = Option.empty[(Option[String], Long)]

  /** Sets this topic's id as the brokers have just listed it; None if the topic does not exist. Saves a request. */
  def listed(id: Option[String]): Unit = listed = Some(id -> System.nanoTime())

  /**
   * All definitions, at most a second old. Without permission to read them they are as they were read last, or empty:
   * a login that loses its rights for a moment must not take a declared topic for an undeclared one.
   */
  def all(): Map[String, Definition] = fresh(known.definitions)

  /** All named types, as [[all]]. */
  def types(): Map[String, NamedType] = fresh(known.types)

  /** The topic's id; None if it does not exist, or has not been readable yet. */
  def topicId(): Option[String] = fresh(Option.when(wasRead)(id))

  /** Whether the topic was read and has no such definition; false if this is unknown. */
  def isWithout(name: String): Boolean = fresh(wasRead && !known.definitions.contains(name))

  /** All leases by query id, as [[all]]. */
  def leases(): Map[String, Lease] = fresh(known.leases)

  private def fresh[T](value: => T): T = reading.ask {
    if (!readAt.exists(at => System.nanoTime() - at < freshNanos)) {
      try {
        read(found())
        isToldDenied = false
      } catch { case e: Exception if isDenied(e) => tellDenied(e) }
      readAt = Some(System.nanoTime())
    }
    value
  }

  private def tellDenied(e: Exception): Unit = if (wasRead && !isToldDenied) {
    isToldDenied = true
    log.warn(s"The topic $topic may not be read now, so its definitions stay as they were: ${e.getMessage}")
  }

  private def found(): Option[String] = listed.filter(isRecent).map(_._1) match {
    // Listings lack topics that the login may not describe.
    case Some(None) if wasRead => askedId()
    case Some(told) => told
    case None => if (isAbsent) told(None) else askedId()
  }

  private def isRecent(told: (Option[String], Long)): Boolean =
    System.nanoTime() - told._2 < (if (told._1.isEmpty) absentNanos else presentNanos)

  private def askedId(): Option[String] = told(TopicAdmin(client).id(topic))

  private def told(id: Option[String]): Option[String] = {
    listed(id)
    id
  }

  /** Whether the topic still does not exist; takes one request, where describing the topic takes two. */
  private def isAbsent: Boolean = readAt.isDefined && id.isEmpty && asking { consumer =>
    try consumer.partitionsFor(topic, shortPatience).isEmpty
    catch { case _: ApiException => false }
  }

  /**
   * Creates, changes or drops one definition.
   *
   * @param makes  whether to create a missing topic
   * @param decide maps the current definition to the new one; None to drop it. If it throws, the change is aborted.
   * @throws io.kafkalyst.errors.KafkalystException CATALOG_DENIED with the missing permission, CATALOG_TOPIC if the
   *         topic is not configured as required, CATALOG_BUSY if others keep changing definitions
   */
  def change(name: String, makes: Boolean = true)(
      decide: Option[Definition] => Option[Definition]
  ): Unit = committed(makes) { now =>
    val there = now.definitions.get(name)
    there.filterNot(_.isBroken).foreach(_.require())
    val after = decide(there)
    if (after.isDefined) there.foreach(_.require())
    if (after == there) Map.empty else Map(Definition.Key(name) -> after.map(_.json))
  }

  /**
   * Creates or drops one named type.
   *
   * @param decide maps the current type to the new one, as DDL; None to drop it. If it throws, the change is aborted.
   * @throws io.kafkalyst.errors.KafkalystException as [[change]]
   */
  def changeType(name: String)(decide: Option[String] => Option[String]): Unit = committed() { now =>
    val before = now.types.get(name).map(_.ddl)
    val after = decide(before)
    if (after == before) Map.empty else Map(NamedType.Key(name) -> after.map(NamedType.json))
  }

  /**
   * Changes leases. Does not create the topic: queries with a lease have their records in it.
   *
   * @param decide maps the current leases to those to write; None drops one. If it throws, the change is aborted.
   * @throws io.kafkalyst.errors.KafkalystException as [[change]]
   */
  def lease(decide: Map[String, Lease] => Map[String, Option[Lease]]): Unit = committed(makes = false) { now =>
    decide(now.leases).map { case (query, lease) => Lease.Key(query) -> lease.map(_.json) }
  }

  /**
   * @param makes  whether to create a missing topic
   * @param decide maps what all earlier records of any writer say to the records to write
   */
  private def committed(
      makes: Boolean = true
  )(decide: Known => Map[String, Option[String]]): Unit = writing.hold {
    def attempt(left: Int, failures: Int): Unit =
      try written(decide)
      catch {
        case e: Exception if Producers.isFenced(e) && left > 0 =>
          // Another writer has fenced this one; a random delay keeps writers from retrying at the same time.
          Thread.sleep(20 + scala.util.Random.nextInt(180).toLong)
          attempt(left - 1, failures)
        case e: Exception if Producers.isFenced(e) =>
          throw KafkalystException.caused(Redaction.cause(e, client), "CATALOG_BUSY", "topic" -> topic)
        // The next attempt ends the open transaction and sees whether it was committed.
        case _: KafkaException if isUnanswered && failures > 0 => attempt(left, failures - 1)
        case e: KafkaException if !isDenied(e) => throw failed(e)
      }
    awaits(None)
    try {
      // A change of what a missing topic had says so, or changes nothing; brokers may not know a new topic at once.
      if (requireTopic(makes) || decide(Known.nothing).nonEmpty) attempt(turns, failedCommits)
    } catch { case e: Exception if isDenied(e) => throw denied(e) }
  }

  private def written(decide: Known => Map[String, Option[String]]): Unit = {
    val producer = Producers.transactional(client, transactionalId)
    try {
      // May take long; readers wait neither for this nor for the decision.
      producer.initTransactions()
      // Decides upon what this thread has read: a reader may meanwhile forget it, if the brokers told it of no topic.
      val (now, isDone) = taken(System.nanoTime() + patience.toNanos)
      awaits(None)
      val records = if (isDone) Map.empty[String, Option[String]] else decide(now)
      if (records.nonEmpty) {
        producer.beginTransaction()
        val sent = records.map { case (key, value) =>
          producer.send(new ProducerRecord(topic, 0, key.getBytes(UTF_8), value.map(_.getBytes(UTF_8)).orNull))
        }
        producer.flush()
        awaits(Try(sent.head.get.offset).toOption)
        producer.commitTransaction()
        settle(sent.map(_.get.offset).max)
      }
    } finally Producers.discard(producer)
  }

  /** What the topic says, and whether the unanswered commit has succeeded. Brokers may not know a new topic at once. */
  @tailrec private def taken(until: Long): (Known, Boolean) = {
    val all = reading.hold {
      read()
      if (!isCatalogs) foreign.foreach { offset =>
        throw unusable(s"no record there was written by a catalog, and the one at offset $offset by something else")
      }
      Option.when(wasRead)((known, unanswered.isDefined && isSeen))
    }
    if (all.isDefined) all.get
    else if (System.nanoTime() > until) throw unusable(unknown)
    else {
      Thread.sleep(50)
      taken(until)
    }
  }

  private def awaits(offset: Option[Long]): Unit = reading.hold {
    unanswered = offset
    isSeen = false
  }

  private def isUnanswered = reading.hold(unanswered.isDefined)

  /** Waits until a committed record can be read: brokers confirm a commit before they write its marker. */
  private def settle(offset: Long): Unit = {
    def isRead = reading.hold {
      read()
      next > offset
    }
    SentOffsets.await(patience)(isRead)
    ()
  }

  /**
   * Reads new records up to the last stable offset. A writer misses none: only its own transaction can be open, because
   * it holds the transactional id.
   */
  private def read(found: Option[String]): Unit = found match {
    case None => begin("")
    case Some(found) =>
      // After a long pause, unread tombstones may have been compacted away, so everything is read again.
      if (found != id || System.nanoTime() - lastRead > staleNanos) anew(found) else take()
      wasRead = id.nonEmpty
      lastRead = System.nanoTime()
  }

  /** Reads everything; keeps what was read before if the topic may not be read now. */
  private def anew(found: String): Unit = {
    val (lastId, lastNext, lastKnown, wasWhole) = (id, next, known, wasRead)
    val (lastForeign, wasCatalogs) = (foreign, isCatalogs)
    begin(found)
    try take()
    catch {
      case e: Exception if isDenied(e) =>
        begin("")
        if (wasWhole) {
          id = lastId
          next = lastNext
          known = lastKnown
          foreign = lastForeign
          isCatalogs = wasCatalogs
          wasRead = true
        }
        throw e
    }
  }

  private def read(): Unit = read(askedId())

  /** Forgets everything read: a recreated topic has other definitions. */
  private def begin(of: String): Unit = {
    id = of
    next = 0
    wasRead = false
    known = Known.nothing
    foreign = None
    isCatalogs = false
  }

  /** Takes one request if there is nothing new, because the cached consumer knows the partition's leader. */
  private def take(): Unit = asking { consumer =>
    // Discards records that the consumer has prefetched from a former topic.
    if (next == 0) consumer.unsubscribe()
    consumer.assign(List(partition).asJava)
    val end = endBy(consumer)
    if (end.exists(_ >= next)) take(consumer, end.get)
    // No answer, or an end before the records already read: the topic was deleted or recreated.
    else askedId() match {
      case None => begin("")
      case Some(now) =>
        if (now != id) begin(now)
        take(consumer, TopicAdmin(client).end(partition))
    }
  }

  private def asking[T](body: Consumers.Consumer => T): T = {
    val consumer = Consumers.acquire(consumes)
    var isHealthy = false
    try {
      val found = body(consumer)
      isHealthy = true
      found
    } finally if (isHealthy) Consumers.release(consumes, consumer, isAssigned = true) else Consumers.discard(consumer)
  }

  private def endBy(consumer: Consumers.Consumer): Option[Long] =
    try Some(consumer.endOffsets(List(partition).asJava, shortPatience).get(partition))
    catch { case _: ApiException => None }

  private def take(consumer: Consumers.Consumer, end: Long): Unit = if (next < end) {
    val until = System.nanoTime() + patience.toNanos
    def late = unusable(s"offset $next to $end could not be read within ${patience.toSeconds} s")
    def position =
      try consumer.position(partition, patience)
      catch { case _: TimeoutException => throw late }
    if (next == 0) consumer.seekToBeginning(List(partition).asJava) else consumer.seek(partition, next)
    // Transaction markers occupy offsets, too.
    while (position < end) {
      if (System.nanoTime() > until) throw late
      consumer.poll(Duration.ofMillis(200)).records(partition).asScala.foreach { record =>
        if (unanswered.contains(record.offset)) isSeen = true
        val key = Consumers.bytes(record.key).flatMap(CatalogRecord.tree)
        val place = s"in the topic $topic at offset ${record.offset}"
        known.after(key, Consumers.bytes(record.value), record.timestamp, place) match {
          case None => passOver(record.offset)
          case Some(now) =>
            known = now
            isCatalogs = true
        }
      }
      next = position
    }
  }

  /** A record of others must not stop the catalog, because nothing removes it from a compacted topic. */
  private def passOver(offset: Long): Unit = if (foreign.isEmpty) {
    foreign = Some(offset)
    log.warn(s"The record at offset $offset of the topic $topic was not written by a catalog, and has no effect")
  }

  /** @return whether the topic is there */
  private def requireTopic(makes: Boolean): Boolean = {
    val admin = TopicAdmin(client)
    val found = admin.find(topic)
    found.foreach { shape =>
      val policy = admin.config(topic, "cleanup.policy")
      if (shape.partitions != 1 || !policy.contains("compact")) throw unusable(
        s"it has ${shape.partitions} partitions and cleanup.policy=${policy.getOrElse("unknown")}, and must have 1 and compact"
      )
    }
    if (found.isEmpty && makes) admin.create(TopicShape(topic, 1, clustersDefault, Map("cleanup.policy" -> "compact")))
    found.isDefined || makes
  }
}

private object DefinitionTopic {
  private val freshNanos = 1000000000L
  private val staleNanos = TimeUnit.HOURS.toNanos(1)

  // How long the listed id of the topic is trusted. Short for an absent topic, because a new one must be seen at once;
  // a deleted topic is also noticed when its records are read, after a short wait.
  private val absentNanos = 200000000L
  private val presentNanos = 10000000000L
  private val shortPatience = Duration.ofSeconds(3)
  private val patience = Duration.ofSeconds(8)
  private val turns = 100
  private val unknown = "the brokers do not know it"
  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")
  private val failedCommits = 3

  // The cluster's default replication factor.
  private val clustersDefault = -1
}
