package io.kafkalyst.clients

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.SPARK_VERSION

import scala.util.Try

/** Checks the jars that Kafkalyst needs but does not contain. */
private[kafkalyst] object Connector {
  private val needed = Seq(
    "org.apache.kafka.clients.admin.Admin" -> "kafka-clients",
    "org.apache.spark.sql.kafka010.KafkaSourceProvider" -> "spark-sql-kafka-0-10_2.13",
    "org.apache.spark.kafka010.KafkaConfigUpdater" -> "spark-token-provider-kafka-0-10_2.13",
    "org.apache.commons.pool2.ObjectPool" -> "commons-pool2"
  )

  private lazy val missing = needed.find { case (name, _) => find(name).isEmpty }

  private def find(name: String): Option[Class[_]] = Try(Class.forName(name, false, getClass.getClassLoader)).toOption

  /**
   * The package of Kafka's classes that Spark's connector refers to, unless it is Kafka's own: some hosted runtimes
   * relocate them. Spark and Kafkalyst pass these objects to each other, so both must use the same classes.
   */
  private lazy val relocated = find("org.apache.spark.sql.kafka010.KafkaOffsetRange").flatMap { range =>
    try Some(range.getMethod("topicPartition").getReturnType.getPackageName).filterNot(_ == "org.apache.kafka.common")
    catch { case _: LinkageError => None }
  }

  /**
   * Throws CONNECTOR_RELOCATED if the connector uses Kafka's classes of another package, and CONNECTOR_MISSING if a
   * class of a needed jar is missing.
   */
  def require(): Unit = {
    relocated.foreach(found => throw KafkalystException("CONNECTOR_RELOCATED", "package" -> found))
    missing.foreach { case (name, jar) =>
      throw KafkalystException("CONNECTOR_MISSING", "class" -> name, "jar" -> jar, "spark" -> SPARK_VERSION)
    }
  }
}
