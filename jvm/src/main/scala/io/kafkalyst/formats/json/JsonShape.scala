package io.kafkalyst.formats
package json

import org.apache.spark.sql.types._

/** A JSON Schema's description of one value; [[JsonShape.Free]] without a schema. */
private[formats] sealed abstract class JsonShape {

  /** Whether the value may be null. */
  def nullable: Boolean = true
}

private[formats] object JsonShape {

  /** Unspecified: the column's type alone decides. */
  case object Free extends JsonShape

  case object OnlyNull extends JsonShape

  /** A value of no single type: a STRING column holds its JSON text. */
  final case class Mixed(override val nullable: Boolean) extends JsonShape

  /** A value of one of several kinds, read as a struct of all of them; only by Kafka Connect's rules. */
  final case class OneOf(members: Seq[Later], override val nullable: Boolean) extends JsonShape

  /** A number, string or boolean whose column has this type. */
  final case class Scalar(dataType: DataType, form: Form, override val nullable: Boolean) extends JsonShape

  /** An array. */
  final case class Items(item: Later, override val nullable: Boolean) extends JsonShape

  /** A map as an object. */
  final case class Members(value: Later, override val nullable: Boolean) extends JsonShape

  /** A map as an array of objects with `key` and `value`. */
  final case class Entries(value: Later, override val nullable: Boolean) extends JsonShape

  /**
   * An object with named fields.
   *
   * @param identity detects recursive schemas
   * @param open     whether unnamed fields are allowed
   */
  final case class Fields(identity: AnyRef, fields: Seq[Field], open: Boolean, override val nullable: Boolean)
      extends JsonShape

  /** @param default JSON text of the default; null if there is none */
  final case class Field(name: String, shape: Later, required: Boolean, default: String)

  /** A lazily computed shape, as a schema may be recursive. */
  final class Later(make: => JsonShape) {
    lazy val get: JsonShape = make
  }

  /** The text form of a scalar. */
  sealed trait Form
  case object Boolean extends Form
  case object Number extends Form
  case object Text extends Form

  /** A decimal's unscaled number, big-endian, in base64; the scale may be outside a column's range. */
  final case class Unscaled(scale: Int) extends Form

  /** Whether the type is integral, of 1 to 8 bytes. */
  def isIntegral(t: DataType): Boolean = t match {
    case _: ByteType | _: ShortType | _: IntegerType | _: LongType => true
    case _ => false
  }

  def item(shape: JsonShape): JsonShape = shape match {
    case Items(item, _) => item.get
    case _ => Free
  }

  def value(shape: JsonShape): JsonShape = shape match {
    case Members(value, _) => value.get
    case Entries(value, _) => value.get
    case _ => Free
  }

  /** The shapes of fields by column name: the exact name, else the only one that matches ignoring case. */
  def fields(shape: JsonShape, columns: Seq[String]): Seq[JsonShape] = shape match {
    case f: Fields =>
      val fed = matching(f, columns)
      columns.indices.map(c => fed.indexOf(c)).map(i => if (i < 0) Free else f.fields(i).shape.get)
    case _ => columns.map(_ => Free)
  }

  /** For each field the column that it belongs to, or -1. */
  def matching(f: Fields, columns: Seq[String]): Array[Int] = {
    val index = new FieldIndex(columns)
    val exact = f.fields.map(field => index.exact(field.name))
    val loose = f.fields.map(field => index.inOtherCase(field.name))
    val clear = loose.filter(c => c >= 0 && !exact.contains(c)).groupBy(identity).collect { case (c, Seq(_)) =>
      c
    }.toSet
    exact.zip(loose).map { case (e, l) => if (e >= 0) e else if (clear(l)) l else -1 }.toArray
  }
}
