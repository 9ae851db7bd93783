package io.kafkalyst.parse
package island

import java.util.Locale

import io.kafkalyst.parse.grammar.QueryLexer
import io.kafkalyst.parse.grammar.QueryParser.SourceContext
import io.kafkalyst.parse.grammar.QueryParserBaseVisitor

import scala.collection.mutable.ArrayBuffer

/** Looks up the names of a text. */
private[parse] trait KnownSources {
  def isTopic(parts: Seq[String]): Boolean

  /** The names of a topic's columns and their fields. */
  def namesOf(topic: Seq[String]): Seq[String]

  /** The columns of a table or view that is not a Kafkalyst object; None if it does not exist. */
  def foreign(parts: Seq[String]): Option[Seq[String]]

  def isCatalog(name: String): Boolean
}

/**
 * Finds the unquoted names that keep their case in a text where names fold: catalogs, tables outside of Kafkalyst, and
 * their columns. Topics, their columns, and names that the text itself defines fold.
 *
 * @param columns whether foreign columns keep their case, too; a sink's columns become its topic's, so they fold
 */
private[parse] final class Folding(island: Island, known: KnownSources, columns: Boolean) {
  import Folding.{lower, Source}

  private val sources: Seq[Source] = {
    val places = ArrayBuffer.empty[Int]
    new QueryParserBaseVisitor[Unit] {
      override def visitSource(source: SourceContext): Unit = {
        Option(source.item).foreach(places += _.getStart.getTokenIndex)
        visitChildren(source)
      }
    }.visit(island.tree)
    (target.toSeq ++ places).filter(island.isName).map { at =>
      val parts = island.nameParts(at)
      val behind = at + 2 * parts.size - 1
      val alias = if (island.is(behind, QueryLexer.AS)) behind + 1 else behind
      Source(at, parts, Option.when(island.isName(alias))(alias -> Names.of(island.words(alias))))
    }
  }

  /** The index of the table that an INSERT writes. */
  private def target: Option[Int] =
    Option.when(island.is(0, QueryLexer.INSERT))(if (isWord(2, "TABLE")) 3 else 2)

  private def isWord(at: Int, text: String) = island.words.lift(at).exists(_.getText.equalsIgnoreCase(text))

  private val (topics, others) = sources.partition(s => known.isTopic(s.parts))
  private val tables = others.flatMap(s => known.foreign(s.parts).map(s -> _))
  private val topicNames = topics.flatMap(s => known.namesOf(s.parts)).map(lower).toSet
  private val ofTopics = topicNames ++ topics.flatMap(_.qualifiers)
  private val foreignQualifiers = tables.flatMap(_._1.qualifiers).toSet -- ofTopics
  private val foreignColumns = if (columns) tables.flatMap(_._2).map(lower).toSet -- topicNames else Set.empty[String]

  /** The token indexes of the names that keep their case. */
  val kept: Set[Int] = {
    val named = tables.filter(_ => columns).flatMap(_._1.alias).map(_._1)
    val chains = island.words.indices.filter(at => island.isName(at) && !isStep(at - 1)).flatMap { at =>
      val places = Iterator.iterate(at)(_ + 2).takeWhile(i => i == at || isStep(i - 1) && island.isName(i)).toSeq
      places.take(keeps(at, places.map(i => Names.of(island.words(i)))))
    }
    (chains ++ named).toSet
  }

  private def isStep(at: Int) = island.is(at, QueryLexer.DOT) || island.is(at, QueryLexer.ARROW)

  /** How many leading names of a dotted chain keep their case. */
  private def keeps(at: Int, chain: Seq[String]): Int = {
    val head = lower(chain.head)
    val isQualified = chain.size > 1
    sources.find(_.at == at) match {
      case Some(source) if topics.contains(source) => if (inCatalog(chain)) 1 else 0
      case Some(source) => if (tables.exists(_._1 == source) || inCatalog(chain)) chain.size else 0
      case None if ofTopics(head) => 0
      case None if inCatalog(chain) => if (topics.exists(t => chain.startsWith(t.parts))) 1 else chain.size
      case None if columns && isQualified && foreignQualifiers(head) => chain.size
      case None => if (foreignColumns(head) || isQualified && foreignColumns(lower(chain(1)))) chain.size else 0
    }
  }

  private def inCatalog(chain: Seq[String]) = chain.size > 1 && known.isCatalog(chain.head)
}

private object Folding {

  /**
   * A source or target of the text.
   *
   * @param alias its token index and name; may be a word that is not an alias
   */
  private final case class Source(at: Int, parts: Seq[String], alias: Option[(Int, String)]) {

    /** The names that may qualify its columns. */
    def qualifiers: Seq[String] = (parts.last +: alias.map(_._2).toSeq).map(lower)
  }

  private def lower(name: String) = name.toLowerCase(Locale.ROOT)
}
