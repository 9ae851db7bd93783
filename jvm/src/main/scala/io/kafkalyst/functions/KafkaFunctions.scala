package io.kafkalyst.functions

import java.util.Locale

import scala.util.control.NonFatal

import io.kafkalyst.catalog.{TopicSource, TopicTable}
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Format, Formats, WholeValue}
import io.kafkalyst.model.SideFormat
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.util.SparkCharVarcharUtils
import org.apache.spark.sql.types._

/**
 * The functions kafka_decode and kafka_encode. All arguments except the first are constants. The registry is accessed
 * during analysis, on the driver.
 */
object KafkaFunctions {
  import FunctionArguments._

  private val decodeUsage = s"$decodeName(bytes, format[, options])"
  private val encodeUsage = s"$encodeName(value, format[, options])"

  val all: Seq[SparkSessionExtensions#FunctionDescription] = Seq(
    (
      new FunctionIdentifier(decodeName),
      info(
        decodeName,
        classOf[KafkaDecode],
        s"$decodeUsage - The value that the bytes hold in a format of Kafka's records."
      ),
      decode
    ),
    (
      new FunctionIdentifier(encodeName),
      info(encodeName, classOf[KafkaEncode], s"$encodeUsage - The bytes of a value in a format of Kafka's records."),
      encode
    )
  )

  private def info(name: String, made: Class[_], usage: String) =
    new ExpressionInfo(made.getName, null, name, usage, "", "", "", "", "", "", "")

  private def decode(arguments: Seq[Expression]): Expression = {
    val (bytes, format, options) = read(decodeName, decodeUsage, arguments)
    bytes.dataType match {
      case BinaryType | NullType =>
      case other =>
        throw KafkalystException(
          "FUNCTION_ARGUMENT_TYPE",
          "function" -> decodeName,
          "argument" -> "bytes",
          "expected" -> "BINARY",
          "found" -> other.sql,
          "hint" -> "Give it the key or value of a record as it is; a STRING is cast with CAST(… AS BINARY)."
        )
    }
    val permissive = options.get(FunctionOptions.mode).map(_.toUpperCase(Locale.ROOT)).exists {
      case "NULL" | "PERMISSIVE" => true
      case "FAIL" | "FAILFAST" => false
      case _ => throw options.invalid(FunctionOptions.mode, "fail (FAILFAST) or null (PERMISSIVE) is expected")
    }
    val settings = TopicSource.settings()
    val as = SideFormat(format.name, None, options.ofFormat)
    val dataType = options.oneOf(Seq(FunctionOptions.schema, FunctionOptions.subject, FunctionOptions.schemaId)) match {
      case Some(FunctionOptions.schema) => declared(options)
      case Some(_) => WholeValue.typeOf(registered(decodeName, format, options, settings).get, as)
      case None =>
        throw KafkalystException(
          "FUNCTION_TYPE_UNKNOWN",
          "function" -> decodeName,
          "format" -> format.name,
          "others" -> (if (format.schemaType.isEmpty) ""
                       else
                         " Or name the schema in the registry: map('subject', 'orders-value') or map('schema.id', '7').")
        )
    }
    val value = WholeValue(decodeName, dataType, as, registryFor(format, settings))
    value.validate()
    KafkaDecode(bytes, value, permissive)
  }

  private def encode(arguments: Seq[Expression]): Expression = {
    val (value, format, options) = read(encodeName, encodeUsage, arguments)
    val settings = TopicSource.settings()
    val bare = WholeValue(
      encodeName,
      nullable(value.dataType),
      SideFormat(format.name, None, options.ofFormat),
      registryFor(format, settings)
    )
    bare.validate()
    if (format.schemaType.isEmpty) KafkaEncode(value, bare)
    else {
      if (options.oneOf(Seq(FunctionOptions.subject, FunctionOptions.schemaId)).isEmpty) {
        throw KafkalystException("FUNCTION_SCHEMA_NEEDED", "function" -> encodeName, "format" -> format.name)
      }
      val id = registered(encodeName, format, options, settings).map(_.id).getOrElse {
        val subject = options.get(FunctionOptions.subject).get
        val schema = bare.schema(subject.stripSuffix("-value").stripSuffix("-key"))
        ObjectDefinition.registry(settings).register(subject, schema, format.schemaType.get)
      }
      KafkaEncode(value, bare.copy(as = bare.as.copy(schemaId = Some(id))))
    }
  }

  private def read(function: String, usage: String, arguments: Seq[Expression]) = {
    if (arguments.size < 2 || arguments.size > 3) throw KafkalystException(
      "FUNCTION_ARGUMENT_COUNT",
      "function" -> function,
      "found" -> arguments.size.toString,
      "expected" -> "2 or 3",
      "usage" -> usage
    )
    val name = constant(function, "format", arguments(1))
    if (name == null || !arguments(1).dataType.isInstanceOf[StringType]) throw KafkalystException(
      "FUNCTION_ARGUMENT_TYPE",
      "function" -> function,
      "argument" -> "format",
      "expected" -> "STRING",
      "found" -> arguments(1).sql,
      "hint" -> s"Give one of ${Formats.names.map(n => s"'$n'").mkString(", ")}."
    )
    val format = Formats(name.toString)
    (arguments.head, format, FunctionOptions.of(function, format, arguments.lift(2)))
  }

  private def declared(options: FunctionOptions): DataType =
    try nullable(
        SparkCharVarcharUtils.replaceCharVarcharWithString(DataType.fromDDL(options.get(FunctionOptions.schema).get))
      )
    catch {
      case NonFatal(e) =>
        val reason = e.getMessage.linesIterator.find(_.trim.nonEmpty).getOrElse("")
        throw options.invalid(
          FunctionOptions.schema,
          s"columns as 'a INT, b STRING' or a type as 'INT' are expected: $reason"
        )
    }

  /** The named schema; None for a missing subject if the function registers one. */
  private def registered(
      function: String,
      format: Format,
      options: FunctionOptions,
      settings: Settings
  ): Option[RegisteredSchema] = {
    val registry = ObjectDefinition.registry(settings)
    val (option, found) = options.get(FunctionOptions.schemaId) match {
      case Some(text) =>
        val id =
          text.toIntOption.getOrElse(throw options.invalid(FunctionOptions.schemaId, "a whole number is expected"))
        (FunctionOptions.schemaId, registry.byId(id))
      case None => (FunctionOptions.subject, registry.latest(options.get(FunctionOptions.subject).get))
    }
    if (found.isEmpty && (function == decodeName || option == FunctionOptions.schemaId)) throw KafkalystException(
      "FUNCTION_SCHEMA_NOT_FOUND",
      "function" -> function,
      "option" -> option,
      "value" -> options.get(option).get
    )
    found.filterNot(s => format.schemaType.contains(s.schemaType)).foreach { other =>
      throw options.invalid(option, s"its schema is of type ${other.schemaType}, not ${format.schemaType.get}")
    }
    found
  }

  private def registryFor(format: Format, settings: Settings) =
    if (format.schemaType.isEmpty) None else TopicTable.registry(settings)

  /** Makes all nested types nullable: a record may lack any of them. */
  private def nullable(t: DataType): DataType = t match {
    case s: StructType => StructType(s.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))
    case a: ArrayType => ArrayType(nullable(a.elementType), containsNull = true)
    case m: MapType => MapType(m.keyType, nullable(m.valueType), valueContainsNull = true)
    case other => other
  }
}
