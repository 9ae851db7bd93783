package io.kafkalyst.query

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.query.report.QueryMetrics
import org.apache.spark.SparkEnv
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._

/** The names of queries' gauges; their values are seen with brokers. */
class QueryMetricsSuite extends AnyFunSuite with TopicSession {
  private def query(catalog: String, restarts: Int) = {
    val sink = SinkName.OfObject(ObjectName.ofTopic(catalog, "sink"))
    val made = new ContinuousQuery(session, InsertRecord("SAME", sink, catalog))
    made.allRestarts = restarts
    made
  }

  /** The gauges `restarts`, by name. */
  private def restarts: Map[String, Any] =
    SparkEnv.get.metricsSystem.getSourcesByName("kafkalyst").flatMap(_.metricRegistry.getGauges.asScala).collect {
      case (name, gauge) if name.endsWith(".restarts") => name.stripSuffix(".restarts") -> gauge.getValue
    }.toMap

  test("queries with one id in several catalogs have gauges of their own") {
    session.range(1)
    val (one, two) = (query("one", 1), query("two", 2))
    Seq(one, two, one, two).foreach(QueryMetrics.show)
    assert(restarts == Map("SAME" -> 1, "two.SAME" -> 2))
    QueryMetrics.hide(one.key)
    assert(restarts == Map("two.SAME" -> 2))
    QueryMetrics.show(two)
    assert(restarts == Map("two.SAME" -> 2))
    QueryMetrics.show(one)
    QueryMetrics.hide(two.key)
    assert(restarts == Map("SAME" -> 1))
  }
}
