package io.kafkalyst.streams

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/**
 * How the expressions of ksqlDB's continuous queries compute: what fails for one row, a division by zero or a text
 * that is no number, is null, where Spark's ANSI mode ends the query. Spark's expressions keep the mode that is set
 * while they are parsed and analysed, so it is set for these alone and for this thread alone.
 */
object KsqlConf {
  def within[T](session: SparkSession)(body: => T): T = {
    val lenient = session.sessionState.conf.clone()
    lenient.setConf(SQLConf.ANSI_ENABLED, false)
    // Dates and times are those of UTC.
    lenient.setConf(SQLConf.SESSION_LOCAL_TIMEZONE, "UTC")
    // A whole literal next to a DECIMAL counts as an INT, not as the digits it happens to have.
    lenient.setConfString("spark.sql.legacy.literal.pickMinimumPrecision", "false")
    SQLConf.withExistingConf(lenient)(TimeOfDay.allowed(body))
  }
}
