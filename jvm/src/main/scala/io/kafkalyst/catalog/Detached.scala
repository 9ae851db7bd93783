package io.kafkalyst.catalog

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}

/** Relations that Spark cannot load again by their names. */
private[kafkalyst] object Detached {

  /**
   * The relation without its catalog and identifier. In a temporary view of a DataFrame, Spark 4.1 and later load a
   * relation that has them anew: without the options, the version or the history that it was read with.
   */
  def apply(relation: LogicalPlan): LogicalPlan = relation.makeCopy(relation.productIterator.map {
    case Some(_: CatalogPlugin | _: Identifier) => None
    case part => part.asInstanceOf[AnyRef]
  }.toArray)
}
