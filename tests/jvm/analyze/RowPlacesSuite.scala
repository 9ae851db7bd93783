package io.kafkalyst.analyze

import io.kafkalyst.TopicSession
import io.kafkalyst.streams.TopRows
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.{Descending, NullsLast}
import org.apache.spark.sql.kafkalyst.Frames
import org.scalatest.funsuite.AnyFunSuite

/** More groups in a task than Spark keeps in a map: the later rows of the others come before the earlier ones. */
class RowPlacesSuite extends AnyFunSuite with TopicSession {
  private val groups = 300

  /** Each key with `old`, then each with `new`, in as many tasks. */
  private def rows(tasks: Int): DataFrame =
    session.range(0, 2L * groups, 1, tasks).selectExpr(
      s"int(id % $groups) AS k",
      s"if(id < $groups, 'old', 'new') AS v",
      s"int(id div $groups) AS n"
    )

  private def grouped(tasks: Int, aggregates: String*): Seq[Row] = {
    rows(tasks).createOrReplaceTempView("given")
    session.sql(s"SELECT k, ${aggregates.mkString(", ")} FROM given GROUP BY k").drop("k").collect().toSeq.distinct
  }

  test("the values of many groups have the order of their rows, in a task and over tasks") {
    Seq(1, 2).foreach { tasks =>
      val results = grouped(
        tasks,
        "latest_by_offset(v)",
        "latest_by_offset(n, false)",
        "latest_by_offset(v, 1)",
        "latest_by_offset(if(n = 1, NULL, v), 1, false)",
        "earliest_by_offset(v)",
        "earliest_by_offset(v, 1)",
        "latest_by_offset(v, 5)",
        "attr(v)",
        "attr(k) = k",
        "histogram(v)",
        "topk(n, 1)",
        "json_arrayagg(v)"
      )
      val both = Seq("old", "new")
      assert(
        results == Seq(Row(
          "new",
          1,
          Seq("new"),
          Seq(null),
          "old",
          Seq("old"),
          both,
          null,
          true,
          Map("old" -> 1, "new" -> 1),
          Seq(1),
          """["old","new"]"""
        )),
        s"$tasks tasks"
      )
    }
  }

  test("of rows that are equal in Flink's order the last one stays") {
    val plan = rows(1).queryExecution.analyzed
    val Seq(k, v, _) = plan.output
    val order = Seq(Descending -> NullsLast)
    val top = TopRows(Deduplication.struct(Seq(v)), Deduplication.struct(Seq(k)), order, most = 1)
    val given = TopRows.of(Seq(k), top, plan)
    val frame = Frames.of(session, given)
    assert(frame.select("row.c0").distinct().collect().toSeq == Seq(Row("new")))
  }
}
