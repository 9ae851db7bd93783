package io.kafkalyst.registry

import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.types.{DataType, StructType}

/** Checks that the columns of a query's result are the leading fields of a schema that was given by its id. Pure. */
object SchemaIds {

  /** Column names for a schema without field names. */
  private val bare = Map[Side, String](Side.Key -> "ROWKEY", Side.Value -> "ROWVAL")

  /**
   * The differences, one line per column; empty if every column has its field by name (case-sensitive), type and
   * position. Additional trailing fields and nullability are ignored. A schema that is not a record has no field names,
   * so only the type is compared.
   *
   * @param columns of the result, one side in order
   * @param schema  the columns that the schema describes
   * @param strict  whether the names ROWKEY and ROWVAL of a schema without field names are compared, too
   */
  def differences(columns: Seq[TopicColumn], schema: Seq[TopicColumn], strict: Boolean = false): Seq[String] = {
    val (fields, named) = if (strict) (schema.map(c => c.name -> c.dataType), true) else fieldsOf(columns, schema)
    columns.zipWithIndex.flatMap { case (column, i) =>
      val mine = s"`${column.name}` ${column.dataType.sql}"
      fields.lift(i) match {
        case None => Some(s"column ${i + 1}: the query has $mine, the schema has no more fields")
        case Some((name, dataType)) =>
          val same = (!named || name == column.name) && equal(dataType, column.dataType)
          val theirs = if (named) s"`$name` ${dataType.sql}" else dataType.sql
          if (same) None else Some(s"column ${i + 1}: the query has $mine, the schema has $theirs")
      }
    }
  }

  /**
   * The schema's fields, and whether their names are compared. A record that is one column is expanded to its fields.
   */
  private def fieldsOf(columns: Seq[TopicColumn], schema: Seq[TopicColumn]): (Seq[(String, DataType)], Boolean) =
    (schema, columns) match {
      case (Seq(TopicColumn(name, whole, side, _)), _) if bare(side) == name =>
        (whole, columns) match {
          case (_: StructType, Seq(TopicColumn(_, _: StructType, _, _))) => (Seq(name -> whole), false)
          case (record: StructType, _) => (record.fields.toSeq.map(f => f.name -> f.dataType), true)
          case _ => (Seq(name -> whole), false)
        }
      case _ => (schema.map(c => c.name -> c.dataType), true)
    }

  private def equal(a: DataType, b: DataType): Boolean = DataType.equalsIgnoreNullability(a, b)
}
