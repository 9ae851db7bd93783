package io.kafkalyst.metadata

import io.kafkalyst.model.{ErrorColumn, MetadataColumn, OnError, Side, TopicColumn, TopicObject}
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructField}

/** ksqlDB's pseudo columns, which every object has but neither `*` nor DESCRIBE shows. */
object PseudoColumns {
  private def column(name: String, of: MetadataKey) =
    TopicColumn(name, LongType, Side.Value, Some(MetadataColumn(of.name, virtual = true)))

  /** Milliseconds since 1970: the record's timestamp, or the column that the property TIMESTAMP names. */
  val rowTime: TopicColumn = column("ROWTIME", MetadataKeys.timestamp)
  val rowPartition: TopicColumn = column("ROWPARTITION", MetadataKeys.partition).copy(dataType = IntegerType)
  val rowOffset: TopicColumn = column("ROWOFFSET", MetadataKeys.offset)

  val all: Seq[TopicColumn] = Seq(rowTime, rowPartition, rowOffset)

  /**
   * Whether the record has no value, which in a table deletes its key. A row written with `true` becomes such a record.
   */
  val tombstone: TopicColumn = column("_tombstone", MetadataKeys.tombstone).copy(dataType = BooleanType)

  /** All headers of the record; a query without groups copies them to the records that it writes. */
  val headers: TopicColumn =
    TopicColumn(
      "_headers",
      Headers.arrayType,
      Side.Value,
      Some(MetadataColumn(MetadataKeys.headers.name, virtual = true))
    )

  /** For changes from events: the kind of the change, and its position within its event. */
  val op: TopicColumn =
    TopicColumn("_op", StringType, Side.Value, Some(MetadataColumn(MetadataColumn.eventPrefix + "op", virtual = true)))
  val change: TopicColumn =
    TopicColumn(
      "_change",
      IntegerType,
      Side.Value,
      Some(MetadataColumn(MetadataColumn.eventPrefix + "change", virtual = true))
    )

  /** JSON text of the value's fields that no other column takes, null if there are none; a declared column. */
  val rescued: TopicColumn =
    TopicColumn("_rescued", StringType, Side.Value, Some(MetadataColumn(MetadataColumn.rescued, virtual = true)))

  def isRescued(column: TopicColumn): Boolean = column.metadata.exists(_.key == MetadataColumn.rescued)

  private val own = all :+ tombstone

  /** The bounds of windows. */
  val bounds: Seq[String] = Seq("WINDOWSTART", "WINDOWEND")

  private val times = rowTime.name +: bounds

  /** Whether the name is that of a time, which is BIGINT milliseconds. */
  def isTime(name: String): Boolean = times.exists(_.equalsIgnoreCase(name))

  /** Names that declared columns must not have. */
  val reserved: Seq[String] = own.map(_.name) ++ bounds

  /** The event key that a column reads; None for columns that the record itself provides. */
  def eventKey(topic: TopicObject, column: TopicColumn): Option[String] =
    column.metadata.map(_.key).filter(_ => topic.value.isEvent).collect {
      case key if key.startsWith(MetadataColumn.eventPrefix) => key.stripPrefix(MetadataColumn.eventPrefix)
      case key if key == MetadataKeys.tombstone.name => key
    }

  /** Whether the column is part of the row's key. */
  def isKey(column: TopicColumn): Boolean = column.isIn(Side.Key) || WindowedKey.isBound(column)

  /**
   * Whether a column has a reserved name without being that pseudo column, as `ROWTIME … METADATA FROM 'timestamp'` is.
   */
  def isReserved(column: TopicColumn): Boolean = reserved.exists(_.equalsIgnoreCase(column.name)) &&
    !own.exists(c => c.name.equalsIgnoreCase(column.name) && c.metadata.map(_.key) == column.metadata.map(_.key))

  /** Whether a key column has the name of a pseudo column, as after PARTITION BY ROWOFFSET. */
  def isKeyOf(column: TopicColumn): Boolean =
    column.isIn(Side.Key) && column.metadata.isEmpty && all.exists(_.name.equalsIgnoreCase(column.name))

  /**
   * The columns that can be selected by name but are not in `*`, always in the same order: the pseudo columns, whether
   * the record has a value, the headers, and under ON_ERROR=null the error column. A declared column of the same name
   * takes precedence.
   */
  def hidden(topic: TopicObject): Seq[StructField] = {
    val error = if (topic.onError == OnError.Null) Seq(ErrorColumn.field) else Nil
    val changes = if (topic.value.isEvent) Seq(op, change) else Nil
    val columns = (own ++ changes).map(_.field) ++ (headers.field +: error)
    columns.filterNot(f => topic.columns.exists(_.name.equalsIgnoreCase(f.name)))
  }
}
