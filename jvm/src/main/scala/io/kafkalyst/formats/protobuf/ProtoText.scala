package io.kafkalyst.formats
package protobuf

import java.util.Locale

import scala.collection.mutable

import io.kafkalyst.model.{SideFormat, TimeOfDay, TopicColumn}
import org.apache.spark.sql.types._

/**
 * Columns as a proto3 text: one message with a field per column, numbered from 1 in column order. Deterministic: the
 * same columns always give the same text.
 */
private[formats] object ProtoText {
  private val legalName = "[A-Za-z_][A-Za-z0-9_]*".r

  def legal(name: String): Boolean = legalName.matches(name)

  /** How null is distinguished from a type's default. */
  sealed trait Nulls
  object Nulls {
    case object Optional extends Nulls
    case object Wrapper extends Nulls

    val all: Map[String, Nulls] = Map("OPTIONAL" -> Optional, "WRAPPER" -> Wrapper)

    /** According to the side's property; None if it is not set: null is then an absent field. */
    def of(as: SideFormat): Option[Nulls] =
      as.options.get(SideFormat.nullableRepresentation).flatMap(given => all.get(given.toUpperCase(Locale.ROOT)))
  }

  private val defaultName = "ConnectDefault1"
  private val nestedName = "ConnectDefault"

  def of(columns: Seq[TopicColumn], as: SideFormat): String = {
    val fullName = as.options.getOrElse(SideFormat.schemaFullName, defaultName)
    val packageName = fullName.substring(0, math.max(0, fullName.lastIndexOf('.')))
    val name = fullName.substring(fullName.lastIndexOf('.') + 1)
    val taken = (name +: columns.flatMap(c => c.name +: namesIn(c.dataType))).toSet
    val writer = new Writer(Nulls.of(as), taken, packageName)
    writer.text(writer.message(name, columns.map(c => (c.name, c.dataType)), ""))
  }

  /** @param taken names that nested messages must not use: of sibling fields and of the enclosing message */
  private final class Writer(nulls: Option[Nulls], taken: Set[String], packageName: String) {
    private val imports = mutable.SortedSet.empty[String]
    // Connect numbers a field's message, and those within it, before those of the next field; the entries of a MAP count.
    private val numbers = Iterator.from(2).map(n => s"$nestedName$n").filterNot(taken)
    // A package with such a part would shadow the packages of the same name.
    private val root = if (packageName.split('.').exists(Set("google", "confluent"))) "." else ""

    def text(body: String): String = {
      val head = new StringBuilder("syntax = \"proto3\";\n")
      if (packageName.nonEmpty) head ++= s"package $packageName;\n"
      if (imports.nonEmpty) head ++= imports.map(path => s"import \"$path\";\n").mkString("\n", "", "")
      s"$head\n$body"
    }

    def message(name: String, fields: Seq[(String, DataType)], indent: String): String = {
      val nested = mutable.ArrayBuffer.empty[String]
      def message(struct: StructType): String = {
        val inner = numbers.next()
        nested += this.message(inner, struct.fields.toSeq.map(f => (f.name, f.dataType)), s"$indent  ")
        inner
      }
      val lines = fields.zipWithIndex.map { case ((field, t), i) =>
        s"$indent  ${declaration(t, message)} $field = ${i + 1}${options(t)};\n"
      }
      s"${indent}message $name {\n${lines.mkString}${nested.map("\n" + _).mkString}$indent}\n"
    }

    private def declaration(t: DataType, message: StructType => String): String = t match {
      case ArrayType(element, _) => s"repeated ${typeName(element, message)}"
      case MapType(_, value, _) =>
        numbers.next()
        s"map<string, ${typeName(value, message)}>"
      case other if nulls.contains(Nulls.Optional) => s"optional ${typeName(other, message)}"
      case other => typeName(other, message)
    }

    private def typeName(t: DataType, message: StructType => String): String =
      scalar(t).map(s => if (nulls.contains(Nulls.Wrapper)) wrapper(s) else s).getOrElse(t match {
        case s: StructType => message(s)
        case _: DateType => imported("google/type/date.proto", ProtoTypes.date)
        case _: DecimalType =>
          imports += "confluent/meta.proto"
          imported("confluent/type/decimal.proto", ProtoTypes.decimal)
        case time if TimeOfDay.is(time) => imported("google/type/timeofday.proto", ProtoTypes.timeOfDay)
        case _: TimestampType | _: TimestampNTZType => imported("google/protobuf/timestamp.proto", ProtoTypes.timestamp)
        case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
      })

    private def wrapper(scalar: String): String =
      imported(
        "google/protobuf/wrappers.proto",
        ProtoTypes.wrappers.collectFirst { case (n, ProtoScalar(`scalar`)) => n }.get
      )

    private def imported(path: String, name: String): String = {
      imports += path
      root + name
    }

    private def options(t: DataType): String = t match {
      case ArrayType(element, _) => options(element)
      case MapType(_, value, _) => options(value)
      case d: DecimalType =>
        val params = Seq("precision" -> d.precision, "scale" -> d.scale).map { case (key, n) =>
          s"""{key: "$key", value: "$n"}"""
        }
        s" [(${root}confluent.field_meta) = {params: [${params.mkString(", ")}]}]"
      case _ => ""
    }

    private def scalar(t: DataType): Option[String] = Option(t match {
      case _: BooleanType => "bool"
      case _: ByteType | _: ShortType | _: IntegerType => "int32"
      case _: LongType => "int64"
      case _: FloatType => "float"
      case _: DoubleType => "double"
      case _: StringType => "string"
      case _: BinaryType => "bytes"
      case _ => null
    })
  }

  private def namesIn(t: DataType): Seq[String] = t match {
    case s: StructType => s.fields.toSeq.flatMap(f => f.name +: namesIn(f.dataType))
    case a: ArrayType => namesIn(a.elementType)
    case m: MapType => namesIn(m.valueType)
    case _ => Nil
  }
}
