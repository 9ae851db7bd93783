package io.kafkalyst.formats
package protobuf

import java.util.Locale

import scala.collection.mutable

/** Why a text is not a usable Protobuf schema, in the user's terms. */
private[formats] final class BadProto(val reason: String) extends RuntimeException(reason, null, false, false)

/** The type of a field, after name resolution. */
private[formats] sealed trait ProtoType {

  /** The wire type of a value, as numbered in [[ProtoInput]]. */
  def kind: Int = ProtoInput.delimited
}

/** A scalar by its name in the language: `int32`, `string`, …. */
private[formats] final case class ProtoScalar(name: String) extends ProtoType {
  override def kind: Int = name match {
    case "double" | "fixed64" | "sfixed64" => ProtoInput.fixed64
    case "float" | "fixed32" | "sfixed32" => ProtoInput.fixed32
    case "string" | "bytes" => ProtoInput.delimited
    case _ => ProtoInput.varint
  }
}

private[formats] object ProtoScalar {
  private val names = Set("double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes")

  def of(name: String): Option[ProtoScalar] = if (names(name)) Some(ProtoScalar(name)) else None
}

private[formats] final case class ProtoMap(key: ProtoScalar, value: ProtoType) extends ProtoType

/** A group: a deprecated kind of nested message between two tags. It is skipped and cannot be a column. */
private[formats] case object ProtoGroup extends ProtoType {
  override def kind: Int = ProtoInput.groupStart
}

private[formats] final class ProtoEnum(val name: String, val values: Seq[(String, Int)]) extends ProtoType {
  override def kind: Int = ProtoInput.varint
}

/** A message with its own definitions, in the order of the text. */
private[formats] final class ProtoMessage(val name: String, val parent: Option[ProtoMessage], val file: ProtoFile)
    extends ProtoType {
  val fields: mutable.ArrayBuffer[ProtoField] = mutable.ArrayBuffer.empty
  val messages: mutable.ArrayBuffer[ProtoMessage] = mutable.ArrayBuffer.empty
  val enums: mutable.ArrayBuffer[ProtoEnum] = mutable.ArrayBuffer.empty

  /** Whether it is an entry of a map of the enclosing message. */
  var isMapEntry: Boolean = false

  /** Whether Connect made it for the entries of a map, which it writes as a message without that option. */
  private def isConnectEntry: Boolean = name.matches("ConnectDefault\\d+Entry") && (fields.toSeq match {
    case Seq(key, value) => key.name == "key" && value.name == "value" && !key.isRepeated && !value.isRepeated &&
      key.number == 1 && value.number == 2 && key.mapKey.orElse(value.mapKey).isEmpty &&
      ProtoScalar.of(key.typeName).isDefined
    case _ => false
  })

  /**
   * Makes maps of the repeated fields of such entries, here and in nested messages. The entries stay among the
   * messages, where they count among the message indexes.
   */
  def findMaps(): Unit = {
    messages.foreach(_.findMaps())
    val entries = messages.filter(e => e.isMapEntry || e.isConnectEntry).groupBy(e => lastPart(e.fullName))
    if (entries.nonEmpty) fields.indices.foreach { i =>
      val field = fields(i)
      for {
        entry <- entries.getOrElse(lastPart(field.typeName), Nil).find(e => field.isRepeated && field.names(e))
        key <- entry.fields.find(_.number == 1)
        value <- entry.fields.find(_.number == 2)
      } fields(i) = field.copy(label = ProtoLabel.Plain, typeName = value.typeName, mapKey = Some(key.typeName))
    }
  }

  private def lastPart(name: String) = name.substring(name.lastIndexOf('.') + 1)

  /** Why the message is invalid: two fields have the same number or name; None if it is valid. */
  def fault: Option[String] = {
    def twice[T](of: ProtoField => T): Option[T] =
      fields.groupBy(of).collectFirst { case (value, several) if several.size > 1 => value }
    twice(_.number).map(n => s"message $name has two fields of the number $n")
      .orElse(twice(_.name).map(n => s"message $name has two fields of the name $n"))
  }

  lazy val fullName: String = parent.map(_.fullName).getOrElse(file.packageName) match {
    case "" => name
    case scope => s"$scope.$name"
  }

  /**
   * Its oneofs as columns, in the order of the text; without those whose column has a field's name, which then means
   * the field. (An `optional` field is in no oneof.)
   */
  lazy val oneofs: Seq[ProtoOneof] = {
    val members = fields.toSeq.filter(_.oneof.isDefined).groupBy(_.oneof.get)
    val names = fields.map(_.name.toLowerCase(Locale.ROOT)).toSet
    fields.toSeq.flatMap(_.oneof).distinct.zipWithIndex.map { case (name, i) =>
      ProtoOneof(name, s"${name}_$i", members(name))
    }.filterNot(o => names(o.column.toLowerCase(Locale.ROOT)))
  }

  /** The wire format's message indexes: those of the enclosing messages, then its index among its siblings. */
  def indexes: Seq[Int] = parent match {
    case Some(around) => around.indexes :+ around.messages.indexOf(this)
    case None => Seq(file.messages.indexOf(this))
  }
}

/**
 * A oneof that is one column.
 *
 * @param column Connect's name for the column: the oneof's name and its index
 */
private[formats] final case class ProtoOneof(name: String, column: String, members: Seq[ProtoField])

/** The label before a field's type. */
private[formats] sealed trait ProtoLabel

private[formats] object ProtoLabel {
  case object Plain extends ProtoLabel
  case object Optional extends ProtoLabel
  case object Required extends ProtoLabel
  case object Repeated extends ProtoLabel
}

/**
 * A field as written.
 *
 * @param typeName unresolved name of its type; of the value's type for a map
 * @param mapKey   the type of a map's keys
 * @param oneof    the oneof that it is a member of
 */
private[formats] final case class ProtoField(
    name: String,
    number: Int,
    label: ProtoLabel,
    typeName: String,
    mapKey: Option[String],
    isGroup: Boolean,
    oneof: Option[String],
    options: Seq[(String, ProtoValue)],
    file: ProtoFile
) {
  private def option(name: String): Option[String] = options.collectFirst { case (`name`, ProtoWord(text)) => text }
  private def feature(name: String): Option[String] =
    (options ++ file.options).collectFirst {
      case (option, ProtoWord(text)) if option == s"features.$name" => text
      case ("features", ProtoEntries(all)) if all.exists(_._1 == name) =>
        all.collectFirst { case (`name`, ProtoWord(text)) => text }.getOrElse("")
    }

  /** Whether its type is this message of the one that holds the field. */
  def names(nested: ProtoMessage): Boolean = s".${nested.fullName}".endsWith(s".${typeName.stripPrefix(".")}")

  def isRepeated: Boolean = label == ProtoLabel.Repeated

  def isRequired: Boolean = label == ProtoLabel.Required || feature("field_presence").contains("LEGACY_REQUIRED")

  /** Whether an absent field differs from one that holds its type's default. */
  def hasPresence: Boolean = !isRepeated && mapKey.isEmpty && {
    if (oneof.isDefined || label != ProtoLabel.Plain) true
    else file.syntax match {
      case ProtoFile.Proto3 => false
      case ProtoFile.Proto2 => true
      case _ => !feature("field_presence").contains("IMPLICIT")
    }
  }

  /** Whether a repeated number is written packed. Both encodings are read. */
  def isPacked: Boolean = option("packed") match {
    case Some(given) => given == "true"
    case None if file.syntax == ProtoFile.Edition => !feature("repeated_field_encoding").contains("EXPANDED")
    case None => file.syntax == ProtoFile.Proto3
  }

  /** Whether a message is written between two tags instead of with a length prefix; maps never are. */
  def isDelimited: Boolean = feature("message_encoding").contains("DELIMITED")

  /** The proto2 default for an absent field. */
  def default: Option[ProtoValue] = options.collectFirst { case ("default", value) => value }

  /** A parameter from the field's Confluent field_meta, such as a decimal's scale. */
  def parameter(name: String): Option[String] = {
    def entries(value: ProtoValue): Seq[Seq[(String, ProtoValue)]] = value match {
      case ProtoEntries(one) => Seq(one)
      case ProtoItems(items) => items.flatMap(entries)
      case _ => Nil
    }
    val given = options.flatMap {
      case ("(confluent.field_meta)" | "(.confluent.field_meta)", ProtoEntries(all)) =>
        all.collect { case ("params", value) => value }
      case ("(confluent.field_meta).params" | "(.confluent.field_meta).params", value) => Seq(value)
      case _ => Nil
    }
    given.flatMap(entries).collectFirst {
      case entry if entry.exists(e => e._1 == "key" && e._2.text.contains(name)) =>
        entry.collectFirst { case ("value", value) => value }.flatMap(_.text)
    }.flatten
  }
}

private[formats] object ProtoField {

  /** Whether a field may have this number. */
  def isNumber(n: Long): Boolean = n >= 1 && n <= 536870911
}

/** The value of an option. */
private[formats] sealed trait ProtoValue {

  /** A word's or a string's text. */
  def text: Option[String] = None
}

/** A number or a name. */
private[formats] final case class ProtoWord(word: String) extends ProtoValue {
  override def text: Option[String] = Some(word)
}

/** A string: its bytes, which are UTF-8 unless it is a default of bytes. */
private[formats] final case class ProtoString(bytes: Array[Byte]) extends ProtoValue {
  override def text: Option[String] = Some(new String(bytes, java.nio.charset.StandardCharsets.UTF_8))
}

private[formats] final case class ProtoEntries(entries: Seq[(String, ProtoValue)]) extends ProtoValue
private[formats] final case class ProtoItems(items: Seq[ProtoValue]) extends ProtoValue

/** One `.proto` text as written. */
private[formats] final class ProtoFile {
  var syntax: ProtoFile.Syntax = ProtoFile.Proto2
  var packageName: String = ""
  val imports: mutable.ArrayBuffer[String] = mutable.ArrayBuffer.empty
  val options: mutable.ArrayBuffer[(String, ProtoValue)] = mutable.ArrayBuffer.empty
  val messages: mutable.ArrayBuffer[ProtoMessage] = mutable.ArrayBuffer.empty
  val enums: mutable.ArrayBuffer[ProtoEnum] = mutable.ArrayBuffer.empty
}

private[formats] object ProtoFile {
  sealed trait Syntax
  case object Proto2 extends Syntax
  case object Proto3 extends Syntax
  case object Edition extends Syntax
}
