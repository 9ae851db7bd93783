package io.kafkalyst.model
package flink

import java.util.Locale

import org.apache.spark.sql.types._

/** Converts an object's properties to Flink's options: the inverse of [[FlinkOptions]]. */
object FlinkText {

  /** One property as options; empty if it is Flink's default. */
  def option(o: TopicObject, property: String, value: String): Seq[(String, String)] = {
    if (property == FlinkProperties.schemaInclude.name) Seq("value.debezium-json.schema-include" -> value)
    else ofProperty(o, property, value)
  }

  private def ofProperty(o: TopicObject, property: String, value: String): Seq[(String, String)] = {
    val ofSide = Side.all.find(s => property.startsWith(s"${s.name.toUpperCase(Locale.ROOT)}_"))
    val asLenience =
      ofSide.flatMap(side => lenience(o, side, property.stripPrefix(s"${side.name.toUpperCase(Locale.ROOT)}_"), value))
    asLenience.orElse(ofSide.flatMap(side =>
      other(o, side, property.stripPrefix(s"${side.name.toUpperCase(Locale.ROOT)}_"), value)
    ))
      .getOrElse {
        val isMeant = (property, value) match {
          case (name, v) if name == FlinkProperties.emptyRecords.name => v.equalsIgnoreCase("skip")
          case (name, v) if name == FlinkProperties.combinedChanges.name => v.equalsIgnoreCase("rows")
          case (name, v) if name == Properties.wrapKey.name => v.equalsIgnoreCase("true")
          case _ => false
        }
        if (isMeant) Nil else Seq(property.toLowerCase(Locale.ROOT) -> value)
      }
  }

  private def lenience(o: TopicObject, side: Side, option: String, value: String): Option[Seq[(String, String)]] = {
    val format = FlinkOptions.formatName(o.format(side).format)
    def named(name: String, value: String = value) = Some(Seq(s"${side.name}.$format.$name" -> value))
    option match {
      case SideFormat.skipBad if areLenient(o, side) => named("ignore-parse-errors")
      case SideFormat.nullBadFields if areLenient(o, side) => Some(Nil)
      case SideFormat.requireFields => named("fail-on-missing-field")
      case SideFormat.omitNulls => named("encode.ignore-null-fields")
      case SideFormat.decimalForm if value.equalsIgnoreCase(SideFormat.scientific) => Some(Nil)
      case SideFormat.coerce if value.equalsIgnoreCase("true") => Some(Nil)
      case SideFormat.timestampStandard =>
        if (value.equalsIgnoreCase("SQL")) Some(Nil)
        // Flink takes these words in upper case only.
        else if (areJson(format)) named(timestamps, value.toUpperCase(Locale.ROOT))
        else None
      case _ => None
    }
  }

  private def other(o: TopicObject, side: Side, option: String, value: String): Option[Seq[(String, String)]] = {
    val format = FlinkOptions.formatName(o.format(side).format)
    (format, option) match {
      case ("avro", SideFormat.timestampUnit) if value == SideFormat.millis && hasLongTimes(o, side) =>
        Some(Seq(s"${side.name}.avro.timestamp_mapping.legacy" -> "false"))
      case ("avro", SideFormat.avroEncoding) =>
        Some(if (value == "json") Seq(s"${side.name}.avro.encoding" -> value) else Nil)
      // Expressed by the columns' types.
      case (_, SideFormat.timestampUnit | SideFormat.requiredFields) => Some(Nil)
      case ("csv", SideFormat.delimiter) =>
        val character = if (value.equalsIgnoreCase("TAB")) "\t" else if (value.equalsIgnoreCase("SPACE")) " " else value
        Some(Seq(s"${side.name}.csv.field-delimiter" -> character))
      case ("csv", SideFormat.quote) =>
        val (name, text) =
          if (value == SideFormat.none) "disable-quote-character" -> "true" else "quote-character" -> value
        Some(Seq(s"${side.name}.csv.$name" -> text))
      case ("csv", SideFormat.escape) => Some(Seq(s"${side.name}.csv.escape-character" -> value))
      case ("csv", SideFormat.nullLiteral) => Some(Seq(s"${side.name}.csv.null-literal" -> value))
      case ("csv", SideFormat.allowComments) => Some(Seq(s"${side.name}.csv.allow-comments" -> value))
      case ("csv", SideFormat.arrayDelimiter) =>
        Some(if (value == ";") Nil else Seq(s"${side.name}.csv.array-element-delimiter" -> value))
      case ("csv", SideFormat.emptyIsNull) => Some(Nil)
      case ("canal-json", SideFormat.databaseInclude) => Some(Seq("value.canal-json.database.include" -> value))
      case ("canal-json", SideFormat.tableInclude) => Some(Seq("value.canal-json.table.include" -> value))
      case ("raw", SideFormat.byteOrder) =>
        val isDefault = value.equalsIgnoreCase(SideFormat.bigEndian)
        Some(if (isDefault) Nil else Seq(s"${side.name}.raw.endianness" -> value.toLowerCase(Locale.ROOT)))
      case ("raw", SideFormat.charset) => Some(Seq(s"${side.name}.raw.charset" -> value))
      case ("avro-confluent" | "protobuf-confluent" | "debezium-avro-confluent", SideFormat.subject) =>
        Some(Seq(s"${side.name}.$format.subject" -> value))
      case ("avro-confluent" | "debezium-avro-confluent", SideFormat.schemaText) =>
        Some(Seq(s"${side.name}.$format.schema" -> value))
      case _ => None
    }
  }

  /** Whether a column of the side is declared as a TIMESTAMP of more than three digits. */
  private def hasLongTimes(o: TopicObject, side: Side) =
    o.columns.filter(o.isIn(_, side)).flatMap(o.written(_)).exists(d => TimeDigits.of(d.written).exists(_ > 3))

  /** Whether a side of this format and these types writes DECIMALs in a form that Flink's options choose. */
  def writeDecimals(format: String, types: Seq[DataType]): Boolean = FlinkOptions.formatName(format) match {
    // Java's text of a number has an exponent only below 0.000001.
    case "csv" => types.exists(hasDecimal(_, _.scale > 6))
    case other => areJson(other) && types.exists(hasDecimal(_, _ => true))
  }

  private def hasDecimal(t: DataType, isMeant: DecimalType => Boolean): Boolean = t match {
    case d: DecimalType => isMeant(d)
    case a: ArrayType => hasDecimal(a.elementType, isMeant)
    case m: MapType => hasDecimal(m.valueType, isMeant)
    case s: StructType => s.exists(f => hasDecimal(f.dataType, isMeant))
    case _ => false
  }

  private val timestamps = "timestamp-format.standard"

  private def areJson(format: String) = format == "json" || format.endsWith("-json")

  /** Whether bad records are skipped and bad fields are NULL: the meaning of `ignore-parse-errors`. */
  private def areLenient(o: TopicObject, side: Side) = o.skipsBad(side) &&
    o.format(side).isSet(SideFormat.nullBadFields)

  /** Options for the properties of an object that differ from Flink's defaults. */
  def unlike(o: TopicObject): Seq[(String, String)] = {
    val keys = o.columns(Side.Key)
    val isBare = keys.size == 1 && !FlinkOptions.bare(o.key.format) && o.key.format != "PROTOBUF" &&
      !o.key.isSet(SideFormat.wrapSingle)
    def format(side: Side) = FlinkOptions.formatName(o.format(side).format)
    def numbers(is: String => Boolean) = Side.all.filter { side =>
      o.columns(side).nonEmpty && is(format(side)) && !o.format(side).options.contains(SideFormat.timestampStandard)
    }
    val empty = Side.all.filter { side =>
      o.columns(side).nonEmpty && format(side) == "csv" && !o.format(side).options.contains(SideFormat.emptyIsNull)
    }.map(side => s"${side.name}_${SideFormat.emptyIsNull}".toLowerCase(Locale.ROOT) -> "true")
    val strict = Side.all.filter { side =>
      o.columns(side).nonEmpty && (areJson(format(side)) || format(side) == "csv") &&
      !o.format(side).options.contains(SideFormat.coerce)
    }.map(side => s"${side.name}_${SideFormat.coerce}".toLowerCase(Locale.ROOT) -> "false")
    val scaled = Side.all.filter { side =>
      writeDecimals(o.format(side).format, o.columns.filter(o.isIn(_, side)).map(_.dataType)) &&
      !o.format(side).options.contains(SideFormat.decimalForm)
    }.map(side =>
      if (format(side) == "csv") s"${side.name}.csv.write-bigdecimal-in-scientific-notation" -> "false"
      else s"${side.name}.${format(side)}.encode.decimal-as-plain-number" -> "true"
    )
    empty ++ strict ++ scaled ++
      numbers(areJson).map(side => s"${side.name}.${format(side)}.$timestamps" -> "NUMBER") ++
      numbers(_ == "csv").map(side =>
        s"${side.name}_${SideFormat.timestampStandard}".toLowerCase(Locale.ROOT) -> "NUMBER"
      ) ++
      (if (o.options.get(SinkProperties.guarantee.name).exists(_.equalsIgnoreCase(SinkProperties.exactlyOnce)))
         Seq("sink.transactional-id-prefix" -> "kafkalyst")
       else Nil) ++
      (if (isBare) Seq(Properties.wrapKey.name.toLowerCase(Locale.ROOT) -> "false") else Nil) ++
      (if (o.options.contains(FlinkProperties.emptyRecords.name)) Nil
       else Seq(FlinkProperties.emptyRecords.name.toLowerCase(Locale.ROOT) -> "row")) ++
      (if (!o.value.isEvent || o.kind == ObjectKind.Table || o.combinesRows) Nil
       else Seq(FlinkProperties.combinedChanges.name.toLowerCase(Locale.ROOT) -> "changes"))
  }
}
