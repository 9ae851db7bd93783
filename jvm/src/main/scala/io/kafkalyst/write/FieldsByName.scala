package io.kafkalyst.write

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Values of writes by name: as in Spark, fields of STRUCTs are also matched by name, at any depth, and every field must
 * be given. An exact match takes precedence over one that differs in case.
 */
object FieldsByName {

  /**
   * The value with the wanted type's fields in order; fields that the value lacks are NULL.
   *
   * @param names the value's type with the user's names
   * @param store converts a value without fields
   */
  def apply(value: Expression, names: DataType, to: DataType)(
      store: (Expression, DataType) => Expression
  ): Expression = (names, to) match {
    case _ if DataType.equalsIgnoreNullability(value.dataType, to) => value
    case (from: StructType, fields: StructType) =>
      val struct = CreateNamedStruct(fields.zip(places(from, fields)).flatMap { case (field, i) =>
        Seq(
          Literal(field.name),
          if (i < 0) Literal.create(null, field.dataType)
          else apply(GetStructField(value, i), from(i).dataType, field.dataType)(store)
        )
      })
      If(IsNull(value), Literal.create(null, struct.dataType), struct)
    case (ArrayType(from, _), ArrayType(element, _)) => each(value, from, element, store)
    case (MapType(k, from, _), MapType(l, element, _)) if DataType.equalsIgnoreNullability(k, l) =>
      val MapType(keyType, valueType, _) = value.dataType: @unchecked
      val key = NamedLambdaVariable("key", keyType, nullable = false)
      val entry = NamedLambdaVariable("value", valueType, nullable = true)
      TransformValues(value, LambdaFunction(apply(entry, from, element)(store), Seq(key, entry)))
    case (MapType(k, from, _), MapType(l, element, _)) =>
      MapFromArrays(each(MapKeys(value), k, l, store), each(MapValues(value), from, element, store))
    case _ => store(value, to)
  }

  private def each(
      array: Expression,
      names: DataType,
      to: DataType,
      store: (Expression, DataType) => Expression
  ): Expression = {
    val ArrayType(from, hasNulls) = array.dataType: @unchecked
    val element = NamedLambdaVariable("element", from, hasNulls)
    ArrayTransform(array, LambdaFunction(apply(element, names, to)(store), Seq(element)))
  }

  /** For each wanted field, the index of the given field; -1 if it is not given. */
  def places(from: StructType, to: StructType): Seq[Int] = {
    val exact = to.fieldNames.toSeq.map(from.fieldNames.indexOf(_))
    val others = from.indices.diff(exact)
    val found = to.fieldNames.toSeq.zip(exact).map { case (name, i) =>
      if (i >= 0) i else others.find(from(_).name.equalsIgnoreCase(name)).getOrElse(-1)
    }
    found.zipWithIndex.map { case (i, at) => if (found.indexOf(i) == at) i else -1 }
  }

  /**
   * Rejects a value that cannot be stored in the column.
   *
   * @param names as in [[apply]]
   * @throws io.kafkalyst.errors.KafkalystException INSERT_FIELDS, INSERT_COLUMN_TYPE
   */
  def check(sinkName: String, column: TopicColumn, names: DataType): Unit = {
    def check(path: String, from: DataType, to: DataType): Unit = (from, to) match {
      case (f: StructType, t: StructType) =>
        val found = places(f, t)
        if (found.sorted != f.indices) throw KafkalystException(
          "INSERT_FIELDS",
          "object" -> sinkName,
          "column" -> path,
          "given" -> f.fieldNames.mkString(", "),
          "expected" -> t.fieldNames.mkString(", ")
        )
        t.zip(found).foreach { case (field, i) => check(s"$path.${field.name}", f(i).dataType, field.dataType) }
      case (ArrayType(f, _), ArrayType(t, _)) => check(s"$path.element", f, t)
      case (MapType(k, f, _), MapType(l, t, _)) =>
        check(s"$path.key", k, l)
        check(s"$path.value", f, t)
      case _ =>
        SinkColumns.checkType(sinkName, column, names, SinkColumns.isStorable(from, to))
    }
    check(column.name, names, column.dataType)
  }
}
