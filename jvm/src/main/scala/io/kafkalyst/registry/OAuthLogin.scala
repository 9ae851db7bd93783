package io.kafkalyst.registry

import java.io.IOException
import java.net.{URI, URLEncoder}
import java.net.http.{HttpClient, HttpRequest}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.concurrent.{ExecutionException, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.ReentrantLock

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model.settings.{RegistrySettings, Setting}

/**
 * A token from OAuth's client credentials grant (RFC 6749, section 4.4), cached until shortly before it expires and
 * renewed once if the registry rejects it. A token without an expiry is cached until then. One thread fetches a token;
 * the others wait for it as long as their requests may take, and share a failure.
 *
 * Errors: KafkalystException REGISTRY_TOKEN if the OAuth server issues none; [[NoTokenNow]] if a retry may succeed.
 */
private[registry] final class OAuthLogin(config: RegistryConfig, http: HttpClient, more: Seq[(String, String)])
    extends RegistryLogin {
  import RegistrySettings._

  private val endpoint = config.given(issuer).get
  private val id = config.given(clientId).get
  private val secret = config.given(clientSecret).get
  private val limitMs = config.number(timeout).get.toLong
  private val bufferSeconds = config.number(expiryBuffer).get.toLong

  private val lock = new ReentrantLock
  private val token = new AtomicReference(Option.empty[OAuthLogin.Token])
  private var failure: Option[OAuthLogin.Failure] = None

  override def kind: String = s"a bearer token of ${Redaction.address(endpoint)} (OAUTHBEARER)"
  override def settings: Seq[Setting] = Seq(issuer, clientId, clientSecret, scope, logicalCluster, identityPool)

  override def headers(userInfo: Option[String], until: Long): Seq[(String, String)] =
    ("Authorization" -> s"Bearer ${valid.getOrElse(shared(until))}") +: more

  /** Another thread may have fetched a token meanwhile, which is kept. */
  override def renew(sentAt: Long): Boolean = {
    val used = token.get
    if (used.exists(_.fetchedAt - sentAt <= 0)) token.compareAndSet(used, None)
    true
  }

  private def valid: Option[String] = token.get.filter(_.renewAt - System.nanoTime() > 0).map(_.value)

  private def shared(until: Long): String = {
    val began = System.nanoTime()
    if (!lock.tryLock(math.max(0, until - began), TimeUnit.NANOSECONDS))
      throw new NoTokenNow(refused("no answer in time"))
    try valid.getOrElse {
        // It failed while this thread waited.
        failure.filter(_.at - began >= 0).foreach(f => throw f.cause)
        val fetched = remembered(fetch(until))
        token.set(Some(fetched))
        fetched.value
      }
    finally lock.unlock()
  }

  private def remembered[T](action: => T): T =
    try action
    catch {
      case e @ (_: NoTokenNow | _: KafkalystException) =>
        failure = Some(new OAuthLogin.Failure(e.asInstanceOf[Exception], System.nanoTime()))
        throw e
    }

  private def fetch(until: Long): OAuthLogin.Token = {
    val leftMs = math.max(1, math.min(limitMs, (until - System.nanoTime()) / 1000000L))
    val fields = Seq("grant_type" -> "client_credentials") ++ config.given(scope).map("scope" -> _)
    val form = fields.map { case (k, v) => s"$k=${URLEncoder.encode(v, UTF_8)}" }.mkString("&")
    val (header, value) = RegistryLogin.authorization(s"$id:$secret")
    val answer =
      try {
        val request = HttpRequest
          .newBuilder(URI.create(endpoint))
          .timeout(Duration.ofMillis(leftMs))
          .header("Content-Type", "application/x-www-form-urlencoded")
          .header("Accept", "application/json")
          .header(header, value)
          .POST(HttpRequest.BodyPublishers.ofString(form))
          .build()
        val sent = http.sendAsync(request, _ => new BoundedBody)
        try sent.get(leftMs, TimeUnit.MILLISECONDS)
        finally sent.cancel(true)
      } catch {
        case e: InterruptedException => throw e
        case e: ExecutionException => throw new NoTokenNow(refused(String.valueOf(e.getCause.getMessage)))
        case e: TimeoutException => throw new NoTokenNow(refused(s"no complete answer within $leftMs ms"))
        case NonFatal(e) => throw refused(s"${e.getClass.getSimpleName}: ${e.getMessage}")
      }
    val body =
      try Option(OAuthLogin.json.readTree(answer.body)).filter(_.isObject)
      catch { case NonFatal(_) => None }
    val given = body.map(_.path("access_token")).filter(n => n.isTextual && !n.asText.isEmpty).map(_.asText)
    if (answer.statusCode / 100 != 2 || given.isEmpty) {
      // Only the error fields of RFC 6749: anything else could be a token.
      val said = body.toSeq.flatMap(b => Seq(b.path("error"), b.path("error_description"))).filter(_.isTextual)
      val reason = refused((answer.statusCode.toString +: said.map(_.asText)).mkString(" "))
      throw (if (HttpStatus.isPassing(answer.statusCode)) new NoTokenNow(reason) else reason)
    }
    val life = body.map(_.path("expires_in")).filter(_.canConvertToLong).map(_.asLong)
    val seconds = life.fold(OAuthLogin.longSeconds)(s => s - math.min(bufferSeconds, s / 5))
    new OAuthLogin.Token(
      given.get,
      System.nanoTime(),
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

/** The OAuth server issues no token now, and a retry may succeed. */
private[registry] final class NoTokenNow(val refused: KafkalystException) extends IOException(refused.getMessage)

private object OAuthLogin {

  // Times are those of System.nanoTime.
  private final class Token(val value: String, val fetchedAt: Long, val renewAt: Long)

  private final class Failure(val cause: Exception, val at: Long)

  private val json = new ObjectMapper
  private val longSeconds = TimeUnit.DAYS.toSeconds(365)
}
