package io.kafkalyst.model.settings

import java.util.Locale

import io.kafkalyst.model.{ClientProperties, Durations, OnError, SideFormat, TopicObject}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}
import org.apache.spark.sql.internal.SQLConf

/** The settings: the single table for validation, parsing and documentation. */
object Settings {
  import Setting.{clientPrefix, prefix}

  /** The endpoint to which an OAuth login sends the client's secret. */
  private val tokenEndpoint = clientPrefix + "sasl.oauthbearer.token.endpoint.url"

  val bootstrapServers: Setting = Setting(prefix + "bootstrap.servers", None, "Kafka brokers, `host:port,…`.")
  val registryUrl: Setting = RegistrySettings.url
  val trigger: Setting = Setting(
    prefix + "query.trigger",
    Some("continuous"),
    "`continuous`: a continuous query runs until it is terminated; `available-now`: its statement returns when all " +
      "available records are processed; `real-time`, or with the length of its batches `real-time 1 MINUTE`: as " +
      "`continuous`, but each record is processed as it arrives (Spark 4.1 and later).",
    check = text =>
      if (Seq("continuous", "available-now").exists(_.equalsIgnoreCase(text)) || realTime(text).isDefined) None
      else Some(
        "continuous, available-now, real-time, or real-time with the length of its batches, such as real-time 1 MINUTE"
      ),
    trust = Trust.Session
  )
  val checkpointRoot: Setting = Setting(
    prefix + "query.checkpoint.root",
    None,
    "Folder of the continuous queries' checkpoints. Without it: `_kafkalyst` in the warehouse."
  )
  val topicPrefix: Setting = Setting(
    prefix + "output.topic.prefix",
    Some(""),
    "Prefix of the object's name if CREATE … AS SELECT names no topic.",
    synonym = Some("ksql.output.topic.name.prefix"),
    trust = Trust.Session
  )
  val avroTimestampUnit: Setting = Setting(
    prefix + "avro.timestamp.unit",
    None,
    "What a TIMESTAMP counts in AVRO schemas that are registered for columns: `millis`, as in ksqlDB and Flink, or " +
      "`micros`, as in Spark. Default: `millis` in ksqlDB's dialect, otherwise `micros`.",
    Seq("millis", "micros"),
    trust = Trust.Session
  )
  val onError: Setting = Setting(
    prefix + "on.error",
    Some("fail"),
    "ON_ERROR of objects that are created without it.",
    OnError.all.map(_.name),
    trust = Trust.Session
  )
  val deliveryGuarantee: Setting = Setting(
    prefix + "sink.delivery-guarantee",
    Some("at-least-once"),
    "`sink.delivery-guarantee` of the objects without it, when rows are written. For its `-`, SET needs the name in " +
      "quotes.",
    Seq("exactly-once", "at-least-once"),
    trust = Trust.Session
  )
  val defaultKeyFormat: Setting = Setting(
    prefix + "key.format.default",
    Some("KAFKA"),
    "Key format where a statement names none.",
    synonym = Some("ksql.persistence.default.format.key"),
    trust = Trust.Session
  )
  val defaultValueFormat: Setting = Setting(
    prefix + "value.format.default",
    None,
    "Value format where a statement names none.",
    synonym = Some("ksql.persistence.default.format.value"),
    trust = Trust.Session
  )
  val wrapSingleValues: Setting = Setting(
    prefix + "wrap.single.values",
    None,
    "Whether a single value column is a field of a record where the statement does not say and the format can do both.",
    Seq("true", "false"),
    synonym = Some("ksql.persistence.wrap.single.values"),
    trust = Trust.Session
  )

  val catalogCacheTtl: Setting = Setting(
    prefix + "catalog.cache.ttl",
    Some("30 SECONDS"),
    "How long a cluster's catalog caches topics and schemas, with its unit; REFRESH TABLE clears the cache.",
    check = Setting.span,
    trust = Trust.Session
  )

  val catalogTopic: Setting = Setting(
    prefix + "catalog.topic",
    Some("_kafkalyst"),
    "The topic in which a cluster's catalog stores definitions. It holds only as a catalog's own setting, " +
      "`spark.sql.catalog.<name>.catalog.topic`."
  )

  val asOfLost: Setting = Setting(
    prefix + "as-of.lost",
    Some("fail"),
    "What TIMESTAMP AS OF and VERSION AS OF do if the topic's records of that time are deleted: `fail`, or " +
      "`accept` what is left.",
    Seq("fail", "accept"),
    trust = Trust.Session
  )

  private val realTimeText = """(?i)real-time(\s+.+)?""".r

  /** The length of real-time batches in milliseconds, if given; the outer None for other triggers. */
  private def realTime(text: String): Option[Option[Long]] = text match {
    case realTimeText(null) => Some(None)
    case realTimeText(length) => Durations.millis(length).filter(_ > 0).map(Some(_))
    case _ => None
  }

  /** All settings except the registry's, see [[RegistrySettings]]. */
  private val general: Seq[Setting] = Seq(
    bootstrapServers,
    trigger,
    checkpointRoot,
    QuerySettings.restartAttempts,
    QuerySettings.restartBackoff,
    QuerySettings.restartMaxBackoff,
    QuerySettings.queryLease,
    QuerySettings.resumeAtStart,
    QuerySettings.offsetsGroup,
    ReadSettings.offsetReset,
    topicPrefix,
    LanguageSettings.dialect,
    LanguageSettings.identifiers,
    avroTimestampUnit,
    defaultKeyFormat,
    defaultValueFormat,
    wrapSingleValues,
    onError,
    deliveryGuarantee,
    catalogCacheTtl,
    catalogTopic,
    asOfLost,
    Application.sessionProperties
  )

  val all: Seq[Setting] = general ++ RegistrySettings.all

  /** The settings of this thread's session, with which it analyses a query. Throws as [[of]]. */
  def current: Settings = of(SQLConf.get.getAllConfs)

  /**
   * Reads and validates a session's settings.
   *
   * @param conf        every configuration of the session
   * @param application the application's start configuration, which the session may have overridden
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_SETTING with the nearest name, or INVALID_SETTING. Settings
   * that the session must not set are rejected only when they are used, so that statements that do not need them still
   * work.
   */
  def of(conf: Map[String, String], application: Application = Application.current): Settings = {
    val ours = conf.filter { case (name, _) => name.startsWith(prefix) && !name.startsWith(clientPrefix) }
    ours.keys.toSeq.sorted.find(name => !all.exists(_.name == name)).foreach { name =>
      throw KafkalystException(
        "UNKNOWN_SETTING",
        "setting" -> name,
        "nearest" -> Conditions.nearest(name, all.map(_.name)),
        "known" -> Conditions.listed(known(name))
      )
    }
    val given = all.flatMap(s => ours.get(s.name).orElse(s.synonym.flatMap(conf.get)).map(s.name -> _)).toMap
    def expected(setting: Setting, value: String): Option[String] =
      if (setting.allowed.nonEmpty && !setting.allowed.exists(_.equalsIgnoreCase(value)))
        Some(setting.allowed.mkString(" or "))
      else setting.check(value)
    for (setting <- all; value <- given.get(setting.name); wanted <- expected(setting, value)) {
      throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> setting.name,
        "value" -> Redaction.value(setting.name, value),
        "expected" -> wanted
      )
    }
    val own = application.conf.filter { case (name, _) => name.startsWith(prefix) }
    val isLocked = application.isLocked
    val (free, fixed) = (given ++ conf.filter(_._1.startsWith(clientPrefix))).partition { case (name, value) =>
      Trust.Session.reaches(needed(name, value)) || !(isLocked || name == Application.sessionProperties.name)
    }
    val refused = fixed.filterNot { case (name, value) => own.get(name).contains(value) }.keys.toSeq.sorted
    // Restores protected settings that the session unset.
    val held = own.filter { case (name, value) => isLocked && !Trust.Session.reaches(needed(name, value)) } -- free.keys
    val (client, settings) = (free ++ (fixed -- refused) ++ held).partition(_._1.startsWith(clientPrefix))
    val kafka = client.map { case (name, value) => name.stripPrefix(clientPrefix) -> value }
    new Settings(settings, kafka, own, refused, isLocked, application.prefix)
  }

  /** The lowest trust level that may set the value; the application's for unknown names. */
  private def needed(name: String, value: String): Trust =
    if (name.startsWith(clientPrefix)) ClientProperties.needed(name.stripPrefix(clientPrefix), value)
    else all.find(_.name == name).fold[Trust](Trust.Application)(_.trust)

  /** Candidates for suggestions: registry settings are suggested only for registry-like names. */
  private def known(name: String): Seq[String] = {
    import RegistrySettings.registryPrefix
    if (name.startsWith(registryPrefix)) RegistrySettings.all.map(_.name)
    else general.map(_.name) ++ Seq(registryPrefix + "*", clientPrefix + "*")
  }
}

/**
 * The validated settings of one session.
 *
 * @param own         the application's own Kafkalyst settings, by full names
 * @param refused     full names of settings that the session set without permission
 * @param isLocked    whether sessions and definitions may set only what needs no trust
 * @param shownPrefix replaces `spark.kafkalyst.` in displayed names, for example of a catalog's settings
 */
final class Settings private (
    given: Map[String, String],
    client: Map[String, String],
    own: Map[String, String],
    refused: Seq[String],
    val isLocked: Boolean,
    shownPrefix: String
) extends Serializable {
  import Application.sessionProperties
  import Setting.{clientPrefix, prefix}
  import Settings._

  /** The value or its default; KafkalystException LOCKED_PROPERTY if the session set it without permission. */
  def get(setting: Setting): Option[String] = {
    allow(refused.filter(_ == setting.name))
    given.get(setting.name).filter(_.nonEmpty).orElse(setting.default)
  }

  /** Whether it was set to an empty value, which removes the default of an optional setting. */
  def isEmptied(setting: Setting): Boolean = given.get(setting.name).exists(_.trim.isEmpty)

  /** The value; MISSING_SETTING where it has neither value nor default. */
  def apply(setting: Setting): String =
    get(setting).getOrElse(throw KafkalystException("MISSING_SETTING", "setting" -> setting.name, "doc" -> setting.doc))

  /**
   * Properties for any Kafka client: the brokers and `spark.kafkalyst.kafka.*`. By default, readers do not see records
   * of aborted or open transactions.
   *
   * @throws io.kafkalyst.errors.KafkalystException LOCKED_PROPERTY, LOGIN_OF_OTHER_HOST, MISSING_SETTING
   */
  def clientProperties: Map[String, String] = {
    allow(refused)
    val brokers = apply(bootstrapServers)
    val named = client.map { case (name, value) => clientPrefix + name -> value } + (bootstrapServers.name -> brokers)
    Logins.stay(named, own, Seq(bootstrapServers.name, tokenEndpoint))(name =>
      name != tokenEndpoint && Redaction.isSecret(name)
    )
    Map("isolation.level" -> "read_committed") ++ client + ("bootstrap.servers" -> brokers)
  }

  /**
   * As above for the clients that read and write an object, including the object's own client properties.
   *
   * @throws io.kafkalyst.errors.KafkalystException as [[clientProperties]] and [[allowClients]]
   */
  def clientProperties(o: TopicObject): Map[String, String] = {
    allowClients(o.clients)
    clientProperties ++ (o.clients - "bootstrap.servers")
  }

  /**
   * Rejects client properties that no object definition may set.
   *
   * @param given by Kafka's names
   * @throws io.kafkalyst.errors.KafkalystException SECRET_IN_DEFINITION, LOCKED_PROPERTY
   */
  def allowClients(given: Map[String, String]): Unit = given.toSeq.sorted.foreach { case (name, value) =>
    ClientProperties.noSecret(name)
    val setting = if (name == "bootstrap.servers") bootstrapServers.name else clientPrefix + name
    val isFree = Trust.Definition.reaches(ClientProperties.needed(name, value)) || own.get(setting).contains(value)
    if (isLocked && !isFree)
      throw locked(FlinkProperties.clientPrefix.toLowerCase(Locale.ROOT) + name, "the definition of an object", setting)
  }

  /** LOCKED_STATEMENT if sessions are locked: the statement accesses files of the driver. */
  def requireOpen(statement: String): Unit =
    if (isLocked) throw KafkalystException("LOCKED_STATEMENT", "statement" -> statement)

  /** LOCKED_PROPERTY if sessions are locked: only the application may set the property, by a setting. */
  def requireOpen(property: String, source: String, setting: Setting): Unit =
    if (isLocked) throw locked(property, source, setting.name)

  /** The effective `spark.kafkalyst.kafka.*` settings alone, without the prefix. */
  def kafka: Map[String, String] = client

  /**
   * The effective settings of the schema registry, by their names without its prefix.
   *
   * @throws io.kafkalyst.errors.KafkalystException LOCKED_PROPERTY
   */
  def registry: Map[String, String] = {
    allow(refused)
    ofRegistry(given)
  }

  /** The application's own registry settings. */
  def ownRegistry: Map[String, String] = ofRegistry(own)

  /** Whether a Kafka client property has the application's value. */
  def isOwn(property: String): Boolean =
    client.get(property).exists(value => own.get(clientPrefix + property).contains(value))

  private def ofRegistry(settings: Map[String, String]) = settings.collect {
    case (n, v) if n.startsWith(RegistrySettings.registryPrefix) => n.stripPrefix(RegistrySettings.registryPrefix) -> v
  }

  private def allow(names: Seq[String]): Unit = names.headOption.foreach(n => throw locked(shown(n), "a session", n))

  private def shown(setting: String) =
    if (setting == sessionProperties.name) setting else shownPrefix + setting.stripPrefix(prefix)

  private def locked(property: String, source: String, setting: String) = KafkalystException(
    "LOCKED_PROPERTY",
    "property" -> property,
    "source" -> source,
    "setting" -> shown(setting),
    "lock" -> sessionProperties.name
  )

  override def toString: String = Redaction(given ++ client).mkString("settings ", ", ", "")

  def millis(setting: Setting): Long =
    Durations.millis(apply(setting)).getOrElse(throw new IllegalArgumentException(setting.name))

  def availableNow: Boolean = apply(trigger).equalsIgnoreCase("available-now")

  /**
   * The batch length in milliseconds if continuous queries run in real-time mode, with an inner None for Spark's
   * default.
   */
  def realTime: Option[Option[Long]] = Settings.realTime(apply(trigger))

  /** `MILLIS` or `MICROS`, for [[SideFormat.timestampUnit]]. */
  def timestampUnit: String = get(avroTimestampUnit).map(_.toUpperCase(Locale.ROOT))
    .getOrElse(if (isKsqldb) SideFormat.millis else SideFormat.micros)

  /** Whether ksqlDB's dialect is selected. */
  def isKsqldb: Boolean = LanguageSettings.isKsqldb(get)

  /** Whether unquoted names fold to upper case. */
  def foldsNames: Boolean = LanguageSettings.foldsNames(get)
}
