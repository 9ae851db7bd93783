package io.kafkalyst.metadata

import io.kafkalyst.model.{MetadataColumn, Side, TopicColumn}
import org.apache.spark.sql.types.{IntegerType, LongType}

/** ksqlDB's columns that every object has, though neither `*` nor DESCRIBE shows them. */
object PseudoColumns {
  private def column(name: String, of: MetadataKey) =
    TopicColumn(name, LongType, Side.Value, Some(MetadataColumn(of.name, virtual = true)))

  /** Milliseconds since 1970: the record's timestamp, or the column that the property TIMESTAMP names. */
  val rowTime: TopicColumn = column("ROWTIME", MetadataKeys.timestamp)
  val rowPartition: TopicColumn = column("ROWPARTITION", MetadataKeys.partition).copy(dataType = IntegerType)
  val rowOffset: TopicColumn = column("ROWOFFSET", MetadataKeys.offset)

  val all: Seq[TopicColumn] = Seq(rowTime, rowPartition, rowOffset)

  /** Names that no column may be declared with. */
  def isReserved(name: String): Boolean = all.exists(_.name.equalsIgnoreCase(name))
}
