package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException}

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
  val prefix = "spark.kafkalyst."
  val clientPrefix: String = prefix + "kafka."

  val bootstrapServers: Setting = Setting(prefix + "bootstrap.servers", None, "Kafka brokers, `host:port,…`.")
  val registryUrl: Setting =
    Setting(prefix + "schema.registry.url", None, "Schema registry, with the path of its Confluent API if it has one.")
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

  val all: Seq[Setting] = Seq(bootstrapServers, registryUrl, trigger, checkpointRoot, topicPrefix, identifiers, onError)

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
        "known" -> (all.map(_.name) :+ (clientPrefix + "*")).mkString(", ")
      )
    }
    val given = all.flatMap(s => ours.get(s.name).orElse(s.synonym.flatMap(conf.get)).map(s.name -> _)).toMap
    all.filter(_.allowed.nonEmpty).foreach { setting =>
      given.get(setting.name).filterNot(v => setting.allowed.exists(_.equalsIgnoreCase(v))).foreach { value =>
        throw KafkalystException(
          "INVALID_SETTING",
          "setting" -> setting.name,
          "value" -> value,
          "expected" -> setting.allowed.mkString(" or ")
        )
      }
    }
    val client = conf.collect { case (n, v) if n.startsWith(clientPrefix) => n.stripPrefix(clientPrefix) -> v }
    new Settings(given, client)
  }
}

/** The settings of one session, checked. */
final class Settings private (given: Map[String, String], client: Map[String, String]) extends Serializable {
  import Settings._

  def get(setting: Setting): Option[String] = given.get(setting.name).filter(_.nonEmpty).orElse(setting.default)

  /** The value; MISSING_SETTING where it has neither value nor default. */
  def apply(setting: Setting): String =
    get(setting).getOrElse(throw KafkalystException("MISSING_SETTING", "setting" -> setting.name, "doc" -> setting.doc))

  /** Properties for any Kafka client: the brokers and whatever `spark.kafkalyst.kafka.*` says. */
  def clientProperties: Map[String, String] = client + ("bootstrap.servers" -> apply(bootstrapServers))

  def availableNow: Boolean = apply(trigger).equalsIgnoreCase("available-now")

  def upperIdentifiers: Boolean = apply(identifiers).equalsIgnoreCase("upper")
}
