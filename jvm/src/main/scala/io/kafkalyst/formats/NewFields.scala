package io.kafkalyst.formats

import java.util.Locale

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * A registry for SCHEMA.EVOLUTION=fail and add that rejects records' schemas with fields that neither the table's
 * columns nor its schema have. Not thread-safe.
 *
 * @param topic    for messages
 * @param isAdding whether such fields become columns once the statement is planned again
 */
final class NewFields(
    registry: RegistryClient,
    format: Format,
    side: Side,
    as: SideFormat,
    declared: Seq[TopicColumn],
    topic: String,
    isAdding: Boolean
) extends RegistryClient {
  // By schema id; None for a schema without new fields.
  private val checked = new java.util.HashMap[Int, Option[BadBytes]]
  private lazy val known =
    (declared.flatMap(NewFields.paths) ++ as.schemaId.flatMap(registry.byId).toSeq.flatMap(fields))
      .map(_.toLowerCase(Locale.ROOT)).toSet

  /** Errors: [[BadBytes]] naming the schema's new fields, or SCHEMA_EVOLVED if they become columns. */
  override def byId(id: Int): Option[RegisteredSchema] = registry.byId(id).map { schema =>
    if (!checked.containsKey(id)) checked.put(id, fault(id, schema))
    checked.get(id).foreach(bad => throw bad)
    schema
  }

  private def fault(id: Int, schema: RegisteredSchema): Option[BadBytes] = {
    val news = fields(schema).filterNot(path => known(path.toLowerCase(Locale.ROOT)))
    val shown = news.filterNot(f => news.exists(of => f.startsWith(s"$of.")))
    if (news.nonEmpty && isAdding) throw evolved(id, shown)
    Option.when(news.nonEmpty)(NewFields.bad(s"schema id $id has", shown))
  }

  /** A bare value has no fields. The decoder reports unusable schemas. */
  private def fields(schema: RegisteredSchema): Seq[String] =
    if (!FormatRules.wrapped(side, as, declared.size)) Nil
    else
      try format.columnsOf(schema, side, as).flatMap(NewFields.paths) ++
          (if (isAdding) Nil else format.leftOut(schema, side, as))
      catch { case _: KafkalystException => Nil }

  private def evolved(id: Int, fields: Seq[String]) = KafkalystTaskException(
    null,
    "SCHEMA_EVOLVED",
    "object" -> s"topic $topic",
    "columns" -> s"${fields.mkString(", ")} (schema id $id)"
  )

  override def latest(subject: String): Option[RegisteredSchema] = registry.latest(subject)
  override def register(subject: String, schema: String, schemaType: String): Int =
    registry.register(subject, schema, schemaType)
  override def delete(subject: String): Unit = registry.delete(subject)
}

private[formats] object NewFields {
  def bad(where: String, fields: Seq[String]): BadBytes = new BadBytes(
    s"$where the new fields ${fields.mkString(", ")}, and SCHEMA.EVOLUTION is 'fail'. ALTER … ADD COLUMN or " +
      "REFRESH SCHEMA makes columns of them"
  )

  private def paths(column: TopicColumn): Seq[String] = column.name +: within(column.name, column.dataType)

  private def within(path: String, t: DataType): Seq[String] = t match {
    case s: StructType => s.fields.toSeq.flatMap(f => s"$path.${f.name}" +: within(s"$path.${f.name}", f.dataType))
    case a: ArrayType => within(path, a.elementType)
    case m: MapType => within(path, m.valueType)
    case _ => Nil
  }
}
