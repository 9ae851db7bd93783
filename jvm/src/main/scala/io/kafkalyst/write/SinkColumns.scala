package io.kafkalyst.write

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.model.{ObjectKind, Side, TopicColumn, TopicObject}
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, DayTimeIntervalType, StructField, YearMonthIntervalType}

/** Maps a query's columns to a sink's columns. Pure, so that batch and streaming writes agree. */
object SinkColumns {

  /** Name of a query column that is not written, but orders the rows. */
  val order = "__kafkalyst_row_order"

  /** Names of query columns that are not written, but name the record from which a row was made. */
  val sourcePartition = "_source_partition"
  val sourceOffset = "_source_offset"

  /** Metadata key of these columns with the record's topic. */
  val sourceTopic = "kafkalyst.source.topic"

  /** For each sink column, the ordinal of its query column, or None for null. */
  type Mapping = Seq[Option[Int]]

  /**
   * The written columns, followed by the hidden columns that the query provides: ROWTIME sets the record's timestamp,
   * `_tombstone` omits the value, WINDOWSTART and WINDOWEND are the key's window.
   */
  def withHidden(topic: TopicObject, given: Seq[String]): Seq[TopicColumn] = {
    val sink = topic.sinkColumns
    val hidden = Seq(PseudoColumns.rowTime, PseudoColumns.headers, PseudoColumns.tombstone) ++
      topic.columns.filter(WindowedKey.isBound)
    sink ++ hidden.filter { column =>
      // A key column may be named ROWTIME, too, in addition to the record's own.
      given.count(_.equalsIgnoreCase(column.name)) > sink.count(_.name.equalsIgnoreCase(column.name))
    }.map(column => column.copy(metadata = column.metadata.map(_.copy(virtual = false))))
  }

  /**
   * By name: an exact match, else ignoring case; if key and value share the name, by the query column's own role. Sink
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

  /** INSERT_UNKNOWN_COLUMN with similar names. */
  def unknown(sinkName: String, sink: Seq[TopicColumn], name: String): KafkalystException = KafkalystException(
    "INSERT_UNKNOWN_COLUMN",
    "object" -> sinkName,
    "column" -> name,
    "nearest" -> Conditions.nearest(name, sink.map(_.name)),
    "columns" -> sink.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")
  )

  /**
   * The ordinal of the single column that a name refers to: an exact match, else ignoring case; -1 if there is none.
   *
   * @param side decides if both key and value have a column of that name
   * @throws io.kafkalyst.errors.KafkalystException AMBIGUOUS_NAME with the candidate columns
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

  /** Rejects query columns that are read-only in the sink, if Spark matched them: INSERT_VIRTUAL_COLUMN. */
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

  /** By position; the query must have as many columns as the sink. */
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

  /**
   * Rejects statements that leave out columns that each row needs.
   *
   * @param mayDelete whether rows may be tombstones, which have no values
   * @throws io.kafkalyst.errors.KafkalystException INSERT_WITHOUT_KEY, REQUIRED_COLUMN_IS_NULL
   */
  def checkLeftOut(
      sinkName: String,
      topic: TopicObject,
      leftOut: Seq[TopicColumn],
      mayDelete: Boolean = false
  ): Unit = {
    if (topic.kind == ObjectKind.Table) leftOut.find(_.isIn(Side.Key)).foreach { column =>
      throw KafkalystException("INSERT_WITHOUT_KEY", "object" -> sinkName, "column" -> column.sqlName)
    }
    leftOut.find(!mayDelete && topic.isRequired(_)).foreach { column =>
      throw KafkalystException(
        "REQUIRED_COLUMN_IS_NULL",
        "column" -> column.name,
        "object" -> sinkName,
        "found" -> "the statement does not give it"
      )
    }
  }

  /**
   * Whether values of a type can be stored as another type: by Spark's rules, of which spark.sql.storeAssignmentPolicy
   * chooses the strict ones, and INTERVALs of other units.
   */
  def isStorable(from: DataType, to: DataType): Boolean = (from, to) match {
    case (_: YearMonthIntervalType, _: YearMonthIntervalType) | (_: DayTimeIntervalType, _: DayTimeIntervalType) => true
    case _ if DataType.equalsIgnoreNullability(from, to) => true
    case _ if SQLConf.get.storeAssignmentPolicy == SQLConf.StoreAssignmentPolicy.STRICT => Cast.canUpCast(from, to)
    case _ => Cast.canANSIStoreAssign(from, to)
  }

  /** @throws io.kafkalyst.errors.KafkalystException INSERT_COLUMN_TYPE if Spark cannot store-assign the types */
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
