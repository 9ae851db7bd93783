package io.kafkalyst.model.settings

import io.kafkalyst.errors.{Conditions, KafkalystException}

/**
 * The settings of one cluster catalog: `spark.sql.catalog.<name>.x` applies to its topics as `spark.kafkalyst.x`
 * applies to the session's.
 */
object CatalogSettings {

  /** The value of `spark.sql.catalog.<name>`: the catalog's implementation class. */
  val className = "io.kafkalyst.KafkaCatalog"
  private val prefix = "spark.sql.catalog."

  /** Full name of the catalog's setting that corresponds to one of [[Settings]]. */
  def nameOf(catalog: String, setting: Setting): String =
    s"$prefix$catalog." + setting.name.stripPrefix(Setting.prefix)

  /** The setting that declares a catalog of this name. */
  def keyOf(catalog: String): String = prefix + catalog

  /** The cluster catalogs. */
  def catalogs(conf: Map[String, String]): Seq[String] = conf.toSeq.collect {
    case (name, `className`) if name.startsWith(prefix) => name.stripPrefix(prefix)
  }.sorted

  /** A cluster catalog's options, by their names without its prefix. */
  def options(conf: Map[String, String], catalog: String): Map[String, String] = {
    val own = s"$prefix$catalog."
    conf.collect { case (name, value) if name.startsWith(own) => name.stripPrefix(own) -> value }
  }

  /**
   * The session's cluster settings, address and login, for a catalog that sets none of its own, by full names. Empty
   * for a catalog with its own cluster.
   */
  def inherited(conf: Map[String, String], options: Map[String, String]): Map[String, String] =
    if (options.keys.exists(name => isOfCluster(Setting.prefix + name))) Map.empty
    else conf.filter { case (name, _) => isOfCluster(name) }

  /** Whether settings, which are looked up by full name, declare a cluster catalog of this name. */
  def isDeclared(setting: String => Option[String], catalog: String): Boolean =
    setting(keyOf(catalog)).contains(className)

  /**
   * Validated settings of a catalog.
   *
   * @param options   by their names without the catalog's prefix
   * @param inherited see [[inherited]]
   * @throws io.kafkalyst.errors.KafkalystException CATALOG_SETTING with the setting's name
   */
  def of(catalog: String, options: Map[String, String], inherited: Map[String, String]): Settings = {
    val known = Settings.all.map(_.name.stripPrefix(Setting.prefix))
    val clients = Setting.clientPrefix.stripPrefix(Setting.prefix)
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
          val own = s"$prefix$catalog.${setting.stripPrefix(Setting.prefix)}"
          throw wrong(catalog, if (inherited.contains(setting)) setting else own, e.getMessage, Some(e))
      }
    if (settings.get(Settings.bootstrapServers).isEmpty)
      throw wrong(catalog, nameOf(catalog, Settings.bootstrapServers), "it is not set", None)
    settings
  }

  /** CATALOG_SETTING for an invalid value. */
  def wrong(catalog: String, setting: String, reason: String, cause: Option[Throwable]): KafkalystException = {
    val parameters = Seq("catalog" -> catalog, "setting" -> setting, "reason" -> reason)
    cause.fold(KafkalystException("CATALOG_SETTING", parameters: _*))(
      KafkalystException.caused(_, "CATALOG_SETTING", parameters: _*)
    )
  }

  /**
   * Whether a setting is the address of a cluster or its login, and thus does not apply to another catalog's cluster.
   */
  private def isOfCluster(name: String): Boolean =
    name == Settings.bootstrapServers.name || name.startsWith(Setting.clientPrefix) ||
      name.startsWith(RegistrySettings.registryPrefix)

  /** The settings for statements over a catalog's objects: the catalog's own, and the session's for everything else. */
  def inSession(conf: Map[String, String], catalog: String): Settings = {
    val own = options(conf, catalog)
    val cluster = inherited(conf, own)
    of(catalog, own, cluster)
    val others = conf.filterNot { case (name, _) => isOfCluster(name) }
    Settings.of(others ++ cluster ++ full(own), application(catalog, cluster))
  }

  private def full(options: Map[String, String]) =
    options.map { case (name, value) => (Setting.prefix + name) -> value }

  private def application(catalog: String, inherited: Map[String, String]) =
    if (inherited.isEmpty) Application.current.of(s"$prefix$catalog.", isOfCluster) else Application.current
}
