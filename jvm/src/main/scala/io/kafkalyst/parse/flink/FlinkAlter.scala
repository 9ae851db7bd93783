package io.kafkalyst.parse
package flink

import io.kafkalyst.commands.flink.TableChange
import io.kafkalyst.commands.flink.TableChange._
import io.kafkalyst.model.{ObjectKind, TopicColumn}
import io.kafkalyst.model.flink.TablePart
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.ParserRuleContext

import scala.jdk.CollectionConverters._

/** Flink's ALTER TABLE as a change of the table's elements and options. */
private[parse] object FlinkAlter {

  /**
   * Whether an ADD is Flink's: on a TABLE without the word COLUMN, or with clauses other than types, metadata keys and
   * comments.
   *
   * @param upper whether the session's dialect is ksqlDB, whose ADD may also lack the word COLUMN
   */
  def isFlinks(add: AddColumnsContext, kind: ObjectKind, upper: Boolean): Boolean = {
    val isSimple = added(add).forall { e =>
      e.getChildCount == 1 && e.columnElement.column != null &&
      e.columnElement.column.columnRole.asScala.forall(_.isInstanceOf[MetadataRoleContext])
    }
    !isSimple || (add.COLUMN == null && add.COLUMNS == null && kind == ObjectKind.Table && !upper)
  }

  /** The columns and constraints that an ADD or MODIFY names; none for other changes. */
  def elements(change: AlterationContext): Seq[ColumnElementContext] = (change match {
    case add: AddColumnsContext => added(add)
    case modify: ModifyColumnsContext => modify.placedElements.placedElement.asScala.toSeq
    case _ => Nil
  }).map(_.columnElement)

  /** The elements of an ADD, in order. */
  def added(add: AddColumnsContext): Seq[PlacedElementContext] =
    if (add.placedElements != null) add.placedElements.placedElement.asScala.toSeq
    else add.placedElement +: add.furtherColumn.asScala.toSeq.map(_.placedElement)

  /**
   * @param column   a declared column
   * @param name     of a column
   * @param source   the text of an element
   * @param property an option and its value
   */
  def change(
      ctx: AlterationContext,
      column: ColumnContext => TopicColumn,
      name: IdentifierContext => String,
      source: ParserRuleContext => String,
      property: PropertyContext => (String, String)
  ): TableChange = {
    def placed(all: Seq[PlacedElementContext]): Seq[Placed] = {
      val elements = FlinkTable.elements(all.map(_.columnElement), name, source)
      all.zip(elements).map { case (e, element) =>
        val place = if (e.FIRST != null) Some(First) else Option(e.identifier).map(i => After(name(i)))
        Placed(element, Option(e.columnElement.column).map(column), place)
      }
    }
    ctx match {
      case add: AddColumnsContext => Add(placed(added(add)))
      case modify: ModifyColumnsContext => Modify(placed(modify.placedElements.placedElement.asScala.toSeq))
      case drop: DropColumnsContext => DropColumns(drop.identifier.asScala.toSeq.map(name))
      // Constraint names are not kept: a table has at most one constraint.
      case _: DropKeyContext | _: DropConstraintContext => DropPart(TablePart.Constraints)
      case _: DropWatermarkContext => DropPart(TablePart.Watermarks)
      case rename: RenameColumnContext => RenameColumn(name(rename.from), name(rename.to))
      case set: SetOptionsContext => SetOptions(set.property.asScala.toSeq.map(property))
      case reset: ResetOptionsContext =>
        ResetOptions(reset.propertyName.asScala.toSeq.map { p =>
          Option(p.STRING).fold(source(p))(s => Names.string(s.getSymbol))
        })
    }
  }
}
