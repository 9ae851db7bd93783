package io.kafkalyst.streams

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{JoinKey, JoinKeys, JoinRules}
import io.kafkalyst.keys.AsValue
import io.kafkalyst.model.{Side, TopicColumn}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

import scala.reflect.ClassTag

/**
 * Determines which result columns form the records' key and which their value, and their order: keys first.
 *
 * @param plan     the query with each result column named and marked with its side
 * @param explicit whether PARTITION BY or GROUP BY determines the key
 * @param keyless  whether the query has PARTITION BY NULL
 */
final case class SinkProjection(plan: LogicalPlan, explicit: Boolean, keyless: Boolean)

object SinkProjection {
  // Marks the expressions of PARTITION BY, which are kept beside the result's columns.
  private val partitionKey = "kafkalyst.partition.by"
  private val appended = "kafkalyst.partition.append"

  /** One expression of PARTITION BY. With `append`, it becomes a column if the projection does not contain it. */
  def key(expression: Expression, name: String, place: Int, append: Boolean): NamedExpression = Alias(expression, name)(
    explicitMetadata = Some(new MetadataBuilder().putLong(partitionKey, place).putBoolean(appended, append).build())
  )

  /** PARTITION BY NULL. */
  val noKey: NamedExpression = Alias(Literal(null), partitionKey)(
    explicitMetadata = Some(new MetadataBuilder().putLong(partitionKey, -1).build())
  )

  /**
   * The expressions of a resolved query's keys, by PARTITION BY or from its source; for queries without groups and
   * joins.
   */
  def keysOf(analyzed: LogicalPlan): Seq[Expression] = {
    val lineage = new Lineage(analyzed)
    val marked = analyzed.output.filter(_.metadata.contains(partitionKey)).sortBy(_.metadata.getLong(partitionKey))
    // References have the case of the query's text, so the sources' own attributes are used.
    val named = analyzed.collectLeaves().flatMap(_.output).map(a => a.exprId -> a).toMap
    (if (marked.isEmpty) analyzed.output.filter(isKey) else marked).map(lineage.of(_).transform {
      case a: Attribute => named.getOrElse(a.exprId, a)
    })
  }

  /**
   * A resolved query that is shown and may have PARTITION BY, whose key `*` includes.
   *
   * @throws io.kafkalyst.errors.KafkalystException REPEATED_PARTITION_BY
   */
  def shown(analyzed: LogicalPlan): LogicalPlan = {
    val (marked, visible) = analyzed.output.partition(_.metadata.contains(partitionKey))
    if (marked.isEmpty) analyzed
    else {
      val lineage = new Lineage(analyzed)
      val wanted = marked.filter(_.metadata.getLong(partitionKey) >= 0).sortBy(_.metadata.getLong(partitionKey))
      val keys = wanted.zip(distinct(wanted, lineage)).filter { case (key, _) => isAppended(key) }.map {
        case (key, definition) => visible.find(a => lineage.of(a).semanticEquals(definition)).getOrElse(key)
      }
      Project(keys ++ visible.filterNot(keys.contains), analyzed)
    }
  }

  /** The definitions of PARTITION BY's expressions. Throws REPEATED_PARTITION_BY. */
  private def distinct(wanted: Seq[Attribute], lineage: Lineage): Seq[Expression] = {
    val definitions = wanted.map(lineage.of)
    definitions.zipWithIndex.find { case (d, i) => definitions.indexWhere(_.semanticEquals(d)) < i }.foreach {
      case (_, i) => throw KafkalystException("REPEATED_PARTITION_BY", "expression" -> wanted(i).name)
    }
    definitions
  }

  /**
   * @param changes the resolved query
   * @throws io.kafkalyst.errors.KafkalystException KEY_NOT_SELECTED, KEY_SELECTED_TWICE, REPEATED_PARTITION_BY
   */
  def of(changes: Changes): SinkProjection = {
    val analyzed = changes.plan
    val around = changes.attributes.map(_.exprId).toSet
    val found = of(analyzed, analyzed.output.filterNot(a => around(a.exprId)), changes.absent)
    val more = changes.around.map { case (name, a) => Alias(a, name)(explicitMetadata = Some(Changes.carriedMark)) } ++
      changes.source.toSeq.flatMap(_.columns)
    found.plan match {
      case Project(list, child) => found.copy(plan = Project(list ++ more, child))
      case _ => found
    }
  }

  private def of(analyzed: LogicalPlan, output: Seq[Attribute], absent: Option[Attribute]): SinkProjection = {
    val (marked, visible) = output.partition(_.metadata.contains(partitionKey))
    val lineage = new Lineage(analyzed)
    if (marked.exists(_.metadata.getLong(partitionKey) < 0)) {
      SinkProjection(projected(analyzed, Nil, visible), explicit = true, keyless = true)
    } else if (marked.nonEmpty) {
      val wanted = marked.sortBy(_.metadata.getLong(partitionKey))
      val keys = wanted.zip(distinct(wanted, lineage)).map { case (key, definition) =>
        visible.filter(a => lineage.of(a).semanticEquals(definition) && !isCopy(lineage.of(a))) match {
          // In ksqlDB, `*` includes the key that PARTITION BY computes, in addition to a column that computes the same.
          case Seq(one) if isAppended(key) && !definition.isInstanceOf[Attribute] && isKsqldb =>
            throw twice(key.name, Seq(key, one))
          case Seq(one) => one
          case Seq() if isAppended(key) => key
          case Seq() => throw notSelected(key.name)
          case several => throw twice(key.name, several)
        }
      }
      // A record without a value can only provide its own key.
      val own = AttributeSet(analyzed.collectLeaves().flatMap(_.output).filter(isKey))
      val ofValue = absent.map(_ -> AttributeSet(keys.filterNot(k => lineage.of(k).references.subsetOf(own))))
      SinkProjection(projected(analyzed, keys, visible, made = true, ofValue), explicit = true, keyless = false)
    } else grouped(analyzed, visible, lineage).getOrElse(passedOn(analyzed, visible, lineage))
  }

  /** The key of an aggregation: its grouping expressions, and the row numbers if a group has several rows. */
  private def grouped(analyzed: LogicalPlan, visible: Seq[Attribute], lineage: Lineage): Option[SinkProjection] =
    top[Aggregate](analyzed).filter(a => a.groupingExpressions.nonEmpty || TopRows.areIn(a)).map { aggregate =>
      val keys = aggregate.groupingExpressions.filterNot(GroupedChanges.isWindow).map { grouping =>
        visible.filter(a => lineage.within(a, aggregate).exists(_.semanticEquals(grouping))) match {
          case Seq(one) => one
          case Seq() => throw notSelected(grouping.sql)
          case several => throw twice(grouping.sql, several)
        }
      } ++ TopRows.numbers(analyzed).map { number =>
        visible.filter(a => lineage.of(a).semanticEquals(number)) match {
          case Seq(one) => one
          case Seq() => throw notSelected("ROW_NUMBER()")
          case several => throw twice("ROW_NUMBER()", several)
        }
      }
      SinkProjection(projected(analyzed, keys, visible), explicit = true, keyless = false)
    }

  /** Without a clause, records keep the source's complete key; a join's records have the join key. */
  private def passedOn(analyzed: LogicalPlan, visible: Seq[Attribute], lineage: Lineage): SinkProjection = {
    val keys = top[Join](analyzed) match {
      case Some(join) =>
        val columns = analyzed.collectLeaves().flatMap(_.output).map(_.exprId)
        JoinKeys.of(join).map(ofJoin(_, visible, lineage, columns))
      case None =>
        val leaves = analyzed.collectLeaves()
        if (leaves.size != 1) visible.filter(isKey)
        else
          leaves.head.output.filter(isKey).map { key =>
            visible.filter(a => lineage.of(a).semanticEquals(key)) match {
              case Seq(one) => one
              // The column stays in the key; ksqlDB requires PARTITION BY to leave it out.
              case Seq() if !isKsqldb && leaves.head.outputSet.contains(key) => key
              case Seq() => throw notSelected(nameOf(key))
              case several => throw twice(nameOf(key), several)
            }
          }
    }
    // Each branch of a UNION has separate columns; the result's keys are among the shown ones.
    val whole = if (keys.forall(analyzed.outputSet.contains)) analyzed else withKeys(analyzed, keys)
    keys.find(!whole.outputSet.contains(_)).foreach(key => throw notSelected(nameOf(key)))
    SinkProjection(projected(whole, keys, visible), explicit = false, keyless = false)
  }

  /**
   * Of the columns that equal the key of a join's rows, the leftmost source's.
   *
   * @param columns the columns of the sources, the leftmost source's first
   */
  private def ofJoin(key: JoinKey, visible: Seq[Attribute], lineage: Lineage, columns: Seq[ExprId]): Attribute = {
    val same = key.same.map(lineage.of)
    def means(e: Expression) = same.exists(_.semanticEquals(e))
    val having = visible.filter { a =>
      lineage.of(a) match {
        case Coalesce(all) if key.synthetic => all.forall(means)
        case column: Attribute => !key.synthetic && means(column)
        case _ => false
      }
    }.sortBy(a =>
      lineage.of(a) match {
        case column: Attribute => columns.indexOf(column.exprId)
        case _ => -1
      }
    )
    val first = having.headOption.getOrElse {
      val attributes = key.same.collect { case a: Attribute => a }
      val qualified = attributes.filter(_.qualifier.nonEmpty)
      val columns = (if (qualified.isEmpty) attributes else qualified).map(JoinRules.name).distinct
      throw notSelected(if (key.synthetic) "ROWKEY" else columns.mkString(" or "))
    }
    having.filter(a => lineage.of(a).semanticEquals(lineage.of(first))) match {
      case Seq(_) => first
      case several => throw twice(nameOf(lineage.of(first)), several)
    }
  }

  private def nameOf(e: Expression): String = e match {
    case a: Attribute => TopicColumn.nameOf(a.name, a.metadata)
    case other => other.sql
  }

  /**
   * The operator that produces the query's rows, if it is of this kind, below operators that only select among rows.
   */
  private def top[T <: LogicalPlan: ClassTag](plan: LogicalPlan): Option[T] = plan match {
    case found: T => Some(found)
    case _: Project | _: Filter | _: Generate | _: SubqueryAlias => top[T](plan.children.head)
    case w: WithCTE => top[T](w.plan)
    case _ => None
  }

  /** Adds the key columns that the plan's projections leave out. */
  private def withKeys(plan: LogicalPlan, keys: Seq[Attribute]): LogicalPlan = plan.transformUp {
    case p @ Project(list, child) =>
      val more = keys.filter(k => child.outputSet.contains(k) && !p.outputSet.contains(k))
      if (more.isEmpty) p else p.copy(list ++ more)
  }

  private def isKey(a: Attribute) = TopicColumn.sideOf(a.metadata) == Side.Key

  private def isAppended(key: Attribute) = key.metadata.getBoolean(appended)

  private def isKsqldb = Settings.current.isKsqldb

  private def isCopy(e: Expression) = e.isInstanceOf[AsValue]

  private def projected(
      analyzed: LogicalPlan,
      keys: Seq[Attribute],
      visible: Seq[Attribute],
      made: Boolean = false,
      ofValue: Option[(Attribute, AttributeSet)] = None
  ): LogicalPlan = {
    val values = visible.filterNot(a => keys.exists(_.exprId == a.exprId))
    def column(a: Attribute, as: Metadata) = Alias(a, a.name)(explicitMetadata = Some(as))
    val asKey = if (made) TopicColumn.made(Side.Key) else TopicColumn.metadata(Side.Key)
    def keyColumn(a: Attribute) = ofValue.filter(_._2.contains(a)).fold(column(a, asKey)) { case (absent, _) =>
      Alias(If(absent, Literal.create(null, a.dataType), a), a.name)(explicitMetadata = Some(asKey))
    }
    val list = keys.map(keyColumn) ++ values.map(column(_, TopicColumn.metadata(Side.Value)))
    Project(list, analyzed)
  }

  private def notSelected(name: String) = KafkalystException("KEY_NOT_SELECTED", "key" -> name)

  private def twice(name: String, several: Seq[Attribute]) =
    KafkalystException("KEY_SELECTED_TWICE", "key" -> name, "columns" -> several.map(_.name).mkString(", "))

  /** Defines the result's columns in terms of the sources. */
  private final class Lineage(plan: LogicalPlan) {
    private val aliases = plan.collect {
      case p: Project => p.projectList
      case a: Aggregate => a.aggregateExpressions
    }.flatten.collect { case a: Alias => a.exprId -> a.child }.toMap

    /**
     * Resolves a reference to the sources: `ROWKEY.k` is the column k; a field of a STRUCT that the expression itself
     * creates is a computed value.
     */
    def of(a: Expression): Expression = a.transformDown {
      case GetStructField(Named(struct), ordinal, _) => of(struct.valExprs(ordinal))
      case attribute: Attribute if aliases.contains(attribute.exprId) => of(aliases(attribute.exprId))
    }

    private object Named {
      def unapply(e: Expression): Option[CreateNamedStruct] =
        Option(e).collect { case a: Attribute => of(a) }.collect { case struct: CreateNamedStruct => struct }
    }

    /** The column as an expression over an aggregation's input; None if the column is not the aggregation's. */
    def within(a: Attribute, aggregate: Aggregate): Option[Expression] =
      aggregate.aggregateExpressions.find(_.exprId == a.exprId) match {
        case Some(alias: Alias) => Some(alias.child)
        case Some(other) => Some(other)
        case None => aliases.get(a.exprId).collect { case inner: Attribute => inner }.flatMap(within(_, aggregate))
      }
  }
}
