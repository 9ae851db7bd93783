package io.kafkalyst.formats
package avro

import io.kafkalyst.formats.bytes.Words

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.codegen.{CodeAndComment, CodeGenerator}

/** Compiled code of an [[AvroPass]]; it delegates rare cases to the reader. */
abstract class CompiledPass {

  /** Index after the skipped bytes. Errors: [[BadBytes]] with the path of the field. */
  private[formats] def run(in: ByteReader, bytes: Array[Byte], position: Int, limit: Int): Int
}

/**
 * Java code that skips fields without dispatching on codes. Spark's code generator compiles it and caches the compiled
 * classes.
 */
private[formats] object AvroPassCode {
  // Codes per method: few enough for the JVM's optimizing compiler, many enough to be worth the call.
  private val most = 40
  private val least = 8
  private val reader = classOf[ByteReader].getName
  private val words = Words.getClass.getName.stripSuffix("$")
  private val runs = classOf[AvroPass].getName

  /**
   * None if it cannot be compiled; the loop over the codes is equivalent.
   *
   * @param steady whether most numbers are as long as in the previous record
   */
  def compile(pass: AvroPass, steady: Boolean): Option[CompiledPass] =
    try {
      val (made, _) = CodeGenerator.compile(new CodeAndComment(source(pass, steady), Map.empty))
      Some(made.generate(Array[Any](pass)).asInstanceOf[CompiledPass])
    } catch { case NonFatal(_) | _: LinkageError => None }

  private def source(pass: AvroPass, steady: Boolean): String = {
    // A predicted branch avoids waiting for the load; a mispredicted one costs more than that.
    val foretold =
      if (steady) (1 to 4).map(n => s"(ends & ${0x80L << 8 * (n - 1)}L) != 0L ? p + $n : ").mkString else ""
    // Methods by their code: records of the same shape share one, which improves branch prediction.
    val methods = mutable.LinkedHashMap.empty[String, String]

    /** The consecutive items of a range: each a code, or an optional value with its content. */
    def items(from: Int, until: Int): Seq[(Int, Int)] =
      Iterator.unfold(from)(i => if (i >= until) None else Some((i -> behind(i), behind(i)))).toSeq

    def behind(i: Int): Int = pass.codes(i) match {
      case AvroPass.OptionalFirst | AvroPass.OptionalSecond => pass.operands(i)
      case _ => i + 1
    }

    /** Statements for a range; they address codes relative to the method's first one, so that methods can be shared. */
    def statements(from: Int, until: Int, first: Int): String =
      items(from, until).map { case (i, end) => item(i, end, first) }.mkString

    /** As [[statements]], through a method. */
    def call(from: Int, until: Int, first: Int): String = {
      val name = methods.getOrElseUpdate(statements(from, until, from), s"part${methods.size}")
      s"p = $name(in, d, p, end, at + ${from - first});\n"
    }

    /** Statements for a range; split into methods if it is long. */
    def block(from: Int, until: Int, first: Int): String =
      if (until - from <= least) statements(from, until, first)
      else if (until - from <= most) call(from, until, first)
      else {
        val parts = items(from, until).foldLeft(Vector.empty[(Int, Int)]) { case (done, (i, end)) =>
          if (done.nonEmpty && end - done.last._1 <= most) done.init :+ (done.last._1 -> end) else done :+ (i -> end)
        }
        parts.map { case (i, end) => call(i, end, first) }.mkString
      }

    def item(i: Int, end: Int, first: Int): String = {
      val here = s"at + ${i - first}"
      val slowly = s"in.passOne(pass, $here, p)"
      pass.codes(i) match {
        case AvroPass.Varint =>
          // The last byte of a varint is the first without the high bit.
          s"""{ long ends = end - p >= 8 ? ~$words.little(d, p) & ${Words.Highs}L : 0L;
             |p = ${foretold}ends != 0L ? p + (Long.numberOfTrailingZeros(ends) + 1 >>> 3) : in.passNumber(pass, $here, p); }
             |""".stripMargin
        case AvroPass.Boolean => s"p = p < end && (d[p] & 0xfe) == 0 ? p + 1 : $slowly;\n"
        case AvroPass.Sized =>
          s"p = p < end && (d[p] & 0x81) == 0 && (d[p] >> 1) < end - p ? p + 1 + (d[p] >> 1) : $slowly;\n"
        case AvroPass.Fixed =>
          val size = pass.operands(i)
          s"p = end - p >= $size ? p + $size : $slowly;\n"
        case AvroPass.Call => s"p = $slowly;\n"
        case code =>
          val isNull = if (code == AvroPass.OptionalFirst) 0 else 2
          val some = s"some${i - first}"
          s"""$some: {
             |if (p < end && d[p] == $isNull) { p += 1; break $some; }
             |if (p < end && d[p] == ${2 - isNull}) p += 1;
             |else { p = $slowly; if (p < 0) { p = ~p; break $some; } }
             |${block(i + 1, end, first)}}
             |""".stripMargin
      }
    }

    val all = block(0, pass.codes.length, 0)
    val parts = methods.map { case (body, name) =>
      s"private int $name($reader in, byte[] d, int p, int end, int at) {\n${body}return p;\n}\n"
    }
    s"""public Object generate(Object[] references) { return new Compiled(($runs) references[0]); }
       |final class Compiled extends ${classOf[CompiledPass].getName} {
       |private final $runs pass;
       |Compiled($runs pass) { this.pass = pass; }
       |public int run($reader in, byte[] d, int p, int end) {
       |final int at = 0;
       |${all}return p;
       |}
       |${parts.mkString}}
       |""".stripMargin
  }
}
