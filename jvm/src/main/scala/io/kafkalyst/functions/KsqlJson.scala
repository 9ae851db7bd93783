package io.kafkalyst.functions

import java.io.StringWriter
import java.util.Locale
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.time.LocalDate
import java.util.{Base64, HexFormat}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.util.JsonGeneratorDelegate
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import io.kafkalyst.functions.KsqlStrings.{strings, texts, utf}
import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import org.apache.commons.codec.binary.{Base64 => Lenient}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** ksqlDB's functions on bytes and JSON texts. */
private[functions] object KsqlJson {
  private val mapper = JsonMapper.builder()
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

  // Writes the names of objects in order, as ksqlDB and Flink do.
  private val inOrder = mapper.rebuild().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build()

  private[functions] def textInOrder(node: JsonNode): String = inOrder.writeValueAsString(node)

  // The largest scale of decimals in plain form: 1e999999999 would need gigabytes. No number that is read is longer.
  private val longest = 1000

  /** @throws java.lang.IllegalArgumentException for a text without a value */
  private[functions] def read(text: Any): JsonNode = {
    val found = mapper.readTree(text.toString)
    if (found.isMissingNode) throw new IllegalArgumentException("no JSON")
    found
  }

  /** The JSON of a value. Like ksqlDB, it writes decimals without an exponent, unless they would be very long. */
  private def written(node: JsonNode, by: JsonMapper = mapper): String = {
    val out = new StringWriter
    val generator = new JsonGeneratorDelegate(by.createGenerator(out), false) {
      override def writeNumber(n: java.math.BigDecimal): Unit =
        delegate.writeNumber(if (Math.abs(n.scale.toLong) > longest) n.toString else n.toPlainString)
    }
    by.writeTree(generator, node)
    generator.close()
    out.toString
  }

  private def json(usage: String, count: Int, result: DataType)(body: Array[Any] => Any): KsqlFunction =
    Computed.uniform(usage, Seq(count), StringType, result)(body)

  private val jsonConcat = computed(
    "JSON_CONCAT(json, …) - Merges objects if all are objects, otherwise concatenates arrays, to which other values are added; NULL if an argument is."
  )(args =>
    Computed("json_concat", args, StringType, args.map(_ => StringType), nulls = false)(values =>
      utf(written(joined(values.toSeq.map(read))))
    )
  )

  private def joined(nodes: Seq[JsonNode]): JsonNode =
    if (nodes.size == 1) nodes.head
    else if (nodes.forall(_.isObject)) {
      val all = mapper.createObjectNode()
      nodes.foreach(_.properties().asScala.foreach(p => all.set[JsonNode](p.getKey, p.getValue)))
      all
    } else {
      val all = mapper.createArrayNode()
      nodes.foreach(n => if (n.isArray) n.elements().asScala.foreach(e => all.add(e)) else all.add(n))
      all
    }

  private val jsonArrayContains = computed(
    "JSON_ARRAY_CONTAINS(json, element) - Whether the JSON array contains an element of this value and type."
  ) { args =>
    if (args.size != 2) throw wrong("JSON_ARRAY_CONTAINS(json, element)", args)
    val sought = args(1).dataType
    // ksqlDB matches by the form of the JSON number: only one with a point or an exponent matches a DOUBLE, and none
    // matches a DECIMAL.
    val isKsqldb = Settings.current.isKsqldb
    def isFraction(n: JsonNode) = n.isNumber && !(isKsqldb && n.isIntegralNumber)
    Computed("json_array_contains", args, BooleanType, Seq(StringType, sought), nulls = true) { values =>
      if (values(0) == null) false
      else {
        val array =
          try read(values(0))
          catch { case NonFatal(_) => nodes.missingNode() }
        array.isArray && array.elements().asScala.exists { e =>
          values(1) match {
            case null => e.isNull
            case b: Boolean => e.isBoolean && e.booleanValue == b
            case n @ (_: Byte | _: Short | _: Int | _: Long) =>
              e.isIntegralNumber && e.canConvertToLong && e.longValue == n.asInstanceOf[Number].longValue
            case f: Float => isFraction(e) && e.floatValue == f
            case d: Double => isFraction(e) && e.doubleValue == d
            case d: Decimal => !isKsqldb && e.isNumber && e.decimalValue.compareTo(d.toJavaBigDecimal) == 0
            case s => e.isTextual && e.textValue == s.toString
          }
        }
      }
    }
  }

  private val nodes = mapper.getNodeFactory

  /**
   * DATE and TIME become their texts, BYTES become base64.
   *
   * @param time    the text of a time of either type, in microseconds
   * @param seconds whether a TIME has no parts of a second
   */
  private[functions] def node(
      value: Any,
      t: DataType,
      time: (Long, DataType) => String = (micros, _) => KsqlCasts.timestampText(micros),
      seconds: Boolean = false
  ): JsonNode = (value, t) match {
    case (null, _) => nodes.nullNode()
    case (b: Boolean, _) => nodes.booleanNode(b)
    case (days: Int, DateType) => nodes.textNode(LocalDate.ofEpochDay(days.toLong).toString)
    case (micros: Long, TimestampType | TimestampNTZType) => nodes.textNode(time(micros, t))
    case (nanos: Long, _) if TimeOfDay.is(t) => nodes.textNode(TimeOfDay.text(nanos, seconds))
    case (d: Double, _) => nodes.numberNode(d)
    case (f: Float, _) => nodes.numberNode(f)
    case (d: Decimal, _) => nodes.numberNode(d.toJavaBigDecimal)
    case (n: Number, _) => nodes.numberNode(n.longValue)
    case (bytes: Array[Byte], _) => nodes.textNode(Base64.getEncoder.encodeToString(bytes))
    case (array: ArrayData, ArrayType(element, _)) =>
      val all = nodes.arrayNode()
      array.toObjectArray(element).foreach(e => all.add(node(e, element, time, seconds)))
      all
    case (map: MapData, MapType(k, v, _)) =>
      val all = nodes.objectNode()
      map.foreach(k, v, (key, value) => all.set[JsonNode](String.valueOf(key), node(value, v, time, seconds)))
      all
    case (row: InternalRow, fields: StructType) =>
      val all = nodes.objectNode()
      fields.zipWithIndex.foreach { case (f, i) =>
        all.set[JsonNode](f.name, node(row.get(i, f.dataType), f.dataType, time, seconds))
      }
      all
    case (other, _) => nodes.textNode(other.toString)
  }

  // One step of a path: `.name`, `[0]` or `["name"]`.
  private val step = "\\.([^.\\[]+)|\\[(\\d+)\\]|\\[(['\"])(.*?)\\3\\]".r

  /** @throws IllegalArgumentException for an invalid path */
  private def at(json: JsonNode, path: String): Option[JsonNode] = {
    val steps = step.findAllMatchIn(path).toSeq
    if (path != "$" + steps.map(_.matched).mkString) throw new IllegalArgumentException(path)
    steps.foldLeft(Option(json)) { (found, s) =>
      val token = Seq(1, 2, 4).map(s.group).find(_ != null).get
      found.flatMap(n => if (n.isArray) token.toIntOption.flatMap(i => Option(n.get(i))) else Option(n.get(token)))
    }
  }

  private def hex(text: String): Array[Byte] = {
    val digits = text match {
      case quoted if quoted.matches("(?i)x'.*'") => quoted.drop(2).dropRight(1)
      case prefixed => prefixed.stripPrefix("0x")
    }
    HexFormat.of().parseHex(if (text.startsWith("0x") && digits.length % 2 == 1) s"0$digits" else digits)
  }

  private def bytes(text: String, encoding: String): Array[Byte] = encoding.toLowerCase(Locale.ROOT) match {
    case "hex" => hex(text)
    case "utf8" => text.getBytes(UTF_8)
    case "ascii" => text.getBytes(US_ASCII)
    case "base64" => Base64.getDecoder.decode(text)
  }

  private def text(bytes: Array[Byte], encoding: String, prefix: String = ""): String =
    encoding.toLowerCase(Locale.ROOT) match {
      case "hex" => prefix + bytes.map(b => f"$b%02X").mkString
      case "utf8" => new String(bytes, UTF_8)
      case "ascii" => new String(bytes, US_ASCII)
      case "base64" => Base64.getEncoder.encodeToString(bytes)
    }

  private val orders = Map("BIG_ENDIAN" -> ByteOrder.BIG_ENDIAN, "LITTLE_ENDIAN" -> ByteOrder.LITTLE_ENDIAN)

  private def fromBytes(name: String, what: String, size: Int, result: DataType)(read: ByteBuffer => Any) = {
    val usage =
      s"$name(bytes[, 'BIG_ENDIAN'|'LITTLE_ENDIAN']) - The $what in $size bytes; NULL for any other number of bytes."
    computed(usage) { args =>
      if (args.isEmpty || args.size > 2) throw wrong(usage, args)
      Computed(
        name.toLowerCase(Locale.ROOT),
        args,
        result,
        Seq(BinaryType, StringType).take(args.size),
        nulls = false
      ) { a =>
        val bytes = a(0).asInstanceOf[Array[Byte]]
        val order = orders(if (a.length > 1) a(1).toString.toUpperCase(Locale.ROOT) else "BIG_ENDIAN")
        if (bytes.length == size) read(ByteBuffer.wrap(bytes).order(order)) else null
      }
    }
  }

  val all: Seq[KsqlFunction] = Seq(
    fromBytes("INT_FROM_BYTES", "INT", 4, IntegerType)(_.getInt),
    fromBytes("BIGINT_FROM_BYTES", "BIGINT", 8, LongType)(_.getLong),
    fromBytes("DOUBLE_FROM_BYTES", "DOUBLE", 8, DoubleType)(_.getDouble),
    fromBytes("FLOAT_FROM_BYTES", "number, as DOUBLE,", 4, DoubleType)(_.getFloat.toDouble),
    json(
      "ENCODE(text, from, to) - The text converted from one of the encodings 'hex', 'utf8', 'ascii' and 'base64' to another.",
      3,
      StringType
    ) { a =>
      if (a(1).toString.equalsIgnoreCase(a(2).toString)) throw new IllegalArgumentException("the same encoding")
      // As ksqlDB's ENCODE, but not TO_BYTES, skips what is not base64.
      val plain = a(1).toString match {
        case from if from.equalsIgnoreCase("base64") => Lenient.decodeBase64(a(0).toString)
        case from => bytes(a(0).toString, from)
      }
      val encoded = text(plain, a(2).toString)
      utf(if (a(2).toString.equalsIgnoreCase("hex")) encoded.toLowerCase(Locale.ROOT) else encoded)
    },
    computed("FROM_BYTES(bytes, encoding) - The bytes as 'hex', 'utf8', 'ascii' or 'base64' text.") { args =>
      if (args.size != 2) throw wrong("FROM_BYTES(bytes, encoding)", args)
      Computed("from_bytes", args, StringType, Seq(BinaryType, StringType), nulls = false) { a =>
        utf(text(a(0).asInstanceOf[Array[Byte]], a(1).toString, "0x"))
      }
    },
    json("TO_BYTES(text, encoding) - The bytes of a 'hex', 'utf8', 'ascii' or 'base64' text.", 2, BinaryType) { a =>
      bytes(a(0).toString, a(1).toString)
    },
    json(
      "EXTRACTJSONFIELD(json, path) - The value at a path such as '$.a.b[0]', as text; NULL if there is none.",
      2,
      StringType
    )(a => at(read(a(0)), a(1).toString).map(n => utf(if (n.isTextual) n.textValue else written(n))).orNull),
    computed("IS_JSON_STRING(text) - Whether the text is valid JSON; FALSE for NULL.") { args =>
      if (args.size != 1) throw wrong("IS_JSON_STRING(text)", args)
      Computed("is_json_string", args, BooleanType, Seq(StringType), nulls = true) { a =>
        a(0) != null && scala.util.Try(read(a(0))).isSuccess
      }
    },
    jsonArrayContains,
    jsonConcat,
    json("JSON_ITEMS(json) - The elements of the array as texts; NULL if it is not an array.", 1, strings) { a =>
      val array = read(a(0))
      if (array.isArray) texts(array.elements().asScala.map(written(_)).toSeq) else null
    },
    json("JSON_ARRAY_LENGTH(json) - The number of elements; NULL if it is not an array.", 1, IntegerType) { a =>
      val array = read(a(0))
      if (array.isArray) array.size else null
    },
    json("JSON_KEYS(json) - The field names of the object; NULL if it is not an object.", 1, strings) { a =>
      val record = read(a(0))
      if (record.isObject) texts(record.fieldNames.asScala.toSeq) else null
    },
    json(
      "JSON_RECORDS(json) - The fields of the object as MAP<STRING, STRING>, with their values as JSON; NULL if it is not an object.",
      1,
      MapType(StringType, StringType)
    ) { a =>
      val record = read(a(0))
      if (record.isObject)
        KsqlCollections.map(record.properties().asScala.toSeq.map(p => utf(p.getKey) -> utf(written(p.getValue))))
      else null
    },
    computed("MD5(text) - The MD5 hash in lower-case hexadecimal digits. Also of BYTES.") {
      case Seq(x) if x.dataType == BinaryType => expression("md5(_1)", x)
      case Seq(x) if x.dataType == StringType || x.dataType == NullType => expression("md5(cast(_1 AS BINARY))", x)
      case args => throw wrong("MD5(text)", args)
    },
    computed("TO_JSON_STRING(x) - The value as JSON, its names in order; 'null' for NULL.") {
      case args @ Seq(x) =>
        val seconds = Settings.current.isKsqldb
        Computed("to_json_string", args, StringType, Nil, nulls = true)(a =>
          utf(written(node(a(0), x.dataType, seconds = seconds), inOrder))
        )
      case args => throw wrong("TO_JSON_STRING(x)", args)
    }
  )
}
