package io.kafkalyst.parse
package flink

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.commands.DropObject
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, NoopCommand}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/** Flink's `DROP TEMPORARY TABLE` and `DROP TEMPORARY VIEW`, which never drop what is permanent. */
private[parse] object FlinkDrops {
  private val drops = """(?is)\s*DROP\s+TEMPORARY\s+(TABLE|VIEW)\s+(IF\s+EXISTS\s+)?(\S+?)[\s;]*""".r

  /**
   * The plan; None for any other text.
   *
   * @param spark parses Spark's own statements
   */
  def plan(text: String, store: ObjectStore, spark: String => LogicalPlan): Option[LogicalPlan] = text match {
    case drops(kind, ifExists, written) =>
      val name = new Tokens(written).name(0).map(Names.of)
      val isTable = kind.equalsIgnoreCase("TABLE")
      if (isTable && store.find(name).exists(found => store.isOfSession(found.name.toString)))
        Some(DropObject(name, None, ifExists != null, false))
      else if (!isTable && store.isTemporaryView(name))
        Some(spark(s"DROP VIEW ${name.map(quoteIdentifier).mkString(".")}"))
      else if (ifExists != null) Some(NoopCommand(s"DROP ${if (isTable) "TABLE" else "VIEW"}", name))
      else throw KafkalystException("OBJECT_NOT_FOUND", "name" -> name.mkString("."), "nearest" -> "")
    case _ => None
  }
}
