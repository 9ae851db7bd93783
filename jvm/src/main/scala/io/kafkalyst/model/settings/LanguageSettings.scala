package io.kafkalyst.model.settings

/**
 * Selects the dialect of statements over topics. The dialect and the case of names are separate settings; a session
 * that sets only `identifiers=upper` gets ksqlDB's behaviour for both, for backward compatibility.
 */
object LanguageSettings {
  private val spark = "spark"
  private val ksqldb = "ksqldb"
  private val preserve = "preserve"
  private val upper = "upper"

  val dialect: Setting = Setting(
    Setting.prefix + "dialect",
    None,
    "The rules for statements over topics: `spark`, or `ksqldb`, which refuses what ksqlDB does not have and folds " +
      "names to upper case. Default: `spark`, or `ksqldb` if `spark.kafkalyst.identifiers` is `upper`.",
    Seq(spark, ksqldb),
    trust = Trust.Session
  )
  val identifiers: Setting = Setting(
    Setting.prefix + "identifiers",
    None,
    "`preserve`: names keep their case; `upper`: unquoted names of topics' columns fold to upper case. Default: as " +
      "in the dialect. `upper` without `spark.kafkalyst.dialect` is deprecated: it sets the dialect to `ksqldb`.",
    Seq(preserve, upper),
    trust = Trust.Session
  )

  val all: Seq[Setting] = Seq(dialect, identifiers)

  /** Whether these settings select ksqlDB's dialect. */
  def isKsqldb(given: Setting => Option[String]): Boolean =
    given(dialect).fold(given(identifiers).exists(_.equalsIgnoreCase(upper)))(_.equalsIgnoreCase(ksqldb))

  /** Whether unquoted names fold to upper case. */
  def foldsNames(given: Setting => Option[String]): Boolean =
    given(identifiers).fold(isKsqldb(given))(_.equalsIgnoreCase(upper))
}
