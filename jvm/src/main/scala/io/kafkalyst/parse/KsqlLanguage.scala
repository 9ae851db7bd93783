package io.kafkalyst.parse

import java.time.ZoneOffset
import java.util.{Locale, UUID}

import io.kafkalyst.analyze.names.ResolveKsqlCalls.refused
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.{Failing, KsqlCall, KsqlCasts, KsqlFunction, KsqlFunctions, KsqlOperators, KsqlTableCall}
import io.kafkalyst.metadata.{PseudoColumns, TimeText}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  FunctionRegistry,
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedFunction,
  UnresolvedHaving,
  UnresolvedStar
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * Applies ksqlDB's semantics to the parsed query of a continuous query into a topic where Spark's differ: functions of
 * `functions.KsqlFunctions`, array indexes from 1, `+` on texts, `/` on whole numbers, and table functions.
 */
private[parse] object KsqlLanguage {
  def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreachWithSubqueries(_.expressions.foreach { e =>
      checkLambdas(e)
      e.foreach(markWindowed)
    })
    val translated = plan.transformDownWithSubqueries {
      // Join keys are read from join conditions, so the comparisons in those stay as they are.
      case join: Join => join.transformExpressions(rule)
      case filter: Filter => filter.copy(condition = chosen(filter.condition))
      case having: UnresolvedHaving => having.copy(havingCondition = chosen(having.havingCondition))
      case operator => operator.transformExpressions(comparisons.orElse(rule))
    }
    translated.foreachWithSubqueries(checkPlaces)
    translated
  }

  def apply(expression: Expression): Expression = {
    checkLambdas(expression)
    val translated = expression.transformDown(comparisons.orElse(rule))
    translated.collectFirst { case t: KsqlTableCall => throw refused(t.name, "a value of one row is expected") }
    translated
  }

  /** A value in the rows of an INSERT, which Spark's parser has read: units are names there, and nothing is random. */
  def value(expression: Expression): Expression = apply(expression.transform {
    case f: UnresolvedFunction if isPlain(f) && KsqlWords.withUnit(f.nameParts.last.toUpperCase(Locale.ROOT)) =>
      f.withNewChildren(f.children match {
        case UnresolvedAttribute(Seq(unit)) +: others => Literal(unit) +: others
        case others => others
      })
    case f: UnresolvedFunction if isPlain(f) && f.arguments.isEmpty && f.nameParts.last.equalsIgnoreCase("uuid") =>
      Literal(UUID.randomUUID.toString)
    case f: UnresolvedFunction if isPlain(f) && f.arguments.isEmpty && f.nameParts.last.equalsIgnoreCase("random") =>
      Literal(math.random())
  })

  /**
   * Translates each part of a condition separately, because Spark can push down single comparisons; like ksqlDB, Spark
   * drops a row where any part is NULL.
   */
  private def chosen(condition: Expression): Expression = condition match {
    case and: And => and.mapChildren(chosen)
    case part => part.transformDown(comparisons.orElse(rule))
  }

  private val calls: PartialFunction[Expression, Expression] = {
    case f: UnresolvedFunction if isPlain(f) && isOfRows(f) && isKnown(f) =>
      KsqlCall(known(f), Seq(UnresolvedAttribute(Seq(PseudoColumns.rowTime.name))))
    case f: UnresolvedFunction if isPlain(f) && isOfRows(f) =>
      CatalystSqlParser.parseExpression(s"${f.nameParts.last}(${PseudoColumns.rowTime.name})")
    case f: UnresolvedFunction if isPlain(f) && isTable(f) =>
      KsqlTableCall(f.nameParts.last.toLowerCase(Locale.ROOT), f.arguments)
    case f: UnresolvedFunction if isPlain(f) && f.arguments.exists(_.isInstanceOf[LambdaFunction]) && isKnown(f) =>
      KsqlCall(Failing.caught(known(f)), f.arguments.map(strict))
    case f: UnresolvedFunction if isPlain(f) && isKnown(f) => KsqlCall(known(f), f.arguments)
    case e @ UnresolvedExtractValue(child, index) if isSubscript(e, index) =>
      KsqlCall(KsqlOperators.subscript, Seq(child, index))
    case f: UnresolvedFunction if isConstructor(f) =>
      KsqlCall(constructors(f.nameParts.last.toLowerCase(Locale.ROOT)), f.arguments)
    case f: UnresolvedFunction if f.isDistinct && f.nameParts.last.equalsIgnoreCase("count") =>
      KsqlCall(KsqlFunctions.find("count_distinct").get, f.arguments)
    case f: UnresolvedFunction if isPlain(f) && f.nameParts.last.equalsIgnoreCase("count") && f.arguments.isEmpty =>
      CatalystSqlParser.parseExpression("count(1)")
    case a: Add => KsqlCall(KsqlOperators.plus, a.children)
    // At this point the function `concat` is still unresolved, so a Concat is the operator `||`.
    case c: Concat => KsqlCall(KsqlFunctions.concatenation, c.children)
    case s: Subtract => KsqlCall(KsqlOperators.minus, s.children)
    case m: Multiply => KsqlCall(KsqlOperators.times, m.children)
    case d: Divide => KsqlCall(KsqlOperators.divide, d.children)
    case r: Remainder => KsqlCall(KsqlOperators.remainder, r.children)
    case c: Cast if c.getTagValue(Cast.USER_SPECIFIED_CAST).isDefined =>
      KsqlCall(KsqlCasts(c.dataType), Seq(c.child))
  }

  private val rule = calls.orElse(KsqlOperators.literal)

  /** Whether an aggregate has no argument or `*`, which means the aggregate of ROWTIME; COUNT is excluded. */
  private def isOfRows(f: UnresolvedFunction) = KsqlFunctions.isAggregate(f.nameParts.last) && (f.arguments match {
    case Seq() | Seq(UnresolvedStar(None)) => !f.nameParts.last.equalsIgnoreCase("count")
    case _ => false
  })

  /** Whether the call is ARRAY, MAP or BETWEEN, which Spark's parser represents as functions. */
  def isConstructor(f: UnresolvedFunction): Boolean =
    isPlain(f) && constructors.contains(f.nameParts.last.toLowerCase(Locale.ROOT))

  private def isKnown(f: UnresolvedFunction) = KsqlFunctions.find(f.nameParts.last).isDefined
  private def known(f: UnresolvedFunction) = KsqlFunctions.find(f.nameParts.last).get

  /** In a lambda, including nested ones, an error in one element fails the whole call. */
  private def strict(argument: Expression): Expression = argument match {
    case _: LambdaFunction => argument.transformDown {
        case f: UnresolvedFunction if isPlain(f) && f.arguments.exists(_.isInstanceOf[LambdaFunction]) && isKnown(f) =>
          KsqlCall(known(f), f.arguments)
        case a: Add if Settings.current.isKsqldb => KsqlCall(failing(KsqlOperators.plus), a.children)
        case s: Subtract if Settings.current.isKsqldb => KsqlCall(failing(KsqlOperators.minus), s.children)
        case m: Multiply if Settings.current.isKsqldb => KsqlCall(failing(KsqlOperators.times), m.children)
        case n: UnaryMinus if Settings.current.isKsqldb => KsqlCall(failing(KsqlOperators.negative), n.children)
        case d: Divide => KsqlCall(failing(KsqlOperators.divide), d.children)
        case r: Remainder => KsqlCall(failing(KsqlOperators.remainder), r.children)
        case c: Cast if c.getTagValue(Cast.USER_SPECIFIED_CAST).isDefined =>
          KsqlCall(Failing.raised(KsqlCasts(c.dataType)), Seq(c.child))
      }
    case other => other
  }

  private def failing(operator: KsqlFunction) =
    if (Settings.current.isKsqldb) Failing.raisedByNulls(operator) else Failing.raised(operator)

  private val constructors =
    Map("array" -> KsqlOperators.array, "map" -> KsqlOperators.map, "between" -> KsqlOperators.between)

  private val comparisons: PartialFunction[Expression, Expression] = {
    // Spark's parser turns `<>` into a negated `=` and gives both the position of the left side.
    case n @ Not(e: EqualTo) if n.origin.startIndex == e.origin.startIndex =>
      KsqlCall(KsqlOperators.notEqual, withMillis(e.children))
    case e: EqualTo => KsqlCall(KsqlOperators.equal, withMillis(e.children))
    case e: EqualNullSafe => KsqlCall(KsqlOperators.same, withMillis(e.children))
    case c @ (_: LessThan | _: LessThanOrEqual | _: GreaterThan | _: GreaterThanOrEqual) =>
      KsqlCall(KsqlOperators.ordering(c.asInstanceOf[BinaryComparison].symbol), withMillis(c.children))
    case f: UnresolvedFunction if isPlain(f) && f.nameParts.last.equalsIgnoreCase("between") =>
      KsqlCall(KsqlOperators.between, withMillis(f.arguments))
    case i: In => KsqlCall(KsqlOperators.in, i.children)
    case a: And => KsqlCall(KsqlOperators.and, a.children)
    case o: Or => KsqlCall(KsqlOperators.or, o.children)
    // Spark's parser gives the comparisons of `CASE x WHEN y` the position of the whole CASE.
    case c: CaseWhen if Settings.current.isKsqldb && c.branches.exists(_._1.origin.startIndex == c.origin.startIndex) =>
      throw KafkalystException("NOT_IN_KSQLDB", "what" -> "CASE x WHEN y; write CASE WHEN x = y")
        .at(c.origin.line, c.origin.startPosition)
    case c: CaseWhen if Settings.current.isKsqldb => nullWhere(c)
    case l: Like if l.escapeChar == noEscape && !saysEscape(l) => KsqlCall(KsqlOperators.like, l.children)
    case l: Like if Settings.current.isKsqldb => KsqlCall(KsqlOperators.matching(Some(l.escapeChar)), l.children)
  }

  /** In ksqlDB a CASE is NULL if a condition before the chosen branch is NULL. */
  private def nullWhere(c: CaseWhen): CaseWhen = c.copy(branches = c.branches.flatMap {
    case branch @ (condition, _) if maybeNull(condition) => Seq(IsNull(condition) -> Literal(null), branch)
    case branch => Seq(branch)
  })

  private def maybeNull(condition: Expression): Boolean = condition match {
    case _: BinaryComparison | _: IsNull | _: IsNotNull | _: In | _: Literal => false
    case _: And | _: Or | _: Not => condition.children.exists(maybeNull)
    case f: UnresolvedFunction => !f.nameParts.last.equalsIgnoreCase("between")
    case _ => true
  }

  /** Converts texts that are compared with ROWTIME or window bounds to times. */
  private def withMillis(sides: Seq[Expression]): Seq[Expression] =
    if (!sides.exists(isTime)) sides
    else sides.map {
      case Literal(text, org.apache.spark.sql.types.StringType) if text != null =>
        Literal(TimeText.millis(text.toString, ZoneOffset.UTC))
      case other => other
    }

  private def isTime(e: Expression) = e match {
    case a: UnresolvedAttribute => PseudoColumns.isTime(a.nameParts.last)
    case _ => false
  }

  // Spark's parser sets this escape if LIKE has no ESCAPE; ksqlDB has no escape then.
  private val noEscape = '\\'
  private val escapeClause = """(?is).*\bESCAPE\s+r?['"]\\{1,2}['"]\s*""".r

  /** Whether the text has an explicit ESCAPE clause with this character. */
  private def saysEscape(l: Like): Boolean = {
    val at = l.origin
    val text = for (sql <- at.sqlText; from <- at.startIndex; to <- at.stopIndex) yield sql.slice(from, to + 1)
    text.exists(escapeClause.matches)
  }

  // ksqlDB has no OVER, so a function with OVER is Spark's.
  private val windowed = TreeNodeTag[Unit]("kafkalyst.windowed")

  private def markWindowed(e: Expression): Unit = e match {
    case _: WindowExpression | _: UnresolvedWindowExpression => e.children.head.setTagValue(windowed, ())
    case _ =>
  }

  private def isPlain(f: UnresolvedFunction) =
    f.nameParts.size == 1 && !isWindowed(f) && !f.isDistinct && f.filter.isEmpty && f.orderingWithinGroup.isEmpty

  private def isWindowed(f: UnresolvedFunction) = f.getTagValue(windowed).isDefined

  private def isTable(f: UnresolvedFunction) = KsqlFunctions.tableFunctions(f.nameParts.last.toLowerCase(Locale.ROOT))

  /** `a[i]`, as opposed to `a->f`, whose name Spark's parser positions at the start of the whole expression. */
  private def isSubscript(e: Expression, index: Expression) = index match {
    case Literal(_, org.apache.spark.sql.types.StringType) => index.origin.startIndex != e.origin.startIndex
    case _ => true
  }

  /**
   * Spark's analyzer fails with internal errors for a lambda outside of a call, or in a function that takes no lambda.
   * Functions unknown to both languages may take a lambda.
   */
  private def checkLambdas(e: Expression): Unit = e match {
    case f: UnresolvedFunction =>
      val name = f.nameParts.last.toLowerCase(Locale.ROOT)
      def isOwn = !isKnown(f) && !FunctionRegistry.builtin.functionExists(FunctionIdentifier(name))
      val first = island.Expressions.firstLambda.get(name)
      f.children.zipWithIndex.foreach {
        case (lambda: LambdaFunction, i) if first.fold(isOwn)(_ <= i) => checkLambdas(lambda.function)
        case (other, _) => checkLambdas(other)
      }
    case lambda: LambdaFunction =>
      throw KafkalystException("LAMBDA_PLACE").at(lambda.origin.line, lambda.origin.startPosition)
    case other => other.children.foreach(checkLambdas)
  }

  private def checkPlaces(operator: LogicalPlan): Unit = {
    val calls = operator.expressions.flatMap(_.collect { case t: KsqlTableCall => t })
    val reason = operator match {
      case _: Aggregate => Some("the query has GROUP BY")
      case _: Filter => Some("WHERE chooses rows before they are made of it")
      case _: UnresolvedHaving => Some("HAVING chooses groups, and rows are made of it before they are grouped")
      case _: Join => Some("ON compares values of one row of each side")
      case _ => None
    }
    calls.headOption.zip(reason).foreach { case (t, reason) => throw refused(t.name, reason) }
    calls.find(_.children.exists(_.exists(_.isInstanceOf[KsqlTableCall]))).foreach(t =>
      throw refused(t.name, "its argument has a table function too")
    )
    operator.expressions.foreach(_.foreach {
      case c @ (_: CaseWhen | _: If) =>
        c.collectFirst { case t: KsqlTableCall => throw refused(t.name, "it stands in CASE") }
      case _ =>
    })
  }
}
