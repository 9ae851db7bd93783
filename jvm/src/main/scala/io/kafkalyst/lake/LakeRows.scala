package io.kafkalyst.lake

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * Rows for a table.
 *
 * @param columns   the query's columns as its SELECT lists them, then those that it does not list
 * @param keysFirst the columns of queries that earlier versions stored
 * @param leftOut   the keys among these that the SELECT does not list
 * @param keys      the key columns among these, by which rows replace each other
 * @param deleted   whether the row deletes its key
 * @param order     the row's position among the rows of its key, BIGINT or ARRAY<BIGINT>
 */
private[lake] final case class LakeRows(
    plan: LogicalPlan,
    columns: Seq[Attribute],
    keysFirst: Seq[Attribute],
    leftOut: Seq[Attribute],
    keys: Seq[Attribute],
    deleted: Option[Attribute],
    order: Option[Attribute]
)
