package io.kafkalyst.registry

import java.net.http.HttpClient
import java.util.Locale

import scala.util.control.NonFatal

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.{RegistrySettings, Setting}
import org.apache.kafka.common.config.SaslConfigs
import org.apache.kafka.common.config.types.Password
import org.apache.kafka.common.security.JaasContext

import scala.jdk.CollectionConverters._

/** Chooses the login from the settings. */
private[registry] object RegistryLogins {
  import RegistrySettings._

  private val nobody = new RegistryLogin {
    override def kind: String = "no login"
    override def settings: Seq[Setting] = Seq(basicUser, bearerToken, issuer, keyStore)
    override def headers(userInfo: Option[String], until: Long): Seq[(String, String)] = Nil
  }

  private final class Basic(source: String, own: Option[String]) extends RegistryLogin {
    override def kind: String = s"a basic login ($source)"
    override def settings: Seq[Setting] = source match {
      case "URL" => Seq(url)
      case "SASL_INHERIT" => Seq(basicSource)
      case _ => Seq(basicUser)
    }
    override def headers(userInfo: Option[String], until: Long): Seq[(String, String)] =
      own.orElse(userInfo).map(RegistryLogin.authorization).toSeq
  }

  private final class Token(token: String, more: Seq[(String, String)]) extends RegistryLogin {
    override def kind: String = "a bearer token (STATIC_TOKEN)"
    override def settings: Seq[Setting] = Seq(bearerToken)
    override def headers(userInfo: Option[String], until: Long): Seq[(String, String)] =
      ("Authorization" -> s"Bearer $token") +: more
  }

  /** The login that the settings configure. */
  def of(config: RegistryConfig, http: HttpClient): RegistryLogin = chosen(config) match {
    case None => nobody
    case Some("STATIC_TOKEN") => new Token(config.given(bearerToken).get.trim, cloud(config))
    case Some("OAUTHBEARER") => new OAuthLogin(config, http, cloud(config))
    case Some("URL") => new Basic("URL", None)
    case Some(source) => new Basic(source, config.given(basicUser))
  }

  /** Rejects invalid settings before any request. */
  def check(config: RegistryConfig): Unit = {
    chosen(config).foreach {
      case "STATIC_TOKEN" => require(config, bearerToken, "a fixed bearer token")
      case "OAUTHBEARER" =>
        Seq(issuer, clientId, clientSecret).foreach(require(config, _, "a login by OAuth client credentials"))
      case "URL" =>
        if (!Addresses.of(config.url).forall(_.userInfo.isDefined)) {
          throw KafkalystException(
            "REGISTRY_SETTINGS",
            "reason" -> s"${basicSource.name} is URL, but not every address in ${url.name} has a user",
            "fix" -> "Write https://user:password@host, or set another source."
          )
        }
      case source =>
        require(config, basicUser, s"a basic login ($source)")
        if (!config.given(basicUser).exists(_.contains(':'))) {
          throw KafkalystException(
            "REGISTRY_SETTINGS",
            "reason" -> s"${basicUser.name} holds no colon",
            "fix" -> "It is user:password."
          )
        }
    }
    Seq(connectTimeout, readTimeout, timeout, maxRetries, retryWait, retryMaxWait, missingTtl, expiryBuffer, proxyPort)
      .foreach(config.number)
    if (config.given(proxyHost).isDefined || config.given(proxyPort).isDefined) {
      require(config, proxyHost, "a proxy")
      require(config, proxyPort, "a proxy")
    }
    RegistryTls.check(config)
  }

  /** The source of the login, given explicitly or derived from the settings; None without a login. */
  private def chosen(config: RegistryConfig): Option[String] = {
    def named(setting: Setting): Option[String] = config.given(setting).map(_.toUpperCase(Locale.ROOT))
    def told(setting: Setting, source: String): Option[String] = config.given(setting).map(_ => source)
    val basic = named(basicSource).orElse(told(basicUser, "USER_INFO")).orElse {
      if (Addresses.of(config.url).exists(_.userInfo.isDefined)) Some("URL") else None
    }
    val bearer = named(bearerSource).orElse(told(bearerToken, "STATIC_TOKEN")).orElse(told(issuer, "OAUTHBEARER"))
    (basic, bearer) match {
      case (Some(one), Some(other)) =>
        throw KafkalystException(
          "REGISTRY_SETTINGS",
          "reason" -> s"they ask for two logins, a basic one ($one) and a bearer token ($other)",
          "fix" -> s"Leave out ${basicSource.name} and ${basicUser.name}, or what is set of bearer.auth.*."
        )
      case _ => Seq(basicSource -> basic, bearerSource -> bearer).collectFirst {
          case (setting, Some(source)) if setting.allowed.contains(source) => source
          case (setting, Some(source)) =>
            throw KafkalystException(
              "INVALID_SETTING",
              "setting" -> setting.name,
              "value" -> source,
              "expected" -> setting.allowed.mkString(" or ")
            )
        }
    }
  }

  private def require(config: RegistryConfig, setting: Setting, login: String): Unit =
    if (config.given(setting).isEmpty) {
      throw KafkalystException(
        "REGISTRY_SETTINGS",
        "reason" -> s"$login needs ${setting.name}, which is not set",
        "fix" -> s"Set it. ${setting.doc}"
      )
    }

  private def cloud(config: RegistryConfig): Seq[(String, String)] =
    Seq("target-sr-cluster" -> logicalCluster, "Confluent-Identity-Pool-Id" -> identityPool).flatMap {
      case (header, setting) => config.given(setting).map(header -> _)
    }
}

/** The user and password of Kafka's own SASL login, for `SASL_INHERIT`. */
private[registry] object SaslLogin {
  private val user = Seq("sasl.username", "sasl.password")

  /** The Kafka client properties that may contain it. */
  val properties: Seq[String] = SaslConfigs.SASL_JAAS_CONFIG +: user

  /** `user:password` from `sasl.jaas.config`, else from librdkafka's properties. */
  def userInfo(kafka: Map[String, String]): String = {
    val pair = kafka.get(SaslConfigs.SASL_JAAS_CONFIG).flatMap(fromJaas).orElse {
      if (user.forall(kafka.contains)) Some(kafka(user(0)) -> kafka(user(1))) else None
    }
    val (name, password) = pair.getOrElse {
      throw KafkalystException(
        "REGISTRY_SETTINGS",
        "reason" -> s"the source SASL_INHERIT takes the login of Kafka, but that has no user and password",
        "fix" -> (s"Set spark.kafkalyst.kafka.${SaslConfigs.SASL_JAAS_CONFIG} to a login module with username and " +
          "password, or another source.")
      )
    }
    s"$name:$password"
  }

  private def fromJaas(text: String): Option[(String, String)] = {
    val config = Map(SaslConfigs.SASL_JAAS_CONFIG -> new Password(text)).asJava
    // Kafka's own parser; its message for an invalid text may quote the text.
    val entries =
      try JaasContext.loadClientContext(config).configurationEntries.asScala.toSeq
      catch { case NonFatal(_) => Nil }
    entries.map(_.getOptions.asScala).collectFirst {
      case options if options.contains("username") && options.contains("password") =>
        options("username").toString -> options("password").toString
    }
  }
}
