package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}

/** One `spark.kafkalyst.*` setting. `default` is the text shown for it; None where there is none. */
final case class Setting(
    name: String,
    default: Option[String],
    doc: String,
    allowed: Seq[String] = Nil,
    synonym: Option[String] = None
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
      "that was there has been processed.",
    Seq("continuous", "available-now")
  )
  val checkpointRoot: Setting = Setting(
    prefix + "query.checkpoint.root",
    None,
    "Folder of the continuous queries' checkpoints. Without it: `_kafkalyst` in the warehouse."
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
    "`sink.delivery-guarantee` of the objects that are created without it.",
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

  /** Those of the registry apart, see [[RegistrySettings]]. */
  private val general: Seq[Setting] = Seq(
    bootstrapServers,
    trigger,
    checkpointRoot,
    topicPrefix,
    identifiers,
    defaultKeyFormat,
    defaultValueFormat,
    wrapSingleValues,
    onError,
    deliveryGuarantee
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
        "known" -> known(name).mkString(", ")
      )
    }
    val given = all.flatMap(s => ours.get(s.name).orElse(s.synonym.flatMap(conf.get)).map(s.name -> _)).toMap
    all.filter(_.allowed.nonEmpty).foreach { setting =>
      given.get(setting.name).filterNot(v => setting.allowed.exists(_.equalsIgnoreCase(v))).foreach { value =>
        throw KafkalystException(
          "INVALID_SETTING",
          "setting" -> setting.name,
          "value" -> Redaction.value(setting.name, value),
          "expected" -> setting.allowed.mkString(" or ")
        )
      }
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

  def availableNow: Boolean = apply(trigger).equalsIgnoreCase("available-now")

  def upperIdentifiers: Boolean = apply(identifiers).equalsIgnoreCase("upper")
}
