package io.kafkalyst.write

import java.time.Duration

import io.kafkalyst.clients.{Admins, Recent}
import io.kafkalyst.errors.KafkalystException
import org.apache.kafka.clients.admin.{
  Admin,
  AdminClientConfig,
  ListConsumerGroupOffsetsOptions,
  ListConsumerGroupOffsetsSpec
}
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.KafkaFuture
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors.{
  AuthorizationException,
  GroupIdNotFoundException,
  TransactionalIdNotFoundException
}

import scala.jdk.CollectionConverters._

/**
 * The stored marks of batches that were written exactly once. Every call ends within the timeout of Kafka's admin
 * client and throws its KafkaException.
 */
private[write] final class Marks private (properties: Map[String, String]) {

  /** The marks in these groups; groups without a mark are left out. */
  def of(groups: Seq[String], topic: String): Seq[EpochMark] = if (groups.isEmpty) Nil
  else {
    val place = ExactlyOnce.place(topic)
    val specs = groups.map(_ -> new ListConsumerGroupOffsetsSpec().topicPartitions(java.util.List.of(place))).toMap
    val stable = new ListConsumerGroupOffsetsOptions().requireStable(true)
    ask(_.listConsumerGroupOffsets(specs.asJava, stable).all())
      .values.asScala.toSeq.flatMap(found => EpochMark.of(found.get(place)))
  }

  /** The greatest number of tasks that the query's runs have had; 0 before its first run. */
  def tasks(query: String, topic: String): Int =
    of(Seq(ExactlyOnce.tasksGroup(query, topic)), topic).headOption.fold(0)(_.epoch.toInt)

  /** Announces the number of tasks to later runs, before the tasks exist. */
  def tell(query: String, topic: String, tasks: Int): Unit = {
    val offsets = Map(ExactlyOnce.place(topic) -> new OffsetAndMetadata(tasks.toLong))
    ask(_.alterConsumerGroupOffsets(ExactlyOnce.tasksGroup(query, topic), offsets.asJava).all())
    ()
  }

  /**
   * Ends what the tasks of earlier runs left: fences their producers and aborts their transactions. Returns the mark of
   * the last batch that they wrote; None if there is none.
   */
  def recover(query: String, topic: String, tasks: Int): Option[EpochMark] = {
    abandon((0 until tasks).flatMap(ExactlyOnce.everyId(query, topic, _)))
    of((0 until tasks).map(ExactlyOnce.group(query, topic, _)), topic).filter(_.isOurs).maxByOption(_.epoch)
  }

  /** Fences ids, as [[fence]] does, but only those that the broker knows: fencing an unknown id would create it. */
  def abandon(ids: Seq[String]): Unit = if (ids.nonEmpty) {
    fence(Admins.use(properties) { admin =>
      val found = admin.describeTransactions(ids.asJava)
      ids.filter { id =>
        try answer(found.description(id)) != null
        catch { case _: TransactionalIdNotFoundException => false }
      }
    })
  }

  /** Deletes a group whose mark is no longer needed, if it exists. */
  def forget(group: String): Unit =
    try {
      ask(_.deleteConsumerGroups(List(group).asJava).all())
      ()
    } catch { case _: GroupIdNotFoundException => () }

  /** How long the broker keeps marks after the last commit in a group; None if the login may not read the setting. */
  def retention(): Option[Duration] =
    try {
      val broker = ask(_.describeCluster().nodes()).asScala.head.idString
      val resource = new ConfigResource(ConfigResource.Type.BROKER, broker)
      val config = ask(_.describeConfigs(List(resource).asJava).all()).get(resource)
      Option(config.get("offsets.retention.minutes")).map(entry => Duration.ofMinutes(entry.value.toLong))
    } catch { case _: AuthorizationException => None }

  /** Fences the producers with these transactional ids and aborts their transactions. */
  def fence(ids: Seq[String]): Unit = if (ids.nonEmpty) {
    ask(_.fenceProducers(ids.asJava).all())
    ()
  }

  private def ask[T](request: Admin => KafkaFuture[T]): T = Admins.use(properties)(admin => answer(request(admin)))

  private def answer[T](future: KafkaFuture[T]): T = Admins.answer(future)
}

private[write] object Marks {
  private val limit = "30000"

  /** The marks that a producer with these properties writes. */
  def of(properties: Map[String, String]): Marks =
    new Marks(Map(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG -> limit) ++ properties)

  private val shortest = Duration.ofDays(1)
  private val toldEvery = Duration.ofHours(1).toNanos

  /**
   * A run of a query.
   *
   * @param tasks the number of tasks stored at the broker
   * @param told  when this run stored the number, as System.nanoTime(); None if an earlier run stored it
   */
  private final case class Run(id: String, former: Option[EpochMark], tasks: Int, told: Option[Long])

  /** What is known of a query's last run; its lock is held while brokers are asked. */
  private final class LastRun { var run: Option[Run] = None }

  // A query whose run is forgotten is begun again with its next batch, as after a restart.
  private val runs = new Recent[(String, String), LastRun](most = 1000)

  /**
   * To be called before the tasks of each batch. Once per run, ends what earlier runs left; stores the number of tasks
   * for later runs.
   *
   * @return the mark of the last batch that an earlier run wrote, None if there is none; and whether the batch is the
   *         run's first
   * @throws io.kafkalyst.errors.KafkalystException EXACTLY_ONCE_RETENTION
   */
  def begin(
      query: String,
      topic: String,
      run: String,
      tasks: Int,
      properties: Map[String, String]
  ): (Option[EpochMark], Boolean) = {
    val last = runs.getOrMake((query, topic))(new LastRun)
    last.synchronized {
      val marks = of(properties)
      val going = last.run.filter(_.id == run)
      val now = going.getOrElse(started(marks, query, topic, run))
      val most = math.max(tasks, now.tasks)
      // Stored again regularly, because the broker's offsets expire.
      val isTold = most == now.tasks && now.told.exists(System.nanoTime() - _ < toldEvery)
      if (!isTold) marks.tell(query, topic, most)
      last.run = Some(if (isTold) now else now.copy(tasks = most, told = Some(System.nanoTime())))
      (now.former, going.isEmpty)
    }
  }

  private def started(marks: Marks, query: String, topic: String, run: String): Run = {
    marks.retention().filter(_.compareTo(shortest) < 0).foreach { kept =>
      throw KafkalystException("EXACTLY_ONCE_RETENTION", "topic" -> topic, "minutes" -> kept.toMinutes.toString)
    }
    val tasks = marks.tasks(query, topic)
    Run(run, marks.recover(query, topic, tasks), tasks, None)
  }
}
