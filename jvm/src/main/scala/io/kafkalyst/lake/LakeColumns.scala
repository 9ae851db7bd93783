package io.kafkalyst.lake

import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{TimeOfDay, TopicColumn}
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, If, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/**
 * How the columns of an INSERT are matched to its table's.
 *
 * @param listed    the columns listed after the table's name; empty if there is no list
 * @param byName    whether the statement has BY NAME
 * @param places    of a stored query: its columns when it was started, each with the table's column for it
 * @param keysFirst whether positions count the key columns first, as those of queries that earlier versions stored
 */
final case class ColumnMatch(
    listed: Seq[String],
    byName: Boolean,
    places: Option[Seq[(String, String)]] = None,
    keysFirst: Boolean = false
)

/**
 * The columns of a table that a query gives.
 *
 * @param schema  the table's columns
 * @param given   those that the query gives, computed from the query's; added columns last
 * @param changes clauses of ALTER TABLE by which the table gets the columns and types that it lacks
 * @param places  the query's columns, each with the table's column for it
 */
private[lake] final case class AlignedColumns(
    schema: StructType,
    given: Seq[NamedExpression],
    changes: Seq[String],
    places: Seq[(String, String)]
) {

  /** The columns in the table's order, with a value for those that the query does not give, if there is one. */
  def filled(value: StructField => Option[Expression]): Seq[NamedExpression] = {
    val (known, more) = given.partition(c => schema.exists(_.name == c.name))
    schema.flatMap(f => known.find(_.name == f.name).orElse(value(f).map(Alias(_, f.name)()))) ++ more
  }
}

/** Matches the columns of a query to those of a table, as INSERT does, when the query is planned. */
object LakeColumns {

  /**
   * @param add whether columns missing from the table are added to it: by name, those with unknown names; otherwise
   *            those after the table's last column; and whether its columns get new nested fields and wider types
   * @param fills whether nested fields that are not given are NULL
   * @throws io.kafkalyst.errors.KafkalystException LAKE_COLUMNS; LAKE_TIME
   */
  private[lake] def aligned(
      table: LakeTable,
      rows: LakeRows,
      how: ColumnMatch,
      add: Boolean,
      fills: Boolean
  ): AlignedColumns = {
    def fits(from: DataType, to: DataType) = if (fills) NestedNulls.fits(from, to) else LosslessCast.fits(from, to)
    val given = if (how.keysFirst) rows.keysFirst else rows.columns
    val refused = (difference: String) =>
      throw KafkalystException(
        "LAKE_COLUMNS",
        "name" -> table.name.toString,
        "difference" -> difference,
        "given" -> given.map(a => s"${nameOf(a)} ${a.dataType.sql}").mkString(", "),
        "expected" -> table.schema.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
      )
    val schema = table.schema
    val places = placesOf(schema, given, rows.leftOut, how, refused)
    val fresh = given.zip(places).collect { case (a, None) => a }
    if (fresh.nonEmpty && !add) refused(
      s"the table has no column for ${fresh.map(nameOf).mkString(", ")}; with SCHEMA_EVOLUTION='add' it would be added"
    )
    val columns = schema.zipWithIndex.flatMap { case (field, i) =>
      places.indexOf(Some(i)) match {
        case -1 if field.nullable || field.getCurrentDefaultValue().isDefined => None
        case -1 => refused(s"nothing is given for ${field.name}, which is NOT NULL")
        case at => Some(field -> given(at))
      }
    }
    val types = columns.map { case (field, a) =>
      val wider = Growth.wider(field.dataType, a.dataType)
      val isGiven = s"${nameOf(a)} ${a.dataType.sql} is given for ${field.name} ${field.dataType.sql}"
      def difference = s"$isGiven, which would lose information"
      if (fits(a.dataType, field.dataType)) field.dataType
      else if (wider == field.dataType && TableGrowth.hasMoreFields(wider, a.dataType))
        refused(
          if (NestedNulls.fits(a.dataType, wider))
            s"$isGiven, which has more fields; build the STRUCT with NULL for those"
          else s"$isGiven, which has more fields, that are NOT NULL; build the STRUCT with a value for those"
        )
      else if (!fits(a.dataType, wider) || !TableGrowth.isLossless(field.dataType, wider))
        refused(difference)
      else if (add) wider
      else
        refused(s"$difference; with SCHEMA_EVOLUTION='add' it would be widened, by ALTER TABLE ${table.name.sql} " +
          TableGrowth.widened(field.name, field.dataType, wider).mkString(" and "))
    }
    val values = columns.zip(types).map { case ((field, a), dataType) =>
      Alias(valueOf(a, field, dataType), field.name)()
    }
    val retyped = columns.zip(types).collect {
      case ((field, _), dataType) if field.dataType != dataType =>
        field -> dataType
    }
    val names = given.zip(places).map { case (a, place) => nameOf(a) -> place.fold(nameOf(a))(schema(_).name) }
    checkTimes(
      table.name,
      StructType(fresh.map(a => StructField(nameOf(a), a.dataType)) ++ retyped.map { case (f, t) =>
        f.copy(dataType = t)
      })
    )
    val widened = retyped.flatMap { case (field, dataType) =>
      TableGrowth.widened(field.name, field.dataType, dataType)
    }
    val added = TableGrowth.added(fresh.map(a => nameOf(a) -> a.dataType))
    AlignedColumns(schema, values ++ fresh.map(a => Alias(a, nameOf(a))()), added ++ widened, names)
  }

  /** The position in the table of each query column; None for columns that the table lacks. */
  private def placesOf(
      schema: StructType,
      given: Seq[Attribute],
      leftOut: Seq[Attribute],
      how: ColumnMatch,
      refused: String => Nothing
  ): Seq[Option[Int]] = {
    def named(name: String) = Some(schema.indexWhere(_.name.equalsIgnoreCase(name))).filter(_ >= 0)
    val found =
      if (how.byName) given.map(a => named(nameOf(a)))
      else if (how.places.isDefined) how.places.toSeq.flatMap(asStarted(given, _, named, refused))
      else {
        // The position of a key that the SELECT leaves out is unknown, so its name counts.
        val hidden = if (how.keysFirst) Nil else leftOut
        val shown = given.filterNot(hidden.contains)
        val places =
          if (how.listed.nonEmpty) {
            if (how.listed.size != shown.size)
              refused(s"${shown.size} columns for the ${how.listed.size} that are listed")
            how.listed.map(name => named(name).orElse(refused(s"there is no column $name")))
          } else {
            if (given.size < schema.size) refused(s"${given.size} columns for ${schema.size}")
            if (how.keysFirst && given.size > schema.size)
              refused(s"${given.size} columns for ${schema.size}, and an earlier version stored none of their names")
            shown.indices.map(i => Some(i).filter(_ < schema.size))
          }
        val placed = places.iterator
        given.map(a => if (hidden.contains(a)) named(nameOf(a)) else placed.next())
      }
    val twice = found.flatten.diff(found.flatten.distinct)
    twice.headOption.foreach(i => refused(s"${schema(i).name} is given twice"))
    found
  }

  /**
   * The positions of a stored query's columns: as when it was started. A column that it has gained since goes to the
   * table's column of the same name, because positions may have moved.
   */
  private def asStarted(
      given: Seq[Attribute],
      started: Seq[(String, String)],
      named: String => Option[Int],
      refused: String => Nothing
  ): Seq[Option[Int]] = {
    val names = given.map(nameOf)
    // The same name may be given several times.
    val found = names.indices.map { i =>
      val earlier = names.take(i).count(_.equalsIgnoreCase(names(i)))
      started.filter(_._1.equalsIgnoreCase(names(i))).drop(earlier).headOption
    }
    started.diff(found.flatten).headOption.foreach { case (from, to) =>
      refused(s"nothing is given for $to, which had $from when the query was started")
    }
    found.zip(names).map {
      case (Some((_, to)), _) => named(to).orElse(refused(s"there is no column $to"))
      case (None, name) => named(name)
    }
  }

  private def valueOf(a: Attribute, field: StructField, dataType: DataType): Expression = {
    val whole = NestedNulls.filled(a, dataType)
    val value = if (DataType.equalsStructurally(whole.dataType, dataType, true)) whole else Cast(whole, dataType)
    if (field.nullable || !a.nullable) value else AssertNotNull(value, Seq(s"- column: ${field.name}"))
  }

  /**
   * Checks new columns of a table. Kafkalyst's queries may have TIME whatever the session says, but
   * Spark does not read a table with TIME then, not even to drop it.
   *
   * @throws io.kafkalyst.errors.KafkalystException LAKE_TIME
   */
  def checkTimes(name: SinkName.OfTable, schema: StructType): Unit =
    if (!TimeOfDay.isEnabled)
      schema.find(f => TimeOfDay.asNanos(f.dataType) != f.dataType).foreach { field =>
        throw KafkalystException("LAKE_TIME", "name" -> name.toString, "column" -> field.name)
      }

  /** The column, in which nulls are allowed where the condition holds. */
  def requiredUnless(condition: Expression, column: NamedExpression): NamedExpression = column match {
    case Alias(required: AssertNotNull, name) =>
      Alias(If(condition, Literal(null, required.dataType), required), name)()
    case other => other
  }

  private[lake] def nameOf(a: Attribute): String = TopicColumn.nameOf(a.name, a.metadata)
}
