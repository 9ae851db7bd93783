package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException}

/**
 * The settings of one catalog of a cluster: `spark.sql.catalog.<name>.x` says for its topics what
 * `spark.kafkalyst.x` says for the session's.
 */
object CatalogSettings {

  /** The value of `spark.sql.catalog.<name>`: the class that Spark makes the catalog of. */
  val className = "io.kafkalyst.KafkaCatalog"
  private val catalogs = "spark.sql.catalog."

  /** Full name of a catalog's setting that stands for one of [[Settings]]. */
  def nameOf(catalog: String, setting: Setting): String =
    s"$catalogs$catalog." + setting.name.stripPrefix(Settings.prefix)

  /** The setting that makes a name a catalog's. */
  def keyOf(catalog: String): String = catalogs + catalog

  /** The options of such a catalog, by the names that follow its prefix. */
  def options(conf: Map[String, String], catalog: String): Map[String, String] = {
    val prefix = s"$catalogs$catalog."
    conf.collect { case (name, value) if name.startsWith(prefix) => name.stripPrefix(prefix) -> value }
  }

  /**
   * Checked settings of a catalog.
   *
   * @param options by the names that follow its prefix
   * @throws io.kafkalyst.errors.KafkalystException CATALOG_SETTING with the setting's name
   */
  def of(catalog: String, options: Map[String, String]): Settings = {
    val known = Settings.all.map(_.name.stripPrefix(Settings.prefix))
    val clients = Settings.clientPrefix.stripPrefix(Settings.prefix)
    options.keys.toSeq.sorted.find(name => !known.contains(name) && !name.startsWith(clients)).foreach { name =>
      throw wrong(
        catalog,
        s"$catalogs$catalog.$name",
        s"there is no such setting.${Conditions.nearest(name, known)}",
        None
      )
    }
    val settings =
      try Settings.of(options.map { case (name, value) => (Settings.prefix + name) -> value }, application(catalog))
      catch {
        case e: KafkalystException =>
          val setting = e.messageParameters.getOrElse("setting", "").stripPrefix(Settings.prefix)
          throw wrong(catalog, s"$catalogs$catalog.$setting", e.getMessage, Some(e))
      }
    if (settings.get(Settings.bootstrapServers).isEmpty)
      throw wrong(catalog, nameOf(catalog, Settings.bootstrapServers), "it is not set", None)
    settings
  }

  /** CATALOG_SETTING for a value that leads nowhere. */
  def wrong(catalog: String, setting: String, reason: String, cause: Option[Throwable]): KafkalystException = {
    val parameters = Seq("catalog" -> catalog, "setting" -> setting, "reason" -> reason)
    cause.fold(KafkalystException("CATALOG_SETTING", parameters: _*))(
      KafkalystException.caused(_, "CATALOG_SETTING", parameters: _*)
    )
  }

  /** Whether a setting says where a cluster is or how to reach it, so that another catalog's says nothing of it. */
  private def isOfCluster(name: String): Boolean =
    name == Settings.bootstrapServers.name || name.startsWith(Settings.clientPrefix) ||
      name.startsWith(RegistrySettings.registryPrefix)

  /** What a statement over a catalog's objects goes by: the catalog's settings, and the session's of all else. */
  def inSession(conf: Map[String, String], catalog: String): Settings = {
    val own = options(conf, catalog)
    of(catalog, own)
    Settings.of(
      conf.filterNot { case (name, _) => isOfCluster(name) } ++
        own.map { case (name, value) => (Settings.prefix + name) -> value },
      application(catalog)
    )
  }

  private def application(catalog: String) = Application.current.of(s"$catalogs$catalog.", isOfCluster)
}
