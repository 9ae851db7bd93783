package io.kafkalyst.streams
package ksql

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.{KsqlCall, KsqlFunctions, SignedBytes}
import io.kafkalyst.model.Widening
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedFunction,
  UnresolvedHaving,
  UnresolvedRelation
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Max, Min}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._

/**
 * Rejects features of continuous queries that Spark supports and ksqlDB does not, but only in ksqlDB's dialect
 * (`spark.kafkalyst.dialect=ksqldb`).
 */
private[streams] object KsqlOnly {

  /** @throws io.kafkalyst.errors.KafkalystException NOT_IN_KSQLDB for clauses that ksqlDB does not have */
  def checkClauses(parsed: LogicalPlan): Unit = parsed.foreach { operator =>
    clause(operator).orElse(operator.expressions.flatMap(_.collectFirst(within)).headOption).foreach(refuse(_))
  }

  /**
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_KSQLDB for groups without an aggregate, and for types that
   *         ksqlDB cannot order or mix; AGGREGATE_WITHOUT_GROUP; DUPLICATE_COLUMN for a field that a STRUCT has twice
   */
  def check(analyzed: LogicalPlan): Unit = {
    analyzed.foreach {
      case a: Aggregate if a.groupingExpressions.isEmpty =>
        // On Spark 4.0, the alias of an expression has no position.
        val place = a.aggregateExpressions.headOption.map(_.origin).filter(_.line.isDefined).getOrElse(a.origin)
        throw KafkalystException("AGGREGATE_WITHOUT_GROUP").at(place.line, place.startPosition)
      // The aggregates of HAVING are among these expressions, too.
      case a: Aggregate if !a.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression])) =>
        refuse("GROUP BY without an aggregate in SELECT or HAVING")
      case a: Aggregate => a.aggregateExpressions.foreach(checkWritten(_, a.groupingExpressions))
      case _ =>
    }
    checkTypes(analyzed)
  }

  private def checkTypes(analyzed: LogicalPlan): Unit = analyzed.foreach(_.expressions.foreach(_.foreach {
    case m @ (_: Max | _: Min) if !isOrdered(m.children.head.dataType) =>
      refuse(s"${m.prettyName.toUpperCase(Locale.ROOT)} of ${m.children.head.dataType.sql}")
    case Literal(n: Decimal, t: DecimalType) if t.scale == 0 && n.toBigDecimal.abs > Long.MaxValue =>
      throw KafkalystException("NUMBER_TOO_BIG", "number" -> n.toString)
    case s: CreateNamedStruct if s.names.distinct.size < s.names.size =>
      throw KafkalystException("DUPLICATE_COLUMN", "column" -> s.names.diff(s.names.distinct).head.toString)
        .at(s.origin.line, s.origin.startPosition)
    // Spark supports these, ksqlDB does not: a field of a MAP by key, and a field of each element of an ARRAY.
    case field @ (_: GetMapValue | _: GetArrayStructFields) =>
      throw TypeErrors.notStruct(field.children.head.sql, field.children.head.dataType.sql)
        .at(field.origin.line, field.origin.startPosition)
    case c: CaseWhen if typesOf(c).size > 1 =>
      refuse(s"a CASE whose values are ${typesOf(c).mkString(" and ")}")
    case _ =>
  }))

  /** The types of the branches before Spark widened them to one type. */
  private def typesOf(c: CaseWhen): Seq[String] = (c.branches.map(_._2) ++ c.elseValue).map {
    case cast: Cast if cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty => cast.child.dataType
    case other => other.dataType
  }.filter(_ != NullType).map(_.catalogString.toUpperCase(Locale.ROOT)).distinct

  /** In ksqlDB an expression matches GROUP BY only if both are written alike: `1 + v` is not `v + 1`. */
  private def checkWritten(selected: Expression, groups: Seq[Expression]): Unit =
    groups.find(_.semanticEquals(selected)) match {
      case Some(group) if isWritten(selected, group) =>
      case Some(group) => refuse(s"${selected.sql} for ${group.sql} in GROUP BY")
      case None if selected.isInstanceOf[AggregateExpression] =>
      case None => selected.children.foreach(checkWritten(_, groups))
    }

  private def isWritten(one: Expression, other: Expression): Boolean = one.semanticEquals(other) &&
    one.children.zip(other.children).forall { case (a, b) => isWritten(a, b) }

  /** MIN and MAX of BYTES as ksqlDB orders them. */
  def ordered(analyzed: LogicalPlan): LogicalPlan = analyzed.transformUp {
    case grouped: Aggregate => grouped.transformExpressionsUp {
        case a @ AggregateExpression(m @ (_: Max | _: Min), _, _, _, _) if m.dataType == BinaryType =>
          SignedBytes(a.copy(aggregateFunction =
            m.withNewChildren(Seq(SignedBytes(m.children.head))).asInstanceOf[AggregateFunction]
          ))
      }
  }

  private def refuse(what: String): Nothing = throw KafkalystException("NOT_IN_KSQLDB", "what" -> what)

  private def clause(operator: LogicalPlan): Option[String] = operator match {
    case SubqueryAlias(_, _: UnresolvedRelation | _: SubqueryAlias) => None
    case SubqueryAlias(_, child) if !child.isInstanceOf[LeafNode] => Some("a query in FROM")
    case _: UnresolvedWith | _: WithCTE => Some("WITH before SELECT")
    case _: Union | _: SetOperation => Some("a union, or the like, of queries")
    case _: Distinct => Some("SELECT DISTINCT")
    case _: Sort => Some("ORDER BY")
    case _: Sample => Some("TABLESAMPLE")
    case join: Join if join.condition.exists(_.isInstanceOf[And]) => Some("several conditions in ON")
    case having: UnresolvedHaving => ofSelect(having).map(name => s"a name of the SELECT, $name, in HAVING")
        .orElse(elsewhere(having).map(name =>
          s"$name in HAVING outside of GROUP BY's expression as it is written there"
        ))
    case _ => None
  }

  private val within: PartialFunction[Expression, String] = {
    case _: SubqueryExpression => "a query in an expression"
    case Literal(_, t) if Widening.isTime(t) => s"a literal of type ${t.sql}: it casts texts"
    case _: WindowExpression | _: UnresolvedWindowExpression => "OVER"
    case lambda: LambdaFunction if repeated(lambda).isDefined =>
      s"the argument ${repeated(lambda).get} of a lambda once more in a lambda within it"
    case f: UnresolvedFunction if f.filter.isDefined => "FILTER"
    case f: UnresolvedFunction if f.nameParts.last.equalsIgnoreCase("count") && f.arguments.size > 1 =>
      "COUNT of several values"
    case f: UnresolvedFunction if f.isDistinct && !f.nameParts.last.equalsIgnoreCase("count") =>
      s"DISTINCT in ${f.nameParts.last.toUpperCase(Locale.ROOT)}"
  }

  private def repeated(lambda: LambdaFunction): Option[String] = {
    val own = lambda.arguments.map(_.name)
    lambda.function.collect { case inner: LambdaFunction => inner.arguments.map(_.name) }.flatten.find(own.contains)
  }

  /** A name in HAVING that is a SELECT alias; ksqlDB resolves only the input's columns there. */
  private def ofSelect(having: UnresolvedHaving): Option[String] = having.child match {
    case grouped: Aggregate =>
      val columns = grouped.groupingExpressions.flatMap(names)
      val given = grouped.aggregateExpressions.collect { case a: Alias => a.name }.filterNot(columns.contains)
      having.expressions.flatMap(names).find(given.contains)
    case _ => None
  }

  /** A column of a GROUP BY expression that HAVING uses outside of that expression, as in `1 + v` for `v + 1`. */
  private def elsewhere(having: UnresolvedHaving): Option[String] = having.child match {
    case grouped: Aggregate =>
      val groups = grouped.groupingExpressions
      def in(e: Expression): Option[String] = e match {
        case _ if groups.exists(isAlike(e, _)) || isAggregate(e) => None
        case a: UnresolvedAttribute if groups.exists(_.exists(isAlike(a, _))) => a.nameParts.lastOption
        case other => other.children.flatMap(in).headOption
      }
      having.expressions.flatMap(in).headOption
    case _ => None
  }

  /** Whether two parsed expressions are written alike, ignoring the qualifiers of columns. */
  private def isAlike(one: Expression, other: Expression): Boolean = (one, other) match {
    case (a: UnresolvedAttribute, b: UnresolvedAttribute) => a.nameParts.lastOption == b.nameParts.lastOption
    case (a: KsqlCall, b: KsqlCall) if a.function.name != b.function.name => false
    case _ => one.getClass == other.getClass && one.children.size == other.children.size &&
      (one.children.nonEmpty || one == other) && one.children.zip(other.children).forall { case (a, b) =>
        isAlike(a, b)
      }
  }

  private def isAggregate(e: Expression) = e match {
    case call: KsqlCall => KsqlFunctions.isAggregate(call)
    case f: UnresolvedFunction => KsqlFunctions.isAggregate(f.nameParts.last)
    case _ => false
  }

  /** The columns that an expression reads, except inside aggregates. */
  private def names(e: Expression): Seq[String] = e match {
    case a: UnresolvedAttribute => a.nameParts.lastOption.toSeq
    case aggregate if isAggregate(aggregate) => Nil
    case other => other.children.flatMap(names)
  }

  private def isOrdered(t: DataType): Boolean = t match {
    case BooleanType | _: ArrayType | _: MapType | _: StructType => false
    case _ => true
  }
}
