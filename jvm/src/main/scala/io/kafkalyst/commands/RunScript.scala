package io.kafkalyst.commands

import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.KafkalystException
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

/**
 * RUN SCRIPT: runs the statements of a file in order, until one fails.
 *
 * @param split returns the statements of a text with their first lines
 */
final case class RunScript(file: String)(split: String => Seq[(Int, String)]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output("line" -> IntegerType, "statement" -> StringType, "rows" -> LongType)
  override def otherCopyArgs: Seq[AnyRef] = Seq(split)

  override def run(session: SparkSession): Seq[Row] = {
    Commands.settings(session).requireOpen("RUN SCRIPT")
    split(read(session)).map(Function.tupled(run(session, _, _)))
  }

  private def run(session: SparkSession, line: Int, statement: String): Row =
    try {
      val result = session.sql(statement)
      if (result.isStreaming) throw KafkalystException("NOT_SUPPORTED", "what" -> "a SELECT without end in a script")
      Row(line, statement, result.collect().length.toLong)
    } catch {
      case e: org.apache.spark.sql.AnalysisException =>
        throw KafkalystException.caused(
          e,
          "SCRIPT_FAILED",
          "file" -> file,
          "line" -> line.toString,
          "reason" -> e.getMessage
        )
    }

  /** The size limit in bytes; guards against endless files. */
  private def longest = 16 * 1024 * 1024

  private def read(session: SparkSession): String =
    try {
      val path = new Path(file)
      val in = path.getFileSystem(session.sessionState.newHadoopConf()).open(path)
      try {
        val bytes = in.readNBytes(longest + 1)
        if (bytes.length > longest) throw new java.io.IOException(s"it has more than ${longest} bytes")
        new String(bytes, UTF_8)
      } finally in.close()
    } catch {
      case e @ (_: java.io.IOException | _: IllegalArgumentException) =>
        throw KafkalystException.caused(
          e,
          "SCRIPT_FAILED",
          "file" -> file,
          "line" -> "0",
          "reason" -> s"it cannot be read: ${e.getMessage}"
        )
    }
}
