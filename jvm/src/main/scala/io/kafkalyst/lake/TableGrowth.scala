package io.kafkalyst.lake

import io.kafkalyst.errors.{Clipped, KafkalystException}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types._
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Clauses of ALTER TABLE by which a table gets new columns, new nested fields and wider types. */
private[lake] object TableGrowth {
  private val log = LoggerFactory.getLogger("io.kafkalyst.lake")
  private val retyped = "ALTER COLUMN"
  private val typeWidening = "delta.enableTypeWidening"

  // Connect's clients receive no error condition if its parameters exceed 1,024 characters.
  private val most = 400

  /** The clause for new columns; empty if there are none. */
  def added(columns: Seq[(String, DataType)]): Seq[String] = {
    val types = columns.map { case (name, dataType) => s"${quoteIdentifier(name)} ${dataType.sql}" }
    Option.when(types.nonEmpty)(s"ADD COLUMNS (${types.mkString(", ")})").toSeq
  }

  /** The clauses that change a column's type. */
  def widened(column: String, from: DataType, to: DataType): Seq[String] = within(quoteIdentifier(column), from, to)

  private def within(path: String, from: DataType, to: DataType): Seq[String] = (from, to) match {
    case (f: StructType, t: StructType) => t.flatMap { field =>
        val at = s"$path.${quoteIdentifier(field.name)}"
        f.find(_.name == field.name) match {
          case Some(known) => within(at, known.dataType, field.dataType)
          case None => Seq(s"ADD COLUMN $at ${field.dataType.sql}")
        }
      }
    case (f: ArrayType, t: ArrayType) => within(s"$path.element", f.elementType, t.elementType)
    case (f: MapType, t: MapType) => within(s"$path.value", f.valueType, t.valueType)
    case (f, t) => Option.when(f != t)(s"$retyped $path TYPE ${t.sql}").toSeq
  }

  /** Whether the values that a table has keep all their digits in the wider type; new fields are no loss. */
  def isLossless(from: DataType, to: DataType): Boolean = leaves(from, to).forall { case (f, t) =>
    LosslessCast.fits(f, t)
  }

  /** Whether the second type lacks nested fields of the first, and is like it otherwise. */
  def hasMoreFields(one: DataType, other: DataType): Boolean =
    lacks(one, other) && leaves(other, one).forall { case (from, to) => LosslessCast.fits(from, to) }

  private def lacks(one: DataType, other: DataType): Boolean = (one, other) match {
    case (a: StructType, b: StructType) =>
      a.exists(field => b.find(_.name == field.name).forall(same => lacks(field.dataType, same.dataType)))
    case (a: ArrayType, b: ArrayType) => lacks(a.elementType, b.elementType)
    case (a: MapType, b: MapType) => lacks(a.valueType, b.valueType)
    case _ => false
  }

  /** The types within both at the same places, where neither is nested. */
  private def leaves(from: DataType, to: DataType): Seq[(DataType, DataType)] = (from, to) match {
    case (f: StructType, t: StructType) =>
      f.flatMap(field => t.find(_.name == field.name).toSeq.flatMap(same => leaves(field.dataType, same.dataType)))
    case (f: ArrayType, t: ArrayType) => leaves(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => leaves(f.keyType, t.keyType) ++ leaves(f.valueType, t.valueType)
    case other => Seq(other)
  }

  /**
   * Changes the table; called after all checks, because it is not rolled back. A part of the clauses may succeed: a
   * query that is planned again has only the others.
   *
   * @throws io.kafkalyst.errors.KafkalystException LAKE_GROWTH if the catalog refuses a clause
   */
  def run(session: SparkSession, table: LakeTable, clauses: Seq[String]): Unit = clauses.foreach { clause =>
    val statement = s"ALTER TABLE ${table.name.sql} $clause"
    try {
      session.sql(statement)
      ()
    } catch {
      case NonFatal(e) =>
        // Logged, because as a cause SHOW QUERIES would show it instead.
        log.warn(s"$statement failed", e)
        throw KafkalystException(
          "LAKE_GROWTH",
          "name" -> table.name.toString,
          "statement" -> Clipped.middle(statement, most),
          "reason" -> Clipped.middle(String.valueOf(e.getMessage), most),
          "hint" -> hint(table, clause)
        )
    }
  }

  private def hint(table: LakeTable, clause: String) =
    if (table.provider == "delta" && clause.startsWith(retyped) && !table.properties.get(typeWidening).contains("true"))
      s"Delta widens types after ALTER TABLE ${table.name.sql} SET TBLPROPERTIES ('$typeWidening' = 'true')"
    else "Change the table so that it accepts the columns, or CAST them in the SELECT to the types that it has"
}
