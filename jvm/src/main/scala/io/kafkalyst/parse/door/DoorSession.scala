package io.kafkalyst.parse
package door

import io.kafkalyst.analyze.BeforeSpark
import io.kafkalyst.analyze.tables.EndlessViews
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.catalog.{NamedTypes, ObjectStore}
import io.kafkalyst.model.settings.{LanguageSettings, Setting}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.internal.VariableSubstitution

/**
 * What the front door asks its session: objects, types, settings.
 *
 * Everything is created on first use: parsing must not touch a session that is still being built.
 */
private[parse] final class DoorSession(session: SparkSession) {
  lazy val store = new ObjectStore(session)
  lazy val views = new EndlessViews(session, store)
  lazy val types = new NamedTypes(session)
  lazy val sources = new CatalogSources(session, store)
  private lazy val variables = new VariableSubstitution()

  /** Whether the rules before Spark's analysis are applied by the parser. */
  lazy val isByHand: Boolean = BeforeSpark.isByHand(session)

  def isKsqldb: Boolean = LanguageSettings.isKsqldb(given)
  def foldsNames: Boolean = LanguageSettings.foldsNames(given)

  /** The text with variables substituted, as Spark's parser does. */
  def substituted(text: String): String = variables.substitute(text)

  /** The text with variables and the statement's arguments. */
  def bound(text: String, delegate: ParserShell.Below): String =
    Arguments.bind(substituted(text), delegate.arguments)

  def isThere(parts: Seq[String]): Boolean = session.catalog.tableExists(parts.map(quoteIdentifier).mkString("."))

  // Runs for each text; `session.conf.getOption` throws and catches internally for an unset key.
  private def given(setting: Setting): Option[String] = {
    val conf = session.sessionState.conf
    Option.when(conf.contains(setting.name))(conf.getConfString(setting.name))
  }
}
