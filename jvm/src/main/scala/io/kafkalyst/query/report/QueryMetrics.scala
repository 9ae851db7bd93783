package io.kafkalyst.query
package report

import com.codahale.metrics.{Gauge, MetricRegistry}
import io.kafkalyst.bridge.MetricsSource
import org.apache.spark.SparkEnv

/**
 * The continuous queries in Spark's metrics system, under the source `kafkalyst`: gauges named by query id and, for
 * partition lags, topic and partition. docs/operate.md has the list. Of queries with one id in several catalogs, all
 * but the first one shown have the catalog's name before it.
 */
private[query] object QueryMetrics {
  private var current: Option[(SparkEnv, MetricsSource)] = None

  // By the queries' keys.
  private var names = Map.empty[String, String]

  /** Registers a query's gauges; idempotent. */
  def show(query: ContinuousQuery): Unit = registry.foreach { metrics =>
    val own = nameOf(query)
    def gauge(name: String*)(value: => Any): Unit = {
      val full = MetricRegistry.name(own, name: _*)
      metrics.gauge(full, () => new Gauge[Any] { override def getValue: Any = value })
      ()
    }
    gauge("running")(if (query.isActive) 1 else 0)
    gauge("failed")(if (query.record.state == QueryRecord.failed) 1 else 0)
    gauge("restarts")(query.allRestarts)
    gauge("records", "read")(query.counts.total.read)
    gauge("records", "decoded")(query.counts.total.decoded)
    gauge("records", "bad")(query.counts.total.bad)
    gauge("records", "dead_lettered")(query.counts.total.deadLetters)
    gauge("records", "written")(query.counts.total.written)
    gauge("batch", "milliseconds")(query.counts.duration("triggerExecution"))
    gauge("commit", "milliseconds")(query.counts.duration("commitOffsets"))
    gauge("last_success", "milliseconds")(query.counts.lastSuccess)
    gauge("lag")(query.counts.lag.getOrElse(-1L))
    for ((topic, partitions) <- query.counts.lags; partition <- partitions.keys) {
      gauge("lag", topic, partition.toString)(query.counts.lags.get(topic).flatMap(_.get(partition)).getOrElse(-1L))
    }
  }

  /** Removes the gauges of the query with this key, which has ended. */
  def hide(key: String): Unit = registry.foreach { metrics =>
    synchronized {
      val own = names.get(key)
      names -= key
      own
    }.foreach(own => metrics.removeMatching((name, _) => name.startsWith(s"$own.")))
  }

  private def nameOf(query: ContinuousQuery): String = synchronized {
    val own = names.getOrElse(
      query.key,
      Seq(query.id, query.fullId).find(name => !names.exists(_._2 == name)).getOrElse(query.key)
    )
    names += query.key -> own
    own
  }

  /** The application's registry; None if it has none. */
  private def registry: Option[MetricRegistry] = synchronized {
    Option(SparkEnv.get).map { application =>
      current.filter(_._1 eq application).getOrElse {
        val source = new MetricsSource("kafkalyst")
        source.register(application)
        current = Some(application -> source)
        names = Map.empty
        application -> source
      }._2.metricRegistry
    }
  }
}
