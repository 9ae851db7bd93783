package io.kafkalyst.query

import io.kafkalyst.model.settings.{LanguageSettings, ReadSettings, Setting, Settings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.kafkalyst.Frames

/**
 * The settings that determine what a continuous query means and writes. The query's record stores them, so each start
 * uses them, whatever its session has set since. Addresses, logins and the trigger come from the session that resumes
 * the query.
 */
private[kafkalyst] object KeptSettings {

  /** Stored even if they have Spark's default, because defaults differ between versions. */
  private val always = Seq(
    "spark.sql.ansi.enabled",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.ansi.enforceReservedKeywords",
    "spark.sql.caseSensitive",
    "spark.sql.parser.escapedStringLiterals",
    "spark.sql.session.timeZone"
  )

  /** Without it, a query reads the committed records. */
  private val isolation = Setting.clientPrefix + "isolation.level"
  private val ours = Seq(
    LanguageSettings.dialect,
    LanguageSettings.identifiers,
    Settings.deliveryGuarantee,
    Settings.asOfLost,
    ReadSettings.offsetReset
  ).flatMap(s => s.name +: s.synonym.toSeq) :+ isolation
  private val ofSpark = Seq(
    "spark.sql.ansi.relationPrecedence",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.groupByAliases",
    "spark.sql.groupByOrdinal",
    "spark.sql.legacy.timeParserPolicy",
    "spark.sql.mapKeyDedupPolicy",
    "spark.sql.parser.quotedRegexColumnNames",
    "spark.sql.storeAssignmentPolicy",
    "spark.sql.timestampType"
  )

  /** Limits of functions, such as `ksql.functions.collect_list.limit`. */
  private val functions = "ksql.functions."

  /** The isolation level of a catalog with its own brokers. */
  private val ofCatalog = """spark\.sql\.catalog\.[^.]+\.kafka\.isolation\.level"""

  private def isKept(name: String) = ours.contains(name) || ofSpark.contains(name) || always.contains(name) ||
    name.startsWith(functions) || name.matches(ofCatalog)

  /** Those of a session, as it has set them. */
  def of(session: SparkSession): Map[String, String] = WhileStarting.outside(session) {
    given(session).filter { case (name, _) => isKept(name) } ++
      always.flatMap(name => session.conf.getOption(name).map(name -> _))
  }

  /**
   * A copy of the session that has a query's settings.
   *
   * @param record its settings override the session's, and settings that it lacks are unset; older versions stored
   *               fewer. Others have no effect: who writes a catalog without Kafkalyst may have added them
   */
  def in(session: SparkSession, record: QueryRecord): SparkSession = {
    val copy = WhileStarting.outside(session)(Frames.copyOf(session))
    if (record.keepsAll)
      given(copy).keys.filter(n => isKept(n) && !record.settings.contains(n)).foreach(copy.conf.unset)
    record.settings.foreach { case (name, value) => if (isKept(name)) copy.conf.set(name, value) }
    copy
  }

  /** The settings that a session must set or unset to start a query as the query's own session would. */
  def differing(from: SparkSession, to: SparkSession): Map[String, Option[String]] = {
    def all(session: SparkSession) = given(session).filter { case (name, _) =>
      isKept(name) || name.startsWith(Setting.prefix) || name.startsWith("spark.sql.catalog.")
    }
    val (mine, there) = (all(from), all(to))
    (mine.keySet ++ there.keySet).filter(n => mine.get(n) != there.get(n)).map(n => n -> mine.get(n)).toMap
  }

  /** Only settings that were set explicitly: `conf.get` of a single setting returns its default as if it were set. */
  private def given(session: SparkSession): Map[String, String] = session.sessionState.conf.getAllConfs
}
