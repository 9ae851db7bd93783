package io.kafkalyst.analyze

import java.nio.file.{Files, Path}

import io.kafkalyst.TopicSession
import io.kafkalyst.analyze.sinks.RepeatableTasks
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.{ObjectKind, SinkProperties}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RepartitionByExpression}
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, WriteToStream}
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.streaming.OutputMode
import org.scalatest.funsuite.AnyFunSuite

/** Which exactly-once queries get a fixed number of tasks, and how many. */
class RepeatableTasksSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "clicks", "who STRING, page STRING")
    val exactly = Map(SinkProperties.guarantee.name -> "exactly-once")
    define(ObjectKind.Stream, "sink", "who STRING, page STRING", options = exactly)
    define(ObjectKind.Stream, "loose", "who STRING, page STRING")
    session.conf.set("spark.sql.shuffle.partitions", "7")
  }

  private def clicks = session.readStream.table("clicks")

  private def topic(name: String): TopicTable =
    session.readStream.table(name).queryExecution.analyzed.collectFirst { case r: StreamingRelationV2 =>
      r.table.asInstanceOf[TopicTable]
    }.get

  /** The number of partitions of the shuffle that the rule adds; None without one. */
  private def number(plan: LogicalPlan, checkpoint: String = "/none", sink: String = "sink"): Option[Int] = {
    val write = new WriteToStream("q", checkpoint, topic(sink), OutputMode.Append, false, plan, None, None)
    new RepeatableTasks(session)(write).children.head match {
      case same if same eq plan => None
      case added: RepartitionByExpression =>
        assert(added.partitionExpressions.flatMap(_.references.map(_.name)) == Seq("who"))
        added.optNumPartitions
      case other => fail(other.toString)
    }
  }

  private def number(frame: DataFrame): Option[Int] = number(frame.queryExecution.analyzed)

  private val joined = () => clicks.join(session.range(9), col("id") === col("page")).select("who", "page")

  test("joins with a table, and shuffles that Spark sizes") {
    assert(number(clicks).isEmpty && number(clicks.repartition(3)).isEmpty)
    assert(number(joined()).contains(7))
    assert(number(joined().queryExecution.analyzed, sink = "loose").isEmpty)
    assert(number(joined().repartition(3, col("page"))).isEmpty)
    assert(number(clicks.repartition(col("page"))).contains(7))
    assert(number(joined().repartition(col("page"))).contains(7))
    assert(number(clicks.hint("rebalance")).contains(7))
    assert(number(joined().coalesce(1).withColumn("page", lit("x"))).isEmpty)
    assert(number(joined().coalesce(2)).contains(7))
    assert(number(joined().repartition(3)).contains(7) && number(joined().repartition(1)).isEmpty)
  }

  test("a stream with a HISTORY") {
    def plan(of: DataFrame) = of.queryExecution.analyzed.transform { case r: StreamingRelationV2 =>
      r.copy(table = r.table.asInstanceOf[TopicTable].after(() => None))
    }
    assert(number(plan(clicks.where("page > ''"))).contains(7))
    assert(number(plan(clicks.repartition(3))).contains(7))
    assert(number(plan(clicks.repartition(3, col("page")))).isEmpty)
  }

  test("a checkpoint keeps the number with which its batches were planned") {
    val folder = Files.createTempDirectory("checkpoint")
    val log = Files.createDirectories(folder.resolve("offsets"))
    def batch(name: String, partitions: String): Path =
      Files.writeString(log.resolve(name), s"""v1\n{"conf":{"spark.sql.shuffle.partitions":$partitions}}\n{}""")
    def found = number(joined().queryExecution.analyzed, folder.toString)
    assert(found.contains(7))
    batch("9", "\"3\"")
    batch("10", "\"5\"")
    Files.writeString(log.resolve(".11.tmp"), "v1")
    assert(found.contains(5))
    batch("12", "{}")
    assert(found.contains(7))
  }
}
