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

  /**
   * @return the value at the path; null if there is none, or JSON's null. With `*` it is an array of all values found.
   */
  def of(json: JsonNode): JsonNode = {
    val isMany = steps.contains(Every)
    val found = steps.foldLeft(Seq(json)) { (nodes, step) => nodes.flatMap(n => at(n, step, isMany)) }
    if (isMany) {
      val all = JsonNodeFactory.instance.arrayNode()
      found.foreach(n => all.add(n))
      all
    } else found.headOption.filterNot(_.isNull).orNull
  }

  private def at(node: JsonNode, step: Step, isMany: Boolean): Seq[JsonNode] = {
    val found = step match {
      case Field(name) => Option(node.get(name)).toSeq
      case Index(i) if node.isArray => Option(node.get(if (i < 0) node.size + i else i)).toSeq
      case Every if node.isArray || node.isObject => node.elements.asScala.toSeq
      case _ => Nil
    }
    if (found.isEmpty && !isLax && !isMany) throw new NoSuchElementException(step.toString)
    found
  }
}

private[flink] object JsonPath {
  sealed trait Step
  final case class Field(name: String) extends Step
  final case class Index(at: Int) extends Step
  case object Every extends Step

  private val path = """(?is)\s*(?:(strict|lax)\s+)?\$(.*?)\s*""".r
  private val step = """\.?\[\s*(?:(-?\d{1,9})|(\*)|'([^']*)'|"([^"]*)")\s*\]|\.(?:(\*)|([^.\[\]\s*'"]+))""".r

  /**
   * @return None for an invalid path, or one with steps other than names, indexes and `*`; the default mode is strict
   */
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
