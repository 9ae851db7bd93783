package io.kafkalyst.analyze.tables

import io.kafkalyst.analyze.sinks.DerivedOutput
import io.kafkalyst.catalog.{Detached, TopicSource, TopicTable}
import io.kafkalyst.catalog.cluster.UnreadableTopic
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.{History, LosslessCast}
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * Wraps topics that Spark itself loaded from a catalog, as `spark.table` does if no rule ran before, so that table rows
 * and computed columns are the same as in a SELECT.
 */
final class LoadedTopics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case r: DataSourceV2Relation => wrapped(r, r.table, r.options, r.catalog.isEmpty)
    case r: StreamingRelationV2 => wrapped(r, r.table, r.extraOptions, r.catalog.isEmpty)
  }

  /** @param isReaders whether the options are those of `spark.read.format(…)`, without a catalog */
  private def wrapped(
      leaf: LeafNode,
      table: Table,
      options: CaseInsensitiveStringMap,
      isReaders: Boolean
  ): LogicalPlan = table match {
    case of: TopicTable if !LoadedTopics.isPlain(options) =>
      if (isReaders) TopicTable.checkOptions(options.asScala.toMap)
      val marked = new CaseInsensitiveStringMap((options.asScala ++ LoadedTopics.plain).asJava)
      val hasRange = leaf.isStreaming || options.asScala.keys.exists(TopicTable.edgeOf(_).isDefined)
      val read =
        if (isReaders && options.asScala.keys.exists(TopicSource.isAsOf))
          of.as(AsOf.said(session, of.name, of.topic, options.asScala.toMap, TopicSource.settings()))
        else of
      val history = if (hasRange) None else History.of(session, of.name, read.topic, of.admin)
      val loaded = leaf.makeCopy(leaf.productIterator.map {
        case given: CaseInsensitiveStringMap if given == options => marked
        case `of` if history.isDefined => read.as(history.get.rest)
        case `of` => read
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
      val relation = if (history.isDefined) Detached(loaded) else loaded
      val begun = if (leaf.isStreaming) History.ofStream(session, relation) else relation
      // Spark may have resolved hidden columns before this rule, by the ids of the relation that it loaded.
      val all = TopicRelation(begun, of.topic, DerivedOutput(session, of.topic, begun), history, leaf.metadataOutput)
      of.chosen.filter(_ => isReaders).fold[LogicalPlan](all)(chosen(all, of, _))
    case unread: UnreadableTopic if !LoadedTopics.isPlain(options) => throw unread.reason
    case _ => leaf
  }

  /** The columns of `.schema(…)`, in its order and types. */
  private def chosen(all: TopicRelation, of: TopicTable, schema: StructType): LogicalPlan = {
    val declared = all.columns.zip(all.relation.output)
    def isAll = schema.length == declared.length && schema.fields.zip(declared).forall { case (f, (_, a)) =>
      f.name == a.name && DataTypeUtils.sameType(f.dataType, a.dataType)
    }
    if (isAll) all else Project(schema.fields.toSeq.map(column(_, declared, of)), all)
  }

  private def column(f: StructField, declared: Seq[(TopicColumn, Attribute)], of: TopicTable): NamedExpression = {
    // The data source has refused names that the topic does not have.
    val (column, found) =
      declared.find(_._2.name == f.name).getOrElse(declared.find(_._2.name.equalsIgnoreCase(f.name)).get)
    val isSame = DataTypeUtils.sameType(f.dataType, found.dataType)
    if (!isSame && !LosslessCast.fits(found.dataType, f.dataType)) throw KafkalystException(
      "READER_SCHEMA",
      "topic" -> of.topic.topic,
      "column" -> f.name,
      "wanted" -> f.dataType.sql,
      "found" -> found.dataType.sql
    )
    if (isSame && f.name == found.name) found
    else {
      val metadata = if (isSame) found.metadata else TopicColumn.metadata(column.side, column.metadata)
      Alias(if (isSame) found else Cast(found, f.dataType), f.name)(explicitMetadata = Some(metadata))
    }
  }
}

object LoadedTopics {
  private val option = "__kafkalyst.plain"

  /** Marks a relation that stays as Spark loads it; the source ignores this option. */
  val plain: Map[String, String] = Map(option -> "true")

  def isPlain(options: CaseInsensitiveStringMap): Boolean = options.containsKey(option)
}
