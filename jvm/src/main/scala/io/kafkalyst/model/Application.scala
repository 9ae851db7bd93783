package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.SparkEnv

/** How far what was said is trusted: a session's SET least, the configuration that the application started with most. */
sealed abstract class Trust(private val rank: Int) extends Serializable {
  def reaches(needed: Trust): Boolean = rank >= needed.rank
}

object Trust {

  /** SET, and options of one query. */
  case object Session extends Trust(0)

  /** WITH, TBLPROPERTIES, options of readers and writers, and entries of a catalog. */
  case object Definition extends Trust(1)

  /** `--conf`, spark-defaults.conf, and the configuration of the first session's builder. */
  case object Application extends Trust(2)
}

/**
 * The configuration that the application was started with. No statement changes it.
 *
 * @param conf    every entry of its SparkConf
 * @param command what the process was started as: main class and arguments
 * @param prefix  before the names that stand for `spark.kafkalyst.*` in it
 */
final class Application(val conf: Map[String, String], command: String = "", val prefix: String = Settings.prefix) {

  /**
   * What it says of one cluster that is a catalog, as if it were the only one. The lock stays the application's.
   *
   * @param catalog     what the names of the catalog's settings begin with
   * @param isOfCluster whether a name of `spark.kafkalyst.*` is of another cluster's then
   */
  def of(catalog: String, isOfCluster: String => Boolean): Application = {
    val own = conf.collect { case (n, v) if n.startsWith(catalog) => Settings.prefix + n.stripPrefix(catalog) -> v }
    val others = conf.filterNot { case (name, _) => isOfCluster(name) }
    new Application(others ++ (own - Settings.sessionProperties.name), command, catalog)
  }

  /**
   * Whether sessions may set only what needs no trust. Where the application does not say: yes, unless it is a local
   * one that serves nobody else.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_SETTING for another value than locked or open
   */
  def isLocked: Boolean = conf.get(Settings.sessionProperties.name).map(_.trim.toLowerCase(Locale.ROOT)) match {
    case Some(Application.locked) => true
    case Some(Application.open) => false
    case Some(other) =>
      throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> Settings.sessionProperties.name,
        "value" -> other,
        "expected" -> Settings.sessionProperties.allowed.mkString(" or ")
      )
    case None => isServer || !conf.get("spark.master").forall(_.startsWith("local"))
  }

  /** A Connect or Thrift server, or another that runs the statements of many. */
  private def isServer: Boolean =
    Application.servers.exists(command.contains) || conf.exists { case (name, value) =>
      name.startsWith("spark.connect.") || name.startsWith("spark.kyuubi.") || name == "spark.local.connect" ||
      (name == "spark.plugins" && value.contains("SparkConnectPlugin"))
    }
}

object Application {
  val locked = "locked"
  val open = "open"

  private val servers = Seq("SparkConnectServer", "HiveThriftServer2", "org.apache.kyuubi.")

  /** Without an application there is nobody to keep anything from. */
  val none = new Application(Map.empty)

  /** The one of this JVM: on the driver, and on an executor as the driver told it. */
  def current: Application = Option(SparkEnv.get).fold(none) { env =>
    new Application(env.conf.getAll.toMap, System.getProperty("sun.java.command", ""))
  }
}
