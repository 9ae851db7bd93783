package io.kafkalyst.commands

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession

/** Checks a query with joins, before its key and columns are determined. */
private[commands] object CheckJoins {

  /**
   * @throws io.kafkalyst.errors.KafkalystException JOIN_RESULT_KIND, REKEY_OF_TABLE, JOIN_OF_ITSELF, and the errors of
   *         unsupported joins
   */
  def apply(
      session: SparkSession,
      kind: ObjectKind,
      name: ObjectName,
      query: AnalyzedQuery,
      rekeyed: Boolean
  ): Unit = {
    import query.{isGrouped, leftmost, plan}
    val result = if (ContinuousJoins.isTable(plan)) ObjectKind.Table else ObjectKind.Stream
    if (kind != result && !isGrouped)
      throw KafkalystException("JOIN_RESULT_KIND", "name" -> name.table, "kind" -> result.name)
    onceEach(query)
    if (rekeyed && kind == ObjectKind.Table) throw KafkalystException("REKEY_OF_TABLE", "name" -> leftmost.name)
    // Under a GROUP BY the joins are checked with the rest of the plan.
    if (!isGrouped) ContinuousJoins.check(session, plan)
  }

  /** @throws io.kafkalyst.errors.KafkalystException JOIN_OF_ITSELF */
  def onceEach(query: AnalyzedQuery): Unit = {
    val names = query.sources.map(_.name)
    names.diff(names.distinct).headOption.foreach { twice =>
      throw KafkalystException("JOIN_OF_ITSELF", "name" -> twice)
    }
  }
}
