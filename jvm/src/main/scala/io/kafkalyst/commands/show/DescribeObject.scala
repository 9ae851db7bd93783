package io.kafkalyst.commands
package show

import java.util.Locale

import io.kafkalyst.catalog.cluster.TopicInference
import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.catalog.define.{ObjectDefinition, SideSubjects}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{ObjectKind, OnError, Properties, Side, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.query.{ContinuousQueries, QueryView}
import io.kafkalyst.streams.DerivedColumns
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** DESCRIBE [EXTENDED] of a Kafkalyst object, in the columns of Spark's own DESCRIBE. */
final case class DescribeObject(parts: Seq[String], extended: Boolean) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output("col_name" -> StringType, "data_type" -> StringType, "comment" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val found = Commands.find(store, parts)
    val columns = found.topic.columns.map { c =>
      val key = if (found.topic.kind == ObjectKind.Table) "PRIMARY KEY" else "KEY"
      val role = c.metadata.map(m => s"METADATA FROM '${m.key}'" + (if (m.virtual) " VIRTUAL" else ""))
        .getOrElse(if (c.side == Side.Key) key else "")
      val comment = found.topic.written(c).map(_.comment).getOrElse("")
      Row(c.name, c.dataType.sql, Seq(role, comment).filter(_.nonEmpty).mkString(" "))
    }
    val all = derived(session, found.topic, columns)
    val whole = all ++ (if (found.name.isOfCluster) ShownBytes.of(found) else Nil)
    if (extended) whole ++ details(session, store.settings(found.name), found) else whole
  }

  /** Inserts the computed columns at their positions, and the watermark at its column. */
  private def derived(session: SparkSession, o: TopicObject, declared: Seq[Row]): Seq[Row] = {
    val computed = DerivedColumns.computed(session, o, DataTypeUtils.toAttributes(InternalSchema.of(o.columns)))
    val rows = computed.zip(o.computed).foldLeft(declared) { case (columns, ((place, alias), c)) =>
      columns.patch(place, Seq(Row(c.name, alias.dataType.sql, s"AS ${c.written} ${o.comment(c)}".trim)), 0)
    }
    rows.map { row =>
      o.watermark.filter(_.column == row.getString(0)).fold(row) { w =>
        Row(row(0), row(1), Seq(row.getString(2), s"WATERMARK AS ${w.sql}").filter(_.nonEmpty).mkString(" "))
      }
    }
  }

  private def details(session: SparkSession, settings: Settings, found: StoredObject): Seq[Row] = {
    val topic = found.topic
    val shapes = topic.topics.map(t => t -> Commands.admin(settings).find(t))
    def each(of: io.kafkalyst.clients.TopicShape => Int, none: String) =
      shapes.map { case (_, shape) => shape.fold(none)(of(_).toString) }.mkString("; ")
    val formats = Side.all.flatMap { side =>
      val format = topic.format(side)
      Seq(s"${side.name} format" -> format.format) ++ format.schemaId.map(id =>
        s"${side.name} schema id" -> id.toString
      ) ++ subject(settings, topic, side).map(s"${side.name} subject" -> _)
    }
    val deadLetters = if (topic.onError == OnError.DeadLetter) Seq("dead letters" -> topic.deadLetters) else Nil
    val queries = ContinuousQueries.of(session, found.name).map { q =>
      (if (q.sink.is(found.name)) "written by" else "read by") -> QueryView.summary(q)
    }
    val internal = InternalSchema.mapping(topic.columns).map { case (external, name) => s"$external in plans" -> name }
    val lines = Seq(
      "name" -> found.name.toString,
      "comment" -> found.comment.getOrElse(""),
      "kind" -> topic.kind.name,
      "topic" -> topic.topic,
      "partitions" -> each(_.partitions, "the topic does not exist"),
      "replicas" -> each(_.replicas, "")
    ) ++ formats ++ Seq("on error" -> topic.onError.name) ++ deadLetters ++
      topic.options.toSeq.sorted.map { case (name, value) =>
        name.toLowerCase(Locale.ROOT) -> value
      } ++ queries ++ internal
    Row("", "", "") +: Row("# Topic", "", "") +: lines.filter(_._2.nonEmpty).map { case (k, v) => Row(k, v, "") }
  }

  /** Subject and version of a side's schema; a note instead if the registry does not answer. */
  private def subject(settings: Settings, topic: TopicObject, side: Side): Option[String] =
    try SideSubjects.described(topic, side, () => ObjectDefinition.registry(settings))
    catch { case e: KafkalystException => Some(s"not known: ${e.getCondition}") }
}

/** DESCRIBE's rows for the sides of a topic of which only the bytes are known. */
private object ShownBytes {
  def of(found: StoredObject): Seq[Row] = TopicInference.unknownSides(found.topic) match {
    case Seq() => Nil
    case sides =>
      val names = sides.map(_.name).mkString(" and ")
      val column = if (sides.contains(Side.Value)) "v STRING" else "k STRING KEY"
      val declared = s"CREATE OR REPLACE ${found.topic.kind} ${found.name.shortSql} ($column, …) WITH (" +
        sides.map(s => s"${Properties.formatOf(s).name} = '…'").mkString(", ") + ")"
      Seq(
        Row("", "", ""),
        Row("# Bytes", "", ""),
        Row(names, "no schema in the registry", s"declare more by $declared")
      )
  }
}
