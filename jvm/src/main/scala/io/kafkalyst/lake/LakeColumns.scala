package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, If, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/**
 * How the columns of an INSERT are matched to its table's.
 *
 * @param listed the columns listed after the table's name; empty if there is no list
 * @param byName whether the statement has BY NAME
 */
final case class ColumnMatch(listed: Seq[String], byName: Boolean)

/** Matches the columns of a query to those of a table, as INSERT does, when the query is planned. */
object LakeColumns {

  /**
   * @param given the query's columns
   * @param add   whether columns missing from the table are added to it: by name, those with unknown names; otherwise
   *              those after the table's last column
   * @return the table's columns, computed from the query's, added columns last; and the query's columns that are added
   * @throws io.kafkalyst.errors.KafkalystException LAKE_COLUMNS
   */
  def aligned(
      table: LakeTable,
      given: Seq[Attribute],
      how: ColumnMatch,
      add: Boolean
  ): (Seq[NamedExpression], Seq[Attribute]) = {
    val refused = (difference: String) =>
      throw KafkalystException(
        "LAKE_COLUMNS",
        "name" -> table.name.toString,
        "difference" -> difference,
        "given" -> given.map(a => s"${nameOf(a)} ${a.dataType.sql}").mkString(", "),
        "expected" -> table.schema.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
      )
    val schema = table.schema
    val places = placesOf(schema, given, how, refused)
    val fresh = given.zip(places).collect { case (a, None) => a }
    if (fresh.nonEmpty && !add) refused(
      s"the table has no column for ${fresh.map(nameOf).mkString(", ")}; with SCHEMA_EVOLUTION='add' it would be added"
    )
    val columns = schema.zipWithIndex.map { case (field, i) =>
      places.indexOf(Some(i)) match {
        case -1 if field.nullable => Alias(Literal.create(null, field.dataType), field.name)()
        case -1 => refused(s"nothing is given for ${field.name}, which is NOT NULL")
        case at =>
          val a = given(at)
          if (!LosslessCast.fits(a.dataType, field.dataType))
            refused(
              s"${nameOf(a)} ${a.dataType.sql} is given for ${field.name} ${field.dataType.sql}, which would lose information"
            )
          Alias(valueOf(a, field), field.name)()
      }
    }
    (columns ++ fresh.map(a => Alias(a, nameOf(a))()), fresh)
  }

  /** Adds columns to the table; called after all checks, because it is not rolled back. */
  def add(session: SparkSession, table: LakeTable, columns: Seq[Attribute]): Unit = if (columns.nonEmpty) {
    val types = columns.map(a => s"${quoteIdentifier(nameOf(a))} ${a.dataType.sql}")
    session.sql(s"ALTER TABLE ${table.name.sql} ADD COLUMNS (${types.mkString(", ")})")
    ()
  }

  /** The position in the table of each query column; None for columns that the table lacks. */
  private def placesOf(
      schema: StructType,
      given: Seq[Attribute],
      how: ColumnMatch,
      refused: String => Nothing
  ): Seq[Option[Int]] = {
    def named(name: String) = Some(schema.indexWhere(_.name.equalsIgnoreCase(name))).filter(_ >= 0)
    val found =
      if (how.byName) given.map(a => named(nameOf(a)))
      else if (how.listed.nonEmpty) {
        if (how.listed.size != given.size) refused(s"${given.size} columns for the ${how.listed.size} that are listed")
        how.listed.map(name => named(name).orElse(refused(s"there is no column $name")))
      } else {
        if (given.size < schema.size) refused(s"${given.size} columns for ${schema.size}")
        given.indices.map(i => Some(i).filter(_ < schema.size))
      }
    val twice = found.flatten.diff(found.flatten.distinct)
    twice.headOption.foreach(i => refused(s"${schema(i).name} is given twice"))
    found
  }

  private def valueOf(a: Attribute, field: StructField): Expression = {
    val value = if (DataType.equalsStructurally(a.dataType, field.dataType, true)) a else Cast(a, field.dataType)
    if (field.nullable || !a.nullable) value else AssertNotNull(value, Seq(s"- column: ${field.name}"))
  }

  /** The column, in which nulls are allowed where the condition holds. */
  def requiredUnless(condition: Expression, column: NamedExpression): NamedExpression = column match {
    case Alias(required: AssertNotNull, name) =>
      Alias(If(condition, Literal(null, required.dataType), required), name)()
    case other => other
  }

  private[lake] def nameOf(a: Attribute): String = TopicColumn.nameOf(a.name, a.metadata)
}
