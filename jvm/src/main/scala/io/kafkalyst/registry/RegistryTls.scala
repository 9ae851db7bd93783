package io.kafkalyst.registry

import java.net.Socket
import java.nio.file.{Files, Paths}
import java.security.KeyStore
import java.security.cert.X509Certificate
import java.util.Locale
import javax.net.ssl._

import scala.util.control.NonFatal

import io.kafkalyst.errors.{Causes, KafkalystException, Redaction}
import io.kafkalyst.model.settings.{RegistrySettings, Setting}
import org.apache.kafka.common.config.SslConfigs
import org.apache.kafka.common.config.types.Password
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory

import scala.jdk.CollectionConverters._

/**
 * TLS to the registry: trusted authorities and the client's own certificate (mTLS). Kafka's own code reads the stores,
 * so that they work as for a Kafka client: JKS, PKCS12 and PEM, files and PEM text.
 */
private[registry] object RegistryTls {
  import RegistrySettings._

  private val files = Seq(trustStore, keyStore, caFile, certificateFile, keyFile)

  /** Rejects invalid combinations; does not open the files. */
  def check(config: RegistryConfig): Unit = {
    exclusive(config, caFile, trustStore, trustedCertificates)
    exclusive(config, certificateFile, keyStore, keyStoreChain)
    needs(config, keyFile, certificateFile)
    needs(config, keyStoreKey, keyStoreChain)
    needs(config, keyStoreChain, keyStoreKey)
    needs(config, keyStorePassword, keyStore)
    needs(config, trustStorePassword, trustStore)
    config.given(hostNames).filterNot(_.equalsIgnoreCase("https")).foreach { value =>
      throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> hostNames.name,
        "value" -> value,
        "expected" -> "https or nothing"
      )
    }
  }

  /** The SSL context of the settings; None if the JVM's default suffices. */
  def context(config: RegistryConfig): Option[SSLContext] = {
    val anyHost = config.properties.get(RegistryConfig.nameOf(hostNames)).exists(_.isEmpty)
    if (!anyHost && !(storeSettings ++ Seq(caFile, certificateFile)).exists(config.given(_).isDefined)) None
    else {
      try {
        files.flatMap(config.given(_)).find(path => !Files.isReadable(Paths.get(path))).foreach { path =>
          throw new java.io.FileNotFoundException(s"$path cannot be read")
        }
        Some(made(config, anyHost))
      } catch {
        case e: KafkalystException => throw e
        case NonFatal(e) =>
          val reason = Causes.of(e).map(_.getMessage).filter(_ != null).toSeq.distinct.mkString(": ")
          throw KafkalystException.caused(
            Redaction.cause(e, config.properties),
            "REGISTRY_TLS",
            "reason" -> Redaction.message(reason, config.properties),
            "settings" -> (storeSettings ++ Seq(caFile, certificateFile, keyFile)).filter(config.given(_).isDefined)
              .map(_.name).mkString(", ")
          )
      }
    }
  }

  private def made(config: RegistryConfig, anyHost: Boolean): SSLContext = {
    val stores = new DefaultSslEngineFactory
    stores.configure(kafkaConfig(config).asJava)
    val password = config.given(keyPassword).orElse(config.given(keyStorePassword)).map(_.toCharArray).orNull
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    if (stores.keystore() != null) keys.init(stores.keystore(), password)
    val context = SSLContext.getInstance("TLS")
    val own = if (stores.keystore() == null) null else keys.getKeyManagers
    context.init(own, Array(trustManager(stores.truststore(), anyHost)), null)
    context
  }

  private def trustManager(store: KeyStore, anyHost: Boolean): TrustManager = {
    val factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    factory.init(store)
    val checks = factory.getTrustManagers.collectFirst { case m: X509ExtendedTrustManager => m }.get
    if (anyHost) new AnyHost(checks) else checks
  }

  /** The settings in the form of Kafka's client configuration; passwords in Kafka's redacted type. */
  private def kafkaConfig(config: RegistryConfig): Map[String, Object] = {
    val stores = storeSettings.flatMap { setting =>
      val name = RegistryConfig.nameOf(setting)
      config.get(setting).map {
        case v if pemOrPassword(setting) => name -> new Password(v)
        case v if setting.allowed.nonEmpty => name -> v.toUpperCase(Locale.ROOT)
        case v => name -> v
      }
    }.toMap[String, Object]
    val pem = SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG -> "PEM"
    val trust = config.given(caFile).fold(Map.empty[String, Object]) { path =>
      Map(pem, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG -> path)
    }
    val trustText = config.given(trustedCertificates).fold(Map.empty[String, Object])(_ => Map(pem))
    val keyText = config.given(keyStoreKey).fold(Map.empty[String, Object]) { _ =>
      Map(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG -> "PEM")
    }
    val key = config.given(certificateFile).fold(Map.empty[String, Object]) { path =>
      Map(
        SslConfigs.SSL_KEYSTORE_TYPE_CONFIG -> "PEM",
        SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG -> text(path),
        SslConfigs.SSL_KEYSTORE_KEY_CONFIG -> text(config.given(keyFile).getOrElse(path))
      )
    }
    Map[String, Object](SslConfigs.SSL_PROTOCOL_CONFIG -> "TLS") ++ stores ++ trust ++ trustText ++ key ++ keyText
  }

  private def pemOrPassword(setting: Setting): Boolean =
    Seq(trustStorePassword, trustedCertificates, keyStorePassword, keyStoreKey, keyStoreChain, keyPassword)
      .contains(setting)

  private def text(path: String): Password = new Password(Files.readString(Paths.get(path)))

  private def exclusive(config: RegistryConfig, settings: Setting*): Unit = {
    val given = settings.filter(config.given(_).isDefined)
    if (given.size > 1) {
      throw KafkalystException(
        "REGISTRY_SETTINGS",
        "reason" -> s"${given.map(_.name).mkString(" and ")} say the same thing",
        "fix" -> "Keep one of them."
      )
    }
  }

  private def needs(config: RegistryConfig, given: Setting, wanted: Setting): Unit =
    if (config.given(given).isDefined && config.given(wanted).isEmpty) {
      throw KafkalystException(
        "REGISTRY_SETTINGS",
        "reason" -> s"${given.name} needs ${wanted.name}, which is not set",
        "fix" -> s"Set it. ${wanted.doc}"
      )
    }

  /** Checks the certificate but not the host name, which JSSE checks only if it is given the connection. */
  private final class AnyHost(checks: X509ExtendedTrustManager) extends X509ExtendedTrustManager {
    override def checkServerTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit =
      checks.checkServerTrusted(chain, kind)
    override def checkServerTrusted(chain: Array[X509Certificate], kind: String, socket: Socket): Unit =
      checks.checkServerTrusted(chain, kind)
    override def checkServerTrusted(chain: Array[X509Certificate], kind: String): Unit =
      checks.checkServerTrusted(chain, kind)
    override def checkClientTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit =
      checks.checkClientTrusted(chain, kind)
    override def checkClientTrusted(chain: Array[X509Certificate], kind: String, socket: Socket): Unit =
      checks.checkClientTrusted(chain, kind)
    override def checkClientTrusted(chain: Array[X509Certificate], kind: String): Unit =
      checks.checkClientTrusted(chain, kind)
    override def getAcceptedIssuers: Array[X509Certificate] = checks.getAcceptedIssuers
  }
}
