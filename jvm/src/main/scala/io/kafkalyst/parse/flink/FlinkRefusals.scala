package io.kafkalyst.parse
package flink

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/** Flink's forms of CREATE TABLE and clauses of queries that are not supported here; each is refused by name. */
private[parse] object FlinkRefusals {

  /** FLINK_CLAUSE for REPLACE TABLE without Flink's WITH and AS. */
  def replace(word: Token): KafkalystException = refusal(
    word,
    "REPLACE without WITH ('connector' = …) AS SELECT …, or with IF NOT EXISTS,",
    "Write CREATE OR REPLACE."
  )

  /** FLINK_CLAUSE for PARTITIONED BY with AS, which Flink's Kafka connector does not support either. */
  def partitioned(word: Token): KafkalystException =
    refusal(
      word,
      "PARTITIONED BY with AS",
      "A record's partition follows from its key: name the columns in key.fields."
    )

  /** FLINK_CLAUSE for UNIQUE, which Flink refuses, too. */
  def unique(word: Token): KafkalystException =
    refusal(word, "UNIQUE", "Remove it: nobody checks it, and only PRIMARY KEY (…) NOT ENFORCED says what the key is.")

  /**
   * FLINK_CLAUSE for a statement that Spark refused too; None unless it is Flink's.
   *
   * @param text of the statement
   */
  def of(text: String): Option[KafkalystException] = {
    val tokens = new Tokens(text)
    OtherStatements.of(tokens).map { case (statement, instead) => refusal(tokens(0), statement, instead) }
      .orElse(ofTable(tokens))
  }

  private def ofTable(tokens: Tokens): Option[KafkalystException] = {
    val table = Iterator.from(0).takeWhile(i => heads(tokens.kind(i)) || isTemporary(tokens(i))).length
    if (table > 3 || tokens.kind(table) != KafkalystLexer.TABLE) None
    else {
      val words = tokens.all
      if (!isFlinks(words)) None
      else words.take(table).find(isTemporary).map(refusal(
        _,
        "CREATE TEMPORARY TABLE … AS",
        "CREATE TEMPORARY TABLE with its columns, and INSERT INTO it."
      )).orElse(words.sliding(3).collectFirst {
        case Seq(before, word, open) if starts(before) && is(word, "UNIQUE") && open.getText == "(" => unique(word)
      }).orElse(outside(words).sliding(2).collectFirst {
        case Seq(word, by) if is(word, "DISTRIBUTED") && (is(by, "BY") || is(by, "INTO")) =>
          refusal(
            word,
            "DISTRIBUTED",
            "A record's partition follows from its key: name the columns in key.fields, and the number in PARTITIONS."
          )
      })
    }
  }

  /**
   * FLINK_CLAUSE for a query that Spark refused, too; None if the query has no such clause.
   *
   * @param text of the statement
   */
  def ofQuery(text: String): Option[KafkalystException] =
    if (!Mentions(text, "match_recognize")) None
    else {
      val tokens = new Tokens(text)
      tokens.all.indices.collectFirst {
        case i if is(tokens(i), "MATCH_RECOGNIZE") && tokens.kind(i + 1) == KafkalystLexer.LPAREN =>
          refusal(tokens(i), "MATCH_RECOGNIZE", "In a bounded query, LAG and LEAD show the rows before and behind.")
      }
    }

  /** Whether an element of the table begins behind the word. */
  private def starts(word: Token) = word.getType == KafkalystLexer.COMMA || word.getType == KafkalystLexer.LPAREN

  private val heads = Set(KafkalystLexer.CREATE, KafkalystLexer.OR, KafkalystLexer.REPLACE)

  private def is(token: Token, word: String) = token.getText.equalsIgnoreCase(word)

  private def isTemporary(token: Token) = token != null && (is(token, "TEMPORARY") || is(token, "TEMP"))

  /** Whether the text has WITH ('connector' = …). */
  private def isFlinks(words: Seq[Token]) = words.indices.exists { i =>
    words(i).getType == KafkalystLexer.WITH && words.lift(i + 1).exists(_.getType == KafkalystLexer.LPAREN) &&
    words.drop(i).takeWhile(_.getType != KafkalystLexer.RPAREN).exists(w =>
      w.getType == KafkalystLexer.STRING && Names.string(w).equalsIgnoreCase("connector")
    )
  }

  /** The words outside of parentheses. */
  private def outside(words: Seq[Token]): Seq[Token] = {
    val depths = words.scanLeft(0) { (depth, w) =>
      if (w.getType == KafkalystLexer.LPAREN) depth + 1
      else if (w.getType == KafkalystLexer.RPAREN) depth - 1
      else depth
    }
    words.zip(depths).collect { case (word, 0) => word }
  }

  /** FLINK_CLAUSE at a word. */
  def refusal(word: Token, what: String, instead: String): KafkalystException =
    KafkalystException("FLINK_CLAUSE", ColumnRoles.at(word) ++ Seq("what" -> what, "instead" -> instead): _*)
}
