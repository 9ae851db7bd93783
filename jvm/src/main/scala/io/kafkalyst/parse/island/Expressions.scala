package io.kafkalyst.parse
package island

import java.util.Locale

import io.kafkalyst.analyze.names.BareColumns
import io.kafkalyst.functions.KsqlFields
import io.kafkalyst.functions.flink.FlinkCalls
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.parse.Edit.{blank, instead}
import io.kafkalyst.parse.flink.FlinkWords
import io.kafkalyst.parse.grammar.QueryParser._
import io.kafkalyst.parse.grammar.QueryParserBaseVisitor
import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.antlr.v4.runtime.tree.TerminalNode

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/**
 * Translates expressions of ksqlDB and Flink to Spark's syntax: struct arrows, constructors, lambdas, types in casts,
 * functions.
 *
 * @param isStruct  whether an arrow after this name, as a function's argument, dereferences a struct
 * @param isColumn  whether a column may have this name
 * @param namedType the type, in Spark's syntax, that CREATE TYPE gave this name
 * @param ours      whether the text is certainly Kafkalyst's, so that ksqlDB's constructors, lambdas and types apply
 * @param inKsql    whether functions are ksqlDB's
 * @param upper     whether names fold
 */
private[parse] final class Expressions(
    island: Island,
    isStruct: String => Boolean,
    isColumn: String => Boolean,
    namedType: String => Option[String],
    ours: Boolean,
    inKsql: Boolean,
    upper: Boolean
) extends QueryParserBaseVisitor[Unit] {
  import Expressions._

  val edits = ArrayBuffer.empty[Edit]

  /** Positions in the text of the name chains before an arrow: of `t` in `t.a->b`. */
  val dereferences = ArrayBuffer.empty[Int]

  private var call = Call("", None)
  private var argument = 0
  private var lambda = Option.empty[Token]

  // The open WHENs of a CASE, the innermost first, and whether a comma followed.
  private var whens = List.empty[(Token, Boolean)]

  visit(island.tree)

  override def visitGroup(group: GroupContext): Unit = {
    val function = island.before(group)
    function.foreach { word =>
      val name = word.getText.toUpperCase(Locale.ROOT)
      if (inKsql) edits ++= KsqlWords.call(word, island.words.lift(group.getStart.getTokenIndex + 1))
      if (ours && casts(name)) edits ++= cast(group)
      edits ++= FlinkWords.call(island, name, word, group)
    }
    inside(function, group, group.content)
  }

  override def visitBrackets(brackets: BracketsContext): Unit = {
    val name = island.before(brackets).fold("")(_.getText.toUpperCase(Locale.ROOT))
    val isConstructor = (name == "ARRAY" && isFunction(name)) || (name == "MAP" && !brackets.content.list.COMMA.isEmpty)
    if (isConstructor && brackets.RBRACKET != null)
      edits += instead(brackets.getStart, "(") += instead(brackets.getStop, ")")
    inside(None, brackets, brackets.content)
  }

  private def inside(function: Option[Token], opened: ParserRuleContext, content: ContentContext): Unit = {
    val outer = (call, argument)
    val outerWhens = whens
    whens = Nil
    call = Call(function.fold("")(_.getText.toLowerCase(Locale.ROOT)), function, opened.getStart.getTokenIndex)
    argument = 0
    visit(content)
    call = outer._1
    argument = outer._2
    whens = outerWhens
  }

  override def visitList(list: ListContext): Unit = Island.children(list).foreach {
    case item: ItemContext => visit(item)
    case _ =>
      argument += 1
      comma()
  }

  override def visitTerminal(node: TerminalNode): Unit = if (node.getSymbol.getType == COMMA) comma()

  private def comma(): Unit = whens = whens match {
    case (when, _) :: others => (when, true) :: others
    case Nil => Nil
  }

  /** `CASE x WHEN 1, 2 THEN`. */
  private def `then`(word: Token): Unit = {
    whens.headOption.foreach { case (when, isList) =>
      if (isList) edits += instead(when, s"WHEN ${FlinkCalls.caseValues}(") += instead(word, ") THEN")
    }
    whens = whens.drop(1)
  }

  /** A lambda's arrow follows one name, or several in parentheses, at the beginning of an argument. */
  override def visitItem(item: ItemContext): Unit = {
    Island.children(item).lift(1).collect { case p: PlainContext if p.getStart.getType == ARROW => p.getStart }
      .filter(arrow =>
        firstLambda.get(call.name).fold(
          call.name.nonEmpty && !isStruct(item.getStart.getText.toLowerCase(Locale.ROOT))
        )(
          argument >= _
        )
      ).foreach(arrow => lambda = Some(arrow))
    visitChildren(item)
  }

  override def visitPlain(plain: PlainContext): Unit = {
    val word = plain.getStart
    word.getType match {
      case ARROW if !lambda.contains(word) => dereference(word)
      case FAT_ARROW if ours => fatArrow(word)
      case ASSIGN if ours && call.open >= 0 => assign(word)
      case IDENTIFIER if word.getText.equalsIgnoreCase("WHEN") => whens ::= (word -> false)
      case IDENTIFIER if word.getText.equalsIgnoreCase("THEN") => `then`(word)
      case _ =>
        val at = word.getTokenIndex
        val name = word.getText.toUpperCase(Locale.ROOT)
        val isAlone = !Seq(DOT, AS).exists(island.is(at - 1, _)) && !Seq(DOT, LPAREN).exists(island.is(at + 1, _))
        FlinkWords.constants.get(name).filter(_ => isAlone && isFunction(name)).foreach(edits += instead(word, _))
    }
  }

  /** Whether the word must be a function, because no column has this name. */
  private def isFunction(name: String) = ours || !isColumn(name.toLowerCase(Locale.ROOT))

  /**
   * Replaces the arrow by Spark's dot. After a name without a qualifier the dot is marked: the name is a column, but
   * Spark would prefer a source of the same name, see [[io.kafkalyst.analyze.names.BareColumns]].
   */
  private def dereference(arrow: Token): Unit = {
    def isStep(i: Int) = island.is(i, DOT) || island.is(i, ARROW)
    val at = arrow.getTokenIndex - 1
    edits += instead(arrow, if (island.isName(at) && !isStep(at - 1)) BareColumns.arrow else ". ")
    val head = Iterator.iterate(at)(_ - 2).find(i => i < 2 || !isStep(i - 1)).get
    if (head >= 0) dereferences += island.words(head).getStartIndex
    island.words.lift(arrow.getTokenIndex + 1).filter(_.getText == "*" && inKsql)
      .foreach(edits += instead(_, KsqlFields.star))
  }

  /** `x => …`: Spark allows parentheses only around several names, so those around one are blanked. */
  private def fatArrow(arrow: Token): Unit = {
    val at = arrow.getTokenIndex
    edits += instead(arrow, "->")
    if (island.is(at - 1, RPAREN) && island.is(at - 3, LPAREN))
      edits += blank(island.words(at - 3)) += blank(island.words(at - 1))
  }

  /** `STRUCT(a := x)`, `MAP('k' := x)`. */
  private def assign(sign: Token): Unit = {
    val name = island.words(sign.getTokenIndex - 1)
    if (call.name == "struct") {
      if (sign.getTokenIndex == call.open + 2) edits += instead(call.function.get, "named_struct")
      edits += instead(name, sign, s"'${Names.of(name, upper).replace("\\", "\\\\").replace("'", "\\'")}',")
    } else edits += instead(sign, ", ")
  }

  /** Types in `CAST(x AS type)` that have another name in Spark. */
  private def cast(group: GroupContext): Seq[Edit] = {
    val as = group.content.list.item.asScala.flatMap(_.element.asScala).map(_.getStart).find(_.getType == AS)
    as.toSeq.flatMap { word =>
      val isKsqldb = Settings.current.isKsqldb
      if (isKsqldb)
        KsqlTypes.check(
          island.words.slice(word.getTokenIndex + 1, group.getStop.getTokenIndex),
          namedType
        )(ColumnRoles.at)
      (word.getTokenIndex + 1 until group.getStop.getTokenIndex).flatMap { at =>
        val ignored =
          if (isKsqldb) KsqlTypes.ignored(island.words, at)
          else if (isVarcharOfString(at)) island.words.slice(at + 1, at + 4)
          else Nil
        spelled(at, ignored.nonEmpty).map(instead(island.words(at), _)) ++ ignored.map(blank)
      }
    }
  }

  /** `VARCHAR(STRING)`, which older versions of ksqlDB write for the type. */
  private def isVarcharOfString(at: Int) = island.words(at).getText.equalsIgnoreCase("VARCHAR") &&
    island.is(at + 1, LPAREN) && island.words.lift(at + 2).exists(_.getText.equalsIgnoreCase("STRING"))

  /** @param isPlain whether the type's parameters are ignored */
  private def spelled(at: Int, isPlain: Boolean): Option[String] = {
    val word = island.words(at)
    word.getText.toUpperCase(Locale.ROOT) match {
      case _ if Names.isBare(island.words(at + 1)) => None // a field's name
      case "VARCHAR" if isPlain || !island.is(at + 1, LPAREN) => Some("STRING ")
      case "BYTES" => Some("BINARY")
      case other if Names.isBare(word) => namedType(other)
      case _ => None
    }
  }
}

private[parse] object Expressions {
  private val casts = Set("CAST", "TRY_CAST")

  /** The function before an open bracket, and the bracket's token index. */
  private final case class Call(name: String, function: Option[Token], open: Int = -1)

  /** Spark's higher-order functions with the index of the first argument that may be a lambda. */
  val firstLambda: Map[String, Int] = Map(
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
}
