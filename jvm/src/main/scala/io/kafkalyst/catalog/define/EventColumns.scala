package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.formats.Formats
import io.kafkalyst.formats.events.EventKey
import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import io.kafkalyst.model._
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.types.{LongType, NumericType, TimestampType}

/** Rules for objects whose values are database change events. */
private[catalog] object EventColumns {

  /**
   * Adds the defaults for a value that is an event: the key's columns come from the event's row, and the record's own
   * key is ignored.
   */
  def withDefaults(properties: Map[String, String]): Map[String, String] =
    if (!areEvents(properties) || SideFormats.asked(Side.Key, properties).isDefined) properties
    else Map(FlinkProperties.valueFieldsInclude.name -> "ALL") ++ properties +
      (Properties.keyFormat.name -> SideFormat.none)

  /** Whether all columns of a side are read from the other side's bytes. */
  def elsewhere(side: Side, as: SideFormat, properties: Map[String, String]): Boolean =
    side == Side.Key && as.format == SideFormat.none && areEvents(properties)

  private def areEvents(properties: Map[String, String]) =
    SideFormats.asked(Side.Value, properties).exists(Formats.events(_).isDefined)

  /** The format with the row semantics of an object of that kind. */
  def shaped(kind: ObjectKind, as: SideFormat): SideFormat =
    if (Formats.events(as.format).isEmpty) as
    else {
      val rows = if (kind == ObjectKind.Table) SideFormat.upserts else SideFormat.changes
      as.copy(options = as.options + (SideFormat.events -> rows))
    }

  /** Whether the value's format can report fields that have no column. */
  def tellsNewFields(value: SideFormat): Boolean =
    !value.isEvent && !ValueTypes.has(value) && Formats(value.format).tellsNewFields

  /**
   * The columns, with one for the fields that have no column if SCHEMA.EVOLUTION is `rescue`.
   *
   * @throws io.kafkalyst.errors.KafkalystException RESCUED_COLUMN_EXISTS if its name is taken
   */
  def withRescued(columns: Seq[TopicColumn], properties: Map[String, String]): Seq[TopicColumn] =
    if (!Properties.isRescuing(properties) || columns.exists(PseudoColumns.isRescued)) columns
    else {
      columns.find(_.name.equalsIgnoreCase(PseudoColumns.rescued.name)).foreach { taken =>
        throw KafkalystException(
          "RESCUED_COLUMN_EXISTS",
          "column" -> taken.name,
          "key" -> MetadataColumn.rescued
        )
      }
      columns :+ PseudoColumns.rescued
    }

  /**
   * The columns with event keys renamed to the value format's names: `value.canal-json.table` becomes `value.table`.
   *
   * @param value the value's format; if it can report fields without a column, `rescued` is a valid key, too
   * @throws io.kafkalyst.errors.KafkalystException EVENT_KEY_UNKNOWN, EVENT_KEY_TYPE
   */
  def checked(columns: Seq[TopicColumn], value: SideFormat): Seq[TopicColumn] = columns.map { column =>
    column.metadata.filter(_.key.startsWith(MetadataColumn.eventPrefix)).fold(column) { metadata =>
      val rescued = if (tellsNewFields(value)) Seq(EventKey.rescued) else Nil
      val known = Formats.events(value.format).toSeq.flatMap(_.keys) ++ rescued
      val longer = MetadataColumn.eventPrefix + value.format.toLowerCase(Locale.ROOT).replace('_', '-') + "."
      val name = metadata.key.stripPrefix(longer).stripPrefix(MetadataColumn.eventPrefix)
      val key = known.find(_.name == name).getOrElse {
        val all = known.map(k => s"${MetadataColumn.eventPrefix}${k.name} ${k.dataType.sql}") ++
          MetadataKeys.all.map(k => s"${k.name} ${k.forms.head.dataType.sql}")
        throw KafkalystException(
          "EVENT_KEY_UNKNOWN",
          "format" -> value.format,
          "column" -> column.name,
          "key" -> metadata.key,
          "nearest" -> Conditions.nearest(metadata.key, known.map(MetadataColumn.eventPrefix + _.name)),
          "known" -> Conditions.listed(all)
        )
      }
      // TIMESTAMP keys may be declared BIGINT (epoch ms) only, as for a record's metadata.
      val isNumber = key.dataType == TimestampType && column.dataType.isInstanceOf[NumericType]
      val fits =
        if (key == EventKey.rescued) column.dataType == key.dataType
        else if (isNumber) column.dataType == LongType
        else Cast.canAnsiCast(key.dataType, column.dataType)
      if (!fits) throw KafkalystException(
        "EVENT_KEY_TYPE",
        "column" -> column.name,
        "key" -> metadata.key,
        "type" -> column.dataType.sql,
        "expected" -> key.dataType.sql
      )
      column.copy(metadata = Some(metadata.copy(key = MetadataColumn.eventPrefix + name)))
    }
  }
}
