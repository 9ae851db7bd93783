package io.kafkalyst.parse

import io.kafkalyst.commands._
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * ksqlDB's small statements, whose words (TYPE, ID, SCHEMA, …) are far too often names to be words of the grammar:
 * types, variables, ASSERT, RUN SCRIPT and their SHOW; PAUSE, RESUME and EXPLAIN of a query.
 *
 * @param typeOf the Spark type, as DDL, that a type in the text stands for
 * @param upper  whether unquoted names fold
 */
private[parse] final class KsqlStatements(text: String, tokens: Tokens, upper: Boolean, typeOf: String => String) {
  private var at = 0

  /** The command; None where the statement's first words are not of these. */
  def build(): Option[LogicalPlan] = {
    val statement =
      if (takes("CREATE", "TYPE")) Some(createType())
      else if (takes("DROP", "TYPE")) Some(DropType(ifExists = optional("IF", "EXISTS"), name()))
      else if (isDefine && takes("DEFINE")) {
        val variable = name()
        required("=")
        Some(DefineVariable(variable, string()))
      } else if (tokens.all.size <= 3 && takes("UNDEFINE")) Some(UndefineVariable(name()))
      else if (takes("PAUSE")) Some(PauseQueries(queryId()))
      else if (takes("RESUME")) Some(ResumeQueries(queryId()))
      else if (isLast && takes("EXPLAIN")) Some(ExplainQuery(name()))
      else if (takes("RUN", "SCRIPT")) Some(RunScript(string())(KsqlStatements.split))
      else if (takes("ASSERT", "TOPIC")) Some(assertTopic(exists = true))
      else if (takes("ASSERT", "NOT", "EXISTS", "TOPIC")) Some(assertTopic(exists = false))
      else if (takes("ASSERT", "SCHEMA")) Some(assertSchema(exists = true))
      else if (takes("ASSERT", "NOT", "EXISTS", "SCHEMA")) Some(assertSchema(exists = false))
      else shown()
    if (statement.isDefined) ended()
    statement
  }

  /** None of ALL. */
  private def queryId(): Option[String] = if (optional("ALL")) None else Some(name())

  private def isDefine = tokens.kind(2) == EQ

  private def shown(): Option[LogicalPlan] =
    if (!is(0, "SHOW") && !is(0, "LIST")) None
    else {
      at = 1
      if (isLast && optional("TYPES")) Some(ShowTypes())
      else if (isLast && optional("VARIABLES")) Some(ShowVariables())
      else if (isLast && optional("PROPERTIES")) Some(ShowProperties())
      else None
    }

  private def isLast = tokens(2) == null || tokens.kind(2) == SEMICOLON

  private def createType(): LogicalPlan = {
    val ifNotExists = optional("IF", "NOT", "EXISTS")
    val given = name()
    required("AS")
    if (tokens(at) == null) wrong("a type")
    val from = tokens(at).getStartIndex
    while (tokens(at) != null && tokens.kind(at) != SEMICOLON) at += 1
    CreateType(given, typeOf(text.substring(from, tokens(at - 1).getStopIndex + 1)), ifNotExists)
  }

  private def assertTopic(exists: Boolean): LogicalPlan = {
    val topic = if (tokens.kind(at) == STRING) string() else topicName()
    val properties = Seq.newBuilder[(String, String)]
    if (optional("WITH")) {
      required("(")
      do {
        val property = tokens(at).getText
        at += 1
        required("=")
        properties += property -> (if (tokens.kind(at) == STRING) string() else word())
      } while (optional(","))
      required(")")
    }
    AssertTopic(topic, properties.result(), exists, timeout())
  }

  private def assertSchema(exists: Boolean): LogicalPlan = {
    val subject = if (optional("SUBJECT")) Some(if (tokens.kind(at) == STRING) string() else topicName()) else None
    val id = if (optional("ID")) Some(number()) else None
    AssertSchema(subject, id, exists, timeout())
  }

  /** Milliseconds. */
  private def timeout(): Option[Long] =
    if (!optional("TIMEOUT")) None
    else {
      val n = number()
      val unit = word().toUpperCase.stripSuffix("S")
      val factor = KsqlStatements.units.getOrElse(unit, { at -= 1; wrong(KsqlStatements.units.keys.toSeq.sorted: _*) })
      Some(n * factor)
    }

  private def topicName(): String = {
    val from = at
    at = tokens.afterName(at)
    if (tokens(at - 1) == null) wrong("a name")
    (from until at by 2).map(i => Names.of(tokens(i))).mkString(".")
  }

  private def name(): String = {
    val token = tokens(at)
    if (token == null || !(Names.isBare(token) || Names.isQuoted(token))) wrong("a name")
    at += 1
    Names.of(token, upper)
  }

  private def word(): String = {
    if (tokens(at) == null) wrong("a word")
    at += 1
    tokens(at - 1).getText
  }

  private def number(): Int = Option(tokens(at)).flatMap(_.getText.toIntOption) match {
    case Some(n) =>
      at += 1
      n
    case None => wrong("a whole number")
  }

  private def string(): String = {
    if (tokens.kind(at) != STRING) wrong("a 'string'")
    at += 1
    Names.string(tokens(at - 1))
  }

  private def is(i: Int, text: String) = Option(tokens(i)).exists(_.getText.equalsIgnoreCase(text))

  /** Steps over these words where the statement begins with them. */
  private def takes(words: String*): Boolean = at == 0 && optional(words: _*)

  private def optional(words: String*): Boolean = {
    val found = words.zipWithIndex.forall { case (w, i) => is(at + i, w) }
    if (found) at += words.size
    found
  }

  private def required(word: String): Unit = if (!optional(word)) wrong(word)

  private def ended(): Unit = {
    while (tokens.kind(at) == SEMICOLON) at += 1
    if (tokens(at) != null) wrong("the end")
  }

  private def wrong(expected: String*): Nothing = {
    val found: Option[Token] = Option(tokens(at))
    throw SyntaxErrors.at(
      text,
      found.fold(text.linesIterator.size max 1)(_.getLine),
      found.fold(text.linesIterator.toSeq.lastOption.fold(0)(_.length))(_.getCharPositionInLine),
      found.fold("the end of the statement")(t => s""""${t.getText}""""),
      expected
    )
  }
}

private object KsqlStatements {

  /** The statements of a script with their lines. */
  private def split(script: String): Seq[(Int, String)] = {
    val words = new Tokens(script).all
    val ends = words.indices.filter(words(_).getType == SEMICOLON) :+ words.size
    (-1 +: ends).zip(ends).collect {
      case (before, end) if end - before > 1 =>
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, words(end - 1).getStopIndex + 1))
    }
  }

  private val units =
    Map("MILLISECOND" -> 1L, "SECOND" -> 1000L, "MINUTE" -> 60000L, "HOUR" -> 3600000L, "DAY" -> 86400000L)
}
