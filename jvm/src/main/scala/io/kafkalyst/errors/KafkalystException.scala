package io.kafkalyst.errors

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.QueryExecutionException

import scala.jdk.CollectionConverters._

/**
 * A statement that fails while it is parsed, analysed, planned or run on the driver.
 *
 * `condition` is the short name in `kafkalyst-conditions.json`; users see it with the prefix `KAFKALYST_` through
 * `getCondition`, with its SQLSTATE through `getSqlState`, in classic Spark and over Connect.
 */
class KafkalystException(
    condition: Condition,
    parameters: Map[String, String],
    reason: Option[Throwable],
    givenLine: Option[Int] = None,
    position: Option[Int] = None
) extends AnalysisException(
      message = condition.message(parameters),
      line = givenLine,
      startPosition = position,
      cause = reason,
      errorClass = Some(condition.name),
      messageParameters = parameters,
      context = Array.empty // otherwise PySpark looks up Spark's conditions
    ) {
  override def getSqlState: String = condition.sqlState

  // Spark's implementation creates a plain AnalysisException and looks up its text among Spark's own conditions.
  override def withPosition(origin: Origin): AnalysisException = at(origin.line, origin.startPosition)

  /** The same error at that position of the statement. */
  def at(line: Option[Int], position: Option[Int]): KafkalystException = {
    val placed = new KafkalystException(condition, parameters, reason, line, position)
    placed.setStackTrace(getStackTrace)
    placed
  }
}

object KafkalystException {
  def apply(condition: String, parameters: (String, String)*): KafkalystException =
    new KafkalystException(Conditions(condition), parameters.toMap, None)

  def caused(cause: Throwable, condition: String, parameters: (String, String)*): KafkalystException =
    new KafkalystException(Conditions(condition), parameters.toMap, Option(cause))
}

/**
 * An error while rows are read or written in a task. Spark passes an exception with a condition to the user unchanged,
 * so the position in the topic comes first. It extends QueryExecutionException because PySpark knows that class and
 * also shows its condition and SQLSTATE.
 */
class KafkalystTaskException(
    condition: Condition,
    parameters: Map[String, String],
    reason: Throwable,
    place: String = ""
) extends QueryExecutionException(condition.message(parameters, place), reason)
    with SparkThrowable {
  override def getCondition: String = condition.name
  override def getSqlState: String = condition.sqlState
  override def getMessageParameters: java.util.Map[String, String] = parameters.asJava

  /** The same error with a further sentence, such as where the row comes from. */
  def at(sentence: String): KafkalystTaskException = {
    val all = Seq(place, sentence).filter(_.nonEmpty).mkString(" ")
    val placed = new KafkalystTaskException(condition, parameters, reason, all)
    placed.setStackTrace(getStackTrace)
    placed
  }
}

object KafkalystTaskException {
  def apply(cause: Throwable, condition: String, parameters: (String, String)*): KafkalystTaskException =
    new KafkalystTaskException(Conditions(condition), parameters.toMap, cause)
}
