package io.kafkalyst.model.settings

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.SparkEnv

/**
 * The configuration that the application was started with. No statement changes it.
 *
 * @param conf    every entry of its SparkConf
 * @param command how the process was started: main class and arguments
 * @param prefix  replaces `spark.kafkalyst.` in its setting names
 */
final class Application(val conf: Map[String, String], command: String = "", val prefix: String = Setting.prefix) {

  /**
   * The configuration for one cluster catalog, as if its cluster were the only one. The session lock remains the
   * application's.
   *
   * @param catalog     prefix of the catalog's settings
   * @param isOfCluster whether a `spark.kafkalyst.*` setting belongs to the session's own cluster and is to be dropped
   */
  def of(catalog: String, isOfCluster: String => Boolean): Application = {
    val own = conf.collect { case (n, v) if n.startsWith(catalog) => Setting.prefix + n.stripPrefix(catalog) -> v }
    val others = conf.filterNot { case (name, _) => isOfCluster(name) }
    new Application(others ++ (own - Application.sessionProperties.name), command, catalog)
  }

  /**
   * Whether sessions may set only settings that need no trust. Default: locked, unless it is a local application that
   * serves no other users.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_SETTING for a value other than locked or open
   */
  def isLocked: Boolean = conf.get(Application.sessionProperties.name).map(_.trim.toLowerCase(Locale.ROOT)) match {
    case Some(Application.locked) => true
    case Some(Application.open) => false
    case Some(other) =>
      throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> Application.sessionProperties.name,
        "value" -> other,
        "expected" -> Application.sessionProperties.allowed.mkString(" or ")
      )
    case None => isServer || !conf.get("spark.master").forall(_.startsWith("local"))
  }

  /** Whether it is a Connect or Thrift server, or another server that runs the statements of many users. */
  private def isServer: Boolean =
    Application.servers.exists(command.contains) || conf.exists { case (name, value) =>
      name.startsWith("spark.connect.") || name.startsWith("spark.kyuubi.") || name == "spark.local.connect" ||
      (name == "spark.plugins" && value.contains("SparkConnectPlugin"))
    }
}

object Application {
  val locked = "locked"
  val open = "open"

  val sessionProperties: Setting = Setting(
    Setting.prefix + "session.properties",
    None,
    "`locked`: sessions and definitions may not say what is marked *application*, nor properties of Kafka's clients " +
      "but those of a list; `open`: they may. Without it `open` in an application with a local master, and `locked` in " +
      "any other and in a Connect or Thrift server. See [security](../security.md).",
    Seq(locked, open)
  )

  private val servers = Seq("SparkConnectServer", "HiveThriftServer2", "org.apache.kyuubi.")

  /** Without an application there is nothing to protect. */
  val none = new Application(Map.empty)

  /** The application of this JVM: on the driver its own, on an executor the driver's. */
  def current: Application = Option(SparkEnv.get).fold(none) { env =>
    new Application(env.conf.getAll.toMap, System.getProperty("sun.java.command", ""))
  }
}
