package io.kafkalyst.commands
package flink

import io.kafkalyst.commands.flink.TableChange._
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.{Side, TopicObject}
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties, TableElement, TablePart}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/**
 * Changes the elements and options of a table by the rules of Flink's ALTER TABLE. Pure.
 *
 * @param name    the table's name, for messages
 * @param uses    the columns that each computed column reads, by the computed column's name
 */
private[flink] final class TableEdit(
    name: String,
    o: TopicObject,
    elements: Seq[TableElement],
    options: Seq[(String, String)],
    uses: Map[String, Set[String]]
) {
  private val (columns, others) = elements.partition(_.name.nonEmpty)
  private def all = columns.map(_.name)

  /**
   * The elements and options after the change.
   *
   * @throws io.kafkalyst.errors.KafkalystException COLUMN_EXISTS, COLUMN_NOT_FOUND, NOT_ALTERABLE, FLINK_OPTION
   */
  def apply(change: TableChange): (Seq[TableElement], Seq[(String, String)]) = change match {
    case Add(added) =>
      val all = added.foldLeft(elements)((to, one) => put(to, one, isNew = true))
      metadataOnce(added, Set.empty, "ADD")
      all -> options
    case Modify(modified) =>
      val names = modified.map(_.element.name).filter(_.nonEmpty)
      names.diff(names.distinct).headOption.foreach(twice =>
        throw KafkalystException("DUPLICATE_COLUMN", "column" -> twice)
      )
      val all = modified.foldLeft(elements)((to, one) => put(to, one, isNew = false))
      metadataOnce(modified, names.toSet, "MODIFY")
      all -> options
    case DropColumns(names) => drop(names) -> options
    case DropPart(part) =>
      if (!others.exists(_.part == part))
        refuse(s"DROP ${word(part)}", s"it has no ${word(part)}", "DESCRIBE shows what it has.")
      elements.filterNot(_.part == part) -> options
    case RenameColumn(from, to) => rename(from, to)
    case SetOptions(set) =>
      val given = set.map { case (option, value) => FlinkOptions.ofValue(option) -> value }
      elements -> (options.filterNot(o => given.exists(g => same(g._1, o._1))) ++ given)
    case ResetOptions(names) =>
      names.find(_ == FlinkOptions.connector).foreach { connector =>
        throw KafkalystException("FLINK_OPTION", "option" -> connector, "reason" -> "it cannot be reset")
      }
      val reset = names.map(FlinkOptions.ofValue)
      elements -> options.filterNot(o => reset.exists(same(_, o._1)))
  }

  /** Adds an element, or replaces the element of the same name. */
  private def put(to: Seq[TableElement], placed: Placed, isNew: Boolean): Seq[TableElement] = {
    val element = placed.element
    val i = to.indexWhere(e => e.name == element.name && (e.name.nonEmpty || e.part == element.part))
    val statement = s"${if (isNew) "ADD" else "MODIFY"} ${word(element.part)}"
    if (isNew && i >= 0) {
      if (element.name.nonEmpty) exists(element.name, to)
      refuse(statement, s"it has ${to(i).sql}", s"Say MODIFY ${word(element.part)}, or DROP it first.")
    }
    if (!isNew && i < 0) {
      if (element.name.nonEmpty) missing(element.name, to)
      refuse(statement, s"it has no ${word(element.part)}", s"Say ADD ${word(element.part)}.")
    }
    val rest = if (i >= 0) to.patch(i, Nil, 1) else to
    val at = placed.place match {
      case Some(First) => 0
      case Some(After(other)) =>
        val found = rest.indexWhere(_.name == other)
        if (found < 0) missing(other, rest)
        found + 1
      case None if i >= 0 => i
      case None if element.name.nonEmpty => rest.lastIndexWhere(_.name.nonEmpty) + 1
      case None => rest.size
    }
    rest.patch(at, Seq(element), 0)
  }

  private def drop(names: Seq[String]): Seq[TableElement] = {
    names.diff(names.distinct).headOption.foreach { twice =>
      throw KafkalystException("DUPLICATE_COLUMN", "column" -> twice)
    }
    names.foreach { column =>
      if (!all.contains(column)) missing(column, columns)
      unused(column, "DROP", names.toSet)
      if (keys.contains(column)) refuse(s"DROP $column", "its PRIMARY KEY has that column", "Change the key first.")
    }
    elements.filterNot(e => names.contains(e.name))
  }

  private def rename(from: String, to: String): (Seq[TableElement], Seq[(String, String)]) = {
    val found = columns.find(_.name == from).getOrElse(missing(from, columns))
    if (all.contains(to)) exists(to, columns)
    unused(from, "RENAME", Set.empty)
    // Without FROM, the metadata key is the column's name, so renaming adds FROM.
    val metadata = o.columns.find(_.name == from).flatMap(_.metadata).map(_.key)
    val rest = found.sql.stripPrefix(quoteIdentifier(from))
    val written = metadata.filter(_ == from).fold(rest) { key =>
      " METADATA".r.replaceFirstIn(rest, s" METADATA FROM '${key.replace("'", "''")}'")
    }
    val renamed = elements.map { e =>
      if (e == found) e.copy(name = to, sql = quoteIdentifier(to) + written)
      else if (e.part == TablePart.Constraints) e.copy(sql = key(keys.map(k => if (k == from) to else k)))
      else e
    }
    val fields = FlinkProperties.keyFields.name
    renamed -> options.map { case (option, value) =>
      option -> (if (!option.equalsIgnoreCase(fields)) value
                 else FlinkProperties.list(value).map(k => if (k == from) to else k).mkString(";"))
    }
  }

  /** The columns of the PRIMARY KEY, in its order. */
  private def keys: Seq[String] =
    if (!others.exists(_.part == TablePart.Constraints)) Nil
    else o.inOrder(Side.Key, o.columns.filter(_.isIn(Side.Key)))(identity).map(_.name)

  private def key(names: Seq[String]) = s"PRIMARY KEY (${names.map(quoteIdentifier).mkString(", ")}) NOT ENFORCED"

  /** Refuses a column that the watermark or a remaining computed column reads. */
  private def unused(column: String, what: String, besides: Set[String]): Unit = {
    uses.find { case (computed, read) => read(column) && !besides(computed) }.foreach { case (computed, _) =>
      refuse(s"$what $column", s"its computed column $computed uses that column", "Change that one first.")
    }
    o.watermark.filter(w => w.column == column && others.exists(_.part == TablePart.Watermarks)).foreach { w =>
      refuse(s"$what $column", s"WATERMARK FOR ${w.column} AS ${w.sql} uses that column", "Drop the WATERMARK first.")
    }
  }

  private def metadataOnce(placed: Seq[Placed], changed: Set[String], what: String): Unit = {
    val there = o.columns.filterNot(c => changed(c.name)) ++ placed.flatMap(_.column)
    there.filter(_.metadata.isDefined).groupBy(_.metadata.get.key).values.find(_.size > 1).foreach { twice =>
      refuse(
        s"$what ${twice.last.name}",
        s"its column ${twice.head.name} is METADATA FROM '${twice.head.metadata.get.key}' already",
        s"Use that column, or compute one from it: ${quoteIdentifier(twice.last.name)} AS ${quoteIdentifier(twice.head.name)}."
      )
    }
  }

  private def same(one: String, other: String) = one.equalsIgnoreCase(other)

  private def word(part: String) = part match {
    case TablePart.Constraints => "PRIMARY KEY"
    case TablePart.Watermarks => "WATERMARK"
    case _ => "column"
  }

  private def exists(column: String, among: Seq[TableElement]): Nothing = throw KafkalystException(
    "COLUMN_EXISTS",
    "name" -> name,
    "columns" -> column,
    "all" -> among.map(_.name).filter(_.nonEmpty).mkString(", ")
  )

  private def missing(column: String, among: Seq[TableElement]): Nothing = {
    val there = among.map(_.name).filter(_.nonEmpty)
    throw KafkalystException(
      "COLUMN_NOT_FOUND",
      "name" -> name,
      "column" -> column,
      "nearest" -> Conditions.nearest(column, there),
      "all" -> there.mkString(", ")
    )
  }

  private def refuse(statement: String, reason: String, hint: String): Nothing = throw KafkalystException(
    "NOT_ALTERABLE",
    "name" -> name,
    "statement" -> s"ALTER … $statement",
    "reason" -> reason,
    "hint" -> hint
  )
}
