package io.kafkalyst.formats
package protobuf

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import scala.collection.mutable

/**
 * Reads a schema that was registered in compiled form, as Confluent's client for Python does: a base64
 * FileDescriptorProto (google/protobuf/descriptor.proto). Some registries return it unchanged.
 *
 * Here map entries are separate messages and count among the message indexes, as in that client.
 */
private[formats] object ProtoDescriptors {
  private val types = Vector("", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string",
    "group", "message", "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64")
  private val edition2023 = 1000L
  private val maxDepth = 100

  /** The file; None if the text is not the base64 of one. Errors: [[BadProto]]. */
  def parse(text: String): Option[ProtoFile] = {
    val bytes =
      try Base64.getDecoder.decode(text.trim)
      catch { case _: IllegalArgumentException => Array.emptyByteArray }
    // A FileDescriptorProto starts with its name, whose tag is 10. A `.proto` text is never base64: it has blanks or
    // braces.
    if (bytes.isEmpty || bytes(0) != 10) None
    else {
      try Some(file(new Raw(bytes)))
      catch { case bad: BadBytes => throw new BadProto(s"its compiled form is broken: ${bad.reason}") }
    }
  }

  private def file(raw: Raw): ProtoFile = {
    val file = new ProtoFile
    file.syntax = raw.text(12) match {
      case "proto3" => ProtoFile.Proto3
      case "editions" if raw.number(14, 0) == edition2023 => ProtoFile.Edition
      case "editions" => throw new BadProto("its edition is not known; 2023 is")
      case _ => ProtoFile.Proto2
    }
    file.packageName = raw.text(2)
    file.imports ++= raw.all(3).map(text)
    file.options ++= raw.messages(8).flatMap(_.messages(50)).flatMap(features)
    file.messages ++= raw.messages(4).map(message(_, None, file, 0))
    file.enums ++= raw.messages(5).map(enumeration)
    file
  }

  private def message(raw: Raw, parent: Option[ProtoMessage], file: ProtoFile, depth: Int): ProtoMessage = {
    if (depth > maxDepth) throw new BadProto(s"nested deeper than $maxDepth")
    val message = new ProtoMessage(raw.text(1), parent, file)
    val oneofs = raw.messages(8).map(_.text(1))
    val entries = raw.messages(3).filter(_.messages(7).exists(_.number(7, 0) == 1)).map(e => e.text(1) -> e).toMap
    message.fields ++= raw.messages(2).map { f =>
      val mapEntry = entries.get(f.text(6).substring(f.text(6).lastIndexOf('.') + 1)).filter(_ => f.number(4, 1) == 3)
      field(f, mapEntry, oneofs, file)
    }
    message.fault.foreach(reason => throw new BadProto(reason))
    message.messages ++= raw.messages(3).map(this.message(_, Some(message), file, depth + 1))
    message.enums ++= raw.messages(4).map(enumeration)
    message
  }

  private def field(raw: Raw, mapEntry: Option[Raw], oneofs: Seq[String], file: ProtoFile): ProtoField = {
    val number = raw.number(3, 0)
    if (!ProtoField.isNumber(number)) throw new BadProto(s"the field ${raw.text(1)} has the number $number")
    val isOptional = raw.number(17, 0) == 1
    val label = raw.number(4, 1) match {
      case 2 => ProtoLabel.Required
      case 3 if mapEntry.isEmpty => ProtoLabel.Repeated
      case _ if isOptional || mapEntry.isEmpty && file.syntax == ProtoFile.Proto2 => ProtoLabel.Optional
      case _ => ProtoLabel.Plain
    }
    val parts = mapEntry.toSeq.flatMap(_.messages(2))
    def part(number: Int) = parts.find(_.number(3, 0) == number).map(typeName)
    // A proto3 optional field is the only member of a synthetic oneof.
    val oneof = if (isOptional || raw.all(9).isEmpty) None else oneofs.lift(raw.number(9, 0).toInt)
    val default = raw.all(7).lastOption.map(d => "default" -> defaultOf(text(d), typeName(raw)))
    ProtoField(
      raw.text(1),
      number.toInt,
      label,
      part(2).getOrElse(typeName(raw)),
      part(1),
      raw.number(5, 0) == types.indexOf("group"),
      oneof,
      raw.messages(8).flatMap(options) ++ default,
      file
    )
  }

  private def typeName(field: Raw): String =
    if (field.all(6).nonEmpty) field.text(6) else types.lift(field.number(5, 0).toInt).getOrElse("")

  private def defaultOf(value: String, typeName: String): ProtoValue = typeName match {
    case "string" => ProtoString(value.getBytes(UTF_8))
    case "bytes" => ProtoString(new ProtoLexer(s""""$value"""").next().bytes)
    case _ => ProtoWord(value)
  }

  private def options(raw: Raw): Seq[(String, ProtoValue)] = {
    val packed = raw.all(2).map(_ => "packed" -> ProtoWord((raw.number(2, 0) == 1).toString))
    val params = raw.messages(1088).flatMap(_.messages(2)).map { entry =>
      ProtoEntries(Seq("key", "value").zip(Seq(1, 2)).map { case (n, i) => n -> ProtoWord(entry.text(i)) })
    }
    val meta = if (params.isEmpty) Nil else Seq("(confluent.field_meta).params" -> ProtoItems(params))
    packed ++ meta ++ raw.messages(21).flatMap(features)
  }

  private def features(raw: Raw): Seq[(String, ProtoValue)] = Seq(
    (1, "field_presence", Map(1L -> "EXPLICIT", 2L -> "IMPLICIT", 3L -> "LEGACY_REQUIRED")),
    (3, "repeated_field_encoding", Map(1L -> "PACKED", 2L -> "EXPANDED")),
    (5, "message_encoding", Map(1L -> "LENGTH_PREFIXED", 2L -> "DELIMITED"))
  ).flatMap { case (number, name, values) =>
    values.get(raw.number(number, 0)).map(value => s"features.$name" -> ProtoWord(value))
  }

  private def enumeration(raw: Raw): ProtoEnum = {
    val values = raw.messages(2).map(v => v.text(1) -> v.number(2, 0).toInt)
    if (values.isEmpty) throw new BadProto(s"enum ${raw.text(1)} has no value")
    new ProtoEnum(raw.text(1), values)
  }

  private def text(value: Any): String = value match {
    case bytes: Array[Byte] => new String(bytes, UTF_8)
    case _ => ""
  }

  /** A message parsed without a schema: each field number has numbers or bytes. */
  private final class Raw(bytes: Array[Byte]) {
    private val fields = mutable.LinkedHashMap.empty[Int, Seq[Any]]
    private val in = new ProtoInput
    in.reset(bytes, 0, bytes.length)
    private var tag = in.readTag()
    while (tag != 0) {
      tag & 7 match {
        case ProtoInput.varint => add(in.readVarint())
        case ProtoInput.delimited => add(in.readBytes())
        case _ => in.skip(tag)
      }
      tag = in.readTag()
    }

    private def add(value: Any): Unit = fields(tag >>> 3) = all(tag >>> 3) :+ value

    def all(number: Int): Seq[Any] = fields.getOrElse(number, Vector.empty)
    def text(number: Int): String = all(number).lastOption.map(ProtoDescriptors.text).getOrElse("")
    def number(number: Int, default: Long): Long =
      all(number).lastOption.collect { case n: Long => n }.getOrElse(default)
    def messages(number: Int): Seq[Raw] = all(number).collect { case bytes: Array[Byte] => new Raw(bytes) }
  }
}
