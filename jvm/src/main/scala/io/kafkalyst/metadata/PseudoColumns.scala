package io.kafkalyst.metadata

import io.kafkalyst.model.{ErrorColumn, MetadataColumn, OnError, Side, TopicColumn, TopicObject}
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructField}

/** ksqlDB's columns that every object has, though neither `*` nor DESCRIBE shows them. */
object PseudoColumns {
  private def column(name: String, of: MetadataKey) =
    TopicColumn(name, LongType, Side.Value, Some(MetadataColumn(of.name, virtual = true)))

  /** Milliseconds since 1970: the record's timestamp, or the column that the property TIMESTAMP names. */
  val rowTime: TopicColumn = column("ROWTIME", MetadataKeys.timestamp)
  val rowPartition: TopicColumn = column("ROWPARTITION", MetadataKeys.partition).copy(dataType = IntegerType)
  val rowOffset: TopicColumn = column("ROWOFFSET", MetadataKeys.offset)

  val all: Seq[TopicColumn] = Seq(rowTime, rowPartition, rowOffset)

  /** Whether the record has no value, which in a table deletes its key. Rows that are written with it have none. */
  val tombstone: TopicColumn = column("_tombstone", MetadataKeys.tombstone).copy(dataType = BooleanType)

  /** All headers of the record: what a query without state passes on to the records that it writes. */
  val headers: TopicColumn =
    TopicColumn(
      "_headers",
      Headers.arrayType,
      Side.Value,
      Some(MetadataColumn(MetadataKeys.headers.name, virtual = true))
    )

  /** Of changes that events make: what the change does, and its place among those of its event. */
  val op: TopicColumn =
    TopicColumn("_op", StringType, Side.Value, Some(MetadataColumn(MetadataColumn.eventPrefix + "op", virtual = true)))
  val change: TopicColumn =
    TopicColumn(
      "_change",
      IntegerType,
      Side.Value,
      Some(MetadataColumn(MetadataColumn.eventPrefix + "change", virtual = true))
    )

  private val own = all :+ tombstone

  /** Of windows. */
  val bounds: Seq[String] = Seq("WINDOWSTART", "WINDOWEND")

  /** Names that no column may be declared with. */
  val reserved: Seq[String] = own.map(_.name) ++ bounds

  /** What a column tells of the event that is the record's value; None for all that the record itself tells. */
  def eventKey(topic: TopicObject, column: TopicColumn): Option[String] =
    column.metadata.map(_.key).filter(_ => topic.value.isEvent).collect {
      case key if key.startsWith(MetadataColumn.eventPrefix) => key.stripPrefix(MetadataColumn.eventPrefix)
      case key if key == MetadataKeys.tombstone.name => key
    }

  /** Whether rows that differ in the column have different keys. */
  def isKey(column: TopicColumn): Boolean = column.isIn(Side.Key) || WindowedKey.isBound(column)

  /** Whether a column has a reserved name and is not that very thing, as `ROWTIME … METADATA FROM 'timestamp'` is. */
  def isReserved(column: TopicColumn): Boolean = reserved.exists(_.equalsIgnoreCase(column.name)) &&
    !own.exists(c => c.name.equalsIgnoreCase(column.name) && c.metadata.map(_.key) == column.metadata.map(_.key))

  /** Whether a key has the name of a pseudo column, as PARTITION BY ROWOFFSET makes it. */
  def isKeyOf(column: TopicColumn): Boolean =
    column.isIn(Side.Key) && column.metadata.isEmpty && all.exists(_.name.equalsIgnoreCase(column.name))

  /**
   * The columns that can be selected by name but are not in `*`, always in the same order: these, whether the record
   * has a value, the headers, and under ON_ERROR=null the error column. A declared column of the same name stands
   * before one.
   */
  def hidden(topic: TopicObject): Seq[StructField] = {
    val error = if (topic.onError == OnError.Null) Seq(ErrorColumn.field) else Nil
    val changes = if (topic.value.isEvent) Seq(op, change) else Nil
    val columns = (own ++ changes).map(_.field) ++ (headers.field +: error)
    columns.filterNot(f => topic.columns.exists(_.name.equalsIgnoreCase(f.name)))
  }
}
