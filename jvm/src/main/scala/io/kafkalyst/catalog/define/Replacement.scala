package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{MetadataColumns, PseudoColumns}
import io.kafkalyst.model._
import io.kafkalyst.model.flink.FlinkProperties

/** The changes that CREATE OR REPLACE may make to an object, as in ksqlDB: it may add columns at the end. Pure. */
private[kafkalyst] object Replacement {

  // These control where a schema is found and registered; the columns determine the record contents.
  private val ofTheRegistry = Set(
    SideFormat.givenId,
    SideFormat.subject,
    SideFormat.subjectStrategy,
    SideFormat.autoRegister,
    SideFormat.useLatest,
    SideFormat.guidHeaders,
    SideFormat.types
  )

  /**
   * @param more other differences, as sentences without a full stop
   * @throws io.kafkalyst.errors.KafkalystException REPLACEMENT_DIFFERS with every difference
   */
  def check(name: ObjectName, before: TopicObject, after: TopicObject, more: Seq[String]): Unit = {
    val all = differences(before, after) ++ more
    if (all.nonEmpty) {
      throw KafkalystException(
        "REPLACEMENT_DIFFERS",
        "name" -> name.toString,
        "kind" -> before.kind.name,
        "differences" -> all.mkString("- ", ";\n- ", ".")
      )
    }
  }

  /** Another kind or size of the windows, whose bounds the key's bytes have; a query that fills the object tells its own. */
  def windows(before: TopicObject, after: TopicObject): Option[String] = {
    def of(o: TopicObject) = {
      val kind = o.options.get(Properties.windowType.name).map(_.toUpperCase(Locale.ROOT))
      val size = o.options.get(Properties.windowSize.name).map(s => Durations.millis(s).fold(s)(n => s"of $n ms"))
      if (kind.isEmpty) "none" else (kind ++ size).mkString(" ")
    }
    if (of(before) == of(after)) None else Some(s"its windows were ${of(before)} and would be ${of(after)}")
  }

  /** The columns added after the existing ones. */
  def added(before: TopicObject, after: TopicObject): Seq[TopicColumn] =
    rest(before).zip(rest(after)).flatMap { case (old, now) => now.drop(old.size) }

  /** All differences that are not allowed, one sentence each; empty if the new object can replace the old one. */
  def differences(before: TopicObject, after: TopicObject): Seq[String] =
    changed("the topic", before.topic, after.topic).toSeq ++
      Side.all.flatMap { side =>
        val (old, now) = (before.format(side), after.format(side))
        changed(s"the $side format", old.format, now.format).toSeq ++
          (if (old.format == now.format) options(side, old, now) else Nil)
      } ++ Seq(Properties.timestamp, Properties.timestampFormat, FlinkProperties.valueFieldsInclude).flatMap { p =>
        changed(p.name, before.options.getOrElse(p.name, "not given"), after.options.getOrElse(p.name, "not given"))
      } ++ keys(before.columns(Side.Key), after.columns(Side.Key)) ++
      rest(before).zip(rest(after)).flatMap { case (old, now) => others(old, now) }

  private def options(side: Side, old: SideFormat, now: SideFormat): Seq[String] =
    (old.options.keySet ++ now.options.keySet -- ofTheRegistry).toSeq.sorted.flatMap { option =>
      def of(format: SideFormat) = format.options.getOrElse(option, "not given")
      changed(s"${side.name.toUpperCase(Locale.ROOT)}_$option", of(old), of(now))
    }

  private def keys(old: Seq[TopicColumn], now: Seq[TopicColumn]): Seq[String] =
    if (old.map(shown) == now.map(shown)) Nil
    else Seq(s"the key columns were (${old.map(shown).mkString(", ")}) and would be (${now.map(shown).mkString(", ")})")

  private def others(old: Seq[TopicColumn], now: Seq[TopicColumn]): Seq[String] = old.zipWithIndex.flatMap {
    case (column, i) =>
      val there = now.lift(i)
      if (there.exists(c => shown(c) == shown(column))) None
      else {
        val found = now.indexWhere(_.name == column.name)
        Some(
          if (found < 0) s"column ${shown(column)} is missing"
          else if (found != i) s"column `${column.name}` was number ${i + 1} and would be number ${found + 1}"
          else s"column ${shown(column)} would be ${shown(now(found))}"
        )
      }
  }

  /**
   * The non-key columns, in order, without the column for rescued fields, which is always placed last; headers apart,
   * because ksqlDB's dialect places them behind the others, also behind those that are added.
   */
  private def rest(o: TopicObject): Seq[Seq[TopicColumn]] = {
    val all = o.columns.filterNot(c => c.isIn(Side.Key) || PseudoColumns.isRescued(c))
    val (headers, others) = all.partition(MetadataColumns.isHeader)
    Seq(others, headers)
  }

  private def shown(c: TopicColumn): String =
    s"`${c.name}` ${c.dataType.sql}" + c.metadata.fold("")(m =>
      s" METADATA FROM '${m.key}'" + (if (m.virtual) " VIRTUAL" else "")
    )

  private def changed(what: String, old: String, now: String): Option[String] =
    if (old == now) None else Some(s"$what was $old and would be $now")
}
