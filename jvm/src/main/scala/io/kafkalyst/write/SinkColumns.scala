package io.kafkalyst.write

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.model.{Side, TopicColumn, TopicObject}
import org.apache.spark.sql.types.{DataType, StructField}

/** Which column of a query becomes which column of a sink: pure, so that batch and streaming writes agree. */
object SinkColumns {

  /** Name of a query's column that is not written, but says in which order its rows are. */
  val order = "_order"

  /** For each sink column the place of its query column, or None where it is to be null. */
  type Mapping = Seq[Option[Int]]

  /**
   * The columns of rows that are written, and behind them those hidden ones that the query gives: ROWTIME sets the
   * record's timestamp, `_tombstone` leaves its value out, WINDOWSTART and WINDOWEND are the key's window.
   */
  def withHidden(topic: TopicObject, given: Seq[String]): Seq[TopicColumn] = {
    val sink = topic.sinkColumns
    val hidden = Seq(PseudoColumns.rowTime, PseudoColumns.headers, PseudoColumns.tombstone) ++
      topic.columns.filter(WindowedKey.isBound)
    sink ++ hidden.filter { column =>
      // A key may have the name ROWTIME beside the record's own.
      given.count(_.equalsIgnoreCase(column.name)) > sink.count(_.name.equalsIgnoreCase(column.name))
    }.map(column => column.copy(metadata = column.metadata.map(_.copy(virtual = false))))
  }

  /**
   * By name: exact, else without case; where key and value share the name, by the query column's own role. Sink
   * columns that the query lacks become null.
   *
   * @throws io.kafkalyst.errors.KafkalystException INSERT_UNKNOWN_COLUMN, INSERT_DUPLICATE_COLUMN, AMBIGUOUS_NAME
   */
  def byName(sinkName: String, sink: Seq[TopicColumn], query: Seq[StructField]): Mapping = {
    val matched = query.map { given =>
      val field = TopicColumn.of(given)
      val place = placeOf(sinkName, sink, field.name, Some(TopicColumn.sideOf(given.metadata)))
      if (place < 0) throw unknown(sinkName, sink, field.name)
      place
    }
    matched.diff(matched.distinct).headOption.foreach { twice =>
      throw KafkalystException("INSERT_DUPLICATE_COLUMN", "object" -> sinkName, "column" -> sink(twice).name)
    }
    sink.indices.map(i => Some(matched.indexOf(i)).filter(_ >= 0))
  }

  /** INSERT_UNKNOWN_COLUMN with what comes near. */
  def unknown(sinkName: String, sink: Seq[TopicColumn], name: String): KafkalystException = KafkalystException(
    "INSERT_UNKNOWN_COLUMN",
    "object" -> sinkName,
    "column" -> name,
    "nearest" -> Conditions.nearest(name, sink.map(_.name)),
    "columns" -> sink.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")
  )

  /**
   * The place of the one column that a name means: exact, else without case; -1 where there is none.
   *
   * @param side decides where key and value have a column of that name
   * @throws io.kafkalyst.errors.KafkalystException AMBIGUOUS_NAME with the columns that the name could mean
   */
  def placeOf(sinkName: String, sink: Seq[TopicColumn], name: String, side: Option[Side]): Int = {
    val exact = sink.indices.filter(sink(_).name == name)
    val found = if (exact.nonEmpty) exact else sink.indices.filter(sink(_).name.equalsIgnoreCase(name))
    val narrowed = if (found.size > 1) found.filter(i => side.contains(sink(i).side)) else found
    (found, narrowed) match {
      case (Seq(), _) => -1
      case (_, Seq(one)) => one
      case _ => throw KafkalystException(
          "AMBIGUOUS_NAME",
          "name" -> name,
          "candidates" -> found.map(i => s"${sink(i).side.name} column ${sink(i).sqlName}").mkString(", "),
          "hint" -> s"Write the column of $sinkName that you mean in quotes, in its exact case."
        )
    }
  }

  /** Refuses a query's column that is only read: INSERT_VIRTUAL_COLUMN, where Spark found it among the sink's. */
  def checkVirtual(sinkName: String, all: Seq[TopicColumn], given: Seq[StructField]): Unit = {
    val (sink, virtual) = (all ++ Seq(PseudoColumns.rowPartition, PseudoColumns.rowOffset)).partition(c =>
      c.isWritten || WindowedKey.isBound(c)
    )
    given.map(f => TopicColumn.nameOf(f.name, f.metadata)).foreach { name =>
      if (!sink.exists(_.name.equalsIgnoreCase(name))) virtual.find(_.name.equalsIgnoreCase(name)).foreach { column =>
        throw KafkalystException(
          "INSERT_VIRTUAL_COLUMN",
          "object" -> sinkName,
          "column" -> column.name,
          "key" -> column.metadata.fold("")(_.key),
          "columns" -> sink.map(_.name).mkString(", ")
        )
      }
    }
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
