package io.kafkalyst.commands

import io.kafkalyst.catalog.{ObjectName, TopicAdmin, TopicTable}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What a query with joins may say as a whole, before its joins are looked at. */
private[commands] object CheckJoins {

  /** @throws io.kafkalyst.errors.KafkalystException JOIN_RESULT_KIND, REKEY_OF_TABLE, JOIN_OF_ITSELF */
  def apply(
      kind: ObjectKind,
      name: ObjectName,
      leftmost: TopicTable,
      sources: Seq[TopicTable],
      plan: LogicalPlan,
      rekeyed: Boolean,
      admin: TopicAdmin
  ): Unit = {
    val result = if (ContinuousJoins.isTable(plan)) ObjectKind.Table else ObjectKind.Stream
    if (kind != result) throw KafkalystException("JOIN_RESULT_KIND", "name" -> name.table, "kind" -> result.name)
    if (rekeyed && kind == ObjectKind.Table) throw KafkalystException("REKEY_OF_TABLE", "name" -> leftmost.name)
  }
}
