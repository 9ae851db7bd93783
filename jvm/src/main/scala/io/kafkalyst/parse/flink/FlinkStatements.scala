package io.kafkalyst.parse
package flink

import java.util.Locale

/** Small statements of Flink that Spark spells differently. */
private[parse] object FlinkStatements {
  private val others = Seq(
    "USE\\s+CATALOG\\s+([^\\s;]+)" -> "SET CATALOG $1",
    "SHOW\\s+CURRENT\\s+CATALOG" -> "SELECT current_catalog()",
    "SHOW\\s+CREATE\\s+VIEW\\s+(.+?)" -> "SHOW CREATE TABLE $1"
  ).map { case (theirs, spark) => s"(?is)\\s*$theirs[\\s;]*".r.pattern -> spark }

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

  /** The statement in Spark's syntax; None for any other statement. */
  def rewritten(text: String): Option[String] = {
    val found = explain.matcher(text)
    if (found.matches) Some(withoutDetails(text, found.start(1), found.end(1)))
    else
      others.collectFirst {
        case (theirs, spark) if theirs.matcher(text).matches => theirs.matcher(text).replaceFirst(spark)
      }
  }

  /** Replaces the EXPLAIN details, keeping positions: of these, Spark only has the estimates (COST). */
  private def withoutDetails(text: String, from: Int, until: Int) = {
    val word = if (text.substring(from, until).toUpperCase(Locale.ROOT).contains("ESTIMATED_COST")) "COST" else ""
    text.take(from) + word.padTo(until - from, ' ') + text.drop(until)
  }
}
