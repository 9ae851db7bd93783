package io.kafkalyst.formats
package jsonschema

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import io.kafkalyst.formats.json.{JsonOneOf, JsonShape}
import io.kafkalyst.formats.json.JsonShape._
import io.kafkalyst.formats.jsonschema.JsonDocuments.{deepest, Node}
import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

/**
 * A JSON Schema of the registry (drafts 4 to 2020-12) as shapes. Types follow Confluent's JSON Schema converter, with
 * its hints `connect.type`, `connect.index`, `connect.parameters` and the titles of Connect's logical types; a value of
 * no single type (a general `oneOf` or `anyOf`, `type` with several types, an object without properties, a schema that
 * allows everything) is its JSON text. `$ref` is resolved within the schema and its references. Constraints such as
 * `pattern` or `maximum` are ignored.
 *
 * Errors: [[BadJsonSchema]], also later, as parts are resolved lazily.
 *
 * @param likeConnect whether a value of several types is a struct of them, see [[JsonOneOf]], and milliseconds of the day
 *                    are a TIME
 */
private[formats] final class JsonSchemas(schema: RegisteredSchema, likeConnect: Boolean = false) {
  import JsonSchemas._

  private val documents = new JsonDocuments(schema)
  import documents.{at, follow, main}

  // Nested alternatives that are referenced twice multiply at each level.
  private var resolved = 0

  private def counted(parts: Int = 1): Unit = {
    resolved += parts
    if (resolved > most)
      throw new BadJsonSchema(s"it has more than $most parts, counting those that are referred to again")
  }

  /** The schema's own shape. */
  def root: JsonShape = shape(Node(main, main.root), 0)

  /**
   * For a schema with several alternatives or with definitions only, the one of this title or name; else the root.
   *
   * @param fullName None for the root
   */
  def named(fullName: Option[String]): JsonShape = {
    val choices = Seq("oneOf", "anyOf").flatMap(elements(main.root, _)).map(n => follow(Node(main, n), 0))
      .filterNot(n => typesOf(n.json) == Set("null"))
    val definitions = Seq("definitions", "$defs").map(main.root.path).flatMap(_.properties.asScala)
      .map(e => e.getKey -> Node(main, e.getValue))
    val parts = (choices ++ definitions.map(_._2)).map(n => title(n.json) -> n) ++ definitions
    val isChoice = typesOf(main.root).isEmpty && choices.size != 1
    fullName match {
      case Some(name) if isChoice && parts.exists(_._1.nonEmpty) =>
        def names = parts.map(_._1).filter(_.nonEmpty).distinct.mkString(", ")
        val found = parts.collectFirst { case (`name`, node) => node }
        shape(found.getOrElse(throw new BadJsonSchema(s"none of its parts is $name: $names")), 0)
      case _ => root
    }
  }

  private def title(json: JsonNode): String = json.path("title").asText("")

  private def later(node: Node): Later = new Later(shape(node, 0))

  private def shape(node: Node, depth: Int): JsonShape = {
    counted()
    val n = follow(node, depth)
    val json = n.json
    if (json.has("allOf")) shape(merged(n, depth), depth + 1)
    else {
      val types = typesOf(json)
      val choice = Seq("oneOf", "anyOf").find(json.has)
      val typed = types - "null"
      if (types == Set("null")) OnlyNull
      else if (typed.isEmpty && choice.isDefined) {
        oneOf(elements(json, choice.get).map(c => shape(at(n, c), depth + 1)))
      } else {
        val nullable = types("null") || types.isEmpty
        val kinds = elements(json, "type").map(_.asText).filter(typed)
        if (likeConnect && kinds.size > 1) {
          OneOf(kinds.map(kind => new Later(single(n, kind, nullable = true, depth))), nullable)
        } else if (typed == Set("integer", "number")) Scalar(DoubleType, Number, nullable)
        else if (typed.size != 1) Mixed(nullable)
        else single(n, typed.head, nullable, depth)
      }
    }
  }

  /** The common shape of several, ignoring null; numbers are widened. */
  private def oneOf(members: Seq[JsonShape]): JsonShape = {
    val nullable = members.exists(_.nullable)
    members.filter(_ != OnlyNull) match {
      case Seq() => OnlyNull
      case Seq(one) => withNull(one, nullable)
      case several if likeConnect => OneOf(several.map(s => new Later(s)), nullable)
      case several if several.forall(isPlainNumber) => Scalar(widest(several), Number, nullable)
      case _ => Mixed(nullable)
    }
  }

  private def isPlainNumber(s: JsonShape) = s match {
    case Scalar(t, Number, _) => isIntegral(t) || t == FloatType || t == DoubleType
    case _ => false
  }

  private def widest(numbers: Seq[JsonShape]): DataType = {
    val types = numbers.collect { case Scalar(t, _, _) => t }
    if (types.forall(isIntegral)) types.maxBy(_.defaultSize) else DoubleType
  }

  private def withNull(s: JsonShape, nullable: Boolean): JsonShape = if (!nullable || s.nullable) s
  else s match {
    case s: Scalar => s.copy(nullable = true)
    case s: Items => s.copy(nullable = true)
    case s: Members => s.copy(nullable = true)
    case s: Entries => s.copy(nullable = true)
    case s: Fields => s.copy(nullable = true)
    case s: Mixed => s.copy(nullable = true)
    case s: OneOf => s.copy(nullable = true)
    case other => other
  }

  private def single(n: Node, kind: String, nullable: Boolean, depth: Int): JsonShape = {
    val json = n.json
    val connect = json.path("connect.type").asText("")
    def isWhole = kind == "integer" || kind == "number" && (connect == "int32" || connect == "int64")
    title(json) match {
      case "org.apache.kafka.connect.data.Decimal" if kind == "string" || kind == "number" || kind == "integer" =>
        val scale = json.path("connect.parameters").path("scale").asInt(0)
        if (math.abs(scale.toLong) > largestScale) throw new BadJsonSchema(s"it has a decimal of the scale $scale")
        Scalar(decimal(json, scale), if (kind == "string") Unscaled(scale) else Number, nullable)
      case "org.apache.kafka.connect.data.Date" if isWhole => Scalar(DateType, Number, nullable)
      case "org.apache.kafka.connect.data.Time" if isWhole && likeConnect && TimeOfDay.dataType.isDefined =>
        Scalar(TimeOfDay.dataType.get, Number, nullable)
      case "org.apache.kafka.connect.data.Timestamp" if isWhole => Scalar(TimestampType, Number, nullable)
      case _ =>
        kind match {
          case "boolean" => Scalar(BooleanType, JsonShape.Boolean, nullable)
          case "integer" | "number" => Scalar(numberType(kind, connect), Number, nullable)
          case "string" if connect == "bytes" => Scalar(BinaryType, Text, nullable)
          case "string" if json.path("format").asText == localTime => Scalar(TimestampNTZType, Text, nullable)
          case "string" => Scalar(StringType, Text, nullable)
          case "array" => array(n, connect, nullable, depth)
          case "object" => obj(n, connect, nullable)
          case other => throw new BadJsonSchema(s"it has the type \"$other\", which JSON Schema does not know")
        }
    }
  }

  /** As in Connect, `connect.type` decides before the schema's own type. */
  private def numberType(kind: String, connect: String): DataType = connect match {
    case "int8" => ByteType
    case "int16" => ShortType
    case "int32" => IntegerType
    case "int64" => LongType
    case "float32" => FloatType
    case "float64" => DoubleType
    case _ => if (kind == "integer") LongType else DoubleType
  }

  /** Clamps the scale to a column's range; with a negative scale, numbers have more digits before the point. */
  private def decimal(json: JsonNode, given: Int): DecimalType = {
    val scale = math.max(0, math.min(given, DecimalType.MAX_SCALE))
    val digits = json.path("connect.parameters").path("connect.decimal.precision").asInt(DecimalType.MAX_PRECISION)
    val precision = if (given < 0) math.min(digits, DecimalType.MAX_PRECISION) - given else digits
    DecimalType(math.max(math.max(1, scale), math.min(precision, DecimalType.MAX_PRECISION)), scale)
  }

  private def array(n: Node, connect: String, nullable: Boolean, depth: Int): JsonShape = {
    val items = n.json.path("items")
    val isMap = connect == "map"
    val element = if (isMap && items.isObject) follow(at(n, items), depth) else at(n, items)
    val entry = if (isMap && items.isObject) element.json.path("properties") else items
    def key = at(element, entry.get("key"))
    if (isMap && entry.has("key") && entry.has("value") && isString(key, depth + 1)) {
      Entries(later(at(element, entry.get("value"))), nullable)
    } else if (items.isObject && !n.json.has("prefixItems")) Items(later(at(n, items)), nullable)
    else Items(new Later(Mixed(nullable = true)), nullable)
  }

  /** Whether the values are strings or null. Arrays are not strings, so a map that refers to itself is not followed. */
  private def isString(n: Node, depth: Int): Boolean = {
    val typed = typesOf(follow(n, depth).json) - "null"
    (typed.isEmpty || typed("string")) && (shape(n, depth) match {
      case Scalar(_: StringType, Text, _) => true
      case _ => false
    })
  }

  private def obj(n: Node, connect: String, nullable: Boolean): JsonShape = {
    val json = n.json
    val rest = json.path("additionalProperties")
    val properties = json.path("properties").properties.asScala.toSeq
    if (connect == "map" || properties.isEmpty && rest.isObject) {
      Members(if (rest.isObject) later(at(n, rest)) else new Later(Mixed(nullable = true)), nullable)
    } else if (properties.isEmpty) Mixed(nullable)
    else {
      val required = elements(json, "required").map(_.asText).toSet
      val fields = properties.sortBy(_.getValue.path("connect.index").asInt(Int.MaxValue)).map { p =>
        val default = Option(p.getValue.get("default")).map(_.toString).orNull
        Field(p.getKey, later(at(n, p.getValue)), required(p.getKey), default)
      }
      Fields(n.identity, fields, rest.asBoolean(true), nullable)
    }
  }

  /**
   * A schema merged with its `allOf` parts, whose child nodes are not copied. If only one part has properties, the
   * result has that part's identity, so that a `$ref` within an `allOf` equals the plain `$ref`.
   */
  private def merged(n: Node, depth: Int): Node = {
    counted()
    val whole = mapper.createObjectNode()
    var holders = List.empty[AnyRef]
    def add(part: Node): Unit = {
      val json = part.json
      if (json.has("properties")) holders = part.identity :: holders
      if (part.document ne n.document) documents.keep(part)
      // Properties and required names of the parts are copied into the whole, and may double at each level.
      counted(json.path("properties").size + json.path("required").size)
      json.properties.asScala.foreach { p =>
        (p.getKey, whole.get(p.getKey), p.getValue) match {
          case ("allOf", _, _) =>
          case ("properties", a: ObjectNode, b: ObjectNode) => a.setAll[JsonNode](b)
          case ("required", a: ArrayNode, b: ArrayNode) => a.addAll(b)
          case ("properties", null, b: ObjectNode) => whole.putObject(p.getKey).setAll[JsonNode](b)
          case ("required", null, b: ArrayNode) => whole.putArray(p.getKey).addAll(b)
          case (name, null, b) => whole.set[JsonNode](name, b)
          case _ =>
        }
      }
    }
    add(n)
    elements(n.json, "allOf").map(part => follow(at(n, part), depth + 1)).foreach { part =>
      add(if (part.json.has("allOf")) merged(part, depth + 1) else part)
    }
    Node(n.document, whole, if (holders.size == 1) holders.head else n.identity)
  }
}

private[formats] object JsonSchemas {

  /** `format` of a string with a time without a zone (from OpenAPI's format registry). */
  val localTime = "date-time-local"

  private val most = 1000000
  // A larger scale would give a number too many zeros to process.
  private val largestScale = 1000
  private val mapper = new ObjectMapper

  private def elements(json: JsonNode, name: String): Seq[JsonNode] = json.path(name).elements.asScala.toSeq

  /** The types that a schema names; empty if it allows every type. */
  private def typesOf(json: JsonNode): Set[String] = {
    val given = json.path("type")
    if (given.isTextual) Set(given.asText)
    else if (given.isArray) given.elements.asScala.map(_.asText).toSet
    else if (json.has("enum")) elements(json, "enum").map(typeOf).toSet
    else if (json.has("const")) Set(typeOf(json.get("const")))
    else if (json.has("properties")) Set("object")
    else if (json.has("items")) Set("array")
    else Set.empty
  }

  private def typeOf(value: JsonNode): String =
    if (value.isNull) "null"
    else if (value.isTextual) "string"
    else if (value.isBoolean) "boolean"
    else if (value.isIntegralNumber) "integer"
    else if (value.isNumber) "number"
    else if (value.isArray) "array"
    else "object"

  /**
   * The type of a column of this shape; None if it is always null, or an object that contains itself, whose type is
   * infinite. Errors: [[BadJsonSchema]].
   *
   * @param around identities of the enclosing objects
   */
  def dataType(s: JsonShape, around: List[AnyRef] = Nil): Option[DataType] = {
    val size = new TypeSize(reason => throw new BadJsonSchema(reason))
    def of(s: JsonShape, around: List[AnyRef], depth: Int): Option[DataType] = {
      if (depth > deepest) throw new BadJsonSchema(s"it is nested deeper than $deepest")
      def mapOf(value: Later) = of(value.get, around, depth + 1).map(MapType(StringType, _, valueContainsNull = true))
      s match {
        case OnlyNull => None
        case Free | _: Mixed => Some(StringType)
        case Scalar(t, _, _) => Some(t)
        case OneOf(members, _) =>
          size.add(members.size, around.size)
          val fields = members.zipWithIndex.flatMap { case (member, i) =>
            of(member.get, around, depth + 1).map(StructField(JsonOneOf.field(i), _))
          }
          if (fields.isEmpty) None else Some(StructType(fields))
        case Items(item, _) => of(item.get, around, depth + 1).map(ArrayType(_, containsNull = true))
        case Members(value, _) => mapOf(value)
        case Entries(value, _) => mapOf(value)
        case Fields(identity, _, _, _) if around.exists(_ eq identity) => None
        case Fields(identity, fields, _, _) =>
          size.add(fields.size, around.size)
          val inner =
            fields.flatMap(f => of(f.shape.get, identity :: around, depth + 1).map(StructField(f.name, _)))
          if (inner.isEmpty) None else Some(StructType(inner))
      }
    }
    of(s, around, 0)
  }

  /** The paths of properties that cannot be a column or part of one: always null, or an object that contains itself. */
  def leftOut(s: JsonShape, path: String, around: List[AnyRef] = Nil): Seq[String] =
    if (dataType(s, around).isEmpty) Seq(path)
    else s match {
      case Items(item, _) => leftOut(item.get, s"$path.element", around)
      case Members(value, _) => leftOut(value.get, s"$path.value", around)
      case Entries(value, _) => leftOut(value.get, s"$path.value", around)
      case Fields(identity, fields, _, _) =>
        fields.toSeq.flatMap(f =>
          leftOut(f.shape.get, if (path.isEmpty) f.name else s"$path.${f.name}", identity :: around)
        )
      case _ => Nil
    }
}
