package io.kafkalyst.write

import org.apache.kafka.common.TopicPartition

/**
 * Identifies the tasks of a write to Kafka across task attempts and runs.
 *
 * @param query      id of the streaming query, from its checkpoint, or of the batch statement
 * @param tasks      how many tasks write the batch
 * @param speculates whether Spark runs two attempts of one task at the same time
 * @param former     mark of the last batch that an earlier run of the query wrote; None without an earlier run
 * @param isFirst    whether the batch is the first of the query's run, which an earlier run may have begun
 * @param properties properties of the clients
 */
final case class ExactlyOnce(
    query: String,
    topic: String,
    tasks: Int,
    speculates: Boolean,
    former: Option[EpochMark],
    isFirst: Boolean,
    properties: Map[String, String]
) {

  /** The consumer group in which a task stores its marks. */
  def group(task: Int): String = ExactlyOnce.group(query, topic, task)

  /**
   * Transactional ids of a task's attempts; attempt n uses the id at n modulo their number. An attempt fences all
   * earlier users of its id as soon as it has a row. Speculative attempts use several ids; otherwise the next attempt
   * would fence a slow attempt again and again.
   */
  def ids(task: Int): Seq[String] = {
    val all = ExactlyOnce.everyId(query, topic, task)
    if (speculates) all else all.take(1)
  }

  /** The partition under which the group stores the mark. */
  def place: TopicPartition = ExactlyOnce.place(topic)

  // The properties contain secrets.
  override def toString: String = s"ExactlyOnce($query, $topic, $tasks tasks)"
}

object ExactlyOnce {
  // Spark's default number of attempts per task; two run at the same time.
  private val racing = 4

  private def prefix(query: String, topic: String): String = s"kafkalyst-$query-$topic-"

  private[write] def group(query: String, topic: String, task: Int): String = prefix(query, topic) + task

  /** The group whose offset is the greatest number of tasks that the query ever had. */
  private[write] def tasksGroup(query: String, topic: String): String = prefix(query, topic) + "tasks"

  /** All transactional ids that a task may have used, with or without speculation. */
  private[write] def everyId(query: String, topic: String, task: Int): Seq[String] = {
    val first = group(query, topic, task)
    first +: (1 until racing).map(n => s"$first.$n")
  }

  private[write] def place(topic: String): TopicPartition = new TopicPartition(topic, 0)
}
