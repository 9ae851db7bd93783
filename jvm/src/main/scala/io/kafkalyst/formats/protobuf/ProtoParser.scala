package io.kafkalyst.formats
package protobuf

import java.util.Locale

import scala.collection.mutable

/**
 * Parses a `.proto` text of proto2, proto3 or an edition, by protobuf.dev's language specifications. Skips parts that
 * do not affect the encoding of messages: services, extensions, reserved numbers.
 *
 * Errors: [[BadProto]] with the line.
 */
private[formats] final class ProtoParser(text: String) {
  import ProtoToken._

  private val lexer = new ProtoLexer(text)
  private val file = new ProtoFile
  private var token = lexer.next()
  private var depth = 0

  def parse(): ProtoFile = {
    while (token.kind != End) statement()
    // Confluent's clients turn a compiled schema into such a text, where entries of maps are messages with an option.
    file.messages.foreach(_.findMaps())
    file
  }

  private def statement(): Unit = advance().text match {
    case "syntax" => declare {
        case "proto2" => ProtoFile.Proto2
        case "proto3" => ProtoFile.Proto3
        case other => bad(s"""the syntax "$other" is not known""")
      }
    case "edition" => declare {
        case "2023" => ProtoFile.Edition
        case other => bad(s"""the edition "$other" is not known; 2023 is""")
      }
    case "package" =>
      file.packageName = fullName()
      sign(";")
    case "import" =>
      if (is("public") || is("weak")) advance()
      file.imports += string()
      sign(";")
    case "option" => file.options += option(";")
    case "message" => file.messages += message(None)
    case "enum" => file.enums += enumeration()
    case "service" | "extend" => skipStatement()
    case ";" =>
    case other => bad(s""""$other" begins no statement""")
  }

  private def declare(syntax: String => ProtoFile.Syntax): Unit = {
    sign("=")
    file.syntax = syntax(string())
    sign(";")
  }

  private def message(parent: Option[ProtoMessage]): ProtoMessage = {
    val message = new ProtoMessage(name(), parent, file)
    body(message)
    message
  }

  private def body(message: ProtoMessage): Unit = {
    block {
      token.text match {
        case "message" =>
          advance()
          message.messages += this.message(Some(message))
        case "enum" =>
          advance()
          message.enums += enumeration()
        case "oneof" =>
          advance()
          val oneof = name()
          block(if (take("option")) option(";") else if (!take(";")) message.fields += field(message, Some(oneof)))
        case "extend" | "extensions" | "reserved" => skipStatement()
        case "option" =>
          advance()
          option(";") match {
            case ("map_entry", ProtoWord(word)) => message.isMapEntry = word == "true"
            case _ =>
          }
        case ";" => advance()
        case _ => message.fields += field(message, None)
      }
    }
    message.fault.foreach(bad)
  }

  private def field(message: ProtoMessage, oneof: Option[String]): ProtoField = {
    val label =
      if (take("optional")) ProtoLabel.Optional
      else if (take("required")) ProtoLabel.Required
      else if (take("repeated")) ProtoLabel.Repeated
      else ProtoLabel.Plain
    val isGroup = take("group")
    var key: Option[String] = None
    val typeName =
      if (isGroup) ""
      else if (take("map")) {
        sign("<")
        key = Some(fullName())
        sign(",")
        val value = fullName()
        sign(">")
        value
      } else fullName()
    val fieldName = name()
    sign("=")
    val number = integer()
    if (!ProtoField.isNumber(number)) bad(s"the field $fieldName has the number $number")
    val options = if (is("[")) fieldOptions() else Nil
    val made = (name: String) =>
      ProtoField(name, number.toInt, label, typeName, key, isGroup, oneof, options, file)
    if (isGroup) {
      // The message of a group has no index among the wire format's message indexes.
      body(new ProtoMessage(fieldName, Some(message), file))
      made(fieldName.toLowerCase(Locale.ROOT))
    } else {
      sign(";")
      made(fieldName)
    }
  }

  private def enumeration(): ProtoEnum = {
    val enumName = name()
    val values = mutable.ArrayBuffer.empty[(String, Int)]
    block {
      token.text match {
        case "option" =>
          advance()
          option(";")
        case "reserved" => skipStatement()
        case ";" => advance()
        case _ =>
          val symbol = name()
          sign("=")
          values += symbol -> integer().toInt
          if (is("[")) fieldOptions()
          sign(";")
      }
    }
    if (values.isEmpty) bad(s"enum $enumName has no value")
    new ProtoEnum(enumName, values.toSeq)
  }

  private def fieldOptions(): Seq[(String, ProtoValue)] = {
    val options = mutable.ArrayBuffer.empty[(String, ProtoValue)]
    sign("[")
    if (!take("]")) {
      options += option("")
      while (take(",")) options += option("")
      sign("]")
    }
    options.toSeq
  }

  /** `name = value`, and the token that ends it. */
  private def option(end: String): (String, ProtoValue) = {
    val name = new StringBuilder
    def part(): Unit =
      if (take("(")) {
        name ++= s"(${fullName()})"
        sign(")")
      } else name ++= fullName()
    part()
    // A name in parentheses may be followed by the path of one of its fields; fullName reads the path's leading dot.
    while (is(".") || is("(")) part()
    sign("=")
    val result = name.toString -> value()
    if (end.nonEmpty) sign(end)
    result
  }

  private def value(): ProtoValue = nested {
    if (is("{") || is("<")) entries()
    else if (take("[")) {
      val items = mutable.ArrayBuffer.empty[ProtoValue]
      while (!take("]")) {
        items += value()
        take(",")
      }
      ProtoItems(items.toSeq)
    } else if (token.kind == Text) ProtoString(strings())
    else {
      val sign = if (take("-")) "-" else ""
      if (token.kind != Word && token.kind != Number) unexpected("a value")
      ProtoWord(sign + (if (token.kind == Word) fullName() else advance().text))
    }
  }

  /** A message in the text format. */
  private def entries(): ProtoEntries = {
    val close = if (advance().text == "{") "}" else ">"
    val all = mutable.ArrayBuffer.empty[(String, ProtoValue)]
    while (!take(close)) {
      val name =
        if (take("[")) {
          val extension = new StringBuilder
          while (!is("]")) extension ++= advanceWithin().text
          advance()
          s"[$extension]"
        } else advanceWithin().text
      if (!take(":") && !is("{") && !is("<")) unexpected(": or {")
      all += name -> value()
      if (is(",") || is(";")) advance()
    }
    ProtoEntries(all.toSeq)
  }

  /** Skips the rest of a statement: up to its semicolon, or its block. */
  private def skipStatement(): Unit = {
    var open = 0
    var ended = false
    while (!ended) {
      val now = advanceWithin()
      if (now.kind == Sign) now.text match {
        case "{" | "[" => open += 1
        case "}" | "]" =>
          open -= 1
          ended = open == 0 && now.text == "}"
        case ";" => ended = open == 0
        case _ =>
      }
    }
    take(";")
  }

  private def block(item: => Unit): Unit = nested {
    sign("{")
    while (!take("}")) {
      if (token.kind == End) unexpected("}")
      item
    }
  }

  /** Protects the stack against deeply nested texts. */
  private def nested[T](read: => T): T = {
    depth += 1
    if (depth > 100) bad("nested deeper than 100")
    val result = read
    depth -= 1
    result
  }

  private def advance(): ProtoToken = {
    val now = token
    token = lexer.next()
    now
  }

  private def advanceWithin(): ProtoToken = if (token.kind == End) unexpected("more") else advance()

  private def is(text: String): Boolean = token.kind != Text && token.kind != End && token.text == text

  private def take(text: String): Boolean = is(text) && { advance(); true }

  private def sign(text: String): Unit = if (!take(text)) unexpected(text)

  private def name(): String = if (token.kind == Word) advance().text else unexpected("a name")

  /** Names separated by dots, with an optional leading dot. */
  private def fullName(): String = {
    val full = new StringBuilder(if (take(".")) "." else "")
    full ++= name()
    while (take(".")) {
      full += '.'
      if (!is("(")) full ++= name()
    }
    full.toString
  }

  private def integer(): Long = {
    val sign = if (take("-")) "-" else ""
    if (token.kind != Number) unexpected("a number")
    val digits = advance().text
    // As decode does: a leading 0 is octal, 0x hexadecimal.
    try java.lang.Long.decode(sign + digits)
    catch { case _: NumberFormatException => bad(s"$digits is not a whole number") }
  }

  private def string(): String = {
    if (token.kind != Text) unexpected("a string")
    new String(strings(), java.nio.charset.StandardCharsets.UTF_8)
  }

  /** Adjacent strings are concatenated. */
  private def strings(): Array[Byte] = {
    val all = new java.io.ByteArrayOutputStream
    while (token.kind == Text) all.writeBytes(advance().bytes)
    all.toByteArray
  }

  private def unexpected(wanted: String): Nothing =
    bad(s"${if (token.kind == Text) "a string" else token.text} stands where $wanted is expected")

  private def bad(what: String): Nothing = throw new BadProto(s"line ${token.line}: $what")
}
