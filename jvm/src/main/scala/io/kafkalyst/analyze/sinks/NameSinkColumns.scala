package io.kafkalyst.analyze
package sinks

import java.util.Locale

import io.kafkalyst.analyze.names.ResolveFields
import io.kafkalyst.analyze.tables.{TopicRelation, WindowBound}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.KsqlFields
import io.kafkalyst.joins.{ChangesOf, JoinKeys}
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.{SinkProjection, SinkQuery}
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Names unnamed columns of a query into a topic as ksqlDB does, if the query's expressions are ksqlDB's: a column by
 * its name, a struct field by the field's name, everything else `KSQL_COL_<n>`. Adds the expressions of PARTITION BY
 * beside the columns, so that Spark resolves them over the query's input. Runs before Spark assigns its own names.
 */
object NameSinkColumns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case sink: SinkQuery => if (sink.inKsql) named(sink) else sink.child
  }

  private def named(sink: SinkQuery): LogicalPlan = {
    val sources = sourcesOf(sink.child)
    val names = new FreshNames(sources.flatMap(_.columns), sink.dereferences, sink.isShown)
    def within(plan: LogicalPlan): LogicalPlan = plan match {
      case Project(given, below) =>
        val (list, child) = withRowKey(sink, given, below, names)
        onInput(sink.partitionBy.toSeq.flatten, list, sources)
        // If ksqlDB changes the key of a join's rows, they have each source record's timestamp, partition and offset.
        val isWhole = sink.partitionBy.isDefined && Settings.current.isKsqldb
        Project(names.all(list, sources, isWhole) ++ keys(sink, list, names, sources), child)
      case a: Aggregate =>
        if (sink.partitionBy.isDefined) throw KafkalystException("PARTITION_AND_GROUP")
        val keys = a.groupingExpressions.flatMap(oneByOne)
        val (grouping, selected) = withKeyNames(keys, a.aggregateExpressions)
        onInput(grouping, a.aggregateExpressions, sources)
        a.copy(groupingExpressions = grouping, aggregateExpressions = names.all(selected, sources))
      case having: UnresolvedHaving => having.withNewChildren(Seq(within(having.child)))
      case WithCTE(query, definitions) => WithCTE(within(query), definitions)
      case (_: GlobalLimit | _: LocalLimit) if !sink.isShown => throw KafkalystException("LIMIT_IN_CREATE")
      case above @ (_: GlobalLimit | _: LocalLimit | _: ChangesOf) => above.withNewChildren(above.children.map(within))
      case other =>
        if (sink.partitionBy.isDefined) throw KafkalystException("PARTITION_BY_OVER", "operator" -> other.nodeName)
        other
    }
    within(sink.child)
  }

  /** If a join has a synthetic key column, adds ROWKEY, which `*` includes, too. */
  private def withRowKey(sink: SinkQuery, list: Seq[NamedExpression], child: LogicalPlan, names: FreshNames) = {
    def isColumn(e: Expression) = e match {
      case a: UnresolvedAttribute => !names.isDereference(a)
      case _ => false
    }
    JoinKeys.synthetic(child, isColumn).fold((list, child)) { key =>
      val name = names.fresh("ROWKEY")
      def meant(e: Expression) = e.transformUp {
        case UnresolvedAttribute(Seq(given)) if given.equalsIgnoreCase(name) => key
      }
      val selected = list.flatMap {
        case star @ UnresolvedStar(None) => Seq(Alias(key, name)(), star)
        case UnresolvedAttribute(Seq(given)) if given.equalsIgnoreCase(name) => Seq(Alias(key, name)())
        case other => Seq(meant(other).asInstanceOf[NamedExpression])
      }
      val filtered = child match {
        case Filter(condition, join) => Filter(meant(condition), join)
        case other => other
      }
      (selected, filtered)
    }
  }

  /** The expressions of `GROUP BY (a, b)`, which Spark parses as one struct. */
  private def oneByOne(grouping: Expression): Seq[Expression] = grouping match {
    case row: CreateNamedStruct => row.valExprs
    case other => Seq(other)
  }

  /** Keys named by GROUP BY get these names in the SELECT; keys that the SELECT omits come first. */
  private def withKeyNames(keys: Seq[Expression], list: Seq[NamedExpression]) = {
    val named = keys.collect { case key: Alias => key }
    def key(e: Expression): Option[Alias] = e match {
      case UnresolvedAttribute(Seq(given)) => named.find(_.name.equalsIgnoreCase(given))
      case _ => None
    }
    val selected = list.map { one =>
      key(one).getOrElse(one.transformUp {
        case e if key(e).isDefined => key(e).get.child
      }.asInstanceOf[NamedExpression])
    }
    val given = selected.collect { case Alias(e, _) => e }
    (keys.map { case Alias(e, _) => e; case other => other }, named.filterNot(k => given.contains(k.child)) ++ selected)
  }

  private def sourcesOf(plan: LogicalPlan): Seq[Source] = plan match {
    case SubqueryAlias(id, child) =>
      Iterator.iterate(child) { case SubqueryAlias(_, inner) => inner; case other => other }.take(3).collectFirst {
        case t: TopicRelation => Source(id.name, t.columns.map(_.name), t.output.map(_.name))
      }.map(Seq(_)).getOrElse(sourcesOf(child))
    case other => other.children.flatMap(sourcesOf)
  }

  /**
   * The key is computed from the query's input: aliases in the SELECT do not apply, although Spark would resolve them.
   */
  private def onInput(key: Seq[Expression], list: Seq[NamedExpression], sources: Seq[Source]): Unit = {
    val columns = sources.flatMap(_.columns)
    val given = list.collect { case Alias(_, name) => name }.filterNot(n => columns.exists(_.equalsIgnoreCase(n)))
    key.flatMap(_.collect { case a @ UnresolvedAttribute(Seq(name)) => a -> name })
      .find { case (_, name) => columns.nonEmpty && given.exists(_.equalsIgnoreCase(name)) }
      .foreach { case (a, _) => throw ResolveFields.unknown(a, columns) }
  }

  private def keys(
      sink: SinkQuery,
      list: Seq[NamedExpression],
      names: FreshNames,
      sources: Seq[Source]
  ): Seq[NamedExpression] = {
    val given = sink.partitionBy.getOrElse(Nil)
    val star = list.exists(_.isInstanceOf[Star])
    if (sink.partitionBy.exists(_.isEmpty)) throw KafkalystException("PARTITION_BY_EMPTY")
    given match {
      case Seq(Literal(null, _)) => Seq(SinkProjection.noKey)
      case _ =>
        if (given.exists { case Literal(null, _) => true; case _ => false }) {
          throw KafkalystException("PARTITION_BY_NULL_AMONG_OTHERS")
        }
        val named = given.map {
          case Alias(child, name) => (child, name, true)
          case a: UnresolvedAttribute => (a, names.ofAttribute(a, sources), false)
          case e @ UnresolvedExtractValue(_, Literal(field, _)) if field != null =>
            (e, names.fresh(field.toString), false)
          case other => (other, names.next(), false)
        }
        named.zipWithIndex.map { case ((expression, name, aliased), i) =>
          SinkProjection.key(expression, name, i, star || aliased)
        }
    }
  }

  /** A source of the query with its columns' external and internal names. */
  private final case class Source(name: String, columns: Seq[String], internal: Seq[String])

  /** Generates names that no source column has and that have not been assigned yet. */
  private final class FreshNames(taken: Seq[String], dereferences: Set[Int], isShown: Boolean) {
    private val used = scala.collection.mutable.Set.from(taken.map(fold))
    private val numbered = Iterator.from(0).map(n => s"KSQL_COL_$n")

    /** @param isWhole whether `*` over a join includes the pseudo columns of its sources */
    def all(list: Seq[NamedExpression], sources: Seq[Source], isWhole: Boolean = false): Seq[NamedExpression] =
      list.flatMap {
        case UnresolvedStar(target) if sources.size > 1 && target.forall(t => isSource(t.last, sources)) =>
          ofJoin(target, sources, if (isWhole) PseudoColumns.all.map(_.name) else Nil)
        case one => Seq(named(one, sources))
      }

    /** A join's columns are prefixed with their sources' names. */
    private def ofJoin(
        target: Option[Seq[String]],
        sources: Seq[Source],
        pseudo: Seq[String]
    ): Seq[NamedExpression] =
      sources.filter(s => target.forall(_.last.equalsIgnoreCase(s.name))).flatMap { source =>
        (source.columns.zip(source.internal) ++ pseudo.map(name => name -> name)).map { case (column, internal) =>
          Alias(UnresolvedAttribute(Seq(source.name, internal)), s"${source.name}_$column")()
        }
      }

    private def named(one: NamedExpression, sources: Seq[Source]): NamedExpression = one match {
      case UnresolvedAlias(UnresolvedExtractValue(struct, Literal(field, _)), _) if s"$field" == KsqlFields.star =>
        UnresolvedAlias(KsqlFields(struct))
      case UnresolvedAttribute(column :+ KsqlFields.star) => UnresolvedStar(Some(column))
      case UnresolvedAlias(e @ UnresolvedExtractValue(_, Literal(field, _)), _) if field != null =>
        Alias(e, fresh(field.toString))()
      case UnresolvedAlias(star: Star, _) => star
      case UnresolvedAlias(e, _) => Alias(e, next())()
      case a: UnresolvedAttribute if isDereference(a) => Alias(a, fresh(a.nameParts.last))()
      case a @ UnresolvedAttribute(Seq(owner, column)) if isOfEach(column, sources) && isSource(owner, sources) =>
        Alias(a, s"${owner}_$column")()
      case a: UnresolvedAttribute if !isShown && isPseudo(a.nameParts.last, sources) =>
        throw ofSystem(a.nameParts.last)
      // A query that is shown, not written, may select the window bounds under their names.
      case bound @ Alias(_: WindowBound, name) if isShown && PseudoColumns.bounds.contains(name) => bound
      case Alias(_, name) if PseudoColumns.reserved.exists(_.equalsIgnoreCase(name)) => throw ofSystem(name)
      case other => other
    }

    def ofAttribute(a: UnresolvedAttribute, sources: Seq[Source]): String = a.nameParts match {
      case parts if isDereference(a) => fresh(parts.last)
      case Seq(owner, column) if isOfEach(column, sources) && isSource(owner, sources) => s"${owner}_$column"
      case parts => parts.last
    }

    def next(): String = {
      val name = numbered.find(n => !used(fold(n))).get
      used += fold(name)
      name
    }

    def fresh(name: String): String = {
      val free = (Iterator.single(name) ++ Iterator.from(1).map(n => s"${name}_$n")).find(n => !used(fold(n))).get
      used += fold(free)
      free
    }

    def isDereference(a: UnresolvedAttribute) =
      a.nameParts.size > 1 && a.origin.startIndex.exists(dereferences.contains)

    // The window bounds of a windowed key are columns of its source, and part of the result's key.
    private def isPseudo(name: String, sources: Seq[Source]) =
      PseudoColumns.bounds.exists(_.equalsIgnoreCase(name)) ||
        (PseudoColumns.all.exists(_.name.equalsIgnoreCase(name)) &&
          !sources.exists(_.columns.exists(_.equalsIgnoreCase(name))))

    private def ofSystem(name: String) = KafkalystException(
      "SYSTEM_COLUMN_NAME",
      "column" -> name,
      "names" -> PseudoColumns.reserved.mkString(", ")
    )

    /** Whether several sources of a join have a column of that name; every source has the pseudo columns. */
    private def isOfEach(column: String, sources: Seq[Source]) = sources.size > 1 &&
      (sources.count(_.columns.exists(_.equalsIgnoreCase(column))) > 1 ||
        PseudoColumns.all.exists(_.name.equalsIgnoreCase(column)))

    private def isSource(owner: String, sources: Seq[Source]) = sources.exists(_.name.equalsIgnoreCase(owner))

    private def fold(name: String) = name.toLowerCase(Locale.ROOT)
  }
}
