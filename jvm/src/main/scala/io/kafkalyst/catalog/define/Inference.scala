package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Formats, Wrapping}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

/** ksqlDB's rules for columns inferred from the registry. */
private[catalog] object Inference {

  /**
   * The columns under the names that statements use. With `identifiers=upper`, names are upper-cased, including nested
   * fields, unless the schema was given by id. Names that differ only in case are unchanged.
   */
  def named(columns: Seq[TopicColumn], as: SideFormat, settings: Settings): Seq[TopicColumn] =
    if (!settings.foldsNames || as.options.contains(SideFormat.givenId)) typed(columns, settings)
    else {
      val names = folded(columns.map(_.name))
      typed(columns, settings).zip(names).map { case (c, name) => c.copy(name = name, dataType = folded(c.dataType)) }
    }

  /**
   * The format for reading columns from a schema: in ksqlDB's dialect, schemas are read as Kafka Connect reads them.
   */
  def asked(as: SideFormat, settings: Settings): SideFormat =
    if (!settings.isKsqldb) as else as.copy(options = as.options + (SideFormat.likeConnect -> "true"))

  /** The columns with the dialect's types: ksqlDB has no FLOAT, SMALLINT and TINYINT. */
  def typed(columns: Seq[TopicColumn], settings: Settings): Seq[TopicColumn] =
    if (!settings.isKsqldb) columns else columns.map(c => c.copy(dataType = ksqldbs(c.dataType)))

  private def ksqldbs(t: DataType): DataType = t match {
    case FloatType => DoubleType
    case ByteType | ShortType => IntegerType
    case s: StructType => StructType(s.fields.map(f => f.copy(dataType = ksqldbs(f.dataType))))
    case a: ArrayType => a.copy(elementType = ksqldbs(a.elementType))
    case m: MapType => m.copy(keyType = ksqldbs(m.keyType), valueType = ksqldbs(m.valueType))
    case other => other
  }

  private def folded(names: Seq[String]): Seq[String] = {
    val upper = names.map(_.toUpperCase(Locale.ROOT))
    names.zip(upper).map { case (name, folded) => if (upper.count(_ == folded) == 1) folded else name }
  }

  private def folded(t: DataType): DataType = t match {
    case s: StructType =>
      val names = folded(s.fieldNames.toSeq)
      StructType(s.fields.toSeq.zip(names).map { case (f, name) => f.copy(name = name, dataType = folded(f.dataType)) })
    case a: ArrayType => a.copy(elementType = folded(a.elementType))
    case m: MapType => m.copy(valueType = folded(m.valueType))
    case other => other
  }

  /**
   * Rejects schemas that need an explicit option: an unwrapped value without WRAP_SINGLE_VALUE=false, and a key with
   * several fields in a format that makes each field a column.
   *
   * @throws io.kafkalyst.errors.KafkalystException BARE_VALUE_SCHEMA, SEVERAL_KEY_FIELDS
   */
  def check(
      side: Side,
      found: Seq[TopicColumn],
      as: SideFormat,
      properties: Map[String, String],
      schema: => Option[RegisteredSchema]
  ): Unit = {
    val (format, unwrapped) = (Formats(as.format), as.options + (SideFormat.wrapSingle -> "false"))
    val (wrap, shape) = Properties.wrappingOf(side)
    // A record may have a single field of that name, but read as unwrapped it gives another column.
    def isBare = schema.exists(format.columnsOf(_, side, as.copy(options = unwrapped)) == found)
    (side, found) match {
      case (Side.Value, Seq(TopicColumn("ROWVAL", bare, _, _)))
          if as.options != unwrapped && format.wrapping == Wrapping.Either && isBare =>
        throw KafkalystException("BARE_VALUE_SCHEMA", "type" -> bare.sql, "property" -> wrap.name)
      case (Side.Key, several)
          if several.size > 1 && format.wrapping == Wrapping.Always && !properties.contains(shape.name) =>
        throw KafkalystException(
          "SEVERAL_KEY_FIELDS",
          "format" -> as.format,
          "fields" -> several.map(_.name).mkString(", "),
          "property" -> Properties.keyColumns.name
        )
      case _ =>
    }
  }
}
