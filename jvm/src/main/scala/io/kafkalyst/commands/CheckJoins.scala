package io.kafkalyst.commands

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession

/** What a query with joins may say, before its key and its columns are looked at. */
private[commands] object CheckJoins {

  /** @throws io.kafkalyst.errors.KafkalystException JOIN_RESULT_KIND, REKEY_OF_TABLE, JOIN_OF_ITSELF, and what
   *         a join may not say */
  def apply(
      session: SparkSession,
      kind: ObjectKind,
      name: ObjectName,
      query: AnalyzedQuery,
      rekeyed: Boolean
  ): Unit = {
    import query.{isGrouped, leftmost, plan, sources}
    val result = if (ContinuousJoins.isTable(plan)) ObjectKind.Table else ObjectKind.Stream
    if (kind != result && !isGrouped)
      throw KafkalystException("JOIN_RESULT_KIND", "name" -> name.table, "kind" -> result.name)
    sources.map(_.name).diff(sources.map(_.name).distinct).headOption.foreach { twice =>
      throw KafkalystException("JOIN_OF_ITSELF", "name" -> twice)
    }
    if (rekeyed && kind == ObjectKind.Table) throw KafkalystException("REKEY_OF_TABLE", "name" -> leftmost.name)
    // Beneath a GROUP BY it is looked at with the rest.
    if (!isGrouped) ContinuousJoins.check(session, plan)
  }
}
