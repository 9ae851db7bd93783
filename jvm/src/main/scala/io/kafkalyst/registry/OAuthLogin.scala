package io.kafkalyst.registry

import java.net.{URI, URLEncoder}
import java.net.http.{HttpClient, HttpRequest}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.concurrent.{ExecutionException, TimeUnit}

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model.settings.{RegistrySettings, Setting}

/**
 * A token from OAuth's client credentials grant (RFC 6749, section 4.4), cached until shortly before it expires and
 * renewed once if the registry rejects it. A token without an expiry is cached until then.
 *
 * Errors: KafkalystException REGISTRY_TOKEN if the OAuth server issues none.
 */
private[registry] final class OAuthLogin(config: RegistryConfig, http: HttpClient, more: Seq[(String, String)])
    extends RegistryLogin {
  import RegistrySettings._

  private val endpoint = config.given(issuer).get
  private val id = config.given(clientId).get
  private val secret = config.given(clientSecret).get
  private val limitMs = config.number(timeout).get.toLong
  private val bufferSeconds = config.number(expiryBuffer).get.toLong

  private var token: Option[OAuthLogin.Token] = None

  override def kind: String = s"a bearer token of ${Redaction.address(endpoint)} (OAUTHBEARER)"
  override def settings: Seq[Setting] = Seq(issuer, clientId, clientSecret, scope, logicalCluster, identityPool)

  override def headers(userInfo: Option[String]): Seq[(String, String)] =
    ("Authorization" -> s"Bearer $current") +: more

  override def renew(): Boolean = synchronized {
    token = None
    true
  }

  private def current: String = synchronized {
    if (token.forall(_.renewAt - System.nanoTime() <= 0)) token = Some(fetch())
    token.get.value
  }

  private def fetch(): OAuthLogin.Token = {
    val fields = Seq("grant_type" -> "client_credentials") ++ config.given(scope).map("scope" -> _)
    val form = fields.map { case (k, v) => s"$k=${URLEncoder.encode(v, UTF_8)}" }.mkString("&")
    val (header, value) = RegistryLogin.authorization(s"$id:$secret")
    val answer =
      try {
        val request = HttpRequest
          .newBuilder(URI.create(endpoint))
          .timeout(Duration.ofMillis(limitMs))
          .header("Content-Type", "application/x-www-form-urlencoded")
          .header("Accept", "application/json")
          .header(header, value)
          .POST(HttpRequest.BodyPublishers.ofString(form))
          .build()
        val sent = http.sendAsync(request, _ => new BoundedBody)
        try sent.get(limitMs, TimeUnit.MILLISECONDS)
        finally sent.cancel(true)
      } catch {
        case e: InterruptedException => throw e
        case e: ExecutionException => throw refused(String.valueOf(e.getCause.getMessage))
        case NonFatal(e) => throw refused(s"${e.getClass.getSimpleName}: ${e.getMessage}")
      }
    val body =
      try Option(OAuthLogin.json.readTree(answer.body)).filter(_.isObject)
      catch { case NonFatal(_) => None }
    val given = body.map(_.path("access_token")).filter(n => n.isTextual && !n.asText.isEmpty).map(_.asText)
    if (answer.statusCode / 100 != 2 || given.isEmpty) {
      // Only the error fields of RFC 6749: anything else could be a token.
      val said = body.toSeq.flatMap(b => Seq(b.path("error"), b.path("error_description"))).filter(_.isTextual)
      throw refused((answer.statusCode.toString +: said.map(_.asText)).mkString(" "))
    }
    val life = body.map(_.path("expires_in")).filter(_.canConvertToLong).map(_.asLong)
    val seconds = life.fold(OAuthLogin.longSeconds)(s => s - math.min(bufferSeconds, s / 5))
    new OAuthLogin.Token(
      given.get,
      System.nanoTime() + TimeUnit.SECONDS.toNanos(math.min(seconds, OAuthLogin.longSeconds))
    )
  }

  private def refused(answer: String): KafkalystException = KafkalystException(
    "REGISTRY_TOKEN",
    "endpoint" -> Redaction.address(endpoint),
    "client" -> id,
    "answer" -> Redaction.message(answer, config.properties),
    "settings" -> settings.take(4).map(_.name).mkString(", ")
  )
}

private object OAuthLogin {

  /** @param renewAt time of System.nanoTime */
  private final class Token(val value: String, val renewAt: Long)

  private val json = new ObjectMapper
  private val longSeconds = TimeUnit.DAYS.toSeconds(365)
}
