package io.kafkalyst.model.settings

import io.kafkalyst.errors.KafkalystException
import org.apache.kafka.common.internals.Topic

/**
 * The topics that no statement writes, creates or deletes: those of Kafka itself, and those in which catalogs store
 * definitions. Applications believe a catalog's records, and run the queries that are stored there.
 *
 * @param catalogs the catalogs' topics, whatever their cluster
 */
final class ReservedTopics private[settings] (catalogs: Set[String]) extends Serializable {

  def contains(topic: String): Boolean = catalogs.contains(topic) || Topic.isInternal(topic)

  /**
   * @param what what the statement does with the topics, as in "be written"
   * @throws io.kafkalyst.errors.KafkalystException RESERVED_TOPIC
   */
  def refuse(topics: Iterable[String], what: String): Unit = topics.find(contains).foreach { topic =>
    val use =
      if (catalogs.contains(topic)) "a catalog keeps its definitions there" else "Kafka keeps its own state there"
    throw KafkalystException("RESERVED_TOPIC", "topic" -> topic, "what" -> what, "use" -> use)
  }
}

object ReservedTopics {
  private val option = Settings.catalogTopic.name.stripPrefix(Setting.prefix)

  /** Includes the topics of the application's own catalogs, which a session cannot take away by SET. */
  def of(conf: Map[String, String], application: Application = Application.current): ReservedTopics = {
    def all(conf: Map[String, String]) = conf.get(Settings.catalogTopic.name) ++
      CatalogSettings.catalogs(conf).flatMap(CatalogSettings.options(conf, _).get(option))
    new ReservedTopics((all(conf) ++ all(application.conf) ++ Settings.catalogTopic.default).toSet)
  }
}
