package io.kafkalyst.formats

import java.util.Locale

import io.kafkalyst.formats.avro.{AvroFormat, AvroNosrFormat}
import io.kafkalyst.formats.delimited.DelimitedFormat
import io.kafkalyst.formats.events.{
  CanalJsonFormat,
  DebeziumAvroFormat,
  DebeziumJsonFormat,
  EventFormat,
  MaxwellJsonFormat,
  OggJsonFormat
}
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.formats.protobuf.{ProtobufFormat, ProtobufNosrFormat}
import io.kafkalyst.formats.raw.{KafkaFormat, NoneFormat}
import io.kafkalyst.errors.{Conditions, KafkalystException}

/** Every format by name: the only list of them. */
object Formats {
  private val all: Map[String, Format] =
    Seq(
      AvroFormat,
      AvroNosrFormat,
      CanalJsonFormat,
      DebeziumAvroFormat,
      DebeziumJsonFormat,
      DelimitedFormat,
      JsonFormat,
      JsonSrFormat,
      KafkaFormat,
      MaxwellJsonFormat,
      NoneFormat,
      OggJsonFormat,
      ProtobufFormat,
      ProtobufNosrFormat
    ).map(f => f.name -> f).toMap

  /** The names, sorted. */
  def names: Seq[String] = all.keys.toSeq.sorted

  /** The names of the formats that support a side's option, sorted. */
  def knowing(option: String): Seq[String] = all.values.filter(_.properties.contains(option)).map(_.name).toSeq.sorted

  /** The format of that name, ignoring case. */
  def of(name: String): Option[Format] = all.get(name.trim.toUpperCase(Locale.ROOT))

  /** As [[of]]; KafkalystException UNKNOWN_FORMAT with the nearest name if there is none. */
  def apply(name: String): Format = of(name).getOrElse {
    throw KafkalystException(
      "UNKNOWN_FORMAT",
      "format" -> name,
      "nearest" -> Conditions.nearest(name, names),
      "known" -> names.mkString(", ")
    )
  }

  /** The event format of that name; None if there is none. */
  def events(name: String): Option[EventFormat] = of(name).collect { case events: EventFormat => events }
}
