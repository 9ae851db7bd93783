package io.kafkalyst.metadata

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** The value of a metric in one task. */
private[kafkalyst] final case class TaskMetric(name: String, value: Long) extends CustomTaskMetric

/** A sum over tasks. Spark creates metrics by class name, so each needs its own class. */
private[kafkalyst] abstract class SumMetric(metric: String, what: String) extends CustomSumMetric {
  override def name(): String = metric
  override def description(): String = what
}

/** Records that were sent to the dead letter topic. */
final class DeadLettersMetric
    extends SumMetric(DeadLettersMetric.metric, "number of records sent to the dead letter topic")

object DeadLettersMetric {
  val metric = "deadLetters"
}

/** Requests to the schema registry: few, as each process requests a schema once. */
final class RegistryRequestsMetric
    extends SumMetric(RegistryRequestsMetric.metric, "number of requests to the schema registry")

object RegistryRequestsMetric {
  val metric = "registryRequests"
}
