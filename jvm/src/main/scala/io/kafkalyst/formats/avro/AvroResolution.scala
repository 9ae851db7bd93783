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
    val isNamed = request.side == Side.Value && !anonymous(own.getName)
    if (isNamed && !anonymous(record.getName) && own.getName != record.getName)
      throw new BadBytes(s"it is a ${record.getFullName}, not the ${own.getFullName} of the table's schema. $advice")
    val known = new FieldIndex(fields)
    def isWritten(name: String) = known.exact(name) >= 0 || known.inOtherCase(name) >= 0
    if (isNamed) AvroDefaults.fields(own, declared).find(f => f != null && !f.hasDefaultValue && !isWritten(f.name))
      .foreach { lacking =>
        throw new BadBytes(
          s"the record ${record.getFullName} lacks the field ${lacking.name}, which has no default in the table's schema"
        )
      }
    else if (fields.nonEmpty && !anonymous(record.getName) && !declared.exists(isWritten))
      throw new BadBytes(s"the record ${record.getFullName} has none of the columns. $advice")
  }

  private val advice = "To have such records too, name their types in VALUE_TYPES"

  private def chosen(schema: Schema, request: DecodeRequest): Option[Schema] =
    AvroSchemas.chosen(schema, request.format.options.get(SideFormat.schemaFullName)).toOption
      .flatMap(AvroSchemas.recordOf)
}
