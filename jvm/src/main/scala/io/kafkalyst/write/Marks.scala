package io.kafkalyst.write

import java.util.concurrent.{ConcurrentHashMap, ExecutionException}

import org.apache.kafka.clients.admin.{
  Admin,
  AdminClientConfig,
  ListConsumerGroupOffsetsOptions,
  ListConsumerGroupOffsetsSpec
}
import org.apache.kafka.common.{KafkaException, KafkaFuture}

import scala.jdk.CollectionConverters._

/**
 * The stored marks of batches that were written exactly once. Every call ends within the timeout of Kafka's admin
 * client and throws its KafkaException.
 */
private[write] final class Marks private (admin: Admin) {

  /** The marks in those groups; groups without one are left out. */
  def of(groups: Seq[String], topic: String): Seq[EpochMark] = if (groups.isEmpty) Nil
  else {
    val place = ExactlyOnce.place(topic)
    val specs = groups.map(_ -> new ListConsumerGroupOffsetsSpec().topicPartitions(java.util.List.of(place))).toMap
    val stable = new ListConsumerGroupOffsetsOptions().requireStable(true)
    await(admin.listConsumerGroupOffsets(specs.asJava, stable).all())
      .values.asScala.toSeq.flatMap(found => EpochMark.of(found.get(place)))
  }

  /**
   * Cleans up after earlier runs of a query: fences their producers and aborts their transactions, however many tasks
   * they had. Returns the mark of the last batch that they wrote; None if there is none.
   */
  def recover(query: String, topic: String): Option[EpochMark] = {
    val left = await(admin.listTransactions().all()).asScala.toSeq.map(_.transactionalId)
      .flatMap(id => ExactlyOnce.groupOf(id, query, topic).map(_ -> id))
    fence(left.map(_._2))
    of(left.map(_._1).distinct, topic).filter(_.isOurs).maxByOption(_.epoch)
  }

  /** Fences the producers with these transactional ids and aborts their transactions. */
  def fence(ids: Seq[String]): Unit = if (ids.nonEmpty) {
    await(admin.fenceProducers(ids.asJava).all())
    ()
  }

  private def await[T](future: KafkaFuture[T]): T =
    try future.get()
    catch {
      case e: ExecutionException =>
        throw (e.getCause match {
          case known: KafkaException => known
          case other => new KafkaException(other)
        })
    }
}

private[write] object Marks {
  private val clients = new ConcurrentHashMap[Map[String, String], Marks]()
  private val limit = "30000"

  /** The JVM's shared client for these properties, created on first use. */
  def of(properties: Map[String, String]): Marks = clients.computeIfAbsent(
    properties,
    given => {
      val all = given + (AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG -> limit)
      new Marks(Admin.create(all.asJava.asInstanceOf[java.util.Map[String, Object]]))
    }
  )

  private val runs = new ConcurrentHashMap[(String, String), (String, Option[EpochMark])]()

  /** [[Marks.recover]], once in each run of the query. */
  def recovered(query: String, topic: String, run: String, properties: Map[String, String]): Option[EpochMark] =
    runs.compute(
      (query, topic),
      (_, known) => if (known != null && known._1 == run) known else (run, of(properties).recover(query, topic))
    )._2
}
