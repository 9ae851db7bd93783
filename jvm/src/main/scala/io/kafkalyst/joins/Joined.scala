package io.kafkalyst.joins

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.RowTime
import org.apache.spark.sql.{Dataset, Encoders, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode}
import org.apache.spark.sql.types._

/**
 * Builds the plan of one join: converts both sides to rows of one shape, co-groups them by key and runs a processor.
 */
private[joins] final class Joined(
    session: SparkSession,
    left: JoinInput,
    right: JoinInput,
    pairs: Seq[(Expression, Expression)]
) {
  private val leftKeys = left.keyed(pairs.map(_._1))
  private val rightKeys = right.keyed(pairs.map(_._2))
  private val keyType = keyTypes(leftKeys)
  private val shape =
    JoinShape(keyType, stored(left.output), stored(right.output), Seq(left.isTopic, right.isTopic))

  private def stored(of: Seq[NamedExpression]) = {
    of.find(c => StateType.hasVariant(c.dataType)).foreach(c =>
      throw KafkalystException("JOIN_VARIANT", "column" -> c.name)
    )
    StructType(types("c", of).map(f => f.copy(dataType = StateType.of(f.dataType))))
  }

  private def types(prefix: String, of: Seq[Expression]) =
    StructType(of.zipWithIndex.map { case (e, i) => StructField(s"$prefix$i", e.dataType) })

  private def keyTypes(of: Seq[Expression]) =
    StructType(types("k", of).map(f =>
      f.copy(dataType = if (KeyText.isNeeded(f.dataType)) StringType else StateType.of(f.dataType))
    ))

  /** A windowed stream-stream join. */
  def within(window: JoinWindow, alone: Seq[Boolean]): JoinInput = {
    val delay = window.retention + math.max(left.delay, right.delay)
    // Event time shifted forward by the delay, so that the watermark equals the newest record's time.
    val timed = both(keepNulls = alone).selectExpr(
      "*",
      s"timestamp_millis(least(${Change.time}, ${RowTime.latest}L) + ${delay}L) AS at"
    )
      .withWatermark("at", s"$delay milliseconds")
      // Drops the event-time column, because Spark would otherwise drop late rows: results that waited in a join below
      // arrive late.
      .drop("at")
    val processor = new WindowJoin(shape, window, delay, alone)
    result(by(timed, keyType, processor, shape.result, TimeMode.EventTime()), isTable = false).copy(delay = delay)
  }

  /** A stream-table join. */
  def lookup(outer: Boolean): JoinInput =
    result(by(both(Seq(outer, false)), keyType, new LookupJoin(shape, outer), shape.result), isTable = false)
      .copy(delay = left.delay)

  /** A table-table join on primary keys. */
  def tables(alone: Seq[Boolean]): JoinInput =
    result(by(both(Seq(false, false)), keyType, new TableJoin(shape, alone), shape.result), isTable = true)

  /** A foreign-key join of tables. */
  def foreign(outer: Boolean): JoinInput = {
    val own = keyTypes(left.key)
    val target = StructType(keyType.map(f => f.copy(name = s"f${f.name}")))
    val pointing = StructType(Seq(StructField("row", shape.left), StructField("to", keyType)))
    val changes = Frames.of(
      session,
      Project(
        left.key.zipWithIndex.map { case (k, i) => Alias(KeyText.of(k), s"k$i")() } ++ known(0, left) :+
          Alias(
            CreateNamedStruct(Seq(
              Literal("row"),
              struct(left.output, shape.left),
              Literal("to"),
              struct(leftKeys.map(KeyText.of), keyType)
            )),
            Change.rows.head
          )(),
        filled(left.plan, left.key)
      )
    )
    val first = shape.copy(key = own, left = pointing)
    val pointers = by(changes, own, new Pointers(first, target, outer), Pointers.schema(own, target, shape.left))
    val told =
      StructType(Seq(StructField(Pointers.how, IntegerType), StructField("own", own), StructField("row", shape.left)))
    val lefts = pointers.selectExpr(
      target.fieldNames.toSeq ++ Seq(
        s"0 AS ${Change.side}",
        Change.time,
        Change.stamp,
        s"false AS ${Change.gone}",
        Change.headers,
        s"named_struct('how', ${Pointers.how}, 'own', own, 'row', ${Change.rows.head}) AS ${Change.rows.head}",
        s"CAST(NULL AS ${shape.right.sql}) AS ${Change.rows(1)}"
      ): _*
    )
    val second = shape.copy(key = own, left = told, topics = Seq(false, right.isTopic))
    val rights = side(1, right, rightKeys, told, shape.right, keepNulls = false).toDF(lefts.columns.toSeq: _*)
    val out = shape.copy(key = own)
    val processor = new ForeignKeyJoin(second.copy(left = told), shape.left, outer)
    val rows = by(lefts.union(rights), target, processor, out.result)
    named(rows, isTable = true, left.key, left.same)
  }

  /** @param keepNulls for each side, whether its rows without a key, which never match, are kept */
  private def both(keepNulls: Seq[Boolean]): Dataset[Row] =
    side(0, left, leftKeys, shape.left, shape.right, keepNulls.head)
      .union(side(1, right, rightKeys, shape.left, shape.right, keepNulls(1)))

  private def known(side: Int, of: JoinInput): Seq[NamedExpression] = Seq(
    Alias(Literal(side), Change.side)(),
    Alias(of.time, Change.time)(),
    Alias(of.stamp, Change.stamp)(),
    Alias(of.gone, Change.gone)(),
    Alias(of.headers, Change.headers)()
  )

  private def filled(plan: LogicalPlan, keys: Seq[Expression]) =
    Filter(keys.map(IsNotNull(_): Expression).reduce(And(_, _)), plan)

  private def side(
      at: Int,
      of: JoinInput,
      keys: Seq[Expression],
      left: StructType,
      right: StructType,
      keepNulls: Boolean
  ): Dataset[Row] = {
    val rows = Seq(left, right).zipWithIndex.map { case (schema, i) =>
      Alias(if (i == at) struct(of.output, schema) else Literal.create(null, schema), Change.rows(i))()
    }
    val list = keys.zipWithIndex.map { case (k, i) => Alias(KeyText.of(k), s"k$i")() } ++ known(at, of) ++ rows
    Frames.of(session, Project(list, if (keepNulls) of.plan else filled(of.plan, keys)))
  }

  private def struct(values: Seq[Expression], schema: StructType) =
    CreateNamedStruct(values.zip(schema).flatMap { case (value, field) =>
      Seq(Literal(field.name), SameValue.of(value, field.dataType))
    })

  private def by(
      rows: Dataset[Row],
      key: StructType,
      processor: StatefulProcessor[Row, Row, Row],
      result: StructType,
      time: TimeMode = TimeMode.None()
  ): Dataset[Row] = rows.groupBy(key.fieldNames.map(col).toSeq: _*)
    .as[Row, Row](Encoders.row(key), Encoders.row(rows.schema))
    .transformWithState(processor, time, OutputMode.Append())(Encoders.row(result))

  private def result(rows: Dataset[Row], isTable: Boolean): JoinInput =
    named(
      rows,
      isTable,
      leftKeys,
      pairs.map { case (l, r) => Seq(l, r) }.zipWithIndex.map { case (those, i) =>
        those ++ Seq(left -> leftKeys(i), right -> rightKeys(i)).flatMap { case (side, k) =>
          val at = side.key.indexWhere(_.semanticEquals(k))
          if (at < 0) Nil else side.same(at)
        }
      }
    )

  /** The processor's results under the sides' own columns. */
  private def named(
      rows: Dataset[Row],
      isTable: Boolean,
      keys: Seq[Expression],
      same: Seq[Seq[Expression]]
  ): JoinInput = {
    val decoded = keys.zipWithIndex.collect {
      case (k, i) if KeyText.isNeeded(k.dataType) =>
        s"k$i" -> KeyText.value(col(s"k$i"), k.dataType)
    }
    val stored = rows.withColumns(decoded.toMap).queryExecution.analyzed
    val plan = Project(
      stored.output.zipWithIndex.map { case (a, i) =>
        val value = keys.lift(i).fold[Expression](a)(k => SameValue.of(a, k.dataType))
        if (value eq a) a else Alias(value, a.name)()
      },
      stored
    )
    val found = plan.output
    def at(name: String) = found.find(_.name == name).get
    def columns(of: Seq[Attribute], row: Attribute) = of.zipWithIndex.map { case (a, i) =>
      Alias(SameValue.of(GetStructField(row, i), a.dataType), a.name)(
        a.exprId,
        a.qualifier,
        Some(WatermarkMark.without(a))
      )
    }
    val output = columns(left.output, at(Change.rows.head)) ++ columns(right.output, at(Change.rows(1)))
    val around @ Seq(time, stamp, gone, headers) =
      Seq(Change.time, Change.stamp, Change.gone, Change.headers).map(at)
    val key = found.take(keys.size)
    JoinInput(
      s"${left.name} with ${right.name}",
      left.table,
      Project(output ++ around ++ key, plan),
      output.map(_.toAttribute),
      time,
      stamp,
      gone,
      headers,
      isTable,
      isTopic = false,
      key,
      same,
      left.window,
      left.isSession
    )
  }
}
