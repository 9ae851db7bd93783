package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Like, Literal, Not}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}

/** Small statements of Flink that Spark spells differently. */
private[parse] object FlinkStatements {
  private val others = Seq(
    "SHOW\\s+CURRENT\\s+CATALOG" -> "SELECT current_catalog()",
    "SHOW\\s+CREATE\\s+VIEW\\s+(.+?)" -> "SHOW CREATE TABLE $1"
  ).map { case (theirs, spark) => s"(?is)\\s*$theirs[\\s;]*".r.pattern -> spark }

  private val catalog = """(?is)\s*USE\s+CATALOG\s+([^\s;]+)[\s;]*""".r

  private val detail = "(?:ESTIMATED_COST|CHANGELOG_MODE|JSON_EXECUTION_PLAN|PLAN_ADVICE)"
  private val explain = s"(?is)\\s*EXPLAIN\\s+(PLAN\\s+FOR|$detail(?:\\s*,\\s*$detail)*)\\s.*".r.pattern

  private val creates = "(?is)\\s*CREATE\\s+(TEMPORARY|TEMP)\\s+TABLE\\b.*".r.pattern

  /** `CREATE TEMPORARY TABLE …` with TEMPORARY blanked. */
  def temporary(text: String): Option[String] = {
    val found = creates.matcher(text)
    Option.when(found.matches)(text.take(found.start(1)) + " " * found.group(1).length + text.drop(found.end(1)))
  }

  private val columns = """(?is)\s*SHOW\s+COLUMNS\s+(?:FROM|IN)\s+(\S+)\s+(NOT\s+)?LIKE\s+'([^']*)'[\s;]*""".r

  /** `SHOW COLUMNS FROM t [NOT] LIKE 'pattern'`: the table's name, the pattern, and whether names must match it. */
  def columnsLike(text: String): Option[(Seq[String], (String, Boolean))] = text match {
    case columns(name, not, pattern) => Some(new Tokens(name).name(0).map(Names.of) -> (pattern -> (not == null)))
    case _ => None
  }

  private val tables =
    """(?is)\s*(SHOW\s+(TABLE|VIEW)S(?:\s+(?:FROM|IN)\s+\S+)?\s+)NOT\s+LIKE\s+'([^']*)'[\s;]*""".r

  /**
   * The plan of `SHOW TABLES [FROM schema] NOT LIKE 'pattern'` and SHOW VIEWS; None for any other text.
   *
   * @param spark parses Spark's own statements
   */
  def unlike(text: String, spark: String => LogicalPlan): Option[LogicalPlan] = text match {
    case tables(show, kind, pattern) =>
      val column = s"${kind.toLowerCase(Locale.ROOT)}Name"
      Some(Filter(Not(new Like(UnresolvedAttribute(Seq(column)), Literal(pattern))), spark(show)))
    case _ => None
  }

  /** The statement in Spark's syntax; None for any other statement. */
  def rewritten(text: String, store: ObjectStore): Option[String] = {
    val found = explain.matcher(text)
    text match {
      case _ if found.matches => Some(withoutDetails(text, found.start(1), found.end(1)))
      case catalog(name) =>
        val isDefault = store.isFlinkDefault(Names.of(new Tokens(name)(0)))
        Some(s"SET CATALOG ${if (isDefault) ObjectName.sessionCatalog else name}")
      case _ => others.collectFirst {
          case (theirs, spark) if theirs.matcher(text).matches => theirs.matcher(text).replaceFirst(spark)
        }
    }
  }

  /** Replaces the EXPLAIN details, keeping positions: of these, Spark only has the estimates (COST). */
  private def withoutDetails(text: String, from: Int, until: Int) = {
    val word = if (text.substring(from, until).toUpperCase(Locale.ROOT).contains("ESTIMATED_COST")) "COST" else ""
    text.take(from) + word.padTo(until - from, ' ') + text.drop(until)
  }
}
