package io.kafkalyst.clients

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.SPARK_VERSION

import scala.util.Try

/** The jars that Kafkalyst needs beside its own, which is built without them. */
private[kafkalyst] object Connector {
  private val needed = Seq(
    "org.apache.kafka.clients.admin.Admin" -> "kafka-clients",
    "org.apache.spark.sql.kafka010.KafkaSourceProvider" -> "spark-sql-kafka-0-10_2.13",
    "org.apache.spark.kafka010.KafkaConfigUpdater" -> "spark-token-provider-kafka-0-10_2.13",
    "org.apache.commons.pool2.ObjectPool" -> "commons-pool2"
  )

  private lazy val missing = needed.find { case (name, _) =>
    Try(Class.forName(name, false, getClass.getClassLoader)).isFailure
  }

  /** @throws io.kafkalyst.errors.KafkalystException CONNECTOR_MISSING with the jar, where a class of it is not there */
  def require(): Unit = missing.foreach { case (name, jar) =>
    throw KafkalystException("CONNECTOR_MISSING", "class" -> name, "jar" -> jar, "spark" -> SPARK_VERSION)
  }
}
