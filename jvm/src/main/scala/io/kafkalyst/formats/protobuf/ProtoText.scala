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
    writer.message(name, columns.map(c => (c.name, c.dataType)), "")
    writer.text(packageName)
  }

  /** @param taken names that nested messages must not use: of sibling fields and of the enclosing message */
  private final class Writer(nulls: Option[Nulls], taken: Set[String], packageName: String) {
    private val body = new StringBuilder
    private val imports = mutable.SortedSet.empty[String]
    private val numbers = Iterator.from(2).map(n => s"$nestedName$n").filterNot(taken)
    // A package with such a part would shadow the packages of the same name.
    private val root = if (packageName.split('.').exists(Set("google", "confluent"))) "." else ""

    def text(packageName: String): String = {
      val head = new StringBuilder("syntax = \"proto3\";\n")
      if (packageName.nonEmpty) head ++= s"package $packageName;\n"
      if (imports.nonEmpty) head ++= imports.map(path => s"import \"$path\";\n").mkString("\n", "", "")
      s"$head\n$body"
    }

    def message(name: String, fields: Seq[(String, DataType)], indent: String): Unit = {
      body ++= s"${indent}message $name {\n"
      val nested = mutable.ArrayBuffer.empty[(String, StructType)]
      fields.zipWithIndex.foreach { case ((field, t), i) =>
        body ++= s"$indent  ${declaration(t, nested)} $field = ${i + 1}${options(t)};\n"
      }
      nested.foreach { case (inner, struct) =>
        body += '\n'
        message(inner, struct.fields.toSeq.map(f => (f.name, f.dataType)), s"$indent  ")
      }
      body ++= s"$indent}\n"
    }

    private def declaration(t: DataType, nested: mutable.ArrayBuffer[(String, StructType)]): String = t match {
      case ArrayType(element, _) => s"repeated ${typeName(element, nested)}"
      case MapType(_, value, _) => s"map<string, ${typeName(value, nested)}>"
      case other =>
        (scalar(other), nulls) match {
          case (Some(scalar), Some(Nulls.Optional)) => s"optional $scalar"
          case (Some(scalar), Some(Nulls.Wrapper)) => wrapper(scalar)
          case _ => typeName(other, nested)
        }
    }

    private def typeName(t: DataType, nested: mutable.ArrayBuffer[(String, StructType)]): String =
      scalar(t).getOrElse(t match {
        case s: StructType =>
          val name = numbers.next()
          nested += name -> s
          name
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
