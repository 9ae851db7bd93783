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

  private val isMany = steps.exists(_.isMany)

  /**
   * The value at the path; null if a lax path finds nothing or JSON's null. A path with several results gives an array.
   *
   * @throws java.util.NoSuchElementException if a strict path finds nothing or JSON's null. With several results this
   *                                          covers the steps up to the first such step; an index beyond an array's end
   *                                          is not an error there
   */
  def of(json: JsonNode): JsonNode = {
    val (before, behind) = steps.span(!_.isMany)
    val first = before.foldLeft(Seq(json))((nodes, step) => nodes.flatMap(strictly(_, step)))
    if (isMany) {
      if (!isLax && behind.head.isOfArray && first.exists(!_.isArray)) missing(behind.head)
      val all = JsonNodeFactory.instance.arrayNode()
      behind.foldLeft(first)((nodes, step) => nodes.flatMap(step.at)).foreach(n => all.add(n))
      all
    } else first.headOption.filterNot(_.isNull).getOrElse(if (isLax) null else missing("null"))
  }

  private def strictly(node: JsonNode, step: Step): Seq[JsonNode] = {
    val found = step.at(node)
    val isBehind = isMany && node.isArray && step.isOfArray
    if (found.isEmpty && !isLax && !isBehind) missing(step) else found
  }

  private def missing(what: Any) = throw new NoSuchElementException(what.toString)
}

private[flink] object JsonPath {

  /**
   * @param isMany    whether it may find several
   * @param isOfArray whether it is one into an array
   */
  sealed abstract class Step(val isMany: Boolean, val isOfArray: Boolean = false) extends Serializable {
    def at(node: JsonNode): Seq[JsonNode]
  }

  final case class Field(name: String) extends Step(isMany = false) {
    override def at(node: JsonNode): Seq[JsonNode] = Option(node.get(name)).toSeq
  }

  final case class Index(place: Int) extends Step(isMany = false, isOfArray = true) {
    override def at(node: JsonNode): Seq[JsonNode] =
      if (node.isArray) Option(node.get(if (place < 0) node.size + place else place)).toSeq else Nil
  }

  case object Every extends Step(isMany = true) {
    override def at(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq
  }

  final case class Places(places: Seq[Index]) extends Step(isMany = true, isOfArray = true) {
    override def at(node: JsonNode): Seq[JsonNode] = places.flatMap(_.at(node))
  }

  /** `[from:until]`; a single negative bound counts from the array's end. */
  final case class Slice(from: Option[Int], until: Option[Int]) extends Step(isMany = true, isOfArray = true) {
    override def at(node: JsonNode): Seq[JsonNode] = if (!node.isArray) Nil
    else {
      def counted(place: Int) = if (place < 0 && (from.isEmpty || until.isEmpty)) node.size + place else place
      val first = math.max(from.fold(0)(counted), 0)
      (first until math.min(until.fold(node.size)(counted), node.size)).map(i => node.get(i))
    }
  }

  /** `..name`: the fields of a value and of all nested values, outer ones first. */
  final case class Within(step: Step) extends Step(isMany = true) {
    override def at(node: JsonNode): Seq[JsonNode] = {
      // Iterative, because a value may be nested deeper than the stack allows.
      val found = Seq.newBuilder[JsonNode]
      val open = new java.util.ArrayDeque[JsonNode]
      open.push(node)
      while (!open.isEmpty) {
        val next = open.pop()
        found ++= step.at(next)
        next.elements.asScala.toSeq.reverse.foreach(open.push)
      }
      found.result()
    }
  }

  private val path = """(?is)\s*(?:(strict|lax)\s+)?\$(.*?)\s*""".r

  private val step = {
    val place = "-?\\d{1,9}"
    val (several, slice) = (s"($place(?:\\s*,\\s*$place)*)", s"($place)?\\s*:\\s*($place)?")
    s"""(?:\\.?|(\\.\\.))(?:\\[\\s*(?:$several|$slice|(\\*)|'([^']*)'|"([^"]*)")\\s*\\]|(?<=\\.)(?:(\\*)|([^.\\[\\]\\s*'"()]+)))""".r
  }

  /**
   * @return None for a path that is wrong, or has other steps than names, places and `*`, also of all within; without a
   *         mode it is strict
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
            def places = group(2).map(_.split(",").map(n => Index(n.trim.toInt)).toSeq).map {
              case Seq(one) => one
              case more => Places(more)
            }
            def name = group(6).orElse(group(7)).orElse(group(9)).map(Field(_))
            def every = group(5).orElse(group(8)).map(_ => Every)
            val one = places.orElse(name).orElse(every).getOrElse(Slice(group(3).map(_.toInt), group(4).map(_.toInt)))
            if (group(1).isDefined) Within(one) else one
          }
        ))
    case _ => None
  }
}
