package io.kafkalyst.commands

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedInlineTable}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.kafkalyst.Frames

/**
 * DELETE FROM object WHERE …: writes a tombstone for each key in the condition, whether or not it has a row.
 *
 * Errors: DELETE_CONDITION if the condition does not give a value to exactly the key columns, DELETE_NOT_POSSIBLE for
 * an object without complete keys, READ_ONLY_SOURCE.
 *
 * @param qualifiers names that may precede a column's name
 */
final case class DeleteRows(parts: Seq[String], condition: DeletedKeys, qualifiers: Set[String])
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val found = Commands.find(new ObjectStore(session), parts)
    Commands.writable(found, "DELETE")
    check(found)
    val rows = condition.rows(found, qualifiers).map(_ :+ Literal(true))
    val fields = InternalSchema.of(found.topic.columns)
    val keys = found.topic.columns.zip(fields).collect { case (column, field) if column.isIn(Side.Key) => field.name }
    Frames.of(session, UnresolvedInlineTable(keys :+ PseudoColumns.tombstone.name, rows))
      .writeTo(found.name.sql)
      .append()
    Nil
  }

  private def check(found: StoredObject): Unit = {
    val topic = found.topic
    val reason =
      if (topic.key.format == SideFormat.none || topic.columns(Side.Key).isEmpty)
        Some("it has no key columns, and a tombstone is a key without a value")
      else if (WindowedKey.is(topic)) Some("its keys are windowed, and WHERE cannot name a window")
      else None
    reason.foreach { r =>
      throw KafkalystException("DELETE_NOT_POSSIBLE", "object" -> found.name.toString, "reason" -> r)
    }
  }
}

/** The parsed condition of a DELETE; not an expression of the command's plan, so that Spark does not resolve it. */
final class DeletedKeys(condition: Expression) extends Serializable {

  /**
   * One row per key; its values are in the order of the object's columns, which may differ from the key's own order.
   */
  def rows(found: StoredObject, qualifiers: Set[String]): Seq[Seq[Expression]] = {
    val keys = found.topic.columns.filter(_.isIn(Side.Key))
    def refuse(reason: String): Nothing = throw KafkalystException(
      "DELETE_CONDITION",
      "object" -> found.name.toString,
      "reason" -> reason,
      "example" -> keys.map(k => s"${quoteIdentifier(k.name)} = …").mkString(" AND ")
    )

    def column(a: UnresolvedAttribute): TopicColumn = {
      val names = a.nameParts
      val isQualified = names.size > 1 && names.init.lastOption.exists(q => qualifiers.exists(_.equalsIgnoreCase(q)))
      val name = if (isQualified) names.last else names.mkString(".")
      val at = SinkColumns.placeOf(found.name.toString, found.topic.columns, name, Some(Side.Key))
      if (at < 0 || !found.topic.columns(at).isIn(Side.Key)) refuse(s"$name is not a key column")
      found.topic.columns(at)
    }

    // Any other name can only be a variable's, which Spark resolves among the keys.
    def isColumn(a: UnresolvedAttribute) = {
      val isQualified = a.nameParts.size > 1 && qualifiers.exists(_.equalsIgnoreCase(a.nameParts(a.nameParts.size - 2)))
      isQualified ||
      SinkColumns.placeOf(found.name.toString, found.topic.columns, a.nameParts.mkString("."), Some(Side.Key)) >= 0
    }

    def hasSubquery(e: Expression) = e.exists(_.isInstanceOf[SubqueryExpression])
    def subquery = "a subquery is not a constant"

    def constant(value: Expression): Expression = value match {
      case Literal(null, _) => refuse("a key is never equal to NULL")
      case _ if hasSubquery(value) => refuse(subquery)
      case _ if value.exists {
            case a: UnresolvedAttribute => isColumn(a)
            case e => e.isInstanceOf[Attribute]
          } => refuse(s"${value.sql} is not a constant")
      case _ => value
    }

    def given(e: Expression): Seq[(TopicColumn, Seq[Expression])] = e match {
      case And(left, right) => given(left) ++ given(right)
      // A key is never NULL, so both kinds of equality are the same.
      case EqualNullSafe(left, right) => given(EqualTo(left, right))
      case EqualTo(variable: UnresolvedAttribute, a: UnresolvedAttribute) if !isColumn(variable) && isColumn(a) =>
        Seq(column(a) -> Seq(variable))
      case EqualTo(a: UnresolvedAttribute, value) => Seq(column(a) -> Seq(constant(value)))
      case EqualTo(value, a: UnresolvedAttribute) => Seq(column(a) -> Seq(constant(value)))
      case In(a: UnresolvedAttribute, values) => Seq(column(a) -> values.map(constant))
      case Literal(true, _) => Nil
      case Or(left, right) => (given(left), given(right)) match {
          case (Seq((one, some)), Seq((same, others))) if one == same => Seq(one -> (some ++ others))
          case _ => refuse("OR is understood between values of one column only")
        }
      case other if hasSubquery(other) => refuse(subquery)
      case other => refuse(s"only =, IN, AND and OR are understood, not ${other.sql}")
    }

    val all = given(condition)
    all.groupBy(_._1).collectFirst { case (key, many) if many.size > 1 => key }.foreach { key =>
      refuse(s"the column ${key.name} is given more than once")
    }
    keys.filterNot(key => all.exists(_._1 == key)) match {
      case Seq() =>
      case missing => refuse(s"no value is given for ${missing.map(_.name).mkString(", ")}")
    }
    val lists = keys.map(key => all.collectFirst { case (`key`, values) => values }.get)
    val count = lists.map(values => BigInt(values.size)).product
    if (count > DeletedKeys.most)
      refuse(s"the lists are $count keys together, and one statement deletes at most ${DeletedKeys.most}")
    lists.foldLeft(Seq(Seq.empty[Expression]))((rows, values) => rows.flatMap(row => values.map(row :+ _)))
  }

  override def toString: String = condition.sql
}

object DeletedKeys {

  /** How many keys one statement deletes: each is a row of VALUES, made on the driver. */
  private val most = 100000
}
