package io.kafkalyst.analyze
package statements

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.commands.DropSchema
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedNamespace
import org.apache.spark.sql.catalyst.catalog.SessionCatalog
import org.apache.spark.sql.catalyst.plans.logical.{DropNamespace, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** DROP SCHEMA … CASCADE of a schema with streams or tables, whose queries Spark does not know. */
final class DroppedSchemas(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val store = new ObjectStore(session)
  private val default = SessionCatalog.DEFAULT_DATABASE

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case drop: DropNamespace if drop.cascade =>
      drop.namespace match {
        // Spark never drops its default schema, so nothing of it may go before Spark refuses.
        case named: UnresolvedNamespace if named.multipartIdentifier.last.equalsIgnoreCase(default) =>
          drop
        case named: UnresolvedNamespace if store.isSchema(named.multipartIdentifier) =>
          val objects = store.list(named.multipartIdentifier)
          if (objects.isEmpty) drop else DropSchema(objects.map(_.name), drop)
        case _ => drop
      }
    case other => other
  }
}
