package io.kafkalyst.functions

import io.kafkalyst.errors.{Conditions, KafkalystTaskException}
import io.kafkalyst.formats.{BadBytes, WholeValue}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode}
import org.apache.spark.sql.types.{BinaryType, DataType}

/**
 * Shared by both functions: generated code calls the codec of this copy of the expression, which is created on first
 * use.
 */
sealed abstract class CodecExpression extends UnaryExpression {
  def value: WholeValue

  override def nullable: Boolean = true

  // Codecs are not thread-safe, so projections make copies; an expression that can fail is not evaluated unnecessarily.
  override def stateful: Boolean = true
  override lazy val throwable: Boolean = true

  override def sql: String = s"$prettyName(${child.sql}, '${value.as.format}')"
  override def toString: String = s"$prettyName($child, ${value.as.format})"

  /** Called by generated code with non-null input; public for that reason. */
  def convert(input: Any): Any

  override protected def nullSafeEval(input: Any): Any = convert(input)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("codec", this, classOf[CodecExpression].getName)
    val boxed = CodeGenerator.boxedType(dataType)
    nullSafeCodeGen(
      ctx,
      ev,
      input => {
        val result = ctx.freshName("result")
        s"""
           |$boxed $result = ($boxed) $self.convert($input);
           |if ($result == null) { ${ev.isNull} = true; } else { ${ev.value} = $result; }
           |""".stripMargin
      }
    )
  }
}

/**
 * kafka_decode: the value in a format's bytes; NULL for NULL, and for bad bytes if permissive. Otherwise bad bytes
 * throw KafkalystTaskException FUNCTION_BYTES_NOT_DECODABLE.
 */
final case class KafkaDecode(child: Expression, value: WholeValue, permissive: Boolean)
    extends CodecExpression {
  override def prettyName: String = FunctionArguments.decodeName

  @transient private lazy val decode = value.decoder()

  override def dataType: DataType = value.dataType

  override def convert(input: Any): Any = {
    val bytes = input.asInstanceOf[Array[Byte]]
    try decode(bytes)
    catch {
      case BadBytes(bad) =>
        if (permissive) null
        else
          throw KafkalystTaskException(
            bad,
            "FUNCTION_BYTES_NOT_DECODABLE",
            "format" -> value.as.format,
            "reason" -> bad.reason,
            "length" -> bytes.length.toString,
            "bytes" -> bytes.take(16).map(b => f"${b & 0xff}%02x").mkString(" ")
          )
    }
  }

  override protected def withNewChildInternal(changed: Expression): KafkaDecode = copy(child = changed)
}

/**
 * kafka_encode: a value's bytes in a format; NULL for NULL. Throws KafkalystTaskException FUNCTION_VALUE_NOT_WRITABLE.
 */
final case class KafkaEncode(child: Expression, value: WholeValue) extends CodecExpression {
  override def prettyName: String = FunctionArguments.encodeName

  @transient private lazy val encode = value.encoder()

  override def dataType: DataType = BinaryType

  override def convert(input: Any): Any =
    try encode(input)
    catch {
      // The codecs' messages mention rows and topics, which do not exist here.
      case bad: KafkalystTaskException if bad.getCondition == Conditions("VALUE_NOT_WRITABLE").name =>
        def said(name: String) = name -> bad.getMessageParameters.get(name)
        throw KafkalystTaskException(bad, "FUNCTION_VALUE_NOT_WRITABLE", said("format"), said("field"), said("reason"))
    }

  override protected def withNewChildInternal(changed: Expression): KafkaEncode = copy(child = changed)
}
