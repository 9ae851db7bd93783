package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException}

/**
 * The settings of one catalog of a cluster: `spark.sql.catalog.<name>.x` says for its topics what
 * `spark.kafkalyst.x` says for the session's.
 */
object CatalogSettings {

  /** The value of `spark.sql.catalog.<name>`: the class that Spark makes the catalog of. */
  val className = "io.kafkalyst.KafkaCatalog"
  private val prefix = "spark.sql.catalog."

  /** Full name of a catalog's setting that stands for one of [[Settings]]. */
  def nameOf(catalog: String, setting: Setting): String =
    s"$prefix$catalog." + setting.name.stripPrefix(Settings.prefix)

  /** The setting that makes a name a catalog's. */
  def keyOf(catalog: String): String = prefix + catalog

  /** The catalogs of clusters. */
  def catalogs(conf: Map[String, String]): Seq[String] = conf.toSeq.collect {
    case (name, `className`) if name.startsWith(prefix) => name.stripPrefix(prefix)
  }.sorted

  /** The options of such a catalog, by the names that follow its prefix. */
  def options(conf: Map[String, String], catalog: String): Map[String, String] = {
    val own = s"$prefix$catalog."
    conf.collect { case (name, value) if name.startsWith(own) => name.stripPrefix(own) -> value }
  }

  /**
   * What a catalog that says nothing of a cluster has of the session's: where that is and how to reach it, by full
   * names. Empty for a catalog with a cluster of its own.
   */
  def inherited(conf: Map[String, String], options: Map[String, String]): Map[String, String] =
    if (options.keys.exists(name => isOfCluster(Settings.prefix + name))) Map.empty
    else conf.filter { case (name, _) => isOfCluster(name) }

  /**
   * Checked settings of a catalog.
   *
   * @param options   by the names that follow its prefix
   * @param inherited see [[inherited]]
   * @throws io.kafkalyst.errors.KafkalystException CATALOG_SETTING with the setting's name
   */
  def of(catalog: String, options: Map[String, String], inherited: Map[String, String]): Settings = {
    val known = Settings.all.map(_.name.stripPrefix(Settings.prefix))
    val clients = Settings.clientPrefix.stripPrefix(Settings.prefix)
    options.keys.toSeq.sorted.find(name => !known.contains(name) && !name.startsWith(clients)).foreach { name =>
      throw wrong(
        catalog,
        s"$prefix$catalog.$name",
        s"there is no such setting.${Conditions.nearest(name, known)}",
        None
      )
    }
    val settings =
      try Settings.of(inherited ++ full(options), application(catalog, inherited))
      catch {
        case e: KafkalystException =>
          val setting = e.messageParameters.getOrElse("setting", "")
          val own = s"$prefix$catalog.${setting.stripPrefix(Settings.prefix)}"
          throw wrong(catalog, if (inherited.contains(setting)) setting else own, e.getMessage, Some(e))
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
    val cluster = inherited(conf, own)
    of(catalog, own, cluster)
    val others = conf.filterNot { case (name, _) => isOfCluster(name) }
    Settings.of(others ++ cluster ++ full(own), application(catalog, cluster))
  }

  private def full(options: Map[String, String]) =
    options.map { case (name, value) => (Settings.prefix + name) -> value }

  private def application(catalog: String, inherited: Map[String, String]) =
    if (inherited.isEmpty) Application.current.of(s"$prefix$catalog.", isOfCluster) else Application.current
}
