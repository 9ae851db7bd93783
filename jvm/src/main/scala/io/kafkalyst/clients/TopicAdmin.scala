package io.kafkalyst.clients

import java.time.Duration
import java.{util => ju}
import java.util.concurrent.{ConcurrentHashMap, ExecutionException, TimeUnit}

import io.kafkalyst.errors.{ClientErrors, Conditions, KafkalystException, Redaction}
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.clients.admin.{
  Admin,
  AdminClientConfig,
  ListOffsetsOptions,
  ListTopicsOptions,
  NewTopic,
  OffsetSpec
}
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.{IsolationLevel, KafkaFuture, TopicCollection, TopicPartition, Uuid}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors.{
  AuthenticationException,
  TopicExistsException,
  UnknownTopicIdException,
  UnknownTopicOrPartitionException
}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Try}

/** The properties of a topic; `configs` are set on creation and not looked up. */
final case class TopicShape(name: String, partitions: Int, replicas: Int, configs: Map[String, String] = Map.empty)

/** A topic as listed by the cluster; `id` distinguishes it from a later topic of the same name. */
final case class ListedTopic(name: String, id: String, isInternal: Boolean)

/**
 * Looks up, creates and deletes topics. Every call ends within ten seconds.
 *
 * Errors: BROKER_UNREACHABLE with the address, TOPIC_NOT_FOUND with similar names, KAFKA_ERROR otherwise.
 */
final class TopicAdmin private (private val admin: Admin, properties: Map[String, String]) {
  import TopicAdmin._

  private val address = properties("bootstrap.servers")
  private val isolation =
    if (properties.get("isolation.level").exists(_.equalsIgnoreCase("read_committed"))) IsolationLevel.READ_COMMITTED
    else IsolationLevel.READ_UNCOMMITTED

  def find(topic: String): Option[TopicShape] =
    try {
      val found = await(admin.describeTopics(List(topic).asJava).topicNameValues().get(topic), topic)
      Some(TopicShape(topic, found.partitions.size, found.partitions.asScala.headOption.fold(0)(_.replicas.size)))
    } catch { case _: UnknownTopicOrPartitionException => None }

  /** The id that the broker assigned to the topic; None if there is no such topic, or the broker has no topic ids. */
  def id(topic: String): Option[String] =
    try Some(await(admin.describeTopics(List(topic).asJava).topicNameValues().get(topic), topic).topicId)
        .filter(_ != Uuid.ZERO_UUID).map(_.toString)
    catch { case _: UnknownTopicOrPartitionException => None }

  def require(topic: String): TopicShape = find(topic).getOrElse {
    throw KafkalystException(
      "TOPIC_NOT_FOUND",
      "topic" -> topic,
      "brokers" -> address,
      "nearest" -> Conditions.nearest(topic, list().map(_.name))
    )
  }

  def list(internal: Boolean = false): Seq[TopicShape] = {
    val names = await(admin.listTopics(new ListTopicsOptions().listInternal(internal)).names())
    val all = admin.describeTopics(names).allTopicNames()
    await(all).asScala.values.toSeq.sortBy(_.name).map { d =>
      TopicShape(d.name, d.partitions.size, d.partitions.asScala.headOption.fold(0)(_.replicas.size))
    }
  }

  /** All topics, including internal ones, in one request. */
  def listed(): Seq[ListedTopic] =
    await(admin.listTopics(new ListTopicsOptions().listInternal(true)).listings()).asScala.toSeq.map { t =>
      ListedTopic(t.name, t.topicId.toString, t.isInternal)
    }

  /** Earliest offset and end offset of each partition, as seen by a consumer of the same isolation level. */
  def offsets(topic: String): Map[Int, (Long, Long)] = {
    val partitions = partitionsOf(topic)
    // Both requests run concurrently.
    val (first, next) = (asked(partitions, OffsetSpec.earliest()), asked(partitions, OffsetSpec.latest()))
    val latest = offsets(topic, next)
    offsets(topic, first).map { case (p, earliest) => p -> (earliest, latest(p)) }
  }

  /** Next offset of one partition. */
  def end(partition: TopicPartition): Long =
    offsets(partition.topic, asked(Seq(partition), OffsetSpec.latest()))(partition.partition)

  /**
   * Per partition, the first offset whose record has this time (epoch milliseconds) or a later one; absent if there is
   * none.
   */
  def offsetsAt(topic: String, time: Long): Map[Int, Long] =
    offsets(topic, asked(partitionsOf(topic), OffsetSpec.forTimestamp(math.max(0L, time)))).filter(_._2 >= 0)

  private def partitionsOf(topic: String) = (0 until require(topic).partitions).map(new TopicPartition(topic, _))

  private def asked(partitions: Seq[TopicPartition], spec: OffsetSpec) =
    admin.listOffsets(partitions.map(_ -> spec).toMap.asJava, new ListOffsetsOptions(isolation)).all()

  private def offsets(
      topic: String,
      found: KafkaFuture[ju.Map[TopicPartition, ListOffsetsResultInfo]]
  ): Map[Int, Long] =
    await(found, topic).asScala.map { case (p, at) => p.partition -> at.offset }.toMap

  /** The offsets that a consumer group has committed, by topic and partition. */
  def committed(group: String): Map[(String, Int), Long] =
    await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).asScala.collect {
      case (p, at) if at != null => (p.topic, p.partition) -> at.offset
    }.toMap

  /** Commits offsets for a consumer group without members. */
  def commit(group: String, offsets: Map[(String, Int), Long]): Unit = {
    val places = offsets.map { case ((topic, partition), at) =>
      new TopicPartition(topic, partition) -> new OffsetAndMetadata(at)
    }
    await(admin.alterConsumerGroupOffsets(group, places.asJava).all())
    ()
  }

  /** The effective value of a topic setting. */
  def config(topic: String, name: String): Option[String] = {
    val resource = new ConfigResource(ConfigResource.Type.TOPIC, topic)
    Option(await(admin.describeConfigs(List(resource).asJava).all(), topic).get(resource).get(name)).map(_.value)
  }

  /**
   * Creates the topic and returns its id, which is zero for brokers without topic ids. None if the topic was created
   * concurrently.
   */
  def create(shape: TopicShape): Option[Uuid] =
    try {
      val topic = new NewTopic(shape.name, shape.partitions, shape.replicas.toShort).configs(shape.configs.asJava)
      val id = await(admin.createTopics(List(topic).asJava).topicId(shape.name), shape.name)
      awaitNews(shape.name, isThere = true)
      Some(id)
    } catch { case _: TopicExistsException => None }

  /** Deletes the topic; does nothing if it does not exist. */
  def delete(topic: String): Unit =
    try {
      await(admin.deleteTopics(List(topic).asJava).all(), topic)
      awaitNews(topic, isThere = false)
    } catch { case _: UnknownTopicOrPartitionException => () }

  /**
   * Waits until brokers know of a created or deleted topic: they learn it from the controller with a delay, in which
   * the next statement would not find the new topic, or would use the deleted one.
   */
  private def awaitNews(topic: String, isThere: Boolean): Unit = {
    val until = System.nanoTime + TopicAdmin.newsNanos
    while (await(admin.listTopics().names()).contains(topic) != isThere && System.nanoTime < until) Thread.sleep(20)
  }

  /**
   * Deletes the topic with this id, never a later one of the same name.
   *
   * @param withRows whether to delete it even if it is not empty
   * @return whether it was deleted
   */
  def deleteMade(topic: String, id: Uuid, withRows: Boolean): Boolean =
    try {
      def isEmpty = offsets(topic).forall { case (_, (first, next)) => first == 0 && next == 0 }
      val deletes = id != Uuid.ZERO_UUID && (withRows || isEmpty)
      if (deletes) {
        await(admin.deleteTopics(TopicCollection.ofTopicIds(List(id).asJava)).all())
        awaitNews(topic, isThere = false)
      }
      deletes
    } catch { case _: UnknownTopicIdException => false }

  /**
   * Size of the topic's records on the brokers' disks in bytes, for one replica of each partition.
   *
   * @return None if the brokers do not say it, as without the DESCRIBE permission on the cluster; nobody fails because of it
   */
  def bytes(topic: String): Option[Long] = bytesOf(topic).map(_.values.sum)

  /** As [[bytes]], for each partition. */
  def bytesOf(topic: String): Option[Map[Int, Long]] = {
    def told[T](future: KafkaFuture[T]) = future.get(limitMs.toLong, TimeUnit.MILLISECONDS)
    try {
      val brokers = told(admin.describeCluster().nodes()).asScala.map(node => Integer.valueOf(node.id))
      val found = told(admin.describeLogDirs(brokers.asJavaCollection).allDescriptions())
      val replicas = found.values.asScala.flatMap(_.values.asScala).flatMap(_.replicaInfos.asScala)
        .filter { case (partition, replica) => partition.topic == topic && !replica.isFuture }
      Some(replicas.groupMapReduce(_._1.partition)(_._2.size)(math.max(_, _)))
    } catch { case _: ExecutionException | _: java.util.concurrent.TimeoutException => None }
  }

  private def await[T](future: KafkaFuture[T], topic: String = ""): T =
    try future.get(limitMs.toLong, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException =>
        e.getCause match {
          case known @ (_: UnknownTopicOrPartitionException | _: UnknownTopicIdException | _: TopicExistsException) =>
            throw known
          case other => throw named(other, topic)
        }
      case timeout: java.util.concurrent.TimeoutException => throw unreachable(timeout)
    }

  /** The error of one of Kafka's clients as BROKER_UNREACHABLE, what [[ClientErrors.refused]] knows, or KAFKA_ERROR. */
  def named(cause: Throwable, topic: String): KafkalystException = cause match {
    case timeout: org.apache.kafka.common.errors.TimeoutException => unreachable(timeout)
    case other => refused(other, topic)
  }

  private def refused(cause: Throwable, topic: String) = {
    // The client would keep failing after the broker accepts the login.
    if (cause.isInstanceOf[AuthenticationException]) TopicAdmin.forget(this)
    val (condition, parameters) = ClientErrors.refused(cause, properties, topic).getOrElse(
      "KAFKA_ERROR" -> Seq("brokers" -> address, "reason" -> ClientErrors.reason(cause, properties))
    )
    KafkalystException.caused(Redaction.cause(cause, properties), condition, parameters: _*)
  }

  private def unreachable(cause: Throwable) = {
    // A client that never connected is not worth keeping.
    TopicAdmin.forget(this)
    KafkalystException.caused(cause, "BROKER_UNREACHABLE", "brokers" -> address, "timeout" -> s"${limitMs / 1000} s")
  }
}

object TopicAdmin {
  private val limitMs = 8000
  // Maximum delay until brokers learn of a topic change from the controller.
  private val newsNanos = 10000000000L
  private val unreachable = Conditions("BROKER_UNREACHABLE")
  private val clients = new ConcurrentHashMap[Map[String, String], TopicAdmin]()

  /** The driver's shared admin client for these properties, created on first use. */
  def apply(properties: Map[String, String]): TopicAdmin = clients.computeIfAbsent(
    properties,
    _ => {
      val limits = Map(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG -> limitMs.toString,
        AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG -> (limitMs / 2).toString
      )
      val address = properties("bootstrap.servers")
      val admin =
        try Admin.create((properties ++ limits).asJava.asInstanceOf[java.util.Map[String, Object]])
        catch {
          case e: org.apache.kafka.common.KafkaException =>
            throw KafkalystException.caused(
              Redaction.cause(e, properties),
              "KAFKA_ERROR",
              "brokers" -> address,
              "reason" -> ClientErrors.reason(e, properties)
            )
        }
      new TopicAdmin(admin, properties)
    }
  )

  /**
   * Retries `ask` until a broker answers or `patience` is over, so that a running query survives the restart of a
   * broker.
   */
  def patiently[T](patience: Duration)(ask: => T): T = {
    val end = System.nanoTime() + patience.toNanos
    @tailrec
    def again(): T = Try(ask) match {
      case Failure(e: KafkalystException) if e.getCondition == unreachable.name && System.nanoTime() < end => again()
      case answer => answer.get
    }
    again()
  }

  private def forget(client: TopicAdmin): Unit =
    clients.asScala.find(_._2 eq client).foreach { case (properties, _) =>
      clients.remove(properties)
      client.admin.close(Duration.ZERO)
    }
}
