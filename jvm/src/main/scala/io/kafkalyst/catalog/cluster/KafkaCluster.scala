package io.kafkalyst.catalog.cluster

import io.kafkalyst.catalog.{ObjectProperties, StoredObject, TopicTable}
import io.kafkalyst.catalog.define.{Growth, ObjectDefinition}
import io.kafkalyst.clients.{Connector, ListedTopic, Recent, TopicAdmin}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicObject
import io.kafkalyst.model.settings.{CatalogSettings, Setting, Settings}
import io.kafkalyst.registry.{Addresses, RegistryAdmin, SessionRegistry}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.internal.SQLConf
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * A cluster catalog's state: its topics, and each topic as a table. Both are refreshed after the setting
 * `catalog.cache.ttl`.
 *
 * @param name     the catalog's name
 * @param settings those of its own cluster, or the session's if it has none
 * @param brokersSetting the setting with the broker addresses
 */
final class KafkaCluster private (val name: String, val settings: Settings, brokersSetting: String) {
  import KafkaCluster.Kept

  private val ttlNanos = settings.millis(Settings.catalogCacheTtl) * 1000000
  @volatile private var listing: Option[Kept[Map[String, ListedTopic]]] = None

  /** Every topic of the cluster by name, in one request; cached. */
  def topics(): Map[String, ListedTopic] = listing.filter(_.isFresh).fold(asked())(_.value)

  /** The names of all topics, except internal ones, and of all definitions, sorted. */
  def names(): Seq[String] =
    (topics().values.filterNot(isHidden).map(_.name) ++ definitions.all().keys).toSeq.distinct.sorted

  /** The declared definitions of this catalog. */
  private[catalog] val definitions = new DefinitionTopic(name, settings)
  @volatile private var silentUntil = Option.empty[Long]

  /** The definitions; empty while the brokers do not answer. */
  private[cluster] def known(): Map[String, Definition] = answered(Map.empty[String, Definition])(definitions.all())

  /** The leases of queries by id; empty while the brokers do not answer. */
  private[catalog] def leases(): Map[String, Lease] = answered(Map.empty[String, Lease])(definitions.leases())

  /** The usable types, as DDL by upper-case names; empty while the brokers do not answer. */
  private[catalog] def types(): Map[String, String] =
    answeredTypes().collect { case (name, NamedType(Right(ddl))) => name -> ddl }

  /** Throws CATALOG_TOPIC_RECORD for a type that this version cannot read. */
  private[catalog] def typeOf(name: String): Option[String] = answeredTypes().get(name).map(_.ddl)

  private def answeredTypes() = answered(Map.empty[String, NamedType])(definitions.types())

  /**
   * Whether both keep their definitions in one topic of one cluster, so that a name means the same in both. Two lists
   * of brokers may be of one cluster.
   */
  private[catalog] def isOne(other: KafkaCluster): Boolean = definitions.topic == other.definitions.topic && {
    def brokers(of: KafkaCluster) = of.settings.get(Settings.bootstrapServers)
    brokers(this) == brokers(other) || topicId.exists(other.topicId.contains)
  }

  /**
   * A text that is the same for all catalogs of which [[isOne]] is true, and stays the same: the brokers and the topic of
   * the first one. While the topic is unknown, they are the catalog's own.
   */
  private[catalog] def place: String = {
    val own = s"${settings.get(Settings.bootstrapServers).getOrElse("")}@${definitions.topic}"
    KafkaCluster.places.get(own).orElse(topicId.map { id =>
      val first = KafkaCluster.places.getOrMake(id)(own)
      KafkaCluster.places.put(own, first)
      first
    }).getOrElse(own)
  }

  /** The id of the topic of definitions; None if it is unknown. */
  private def topicId: Option[String] = answered(Option.empty[String])(definitions.topicId())

  /** Whether the brokers did not answer, and are not asked again yet. */
  private[catalog] def isSilent: Boolean = silentUntil.exists(System.nanoTime() - _ < 0)

  /** Returns `nothing` while brokers do not answer; after a failure, they are not asked again immediately. */
  private def answered[T](nothing: T)(ask: => T): T =
    if (isSilent) nothing
    else
      try ask
      catch {
        case e: KafkalystException =>
          KafkaCluster.log.warn(s"The definitions of the catalog $name could not be read: ${e.getMessage}")
          silentUntil = Some(System.nanoTime() + KafkaCluster.silenceMs * 1000000L)
          nothing
      }

  /** Whether the name of a topic or a definition has this prefix; topics created just now are found, too. */
  def hasPrefix(prefix: String): Boolean =
    (topics().keysIterator ++ definitions.all().keysIterator ++ asked().keysIterator).exists(_.startsWith(prefix))

  /**
   * The definition or topic for a name: the exact match, otherwise the only one that differs in case.
   *
   * @throws io.kafkalyst.errors.KafkalystException AMBIGUOUS_TOPIC
   */
  def find(name: String): Option[String] = {
    def among(topics: Map[String, ListedTopic]) = {
      val all = topics.keySet ++ definitions.all().keySet
      if (all(name)) Some(name)
      else all.filter(_.equalsIgnoreCase(name)).toSeq.sorted match {
        case Seq() => None
        case Seq(one) => Some(one)
        case several =>
          throw KafkalystException("AMBIGUOUS_TOPIC", "name" -> name, "topics" -> several.mkString(", "))
      }
    }
    // Topics created since the last listing are found immediately.
    among(topics()).orElse(among(asked()))
  }

  /**
   * The topic as a table; None if it does not exist.
   *
   * @throws io.kafkalyst.errors.KafkalystException if neither its definition nor its schemas determine its columns
   */
  def table(topic: String): Option[TopicTable] = find(topic).map(known)

  /** Like [[table]], but a topic whose columns cannot be determined is an [[UnreadableTopic]]. */
  def listed(topic: String): Option[Table] = find(topic).map { found =>
    try known(found)
    catch { case e: KafkalystException => new UnreadableTopic(s"$name.$found", e, o => table(found, o).as(o)) }
  }

  /**
   * The topic's object with other properties, on which its columns may depend; None if the topic does not exist.
   *
   * @param as the statement's settings
   */
  def altered(topic: String, said: Map[String, String], as: Settings = settings): Option[TopicObject] =
    find(topic).map { found =>
      val o =
        try known(found).topic
        catch {
          case _: KafkalystException if said.nonEmpty && !definitions.all().contains(found) => inferred(found, said)
        }
      if (said.isEmpty) o else ObjectProperties.altered(o, said, as)
    }

  /**
   * The exact name, the table, and its definition if it has one, from one snapshot: a definition that is dropped
   * concurrently is not mistaken for an inferred one.
   */
  private[catalog] def found(topic: String): Option[(String, TopicTable, Option[Definition])] =
    find(topic).flatMap { name =>
      val definition = definitions.all().get(name)
      Option.when(definition.isDefined || topics().contains(name))((name, known(name, definition), definition))
    }

  private def known(topic: String): TopicTable = known(topic, definitions.all().get(topic))

  /** @param topic the name that [[find]] returned */
  private def known(topic: String, definition: Option[Definition]): TopicTable =
    definition.fold(undeclared(topic))(d => table(topic, current(topic, d), d.properties.get(StoredObject.comment)))

  private def undeclared(topic: String): TopicTable = kept(topic).getOrElse(keep(topic, inferred(topic)))

  private def kept(topic: String): Option[TopicTable] =
    KafkaCluster.tables.get(this -> topic).filter(_.isFresh).map(_.value).filter(_.id == idOf(topic))

  private def keep(topic: String, o: TopicObject): TopicTable = {
    val made = table(topic, o)
    KafkaCluster.tables.put(this -> topic, new Kept(made, ttlNanos))
    made
  }

  /**
   * Loads topics without a definition for a listing, with fewer requests than one by one and several at once. Leaves out
   * those whose columns cannot be determined; [[table]] says why.
   */
  private[cluster] def load(topics: Seq[String]): Unit = {
    val declared = definitions.all()
    val missing = topics.filter(t => !declared.contains(t) && kept(t).isEmpty)
    if (missing.size > 1)
      try {
        val policies = admin.configs(missing, KafkaCluster.policy)
        val isSubject = listedSubjects
        Parallel(missing) { topic =>
          try keep(topic, inferred(topic, Map.empty, policies.get(topic), isSubject))
          catch { case NonFatal(e) => KafkaCluster.log.debug(s"$topic is left out", e) }
        }
      } catch { case e: KafkalystException => KafkaCluster.log.debug("The topics are loaded one by one", e) }
  }

  /** A definition's object: with the columns of its statement, or of its schemas as far as these are known. */
  private[cluster] def current(topic: String, definition: Definition): TopicObject =
    definition.said.fold(definition.topic) { said =>
      try {
        val now = undeclared(topic).topic
        if (said.isEmpty) now else ObjectProperties.altered(now, said, settings)
      } catch {
        case e: KafkalystException =>
          KafkaCluster.log.warn(
            s"$topic is read with the columns of its last change, as its schemas are not known now",
            e
          )
          definition.topic
      }
    }

  /**
   * TOPIC_NOT_FOUND with the nearest names, TOPIC_NAME if the name is invalid, or TOPIC_DENIED if the user may not see
   * the topic, which is then not listed either.
   */
  def missing(topic: String): KafkalystException =
    if (!KafkaCluster.canBe(topic)) KafkalystException("TOPIC_NAME", "topic" -> topic)
    else denied(topic).getOrElse(KafkalystException(
      "TOPIC_NOT_FOUND",
      "topic" -> topic,
      "brokers" -> settings(Settings.bootstrapServers),
      "nearest" -> Conditions.nearest(topic, names())
    ))

  private def denied(topic: String): Option[KafkalystException] =
    try {
      admin.find(topic)
      None
    } catch { case e: KafkalystException if e.getCondition == KafkaCluster.denied => Some(e) }

  /** Drops everything cached about a topic. */
  def forget(topic: String): Unit = {
    KafkaCluster.tables.remove(this -> topic)
    listing = None
  }

  /** Like [[forget]], but lists the topics again at once, so that the next statement need not. */
  def refresh(topic: String): Unit = {
    asked()
    find(topic).foreach(found => KafkaCluster.tables.remove(this -> found))
  }

  private def table(topic: String, o: TopicObject, comment: Option[String] = None): TopicTable = {
    val (of, id) = (s"$name.$topic", idOf(o.topic))
    new TopicTable(of, grown(o), () => ofSession, id = id, comment = comment, recheck = () => same(of, o.topic, id))
  }

  private def idOf(topic: String): String = topics().get(topic).fold(null: String)(_.id)

  /** Fails a read that was analyzed for a topic with another id. */
  private def same(table: String, topic: String, id: String): Unit = {
    val now = idOf(topic)
    if (id != null && now != null && now != id)
      throw KafkalystException("TOPIC_RECREATED", "topic" -> topic, "name" -> table, "before" -> id, "now" -> now)
  }

  /** The catalog's settings; for all others, those of the session that reads or writes. */
  private def ofSession: Settings = {
    val conf = SQLConf.get.getAllConfs
    if (!CatalogSettings.isDeclared(conf.get, name)) settings
    else {
      val now = CatalogSettings.inSession(conf, name)
      if (now.get(Settings.bootstrapServers) != settings.get(Settings.bootstrapServers)) {
        val reason = "it has changed since the table was loaded. Load the table again, as a new DataFrame."
        throw CatalogSettings.wrong(name, brokersSetting, reason, None)
      }
      now
    }
  }

  /** An object with the columns that its schema has gained since its definition. */
  def grown(o: TopicObject): TopicObject = Growth.of(o, settings)

  def admin: TopicAdmin = TopicAdmin(settings.clientProperties)

  private def inferred(topic: String, said: Map[String, String] = Map.empty): TopicObject = {
    val policy =
      try admin.config(topic, KafkaCluster.policy)
      // Permission to read a topic does not imply permission to see its configuration.
      catch { case e: KafkalystException if e.getCondition == KafkaCluster.denied => None }
    inferred(topic, said, policy, _ => true)
  }

  /** Whether the registry may have a subject. It may list them with their context, and may cut a long list. */
  private def listedSubjects: String => Boolean = registry.fold((_: String) => false) { registry =>
    val listed = registry.subjects()
    if (listed.size < KafkaCluster.mostSubjects) listed.map(_.replaceFirst("^:[^:]*:", "")).toSet else _ => true
  }

  /** @param isSubject whether the registry may have a subject */
  private def inferred(
      topic: String,
      said: Map[String, String],
      policy: Option[String],
      isSubject: String => Boolean
  ): TopicObject = {
    val (asked, isCompacted) = (registry, policy.exists(_.contains("compact")))
    def found = TopicInference.of(topic, isCompacted, settings, asked, said, isSubject)
    asked.fold(found)(_.once(found))
  }

  private def registry: Option[RegistryAdmin] =
    SessionRegistry.of(settings).map(_ => ObjectDefinition.registry(settings))

  private def asked(): Map[String, ListedTopic] = {
    val found =
      try admin.listed().map(t => t.name -> t).toMap
      catch {
        case e: KafkalystException if listing.isEmpty =>
          throw CatalogSettings.wrong(name, settingIn(e.getMessage), e.getMessage, Some(e))
      }
    listing = Some(new Kept(found, ttlNanos))
    definitions.listed(found.get(definitions.topic).map(_.id))
    found
  }

  /** The client setting that Kafka's message names; for all other faults, the setting with the broker addresses. */
  private def settingIn(message: String): String = {
    val client = settings.kafka.keys.find(key => message.contains(s"for configuration $key:"))
    client.fold(brokersSetting)(key => brokersSetting.stripSuffix("bootstrap.servers") + "kafka." + key)
  }

  private def isHidden(topic: ListedTopic) = topic.isInternal || topic.name.startsWith("_")
}

object KafkaCluster {
  private val clusters = new Recent[(String, Map[String, String], Map[String, String]), KafkaCluster](most = 64)
  // Those without a definition, by cluster and topic: enough for a listing of a large cluster.
  private val tables = new Recent[(KafkaCluster, String), Kept[TopicTable]](most = 10000)
  // By brokers and topic, and by the topic's id.
  private val places = new Recent[String, String](most = 1024)
  private val denied = Conditions("TOPIC_DENIED").name
  private val policy = "cleanup.policy"
  private val mostSubjects = 10000
  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")

  private final class Kept[T](val value: T, ttlNanos: Long) {
    private val since = System.nanoTime()
    def isFresh: Boolean = System.nanoTime() - since < ttlNanos
  }

  /** How long brokers that did not answer are not asked again, in milliseconds. */
  val silenceMs = 30000L

  /** Whether it is a valid Kafka topic name. */
  def canBe(topic: String): Boolean = topic.matches("[a-zA-Z0-9._-]{1,249}") && topic != "." && topic != ".."

  /**
   * The cluster of a catalog, shared by all catalogs with the same options.
   *
   * @param options by the names after the catalog's prefix
   * @param conf    the session's settings; its cluster is used if the options name none
   * @throws io.kafkalyst.errors.KafkalystException CATALOG_SETTING
   */
  def apply(name: String, options: Map[String, String], conf: Map[String, String]): KafkaCluster = {
    Connector.require()
    val inherited = CatalogSettings.inherited(conf, options)
    clusters.getOrMake((name, options, inherited)) {
      val brokers =
        if (inherited.isEmpty) CatalogSettings.nameOf(name, Settings.bootstrapServers)
        else Settings.bootstrapServers.name
      new KafkaCluster(name, checked(name, CatalogSettings.of(name, options, inherited), inherited), brokers)
    }
  }

  /** The settings; throws CATALOG_SETTING for faults in settings that no request needs yet. */
  private def checked(name: String, settings: Settings, inherited: Map[String, String]): Settings = {
    def wrong(setting: Setting, reason: String, cause: Option[Throwable]) = {
      val said = if (inherited.contains(setting.name)) setting.name else CatalogSettings.nameOf(name, setting)
      throw CatalogSettings.wrong(name, said, reason, cause)
    }
    if (!canBe(settings(Settings.catalogTopic)))
      wrong(Settings.catalogTopic, "no topic can have that name", None)
    try settings.get(Settings.registryUrl).foreach(Addresses.of)
    catch { case e: KafkalystException => wrong(Settings.registryUrl, e.getMessage, Some(e)) }
    settings
  }
}
