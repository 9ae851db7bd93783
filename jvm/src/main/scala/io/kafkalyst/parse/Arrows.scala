package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

import scala.collection.mutable.ArrayBuffer

/**
 * Distinguishes ksqlDB's `struct->field` from a lambda's arrow. A lambda is an argument of a higher-order function,
 * where that function accepts one, and its arrow follows one name or several in parentheses.
 */
private[parse] final class Arrows(words: Seq[Token], isStruct: String => Boolean = _ => true) {
  import Arrows._

  /** Positions of the `-` of each struct arrow. */
  lazy val dereferences: Seq[Int] = arrows.collect { case (i, false) => i }

  /** Positions of the first word of each name chain before an arrow: `a` in `t.a->b->c`. */
  lazy val heads: Set[Int] = dereferences.map { arrow =>
    var at = arrow - 1
    def isStep(i: Int) = words(i).getType == DOT || (words(i).getType == GT && i > 0 && words(i - 1).getType == MINUS)
    while (at >= 2 && isStep(at - 1)) at -= (if (words(at - 1).getType == DOT) 2 else 3)
    at
  }.filter(_ >= 0).toSet

  /** Positions of all arrows, and whether they belong to a lambda. */
  private lazy val arrows: Seq[(Int, Boolean)] = {
    val found = ArrayBuffer.empty[(Int, Boolean)]
    var calls = List(new Call("", 0))
    words.indices.foreach { i =>
      words(i).getType match {
        case LPAREN => calls ::= new Call(if (i > 0) words(i - 1).getText.toLowerCase else "", i + 1)
        case RPAREN if calls.size > 1 => calls = calls.tail
        case COMMA =>
          calls.head.argument += 1
          calls.head.start = i + 1
        case MINUS if isArrow(i) =>
          val call = calls.head
          val lambda = areParameters(call.start, i) && firstLambda.get(call.function)
            .fold(call.function.nonEmpty && !isStruct(words(i - 1).getText.toLowerCase))(call.argument >= _)
          found += i -> lambda
        case _ =>
      }
    }
    found.toSeq
  }

  private def isArrow(i: Int) = i + 1 < words.size && words(i + 1).getType == GT &&
    words(i).getStopIndex + 1 == words(i + 1).getStartIndex

  private def areParameters(from: Int, until: Int) =
    until - from == 1 || (words(from).getType == LPAREN && words(until - 1).getType == RPAREN)
}

private object Arrows {

  /** Spark's higher-order functions with the index of the first argument that may be a lambda. */
  private val firstLambda = Map(
    "transform" -> 1,
    "filter" -> 1,
    "exists" -> 1,
    "forall" -> 1,
    "array_sort" -> 1,
    "map_filter" -> 1,
    "transform_keys" -> 1,
    "transform_values" -> 1,
    "aggregate" -> 2,
    "reduce" -> 2,
    "zip_with" -> 2,
    "map_zip_with" -> 2
  )

  private final class Call(val function: String, var start: Int) { var argument = 0 }
}
