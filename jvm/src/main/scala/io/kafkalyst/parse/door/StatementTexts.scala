package io.kafkalyst.parse
package door

import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.catalog.TopicSource
import io.kafkalyst.clients.Connector
import io.kafkalyst.commands.StagedTopic
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.parse.grammar.KafkalystParser._
import io.kafkalyst.parse.island.Clauses
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{
  AddColumns,
  CreateTable,
  CreateTableAsSelect,
  InsertIntoStatement,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpecBase,
  V2CreateTableAsSelectPlan
}
import org.apache.spark.sql.execution.command.ExplainCommand

import scala.jdk.CollectionConverters._

/** Kafkalyst's own statements. */
private[parse] final class StatementTexts(
    session: SparkSession,
    door: DoorSession,
    below: ParserInterface,
    queries: QueryTexts
) {
  import door.{bound, foldsNames, isKsqldb, isThere, store, types}

  private lazy val continuousInserts = new ContinuousInserts(door, queries.sinkQuery)

  /** Parses a statement that Spark accepts, too, as Kafkalyst's if it is about a Kafkalyst object. */
  def ofAccepted(text: String, plan: LogicalPlan, delegate: ParserShell.Below): Option[LogicalPlan] = {
    def mayBeOurs(plan: LogicalPlan): Boolean = plan match {
      case i: InsertIntoStatement => Reads.names(i.table).exists(store.isTopic)
      case a: AddColumns => Reads.names(a.table).exists(store.isTopic)
      case c: V2CreateTableAsSelectPlan => isKsqldb && Reads.names(c.query).exists(store.isTopic)
      case ExplainCommand(explained @ (_: V2CreateTableAsSelectPlan | _: InsertIntoStatement), _) =>
        mayBeOurs(explained)
      case _: ExplainCommand => false
      case other if constraints(other.getClass.getSimpleName) =>
        other.children.flatMap(Reads.names).exists(store.isTopic)
      case other => other.getClass.getSimpleName.startsWith("CreateTableLike")
    }
    checkProvider(plan)
    if (!mayBeOurs(plan)) None
    else
      Statements.parse(bound(text, delegate)).toOption.filter(isOurs(_, text, delegate)).map(build(_, text, delegate))
  }

  /** Whether a statement of a script may be Kafkalyst's, so that [[ofScript]] is to read it. */
  def mayBeOfScript(plan: LogicalPlan): Boolean = plan match {
    case a: AddColumns => Reads.names(a.table).exists(store.isTopic)
    case create @ (_: CreateTable | _: CreateTableAsSelect | _: ReplaceTable | _: ReplaceTableAsSelect) =>
      create.children.exists {
        case id: UnresolvedIdentifier => store.inCluster(id.nameParts).isDefined
        case _ => false
      }
    case like if like.getClass.getSimpleName.startsWith("CreateTableLike") =>
      val names = like.productIterator.collect { case id: TableIdentifier => id.nameParts }
      (names ++ like.children.flatMap(Reads.names)).exists(store.isTopic)
    case _ => false
  }

  /** Like [[ofAccepted]], for a statement of Spark's script, whose queries are Spark's. */
  def ofScript(text: String, plan: LogicalPlan, delegate: ParserShell.Below): Option[LogicalPlan] = plan match {
    case _: V2CreateTableAsSelectPlan | _: InsertIntoStatement =>
      checkProvider(plan)
      None
    case _ if mayBeOfScript(plan) => ofAccepted(text, plan, delegate)
    case _ => None
  }

  /**
   * Refuses USING another source for a table of a cluster, which is a topic. Later, a provider may also be Spark's
   * default for a DataFrame's table.
   */
  private def checkProvider(plan: LogicalPlan): Unit = {
    def check(name: LogicalPlan, table: TableSpecBase): Unit = (name, table.provider) match {
      case (id: UnresolvedIdentifier, Some(provider)) if !provider.equalsIgnoreCase(TopicSource.name) =>
        store.inCluster(id.nameParts).foreach(StagedTopic.refuseProvider(provider, _))
      case _ =>
    }
    plan match {
      case c: CreateTable => check(c.name, c.tableSpec)
      case c: CreateTableAsSelect => check(c.name, c.tableSpec)
      case r: ReplaceTable => check(r.name, r.tableSpec)
      case r: ReplaceTableAsSelect => check(r.name, r.tableSpec)
      case _ =>
    }
  }

  /** Spark's plan nodes for ALTER TABLE … ADD and DROP CONSTRAINT, by name, because 4.0 does not have them. */
  private val constraints = Set("AddConstraint", "DropConstraint")

  /** The statement's plan. */
  def build(tree: KafkalystStatementContext, text: String, delegate: ParserShell.Below): LogicalPlan = {
    Connector.require()
    // Every Kafkalyst statement rejects invalid settings, except SET and UNSET, which can correct them.
    if (!tree.isInstanceOf[SetPropertyContext] && !tree.isInstanceOf[UnsetPropertyContext])
      Settings.of(session.conf.getAll)
    def query(text: String) = queries.sinkQuery(text, delegate)
    new AstBuilder(bound(text, delegate), below, foldsNames, query, isKsqldb, types.find, store.isCatalog).build(tree)
  }

  /** Whether a statement that the grammar accepts, and that Spark may accept, is about a Kafkalyst object. */
  def isOurs(tree: KafkalystStatementContext, text: String, delegate: ParserShell.Below): Boolean = tree match {
    case explain: ExplainStatementContext => isOurs(explain.kafkalystStatement, text, delegate)
    case insert: InsertQueryContext => continuousInserts.isOne(text, new Tokens(text), delegate)
    case create: CreateObjectContext if create.objectKind.TABLE != null && create.withClause == null =>
      create.query != null && (isKsqldb || !Clauses.of(text).isEmpty)
    case like: CreateLikeContext => like.columns != null || like.likeOption.size > 0 || isTopic(like.objectName(1))
    case drop: DropObjectContext if drop.objectKind.TABLE != null && drop.TOPIC == null => isTopic(drop.objectName)
    case alter: AlterObjectContext if alter.objectKind.TABLE != null =>
      // Spark has ADD COLUMN, too, and reports its own error for a missing table.
      def isFlinks = alter.EXISTS != null || (alter.alteration match {
        case add: AddColumnsContext => add.COLUMN == null && add.COLUMNS == null
        case _ => true
      })
      isTopic(alter.objectName) || (isFlinks && !isThere(partsOf(alter.objectName)))
    case _ => true
  }

  private def isTopic(name: ObjectNameContext): Boolean = store.isTopic(partsOf(name))

  private def partsOf(name: ObjectNameContext): Seq[String] =
    name.identifier.asScala.map(i => Names.of(i.getStart)).toSeq
}
