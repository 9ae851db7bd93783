package io.kafkalyst.parse

import io.kafkalyst.parse.Edit.instead
import io.kafkalyst.parse.grammar.KafkalystLexer

import scala.jdk.CollectionConverters._

/**
 * Substitutes the arguments of `spark.sql(text, args)` into a Kafkalyst statement, whose text is stored for restarts.
 */
private[parse] object Arguments {

  /** @param values SQL literals by name (`:name`) or by index from 0 (`?`) */
  def bind(text: String, values: java.util.Map[String, String]): String =
    if (values.isEmpty) text
    else {
      val given = values.asScala
      val words = new Tokens(text).all
      val places = words.filter(_.getText == "?").zipWithIndex
        .flatMap { case (word, i) => given.get(i.toString).map(instead(word, _)) }
      val names = words.zip(words.drop(1)).collect {
        case (colon, name) if colon.getType == KafkalystLexer.COLON && colon.getStopIndex + 1 == name.getStartIndex =>
          given.get(name.getText).map(Edit(colon.getStartIndex, name.getStopIndex + 1, _))
      }.flatten
      Edit.all(text, places ++ names)
    }
}
