package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}

/**
 * One `spark.kafkalyst.*` setting. `default` is the text shown for it; None where there is none. `check` tells what is
 * expected instead of a value; None where the value is right.
 */
final case class Setting(
    name: String,
    default: Option[String],
    doc: String,
    allowed: Seq[String] = Nil,
    synonym: Option[String] = None,
    check: String => Option[String] = _ => None
)

/** The settings: one table from which they are checked, read and documented. */
object Settings {
  // A constant, so that neither table of settings waits for the other.
  final val prefix = "spark.kafkalyst."
  val clientPrefix: String = prefix + "kafka."

  val bootstrapServers: Setting = Setting(prefix + "bootstrap.servers", None, "Kafka brokers, `host:port,…`.")
  val registryUrl: Setting = RegistrySettings.url
  val trigger: Setting = Setting(
    prefix + "query.trigger",
    Some("continuous"),
    "`continuous`: a continuous query runs on until terminated; `available-now`: its statement returns when all " +
      "that was there has been processed; `real-time`, or with the length of its batches `real-time 1 MINUTE`: as " +
      "`continuous`, but each record at once (Spark 4.1 and later).",
    check = text =>
      if (Seq("continuous", "available-now").exists(_.equalsIgnoreCase(text)) || realTime(text).isDefined) None
      else Some(
        "continuous, available-now, real-time, or real-time with the length of its batches, as real-time 1 MINUTE,"
      )
  )
  val checkpointRoot: Setting = Setting(
    prefix + "query.checkpoint.root",
    None,
    "Folder of the continuous queries' checkpoints. Without it: `_kafkalyst` in the warehouse."
  )
  val restartAttempts: Setting = Setting(
    prefix + "query.restart.attempts",
    Some("10"),
    "How often in a row a failed continuous query is started again before it stays FAILED; 0: never. A batch that is " +
      "done begins the count anew.",
    check = text => if (text.toIntOption.exists(_ >= 0)) None else Some("a whole number from 0")
  )
  val restartBackoff: Setting = Setting(
    prefix + "query.restart.backoff",
    Some("1 SECOND"),
    "The wait before the first of these starts, with its unit (MILLISECONDS to DAYS); doubled for each further one.",
    check = span
  )
  val restartMaxBackoff: Setting = Setting(
    prefix + "query.restart.backoff.max",
    Some("5 MINUTES"),
    "The longest of these waits, with its unit.",
    check = span
  )
  val resumeAtStart: Setting = Setting(
    prefix + "query.resume.at-start",
    Some("false"),
    "Whether the continuous queries that ran when their application ended run on when the first session of another " +
      "begins, as RESUME ALL does.",
    Seq("true", "false")
  )
  val topicPrefix: Setting = Setting(
    prefix + "output.topic.prefix",
    Some(""),
    "Put before the object's name where CREATE … AS SELECT names no topic.",
    synonym = Some("ksql.output.topic.name.prefix")
  )
  val identifiers: Setting = Setting(
    prefix + "identifiers",
    Some("preserve"),
    "`preserve`: names keep their case; `upper`: unquoted names fold to upper case, as in ksqlDB.",
    Seq("preserve", "upper")
  )
  val onError: Setting = Setting(
    prefix + "on.error",
    Some("fail"),
    "ON_ERROR of the objects that are created without it.",
    OnError.all.map(_.name)
  )

  val deliveryGuarantee: Setting = Setting(
    prefix + "sink.delivery-guarantee",
    Some("at-least-once"),
    "`sink.delivery-guarantee` of the objects without it, when rows are written. For its `-`, SET needs the name in " +
      "quotes.",
    Seq("exactly-once", "at-least-once")
  )
  val defaultKeyFormat: Setting = Setting(
    prefix + "key.format.default",
    Some("KAFKA"),
    "Key format where a statement names none.",
    synonym = Some("ksql.persistence.default.format.key")
  )
  val defaultValueFormat: Setting = Setting(
    prefix + "value.format.default",
    None,
    "Value format where a statement names none.",
    synonym = Some("ksql.persistence.default.format.value")
  )
  val wrapSingleValues: Setting = Setting(
    prefix + "wrap.single.values",
    None,
    "Whether a single value column is a field of a record where the statement does not say and the format can do both.",
    Seq("true", "false"),
    synonym = Some("ksql.persistence.wrap.single.values")
  )

  val catalogCacheTtl: Setting = Setting(
    prefix + "catalog.cache.ttl",
    Some("30 SECONDS"),
    "How long a catalog of a cluster goes by what it knows of topics and schemas, with its unit; REFRESH TABLE asks anew.",
    check = span
  )

  val asOfLost: Setting = Setting(
    prefix + "as-of.lost",
    Some("fail"),
    "What TIMESTAMP AS OF and VERSION AS OF do where the topic's records of then are deleted: `fail`, or `accept` " +
      "what is left.",
    Seq("fail", "accept")
  )

  private val realTimeText = """(?i)real-time(\s+.+)?""".r

  /** The length of real-time batches in milliseconds, where it is given; None where another trigger is. */
  private def realTime(text: String): Option[Option[Long]] = text match {
    case realTimeText(null) => Some(None)
    case realTimeText(length) => Durations.millis(length).filter(_ > 0).map(Some(_))
    case _ => None
  }

  private def span(text: String): Option[String] =
    if (Durations.millis(text).exists(_ > 0)) None else Some("a number above 0 with its unit, as 30 SECONDS")

  /** Those of the registry apart, see [[RegistrySettings]]. */
  private val general: Seq[Setting] = Seq(
    bootstrapServers,
    trigger,
    checkpointRoot,
    restartAttempts,
    restartBackoff,
    restartMaxBackoff,
    resumeAtStart,
    topicPrefix,
    identifiers,
    defaultKeyFormat,
    defaultValueFormat,
    wrapSingleValues,
    onError,
    deliveryGuarantee,
    catalogCacheTtl,
    asOfLost
  )

  val all: Seq[Setting] = general ++ RegistrySettings.all

  /**
   * Reads and checks a session's settings.
   *
   * @param conf every configuration of the session
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_SETTING with the nearest name, or INVALID_SETTING
   */
  def of(conf: Map[String, String]): Settings = {
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
    val client = conf.collect { case (n, v) if n.startsWith(clientPrefix) => n.stripPrefix(clientPrefix) -> v }
    new Settings(given, client)
  }

  /** What could have been meant: the registry's settings are too many to be told to everybody. */
  private def known(name: String): Seq[String] = {
    import RegistrySettings.registryPrefix
    if (name.startsWith(registryPrefix)) RegistrySettings.all.map(_.name)
    else general.map(_.name) ++ Seq(registryPrefix + "*", clientPrefix + "*")
  }
}

/** The settings of one session, checked. */
final class Settings private (given: Map[String, String], client: Map[String, String]) extends Serializable {
  import Settings._

  def get(setting: Setting): Option[String] = given.get(setting.name).filter(_.nonEmpty).orElse(setting.default)

  /** Whether it was set to nothing at all, which takes a default away where there being none means something. */
  def isEmptied(setting: Setting): Boolean = given.get(setting.name).exists(_.trim.isEmpty)

  /** The value; MISSING_SETTING where it has neither value nor default. */
  def apply(setting: Setting): String =
    get(setting).getOrElse(throw KafkalystException("MISSING_SETTING", "setting" -> setting.name, "doc" -> setting.doc))

  /**
   * Properties for any Kafka client: the brokers and whatever `spark.kafkalyst.kafka.*` says. Where that says nothing
   * else, readers see no records of transactions that were aborted or are still open.
   */
  def clientProperties: Map[String, String] =
    Map("isolation.level" -> "read_committed") ++ client + ("bootstrap.servers" -> apply(bootstrapServers))

  /** What is set of `spark.kafkalyst.kafka.*` alone, without the prefix. */
  def kafka: Map[String, String] = client

  /** What is set of the schema registry, by the names that follow its prefix. */
  def registry: Map[String, String] = given.collect {
    case (n, v) if n.startsWith(RegistrySettings.registryPrefix) => n.stripPrefix(RegistrySettings.registryPrefix) -> v
  }

  override def toString: String = Redaction(given ++ client).mkString("settings ", ", ", "")

  /** Milliseconds. */
  def millis(setting: Setting): Long =
    Durations.millis(apply(setting)).getOrElse(throw new IllegalArgumentException(setting.name))

  def availableNow: Boolean = apply(trigger).equalsIgnoreCase("available-now")

  /** Whether continuous queries run in real time, and for how many milliseconds a batch; None for Spark's default. */
  def realTime: Option[Option[Long]] = Settings.realTime(apply(trigger))

  def upperIdentifiers: Boolean = apply(identifiers).equalsIgnoreCase("upper")
}
