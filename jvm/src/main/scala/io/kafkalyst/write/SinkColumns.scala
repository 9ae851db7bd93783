package io.kafkalyst.write

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.types.{DataType, StructField}

/** Which column of a query becomes which column of a sink: pure, so that batch and streaming writes agree. */
object SinkColumns {

  /** For each sink column the place of its query column, or None where it is to be null. */
  type Mapping = Seq[Option[Int]]

  /**
   * By name: exact, else without case. Sink columns that the query lacks become null.
   *
   * @throws io.kafkalyst.errors.KafkalystException INSERT_UNKNOWN_COLUMN, INSERT_DUPLICATE_COLUMN
   */
  def byName(sinkName: String, sink: Seq[TopicColumn], query: Seq[StructField]): Mapping = {
    val matched = query.map { field =>
      val at = sink.indexWhere(_.name == field.name)
      val place = if (at >= 0) at else sink.indexWhere(_.name.equalsIgnoreCase(field.name))
      if (place < 0) {
        throw KafkalystException(
          "INSERT_UNKNOWN_COLUMN",
          "object" -> sinkName,
          "column" -> field.name,
          "nearest" -> Conditions.nearest(field.name, sink.map(_.name)),
          "columns" -> sink.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")
        )
      }
      place
    }
    matched.diff(matched.distinct).headOption.foreach { twice =>
      throw KafkalystException("INSERT_DUPLICATE_COLUMN", "object" -> sinkName, "column" -> sink(twice).name)
    }
    sink.indices.map(i => Some(matched.indexOf(i)).filter(_ >= 0))
  }

  /** By position: as many columns as the sink has. */
  def byPosition(sinkName: String, sink: Seq[TopicColumn], query: Seq[StructField]): Mapping = {
    if (sink.size != query.size) {
      throw KafkalystException(
        "INSERT_COLUMN_COUNT",
        "object" -> sinkName,
        "expected" -> sink.size.toString,
        "found" -> query.size.toString,
        "columns" -> sink.map(c => s"${c.name} ${c.dataType.sql}").mkString(", "),
        "given" -> query.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
      )
    }
    sink.indices.map(Some(_))
  }

  /** @throws io.kafkalyst.errors.KafkalystException INSERT_COLUMN_TYPE where Spark cannot store-assign the types */
  def checkType(sinkName: String, column: TopicColumn, from: DataType, storable: Boolean): Unit =
    if (!storable) {
      throw KafkalystException(
        "INSERT_COLUMN_TYPE",
        "object" -> sinkName,
        "column" -> column.name,
        "expected" -> column.dataType.sql,
        "found" -> from.sql
      )
    }
}
