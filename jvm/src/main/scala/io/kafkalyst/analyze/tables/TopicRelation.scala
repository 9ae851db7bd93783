package io.kafkalyst.analyze
package tables

import io.kafkalyst.analyze.sinks.DerivedOutput
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.lake.History
import io.kafkalyst.model.{ObjectKind, Side, TopicColumn, TopicObject}
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{
  ExposesMetadataColumns,
  LeafNode,
  LogicalPlan,
  Project,
  SubqueryAlias
}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * A topic's relation during name resolution. It adds the hidden columns ROWKEY and ROWVALUE, structs of the columns of
 * either side, so that Spark's own rules for hidden columns resolve `ROWKEY.k`, `t.ROWVALUE.v` and `ROWVALUE.*`.
 * [[TopicRelation.Unwrap]] removes it at the end of analysis.
 *
 * @param columns the topic's columns, in the order of the relation's output
 * @param isTable whether the rows are changes, of which a bounded read returns the last of each key
 * @param exposed whether a query names a hidden column, so that the output includes all of them
 * @param derived the object's computed columns and watermark
 * @param history the table that contains the records before the relation's
 * @param hidden the relation's hidden columns, with the ids by which a query may already refer to them
 */
final case class TopicRelation(
    relation: LogicalPlan,
    columns: Seq[TopicColumn],
    views: Seq[SideView],
    isTable: Boolean,
    exposed: Boolean = false,
    derived: DerivedOutput = DerivedOutput(),
    history: Option[History] = None,
    hidden: Seq[Attribute] = Nil
) extends LeafNode
    with MultiInstanceRelation
    with ExposesMetadataColumns {
  override def output: Seq[Attribute] = derived.marked(placed.map(_.toAttribute), isStreaming) ++
    (if (exposed) views.map(_.attribute) else Nil)

  /** The relation's output with the computed columns inserted. */
  private def placed: Seq[NamedExpression] = {
    val (declared, hidden) = relation.output.splitAt(columns.size)
    derived.placed(declared) ++ hidden
  }

  override def isStreaming: Boolean = relation.isStreaming
  override def metadataOutput: Seq[Attribute] = views.map(_.attribute) ++ hidden

  override def withMetadataColumns(): LogicalPlan = relation match {
    case _ if exposed => this
    case r: ExposesMetadataColumns => copy(named(r.withMetadataColumns()), exposed = true)
    case _ => copy(exposed = true)
  }

  /** The exposed relation, whose hidden columns have the ids of [[hidden]]. */
  private def named(exposed: LogicalPlan): LogicalPlan = {
    val (declared, added) = exposed.output.splitAt(relation.output.size)
    val output = declared ++ added.map(a => hidden.find(_.name == a.name).getOrElse(a))
    if (output == exposed.output) exposed
    else exposed.makeCopy(exposed.productIterator.map {
      case all: Seq[_] if all == exposed.output => output
      case part => part.asInstanceOf[AnyRef]
    }.toArray)
  }

  /**
   * The plan without this node. Exposes a table's hidden columns to DataFrame operations above, because the operators
   * that make its rows would hide them.
   *
   * @param isWhole whether the plan is nothing but this relation, so that only a DataFrame's next step can name them
   */
  def unwrapped(isWhole: Boolean): LogicalPlan = withMetadataColumns() match {
    case all: TopicRelation if isTable && !exposed && (!isStreaming || isWhole) =>
      TopicRelation.shown(outputSet, all.rows)
    case _ => rows
  }

  private def rows: LogicalPlan = {
    val rows = if (isTable) LatestPerKey(relation, columns) else history.fold(relation)(_.before(relation))
    val more = if (exposed) views.map(_.over(relation.output, columns)) else Nil
    val whole = if (more.isEmpty && derived.isEmpty) rows else Project(placed ++ more, rows)
    derived.watermarked(whole)
  }

  override def newInstance(): LogicalPlan = relation match {
    case r: MultiInstanceRelation =>
      val anew = r.newInstance()
      val renewed = AttributeMap(relation.output.zip(anew.output))
      copy(
        anew,
        views = views.map(v => v.copy(v.attribute.newInstance())),
        derived = derived.over(renewed),
        hidden = hidden.map(a => renewed.getOrElse(a, a.newInstance()))
      )
    case _ => this
  }
}

/** A hidden column for all columns of a side: a struct of them, or the single column itself. */
final case class SideView(attribute: Attribute, side: Side, bare: Boolean) {
  def over(output: Seq[Attribute], columns: Seq[TopicColumn]): NamedExpression = {
    val fields = columns.zip(output).filter(_._1.isIn(side))
    val value =
      if (bare) fields.head._2
      else CreateNamedStruct(fields.flatMap { case (column, a) => Seq(Literal(column.name), a) })
    Alias(value, attribute.name)(attribute.exprId, attribute.qualifier, Some(attribute.metadata))
  }
}

object TopicRelation {
  private val bareValue = "ROWVAL"

  def viewName(side: Side): String = side match {
    case Side.Key => "ROWKEY"
    case Side.Value => "ROWVALUE"
  }

  def apply(
      relation: LogicalPlan,
      topic: TopicObject,
      derived: DerivedOutput,
      history: Option[History],
      hidden: Seq[Attribute]
  ): TopicRelation = {
    val columns = topic.columns
    def named(name: String) = columns.exists(_.name.equalsIgnoreCase(name))
    val structs = Side.all.filter(side => columns.exists(_.isIn(side)) && !named(viewName(side))).map { side =>
      // A value without a column name can be referenced as ROWVALUE or ROWVAL.
      val only = columns.filter(_.isIn(side))
      view(viewName(side), side, bare = only.size == 1 && only.head.name.equalsIgnoreCase(bareValue), relation, columns)
    }
    val bare = columns.filter(_.isIn(Side.Value)) match {
      case Seq(one) if one.name.equalsIgnoreCase(viewName(Side.Value)) && !named(bareValue) =>
        Seq(view(bareValue, Side.Value, bare = true, relation, columns))
      case _ => Nil
    }
    new TopicRelation(
      relation,
      columns,
      structs ++ bare,
      topic.kind == ObjectKind.Table,
      derived = derived,
      history = history,
      hidden = hidden
    )
  }

  private def view(name: String, side: Side, bare: Boolean, relation: LogicalPlan, columns: Seq[TopicColumn]) = {
    val unnamed = SideView(MetadataAttribute(name, org.apache.spark.sql.types.NullType), side, bare)
    val dataType = unnamed.over(relation.output, columns).dataType
    unnamed.copy(attribute = MetadataAttribute(name, dataType))
  }

  /** The topics that a plan and its subqueries read, before [[Unwrap]]. */
  def in(plan: LogicalPlan): Seq[TopicRelation] = plan.collectWithSubqueries { case t: TopicRelation => t }

  /** Whether a plan reads a topic, before or after [[Unwrap]]. */
  def isIn(plan: LogicalPlan): Boolean = plan.exists {
    case _: TopicRelation => true
    case stream: StreamingRelationV2 => stream.table.isInstanceOf[TopicTable]
    case batch: DataSourceV2Relation => batch.table.isInstanceOf[TopicTable]
    case _ => false
  }

  private val shownTag = TreeNodeTag[Unit]("kafkalyst_shown")

  /** Whether the projection leaves out hidden columns that no query has named yet. */
  private[analyze] def isShown(project: Project): Boolean = project.getTagValue(shownTag).isDefined

  /** Projects to these columns; the others become hidden columns of the projection. */
  private def shown(columns: AttributeSet, plan: LogicalPlan): Project = {
    val (seen, hidden) = plan.output.partition(columns.contains)
    val project = Project(seen, plan)
    project.setTagValue(Project.hiddenOutputTag, hidden)
    project.setTagValue(shownTag, ())
    project
  }

  /** Replaces this node with the topic's relation when names are resolved. */
  object Unwrap extends org.apache.spark.sql.catalyst.rules.Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      val isWhole = plan match {
        case _: TopicRelation | SubqueryAlias(_, _: TopicRelation) => true
        case _ => false
      }
      plan.resolveOperatorsUpWithSubqueriesAndPruning(_ => true) {
        case wrapped: TopicRelation => wrapped.unwrapped(isWhole)
        // Spark passes hidden columns through an alias only if the alias is directly over a leaf.
        case alias @ SubqueryAlias(_, below: Project) if isShown(below) =>
          shown(below.outputSet, alias.copy(child = below.child))
      }
    }
  }
}
