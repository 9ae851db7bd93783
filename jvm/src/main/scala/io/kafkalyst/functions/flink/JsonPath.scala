package io.kafkalyst.functions
package flink

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeFactory

/**
 * A path of SQL/JSON such as `lax $.a["b c"][0]`.
 *
 * @param isLax whether a missing value is empty instead of an error
 */
private[flink] final case class JsonPath(isLax: Boolean, steps: Seq[JsonPath.Step]) {
  import JsonPath._

  private val isMany = steps.contains(Every)

  /**
   * What stands there; null where a lax path finds nothing, or JSON's null. `*` gives an array of what it finds.
   *
   * @throws java.util.NoSuchElementException where a strict path finds nothing, or JSON's null; also before its first
   * `*`, where only a place behind an array's end is none
   */
  def of(json: JsonNode): JsonNode = {
    val (before, behind) = steps.span(_ != Every)
    val first = before.foldLeft(Seq(json))((nodes, step) => nodes.flatMap(strictly(_, step)))
    if (isMany) {
      val all = JsonNodeFactory.instance.arrayNode()
      behind.foldLeft(first)((nodes, step) => nodes.flatMap(at(_, step))).foreach(n => all.add(n))
      all
    } else first.headOption.filterNot(_.isNull).getOrElse(if (isLax) null else missing("null"))
  }

  private def strictly(node: JsonNode, step: Step): Seq[JsonNode] = {
    val found = at(node, step)
    val isBehind = isMany && node.isArray && step.isInstanceOf[Index]
    if (found.isEmpty && !isLax && !isBehind) missing(step.toString) else found
  }

  private def missing(what: String) = throw new NoSuchElementException(what)

  private def at(node: JsonNode, step: Step): Seq[JsonNode] = step match {
    case Field(name) => Option(node.get(name)).toSeq
    case Index(i) if node.isArray => Option(node.get(if (i < 0) node.size + i else i)).toSeq
    case Every if node.isArray || node.isObject => node.elements.asScala.toSeq
    case _ => Nil
  }
}

private[flink] object JsonPath {
  sealed trait Step
  final case class Field(name: String) extends Step
  final case class Index(at: Int) extends Step
  case object Every extends Step

  private val path = """(?is)\s*(?:(strict|lax)\s+)?\$(.*?)\s*""".r
  private val step = """\.?\[\s*(?:(-?\d{1,9})|(\*)|'([^']*)'|"([^"]*)")\s*\]|\.(?:(\*)|([^.\[\]\s*'"]+))""".r

  /** @return None for a path that is wrong, or has other steps than names, places and `*`; without a mode it is strict */
  def read(text: String): Option[JsonPath] = text match {
    case path(mode, rest) =>
      val found = step.findAllMatchIn(rest).toSeq
      if (found.map(_.matched).mkString != rest) None
      else
        Some(JsonPath(
          isLax = "lax".equalsIgnoreCase(mode),
          found.map { m =>
            def group(i: Int) = Option(m.group(i))
            group(1).map(n => Index(n.toInt)).orElse(group(2).orElse(group(5)).map(_ => Every))
              .getOrElse(Field(group(3).orElse(group(4)).orElse(group(6)).get))
          }
        ))
    case _ => None
  }
}
