package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.Schema.Type
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Finds the part of the table's schema that a value of the writer's schema belongs to. Source: Avro's specification,
 * schema resolution: named types match by name, other types by type, and numbers are promoted.
 */
private[avro] object AvroUnions {

  /** A struct, and the union's branch that each of its fields represents. */
  type Members = (StructType, Seq[Schema])

  /** The members of a general union in the table's schema; None without such a union, or for another type. */
  def members(to: DataType, table: Schema): Option[Members] = values(table) match {
    case several if several.size > 1 => AvroSchemas.membersOf(to, several)
    case _ => None
  }

  /** The branch of the table's union for this type; its only type if it is optional; null if there is none. */
  def branch(writer: Schema, table: Schema): Schema = values(table) match {
    case Seq() => table
    case Seq(only) => only
    case several => matching(writer, several).orNull
  }

  /** Whether the record belongs to another branch: the writer's union has a branch with the table's record name. */
  def isAnother(written: Schema, branches: Seq[Schema], table: Schema): Boolean =
    Option(AvroDefaults.record(table)).exists { own =>
      written.getType == Type.RECORD && matching(own, branches).exists(_ ne written)
    }

  private def values(table: Schema): Seq[Schema] =
    if (table == null || table.getType != Type.UNION) Nil
    else table.getTypes.asScala.filter(_.getType != Type.NULL).toSeq

  // Unlike Avro's library, this never matches a record of another name by its fields.
  private def matching(written: Schema, branches: Seq[Schema]): Option[Schema] = {
    val same = branches.filter(_.getType == written.getType)
    written.getType match {
      case Type.RECORD | Type.ENUM | Type.FIXED =>
        same.find(_.getFullName == written.getFullName).orElse(same.find(_.getName == written.getName))
      case t => same.headOption.orElse(branches.find(b => promoted.get(t).exists(_(b.getType))))
    }
  }

  private val promoted = Map(
    Type.INT -> Set(Type.LONG, Type.FLOAT, Type.DOUBLE),
    Type.LONG -> Set(Type.FLOAT, Type.DOUBLE),
    Type.FLOAT -> Set(Type.DOUBLE),
    Type.STRING -> Set(Type.BYTES),
    Type.BYTES -> Set(Type.STRING)
  )
}
