package io.kafkalyst.clients

import java.time.Duration
import java.{util => ju}

import io.kafkalyst.errors.{ClientErrors, Conditions, KafkalystException, Redaction}
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.clients.admin.{
  Admin,
  AdminClientConfig,
  ListConsumerGroupOffsetsOptions,
  ListConsumerGroupOffsetsSpec,
  ListOffsetsOptions,
  ListTopicsOptions,
  NewTopic,
  OffsetSpec
}
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.{IsolationLevel, KafkaException, KafkaFuture, TopicCollection, TopicPartition, Uuid}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors.{
  TimeoutException,
  TopicAuthorizationException,
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
 * Looks up, creates and deletes topics. Each request ends within 8 seconds; a call takes one to three, and one that
 * creates or deletes a topic then waits up to 10 seconds until it is known.
 *
 * Errors: BROKER_UNREACHABLE with the address, TOPIC_NOT_FOUND with similar names, KAFKA_ERROR otherwise.
 */
final class TopicAdmin private (properties: Map[String, String]) {
  import TopicAdmin._

  private val address = properties("bootstrap.servers")
  private val client = properties ++ limits
  private val isolation =
    if (properties.get("isolation.level").exists(_.equalsIgnoreCase("read_committed"))) IsolationLevel.READ_COMMITTED
    else IsolationLevel.READ_UNCOMMITTED

  def find(topic: String): Option[TopicShape] =
    try {
      val found = ask(topic)(_.describeTopics(List(topic).asJava).topicNameValues().get(topic))
      Some(TopicShape(topic, found.partitions.size, found.partitions.asScala.headOption.fold(0)(_.replicas.size)))
    } catch { case _: UnknownTopicOrPartitionException => None }

  /** The id that the broker assigned to the topic; None if there is no such topic, or the broker has no topic ids. */
  def id(topic: String): Option[String] =
    try Some(ask(topic)(_.describeTopics(List(topic).asJava).topicNameValues().get(topic)).topicId)
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

  /** All topics; the cluster's internal ones only on request. */
  def list(internal: Boolean = false): Seq[TopicShape] = {
    val names = ask()(_.listTopics(new ListTopicsOptions().listInternal(internal)).names())
    val found = using("") { admin =>
      // Others may delete topics meanwhile.
      admin.describeTopics(names).topicNameValues().asScala.values.toSeq.flatMap { topic =>
        try Some(answer(topic))
        catch { case _: UnknownTopicOrPartitionException => None }
      }
    }
    found.sortBy(_.name).map { d =>
      TopicShape(d.name, d.partitions.size, d.partitions.asScala.headOption.fold(0)(_.replicas.size))
    }
  }

  /** All topics, including internal ones, in one request. */
  def listed(): Seq[ListedTopic] =
    ask()(_.listTopics(new ListTopicsOptions().listInternal(true)).listings()).asScala.toSeq.map { t =>
      ListedTopic(t.name, t.topicId.toString, t.isInternal)
    }

  /** Earliest offset and end offset of each partition, as seen by a consumer of the same isolation level. */
  def offsets(topic: String): Map[Int, (Long, Long)] = {
    val partitions = partitionsOf(topic)
    using(topic) { admin =>
      // Both requests run concurrently.
      val first = asked(admin, partitions, OffsetSpec.earliest())
      val latest = offsets(asked(admin, partitions, OffsetSpec.latest()))
      offsets(first).map { case (p, earliest) => p -> (earliest, latest(p)) }
    }
  }

  /** Next offset of one partition, as [[offsets]]. */
  def end(partition: TopicPartition): Long = ends(Seq(partition))(partition)

  /** Next offsets of partitions of one or more topics, as [[offsets]]. */
  def ends(partitions: Seq[TopicPartition]): Map[TopicPartition, Long] =
    using(partitions.map(_.topic).distinct.mkString(", ")) { admin =>
      answer(asked(admin, partitions, OffsetSpec.latest())).asScala.map { case (p, at) => p -> at.offset }.toMap
    }

  /**
   * Per partition, the first offset whose record has this time (epoch milliseconds) or a later one; absent if there is
   * none.
   */
  def offsetsAt(topic: String, time: Long): Map[Int, Long] = {
    val partitions = partitionsOf(topic)
    val spec = OffsetSpec.forTimestamp(math.max(0L, time))
    using(topic)(admin => offsets(asked(admin, partitions, spec))).filter(_._2 >= 0)
  }

  private def partitionsOf(topic: String) = (0 until require(topic).partitions).map(new TopicPartition(topic, _))

  private def asked(admin: Admin, partitions: Seq[TopicPartition], spec: OffsetSpec) =
    admin.listOffsets(partitions.map(_ -> spec).toMap.asJava, new ListOffsetsOptions(isolation)).all()

  private def offsets(found: KafkaFuture[ju.Map[TopicPartition, ListOffsetsResultInfo]]): Map[Int, Long] =
    answer(found).asScala.map { case (p, at) => p.partition -> at.offset }.toMap

  /** The offsets that a consumer group has committed, by topic and partition. */
  def committed(group: String): Map[(String, Int), Long] =
    ask()(_.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).asScala.collect {
      case (p, at) if at != null => (p.topic, p.partition) -> at.offset
    }.toMap

  /** The offsets in a topic that each group has committed, also by transactions that are about to end. */
  def committed(groups: Iterable[String], topic: String): Map[String, Map[Int, Long]] = {
    val specs = groups.map(_ -> new ListConsumerGroupOffsetsSpec()).toMap
    val stable = new ListConsumerGroupOffsetsOptions().requireStable(true)
    ask(topic)(_.listConsumerGroupOffsets(specs.asJava, stable).all()).asScala.map { case (group, found) =>
      val there = found.asScala.filter { case (p, at) => at != null && p.topic == topic }
      group -> there.map { case (p, at) => p.partition -> at.offset }.toMap
    }.toMap
  }

  /** Commits offsets for a consumer group without members. */
  def commit(group: String, offsets: Map[(String, Int), Long]): Unit = {
    val places = offsets.map { case ((topic, partition), at) =>
      new TopicPartition(topic, partition) -> new OffsetAndMetadata(at)
    }
    ask()(_.alterConsumerGroupOffsets(group, places.asJava).all())
    ()
  }

  /** The effective value of the topic setting `name`; None if the topic does not exist. */
  def config(topic: String, name: String): Option[String] = {
    val resource = new ConfigResource(ConfigResource.Type.TOPIC, topic)
    try Option(ask(topic)(_.describeConfigs(List(resource).asJava).all()).get(resource).get(name)).map(_.value)
    catch { case _: UnknownTopicOrPartitionException => None }
  }

  /** As [[config]], of several topics in one request; without those that do not exist or that the user may not see. */
  def configs(topics: Seq[String], name: String): Map[String, String] = using("") { admin =>
    val resources = topics.map(new ConfigResource(ConfigResource.Type.TOPIC, _))
    val asked = admin.describeConfigs(resources.asJava).values
    resources.flatMap { resource =>
      try Option(answer(asked.get(resource)).get(name)).map(resource.name -> _.value)
      catch { case _: UnknownTopicOrPartitionException | _: TopicAuthorizationException => None }
    }.toMap
  }

  /**
   * Creates the topic and returns its id, which is zero for brokers without topic ids. None if the topic was created
   * concurrently.
   */
  def create(shape: TopicShape): Option[Uuid] =
    try {
      val topic = new NewTopic(shape.name, shape.partitions, shape.replicas.toShort).configs(shape.configs.asJava)
      val id = ask(shape.name)(_.createTopics(List(topic).asJava).topicId(shape.name))
      awaitNews(shape.name, isThere = true)
      Some(id)
    } catch { case _: TopicExistsException => None }

  /** Deletes the topic; does nothing if it does not exist. */
  def delete(topic: String): Unit =
    try {
      ask(topic)(_.deleteTopics(List(topic).asJava).all())
      awaitNews(topic, isThere = false)
    } catch { case _: UnknownTopicOrPartitionException => () }

  /**
   * Waits until a broker knows of a created or deleted topic: brokers learn it from the controller with a delay, in which
   * the next statement would not find the new topic, or would use the deleted one. Others of the cluster may know it a
   * moment later; clients repeat requests that such a broker refuses.
   */
  private def awaitNews(topic: String, isThere: Boolean): Unit = {
    val until = System.nanoTime + TopicAdmin.newsNanos
    while (ask()(_.listTopics().names()).contains(topic) != isThere && System.nanoTime < until) Thread.sleep(20)
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
        ask(topic)(_.deleteTopics(TopicCollection.ofTopicIds(List(id).asJava)).all())
        awaitNews(topic, isThere = false)
      }
      deletes
    } catch { case _: UnknownTopicIdException => false }

  /**
   * Size of the topic's records on the brokers' disks in bytes, for one replica of each partition.
   *
   * @return None if unknown, for example without the DESCRIBE permission on the cluster
   */
  def bytes(topic: String): Option[Long] = bytesOf(topic).map(_.values.sum)

  /** As [[bytes]], for each partition. */
  def bytesOf(topic: String): Option[Map[Int, Long]] =
    try Admins.use(client) { admin =>
        val brokers = answer(admin.describeCluster().nodes()).asScala.map(node => Integer.valueOf(node.id))
        val found = answer(admin.describeLogDirs(brokers.asJavaCollection).allDescriptions())
        val replicas = found.values.asScala.flatMap(_.values.asScala).flatMap(_.replicaInfos.asScala)
          .filter { case (partition, replica) => partition.topic == topic && !replica.isFuture }
        Some(replicas.groupMapReduce(_._1.partition)(_._2.size)(math.max(_, _)))
      }
    catch { case _: KafkaException => None }

  /** The answer to one request, see [[using]]. */
  private def ask[T](topic: String = "")(request: Admin => KafkaFuture[T]): T = using(topic)(a => answer(request(a)))

  private def answer[T](future: KafkaFuture[T]): T = Admins.answer(future, limitMs.toLong)

  /** Runs requests about a topic; maps errors to conditions, except those that answer whether the topic exists. */
  private def using[T](topic: String)(requests: Admin => T): T =
    try Admins.use(client)(requests)
    catch {
      case known @ (_: UnknownTopicOrPartitionException | _: UnknownTopicIdException | _: TopicExistsException) =>
        throw known
      case other: KafkaException => throw named(other, topic)
    }

  /**
   * Maps an error of Kafka's clients to BROKER_UNREACHABLE, BROKER_UNKNOWN_HOST, a condition of
   * [[ClientErrors.refused]], CLIENT_SETTINGS, or KAFKA_ERROR.
   */
  def named(cause: Throwable, topic: String): KafkalystException = cause match {
    case timeout: TimeoutException => unreachable(timeout)
    case unresolved if ClientErrors.isUnknownHost(unresolved) =>
      KafkalystException.caused(unresolved, "BROKER_UNKNOWN_HOST", "brokers" -> address)
    case other => refused(other, topic)
  }

  private def refused(cause: Throwable, topic: String) = {
    val (condition, parameters) = ClientErrors.refused(cause, properties, topic)
      .orElse(ClientErrors.ofSettings(cause, properties, ClientNames.ofOthers(properties.keys)))
      .getOrElse("KAFKA_ERROR" -> Seq("brokers" -> address, "reason" -> ClientErrors.reason(cause, properties)))
    KafkalystException.caused(Redaction.cause(cause, properties), condition, parameters: _*)
  }

  private def unreachable(cause: Throwable) =
    KafkalystException.caused(cause, "BROKER_UNREACHABLE", "brokers" -> address, "timeout" -> s"${limitMs / 1000} s")
}

object TopicAdmin {
  private val limitMs = 8000
  private val limits = Map(
    AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG -> limitMs.toString,
    AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG -> (limitMs / 2).toString
  )
  // Maximum delay until brokers learn of a topic change from the controller.
  private val newsNanos = 10000000000L
  // A broker that restarts may have no address until it is ready.
  private val passing = Set("BROKER_UNREACHABLE", "BROKER_UNKNOWN_HOST").map(Conditions(_).name)
  private val pauseMs = 500L

  /** The topics of the brokers with these client properties. */
  def apply(properties: Map[String, String]): TopicAdmin = new TopicAdmin(properties)

  /**
   * Retries `ask` until a broker answers or `patience` is over, so that a running query survives the restart of a
   * broker.
   */
  def retryUntil[T](patience: Duration)(ask: => T): T = {
    val end = System.nanoTime() + patience.toNanos
    @tailrec
    def again(): T = Try(ask) match {
      case Failure(e: KafkalystException) if passing(e.getCondition) && System.nanoTime() < end =>
        Thread.sleep(pauseMs)
        again()
      case answer => answer.get
    }
    again()
  }
}
