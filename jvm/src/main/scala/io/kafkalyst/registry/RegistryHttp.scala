package io.kafkalyst.registry

import java.io.IOException
import java.net.{ConnectException, InetSocketAddress, ProxySelector, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse, HttpTimeoutException}
import java.nio.channels.UnresolvedAddressException
import java.time.{Duration, Instant, ZonedDateTime}
import java.time.format.DateTimeFormatter
import java.util.concurrent.{ExecutionException, TimeoutException, TimeUnit}

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.errors.{Causes, Clipped, KafkalystException, Redaction}
import io.kafkalyst.model.settings.RegistrySettings

/**
 * Requests to a registry: login, failover between addresses, retries, time limits.
 *
 * A request ends within the time limit, even if the registry keeps the connection open. Several addresses are tried in
 * turn, starting with the one that answered last. Time-outs (408), too many requests (429), server errors (5xx) and
 * connection errors are retried, with growing pauses or after the registry's own `Retry-After`, until the retries or
 * the time are used up.
 */
private[registry] final class RegistryHttp(config: RegistryConfig) {
  import RegistryHttp._
  import RegistrySettings._

  private val addresses = Addresses.of(config.url)
  private val limitMs = math.max(1, config.number(timeout).get).toLong
  private val rounds = 1 + config.number(maxRetries).get
  private val readMs = config.number(readTimeout).fold(limitMs)(_.toLong)
  private val http = {
    val builder = HttpClient
      .newBuilder()
      .connectTimeout(Duration.ofMillis(math.max(1, config.number(connectTimeout).fold(limitMs)(_.toLong))))
      // Redirects are followed in `send`: the JDK's own would forward the login to any host.
      .followRedirects(HttpClient.Redirect.NEVER)
      .version(HttpClient.Version.HTTP_1_1)
    RegistryTls.context(config).foreach(builder.sslContext)
    config.given(proxyHost).foreach { host =>
      builder.proxy(ProxySelector.of(new InetSocketAddress(host, config.number(proxyPort).get)))
    }
    builder.build()
  }
  private val login = RegistryLogins.of(config, http)

  // The address that answered last: requests do not wait for an unavailable one again and again.
  @volatile private var preferred = 0

  /** The time (System.nanoTime) at which a request sent now is abandoned. */
  def deadline(): Long = System.nanoTime() + limitMs * 1000000L

  /** Maximum wait for another thread's request, which may include requests for references. */
  def patienceMs: Long = 2 * limitMs

  /** The final answer of the first address that gives one. */
  def call(method: String, path: String, body: String = null, until: Long = deadline()): Answer = {
    def left: Long = (until - System.nanoTime()) / 1000000L
    if (addresses.isEmpty) throw unreachable(s"$method $path", new IOException("the address is empty"))
    var last: Either[Throwable, Answer] = Left(new HttpTimeoutException("no time was left"))
    var round = 0
    while (round < rounds && left > 0) {
      var i = 0
      while (i < addresses.length && left > 0) {
        val which = (preferred + i) % addresses.length
        // A hanging address must not use up the time of those after it.
        val share = math.max(1, math.min(readMs, if (round == 0) left / (addresses.length - i) else left))
        val isFirst = round == 0 && i == 0
        if (!isFirst) RegistryCounts.mine.retries += 1
        attempt(addresses(which), method, path, body, share) match {
          case Right(answer) if !answer.isPassing =>
            preferred = which
            return answer
          // A last try with too little time is less informative than the earlier errors.
          case Left(_: HttpTimeoutException) if !isFirst =>
          case heard => last = heard
        }
        i += 1
      }
      round += 1
      val asked = last.toOption.flatMap(_.retryAfterMs)
      val growing =
        math.min(config.number(retryMaxWait).get.toLong, config.number(retryWait).get.toLong << math.min(round - 1, 20))
      val pause = asked.getOrElse(growing)
      // If Retry-After exceeds the remaining time, the answer is final.
      if (asked.exists(_ > left)) round = rounds
      if (round < rounds && left > 0) Thread.sleep(math.max(0, math.min(left, pause)))
    }
    last match {
      case Right(answer) => throw answer.unexpected
      case Left(e: NoTokenNow) => throw e.refused
      case Left(e) => throw unreachable(s"$method $path", e)
    }
  }

  private def attempt(to: Address, method: String, path: String, body: String, limit: Long): Either[Throwable, Answer] =
    try {
      val sentAt = System.nanoTime()
      val first = send(to, method, path, body, limit)
      // A token may be revoked before it expires.
      Right(if (first.status == 401 && login.renew(sentAt)) send(to, method, path, body, limit) else first)
    } catch {
      case e: InterruptedException => throw e
      case e: KafkalystException => throw e
      case NonFatal(e) => Left(e)
    }

  private def send(to: Address, method: String, path: String, body: String, limit: Long): Answer = {
    val until = System.nanoTime() + limit * 1000000L
    val own = URI.create(to.base + path)
    @tailrec
    def follow(uri: URI, hops: Int): Answer = {
      val answered = once(uri, if (sameServer(own, uri)) to.userInfo else null, method, body, until)
      val location =
        Option(answered.headers.firstValue("Location").orElse(null)).filter(_ => answered.statusCode / 100 == 3)
      val next = location.flatMap(l => Try(uri.resolve(l)).toOption)
      // Methods other than GET follow a redirect only with 307 and 308, which preserve the method.
      val same = method == "GET" || answered.statusCode == 307 || answered.statusCode == 308
      if (same && hops < mostRedirects && next.exists(isAsSafe(uri, _))) follow(next.get, hops + 1)
      else {
        val after = Option(answered.headers.firstValue("Retry-After").orElse(null)).flatMap(retryAfter)
        val said = location.fold(answered.body)(l => s"it redirects to $l, which is not followed")
        new Answer(this, to.base, s"$method $path", answered.statusCode, said, after)
      }
    }
    follow(own, 0)
  }

  /** @param userInfo the address's own login, null if no login may be sent */
  private def once(
      uri: URI,
      userInfo: Option[String],
      method: String,
      body: String,
      until: Long
  ): HttpResponse[String] = {
    // May take time, as a token may have to be fetched.
    val headers = if (userInfo == null) Nil else login.headers(userInfo, until)
    val limit = math.max(1, (until - System.nanoTime()) / 1000000L)
    val content = if (body == null) HttpRequest.BodyPublishers.noBody() else HttpRequest.BodyPublishers.ofString(body)
    val request = HttpRequest
      .newBuilder(uri)
      .timeout(Duration.ofMillis(limit))
      .header("Accept", s"$contentType, application/json")
      .method(method, content)
    if (body != null) request.header("Content-Type", contentType)
    headers.foreach { case (name, value) => request.header(name, value) }
    RegistryCounts.mine.requests += 1
    // The request's own timeout ends with the headers and not with the body, so this waits separately.
    val answer = http.sendAsync(request.build(), _ => new BoundedBody)
    try answer.get(limit, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException => throw e.getCause
      case e: TimeoutException => throw new HttpTimeoutException("no complete answer in time").initCause(e)
    } finally answer.cancel(true)
  }

  /** No address answered; the reason is redacted. */
  def unreachable(request: String, cause: Throwable): KafkalystException = {
    val chain = Causes.of(cause).toSeq
    // The JDK's client has no message for either of these.
    val reason = Option(cause.getMessage).filter(_.nonEmpty).getOrElse {
      if (chain.exists(_.isInstanceOf[UnresolvedAddressException])) "the host name is not known"
      else if (chain.exists(_.isInstanceOf[ConnectException])) "Connection refused"
      else cause.getClass.getSimpleName
    }
    KafkalystException.caused(
      Redaction.cause(cause, config.properties),
      "REGISTRY_UNREACHABLE",
      "url" -> addresses.map(_.base).mkString(","),
      "timeout" -> s"$limitMs ms",
      "reason" -> shown(s"$request: $reason")
    )
  }

  /** REGISTRY_DENIED: the registry refuses this login the request. */
  private[registry] def denied(answer: Answer): KafkalystException = KafkalystException(
    "REGISTRY_DENIED",
    "url" -> answer.from,
    "status" -> answer.status.toString,
    "request" -> answer.request,
    "login" -> login.kind,
    "answer" -> answer.brief,
    "settings" -> login.settings.map(_.name).mkString(", ")
  )

  /** The registry's text, redacted, as it may repeat the request. */
  private[registry] def shown(text: String): String = Redaction.message(text, config.properties + ("url" -> config.url))
}

private[registry] object RegistryHttp {
  private val contentType = "application/vnd.schemaregistry.v1+json"
  private val json = new ObjectMapper
  private val mostRedirects = 5
  private val notFound = Set(40401, 40402, 40403)

  /** Whether a login for one address may be sent to the other: same host, and not from HTTPS to HTTP. */
  private def sameServer(own: URI, other: URI): Boolean =
    own == other || own.getHost != null && own.getHost.equalsIgnoreCase(other.getHost) &&
      (own.getScheme.equalsIgnoreCase(other.getScheme) && own.getPort == other.getPort ||
        own.getScheme.equalsIgnoreCase("http") && other.getScheme.equalsIgnoreCase("https"))

  /** Whether to follow a redirect: to HTTP or HTTPS, but not from HTTPS to HTTP. */
  private def isAsSafe(from: URI, to: URI): Boolean =
    "https".equalsIgnoreCase(to.getScheme) ||
      "http".equalsIgnoreCase(to.getScheme) && "http".equalsIgnoreCase(from.getScheme)

  /** `Retry-After` in milliseconds: seconds, or a date. */
  private def retryAfter(text: String): Option[Long] =
    text.trim.toLongOption.filter(_ >= 0).map(math.min(_, Int.MaxValue.toLong) * 1000L).orElse {
      Try(ZonedDateTime.parse(text.trim, DateTimeFormatter.RFC_1123_DATE_TIME)).toOption.map { at =>
        math.max(0L, at.toInstant.toEpochMilli - Instant.now().toEpochMilli)
      }
    }

  /** The registry's answer to one request. */
  final class Answer(
      http: RegistryHttp,
      val from: String,
      val request: String,
      val status: Int,
      body: String,
      val retryAfterMs: Option[Long]
  ) {
    private lazy val parsed: Option[JsonNode] =
      try Option(json.readTree(body)).filter(_.isContainerNode)
      catch { case NonFatal(_) => None }

    def isPassing: Boolean = HttpStatus.isPassing(status)

    /** The registry's own "no such subject, version or schema"; any other 404, as of a wrong path, is an error. */
    def isNotFound: Boolean = status == 404 && code.exists(notFound)

    /** The error code of the registry's own errors, such as 42201. */
    def code: Option[Int] = parsed.map(_.path("error_code")).filter(_.canConvertToInt).map(_.asInt)

    def ok: JsonNode = good.getOrElse(throw unexpected)

    /** A text field of a successful answer; None if it is missing or the answer is an error. */
    def field(name: String): Option[String] = good.map(_.path(name)).filter(_.isTextual).map(_.asText)

    private def good: Option[JsonNode] = if (status / 100 == 2) parsed else None

    def text(node: JsonNode, field: String): String =
      if (node.path(field).isTextual) node.get(field).asText else throw unexpected

    def number(node: JsonNode, field: String): Int =
      if (node.path(field).canConvertToInt) node.get(field).asInt else throw unexpected

    /** The error's text and code; for other answers, the beginning of their text. */
    def brief: String = {
      val message = parsed.map(_.path("message")).filter(_.isTextual).map(_.asText).getOrElse(body).trim match {
        case "" => "nothing"
        case text => Clipped(text, 1000)
      }
      http.shown(message) + code.fold("")(c => s" (error code $c)")
    }

    def unexpected: KafkalystException =
      if (status == 401 || status == 403) http.denied(this)
      else {
        KafkalystException(
          "REGISTRY_ERROR",
          "url" -> from,
          "status" -> status.toString,
          "request" -> request,
          "answer" -> brief,
          "hint" -> hint
        )
      }

    private def hint: String = {
      val url = RegistrySettings.url.name
      status match {
        case 404 => s"Nothing is at this address: check that $url is the registry's, with its path if it has one."
        case 429 => "The registry limits requests. Repeat the statement later."
        case ok if ok / 100 == 2 =>
          s"This is not an answer of a registry: check that $url is not a proxy or a login page."
        case failed if failed / 100 == 5 => "The registry itself failed: see its log, and repeat the statement."
        case _ => "The registry's log may say why."
      }
    }
  }
}
