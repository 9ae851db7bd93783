package io.kafkalyst.functions
package flink

import java.time.{LocalDateTime, ZoneOffset}
import java.time.format.DateTimeFormatter

import scala.util.{Failure, Success, Try}

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode, TextNode}
import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.functions.KsqlFunction.{computed, nameIn, wrong}
import io.kafkalyst.functions.KsqlStrings.utf
import io.kafkalyst.functions.aggregates.{Kept, KeptValues}
import org.apache.spark.sql.catalyst.expressions.{Cast, CreateNamedStruct, Expression, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

/**
 * SQL/JSON as in Flink. The clauses of its calls (RETURNING, ON EMPTY, ON ERROR and others) are passed as further
 * arguments (`parse.flink.JsonClauses`).
 */
private[functions] object FlinkJson {
  private val nodes = JsonNodeFactory.instance

  /** The behaviour that fails the query, in ON EMPTY and ON ERROR. */
  private val error = "ERROR"

  /**
   * Found is null if there is no value; a failure is a text that is not JSON, or a strict path without a value.
   *
   * @param result the type of the result, and of every second argument behind the path
   */
  private def query(usage: String, args: Seq[Expression], most: Int, result: DataType)(
      body: (Either[Throwable, JsonNode], Boolean, Seq[Any]) => Any
  ): Expression = {
    val name = nameIn(usage)
    if (args.size < 2 || args.size > most) throw wrong(usage, args)
    if (!args(1).foldable || args(1).dataType != StringType) throw KafkalystException(
      "FUNCTION_ARGUMENT_TYPE",
      "function" -> name,
      "argument" -> "path",
      "expected" -> "a constant STRING",
      "found" -> args(1).sql,
      "hint" -> "Write the path itself, as in '$.a.b'."
    )
    val text = args(1).eval()
    if (text == null) throw wrong(usage, args)
    val path = JsonPath.read(text.toString).getOrElse(throw KafkalystException(
      "FUNCTION_JSON_PATH",
      "function" -> name,
      "path" -> text.toString
    ))
    val values = args.head +: args.drop(2).zipWithIndex.map { case (a, i) =>
      val t = if (i % 2 == 1) result else StringType
      if (a.dataType == t) a else Cast(a, t)
    }
    Fallible(s"$name($text)", values, result) { values =>
      if (values(0) == null) null else body(found(values(0), path), path.isLax, values.toSeq.drop(1))
    }
  }

  private def found(text: Any, path: JsonPath): Either[Throwable, JsonNode] = Try(KsqlJson.read(text)) match {
    case Failure(_) if path.isLax => Right(null)
    // JSON's null has no fields, not even for a lax path.
    case Success(json) => Try(if (json.isNull) throw new NoSuchElementException("null") else path.of(json)).toEither
    case Failure(broken) => Left(broken)
  }

  /** The result of an `ON EMPTY` or `ON ERROR` clause. */
  private def otherwise(function: String, behaviour: Any, default: Any, cause: String): Any = behaviour match {
    case null | "NULL" => null
    case `error` => throw KafkalystTaskException(null, "FUNCTION_JSON_FAILED", "function" -> function, "cause" -> cause)
    case "EMPTY ARRAY" => utf("[]")
    case "EMPTY OBJECT" => utf("{}")
    case _ => default
  }

  /**
   * The picked part of the node at the path. A node of another kind counts as empty for a lax path, and fails a strict
   * one.
   */
  private def given(found: Either[Throwable, JsonNode], isLax: Boolean, empty: => Any, failed: String => Any)(
      pick: JsonNode => Option[Any]
  ): Any = found.fold(
    _ => failed(broken),
    node => if (node == null) empty else pick(node).getOrElse(if (isLax) empty else failed(other))
  )

  private def word(value: Any): String = if (value == null) null else value.toString

  private val absent = "nothing stands there"
  private val broken = "the text is not JSON, or nothing stands at the strict path"
  private val other = "what stands there is of another kind"
  private val unfit = "what stands there does not convert to the type of RETURNING"

  private val value = {
    val usage = "JSON_VALUE(json, path [RETURNING type] [… ON EMPTY] [… ON ERROR])"
    computed(s"$usage - The text, number or BOOLEAN at a constant path, STRING unless RETURNING says another type.") {
      args =>
        // A NULL of RETURNING's type.
        val returned = args.lift(6).fold[DataType](StringType)(_.dataType)
        val convert = new JsonScalar(returned)
        query(usage, if (args.size == 7) args.init else args, 6, returned) { (found, isLax, more) =>
          def empty = otherwise("json_value", word(more.headOption.orNull), more.lift(1).orNull, absent)
          def failed(cause: String) = otherwise("json_value", word(more.lift(2).orNull), more.lift(3).orNull, cause)
          val scalar = given(found, isLax, empty, failed) { node => Option.when(!node.isContainerNode)(node) }
          scalar match {
            case node: JsonNode => convert(node).getOrElse(failed(unfit))
            case other => other
          }
        }
    }
  }

  private val part = {
    val usage = "JSON_QUERY(json, path [… WRAPPER] [… ON EMPTY] [… ON ERROR])"
    computed(s"$usage - The array or object at a constant path, as JSON.") { args =>
      query(usage, args, 5, StringType) { (found, isLax, more) =>
        def empty = otherwise("json_query", word(more.lift(1).orNull), null, absent)
        def failed(cause: String) = otherwise("json_query", word(more.lift(2).orNull), null, cause)
        given(found, isLax, empty, failed) { node =>
          val isWrapped = word(more.headOption.orNull) match {
            case "WITH" => true
            case "CONDITIONAL" => !node.isArray
            case _ => false
          }
          if (isWrapped) Some(utf(nodes.arrayNode().add(node).toString))
          else Option.when(node.isContainerNode)(utf(node.toString))
        }
      }
    }
  }

  private val exists = {
    val usage = "JSON_EXISTS(json, path [TRUE|FALSE|UNKNOWN|ERROR ON ERROR])"
    computed(s"$usage - Whether anything but null stands at a constant path.") { args =>
      query(usage, args, 3, BooleanType) { (found, _, more) =>
        found.fold[Any](
          _ =>
            word(more.headOption.orNull) match {
              case null | "FALSE" => false
              case "TRUE" => true
              case "UNKNOWN" => null
              case behaviour => otherwise("json_exists", behaviour, null, broken)
            },
          _ != null
        )
      }
    }
  }

  private val isJson = {
    val usage = "IS_JSON(text[, kind])"
    computed(s"$usage - text IS JSON [VALUE|OBJECT|ARRAY|SCALAR]: whether it is JSON of that kind; FALSE for null.") {
      args =>
        if (args.isEmpty || args.size > 2) throw wrong(usage, args)
        Computed("is_json", args, BooleanType, args.map(_ => StringType), nulls = true) { a =>
          a(0) != null && Try(KsqlJson.read(a(0))).toOption.exists { node =>
            a.lift(1).map(_.toString).getOrElse("VALUE") match {
              case "OBJECT" => node.isObject
              case "ARRAY" => node.isArray
              case "SCALAR" => node.isValueNode
              case _ => true
            }
          }
        }
    }
  }

  private val made = Set(
    "json_object",
    "json_object_absent",
    "json_array",
    "json_array_null",
    "json_objectagg",
    "json_objectagg_absent",
    "json_arrayagg",
    "json_arrayagg_null"
  )

  private def givesJson(e: Expression) = e match {
    case c: Computed => made(c.name)
    case f: Fallible => f.name == "json" || f.name.startsWith("json_query")
    case _ => false
  }

  private def node(value: Any, of: Expression): JsonNode =
    if (value != null && givesJson(of)) KsqlJson.read(value) else KsqlJson.node(value, of.dataType, timeText)

  /** Prints the digits that the time needs, and Z if it has a zone. */
  private def timeText(micros: Long, t: DataType): String = {
    val nanos = Math.floorMod(micros, 1000000L).toInt * 1000
    val time = LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1000000L), nanos, ZoneOffset.UTC)
    DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time) + (if (t == TimestampType) "Z" else "")
  }

  private def objectOf(name: String, usage: String, keepsNulls: Boolean) = computed(usage) { args =>
    if (args.size % 2 != 0 || args.indices.by(2).exists(i => args(i).dataType != StringType)) throw wrong(usage, args)
    Computed(name, args, StringType, Nil, nulls = true) { values =>
      val all: ObjectNode = nodes.objectNode()
      values.indices.by(2).filter(i => keepsNulls || values(i + 1) != null)
        .foreach(i => all.set[JsonNode](values(i).toString, node(values(i + 1), args(i + 1))))
      utf(KsqlJson.textInOrder(all))
    }
  }

  private def arrayOf(name: String, usage: String, keepsNulls: Boolean) = computed(usage) { args =>
    Computed(name, args, StringType, Nil, nulls = true) { values =>
      val all: ArrayNode = nodes.arrayNode()
      values.indices.filter(i => keepsNulls || values(i) != null).foreach(i => all.add(node(values(i), args(i))))
      utf(all.toString)
    }
  }

  /** Aggregates all rows of a group, in their order. */
  private def arrayAgg(name: String, usage: String, keepsNulls: Boolean) = computed(usage) {
    case Seq(x) =>
      val all = rowsOf(name, x)
      Computed(name, Seq(all), StringType, Nil, nulls = true) { a =>
        val array: ArrayNode = nodes.arrayNode()
        rows(a(0), x).map(_.head).filter(keepsNulls || _ != null).foreach(v => array.add(node(v, x)))
        utf(KsqlJson.textInOrder(array))
      }
    case args => throw wrong(usage, args)
  }

  private def objectAgg(name: String, usage: String, keepsNulls: Boolean) = computed(usage) {
    case Seq(key, x) if key.dataType == StringType =>
      val all = rowsOf(name, key, x)
      Computed(name, Seq(all), StringType, Nil, nulls = true) { a =>
        val fields: ObjectNode = nodes.objectNode()
        rows(a(0), key, x).filter(r => r.head != null && (keepsNulls || r(1) != null))
          .foreach(r => fields.set[JsonNode](r.head.toString, node(r(1), x)))
        utf(KsqlJson.textInOrder(fields))
      }
    case args => throw wrong(usage, args)
  }

  private def rowsOf(name: String, columns: Expression*) = {
    val row = CreateNamedStruct(columns.zipWithIndex.flatMap { case (c, i) => Seq(Literal(s"c$i"), c) })
    KeptValues(name, row, Kept.First, nulls = false).toAggregateExpression()
  }

  private def rows(all: Any, columns: Expression*): Seq[Seq[Any]] = {
    val array = all.asInstanceOf[ArrayData]
    (0 until array.numElements).map { i =>
      val row = array.getStruct(i, columns.size)
      columns.indices.map(c => row.get(c, columns(c).dataType))
    }
  }

  private def quoted(text: String) = TextNode.valueOf(text).toString.flatMap {
    case '/' => "\\/"
    case c if c > 127 => f"\\u${c.toInt}%04x"
    case c => c.toString
  }

  private def text(usage: String)(body: String => Any) = computed(usage) { args =>
    if (args.size != 1) throw wrong(usage, args)
    Computed(nameIn(usage), args, StringType, Seq(StringType), nulls = false)(a =>
      body(a(0).toString)
    )
  }

  val all: Seq[KsqlFunction] = Seq(
    value,
    part,
    exists,
    isJson,
    objectOf("json_object", "JSON_OBJECT(name VALUE x, …) - An object; its nulls stay.", keepsNulls = true),
    objectOf(
      "json_object_absent",
      "JSON_OBJECT_ABSENT(name, x, …) - JSON_OBJECT(… ABSENT ON NULL): an object without its nulls.",
      keepsNulls = false
    ),
    arrayOf("json_array", "JSON_ARRAY(x, …) - An array without the nulls.", keepsNulls = false),
    arrayOf(
      "json_array_null",
      "JSON_ARRAY_NULL(x, …) - JSON_ARRAY(… NULL ON NULL): an array with its nulls.",
      keepsNulls = true
    ),
    arrayAgg(
      "json_arrayagg",
      "JSON_ARRAYAGG(x) - An array of the group's values, without the nulls.",
      keepsNulls = false
    ),
    arrayAgg(
      "json_arrayagg_null",
      "JSON_ARRAYAGG_NULL(x) - JSON_ARRAYAGG(x NULL ON NULL): an array of the group's values, nulls too.",
      keepsNulls = true
    ),
    objectAgg(
      "json_objectagg",
      "JSON_OBJECTAGG(KEY name VALUE x) - An object of the group's rows; its nulls stay.",
      keepsNulls = true
    ),
    objectAgg(
      "json_objectagg_absent",
      "JSON_OBJECTAGG_ABSENT(name, x) - JSON_OBJECTAGG(… ABSENT ON NULL): an object without its nulls.",
      keepsNulls = false
    ),
    computed("JSON(text) - A text that is JSON, as such within JSON_OBJECT and JSON_ARRAY.") {
      case args @ Seq(json) if json.dataType == StringType =>
        Fallible("json", args, StringType) { a =>
          if (a(0) == null) null
          else Try(utf(KsqlJson.read(a(0)).toString)).getOrElse(otherwise("json", error, null, "the text is not JSON"))
        }
      case args => throw wrong("JSON(text)", args)
    },
    computed("JSON_STRING(x) - Any value as JSON; null of null.") {
      case args @ Seq(x) =>
        Computed("json_string", args, StringType, Nil, nulls = false)(a => utf(node(a(0), x).toString))
      case args => throw wrong("JSON_STRING(x)", args)
    },
    text("JSON_QUOTE(text) - The text as a text of JSON, in ASCII and with `\\/` for a slash.")(t => utf(quoted(t))),
    text("JSON_UNQUOTE(json) - The text that a text of JSON stands for; anything else as it is.") { t =>
      utf(Try(KsqlJson.read(t)).toOption.filter(_.isTextual).fold(t)(_.textValue))
    }
  )
}
