package io.kafkalyst.metadata

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** What a task has counted. */
private[kafkalyst] final case class TaskMetric(name: String, value: Long) extends CustomTaskMetric

/** Records that were sent to the dead letter topic. */
final class DeadLettersMetric extends CustomSumMetric {
  override def name(): String = DeadLettersMetric.metric
  override def description(): String = "number of records sent to the dead letter topic"
}

object DeadLettersMetric {
  val metric = "deadLetters"
}

/** Requests to the schema registry: few, as each process asks for a schema once. */
final class RegistryRequestsMetric extends CustomSumMetric {
  override def name(): String = RegistryRequestsMetric.metric
  override def description(): String = "number of requests to the schema registry"
}

object RegistryRequestsMetric {
  val metric = "registryRequests"
}
