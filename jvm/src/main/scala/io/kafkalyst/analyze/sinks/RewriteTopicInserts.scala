package io.kafkalyst.analyze
package sinks

import java.time.DateTimeException

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.KsqlCasts
import io.kafkalyst.metadata.{MetadataWriter, PseudoColumns}
import io.kafkalyst.model.{TimeOfDay, TopicColumn, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.write.{FieldsByName, SinkColumns, TopicWrite}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  LocalRelation,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  Project,
  Repartition,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.connector.catalog.StagedTable
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types._

/**
 * Matches the query of a batch write to the sink's columns: by name or position, with Spark's store assignment casts,
 * and null for columns that the statement leaves out. Rows of VALUES are written in order.
 */
object RewriteTopicInserts extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case given: V2WriteCommand if given.query.resolved =>
      val write = if (isKsqlValues(given.query)) withQuery(given, KsqlValues.unrenamed(given.query)) else given
      write.table match {
        case relation: DataSourceV2Relation =>
          relation.table match {
            case table: TopicTable =>
              val sink = table.written(options(write))
              checkWritable(sink)
              val query = if (isAligned(write, sink)) write.query else aligned(write, sink)
              val isAppended = write.isInstanceOf[AppendData] || table.isInstanceOf[StagedTable]
              val ordered = if (isAppended) inOneTask(query, sink) else query
              withQuery(given, ordered)
            case _ => given
          }
        case _ => given
      }
  }

  /** The options of a DataFrame's writer. */
  private[analyze] def options(write: V2WriteCommand): Map[String, String] = write match {
    case append: AppendData => append.writeOptions
    case overwrite: OverwriteByExpression => overwrite.writeOptions
    case overwrite: OverwritePartitionsDynamic => overwrite.writeOptions
    case _ => Map.empty
  }

  private def withQuery(write: V2WriteCommand, query: LogicalPlan): V2WriteCommand =
    if (query.fastEquals(write.query)) write else write.withNewQuery(query)

  /** Whether the query is rows of VALUES under ksqlDB's rules. */
  private def isKsqlValues(query: LogicalPlan): Boolean = isValues(query) && Settings.of(conf.getAllConfs).isKsqldb

  /**
   * Literal rows are written by one task, because several tasks would write a partition in any order. Exactly-once
   * writes also use one task, because a transaction has one producer.
   */
  private def inOneTask(query: LogicalPlan, sink: TopicTable): LogicalPlan = query match {
    case Repartition(1, _, _) => query
    case _ if isValues(query) => Repartition(1, shuffle = false, query)
    case _ if sink.isExactlyOnce => Repartition(1, shuffle = true, query)
    case _ => query
  }

  private def isValues(query: LogicalPlan): Boolean = query.collectLeaves().forall(_.isInstanceOf[LocalRelation])

  /** The sink's columns and the hidden columns that the query sets. */
  private def columnsOf(write: V2WriteCommand, sink: TopicTable): Seq[TopicColumn] = {
    val given = write.query.output.map(_.name)
    val own = sink.topic.sinkColumns
    // By position, a change log of events has its tombstone flag after the columns.
    val withTombstone = given.size == own.size + 1 && given.last.equalsIgnoreCase(PseudoColumns.tombstone.name)
    if (write.isByName || withTombstone) SinkColumns.withHidden(sink.topic, given) else own
  }

  private def isAligned(write: V2WriteCommand, sink: TopicTable): Boolean = {
    val query = write.query
    val columns = columnsOf(write, sink)
    query.output.size == columns.size && query.output.zip(columns).forall { case (attribute, column) =>
      attribute.name == column.name && attribute.dataType == column.dataType
    } && WrittenChanges(query, sink).isEmpty
  }

  private def checkWritable(sink: TopicTable): Unit = {
    MetadataWriter.check(sink.name, sink.topic)
    if (sink.topic.options.contains(TopicObject.readOnly)) throw KafkalystException(
      "READ_ONLY_SOURCE",
      "kind" -> sink.topic.kind.name,
      "name" -> sink.name,
      "what" -> "INSERT"
    )
  }

  private def aligned(write: V2WriteCommand, sink: TopicTable): LogicalPlan = {
    val given = write.query.output
    val isKsqlValues = this.isKsqlValues(write.query)
    val fields = given.map(asColumn(_, sink))
    val columns = columnsOf(write, sink)
    // Without a column list, ksqlDB means all columns, including headers.
    val named = if (write.isByName) fields else if (isKsqlValues) sink.topic.columns.map(_.field) else Nil
    SinkColumns.checkVirtual(sink.name, sink.topic.columns, named)
    val places =
      if (write.isByName) SinkColumns.byName(sink.name, columns, fields)
      else SinkColumns.byPosition(sink.name, columns, fields)
    val leftOut = columns.zip(places).collect { case (column, None) => column }
    val mayDelete = columns.exists(_.name == PseudoColumns.tombstone.name)
    SinkColumns.checkLeftOut(sink.name, sink.topic, leftOut, mayDelete)
    val project = columns.zip(places).map { case (column, place) =>
      val value =
        place.fold[Expression](Literal.create(null, column.dataType)) { i =>
          if (isKsqlValues && given(i).dataType == StringType && TimeOfDay.is(column.dataType))
            checkTimes(write.query, given(i))
          cast(sink, column, given(i), isKsqlValues, write.isByName)
        }
      TopicWrite.alias(value, column)
    }
    WrittenChanges(write.query, sink).fold[LogicalPlan](Project(project, write.query)) { case (changes, gone) =>
      Project(project :+ TopicWrite.alias(gone, PseudoColumns.tombstone), changes)
    }
  }

  /** A column list of an INSERT uses the names that Spark sees. */
  private def asColumn(a: Attribute, sink: TopicTable): StructField =
    sink.schema.find(f => f.name == a.name && f.metadata.contains(TopicColumn.nameKey))
      .getOrElse(StructField(a.name, a.dataType, a.nullable, a.metadata))

  /** @param isKsqlValues whether it is a VALUES row under ksqlDB's rules */
  private def cast(
      sink: TopicTable,
      column: TopicColumn,
      attribute: Attribute,
      isKsqlValues: Boolean,
      isByName: Boolean
  ): Expression = {
    val (from, to) = (attribute.dataType, column.dataType)
    if (from == to) attribute
    else if (from == NullType) Literal.create(null, to)
    else if (isKsqlValues) {
      SinkColumns.checkType(sink.name, column, from, KsqlValues.isStorable(from, to))
      StoredValue(KsqlValues.cast(attribute, to), attribute, to, sink.name.toString, column.sqlName)
    } else if (isByName) {
      // Spark gives the fields of a column list's STRUCTs the names of the relation.
      val internal = sink.schema.find(_.name == attribute.name).fold(to)(_.dataType)
      val names = InternalSchema.externalNames(TopicColumn.of(attribute).dataType, internal, to)
      FieldsByName.check(sink.name, column, names)
      stored(FieldsByName(attribute, names, to)(stored), to)
    } else {
      SinkColumns.checkType(sink.name, column, from, SinkColumns.isStorable(from, to))
      stored(attribute, to)
    }
  }

  /** Casts to exactly the column's type, in which all fields are nullable. */
  private def stored(value: Expression, to: DataType): Expression =
    if (value.dataType == to) value
    else if (TimeOfDay.is(value.dataType) && TimeOfDay.is(to)) KsqlCasts(to).build(Seq(value))
    else Cast(value, to, Some(conf.sessionLocalTimeZone), ansiEnabled = true)

  /** Checks strings for TIME: Spark's cast needs a setting, and Kafkalyst's cast returns null for an invalid string. */
  private def checkTimes(query: LogicalPlan, attribute: Attribute): Unit = query match {
    case Project(list, child) => list.find(_.exprId == attribute.exprId).flatMap(_.references.headOption)
        .foreach(checkTimes(child, _))
    case rows: LocalRelation =>
      val place = rows.output.indexWhere(_.exprId == attribute.exprId)
      rows.data.filterNot(_.isNullAt(place)).map(_.getUTF8String(place).toString).foreach { text =>
        try TimeOfDay.parse(text)
        catch { case _: DateTimeException => throw KafkalystException("TIME_OF_DAY_TEXT", "text" -> text) }
      }
    case _ =>
  }
}
