package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.{ObjectStore, TopicConfigs}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

/**
 * SHOW TOPICS [EXTENDED]: the topics of the current catalog's cluster, of the session's cluster, or of another
 * catalog's; EXTENDED adds cleanup policy, retention, and the number of offsets.
 *
 * @param internal whether Kafka's own topics are shown, too: SHOW ALL TOPICS
 */
final case class ShowTopics(extended: Boolean, listed: Listed, internal: Boolean = false) extends LeafRunnableCommand {
  private val more = Seq("cleanup_policy" -> StringType, "retention_ms" -> LongType, "offsets" -> LongType)

  override val output: Seq[Attribute] = Commands.output(
    Seq("topic" -> StringType, "partitions" -> IntegerType, "replicas" -> IntegerType) ++
      (if (extended) more else Nil): _*
  )

  override def run(session: SparkSession): Seq[Row] = {
    val (settings, prefix) = new ObjectStore(session).topicsOf(listed.in)
    val admin = Commands.admin(settings)
    listed(admin.list(internal).filter(_.name.startsWith(prefix)))(_.name).map { topic =>
      val plain = Row(topic.name, topic.partitions, topic.replicas)
      if (!extended) plain
      else {
        val retention = admin.config(topic.name, TopicConfigs.retention).map(_.toLong)
        val offsets = admin.offsets(topic.name).values.map { case (first, next) => next - first }.sum
        Row.merge(
          plain,
          Row(admin.config(topic.name, TopicConfigs.cleanup).orNull, retention.map(Long.box).orNull, offsets)
        )
      }
    }
  }
}
