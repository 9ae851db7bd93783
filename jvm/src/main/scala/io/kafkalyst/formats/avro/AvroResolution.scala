package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import io.kafkalyst.model.{Side, SideFormat}
import org.apache.avro.Schema

/**
 * Checks whether a record written with one schema belongs to a table with another. Source: Avro's specification, schema
 * resolution: records match by their unqualified name or an alias, and fields that the writer lacks must have a
 * default.
 *
 * Names that a framework gives to all records are ignored, and such a record is read by its fields; a record with none
 * of the table's fields does not belong to the table.
 */
private[formats] object AvroResolution {

  // Default names of ksqlDB, Flink, Connect and Spark.
  private val anonymous = Set(AvroSchemas.valueRecord, "record", "ConnectDefault", "topLevelRecord")

  /** @throws BadBytes if the record does not belong to the table */
  def check(written: Schema, table: Schema, request: DecodeRequest): Unit = for {
    own <- chosen(table, request)
    record <- chosen(AvroDefaults.renamed(written, table), request)
  } {
    val declared = request.declared.map(_.name)
    // Includes their older names: an alias may have renamed a field that the table also has.
    val fields = (record.getFields.asScala ++ chosen(written, request).toSeq.flatMap(_.getFields.asScala))
      .map(_.name).toSeq.distinct
    val isNamed = !isOfFramework(own)
    sameName(record, own, request.side)
    if (isNamed) lacking(record, fields, own, declared).foreach(reason => throw new BadBytes(reason))
    else {
      val known = new FieldIndex(fields)
      if (fields.nonEmpty && !isOfFramework(record) && !declared.exists(known.has))
        throw new BadBytes(s"the record ${record.getFullName} has none of the columns${advice(request.side)}")
    }
  }

  /** As [[check]], for a record that is a single column's STRUCT: by its name. */
  def checkName(written: Schema, table: Schema, request: DecodeRequest): Unit = for {
    own <- chosen(table, request)
    record <- chosen(AvroDefaults.renamed(written, table), request)
  } sameName(record, own, request.side)

  private def sameName(record: Schema, own: Schema, side: Side): Unit =
    if (!isOfFramework(own) && !isOfFramework(record) && own.getName != record.getName)
      throw new BadBytes(
        s"it is a ${record.getFullName}, not the ${own.getFullName} of the table's schema${advice(side)}"
      )

  /** Why a nested record cannot be read as the table's: it lacks a column's field without a default. */
  def lacking(written: Schema, table: Schema, columns: Seq[String]): Option[String] =
    if (table == null || isAnonymous(table)) None
    else lacking(written, written.getFields.asScala.map(_.name).toSeq, table, columns)

  private def lacking(
      written: Schema,
      fields: Seq[String],
      table: Schema,
      columns: Seq[String]
  ): Option[String] = {
    val known = new FieldIndex(fields)
    AvroDefaults.fields(table, columns).find(f => f != null && !f.hasDefaultValue && !known.has(f.name)).map { f =>
      s"the record ${written.getFullName} lacks the field ${f.name}, which has no default in the table's schema"
    }
  }

  /** Whether a framework derived the nested record's name from the enclosing record's. */
  private def isAnonymous(record: Schema): Boolean =
    record.getFullName.split('.').exists { name =>
      anonymous(name) || anonymous(name.takeWhile(_ != '_')) || anonymous(name.reverse.dropWhile(_.isDigit).reverse)
    }

  /** Whether a framework named the record. ksqlDB names key records after its objects, in its own namespace. */
  private def isOfFramework(record: Schema): Boolean =
    anonymous(record.getName) || record.getNamespace == AvroSchemas.namespace

  private def advice(side: Side): String =
    if (side == Side.Value) ". To have such records too, name their types in VALUE_TYPES" else ""

  private def chosen(schema: Schema, request: DecodeRequest): Option[Schema] =
    AvroSchemas.chosen(schema, request.format.options.get(SideFormat.schemaFullName)).toOption
      .flatMap(AvroSchemas.recordOf)
}
