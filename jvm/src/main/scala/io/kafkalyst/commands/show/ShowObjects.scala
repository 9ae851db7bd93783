package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.define.{ObjectDefinition, SideSubjects}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{ObjectKind, OnError, Side, TopicObject}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * SHOW STREAMS, LIST TABLES: the objects of the current database or of another one. EXTENDED adds each object's
 * subjects and where its bad records go; it does not use the brokers, and the registry only for record names.
 */
final case class ShowObjects(kind: ObjectKind, extended: Boolean, listed: Listed) extends LeafRunnableCommand {
  private val more = Seq("key_subject", "value_subject", "on_error", "dead_letters").map(_ -> StringType)

  override val output: Seq[Attribute] = Commands.output(
    Seq("name", "topic", "key_format", "value_format").map(_ -> StringType) ++ (if (extended) more else Nil): _*
  )

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    listed(store.list(listed.in).filter(_.topic.kind == kind))(_.name.table).map { found =>
      val topic = found.topic
      val plain = Row(found.name.table, topic.topic, topic.key.format, topic.value.format)
      if (!extended) plain
      else {
        val settings = store.settings(found.name)
        val deadLetters = Option.when(topic.onError == OnError.DeadLetter)(topic.deadLetters)
        Row.merge(
          plain,
          Row(subjects(settings, topic, Side.Key), subjects(settings, topic, Side.Value)),
          Row(topic.onError.name, deadLetters.orNull)
        )
      }
    }
  }

  /** NULL for a side without a schema, or if the registry is needed and does not answer. */
  private def subjects(settings: Settings, topic: TopicObject, side: Side): String =
    try SideSubjects.of(topic, side, () => ObjectDefinition.registry(settings)).map(_._1) match {
        case Seq() => null
        case names => names.mkString("; ")
      }
    catch { case _: KafkalystException => null }
}
