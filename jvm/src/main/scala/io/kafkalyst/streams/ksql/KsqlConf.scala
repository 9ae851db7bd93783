package io.kafkalyst.streams
package ksql

import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/**
 * The SQL settings for expressions of ksqlDB's continuous queries: an error in one row, such as a division by zero or a
 * string that is not a number, gives null, whereas Spark's ANSI mode fails the query. Expressions capture the mode
 * while they are parsed and analysed, so it is set only during that time and only on this thread.
 */
object KsqlConf {
  def within[T](session: SparkSession)(body: => T): T = {
    val lenient = session.sessionState.conf.clone()
    lenient.setConf(SQLConf.ANSI_ENABLED, false)
    // Dates and times use UTC.
    lenient.setConf(SQLConf.SESSION_LOCAL_TIMEZONE, "UTC")
    // A whole literal next to a DECIMAL is an INT; its precision does not depend on its digits.
    lenient.setConfString("spark.sql.legacy.literal.pickMinimumPrecision", "false")
    // A `${name}` that stays in the statement's text stays in its query, too.
    lenient.setConf(SQLConf.VARIABLE_SUBSTITUTE_ENABLED, SQLConf.get.variableSubstituteEnabled)
    // In ksqlDB a SELECT expression cannot use another's alias, and a number in GROUP BY is not a position.
    if (Settings.of(session.conf.getAll).isKsqldb) {
      lenient.setConfString("spark.sql.lateralColumnAlias.enableImplicitResolution", "false")
      lenient.setConf(SQLConf.GROUP_BY_ORDINAL, false)
    }
    SQLConf.withExistingConf(lenient)(TimeOfDay.allowed(body))
  }
}
