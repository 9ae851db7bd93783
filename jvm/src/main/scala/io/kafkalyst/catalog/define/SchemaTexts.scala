package io.kafkalyst.catalog
package define

import io.kafkalyst.formats.Formats
import io.kafkalyst.model._
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

/** Schemas that a statement gives as text: KEY_SCHEMA and VALUE_SCHEMA. */
private[define] object SchemaTexts {

  /**
   * Checks that the schemas have the fields of the columns, in their order.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY, UNSUPPORTED_SCHEMA if the text is not a schema
   */
  def check(o: TopicObject): Unit = for {
    side <- Side.all
    as = o.format(side)
    text <- as.options.get(SideFormat.schemaText)
  } {
    val property = RegistryProperties.schema(side)
    val format = Formats(as.format)
    if (!format.schemaType.contains("AVRO"))
      throw property.invalid(text, s"it goes with AVRO, and not with ${as.format}")
    val schema = RegisteredSchema(0, format.schemaType.get, text)
    val fields = format.columnsOf(schema, side, as).map(c => c.name -> c.dataType)
    val columns = o.columns(side).map(c => o.named(c, side).name -> c.dataType)
    if (fields.map(plain) != columns.map(plain)) {
      throw property.invalid(text, s"it has the fields ${shown(fields)}, and the columns are ${shown(columns)}")
    }
  }

  private def shown(fields: Seq[(String, DataType)]) = fields.map { case (name, t) => s"$name ${t.sql}" }.mkString(", ")

  private def plain(field: (String, DataType)): (String, DataType) = field._1 -> plain(field._2)

  /** Maps all types that are written as the same Avro type to one type. */
  private def plain(t: DataType): DataType = t match {
    case ByteType | ShortType => IntegerType
    case TimestampNTZType => TimestampType
    case time if TimeOfDay.is(time) => IntegerType
    case a: ArrayType => ArrayType(plain(a.elementType))
    case m: MapType => MapType(plain(m.keyType), plain(m.valueType))
    case s: StructType => StructType(s.fields.map(f => StructField(f.name, plain(f.dataType))))
    case other => other
  }
}
