package io.kafkalyst.lake

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{Properties, TopicObject}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.{DataType, IntegerType, LongType}

/**
 * A topic's records in the table that the property HISTORY names. A bounded read takes the offsets before the table's
 * border from the table and the others from the topic, so each record comes once, also from a table that is ahead of
 * its border.
 */
final class History private (session: SparkSession, of: String, topic: TopicObject, table: LakeTable, border: Border) {

  /** The object, read from the border on. */
  val rest: TopicObject = border.begun(topic)

  /**
   * @param relation of [[rest]]
   * @return all rows, with the relation's columns
   */
  def before(relation: LogicalPlan): LogicalPlan = {
    // Analysed anew for each place that reads it, whose attributes must differ.
    val rows = session.table(table.name.sql).queryExecution.analyzed
    def held(column: String, as: DataType): Option[Expression] =
      border.columns.get(column).flatMap(name => rows.output.find(_.name.equalsIgnoreCase(name))).map {
        case a if DataType.equalsStructurally(a.dataType, as, true) => a
        case a => Cast(a, as)
      }
    def place(column: String, as: DataType): Expression =
      held(column, as).getOrElse(throw Border.unusable(
        table.name,
        of,
        s"it has no column ${border.columns(column)} now"
      ))
    val partition = place(PseudoColumns.rowPartition.name, IntegerType)
    val offset = place(PseudoColumns.rowOffset.name, LongType)
    val parts = border.offsets.toSeq.sorted.map { case (p, end) =>
      And(EqualTo(partition, Literal(p)), LessThan(offset, Literal(end)))
    }
    val there = Filter(parts.reduceOption[Expression](Or(_, _)).getOrElse(Literal.FalseLiteral), rows)
    val columns = relation.output.map { a =>
      Alias(held(a.name, a.dataType).getOrElse(NotInHistory(a.name, a.dataType, of, table.name.toString)), a.name)()
    }
    Union(relation, Project(columns, there))
  }
}

object History {

  /** The table that holds an object's records; None if the object declares none. */
  private[lake] def tableOf(session: SparkSession, topic: TopicObject): Option[Seq[String]] =
    topic.options.get(Properties.history.name).map(session.sessionState.sqlParser.parseMultipartIdentifier)

  /** Whether reads of the object have a start or an end of its own. */
  private[lake] def hasRange(topic: TopicObject): Boolean =
    Seq(Properties.startMode, Properties.endMode).exists(p => topic.options.contains(p.name))

  /**
   * What a bounded read of the object takes from its history: nothing if it declares none, if the read has a start or
   * end of its own, or if nothing is in the table yet.
   *
   * @param name the object's name, for errors
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_TABLE if the table is missing or keeps no border;
   *         HISTORY_GAP if the topic has lost records that the table does not have
   */
  def of(session: SparkSession, name: String, topic: TopicObject, admin: => TopicAdmin): Option[History] = {
    (if (hasRange(topic) || ObjectStore.creating.value) None else tableOf(session, topic)).flatMap { parts =>
      val table = found(session, name, parts)
      // Rows may come after the first look.
      val border = Border.at(session, table).orElse {
        if (session.table(table.name.sql).isEmpty) None
        else Some(Border.at(session, table).getOrElse(throw withoutBorder(table, name)))
      }
      border.foreach(check(_, name, table, topic.topic, admin))
      border.map(new History(session, name, topic, table, _))
    }
  }

  private def withoutBorder(table: LakeTable, name: String) = Border.unusable(
    table.name,
    name,
    "it has rows, but no commit to it says up to which offsets; a query INSERT INTO … SELECT … EMIT CHANGES keeps " +
      "them when it starts or resumes after HISTORY was declared"
  )

  private def found(session: SparkSession, name: String, parts: Seq[String]): LakeTable = {
    val full = LakeTable.fullName(session, parts)
    val there = Frames.tableAt(session, full.parts).getOrElse {
      val reason = "there is no such table; CREATE TABLE … AS SELECT … EMIT CHANGES makes it and starts to fill it"
      throw Border.unusable(full, name, reason)
    }
    // Before its columns are looked up, as the table may be the object itself.
    Border.require(full, LakeTable.providerOf(there), name)
    LakeTable.at(session, full)
  }

  private def check(border: Border, name: String, table: LakeTable, now: String, admin: TopicAdmin): Unit = {
    if (border.topic != now) throw Border.unusable(table.name, name, s"it has records of the topic ${border.topic}")
    for (then <- border.id; id <- admin.id(now) if then != id) {
      throw Border.unusable(table.name, name, s"the topic $now was deleted and created again since")
    }
    admin.offsets(now).toSeq.sorted.foreach { case (partition, (first, _)) =>
      val end = border.offsets.getOrElse(partition, 0L)
      if (first > end)
        throw KafkalystException(
          "HISTORY_GAP",
          "object" -> name,
          "table" -> table.name.toString,
          "partition" -> partition.toString,
          "border" -> end.toString,
          "first" -> first.toString
        )
    }
  }
}

/** A column that the history does not hold: an error once a query needs it. */
private final case class NotInHistory(column: String, dataType: DataType, of: String, table: String)
    extends LeafExpression {
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = missing()
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = missing()

  private def missing(): Nothing =
    throw KafkalystException("HISTORY_COLUMN", "column" -> column, "object" -> of, "table" -> table)
}
