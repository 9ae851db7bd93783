package io.kafkalyst.formats
package jsonschema

import java.net.URI
import java.util.IdentityHashMap

import scala.annotation.tailrec
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.registry.RegisteredSchema

/** A JSON Schema that cannot be used, with the reason in the user's terms. */
private[formats] final class BadJsonSchema(val reason: String) extends RuntimeException(reason, null, false, false)

/** The texts of a JSON Schema and its references, and where a `$ref` in them leads. Errors: [[BadJsonSchema]]. */
private[jsonschema] final class JsonDocuments(schema: RegisteredSchema) {
  import JsonDocuments._

  val main: Document = Document.of(schema.schema, "the schema")
  private val referenced: Map[String, Document] =
    schema.references.map(r => r.name -> Document.of(r.schema, s"the schema's reference ${r.name}")).toMap

  // The documents of the children of merged parts, which are not copied.
  private val kept = new IdentityHashMap[JsonNode, Document]

  /** A child of the node; in the node's document, unless it came from a part of another one. */
  def at(n: Node, child: JsonNode): Node = Node(kept.getOrDefault(child, n.document), child)

  /** Remembers the document of the part's children, which become children of a node in another document. */
  def keep(part: Node): Unit = part.json.elements.asScala.foreach { child =>
    (child +: child.elements.asScala.toSeq).filter(_.isObject).foreach(kept.putIfAbsent(_, part.document))
  }

  /** Resolves `$ref`. */
  @tailrec
  def follow(n: Node, depth: Int): Node =
    if (depth > deepest) throw new BadJsonSchema("its references lead in a circle, or are nested too deep")
    else {
      val ref = n.json.path("$ref")
      if (ref.isTextual) follow(target(ref.asText, n.document), depth + 1) else n
    }

  private def target(ref: String, from: Document): Node = {
    val hash = ref.indexOf('#')
    val (name, part) = if (hash < 0) (ref, "") else (ref.substring(0, hash), ref.substring(hash + 1))
    val document =
      if (name.isEmpty || from.id == name) from else from.embedded(name).getOrElse(other(name, from, ref))
    document.find(part).getOrElse(throw new BadJsonSchema(s"$$ref \"$ref\" leads nowhere in ${document.name}"))
  }

  private def other(name: String, from: Document, ref: String): Document = {
    val full = absolute(from.id, name)
    referenced
      .get(name)
      .orElse(referenced.collectFirst {
        case (n, d) if n == full || absolute(from.id, n) == full || d.id == name || d.id == full => d
      })
      .orElse(if (main.id == full) Some(main) else None)
      .orElse((main +: referenced.values.toSeq).flatMap(_.embedded(full)).headOption)
      .getOrElse(throw new BadJsonSchema(s"$$ref \"$ref\" names a schema that is not one of its references"))
  }
}

private[jsonschema] object JsonDocuments {
  val deepest = 100
  private val mapper = new ObjectMapper

  private def absolute(base: String, n: String) = Try(URI.create(base).resolve(n).toString).getOrElse(n)

  private def decoded(part: String): String =
    Try(java.net.URLDecoder.decode(part.replace("+", "%2B"), "UTF-8")).getOrElse(part)

  /** @param identity the part of the text that the node comes from */
  final case class Node(document: Document, json: JsonNode, identity: AnyRef)
  object Node { def apply(document: Document, json: JsonNode): Node = Node(document, json, json) }

  /**
   * A schema with a name of its own: a whole text, or a part of one that has an `$id`.
   *
   * @param outer the text around a part; null for a whole text
   */
  final class Document(val root: JsonNode, val id: String, val name: String, outer: Document) {

    /** Parts by their `$anchor`, or by their `$id` after its `#`; of equal names the first. */
    private lazy val anchors: Map[String, JsonNode] = {
      val found = mutable.Map.empty[String, JsonNode]
      parts(root).foreach { json =>
        val id = json.path("$id").asText
        (Option(json.path("$anchor").asText).filter(_.nonEmpty) ++ Option.when(id.startsWith("#"))(id.substring(1)))
          .foreach(name => found.getOrElseUpdate(name, json))
      }
      found.toMap
    }

    private lazy val inner: Map[String, Document] = {
      val found = mutable.Map.empty[String, Document]
      def add(json: JsonNode, base: String): Unit = {
        val own = json.path("$id").asText
        val full = if (own.isEmpty || own.startsWith("#") || (json eq root)) base else absolute(base, own)
        if (full != base) {
          val document = new Document(json, full, name, this)
          Seq(own, full).foreach(found.getOrElseUpdate(_, document))
        }
        json.elements.asScala.foreach(add(_, full))
      }
      add(root, id)
      found.toMap
    }

    /** The part whose `$id` is this name, as it is or relative to the document's own. */
    def embedded(name: String): Option[Document] =
      if (outer != null) outer.embedded(absolute(id, name)).orElse(outer.embedded(name))
      else inner.get(absolute(id, name)).orElse(inner.get(name))

    /**
     * The node that the text behind the `#` of a reference names. Some texts give parts an `$id` and still count from
     * their own root, so this looks there, too.
     */
    def find(part: String): Option[Node] = {
      val json =
        if (part.isEmpty) root
        else if (part.startsWith("/")) root.at(decoded(part))
        else anchors.getOrElse(part, null)
      if (json != null && !json.isMissingNode) Some(Node(this, json))
      else Option(outer).flatMap(_.find(part))
    }
  }

  object Document {
    def of(text: String, name: String): Document = {
      val root =
        try mapper.readTree(text)
        catch {
          case e: JsonProcessingException =>
            throw new BadJsonSchema(s"$name is not valid JSON: ${e.getOriginalMessage}")
        }
      if (!root.isObject && !root.isBoolean) throw new BadJsonSchema(s"$name is not a JSON Schema, which is an object")
      new Document(root, root.path("$id").asText(root.path("id").asText("")), name, null)
    }
  }

  private def parts(json: JsonNode): Iterator[JsonNode] =
    Iterator.single(json) ++ json.elements.asScala.flatMap(parts)
}
