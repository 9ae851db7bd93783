package io.kafkalyst.registry

import java.io.IOException
import java.net.{URI, URLEncoder}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, ExecutionException, TimeoutException, TimeUnit}

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.errors.KafkalystException

/**
 * A schema registry over HTTP, as [[RegistryClient]] says. Several addresses, with commas between them, are tried in
 * turn; an address may have a path and `user:password@`.
 *
 * Every call ends within the time limit, whatever the registry does: each try is waited for, not trusted to end.
 * Too many requests (429), faults of the server (5xx) and of the connection are tried again until then.
 *
 * One client per address and JVM, shared by all tasks: an id is asked for once, also when many ask at the same time.
 */
final class HttpRegistry private (config: RegistryConfig) extends RegistryClient {
  import HttpRegistry._

  private val addresses = config.url.split(',').map(_.trim.stripSuffix("/")).filter(_.nonEmpty).map(new Address(_))
  private val limitMs = math.max(1, math.min(config.timeoutMs, longestMs)).toLong
  private val http = HttpClient
    .newBuilder()
    .connectTimeout(Duration.ofMillis(limitMs))
    .followRedirects(HttpClient.Redirect.NORMAL)
    .version(HttpClient.Version.HTTP_1_1)
    .build()
  private val ids = new ConcurrentHashMap[Int, CompletableFuture[Option[RegisteredSchema]]]
  private val unknown = new ConcurrentHashMap[Int, Long]

  // Where the last answer came from: an address that is down is not waited for again and again.
  @volatile private var preferred = 0

  override def latest(subject: String): Option[RegisteredSchema] =
    found(call("GET", s"/subjects/${encoded(subject)}/versions/latest")) { (answer, json) =>
      RegisteredSchema(
        answer.number(json, "id"),
        json.path("schemaType").asText("AVRO"),
        answer.text(json, "schema"),
        json.path("subject").asText(subject),
        json.path("version").asInt(0)
      )
    }

  override def byId(id: Int): Option[RegisteredSchema] = {
    val mine = new CompletableFuture[Option[RegisteredSchema]]
    val known = ids.putIfAbsent(id, mine)
    if (known == null) {
      try {
        val schema = if (recentlyUnknown(id)) None else fetch(id)
        if (schema.isEmpty) ids.remove(id, mine)
        mine.complete(schema)
        schema
      } catch {
        case e: Throwable =>
          ids.remove(id, mine)
          mine.completeExceptionally(e)
          throw e
      }
    } else {
      try known.get(limitMs, TimeUnit.MILLISECONDS)
      catch {
        // The one that asked was interrupted; that is not this one's failure.
        case e: ExecutionException if e.getCause.isInstanceOf[InterruptedException] => byId(id)
        case e: ExecutionException => throw e.getCause
        case e: TimeoutException => throw unreachable(s"GET /schemas/ids/$id", e)
      }
    }
  }

  override def register(subject: String, schema: String, schemaType: String): Int = {
    val body = json.createObjectNode().put("schema", schema)
    // Registries from before there were other types do not know the word.
    if (schemaType != "AVRO") body.put("schemaType", schemaType)
    val answer = call("POST", s"/subjects/${encoded(subject)}/versions", body.toString)
    if (answer.status == 409 || answer.status == 422) {
      throw KafkalystException("SCHEMA_REFUSED", "url" -> answer.from, "subject" -> subject, "answer" -> answer.brief)
    }
    val id = answer.number(answer.ok, "id")
    unknown.remove(id)
    id
  }

  override def delete(subject: String): Unit = Seq("", "?permanent=true").foreach { how =>
    found(call("DELETE", s"/subjects/${encoded(subject)}$how"))((_, _) => ())
  }

  private def fetch(id: Int): Option[RegisteredSchema] = {
    val schema = found(call("GET", s"/schemas/ids/$id")) { (answer, json) =>
      RegisteredSchema(id, json.path("schemaType").asText("AVRO"), answer.text(json, "schema"))
    }
    if (schema.isEmpty) {
      if (unknown.size > 10000) unknown.clear()
      unknown.put(id, System.nanoTime())
    }
    schema
  }

  /** Spares the registry a request per record where a topic holds many records of an id that it does not know. */
  private def recentlyUnknown(id: Int): Boolean =
    unknown.containsKey(id) && System.nanoTime() - unknown.get(id) < unknownForNs

  /** What the answer holds; None for "not found". */
  private def found[T](answer: Answer)(read: (Answer, JsonNode) => T): Option[T] =
    if (answer.isNotFound) None else Some(read(answer, answer.ok))

  /** The answer of the first address that gives a lasting one. */
  private def call(method: String, path: String, body: String = null): Answer = {
    val deadline = System.nanoTime() + limitMs * 1000000L
    def left: Long = (deadline - System.nanoTime()) / 1000000L
    if (addresses.isEmpty) throw unreachable(s"$method $path", new IOException("the address is empty"))
    var last: Either[Throwable, Answer] = null
    var round = 0
    while (round < rounds && left > 0) {
      var i = 0
      while (i < addresses.length && left > 0) {
        val which = (preferred + i) % addresses.length
        // An address that hangs may not use up the time of those after it.
        val share = math.max(1, if (round == 0) left / (addresses.length - i) else left)
        last =
          try Right(send(addresses(which), method, path, body, share))
          catch {
            case e: InterruptedException => throw e
            case NonFatal(e) => Left(e)
          }
        last match {
          case Right(answer) if !answer.isPassing =>
            preferred = which
            return answer
          case _ =>
        }
        i += 1
      }
      round += 1
      val pause = math.min(left, 100L << round)
      if (round < rounds && pause > 0) Thread.sleep(pause)
    }
    last match {
      case Right(answer) => throw answer.unexpected
      case Left(e) => throw unreachable(s"$method $path", e)
    }
  }

  private def send(address: Address, method: String, path: String, body: String, limitMs: Long): Answer = {
    val content = if (body == null) HttpRequest.BodyPublishers.noBody() else HttpRequest.BodyPublishers.ofString(body)
    val request = HttpRequest
      .newBuilder(URI.create(address.base + path))
      .timeout(Duration.ofMillis(limitMs))
      .header("Accept", s"$contentType, application/json")
      .method(method, content)
    if (body != null) request.header("Content-Type", contentType)
    address.authorization.foreach(request.header("Authorization", _))
    // Waited for from here, as the request's own limit ends with the answer's headers and not with its body.
    val answer = http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8))
    try {
      val response = answer.get(limitMs, TimeUnit.MILLISECONDS)
      new Answer(address.base, s"$method $path", response.statusCode, response.body)
    } catch {
      case e: ExecutionException => throw e.getCause
      case e: TimeoutException => throw new IOException("no complete answer in time", e)
    } finally answer.cancel(true)
  }

  private def unreachable(request: String, cause: Throwable): KafkalystException = {
    val reason = Option(cause.getMessage).filter(_.nonEmpty).getOrElse(cause.getClass.getSimpleName)
    KafkalystException.caused(
      cause,
      "REGISTRY_UNREACHABLE",
      "url" -> addresses.map(_.base).mkString(","),
      "timeout" -> s"$limitMs ms",
      "reason" -> s"$request: $reason"
    )
  }
}

object HttpRegistry {
  private val longestMs = 10000
  private val rounds = 4
  private val unknownForNs = 5000000000L
  private val contentType = "application/vnd.schemaregistry.v1+json"
  private val json = new ObjectMapper
  private val shared = new ConcurrentHashMap[RegistryConfig, HttpRegistry]

  /** The client of this JVM for that registry. */
  def apply(config: RegistryConfig): RegistryClient = shared.computeIfAbsent(config, new HttpRegistry(_))

  /** A subject in a path; URLEncoder is meant for forms, where a blank is a plus. */
  private def encoded(subject: String): String = URLEncoder.encode(subject, UTF_8).replace("+", "%20")

  /** One base address, with its credentials apart from what is shown. */
  private final class Address(text: String) {
    private val at = text.indexOf('@')
    private val start = text.indexOf("://") + 3
    private val hasUser = start >= 3 && at > start && !text.substring(start, at).contains('/')

    val base: String = if (hasUser) text.substring(0, start) + text.substring(at + 1) else text
    val authorization: Option[String] =
      if (!hasUser) None
      else Some("Basic " + java.util.Base64.getEncoder.encodeToString(text.substring(start, at).getBytes(UTF_8)))
  }

  private final class Answer(val from: String, request: String, val status: Int, body: String) {
    private lazy val parsed: Option[JsonNode] =
      try Option(json.readTree(body)).filter(_.isContainerNode)
      catch { case NonFatal(_) => None }

    /** Whether another try may give another answer. */
    def isPassing: Boolean = status == 429 || status >= 500

    /** The registry's own "not found"; a 404 of anything else, as of a wrong path, is an error. */
    def isNotFound: Boolean = status == 404 && parsed.exists(_.has("error_code"))

    def ok: JsonNode = if (status / 100 == 2) parsed.getOrElse(throw unexpected) else throw unexpected

    def text(node: JsonNode, field: String): String =
      if (node.path(field).isTextual) node.get(field).asText else throw unexpected

    def number(node: JsonNode, field: String): Int =
      if (node.path(field).canConvertToInt) node.get(field).asInt else throw unexpected

    def brief: String = parsed.map(_.path("message")).filter(_.isTextual).map(_.asText).getOrElse(body).trim match {
      case "" => "nothing"
      case long if long.length > 1000 => long.take(1000) + "…"
      case text => text
    }

    def unexpected: KafkalystException = KafkalystException(
      "REGISTRY_ERROR",
      "url" -> from,
      "status" -> status.toString,
      "request" -> request,
      "answer" -> brief
    )
  }
}
