package io.kafkalyst.catalog

import java.time.Duration
import java.util.concurrent.{ConcurrentHashMap, ExecutionException, TimeUnit}

import io.kafkalyst.errors.{ClientErrors, Conditions, KafkalystException, Redaction}
import org.apache.kafka.clients.admin.{Admin, AdminClientConfig, NewTopic, OffsetSpec}
import org.apache.kafka.common.{KafkaFuture, TopicPartition}
import org.apache.kafka.common.errors.{TopicExistsException, UnknownTopicOrPartitionException}

import scala.jdk.CollectionConverters._

/** What a topic is made of. */
final case class TopicShape(name: String, partitions: Int, replicas: Int)

/**
 * Looks up, creates and deletes topics. Every call ends within ten seconds.
 *
 * Errors: BROKER_UNREACHABLE with the address, TOPIC_NOT_FOUND with near names, KAFKA_ERROR for the rest.
 */
final class TopicAdmin private (private val admin: Admin, address: String) {
  import TopicAdmin._

  def find(topic: String): Option[TopicShape] =
    try {
      val found = await(admin.describeTopics(List(topic).asJava).topicNameValues().get(topic))
      Some(TopicShape(topic, found.partitions.size, found.partitions.asScala.headOption.fold(0)(_.replicas.size)))
    } catch { case _: UnknownTopicOrPartitionException => None }

  def require(topic: String): TopicShape = find(topic).getOrElse {
    throw KafkalystException(
      "TOPIC_NOT_FOUND",
      "topic" -> topic,
      "brokers" -> address,
      "nearest" -> Conditions.nearest(topic, list().map(_.name))
    )
  }

  def list(): Seq[TopicShape] = {
    val names = await(admin.listTopics().names())
    val all = admin.describeTopics(names).allTopicNames()
    await(all).asScala.values.toSeq.sortBy(_.name).map { d =>
      TopicShape(d.name, d.partitions.size, d.partitions.asScala.headOption.fold(0)(_.replicas.size))
    }
  }

  /** Earliest and next offset of each partition. */
  def offsets(topic: String): Map[Int, (Long, Long)] = {
    val partitions = (0 until require(topic).partitions).map(new TopicPartition(topic, _))
    def at(spec: OffsetSpec) = await(admin.listOffsets(partitions.map(_ -> spec).toMap.asJava).all()).asScala
    val latest = at(OffsetSpec.latest())
    at(OffsetSpec.earliest()).map { case (p, first) => p.partition -> (first.offset, latest(p).offset) }.toMap
  }

  /** Creates the topic; true if it was created by this call, false if somebody else was faster. */
  def create(shape: TopicShape): Boolean =
    try {
      await(admin.createTopics(List(new NewTopic(shape.name, shape.partitions, shape.replicas.toShort)).asJava).all())
      true
    } catch { case _: TopicExistsException => false }

  /** Deletes the topic; nothing where it does not exist. */
  def delete(topic: String): Unit =
    try await(admin.deleteTopics(List(topic).asJava).all())
    catch { case _: UnknownTopicOrPartitionException => () }

  private def await[T](future: KafkaFuture[T]): T =
    try future.get(limitMs.toLong, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException =>
        e.getCause match {
          case known @ (_: UnknownTopicOrPartitionException | _: TopicExistsException) => throw known
          case timeout: org.apache.kafka.common.errors.TimeoutException => throw unreachable(timeout)
          case other =>
            throw KafkalystException.caused(
              other,
              "KAFKA_ERROR",
              "brokers" -> address,
              "reason" -> ClientErrors.reason(other, Map.empty)
            )
        }
      case timeout: java.util.concurrent.TimeoutException => throw unreachable(timeout)
    }

  private def unreachable(cause: Throwable) = {
    // A client that never got through keeps nothing worth keeping.
    TopicAdmin.forget(this)
    KafkalystException.caused(cause, "BROKER_UNREACHABLE", "brokers" -> address, "timeout" -> s"${limitMs / 1000} s")
  }
}

object TopicAdmin {
  private val limitMs = 8000
  private val clients = new ConcurrentHashMap[Map[String, String], TopicAdmin]()

  /** The driver's admin for these client properties, made on first use and then shared. */
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
      new TopicAdmin(admin, address)
    }
  )

  private def forget(client: TopicAdmin): Unit =
    clients.asScala.find(_._2 eq client).foreach { case (properties, _) =>
      clients.remove(properties)
      client.admin.close(Duration.ZERO)
    }
}
