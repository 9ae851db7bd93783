package io.kafkalyst.registry

import java.io.{IOException, StringReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, InvalidPathException, Paths}
import java.util.Properties

import scala.jdk.CollectionConverters._

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.settings.{Logins, RegistrySettings, Settings}

/** A session's choice of registry: its settings and its properties file. */
object SessionRegistry {
  import RegistryConfig.nameOf
  import RegistrySettings._

  private val inFile = "schema.registry."

  /**
   * The registry of a session; None if no address is set. Reads the properties file, so it runs on the driver.
   *
   * @throws io.kafkalyst.errors.KafkalystException REGISTRY_SETTINGS for an invalid combination, with the missing
   * setting; INVALID_SETTING; UNKNOWN_SETTING for a name in the file; LOCKED_PROPERTY; LOGIN_OF_OTHER_HOST
   */
  def of(settings: Settings): Option[RegistryConfig] = {
    val session = settings.registry
    val path = session.get(nameOf(confFile)).filter(_.nonEmpty)
    val file = path.fold(Map.empty[String, String])(readFile)
    val given = file ++ session
    given.get(nameOf(url)).filter(_.trim.nonEmpty).map { address =>
      val inherits = given.get(nameOf(basicSource)).exists(_.equalsIgnoreCase("SASL_INHERIT"))
      val inherited =
        if (inherits) Map(nameOf(basicUser) -> SaslLogin.userInfo(settings.kafka)) else Map.empty[String, String]
      val all = given ++ inherited
      val own = settings.ownRegistry
      val ownFile = if (own.get(nameOf(confFile)) == path) file else Map.empty[String, String]
      val ownLogin = if (SaslLogin.properties.exists(settings.isOwn)) inherited else Map.empty[String, String]
      val trusted = ownFile ++ own ++ ownLogin
      Logins.stay(all, trusted, Seq(url, issuer).map(nameOf), Seq(proxyHost, proxyPort).map(nameOf))(isLogin)
      val config = RegistryConfig(address, all -- Seq(nameOf(url), nameOf(confFile)))
      RegistryLogins.check(config)
      config
    }
  }

  private val isLogin = Seq(basicUser, bearerToken, clientSecret).map(nameOf).toSet

  /**
   * The registry settings in a properties file. If any name begins with `schema.registry.`, the file is that of a Kafka
   * client: its bare `ssl.*` then belong to the broker, and other entries are ignored.
   */
  private def readFile(path: String): Map[String, String] = {
    val read = new Properties
    try read.load(new StringReader(Files.readString(Paths.get(path.stripPrefix("file:")), UTF_8)))
    catch {
      case e @ (_: IOException | _: InvalidPathException | _: IllegalArgumentException) =>
        throw KafkalystException(
          "REGISTRY_SETTINGS",
          "reason" -> s"the file $path cannot be read (${e.getClass.getSimpleName})",
          "fix" -> s"Set ${confFile.name} to a properties file on the driver, readable by its user."
        )
    }
    val entries = read.asScala.toMap
    val known = all.map(nameOf)
    val (prefixed, bare) = entries.partition(_._1.startsWith(inFile))
    val mine = prefixed.map { case (k, v) => k.stripPrefix(inFile) -> v }
    val (ours, rest) = bare.partition { case (k, _) => known.contains(k) && (mine.isEmpty || !k.startsWith("ssl.")) }
    val unknown = mine.keys.filterNot(known.contains) ++ (if (mine.isEmpty) rest.keys else Nil)
    unknown.toSeq.sorted.headOption.foreach { name =>
      throw KafkalystException(
        "UNKNOWN_SETTING",
        "setting" -> s"$name in $path",
        "nearest" -> Conditions.nearest(name, known),
        "known" -> Conditions.listed(known)
      )
    }
    ours ++ mine
  }
}
