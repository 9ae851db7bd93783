package io.kafkalyst.model
package flink

/**
 * An element of Flink's CREATE TABLE between the parentheses.
 *
 * @param part one of [[TablePart]]
 * @param name the column's name; empty for elements that a table has at most once
 * @param sql  as written
 */
final case class TableElement(part: String, name: String, sql: String)

/** The parts of a Flink table, by the names in its LIKE clause. */
object TablePart {

  /** A key or value column, which LIKE always includes. */
  val Column = "COLUMN"
  val Metadata = "METADATA"
  val Generated = "GENERATED"
  val Watermarks = "WATERMARKS"
  val Constraints = "CONSTRAINTS"
  val Options = "OPTIONS"
  val Partitions = "PARTITIONS"
  val All = "ALL"

  val including = "INCLUDING"
  val excluding = "EXCLUDING"
  val overwriting = "OVERWRITING"

  private val replaceable = Seq(Generated, Metadata, Options, Watermarks)

  /** The features that LIKE may name; a topic's table has no distribution. */
  val features: Seq[String] = Seq(All, Constraints, "DISTRIBUTION", Partitions) ++ replaceable

  /** The merging strategies that LIKE allows for a feature. */
  def strategies(feature: String): Seq[String] =
    Seq(including, excluding) ++ (if (replaceable.contains(feature)) Seq(overwriting) else Nil)
}
