package io.kafkalyst.parse
package flink

import io.kafkalyst.catalog.ObjectStore
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, NoopCommand}

/** Flink's `CREATE TEMPORARY VIEW IF NOT EXISTS`, which Spark's grammar has and its parser refuses. */
private[parse] object FlinkViews {
  private val creates = """(?is)\s*CREATE\s+(?:TEMPORARY|TEMP)\s+VIEW\s+(IF\s+NOT\s+EXISTS)\s+(.+)""".r.pattern

  /**
   * The plan, which does nothing if the session has the view; None for any other text.
   *
   * @param spark parses Spark's own statements
   */
  def plan(text: String, store: ObjectStore, spark: String => LogicalPlan): Option[LogicalPlan] = {
    val found = creates.matcher(text)
    Option.when(found.matches) {
      val name = new Tokens(found.group(2)).name(0).map(Names.of)
      if (store.isTemporaryView(name)) NoopCommand("CREATE TEMPORARY VIEW", name)
      else spark(text.take(found.start(1)) + " " * found.group(1).length + text.drop(found.end(1)))
    }
  }
}
