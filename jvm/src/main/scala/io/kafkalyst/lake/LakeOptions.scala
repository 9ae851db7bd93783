package io.kafkalyst.lake

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.Durations

/** How changes are written to a table: merged by key, or appended. */
sealed abstract class MergeMode(val name: String)

object MergeMode {
  case object Upsert extends MergeMode("upsert")
  case object Append extends MergeMode("append")
  val all: Seq[MergeMode] = Seq(Upsert, Append)
}

/** When batches of a query into a table begin. */
sealed trait LakeTrigger

object LakeTrigger {
  final case class Every(millis: Long) extends LakeTrigger
  case object AvailableNow extends LakeTrigger
}

/**
 * A statement's options for its query into a table.
 *
 * @param id         the query's id, in capitals; None for a generated id
 * @param merge      None for the mode that fits the query's result
 * @param addColumns whether columns missing from the table are added to it
 * @param checkpoint the checkpoint folder; None for a folder named after the query's id
 * @param rest       options of the table's own writer
 */
final case class LakeOptions(
    id: Option[String],
    trigger: LakeTrigger,
    merge: Option[MergeMode],
    addColumns: Boolean,
    checkpoint: Option[String],
    rest: Map[String, String]
)

object LakeOptions {

  // Short enough to see results soon, long enough to avoid many small files.
  private val every = LakeTrigger.Every(10000)

  private val queryId = "QUERY_ID"
  private val trigger = "TRIGGER"
  private val merge = "MERGE"
  private val evolution = "SCHEMA_EVOLUTION"

  /** The option for the checkpoint folder. */
  val checkpoint = "CHECKPOINT"
  private val all: Seq[String] = Seq(queryId, trigger, merge, evolution, checkpoint)

  /** Options of Spark's writer that belong to the query, without case, `_`, `-` and `.`; with what to write instead. */
  private val ofQuery: Map[String, String] = Map(
    "CHECKPOINTLOCATION" -> s"$checkpoint = '…' names the folder of the query's offsets",
    "QUERYNAME" -> s"$queryId = '…' names the query",
    "OUTPUTMODE" -> s"$merge = 'upsert' or 'append' sets how changes are written",
    "PATH" -> "The statement names the table"
  )

  /**
   * @param said the statement's options, with case-insensitive names
   * @param kept the table's own properties, used if the statement does not set an option; Kafkalyst's begin with
   *             `kafkalyst.`
   * @throws io.kafkalyst.errors.KafkalystException LAKE_OPTION; LAKE_QUERY_OPTION for an option of Spark's writer that
   *         would replace the query's own
   */
  def of(said: Map[String, String], kept: Map[String, String]): LakeOptions = {
    val (ours, rest) = said.partition(o => isKnown(o._1))
    for ((option, value) <- rest.toSeq.sorted; instead <- ofQuery.get(nameOf(option).replace("_", "")))
      throw KafkalystException("LAKE_QUERY_OPTION", "option" -> option, "value" -> value, "instead" -> instead)
    // Both by the same names, so that the statement's own replace the table's.
    def named(options: Map[String, String]) = options.map { case (n, v) => nameOf(n) -> v }
    val given = named(kept.filter(p => isPrefixed(p._1))) ++ named(ours)
    def oneOf[A](name: String, values: Map[String, A]): Option[A] = given.get(name).map { text =>
      values.getOrElse(
        text.toLowerCase(Locale.ROOT),
        throw refused(name, text, values.keys.toSeq.sorted.mkString(" or "))
      )
    }
    LakeOptions(
      given.get(queryId).map(_.toUpperCase(Locale.ROOT)),
      given.get(trigger).fold[LakeTrigger](every)(triggerOf),
      oneOf(merge, MergeMode.all.map(m => m.name -> m).toMap),
      oneOf(evolution, Map("fail" -> false, "add" -> true)).getOrElse(false),
      given.get(checkpoint),
      rest
    )
  }

  /**
   * Refuses misspelt options, which would be passed to the table's writer, or kept as properties of the table. Only for
   * a statement that begins a query: stored queries go on.
   *
   * @param said       the statement's options
   * @param properties those that the statement gives to a new table, not all of which are Kafkalyst's: one letter may be
   *                   wrong, or two of a name that begins with `kafkalyst.`
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_PROPERTY
   */
  def checkNames(said: Iterable[String], properties: Iterable[String]): Unit = {
    val wrong = said.filter(isMisspelt) ++
      properties.filter(name => if (isPrefixed(name)) isMisspelt(name) else Conditions.isNear(nameOf(name), all, 1))
    wrong.toSeq.sorted.headOption.foreach { name =>
      throw KafkalystException(
        "UNKNOWN_PROPERTY",
        "property" -> name,
        "nearest" -> Conditions.nearest(nameOf(name), all),
        "known" -> all.mkString(", ")
      )
    }
  }

  private def isMisspelt(name: String) = Conditions.isMisspelt(nameOf(name), all)

  private def triggerOf(text: String): LakeTrigger =
    if (text.equalsIgnoreCase("available-now")) LakeTrigger.AvailableNow
    else
      Durations.millis(text).filter(_ > 0).map(LakeTrigger.Every(_)).getOrElse {
        throw refused(trigger, text, "available-now, or the time between two batches, as 1 MINUTE")
      }

  private def refused(name: String, value: String, expected: String) =
    KafkalystException("LAKE_OPTION", "option" -> name, "value" -> value, "expected" -> expected)

  /** Whether the name is a Kafkalyst option, with or without the prefix `kafkalyst.`. */
  def isKnown(written: String): Boolean = all.contains(nameOf(written))

  /** Whether a table's property is one of Kafkalyst's. */
  def isPrefixed(property: String): Boolean = property.toLowerCase(Locale.ROOT).startsWith("kafkalyst.")

  private def nameOf(written: String): String =
    written.toUpperCase(Locale.ROOT).stripPrefix("KAFKALYST.").replace('-', '_').replace('.', '_')
}
