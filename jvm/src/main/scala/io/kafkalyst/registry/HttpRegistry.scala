package io.kafkalyst.registry

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, ExecutionException, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.clients.Recent
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model.settings.{RegistrySettings, Setting}
import org.slf4j.LoggerFactory

import scala.annotation.tailrec
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/**
 * Schema registry over HTTP, see [[RegistryAdmin]]; [[RegistryHttp]] sends the requests.
 *
 * One client per configuration and JVM, shared by all tasks: an id is requested once, even by concurrent callers. For
 * ids that the registry does not know, see [[UnknownSchemas]].
 */
final class HttpRegistry private (config: RegistryConfig) extends RegistryAdmin {
  import HttpRegistry._
  import RegistryHttp.Answer

  private val http = new RegistryHttp(config)
  private val unknown = {
    def millis(setting: Setting) = config.number(setting).get.toLong
    import RegistrySettings._
    new UnknownSchemas(millis(unknownId) * 1000, millis(missingTtl) * 1000, millis(retryWait) -> millis(retryMaxWait))
  }
  private val ids = new Asked[Int](pathOf(_))(id => fetch(pathOf(id), s"of id $id").map(_.copy(id = id)))
  private val guids = new Asked[String](pathOf(_))(guid => fetch(pathOf(guid), s"of GUID $guid"))
  private val protects = config.get(RegistrySettings.keyReadOnly).exists(_.equalsIgnoreCase("true"))
  // The answer to the first change of a mode that was rejected.
  private val unprotected = new AtomicReference[String]

  private val known = new ThreadLocal[mutable.Map[String, Option[RegisteredSchema]]]

  override def latest(subject: String): Option[RegisteredSchema] = {
    def asked = versioned(subject, "latest", http.deadline())
    Option(known.get).fold(asked)(_.getOrElseUpdate(subject, asked))
  }

  override def once[T](body: => T): T = {
    known.set(mutable.Map.empty)
    try body
    finally known.remove()
  }

  override def version(subject: String, version: Int): Option[RegisteredSchema] =
    versioned(subject, version.toString, http.deadline())

  override def byId(id: Int): Option[RegisteredSchema] = ids(id)

  override def byGuid(guid: String): Option[RegisteredSchema] = guids(guid)

  // No registry assigns a negative id.
  override def ofRecord(id: Int, patience: Patience): Option[RegisteredSchema] =
    if (id < 0) None else unknown.resolve(id, patience)(byId(id))

  override def ofRecord(guid: String, patience: Patience): Option[RegisteredSchema] =
    unknown.resolve(guid, patience)(byGuid(guid))

  override def register(subject: String, schema: String, schemaType: String): Int =
    register(subject, RegisteredSchema(0, schemaType, schema))

  override def register(subject: String, schema: RegisteredSchema): Int = {
    val answer = http.call("POST", s"/subjects/${encoded(subject)}/versions", body(schema))
    if (answer.status == 409 || answer.status == 422) {
      throw KafkalystException("SCHEMA_REFUSED", "url" -> answer.from, "subject" -> subject, "answer" -> answer.brief)
    }
    val id = answer.number(answer.ok, "id")
    unknown.forget(id)
    id
  }

  override def lookUp(subject: String, schema: RegisteredSchema): Option[RegisteredSchema] =
    found(http.call("POST", s"/subjects/${encoded(subject)}", body(schema))) { (answer, json) =>
      schema.copy(id = answer.number(json, "id"), subject = subject, version = json.path("version").asInt(0))
    }

  override def compatible(subject: String, schema: RegisteredSchema): Boolean = {
    val path = s"/compatibility/subjects/${encoded(subject)}/versions/latest"
    found(http.call("POST", path, body(schema)))((_, json) => json.path("is_compatible").asBoolean(false))
      .getOrElse(true)
  }

  override def subjects(): Seq[String] = listed(http.call("GET", "/subjects")).map(_.asText)

  override def versions(subject: String): Seq[Int] = {
    val answer = http.call("GET", s"/subjects/${encoded(subject)}/versions")
    if (answer.isNotFound) Nil else listed(answer).map(_.asInt)
  }

  override def mode(subject: String): Option[String] = {
    val answer = http.call("GET", s"/mode/${encoded(subject)}?defaultToGlobal=true")
    answer.field("mode")
  }

  override def setMode(subject: String, mode: String): Option[String] = {
    val body = json.createObjectNode().put("mode", mode).toString
    // Registries without modes answer in various ways, Apicurio with success but no effect, so only the new mode itself
    // confirms the change.
    try {
      val answer = http.call("PUT", s"/mode/${encoded(subject)}", body)
      if (answer.field("mode").contains(mode)) None else Some(s"${answer.status} ${answer.brief}")
    } catch {
      case e: KafkalystException if e.getMessageParameters.containsKey("status") =>
        Some(s"${e.getMessageParameters.get("status")} ${e.getMessageParameters.get("answer")}")
    }
  }

  override def protect(subject: String): Option[String] = if (!protects) None
  else {
    val before = unprotected.get
    val rejected = Option(before).orElse(setMode(subject, "READONLY")).map { said =>
      unprotected.set(said)
      s"the subject $subject of the key's schema could not be set READONLY at ${Redaction.address(config.url)} ($said): " +
        "another schema there would change the keys' bytes. Allow mode changes in the registry " +
        s"(mode.mutability=true), or set ${RegistrySettings.keyReadOnly.name}=false"
    }
    if (before == null) rejected.foreach(log.warn)
    rejected
  }

  override def delete(subject: String): Unit = {
    val path = s"/subjects/${encoded(subject)}"
    var soft = http.call("DELETE", path)
    if (soft.status == 422 && setMode(subject, "READWRITE").isEmpty) soft = http.call("DELETE", path)
    found(soft)((_, _) => ())
    found(http.call("DELETE", s"$path?permanent=true"))((_, _) => ())
    ()
  }

  private def fetch(path: String, shown: String): Option[RegisteredSchema] = {
    val until = http.deadline()
    found(http.call("GET", path, until = until))((answer, json) => whole(schema(answer, json), shown, until))
  }

  /**
   * The schemas by their ids or GUIDs. Each is asked for once, even by concurrent callers, and one that the registry
   * does not know is asked for again. No caller waits for another key's request.
   */
  private final class Asked[K](path: K => String)(fetch: K => Option[RegisteredSchema]) {
    private val known = new ConcurrentHashMap[K, CompletableFuture[Option[RegisteredSchema]]]

    @tailrec def apply(key: K): Option[RegisteredSchema] = {
      val mine = new CompletableFuture[Option[RegisteredSchema]]
      val theirs = known.putIfAbsent(key, mine)
      val answer = if (theirs == null) Some(own(key, mine)) else others(key, theirs)
      if (answer.isDefined) answer.get else apply(key)
    }

    private def own(key: K, mine: CompletableFuture[Option[RegisteredSchema]]) =
      try {
        val schema = fetch(key)
        if (schema.isEmpty) known.remove(key, mine)
        mine.complete(schema)
        schema
      } catch {
        case e: Throwable =>
          known.remove(key, mine)
          mine.completeExceptionally(e)
          throw e
      }

    /** None if the other caller's request was interrupted. */
    private def others(key: K, theirs: CompletableFuture[Option[RegisteredSchema]]) = {
      RegistryCounts.mine.hits += 1
      try Some(theirs.get(http.patienceMs, TimeUnit.MILLISECONDS))
      catch {
        case e: ExecutionException if e.getCause.isInstanceOf[InterruptedException] => None
        case e: ExecutionException => throw e.getCause
        case e: TimeoutException => throw http.unreachable(s"GET ${path(key)}", e)
      }
    }
  }

  private def versioned(subject: String, version: String, until: Long): Option[RegisteredSchema] =
    single(subject, version, until).map(whole(_, s"of subject $subject, version $version", until))

  /** One version without its imports; also a soft-deleted one, if another schema still references it. */
  private def single(subject: String, version: String, until: Long, deleted: String = ""): Option[RegisteredSchema] =
    found(http.call("GET", s"/subjects/${encoded(subject)}/versions/$version$deleted", until = until)) {
      (answer, json) =>
        schema(answer, json).copy(
          id = answer.number(json, "id"),
          subject = json.path("subject").asText(subject),
          version = json.path("version").asInt(0)
        )
    }

  private def whole(schema: RegisteredSchema, shown: String, until: Long): RegisteredSchema =
    if (schema.imports.isEmpty) schema
    else schema.copy(references = SchemaReferences.closure(shown, schema.imports) { r =>
      single(r.subject, r.version.toString, until, "?deleted=true")
    })

  private def schema(answer: Answer, json: JsonNode): RegisteredSchema = RegisteredSchema(
    json.path("id").asInt(0),
    json.path("schemaType").asText("AVRO"),
    answer.text(json, "schema"),
    imports = json.path("references").elements.asScala.toSeq.map { r =>
      SubjectReference(answer.text(r, "name"), answer.text(r, "subject"), answer.number(r, "version"))
    },
    guid = Option(json.path("guid")).filter(_.isTextual).map(_.asText)
  )

  /** The content of the answer; None for "not found". */
  private def found[T](answer: Answer)(read: (Answer, JsonNode) => T): Option[T] =
    if (answer.isNotFound) None else Some(read(answer, answer.ok))

  private def listed(answer: Answer): Seq[JsonNode] = answer.ok match {
    case list if list.isArray => list.elements.asScala.toSeq
    case _ => throw answer.unexpected
  }
}

object HttpRegistry {
  private val log = LoggerFactory.getLogger(classOf[HttpRegistry])
  private val json = new ObjectMapper
  private[kafkalyst] val most = 64

  // An evicted client's thread ends once the client is garbage-collected.
  private val shared = new Recent[RegistryConfig, HttpRegistry](most)

  /** The JVM's shared client for that registry. */
  def apply(config: RegistryConfig): RegistryAdmin = shared.getOrMake(config)(new HttpRegistry(config))

  private def pathOf(id: Int): String = s"/schemas/ids/$id"
  private def pathOf(guid: String): String = s"/schemas/guids/${encoded(guid)}"

  /** A subject as part of a path; URLEncoder encodes forms, in which a blank is a plus. */
  private def encoded(subject: String): String = URLEncoder.encode(subject, UTF_8).replace("+", "%20")

  private def body(schema: RegisteredSchema): String = {
    val body = json.createObjectNode().put("schema", schema.schema)
    // Old registries, without other types and references, reject these fields.
    if (schema.schemaType != "AVRO") body.put("schemaType", schema.schemaType)
    if (schema.imports.nonEmpty) {
      val list = body.putArray("references")
      schema.imports.foreach { r =>
        list.addObject().put("name", r.name).put("subject", r.subject).put("version", r.version)
      }
    }
    body.toString
  }
}
