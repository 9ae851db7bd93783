package io.kafkalyst.model
package flink

import java.util.Locale

/**
 * Converts Flink's format options, such as `value.json.fail-on-missing-field`, to properties of a side. Each option is
 * mapped, accepted only with the value that always applies here, or rejected by name.
 */
private[model] object FlinkFormatOptions {

  /**
   * @param properties the Kafkalyst properties
   * @param registry   the registry address that the option contains
   */
  final case class Mapped(properties: Seq[(String, String)] = Nil, registry: Option[String] = None)

  private val events = "(?:debezium|canal|maxwell|ogg)-json".r
  private val perSession = "the registry's clients are set per session, by spark.kafkalyst.schema.registry.*"

  /**
   * Converts a format option.
   *
   * @param format the format's name in Flink
   * @param option without the prefix of side and format
   * @return the reason if it is rejected
   */
  def of(side: Side, format: String, option: String, value: String): Either[String, Mapped] = {
    def named(options: (String, String)*) =
      Mapped(options.map { case (name, as) => s"${side.name.toUpperCase(Locale.ROOT)}_$name" -> as })
    def ours(name: String, as: String) = Right(named(name -> as))
    def only(fitting: String*) =
      if (fitting.exists(_.equalsIgnoreCase(value))) Right(Mapped())
      else Left(s"${fitting.map(v => s"'$v'").mkString(" or ")} is expected")
    (format, option) match {
      case ("json" | "csv" | events(), "ignore-parse-errors") =>
        truth(value).map(on => named(SideFormat.nullBadFields -> on.toString, SideFormat.skipBad -> on.toString))
      case ("json", "fail-on-missing-field") => truth(value).flatMap(on => ours(SideFormat.requireFields, on.toString))
      case ("json" | events(), "timestamp-format.standard") =>
        // Flink's names are exact; NUMBER is Kafkalyst's own.
        if (Seq("SQL", "ISO-8601", "NUMBER").contains(value)) ours(SideFormat.timestampStandard, value)
        else Left("SQL or ISO-8601 is expected")
      // Spark's MAPs have no null keys, so all modes are equal.
      case ("json" | events(), "map-null-key.mode") => only("FAIL", "DROP", "LITERAL")
      case ("json" | events(), "map-null-key.literal") => Right(Mapped())
      case ("json" | events(), "encode.decimal-as-plain-number") =>
        truth(value).flatMap(on => ours(SideFormat.decimalForm, if (on) SideFormat.scaled else SideFormat.scientific))
      case ("json" | events(), "encode.ignore-null-fields") =>
        truth(value).flatMap(on => ours(SideFormat.omitNulls, on.toString))
      case ("json", "decode.json-parser.enabled") => only("true", "false")
      case ("canal-json", "database.include") => ours(SideFormat.databaseInclude, value)
      case ("canal-json", "table.include") => ours(SideFormat.tableInclude, value)
      case ("debezium-json", "schema-include") =>
        truth(value).map(on => Mapped(Seq(FlinkProperties.schemaInclude.name -> on.toString)))
      case ("csv", "field-delimiter") => ours(SideFormat.delimiter, delimiter(value))
      case ("csv", "quote-character") => ours(SideFormat.quote, value)
      case ("csv", "disable-quote-character") =>
        truth(value).map(off => if (off) named(SideFormat.quote -> SideFormat.none) else Mapped())
      case ("csv", "escape-character") => ours(SideFormat.escape, value)
      case ("csv", "null-literal") => ours(SideFormat.nullLiteral, value)
      case ("csv", "allow-comments") => truth(value).flatMap(on => ours(SideFormat.allowComments, on.toString))
      case ("csv", "write-bigdecimal-in-scientific-notation") =>
        truth(value).flatMap(on => ours(SideFormat.decimalForm, if (on) SideFormat.scientific else SideFormat.scaled))
      case ("csv", "array-element-delimiter") =>
        if (value.nonEmpty) ours(SideFormat.arrayDelimiter, value) else Left("at least one character is expected")
      // The legacy mapping has at most three digits, and with the new mapping Flink also writes milliseconds.
      case ("avro", "timestamp_mapping.legacy") =>
        truth(value).flatMap(old => if (old) Right(Mapped()) else ours(SideFormat.timestampUnit, SideFormat.millis))
      // The codec only affects files.
      case ("avro", "codec") => Right(Mapped())
      case ("avro", "encoding") =>
        only("binary", "json").flatMap(_ => ours(SideFormat.avroEncoding, value.toLowerCase(Locale.ROOT)))
      case ("raw", "charset") => ours(SideFormat.charset, value)
      case ("raw", "endianness") => ours(SideFormat.byteOrder, value)
      case ("avro-confluent" | "protobuf-confluent" | "debezium-avro-confluent", "url" | "schema-registry.url") =>
        Right(Mapped(registry = Some(value)))
      case (
            "avro-confluent" | "protobuf-confluent" | "debezium-avro-confluent",
            "subject" | "schema-registry.subject"
          ) =>
        ours(SideFormat.subject, value)
      case ("avro-confluent" | "debezium-avro-confluent", "schema") => ours(SideFormat.schemaText, value)
      case ("protobuf-confluent", "schema") =>
        Left(s"the schema is that of the columns, or the registry's: see ${side.name}_schema_id")
      case ("avro-confluent" | "protobuf-confluent" | "debezium-avro-confluent", _) => Left(perSession)
      case ("protobuf", _) =>
        Left("no class is loaded for a table's messages: 'protobuf_nosr' reads and writes them by the columns, which " +
          "number their fields from 1, and 'protobuf-confluent' by the registry's schema")
      case _ => Left(s"the format $format has no such option here")
    }
  }

  private def truth(value: String): Either[String, Boolean] =
    value.toLowerCase(Locale.ROOT).toBooleanOption.toRight("true or false is expected")

  /** The value in DELIMITER's syntax; Flink also accepts Java's escapes. */
  private def delimiter(value: String): String = value match {
    case "\t" | "\\t" => "TAB"
    case " " => "SPACE"
    case escaped if escaped.matches("\\\\u[0-9a-fA-F]{4}") => Integer.parseInt(escaped.drop(2), 16).toChar.toString
    case other => other
  }
}
