package io.kafkalyst.metadata

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.{MetadataColumn, TopicColumn}
import org.apache.spark.sql.types._

/**
 * Validates declared metadata columns, in Flink's syntax (METADATA) and in ksqlDB's (HEADERS, HEADER). Each check takes
 * the column's position in the statement, for messages.
 */
object MetadataColumns {
  type Position = Seq[(String, String)]

  /**
   * `name TYPE METADATA [FROM 'key'] [VIRTUAL]`
   *
   * @throws io.kafkalyst.errors.KafkalystException METADATA_EMPTY_KEY, METADATA_UNKNOWN_KEY with the known ones,
   * METADATA_COLUMN_TYPE if the key's type cannot be cast to the column's
   */
  def metadata(
      name: String,
      dataType: DataType,
      from: Option[String],
      virtual: Boolean,
      at: Position
  ): MetadataColumn = {
    val key = from.getOrElse(name)
    if (key.isEmpty || key == MetadataKeys.headerPrefix) {
      throw KafkalystException("METADATA_EMPTY_KEY", at :+ ("column" -> name): _*)
    }
    if (key.startsWith(MetadataColumn.eventPrefix)) return MetadataColumn(key, virtual)
    val known = MetadataKeys.of(key).getOrElse {
      throw KafkalystException(
        "METADATA_UNKNOWN_KEY",
        at ++ Seq(
          "column" -> name,
          "key" -> key,
          "nearest" -> Conditions.nearest(key, MetadataKeys.all.map(_.name)),
          "known" -> MetadataKeys.all.map(k => s"${k.name} ${k.forms.head.dataType.sql}").mkString(", ")
        ): _*
      )
    }
    if (known.readAs(dataType).isEmpty) {
      throw KafkalystException(
        "METADATA_COLUMN_TYPE",
        at ++ Seq(
          "column" -> name,
          "key" -> key,
          "type" -> dataType.sql,
          "expected" -> known.forms.map(_.dataType.sql).mkString(" or ")
        ): _*
      )
    }
    MetadataColumn(key, virtual)
  }

  /** `name ARRAY<STRUCT<key STRING, value BYTES>> HEADERS`; HEADER_COLUMN_TYPE for another type. */
  def headers(name: String, dataType: DataType, at: Position): MetadataColumn = {
    val fits = dataType match {
      case ArrayType(s: StructType, _) =>
        s.fields.map(_.name.toLowerCase(Locale.ROOT)).sameElements(Array("key", "value")) &&
        s.fields.map(_.dataType).sameElements(Array[DataType](StringType, BinaryType))
      case _ => false
    }
    if (!fits) wrongType(name, "HEADERS", "ARRAY<STRUCT<key STRING, value BYTES>>", dataType, at)
    MetadataColumn(MetadataKeys.headers.name, virtual = true)
  }

  /** `name BYTES HEADER('k')`; HEADER_COLUMN_TYPE for another type, METADATA_EMPTY_KEY for an empty name. */
  def header(name: String, dataType: DataType, header: String, at: Position): MetadataColumn = {
    if (header.isEmpty) throw KafkalystException("METADATA_EMPTY_KEY", at :+ ("column" -> name): _*)
    if (dataType != BinaryType) wrongType(name, s"HEADER('$header')", "BYTES", dataType, at)
    MetadataColumn(MetadataKeys.headerPrefix + header, virtual = true)
  }

  /** Whether it is a column as HEADERS and HEADER declare it. */
  def isHeader(column: TopicColumn): Boolean = column.metadata.exists(m => m.virtual && MetadataKeys.areHeaders(m.key))

  private def wrongType(name: String, role: String, expected: String, found: DataType, at: Position): Nothing =
    throw KafkalystException(
      "HEADER_COLUMN_TYPE",
      at ++ Seq("column" -> name, "role" -> role, "expected" -> expected, "type" -> found.sql): _*
    )

  /**
   * Checks that involve several columns.
   *
   * @param columns in the order of the statement, each with its position
   * @throws io.kafkalyst.errors.KafkalystException METADATA_KEY_TWICE, HEADERS_NOT_LAST
   */
  def check(columns: Seq[(TopicColumn, Position)]): Unit = columns.zipWithIndex.foreach { case ((column, at), i) =>
    val before = columns.take(i).map(_._1)
    column.metadata.foreach { metadata =>
      before.find(_.metadata.exists(_.key == metadata.key)).foreach { first =>
        throw KafkalystException(
          "METADATA_KEY_TWICE",
          at ++ Seq("column" -> column.name, "first" -> first.name, "key" -> metadata.key): _*
        )
      }
      val isHeader = metadata.virtual && metadata.key.startsWith(MetadataKeys.headerPrefix)
      before.find(c =>
        c.metadata.contains(MetadataColumn(MetadataKeys.headers.name, virtual = true)) &&
          c.dataType.isInstanceOf[ArrayType] && isHeader
      ).foreach { all =>
        throw KafkalystException(
          "HEADERS_NOT_LAST",
          at ++ Seq("column" -> column.name, "first" -> all.name): _*
        )
      }
    }
  }
}
